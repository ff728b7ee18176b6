"""What a survey will show of mean scores: the half-width of each, of the answers that are expected."""

from dataclasses import dataclass
from typing import cast

import numpy as np

from sotto_estimator.channel.channel import Target
from sotto_estimator.inference.registry import scores_of
from sotto_estimator.intervals.intervals import IntervalOptions
from sotto_estimator.intervals.scored_means import ScoredReports
from sotto_estimator.numbers.scored import channel_of_sets, name_of_scores, score_bounds
from sotto_estimator.planning.options import PlanOptions
from sotto_estimator.planning.survey import PlannedSurvey
from sotto_protocol import Question
from sotto_protocol.mechanisms.mechanism import ChoiceMechanism


@dataclass(frozen=True, slots=True)
class ScorePlan:
    """The mean score of one question, on its scale from `minimum` to `maximum`, of `n_answers`.

    `half_width`: of an interval by itself, if all options are equally common.
    """

    question: str
    score: str
    minimum: float
    maximum: float
    n_answers: int
    half_width: float


def plan_scores(planned: PlannedSurvey) -> tuple[ScorePlan, ...]:
    """Return what each question with scores shows of their mean."""
    return tuple(
        _plan(one.question, one.n_answers, planned.options) for one in planned.questions if scores_of(one.question)
    )


def _plan(question: Question, n: int, options: PlanOptions) -> ScorePlan:
    reports = _expected(question, n, options.about)
    minimum, maximum = reports.ends
    low, high = score_bounds(reports, IntervalOptions(options.level, options.method, options.about), 1)
    half_width = (min(high, maximum) - max(low, minimum)) / 2
    return ScorePlan(question.id, name_of_scores(scores_of(question)), minimum, maximum, n, half_width)


def _expected(question: Question, n: int, target: Target) -> ScoredReports:
    """Return the reports of n people, whose options are equally common."""
    channel = channel_of_sets(cast(ChoiceMechanism, question.mechanism))
    scores = np.array([np.nan if score is None else score for score in scores_of(question)], np.float64)
    counts = np.full(len(scores), n * (channel.other + channel.contrast / len(scores)))
    return ScoredReports(channel, scores, counts, n, target)
