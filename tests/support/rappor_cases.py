"""Collections of strings to decode: google/rappor's regression cases, and simulated ones with their truth."""

import csv
import json
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sotto_estimator.strings.candidates import CandidateMap
from sotto_estimator.strings.counts import BitCounts, BitRates
from sotto_estimator.strings.decode import Decoded
from sotto_protocol.mechanisms.bloom.hash import BloomDesign, bloom_map

DATA = Path(__file__).parents[1] / "data/rappor"
CASES = ("chrome8-100k-1000", "r-exp-small-typical", "r-unif-small-sharp")


@dataclass(frozen=True)
class Case:
    """What a decoder is given, what the truth is, and what R found."""

    design: BloomDesign
    rates: BitRates
    counts: BitCounts
    candidates: tuple[str, ...]
    truth: dict[str, float]
    r: dict[str, float]


@dataclass(frozen=True)
class Score:
    """By the definitions of google/rappor's tests: `covered` of the detected, false ones included."""

    true_positives: int
    false_positives: int
    total_variation: float
    covered: float


def read_case(name: str) -> Case:
    folder = DATA / name
    spec = json.loads((folder / "spec.json").read_text())
    with (folder / "hist.csv").open() as file:
        tally = {row["string"]: int(row["count"]) for row in csv.DictReader(file)}
    total = sum(tally.values())
    true_strings = [f"v{number}" for number in range(1, spec["u"] + 1)]
    listed = [text for text in true_strings if not re.search(spec["rm"], text)]
    extra = [f"v{number}" for number in range(spec["u"] + 1, spec["u"] + spec["extra"] + 1)]
    return Case(
        BloomDesign(spec["k"], spec["h"], spec["m"]),
        BitRates.from_rappor(spec["f"], spec["p"], spec["q"]),
        BitCounts.from_support(np.loadtxt(folder / "counts.csv", np.int64, delimiter=",")),
        (*listed, *extra),
        {text: count / total for text, count in tally.items()},
        json.loads((folder / "r/eval.json").read_text()),
    )


def score(decoded: Decoded, truth: dict[str, float]) -> Score:
    found = {row.string: row.share for row in decoded.rows}
    gaps = [abs(truth.get(text, 0) - found.get(text, 0)) for text in truth.keys() | found.keys()]
    hits = [row.low <= truth.get(row.string, 0) <= row.high for row in decoded.rows]
    n_true = sum(truth.get(text, 0) > 0 for text in found)
    return Score(n_true, len(found) - n_true, sum(gaps) / 2, float(np.mean(hits)) if hits else 1.0)


def bits_set(candidates: CandidateMap) -> np.ndarray:
    """Return which bits each string sets, shape (n_strings, n_cohorts, n_bits)."""
    numbers = candidates.bits(0, len(candidates.strings)).astype(np.int64)
    design = candidates.design
    out = np.zeros((numbers.shape[0], design.n_cohorts, design.n_bits), np.int64)
    for number in range(design.n_hashes):
        np.put_along_axis(out, numbers[:, :, number : number + 1], 1, 2)
    return out


def collect(
    strings: CandidateMap, shares: np.ndarray, n_reports: int, rates: BitRates, generator: np.random.Generator
) -> BitCounts:
    """Draw counts as devices would: strings by cohort, then bits, which are independent given the string."""
    n_cohorts = strings.design.n_cohorts
    totals = generator.multinomial(n_reports, np.full(n_cohorts, 1 / n_cohorts))
    holders = np.stack([generator.multinomial(total, shares) for total in totals])
    ones = np.einsum("cs,scb->cb", holders, bits_set(strings))
    zeros = totals[:, None] - ones
    return BitCounts(totals, generator.binomial(ones, rates.if_true) + generator.binomial(zeros, rates.if_other))


def zipf(n: int, exponent: float = 1.1) -> np.ndarray:
    weights = np.arange(1, n + 1) ** -exponent
    return weights / weights.sum()


@dataclass(frozen=True)
class Setting:
    """A simulated collection: `n_true` strings at Zipf 1.1, of which some are missing from the candidates.

    `listed`: the numbers of those that are candidates, the commonest is 0; () leaves out `n_missing` at random.
    """

    n_reports: int
    design: BloomDesign
    rates: BitRates
    n_extra: int
    n_missing: int = 10
    n_true: int = 100
    listed: tuple[int, ...] = ()

    def shares(self) -> np.ndarray:
        return zipf(self.n_true)

    def draw(self, seed: int) -> tuple[BitCounts, CandidateMap, dict[str, float]]:
        """Return counts, candidates and truth: other strings, and others missing, for each seed."""
        generator = np.random.default_rng([11, seed])
        names = [f"{seed}-{number}" for number in range(self.n_true)]
        missing = set(generator.choice(self.n_true, self.n_missing, replace=False).tolist())
        missing = set(range(self.n_true)) - set(self.listed) if self.listed else missing
        shares = self.shares()
        bits = bloom_map(self.design, [name.encode() for name in names])
        counts = collect(CandidateMap.given(names, self.design, bits), shares, self.n_reports, self.rates, generator)
        listed = [name for number, name in enumerate(names) if number not in missing]
        listed += [f"{seed}-false-{number}" for number in range(self.n_extra)]
        return counts, CandidateMap.of(listed, self.design), dict(zip(names, shares.tolist(), strict=True))


@dataclass(frozen=True)
class HalfUnlisted(Setting):
    """Half of the people give one string that nobody listed, the others as many strings as there are."""

    def shares(self) -> np.ndarray:
        return np.append(0.5, np.full(self.n_true - 1, 0.5 / (self.n_true - 1)))


@dataclass(frozen=True)
class Geometric(Setting):
    """Each string is as common as four fifths of the one before."""

    def shares(self) -> np.ndarray:
        weights = 0.8 ** np.arange(self.n_true)
        return weights / weights.sum()
