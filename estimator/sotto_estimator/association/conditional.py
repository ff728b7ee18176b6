"""Conditional shares of items that were asked together, and their differences: with intervals that are guaranteed.

Of people who answer B, the share who answer A is u / (u + v), of the share u who answer both and v who answer B and
not A. Both are shares of combinations. Their intervals hold together where each may miss by half as much.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray

from sotto_estimator.association.axes import ItemAxis
from sotto_estimator.channel.sums import SumGroup
from sotto_estimator.intervals.intervals import check_level
from sotto_estimator.intervals.sums import sum_bounds
from sotto_protocol.mechanisms.mechanism import Bytes, ChoiceMechanism

_MOST = 400
"""So many conditional shares are worked out at the most."""


@dataclass(frozen=True, slots=True)
class ConditionalShare:
    """Of those who answer `given` to one item, the share who answer `answer` to the other.

    `less`: where it is no share but a difference, the answer of those whose share is taken away; else "". [low, high]
    holds with the association's level, for any number of reports and any shares. `share`: of the joint table's fit;
    None where the table has nobody who answers `given`.
    """

    question: str
    answer: str
    of: str
    given: str
    less: str
    share: float | None
    low: float
    high: float


def conditional_shares(
    items: Sequence[ItemAxis], reports: Bytes, counts: NDArray[np.int64], cells: NDArray[np.float64], level: float
) -> tuple[ConditionalShare, ...]:
    """Return those of two items of one joint question, either by the other; then differences between two answers.

    `cells`: the fitted joint shares, shape as the items' labels. None of a mechanism that does not tell, or of very
    many answers.
    """
    one, other = items
    mechanism = cast(ChoiceMechanism, one.question.mechanism)
    if mechanism.union_chances(1) is None or 2 * cells.size > _MOST:
        return ()
    known = _Unions(items, np.asarray(counts @ mechanism.supports(reports)), int(counts.sum()), level)
    found = []
    for first, second, table in ((one, other, cells), (other, one, cells.T)):
        is_turned = first is other
        shares = [
            [known.share(i, j, table, 2, is_turned=is_turned) for j in range(len(second.labels))]
            for i in range(_n_told(first))
        ]
        for i, row in enumerate(shares):
            for j, (share, low, high) in enumerate(row):
                found.append(_named(first, second, i, j, "", share, low, high))
        if len(second.labels) == 2:
            for i in range(_n_told(first)):
                (left, low, high), (right, less_low, less_high) = (
                    known.share(i, j, table, 4, is_turned=is_turned) for j in range(2)
                )
                share = None if left is None or right is None else left - right
                ends = max(low - less_high, -1.0), min(high - less_low, 1.0)
                found.append(_named(first, second, i, 0, second.labels[1], share, *ends))
    return tuple(found)


def _n_told(item: ItemAxis) -> int:
    """Return of how many answers shares are told: of two, the other is what is left."""
    return len(item.labels) if len(item.labels) > 2 else 1


def _named(
    first: ItemAxis, second: ItemAxis, i: int, j: int, less: str, share: float | None, low: float, high: float
) -> ConditionalShare:
    return ConditionalShare(first.name, first.labels[i], second.name, second.labels[j], less, share, low, high)


class _Unions:
    """The intervals of combinations' shares, of counts of n reports."""

    def __init__(self, items: Sequence[ItemAxis], counts: NDArray[np.int64], n: int, level: float) -> None:
        self._fold = items[0].fold_with(items[1:])
        self._shape = [len(item.labels) for item in items]
        self._mechanism = cast(ChoiceMechanism, items[0].question.mechanism)
        self._counts, self._n, self._level = counts, n, level

    def share(
        self, i: int, j: int, table: NDArray[np.float64], n_intervals: int, *, is_turned: bool
    ) -> tuple[float | None, float, float]:
        """Return the share of row i in column j, and its ends; `n_intervals`: so many hold together."""
        rows = [row for row in range(len(table)) if row != i]
        low, high = self._ends([(i, j)], n_intervals, is_turned=is_turned)
        rest_low, rest_high = self._ends([(row, j) for row in rows], n_intervals, is_turned=is_turned)
        column = float(table[:, j].sum())
        share = float(table[i, j]) / column if column > 0 else None
        least = low / (low + rest_high) if low > 0 else 0.0
        most = high / (high + rest_low) if rest_low > 0 else 1.0
        return share, least, most

    def _ends(self, cells: Sequence[tuple[int, int]], n_intervals: int, *, is_turned: bool) -> tuple[float, float]:
        """Return the interval of the share of some cells together."""
        places = [np.ravel_multi_index(cell[::-1] if is_turned else cell, self._shape) for cell in cells]
        has = self._fold[:, places].any(axis=1)
        if_true, if_other = self._mechanism.union_chances(int(has.sum())) or (np.ones(1), np.ones(1))
        tail = check_level(self._level, n_intervals) / 2
        low, high = sum_bounds(
            float(self._counts[has].sum()), [SumGroup(self._n, 1, if_true, if_other)], "population", tail
        )
        return min(max(low, 0.0), 1.0), min(max(high, 0.0), 1.0)
