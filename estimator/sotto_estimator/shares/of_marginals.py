"""Shares of an item that is asked together with others: of all combinations that have an answer, taken together."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, cast

import numpy as np

from sotto_estimator.channel.channel import Channel, Target
from sotto_estimator.channel.devices import Devices
from sotto_estimator.channel.sums import SumGroup, merged, sum_error, sum_share, sum_shifts
from sotto_estimator.inference.marginal import Marginal, counted_of
from sotto_estimator.inference.unions import groups_of, union_channel
from sotto_estimator.intervals.contradiction import QuestionCounts
from sotto_estimator.intervals.exact_sums import exact_bounds
from sotto_estimator.intervals.intervals import IntervalOptions, check_level, share_bounds
from sotto_estimator.intervals.sums import sum_bounds
from sotto_estimator.shares.consistent import clipped_shares, projected_shares
from sotto_estimator.shares.estimates import Estimate
from sotto_estimator.shares.share_counts import ShareCounts
from sotto_protocol import Question, Tally
from sotto_protocol.mechanisms.mechanism import ChoiceMechanism

_OF_BOUNDED = ("hoeffding", "anytime")
"""Methods that hold of any numbers from 0 to 1 as they do of counts: by Hoeffding's (1963) convexity."""


class SummedShare(Estimate):
    """The share of an answer to an item, by a sum of counts that one report can support several of."""

    __slots__ = ()
    interval: ClassVar = "Chernoff bound of sums of counts"


class ExactShare(Estimate):
    """The same by the exact distribution of the sum."""

    __slots__ = ()
    interval: ClassVar = "exact method (Clopper-Pearson) for sums of counts"


class BoundedShare(Estimate):
    """The same by a method of single counts, which holds of sums too."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Summed:
    """One answer: its sum over all reports, of which groups of devices, and how many of its combinations they name.

    `is_once`: whether every device has sent one report.
    """

    total: float
    n_named: int
    groups: tuple[SumGroup, ...]
    is_once: bool


@dataclass(frozen=True, slots=True)
class MarginalCounts:
    """What an item's shares are estimated of: `FigureCounts`. Its combinations' counts are held against the design."""

    question: str
    labels: tuple[str, ...]
    sums: tuple[Summed, ...]
    epsilon: float
    n_reports: int
    devices: Devices

    @property
    def n_figures(self) -> int:
        """How many shares there are."""
        return len(self.labels)

    @property
    def sample(self) -> QuestionCounts:
        """Nothing: its combinations are held against the design."""
        return QuestionCounts(self.question, (), (), Channel(1, 0))


def marginal_counts(tally: Tally, question: Question) -> list[ShareCounts] | list[MarginalCounts]:
    """Return the counts of an item of joint questions.

    By k-ary a report names one combination, and so one answer: they are counts as of any question. Else, and where
    several joint questions have the item, each report adds what it names.
    """
    marginal = cast(Marginal, question)
    counted = counted_of(tally, marginal)
    devices, epsilon = Devices.of(counted, tally.survey.max_reports), float(marginal.epsilon)
    (joint, place), *others = marginal.places
    if not others and cast(ChoiceMechanism, joint.mechanism).names_one:
        cells = marginal.cells(joint, place)
        counts = [int(tally.support_counts[joint.id][of].sum()) for of in cells]
        channels = {union_channel(joint, len(of)) for of in cells}
        return [
            ShareCounts(
                marginal.id,
                marginal.labels,
                counts,
                channels.pop(),
                epsilon,
                len(marginal.labels) > 1,
                counted.n_reports,
                devices,
                is_derived=True,
            )
        ]
    sums = [_summed(tally, marginal, number) for number in range(len(marginal.labels))]
    return [MarginalCounts(marginal.id, marginal.labels, tuple(sums), epsilon, counted.n_reports, devices)]


def _summed(tally: Tally, marginal: Marginal, number: int) -> Summed:
    """Return the sum of one answer over all joint questions that have it, each weighted by what it tells."""
    total, n_named, groups, most_waves = 0.0, 0, list[SumGroup](), 1
    for (joint, place), of_one in zip(marginal.places, groups_of(marginal, number), strict=True):
        counted = tally.counted(joint.id)
        if not counted.n_reports:
            continue
        named = int(tally.support_counts[joint.id][marginal.cells(joint, place)[number]].sum())
        total, n_named = total + of_one.factor * named, n_named + named
        n_waves = Devices.of(counted, tally.survey.max_reports).n_waves
        most_waves = max(most_waves, n_waves)
        groups.append(replace(of_one, number=counted.n_reports / n_waves, factor=of_one.factor * n_waves))
    return Summed(total, n_named, tuple(merged(groups)), most_waves == 1)


def marginal_estimates(counts: MarginalCounts, options: IntervalOptions, n_intervals: int) -> list[Estimate]:
    """Return the share of every answer to an item."""
    shares = [sum_share(of.total, of.groups) for of in counts.sums]
    errors = [sum_error(share, of.groups, options.about) for share, of in zip(shares, counts.sums, strict=True)]
    if not options.consistent:
        consistent: Sequence[tuple[float | None, float | None]] = [(None, None)] * len(shares)
    elif len(shares) == 1:
        consistent = clipped_shares(np.array(shares), np.array(errors))
    else:
        consistent = projected_shares(np.array(shares), None, counts.n_reports, options.about)
    return [
        _estimate(counts, place, (share, error), of_consistent, options, n_intervals)
        for place, (share, error, of_consistent) in enumerate(zip(shares, errors, consistent, strict=True))
    ]


def _estimate(
    counts: MarginalCounts,
    place: int,
    found: tuple[float, float],
    consistent: tuple[float | None, float | None],
    options: IntervalOptions,
    n_intervals: int,
) -> Estimate:
    of, label = counts.sums[place], counts.labels[place]
    kind, (low, high) = _bounds(of, options, n_intervals)
    clipped = (min(max(end, 0.0), 1.0) for end in (low, high))
    numbers = (*found, *clipped, *sum_shifts(found[0], of.groups))
    about = counts.question, label, counts.n_reports, of.n_named, counts.epsilon
    return kind(*about, *numbers, *consistent, low > 1 or high < 0)  # type: ignore[arg-type, call-arg]  # by place


def marginal_bounds(of: Summed, options: IntervalOptions, n_intervals: int) -> tuple[float, float]:
    """Return the ends of one answer's interval; beyond [0, 1] where no share fits."""
    return _bounds(of, options, n_intervals)[1]


def _bounds(of: Summed, options: IntervalOptions, n_intervals: int) -> tuple[type[Estimate], tuple[float, float]]:
    """Return them by the method that is asked for if it knows sums, else by Chernoff's bound; and by which."""
    tail, of_sum = check_level(options.level, n_intervals) / 2, (of.total, of.groups)
    if options.method in _OF_BOUNDED:
        return BoundedShare, _scaled_bounds(of, options, n_intervals)
    exact = exact_bounds(*of_sum, options.method, options.about, tail) if of.is_once else None
    return (ExactShare, exact) if exact else (SummedShare, sum_bounds(*of_sum, options.about, tail))


def _scaled_bounds(of: Summed, options: IntervalOptions, n_intervals: int) -> tuple[float, float]:
    """Return the ends by a method of counts, of what reports add as parts of the most that one can add."""
    number = sum(group.number for group in of.groups)
    most = max(group.most for group in of.groups)
    means = np.array([group.means for group in of.groups]) * np.array([[group.number] for group in of.groups])
    true, other = (means.sum(axis=0) / number / most).tolist()
    target: Target = "population"
    low, high = share_bounds(
        of.total / most,
        number,
        Channel(min(true, 1.0), other),
        level=options.level,
        method=options.method,
        target=target,
        n_intervals=n_intervals,
    )
    return float(low), float(high)
