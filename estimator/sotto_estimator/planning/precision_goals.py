"""What is wished of a survey, and what each wish takes: respondents at its epsilon, or epsilon of its respondents."""

from dataclasses import dataclass
from decimal import Decimal

from sotto_estimator.inference.marginal import estimated_of
from sotto_estimator.planning.draft import Draft
from sotto_estimator.planning.needed import respondents_for
from sotto_estimator.planning.options import PlanOptions
from sotto_estimator.planning.split import SplitVerdict
from sotto_estimator.planning.survey import PlannedSurvey, part_asked, wish_of
from sotto_protocol import Question, Survey


@dataclass(frozen=True, slots=True)
class PrecisionGoal:
    """A question's wished half-width, `want`, and what it takes; of a text the share that is to be found.

    `respondents`: at its present epsilon, of the whole survey; None where 10^12 are too few. `width`: of as many as are
    planned, None where no number is. `least_epsilon`: of these, None where none up to 20 is enough, or none is planned.
    `epsilon`: what the verdict's split takes; None where there is none. `is_free`: whether
    it may be changed.
    """

    question: Question
    want: float
    respondents: int | None
    width: float | None = None
    least_epsilon: Decimal | None = None
    epsilon: Decimal | None = None
    is_free: bool = True


def wishes_at(survey: Survey, options: PlanOptions, half_width: float | None) -> list[PrecisionGoal]:
    """Return what is wished, where no number of respondents is planned."""
    wanted = [(question, wish_of(question, half_width)) for question in estimated_of(survey)]
    part = part_asked(survey)
    return [
        PrecisionGoal(question, want, respondents_for(question, want, options, part))
        for question, want in wanted
        if want is not None
    ]


def wishes_of(draft: Draft, plan: PlannedSurvey, verdict: SplitVerdict) -> list[PrecisionGoal]:
    """Return what is wished of a plan, beside its verdict."""
    part = part_asked(plan.survey)
    taken = verdict.split.epsilons if verdict.split else (None,) * len(plan.questions)
    return [
        PrecisionGoal(
            one.question,
            one.want,
            respondents_for(one.question, one.want, plan.options, part),
            one.width,
            verdict.as_asked.epsilons[index],
            taken[index],
            draft.is_free(index),
        )
        for index, one in plan.rows
        if one.want is not None
    ]
