"""The mean score of a one-of question whose options have scores: a Likert scale's mean, or an eNPS in points."""

import math
from dataclasses import dataclass
from typing import Any, ClassVar, cast

import numpy as np

from sotto_estimator.channel.channel import Channel, Floats, shares_of
from sotto_estimator.channel.simplex import project_on_simplex
from sotto_estimator.intervals.fakes import PERCENT
from sotto_estimator.intervals.intervals import IntervalOptions, is_interval
from sotto_estimator.intervals.scored_means import ScoredReports
from sotto_estimator.numbers.scored import channel_of_sets, name_of_scores, score_bounds, words_of_interval
from sotto_estimator.shares.covariance import covariance_of
from sotto_estimator.shares.of_marginals import MarginalCounts
from sotto_estimator.shares.share_counts import ShareCounts
from sotto_protocol.mechanisms.mechanism import ChoiceMechanism
from sotto_protocol.questions.one_of import Scores


@dataclass(frozen=True, slots=True)
class CountedScore:
    """What is counted for the mean score of one question, and between which scores it lies.

    `answer`: "eNPS" where the scores are -100, 0 and 100, else "mean". `scores`: those of the options in their order,
    None of what is left out.
    """

    kind: ClassVar = "score"
    unit: ClassVar = ""

    question: str
    answer: str
    minimum: float
    maximum: float
    scores: Scores
    n_reports: int
    epsilon: float


@dataclass(frozen=True, slots=True)
class ScoreMean(CountedScore):
    """The estimate of the mean score of people whose answer has a score.

    `mean` may lie outside [minimum, maximum]; `low` and `high` do not. It is unbiased, unless options are left out:
    then it is a ratio of unbiased numbers. It is None if that ratio's denominator is not above 0, and `standard_error`
    then too. `shift_up`, `shift_down`: what each 1 % of fake reports adds, if all send the highest, or the lowest.
    `interval`: in words, how `low` and `high` are made.
    """

    is_told: ClassVar = True

    mean: float | None
    standard_error: float | None
    low: float
    high: float
    shift_up: float | None
    shift_down: float | None
    interval: str

    @property
    def value(self) -> float:
        """The mean; the middle of the scale where it is not known."""
        return (self.minimum + self.maximum) / 2 if self.mean is None else self.mean

    @property
    def has_interval(self) -> bool:
        """Whether any mean in [minimum, maximum] is in the interval."""
        return is_interval(self.low, self.high)

    @property
    def is_outside(self) -> bool:
        """Whether the mean is not in [minimum, maximum]."""
        return self.mean is not None and not self.minimum <= self.mean <= self.maximum

    def voided(self) -> "VoidedScore":
        """Return the counts alone, for counts that contradict the design."""
        about = self.question, self.answer, self.minimum, self.maximum, self.scores
        return VoidedScore(*about, self.n_reports, self.epsilon)


@dataclass(frozen=True, slots=True)
class VoidedScore(CountedScore):
    """What was counted for a mean score, of a question whose counts contradict the design: the rest is None."""

    is_told: ClassVar = False

    mean: None = None
    standard_error: None = None
    low: None = None
    high: None = None
    shift_up: None = None
    shift_down: None = None
    interval: None = None


def score_means(counts: ShareCounts | MarginalCounts, options: IntervalOptions, n_intervals: int) -> list[ScoreMean]:
    """Return the mean score of a question's answers, where its options have scores."""
    if isinstance(counts, MarginalCounts) or not counts.scores:
        return []
    scores = np.array([np.nan if score is None else score for score in counts.scores])
    mechanism = cast(ChoiceMechanism, counts.mechanism)
    reports = ScoredReports(
        channel_of_sets(mechanism),
        scores,
        np.array(counts.support_counts, np.float64),
        counts.n_reports,
        options.about,
        counts.devices.n_waves,
    )
    minimum, maximum = reports.ends
    mean, weights = _estimated(reports)
    low, high = score_bounds(reports, options, n_intervals)
    up, down = _shifts(reports, mean, weights)
    return [
        ScoreMean(
            question=counts.question,
            answer=name_of_scores(counts.scores),
            minimum=minimum,
            maximum=maximum,
            scores=counts.scores,
            n_reports=counts.n_reports,
            epsilon=counts.epsilon,
            mean=mean,
            standard_error=_error(reports, mean, weights, mechanism, counts.devices.effect),
            low=min(max(low, minimum), maximum),
            high=min(max(high, minimum), maximum),
            shift_up=up,
            shift_down=down,
            interval=words_of_interval(reports, options),
        )
    ]


def _shares(reports: ScoredReports) -> Floats:
    return shares_of(reports.support_counts, reports.n, Channel(reports.channel.true, reports.channel.other))


def _estimated(reports: ScoredReports) -> tuple[float | None, Floats]:
    """Return the mean, and what each share adds to it, shape (k,): by the delta method where options are left out."""
    shares, middle = _shares(reports), sum(reports.ends) / 2
    away = reports.around(middle)
    if not reports.leaves_out:
        return middle + float(away @ shares), away
    scored = float(shares[~np.isnan(reports.scores)].sum())
    if scored <= 0:
        return None, away
    mean = middle + float(away @ shares) / scored
    return mean, reports.around(mean) / scored


def _error(reports: ScoredReports, mean: float | None, weights: Floats, mechanism: Any, effect: float) -> float | None:
    """Return the standard error; approximate where options are left out. None where a tally does not tell it."""
    if mean is None or mechanism.prob_support_both is None:
        return None
    closest = project_on_simplex(_shares(reports))
    variance = weights @ covariance_of(mechanism, closest, reports.n, reports.target) @ weights
    return math.sqrt(max(float(variance), 0.0) * effect)


def _shifts(reports: ScoredReports, mean: float | None, weights: Floats) -> tuple[float | None, float | None]:
    if mean is None:
        return None, None
    now = float(weights @ _shares(reports))
    up, down = (PERCENT * (end / reports.channel.contrast - now) for end in reversed(reports.channel.ends(weights)))
    return max(up, 0.0), min(down, 0.0)
