"""Sums over reports each of which adds 0, 1, 2 .. for a share of people: the unbiased share, and its error."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sotto_estimator.channel.channel import Floats, Target


@dataclass(frozen=True, slots=True, eq=False)
class SumGroup:
    """`number` devices that add `factor` times one of 0, 1, 2 .. each; `if_true`, `if_other`: its probabilities."""

    number: float
    factor: float
    if_true: Floats
    if_other: Floats

    @property
    def means(self) -> tuple[float, float]:
        """What a device adds on average, if its answer is one of the values, and if not."""
        values = self.factor * np.arange(len(self.if_true))
        return float(values @ self.if_true), float(values @ self.if_other)

    @property
    def most(self) -> float:
        """The most that a device adds."""
        return self.factor * (len(self.if_true) - 1)

    def mirrored(self) -> "SumGroup":
        """Return what is missing to the most: there who has none of the values is who had one."""
        return SumGroup(self.number, self.factor, self.if_other[::-1], self.if_true[::-1])


def merged(groups: Iterable[SumGroup]) -> list[SumGroup]:
    """Return groups of devices that add alike as one."""
    found = dict[tuple[bytes, bytes, float], SumGroup]()
    for group in groups:
        key = group.if_true.tobytes(), group.if_other.tobytes(), group.factor
        before = found[key].number if key in found else 0.0
        found[key] = replace(group, number=before + group.number)
    return [*found.values()]


def sum_share(total: float, groups: Sequence[SumGroup]) -> float:
    """Return the unbiased share."""
    return (total - _expected(groups, 0.0)) / _contrast(groups)


def sum_error(share: float, groups: Sequence[SumGroup], target: Target) -> float:
    """Return its standard error, if the true share were `share` moved into [0, 1]."""
    share = min(max(share, 0.0), 1.0)
    variance = 0.0
    for group in groups:
        values = group.factor * np.arange(len(group.if_true))
        (true, other), squares = group.means, values**2
        if_true, if_other = float(squares @ group.if_true) - true**2, float(squares @ group.if_other) - other**2
        each = share * if_true + (1 - share) * if_other
        if target == "population":
            each += share * (1 - share) * (true - other) ** 2
        variance += group.number * each
    return float(np.sqrt(max(variance, 0.0)) / _contrast(groups))


def sum_shifts(share: float, groups: Sequence[SumGroup]) -> tuple[float, float]:
    """Return how far 1 % of fake reports moves the share: all that add the most, all that add nothing."""
    expected, contrast = _expected(groups, share), _contrast(groups)
    top = sum(group.number * group.most for group in groups)
    return max((top - expected) / contrast, 0.0) / 100, min(-expected / contrast, 0.0) / 100


def _expected(groups: Sequence[SumGroup], share: float) -> float:
    return sum(of.number * (share * of.means[0] + (1 - share) * of.means[1]) for of in groups)


def _contrast(groups: Sequence[SumGroup]) -> float:
    return sum(group.number * (group.means[0] - group.means[1]) for group in groups)
