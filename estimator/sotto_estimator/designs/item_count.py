"""Intervals of an item count: a difference of two means of bounded counts, by betting on both samples at once.

Notation: people of the short list count 0 .. J items, with mean a; those of the long one 0 .. J + 1, with mean b; the
share is d = b - a. A bet's capital is a product over people of 1 + h (y - m), of mean 1 at most if m is the mean
(Waudby-Smith & Ramdas 2024, `intervals.bounded_means`); so is the product of capitals of the two samples, which are
independent, and any mixture. Against a pair (a, b) a capital of 1 is divided: most of it bets that b is larger and a
smaller at once, the rest that a is larger, or that b is smaller. The pair is refuted if it becomes 1 / tail or more,
and d if all its pairs are. Each capital is monotone in its mean, so the corners of a cell of pairs bound it.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from sotto_estimator.channel.channel import Floats
from sotto_estimator.designs.design import Arm
from sotto_estimator.intervals.bounded_means import log_capital

ITEM_COUNT, BETS = "item-count", "chernoff"
"""The design, and the method that is by bets here, as of other means."""
NO_EXACT = (
    "item-count has no exact tails: they depend on the whole distribution of the other items. Use chernoff, which is "
    "guaranteed too, by bets on both mean counts."
)
_DEVIATIONS = np.geomspace(0.06, 0.5, 5)
"""Of counts as parts of the list: bets for each; they decide how wide intervals are, and nothing else."""
_TOGETHER, _ALONE = 0.9, 0.05
_N_CELLS, _N_NEAR, _NEAR = 60, 300, 6.0
"""Cells of the short list's mean: over all of it, and within so many standard deviations of what came."""
_N_STEPS, _N_ROUNDS = 6, 7
"""Cells of d, and how often the first that is not refuted is divided."""
_BEYOND = 1 + 1e-9
"""Where an end stands if every share is refuted."""


def is_item_count(arms: Sequence[Arm]) -> bool:
    """Whether there are two samples, of a short and of a long list."""
    lengths = {len(arm.counts) for arm in arms}
    return len(arms) == 2 and {arm.design.name for arm in arms} == {ITEM_COUNT} and max(lengths) - min(lengths) == 1


def betting_interval(arms: Sequence[Arm], tail: float) -> tuple[float, float]:
    """Return the ends of the share, each wrong with probability `tail` at most, for every n; in [0, 1].

    Where no share is possible they cross.
    """
    short, long = sorted((arm.counts for arm in arms), key=len)
    low = _lowest(short, long, tail)
    # The others' share is 1 - d: people without the trait, if all items are counted that are not true.
    high = 1 - _lowest(short[::-1], long[::-1], tail)
    return low, high


def _lowest(short: Floats, long: Floats, tail: float) -> float:
    """Return the largest d up to which all are refuted; 0 where none is."""
    edges = _edges(short)

    def first_open(low: float, high: float, rounds: int) -> float | None:
        """Return where the first d is that is not refuted, to a cell of the last round; None where all are."""
        steps = np.linspace(low, high, _N_STEPS + 1).tolist()
        for cell in pairwise(steps):
            if _refutes(short, long, edges, *cell, tail):
                continue
            found = first_open(*cell, rounds - 1) if rounds > 1 else cell[0]
            if found is not None:
                return found
        return None

    found = first_open(0.0, 1.0, _N_ROUNDS)
    return _BEYOND if found is None else found


def _edges(short: Floats) -> Floats:
    """Return the edges of the cells of a, in items."""
    n_items, n = len(short) - 1, short.sum()
    counts = np.arange(len(short))
    mean = float(short @ counts / n)
    spread = _NEAR * max(float(np.sqrt(short @ (counts - mean) ** 2)), 1) / n
    near = np.linspace(mean - spread, mean + spread, _N_NEAR + 1).clip(0, n_items)
    return np.unique(np.concatenate([np.linspace(0, n_items, _N_CELLS + 1), near]))


def _refutes(short: Floats, long: Floats, edges: Floats, d_low: float, d_high: float, tail: float) -> bool:
    """Whether every d between two is refuted, with every a."""
    least, most = edges[:-1], edges[1:]
    together = _log_capital(long, most + d_high, tail**0.5) + _log_capital(
        short[::-1], len(short) - 1 - least, tail**0.5
    )
    larger = _log_capital(short, most, tail * _ALONE)
    smaller = _log_capital(long[::-1], len(long) - 1 - (least + d_low), tail * _ALONE)
    logs = np.stack([together + np.log(_TOGETHER), larger + np.log(_ALONE), smaller + np.log(_ALONE)])
    return bool((np.logaddexp.reduce(logs, axis=0) >= -np.log(tail) * (1 + 1e-9)).all())


def _log_capital(counts: Floats, means: Floats, tail: float) -> Floats:
    """Return the logarithm of what bets that the mean is larger make of 1, by the mean in items; shape of means."""
    n_items = len(counts) - 1
    n = counts.sum()
    bets = np.sqrt(2 * (-np.log(tail) + np.log(len(_DEVIATIONS)) / 2) / n) / _DEVIATIONS
    scaled = (means / n_items).clip(1e-9, 1 - 1e-9)
    rows = (len(scaled), 1)
    return log_capital(np.tile(counts, rows), np.arange(n_items + 1) / n_items, scaled, np.tile(bets, rows))
