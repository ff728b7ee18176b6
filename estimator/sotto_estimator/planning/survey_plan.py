"""The plan of a survey: what it will show, what would help, and whether what is wished for is reached."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from sotto_estimator.errors import DomainError
from sotto_estimator.planning.draft import Draft
from sotto_estimator.planning.needed import EPSILON_STEP
from sotto_estimator.planning.one_wave import OneWave, one_waves_of
from sotto_estimator.planning.options import PlanOptions
from sotto_estimator.planning.outlook import outlook_of
from sotto_estimator.planning.precision_goals import PrecisionGoal, wishes_of
from sotto_estimator.planning.remedies import Remedy, helps_of
from sotto_estimator.planning.score_plan import ScorePlan, plan_scores
from sotto_estimator.planning.split import SplitVerdict, judge_wishes
from sotto_estimator.planning.strata_plan import StratumPlan, plan_strata
from sotto_estimator.planning.survey import PlannedSurvey, plan_survey
from sotto_estimator.planning.together_plan import TogetherPlan, joinable, plan_together
from sotto_estimator.planning.waves_plan import WavesPlan, plan_waves
from sotto_estimator.results.result import Result
from sotto_protocol import Survey, SurveyError
from sotto_protocol.deprecated import warn_of_old
from sotto_protocol.documents import load_json


@dataclass(frozen=True, slots=True)
class SurveyPlan(PlannedSurvey, Result):
    """What `n` respondents give, and what would give more.

    `helps`: of questions that show less than their goal. `wishes`: what is wished for, question by question;
    `verdict`: whether it is reached, None where nothing is wished for. `title`: what the survey is called in outputs,
    "" its own. `together`: what questions would show if they were asked together, None where that is not asked;
    `joinable`: the ids of two that could be, () where no two could, or where that is asked. `one_waves`: of a survey of
    several waves the questions that one wave would show more of. `waves`: ways to ask each question in its waves.
    `strata`: what each question shows in the smallest stratum. `scores`: what questions with scores show of their mean.
    """

    helps: tuple[Remedy, ...] = ()
    wishes: tuple[PrecisionGoal, ...] = ()
    verdict: SplitVerdict | None = None
    title: str = ""
    together: TogetherPlan | None = None
    joinable: tuple[str, ...] = ()
    one_waves: tuple[OneWave, ...] = ()
    waves: tuple[WavesPlan, ...] = ()
    strata: tuple[StratumPlan, ...] = ()
    scores: tuple[ScorePlan, ...] = ()

    @property
    def reach(self) -> PlanOptions:
        """The old name of `options`."""
        warn_of_old("SurveyPlan.reach", "options")
        return self.options

    @property
    def named(self) -> str:
        """What the survey is called."""
        return self.title or self.survey.title


def draft_of(survey: Survey) -> Draft:
    """Return a compiled survey as a draft in which nothing can be changed."""
    return Draft(load_json(survey.canonical, SurveyError), survey, is_final=True)


def plan_draft(
    draft: Draft,
    n: int,
    options: PlanOptions,
    half_width: float | None = None,
    total: Decimal | None = None,
    together: Sequence[str] = (),
    smallest: int | None = None,
) -> SurveyPlan:
    """Return what n respondents will give, what would help, and whether what is wished for is reached.

    `half_width`: what is wished for of shares whose question has no `want`. `total`: the epsilon that a report may
    take, by default the survey's own. `together`: the ids of questions of which it is planned what they show if they
    are asked together. `smallest`: how many people are in the smallest stratum. Raises `DomainError` unless n is in [2,
    10^12], for a total that is less than the least for each question that a device answers, and for questions that
    cannot be asked together.
    """
    planned = plan_survey(draft.survey, n, options, half_width)
    verdict = _judge(draft, planned, total) if any(one.want is not None for _, one in planned.rows) else None
    wishes = wishes_of(draft, planned, verdict) if verdict else []
    questions = tuple(
        replace(one, of_least_noise=outlook_of(one.question).of_least_noise()) for one in planned.questions
    )
    of = (planned.survey, planned.n, planned.options, planned.n_intervals, questions, planned.items)
    joined = plan_together(draft, together, n, options) if together else None
    others, once = () if joined else joinable(draft), tuple(one_waves_of(draft, planned))
    helps, waves = tuple(helps_of(draft, planned)), plan_waves(draft, planned)
    asked = (joined, others, once, waves, plan_strata(planned, smallest), plan_scores(planned))
    return SurveyPlan(*of, helps, tuple(wishes), verdict, "", *asked)


def _judge(draft: Draft, planned: PlannedSurvey, total: Decimal | None) -> SplitVerdict:
    least = EPSILON_STEP * draft.survey.n_drawn
    if total is not None and total < least:
        raise DomainError(
            f"total_epsilon ({total}) must be at least {least}: {EPSILON_STEP} for each question that a device answers."
        )
    return judge_wishes(draft, planned, draft.survey.epsilon if total is None else total)
