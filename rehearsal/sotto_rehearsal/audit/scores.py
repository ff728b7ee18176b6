"""The event that tells two answers apart best, as far as half of the reports show; the other half tests it.

A report's score is the sum of its features' log-ratios between the two answers. For coins that are flipped
independently its threshold events are the most powerful there are (Neyman & Pearson 1933), for others good ones; a
faulty program is scored by its own fault. Which event is tested does not depend on the reports that test it.
"""

import numpy as np
from numpy.typing import NDArray

from sotto_rehearsal.audit.bounds import Counts, Floats, epsilon_below

_N_THRESHOLDS = 64
_DECIMALS = 3  # scores that are the same up to rounding are the same
_TAIL = 1e-4
"""Of the limits by which a threshold is chosen: what half of the reports shows by chance is not worth choosing."""

Features = NDArray[np.float32]


def score_events(one: Features, other: Features) -> Counts:
    """Return the counts of two events: one that speaks for the first answer, then one that speaks for the other.

    Features of reports under either answer, shapes (n, n_features). Every second report chooses, the others are
    counted.
    """
    weights, offset = _fit(one[::2], other[::2])
    halves = (one[::2], other[::2], one[1::2], other[1::2])
    scores = [np.round(half.astype(np.float64) @ weights + offset, _DECIMALS) for half in halves]
    return Counts.join([_best(*scores), _best(*[-scores[index] for index in (1, 0, 3, 2)])])


def _fit(one: Features, other: Features) -> tuple[Floats, float]:
    """Return what a feature adds to the score, shape (n_features,), and the score of a report that has none."""
    rates = [(part.sum(axis=0, dtype=np.float64) + 0.5) / (len(part) + 1) for part in (one, other)]
    present, absent = np.log(rates[0] / rates[1]), np.log((1 - rates[0]) / (1 - rates[1]))
    return present - absent, float(absent.sum())


def _best(learnt: Floats, learnt_other: Floats, tested: Floats, tested_other: Floats) -> Counts:
    """Return the counts, among those that are tested, of scores at or above the threshold that is best in the rest."""
    seen = np.sort(np.concatenate([learnt, learnt_other]))
    thresholds = np.unique(seen[np.linspace(0, len(seen) - 1, _N_THRESHOLDS).astype(int)]) if len(seen) else [0.0]
    bounds = epsilon_below(_above(learnt, learnt_other, thresholds), _TAIL)
    return _above(tested, tested_other, [thresholds[int(np.argmax(bounds))]])


def _above(one: Floats, other: Floats, thresholds: Floats | list[float]) -> Counts:
    counts = [len(part) - np.searchsorted(np.sort(part), thresholds) for part in (one, other)]
    return Counts.of(counts[0], len(one), counts[1], len(other))
