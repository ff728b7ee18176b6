"""One side of a comparison: a share, or a mean, of one group, with its interval at any level."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal

from sotto_estimator.channel.channel import Target, errors_of
from sotto_estimator.channel.devices import Devices
from sotto_estimator.channel.sums import sum_error, sum_share
from sotto_estimator.comparing.group import Group
from sotto_estimator.designs.design import Arm
from sotto_estimator.inference.marginal import estimated_of
from sotto_estimator.inference.registry import FIGURES, channel_of, figure_of, find, is_text, loaded
from sotto_estimator.intervals.intervals import IntervalOptions, share_bounds
from sotto_estimator.shares.of_arms import estimate_arms
from sotto_estimator.shares.of_marginals import MarginalCounts, Summed, marginal_bounds, marginal_counts
from sotto_estimator.shares.share_counts import ShareCounts
from sotto_protocol import Question, Tally
from sotto_protocol.counted import Counted

People = Literal["other", "same"]
"""Whom two groups are of: other people, or maybe the same ones, or their devices."""

Bounds = Callable[[float], tuple[float, float]]


@dataclass(frozen=True, slots=True, eq=False)
class GroupEstimate:
    """What is known of one group's share of an answer, or mean: then `answer` is "", and `unit` is the numbers'.

    `bounds(level)`: an interval that holds with this probability. `error_at(share)`: the standard error if that were
    the share. `group`: the counts, where the reports are independent and went through one channel.
    `of_asked`: whether not every respondent is asked this: then respondents are those who were asked.
    """

    question: str
    answer: str
    n: int
    epsilon: float
    estimate: float
    bounds: Bounds
    error_at: Callable[[float], float]
    group: Group | None = None
    unit: str | None = None
    of_asked: bool = False

    @property
    def standard_error(self) -> float:
        """The estimated standard error."""
        return self.error_at(self.estimate)


def side_of_group(
    group: Group, epsilon: float, target: Target, question: str = "", answer: str = "yes"
) -> GroupEstimate:
    """Return the side of independent reports."""
    return _of_devices(group, Devices.alike(group.n, 1), epsilon, target, question, answer)


def sides_of_tally(tally: Tally, target: Target) -> list[GroupEstimate]:
    """Return a side of every share and every mean that has reports. Texts have none: their shares are decoded."""
    found: list[GroupEstimate] = []
    for question in estimated_of(tally.survey):
        if not is_text(question):
            of_asked = bool(tally.survey.draw) or question.mechanism.asks_some
            found += [replace(one, of_asked=of_asked) for one in find(question, "groups")(tally, question, target)]
    return found


def sides_of_arms(arms: Sequence[Arm], target: Target, question: str = "") -> list[GroupEstimate]:
    """Return a side of every answer that people were asked for by designs; of two answers of the first."""
    if len(arms) == 1 and arms[0].design.is_binary:
        (arm,), design = arms, arms[0].design
        counts = [round(count) for count in arm.counts]
        group = Group(counts[int(design.is_opposite)], sum(counts), design.channel)
        return [side_of_group(group, design.epsilon, target, question, design.labels[0])]
    found = estimate_arms(arms, IntervalOptions(target=target), is_held=False).told_rows

    def side(at: int) -> GroupEstimate:
        row = found[at]

        def bounds(level: float) -> tuple[float, float]:
            narrow = estimate_arms(arms, IntervalOptions(level=level, target=target), is_held=False).told_rows[at]
            return narrow.low, narrow.high

        return GroupEstimate(
            question, row.answer, row.n_reports, row.epsilon, row.share, bounds, lambda _: row.standard_error or 0.0
        )

    return [side(at) for at in range(len(found))]


def people_of(tallies: Sequence[Tally]) -> People:
    """Return whom tallies are of: of one survey maybe the same people, unless they are of the same waves.

    Where a device is asked in one wave only, waves are of other people.
    """
    pairs = [(first, second) for first, second in combinations(tallies, 2) if first.waves != second.waves]
    is_same = any(
        first.survey.fingerprint == second.survey.fingerprint and first.survey.max_reports > 1
        for first, second in pairs
    )
    return "same" if is_same else "other"


def share_groups(tally: Tally, question: Question, target: Target) -> list[GroupEstimate]:
    """Return a side of every share that has reports."""
    counted, epsilon, channel = tally.counted(question.id), float(question.epsilon), channel_of(question)
    counts = tally.support_counts[question.id].tolist()
    if not question.mechanism.asks_some:
        counts = [(counted.n_reports, count) for count in counts]
    return [
        _of_devices(
            Group(count, n, channel),
            _devices(counted, n, tally.survey.max_reports),
            epsilon,
            target,
            question.id,
            label,
        )
        for label, (n, count) in zip(question.labels, counts, strict=True)
        if n
    ]


def _devices(counted: Counted, n: int, most: int) -> Devices:
    """Return those of n of the reports; of several waves it is not known of which these are."""
    return Devices.of(counted if n == counted.n_reports else Counted.unsplit(n, counted.waves), most)


def _of_devices(
    group: Group, devices: Devices, epsilon: float, target: Target, question: str, answer: str
) -> GroupEstimate:
    def bounds(level: float) -> tuple[float, float]:
        ends = share_bounds(
            group.support_count, group.n, group.channel, level=level, method="chernoff", target=target, devices=devices
        )
        low, high = (min(max(float(end), 0.0), 1.0) for end in ends)
        return low, high

    def error_at(share: float) -> float:
        return float(errors_of(share, group.n, group.channel, target, design_effect=devices.effect))

    is_simple = devices.n_waves == 1
    return GroupEstimate(
        question, answer, group.n, epsilon, group.share, bounds, error_at, group if is_simple else None
    )


def marginal_groups(tally: Tally, question: Question, target: Target) -> list[GroupEstimate]:
    """Return a side of every share of an item that was asked together with others, where there are reports."""
    (counts,) = marginal_counts(tally, question)
    if not counts.n_reports:
        return []
    if isinstance(counts, ShareCounts):
        return [
            _of_devices(
                Group(count, counts.n_reports, counts.channel),
                counts.devices,
                counts.epsilon,
                target,
                question.id,
                label,
            )
            for label, count in zip(counts.labels, counts.support_counts, strict=True)
        ]
    return [_of_sum(counts, of, label, target) for label, of in zip(counts.labels, counts.sums, strict=True)]


def _of_sum(counts: MarginalCounts, of: Summed, label: str, target: Target) -> GroupEstimate:
    def bounds(level: float) -> tuple[float, float]:
        low, high = marginal_bounds(of, IntervalOptions(level, target=target), 1)
        return min(max(low, 0.0), 1.0), min(max(high, 0.0), 1.0)

    def error_at(share: float) -> float:
        return sum_error(share, of.groups, target)

    share = sum_share(of.total, of.groups)
    return GroupEstimate(counts.question, label, counts.n_reports, counts.epsilon, share, bounds, error_at)


def number_groups(tally: Tally, question: Question, target: Target) -> list[GroupEstimate]:
    """Return the side of a question's one number, where there are reports."""
    (counts,) = find(question, "counts")(tally, question)
    if not counts.n_reports:
        return []
    estimate = loaded(FIGURES[figure_of(question)].estimate)

    def bounds(level: float) -> tuple[float, float]:
        (at_level,) = estimate(counts, IntervalOptions(level, target=target), 1)
        return at_level.low, at_level.high

    (found,) = estimate(counts, IntervalOptions(target=target), 1)
    error = found.standard_error
    side = GroupEstimate(question.id, "", found.n_reports, found.epsilon, found.value, bounds, lambda _: error)
    return [replace(side, unit=found.unit)]
