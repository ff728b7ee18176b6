"""A bar: two things measured in turns in one run, and the median of their ratios. No figure is of another run."""

import math
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

N_ROUNDS = 7
PER_SECOND = "/s"
is_smallest = False
"""Whether this run only shows that the benchmarks work: each size the smallest, one round, no bar is missed."""


@dataclass(frozen=True)
class Bar:
    """How many times as good `ours` is as `theirs`, both in `unit`: it must be at least `least` times."""

    name: str
    ours: float
    theirs: float
    ratio: float
    least: float
    reference: str
    unit: str

    @property
    def is_cleared(self) -> bool:
        return self.ratio >= self.least

    @property
    def verdict(self) -> str:
        return "clears" if self.is_cleared else "MISSES"

    def say(self, figure: float) -> str:
        return f"{figure:,.0f}{self.unit}" if self.unit == PER_SECOND else f"{figure:,.1f} {self.unit}"

    def cells(self) -> list[str]:
        """Return it as a row of the summary."""
        figures = [self.say(self.ours), self.say(self.theirs), f"{self.ratio:.2f} x", f"{self.least:g} x"]
        return [self.verdict, self.name, *figures, self.reference]


def compare(
    name: str,
    ours: Callable[[], float],
    theirs: Callable[[], float],
    *,
    least: float,
    reference: str,
    unit: str = PER_SECOND,
    rounds: int = N_ROUNDS,
) -> Bar:
    """Measure both in turns, so that what else the machine does hits both; print and return the bar.

    Of rates per second more is better, of any other unit less.
    """
    pairs = [(ours(), theirs()) for _ in range(1 if is_smallest else rounds)]
    return of_pairs(name, pairs, least=least, reference=reference, unit=unit)


def of_pairs(
    name: str, pairs: list[tuple[float, float]], *, least: float, reference: str, unit: str = PER_SECOND
) -> Bar:
    """Print and return the bar of what was measured, ours and theirs, in turns."""
    ours, theirs = (statistics.median(side) for side in zip(*pairs, strict=True))
    ratio = statistics.median(
        mine / other if unit == PER_SECOND else other / mine if mine else math.inf for mine, other in pairs
    )
    bar = Bar(name, ours, theirs, ratio, least, reference, unit)
    verdict, _, mine, other, times, wanted, _ = bar.cells()
    print(f"{verdict}  {name}: {times} (bar {wanted})   ours {mine}, {reference} {other}", flush=True)
    return bar


def rate(work: Callable[[], object], n_items: int, at_least_s: float = 0.1) -> float:
    """Return items per second of `work`, which handles n_items, repeated for at least some time."""
    started = time.perf_counter()
    n_runs = 0
    while (elapsed := time.perf_counter() - started) < at_least_s * (not is_smallest) or not n_runs:
        work()
        n_runs += 1
    return n_items * n_runs / elapsed
