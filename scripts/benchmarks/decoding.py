"""Decoding strings, against one least-squares fit of all candidates, and as candidates become many."""

import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from bars import Bar, compare, of_pairs
from scipy.optimize import nnls

from sotto_estimator.strings.candidates import CandidateMap
from sotto_estimator.strings.counts import BitCounts, BitRates
from sotto_estimator.strings.decode import decode
from sotto_protocol.mechanisms.bloom.hash import BloomDesign

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "support"))
from rappor_cases import bits_set, collect, read_case, score, zipf  # the path comes first

CASE = "chrome8-100k-1000"
"""google/rappor's case of a thousand candidates.

What R makes of it is in `tests/estimator/strings/test_strings_decode.py`.
"""
CHROME = BitRates.from_rappor(0.5, 0.25, 0.75)
N_TRUE, N_REPORTS = 100, 10**7
N_MANY, N_FEW, N_ROUNDS = 15_000, 1000, 3


def ms(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - started)


def against_one_fit() -> Bar:
    """Choice, tests, shares and intervals, against shares alone: no choice, no errors, the bits as a dense matrix."""
    case = read_case(CASE)
    candidates = CandidateMap.of(case.candidates, case.design, "google")
    columns = bits_set(candidates).reshape(len(case.candidates), -1).T.astype(float)
    rates = case.counts.bit_counts / case.counts.n_reports[:, None]
    aim = ((rates - case.rates.if_other) / (case.rates.if_true - case.rates.if_other)).ravel()
    return compare(
        f"decoding {len(case.candidates):,} candidates, 8 bits, 128 cohorts",
        lambda: ms(lambda: decode(case.counts, case.rates, candidates)),
        lambda: ms(lambda: nnls(columns, aim)),
        least=2,
        reference="SciPy's nnls of all candidates alone",
        unit="ms",
    )


def per_candidate(design: BloomDesign, n_many: int, n_few: int, *, least: float, rounds: int) -> Bar:
    """Hash many candidates and few, decode the same reports with them, and compare the candidates a second."""
    strings = [f"v{number}" for number in range(n_many)]
    shares = zipf(N_TRUE)
    counts = collect(CandidateMap.of(strings[:N_TRUE], design), shares, N_REPORTS, CHROME, np.random.default_rng(1))
    truth = dict(zip(strings, shares.tolist(), strict=False))

    def per_second(n_candidates: int) -> float:
        return n_candidates / (ms(lambda: show(counts, CandidateMap.of(strings[:n_candidates], design), truth)) / 1000)

    return of_pairs(
        f"decoding {n_many:,} candidates, {design.n_bits} bits, {design.n_cohorts} cohorts",
        [(per_second(n_many), per_second(n_few)) for _ in range(rounds)],
        least=least,
        reference=f"{n_few:,} candidates",
    )


def show(counts: BitCounts, candidates: CandidateMap, truth: dict[str, float]) -> None:
    found = score(decode(counts, CHROME, candidates), truth)
    print(
        f"        {len(candidates.strings):,} candidates: {found.true_positives} true positives, "
        f"{found.false_positives} false, total variation {found.total_variation:.3f}",
        flush=True,
    )


def measure() -> list[Bar]:
    return [against_one_fit(), per_candidate(BloomDesign(128, 2, 64), N_MANY, N_FEW, least=2, rounds=N_ROUNDS)]


def measure_more() -> list[Bar]:
    """A million candidates: minutes."""
    return [per_candidate(BloomDesign(32, 2, 64), 10**6, 10**5, least=0.2, rounds=1)]
