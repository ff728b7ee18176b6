"""Text by a sketch, beside RAPPOR's own decoder: how far off the shares of common strings are, and what decoding takes.

A million people, a thousand strings by Zipf's law: the mean squared error of the 50 commonest strings' shares.
"""

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

import numpy as np
from bars import Bar, of_pairs

from sotto_estimator.strings.candidates import CandidateMap
from sotto_estimator.strings.decode import Decoded, decode
from sotto_estimator.strings.question import bit_rates
from sotto_estimator.strings.sketch import decode_sketch
from sotto_protocol.mechanisms.bloom.design import BloomShape, bloom
from sotto_protocol.mechanisms.sketch.design import sketch
from sotto_protocol.mechanisms.sketch.response import SketchResponse
from sotto_protocol.mechanisms.thresholds import Stages

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "support"))
from rappor_cases import collect  # the path comes first
from sketch_crowds import collect_sketch, zipf

N_REPORTS, N_STRINGS, N_COMMON = 10**6, 1000, 50
RAPPOR = BloomShape(128, 2, 64)
SHARES = zipf(N_STRINGS)
MOST_FALSE, MOST_S = 0.05, 60.0
CROWDS, N_CROWDS_OF_FALSE = (("1", 6), ("2", 2), ("4", 1)), 12
"""By epsilon, how many crowds RAPPOR's error is measured of; and how many false ones are."""
BARS = {"1": (2.0, 1.7), "2": (2.5, 2.5), "4": (4.0, 4.0)}
"""By epsilon: how many times RAPPOR's error is that of a sketch, at least; as it prints shares, and with --all."""


@dataclass(frozen=True)
class Errors:
    """Of one crowd: a sketch's error with --all, RAPPOR's error of what it prints, and with --all."""

    ours: float
    printed: float
    of_all: float


def texts_of(seed: int) -> list[str]:
    return [f"{seed}: {number}" for number in range(N_STRINGS)]


def squared_error(decoded: Decoded, texts: Sequence[str], *, with_others: bool) -> float:
    """Return the error of common strings; those that were not found count as none, unless others' shares are asked."""
    others = {row.string: row.share or 0.0 for row in decoded.undetected or ()} if with_others else {}
    found = {row.string: row.share for row in decoded.rows}
    shares = [found.get(text, others.get(text, 0.0)) for text in texts[:N_COMMON]]
    return float(np.square(np.array(shares) - SHARES[:N_COMMON]).mean())


def measure_crowd(epsilon: str, seed: int) -> Errors:
    generator, texts = np.random.default_rng(seed), texts_of(seed)
    filters = bloom(RAPPOR, Stages.of_epsilons(RAPPOR.n_differences, Decimal(epsilon)))
    mapped, rates = CandidateMap.of(texts, filters.design), bit_rates(filters)
    by_rappor = decode(collect(mapped, SHARES, N_REPORTS, rates, generator), rates, mapped, keep_all=True)
    found = decode_sketch(*of_sketch(epsilon, texts, generator), texts, keep_all=True)
    return Errors(
        squared_error(found, texts, with_others=True),
        squared_error(by_rappor, texts, with_others=False),
        squared_error(by_rappor, texts, with_others=True),
    )


def of_sketch(epsilon: str, texts: Sequence[str], generator: np.random.Generator) -> tuple[SketchResponse, np.ndarray]:
    """Return a sketch, and the counts of a crowd by it."""
    made = sketch(Decimal(epsilon))
    return made, collect_sketch(made, dict(zip(texts, SHARES.tolist(), strict=True)), N_REPORTS, generator)


def against_rappor(epsilon: str, n_crowds: int) -> list[Bar]:
    errors = [measure_crowd(epsilon, seed) for seed in range(n_crowds)]
    ours, printed, of_all = (
        1e6 * float(np.mean([getattr(each, name) for each in errors])) for name in ("ours", "printed", "of_all")
    )
    least_printed, least_of_all = BARS[epsilon]
    what, unit = f"squared error of a sketch's shares, epsilon {epsilon}", "1e-6"
    return [
        of_pairs(what, [(ours, printed)], least=least_printed, reference="what RAPPOR's decoder prints", unit=unit),
        of_pairs(what, [(ours, of_all)], least=least_of_all, reference="RAPPOR's decoder with --all", unit=unit),
    ]


def of_false_ones(epsilon: str) -> Bar:
    """Half of the candidates are nobody's."""
    n_found = n_false = 0
    for seed in range(N_CROWDS_OF_FALSE):
        texts, nobodys = texts_of(seed), [f"{seed}, nobody: {number}" for number in range(N_STRINGS)]
        counted = of_sketch(epsilon, texts, np.random.default_rng(seed))
        found = {row.string for row in decode_sketch(*counted, texts + nobodys).rows}
        n_found += len(found)
        n_false += len(found & {*nobodys})
    return of_pairs(
        f"false ones of {n_found} strings found in sketches, epsilon {epsilon}",
        [(100 * max(n_false / n_found, 1e-3), 100 * MOST_FALSE)],
        least=1,
        reference="the rate asked for",
        unit="%",
    )


def measure() -> list[Bar]:
    errors = [bar for epsilon, n_crowds in CROWDS for bar in against_rappor(epsilon, n_crowds)]
    return [*errors, *(of_false_ones(epsilon) for epsilon in BARS)]


def measure_more() -> list[Bar]:
    """More crowds, and a million candidates in 1,024 cohorts: minutes."""
    made = sketch(Decimal(2), 1024)
    texts = texts_of(0)
    counts = collect_sketch(made, dict(zip(texts, SHARES.tolist(), strict=True)), N_REPORTS, np.random.default_rng(0))
    candidates = texts + [f"nobody: {number}" for number in range(10**6 - N_STRINGS)]
    started = time.process_time()
    decode_sketch(made, counts, candidates)
    taken = time.process_time() - started
    million = of_pairs(
        "decoding 1,000,000 candidates of a sketch", [(taken, MOST_S)], least=1, reference="a minute", unit="s"
    )
    crowds = (("1", 30), ("2", 10), ("4", 5))
    return [million, *(bar for epsilon, n_crowds in crowds for bar in against_rappor(epsilon, n_crowds))]
