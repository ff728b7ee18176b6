"""Decoding strings, against google/rappor's decoder in R, and the realised false discoveries and coverage."""

import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sotto_estimator.strings.candidates import CandidateMap
from sotto_estimator.strings.counts import BitRates
from sotto_estimator.strings.decode import Decoded, decode
from sotto_protocol.mechanisms.bloom.hash import BloomDesign

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "support"))
from rappor_cases import Setting, collect, read_case, score, zipf  # the path comes first

R_SECONDS = {"chrome8-100k-1000": 8.112, "r-exp-small-typical": 0.427, "r-unif-small-sharp": 0.494}
"""google/rappor's regtest cases, decoded by its R code: `decode_s` of eval.json, measured once, on two cores."""
TIMES_FASTER = 20
N_ROUNDS = 15
N_COLLECTIONS = 40
HIGH_NOISE = BitRates.from_rappor(0.45, 0.39, 0.61)
CHROME = BitRates.from_rappor(0.5, 0.25, 0.75)
SETTINGS = {
    "1 M reports, 8 bits, 128 cohorts, 100 false": Setting(10**6, BloomDesign(8, 2, 128), HIGH_NOISE, n_extra=100),
    "1 M reports, 8 bits, 128 cohorts, 1000 false": Setting(10**6, BloomDesign(8, 2, 128), HIGH_NOISE, n_extra=1000),
    "1 M reports, 32 bits, 64 cohorts, 300 false": Setting(10**6, BloomDesign(32, 2, 64), CHROME, n_extra=300),
    "1 M reports, 32 bits, 16 cohorts, 300 false": Setting(10**6, BloomDesign(32, 2, 16), CHROME, n_extra=300),
}
MANY = {
    "15,000 candidates, 128 bits": (15_000, BloomDesign(128, 2, 64)),
    "10^6, 32 bits": (10**6, BloomDesign(32, 2, 64)),
}


@dataclass(frozen=True)
class Check:
    """One bar: `value` must be at most, or at least, `bar`."""

    name: str
    value: float
    bar: float
    at_most: bool = True

    def clears(self) -> bool:
        return self.value <= self.bar if self.at_most else self.value >= self.bar

    def print(self) -> None:
        verdict, sign = "clears" if self.clears() else "MISSES", "<=" if self.at_most else ">="
        print(f"{verdict}  {self.name}: {self.value:.4g} (bar {sign} {self.bar:.4g})", flush=True)


def against_r(name: str) -> list[Check]:
    case = read_case(name)
    candidates = CandidateMap.of(case.candidates, case.design, "google")
    decoded, seconds = timed(lambda: decode(case.counts, case.rates, candidates), N_ROUNDS)
    ours = score(decoded, case.truth)
    print(f"        {name}: {ours.true_positives} true positives, R {case.r['tp']:.0f}")
    return [
        Check(f"{name}: total variation", ours.total_variation, case.r["tv"]),
        Check(f"{name}: false positives", ours.false_positives, case.r["fp"]),
        Check(f"{name}: covered of those detected", ours.covered, 0.90, at_most=False),
        Check(f"{name}: times faster than R", R_SECONDS[name] / seconds, TIMES_FASTER, at_most=False),
    ]


def realised(name: str, setting: Setting) -> list[Check]:
    false, covered = [], []
    for seed in range(N_COLLECTIONS):
        counts, candidates, truth = setting.draw(seed)
        decoded = decode(counts, setting.rates, candidates)
        found = score(decoded, truth)
        false.append(found.false_positives / max(1, len(decoded.rows)))
        covered.append(found.covered)
    error = float(np.std(covered)) / N_COLLECTIONS**0.5
    return [
        Check(f"{name}: false discovery rate", float(np.mean(false)), 0.05),
        Check(f"{name}: coverage", float(np.mean(covered)), 0.95 - 2 * error, at_most=False),
    ]


def many_candidates(name: str, n_candidates: int, design: BloomDesign) -> None:
    strings = [f"v{number}" for number in range(n_candidates)]
    shares = zipf(100)
    counts = collect(CandidateMap.of(strings[:100], design), shares, 10**7, CHROME, np.random.default_rng(1))
    candidates = CandidateMap.of(strings, design)
    decoded, seconds = timed(lambda: decode(counts, CHROME, candidates), 1)
    ours = score(decoded, dict(zip(strings, shares.tolist(), strict=False)))
    print(
        f"        {name}: {seconds:.1f} s, {ours.true_positives} true and {ours.false_positives} false positives, "
        f"total variation {ours.total_variation:.3f}"
    )


def timed(work, n_rounds: int) -> tuple[Decoded, float]:
    """Return what is done, and the median seconds of some rounds."""
    seconds = []
    for _ in range(n_rounds):
        started = time.perf_counter()
        decoded = work()
        seconds.append(time.perf_counter() - started)
    return decoded, float(np.median(seconds))


if __name__ == "__main__":
    checks = [check for name in R_SECONDS for check in against_r(name)]
    checks += [check for name, setting in SETTINGS.items() for check in realised(name, setting)]
    for check in checks:
        check.print()
    for name, (n_candidates, design) in MANY.items():
        many_candidates(name, n_candidates, design)
    sys.exit(not all(check.clears() for check in checks))
