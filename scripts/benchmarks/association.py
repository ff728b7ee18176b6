"""Associations: seconds of this program, beside those that google/rappor's R takes where they were measured."""

import sys
import time
from decimal import Decimal

import numpy as np
from bars import Bar

from sotto_client import os_coins
from sotto_estimator.association.associate import associate
from sotto_estimator.strings.unknown import decode_unknown
from sotto_protocol import Survey, compile_survey
from sotto_protocol.mechanisms.bloom.design import BloomShape, bloom
from sotto_protocol.mechanisms.mechanism import Bytes
from sotto_protocol.mechanisms.thresholds import Stages

N_REPORTS = 50_000
MOST_S = 5.0
R_S = 403.0  # FastEM, three strings x yes-no, 50,000 reports, stopped at 1,000 iterations without converging
N_UNKNOWN = 200_000
WORDS = ("secret", "banana", "cat", "voce", "x-ray9")


def make_survey() -> Survey:
    text = {"type": "text", "text": "?", "epsilon": Decimal(3), "n_bits": 32, "n_cohorts": 64}
    questions = [
        {"id": "word"} | text,
        {"id": "other-word"} | text,
        {"id": "paid", "type": "yes-no", "text": "?", "epsilon": Decimal(1)},
    ]
    return compile_survey({"id": "bench", "title": "Bench", "questions": questions})


def collect(survey: Survey, words: list[str]) -> Bytes:
    generator = np.random.default_rng(1)
    shares = 1 / np.arange(1, len(words) + 1)
    first, second = generator.choice(len(words), (2, N_REPORTS), p=shares / shares.sum())
    second = np.where(generator.random(N_REPORTS) < 0.5, first, second)
    paid = generator.random(N_REPORTS) < np.where(first % 2, 0.8, 0.3)
    answers = {
        "word": [words[number] for number in first],
        "other-word": [words[number] for number in second],
        "paid": paid.astype(int),
    }
    return survey.perturb(answers, os_coins())


def bar(name: str, seconds: float, reference_s: float, least: float, reference: str) -> Bar:
    made = Bar(name, N_REPORTS / seconds, N_REPORTS / reference_s, reference_s / seconds, least, reference)
    print(f"{made.line()}   {seconds:.2f} s", flush=True)
    return made


def joint(n_words: int, *questions: str, least: float | None) -> list[Bar]:
    survey, words = make_survey(), [f"word {number}" for number in range(n_words)]
    records = collect(survey, words)
    candidates = {question: words for question in questions if question != "paid"}
    started = time.perf_counter()
    found = associate(survey, records, questions, candidates)
    seconds = time.perf_counter() - started
    name = f"{n_words} strings: {' x '.join(questions)}"
    said = f"{name}: {found.convergence.n_iterations} iterations, log-likelihood within {found.convergence.gap:.1e}"
    assert found.convergence.converged, said
    print(f"{said}, p = {found.independence.p_value:.1e}")
    if least is None:
        print(f"        {name}: {seconds:.2f} s")
        return []
    return [bar(name, seconds, R_S, least, "google/rappor in R (403 s, three strings)")]


def unknown() -> None:
    mechanism = bloom(BloomShape(64, 2, 64, 6, 2), Stages.of_epsilons(12, Decimal(20)))
    generator = np.random.default_rng(1)
    shares = 1 / np.arange(1, len(WORDS) + 1)
    answers = generator.choice(WORDS, N_UNKNOWN, p=shares / shares.sum()).tolist()
    reports = mechanism.perturb(answers, os_coins())
    started = time.perf_counter()
    decoded = decode_unknown(mechanism, reports).decoded
    names = [row.string for row in decoded.rows]
    print(f"        unknown strings, {N_UNKNOWN:,} reports: {time.perf_counter() - started:.2f} s, found {names}")


def main() -> int:
    bars = joint(3, "word", "paid", least=R_S / MOST_S) + joint(100, "word", "paid", least=R_S / MOST_S)
    joint(100, "word", "other-word", least=None)
    unknown()
    return int(any(each.ratio < each.least for each in bars))


if __name__ == "__main__":
    sys.exit(main())
