"""Associations, against plain expectation-maximisation for as many steps as google/rappor's R takes at most."""

import time
from decimal import Decimal

import numpy as np
from bars import Bar, compare

from sotto_client import os_coins
from sotto_estimator.association.associate import associate
from sotto_estimator.association.axes import TableAxis, read_sides
from sotto_estimator.strings.unknown import decode_unknown
from sotto_protocol import Survey, compile_survey
from sotto_protocol.mechanisms.bloom.design import BloomShape, bloom
from sotto_protocol.mechanisms.mechanism import Bytes
from sotto_protocol.mechanisms.thresholds import Stages

N_REPORTS = 50_000
N_WORDS = 3, 100
QUESTIONS = ("word", "paid")
N_EM_STEPS, N_TIMED = 1000, 20
"""google/rappor's FastEM stops after so many; every step takes as long as another, so some are timed."""
N_UNKNOWN = 200_000
WORDS = ("secret", "banana", "cat", "voce", "x-ray9")


def make_survey() -> Survey:
    text = {"type": "text", "text": "?", "mechanism": "rappor", "epsilon": Decimal(3), "n_bits": 32, "n_cohorts": 64}
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


def joint(n_words: int, *, least: float) -> Bar:
    """Estimate the table of a text and a yes-no question, against EM on the same reports' likelihoods."""
    survey, words = make_survey(), [f"word {number}" for number in range(n_words)]
    records = collect(survey, words)
    likelihoods = [side.likelihood(part) for side, part in parts_of(survey, records, words)]

    def ours() -> float:
        started = time.perf_counter()
        found = associate(survey, records, QUESTIONS, {"word": words})
        assert found.convergence.converged
        return time.perf_counter() - started

    return compare(
        f"association of {n_words} strings and yes-no, {N_REPORTS:,} reports",
        ours,
        lambda: N_EM_STEPS / N_TIMED * em_s(*likelihoods, n_steps=N_TIMED),
        least=least,
        reference=f"EM's {N_EM_STEPS:,} steps alone, timed by {N_TIMED}",
        unit="s",
        rounds=3,
    )


def parts_of(survey: Survey, records: Bytes, words: list[str]) -> list[tuple[TableAxis, Bytes]]:
    sides = read_sides(survey, QUESTIONS, {"word": words})
    columns = {question.id: column for question, column in survey.layout.cut(records)}
    return [(side, side.narrow(columns[side.question.id])) for side in sides]


def em_s(first: np.ndarray, second: np.ndarray, *, n_steps: int) -> float:
    """Return the seconds of so many steps of expectation-maximisation (Dempster, Laird & Rubin 1977) in numpy."""
    shares = np.full((first.shape[1], second.shape[1]), 1 / (first.shape[1] * second.shape[1]))
    started = time.perf_counter()
    for _ in range(n_steps):
        density = ((first @ shares) * second).sum(axis=1)
        shares = shares * (first.T @ (second / density[:, None])) / len(first)
    return time.perf_counter() - started


def two_texts(n_words: int) -> None:
    """Print how long a table of two text questions takes."""
    survey, words = make_survey(), [f"word {number}" for number in range(n_words)]
    records = collect(survey, words)
    started = time.perf_counter()
    found = associate(survey, records, ("word", "other-word"), {"word": words, "other-word": words})
    assert found.convergence.converged
    seconds, p_value = time.perf_counter() - started, found.independence.p_value
    print(f"        {n_words} x {n_words} strings: {seconds:.2f} s, p = {p_value:.1e}")


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


def measure() -> list[Bar]:
    bars = [joint(N_WORDS[0], least=2), joint(N_WORDS[1], least=5)]
    two_texts(N_WORDS[1])
    unknown()
    return bars
