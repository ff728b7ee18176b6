"""From a tally to estimates: for every value of every question a debiased share, its error and an interval."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from sotto_estimator.channel import Channel, Target, debias, standard_error
from sotto_estimator.errors import SourceError
from sotto_estimator.intervals import Method, confidence_interval
from sotto_estimator.simplex import project_on_simplex
from sotto_protocol import Question, Tally


@dataclass(frozen=True, slots=True)
class Manner:
    """How intervals are made. `level` in (0, 1); `simultaneous`: all of the result's hold together (Bonferroni)."""

    level: float = 0.95
    method: Method = "chernoff"
    target: Target = "population"
    simultaneous: bool = False
    consistent: bool = False


@dataclass(frozen=True, slots=True)
class Estimate:
    """The estimate of one value's share.

    `share` is unbiased and may lie outside [0, 1]; `low` and `high` do not. `consistent_share` belongs to the closest
    shares that are possible at all: between 0 and 1 and, for one-of, adding up to 1.
    """

    question: str
    answer: str
    n_reports: int
    support_count: int
    epsilon: float
    share: float
    standard_error: float
    low: float
    high: float
    consistent_share: float | None = None


@dataclass(frozen=True, slots=True)
class Estimates:
    """All estimates of one tally, with what they mean. `epsilon` is that of one whole report, in nats."""

    title: str
    n_reports: int
    epsilon: float
    manner: Manner
    rows: tuple[Estimate, ...]


@dataclass(frozen=True, slots=True)
class _Counts:
    """One question's counts, from a tally or typed in."""

    question: str
    labels: Sequence[str]
    support_counts: Sequence[int]
    channel: Channel
    epsilon: float
    is_one_of: bool


def estimate_tally(tally: Tally, manner: Manner | None = None) -> Estimates:
    """Estimate every share of a tally. Raises SourceError where it holds no reports."""
    counted = [
        _Counts(
            question.id,
            question.labels,
            tally.support_counts[question.id].tolist(),
            channel_of(question),
            float(question.epsilon),
            question.type == "one-of",
        )
        for question in tally.survey.questions
    ]
    return _estimate(tally.survey.title, tally.n_reports, counted, manner or Manner())


def estimate_counts(n_yes: int, n: int, channel: Channel, manner: Manner | None = None) -> Estimates:
    """Estimate the share of yes from the counts of a yes-no survey, on paper or not."""
    counted = _Counts("", ("yes",), (n_yes,), channel, binary_epsilon(channel), False)
    return _estimate("counts as given", n, [counted], manner or Manner())


def channel_of(question: Question) -> Channel:
    """Return the channel that a question's reports went through."""
    mechanism = question.mechanism
    return Channel(mechanism.prob_support_if_true, mechanism.prob_support_if_other)


def binary_epsilon(channel: Channel) -> float:
    """Return the epsilon, in nats, of a yes-no channel: the larger log-ratio of its two reports; may be infinite."""
    true, other = channel.prob_support_if_true, channel.prob_support_if_other
    if other <= 0 or true >= 1:
        return math.inf
    return max(math.log(true / other), math.log((1 - other) / (1 - true)))


def _estimate(title: str, n: int, counted: list[_Counts], manner: Manner) -> Estimates:
    if n < 1:
        raise SourceError("the tally holds no reports; an estimate needs at least one.")
    n_intervals = sum(len(counts.labels) for counts in counted) if manner.simultaneous else 1
    rows = [row for counts in counted for row in _rows(counts, n, manner, n_intervals)]
    return Estimates(title, n, sum(counts.epsilon for counts in counted), manner, tuple(rows))


def _rows(counts: _Counts, n: int, manner: Manner, n_intervals: int) -> list[Estimate]:
    shares = debias(counts.support_counts, n, counts.channel)
    errors = standard_error(counts.support_counts, n, counts.channel, target=manner.target)
    low, high = confidence_interval(
        counts.support_counts,
        n,
        counts.channel,
        level=manner.level,
        method=manner.method,
        target=manner.target,
        n_intervals=n_intervals,
    )
    consistent: Sequence[float | None] = [None] * len(counts.labels)
    if manner.consistent:
        consistent = (project_on_simplex(shares) if counts.is_one_of else shares.clip(0, 1)).tolist()
    return [
        Estimate(
            counts.question,
            label,
            n,
            counts.support_counts[index],
            counts.epsilon,
            float(shares[index]),
            float(errors[index]),
            float(low[index]),
            float(high[index]),
            consistent[index],
        )
        for index, label in enumerate(counts.labels)
    ]
