"""A bar: two things measured in turns in one run, and the median of their ratios."""

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

N_ROUNDS = 7


@dataclass(frozen=True)
class Bar:
    """`ours` over `theirs`, both rates per second, must be at least `least`."""

    name: str
    ours: float
    theirs: float
    ratio: float
    least: float
    reference: str

    def line(self) -> str:
        verdict = "clears" if self.ratio >= self.least else "MISSES"
        return (
            f"{verdict}  {self.name}: {self.ratio:.2f} x (bar {self.least:g} x)   "
            f"ours {self.ours:,.0f}/s, {self.reference} {self.theirs:,.0f}/s"
        )


def compare(
    name: str,
    ours: Callable[[], float],
    theirs: Callable[[], float],
    *,
    least: float,
    reference: str,
    rounds: int = N_ROUNDS,
) -> Bar:
    """Measure both rates in turns, so that what else the machine does hits both; print and return the bar."""
    pairs = [(ours(), theirs()) for _ in range(rounds)]
    medians = [statistics.median(side) for side in zip(*pairs, strict=True)]
    ratio = statistics.median(mine / other for mine, other in pairs)
    bar = Bar(name, medians[0], medians[1], ratio, least, reference)
    print(bar.line(), flush=True)
    return bar


def at_least(name: str, ours: float, floor: float) -> Bar:
    """Print and return a bar that is a rate itself, on a machine that does nothing else."""
    bar = Bar(name, ours, floor, ours / floor, 1, "floor")
    print(bar.line(), flush=True)
    return bar


def rate(work: Callable[[], object], n_items: int, at_least_s: float = 0.1) -> float:
    """Return items per second of `work`, which handles n_items, repeated for at least some time."""
    started = time.perf_counter()
    n_runs = 0
    while (elapsed := time.perf_counter() - started) < at_least_s or not n_runs:
        work()
        n_runs += 1
    return n_items * n_runs / elapsed
