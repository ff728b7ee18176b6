"""What a survey will show of a crowd, question by question: good, rough, useless, or never to be seen."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from sotto_protocol import Question, Survey
from sotto_protocol.definition import compile_survey
from sotto_protocol.minimum import Need, needs_of

if TYPE_CHECKING:
    from sotto_estimator.channel.channel import Target
    from sotto_estimator.planning.draft import Draft
    from sotto_estimator.planning.options import PlanOptions
    from sotto_estimator.planning.remedies import Remedy
    from sotto_estimator.planning.strata_plan import StratumPlan
    from sotto_estimator.planning.survey import PlannedSurvey, QuestionPlan

Grade = Literal["good", "rough", "useless", "never", "unknown"]


@dataclass(frozen=True, slots=True)
class Outlook:
    """What one question will show. `plan`: None where the estimator is not installed, and the grade is then unknown."""

    question: Question
    grade: Grade
    need: Need
    plan: "QuestionPlan | None" = None

    @property
    def part_unknown(self) -> float:
        """The half-width as a share of all there is to learn; 0 where it is not known."""
        return 0.0 if self.plan is None else self.plan.width / self.plan.size

    @property
    def is_usable(self) -> bool:
        """Whether anybody could use what comes of it, as far as is known."""
        return self.grade not in ("useless", "never")


@dataclass(frozen=True, slots=True)
class Crowd:
    """What `n` people will show, if all of them answer.

    `plan` is that of `draft`, and None if the estimator is not installed. `within` names strata, each with so many
    people; () if the people are of all strata. `strata`: what the smallest stratum shows.
    """

    survey: Survey
    n: int
    outlooks: tuple[Outlook, ...]
    plan: "PlannedSurvey | None" = None
    draft: "Draft | None" = None
    within: tuple[str, ...] = ()
    strata: "tuple[StratumPlan, ...]" = ()

    @property
    def n_reports(self) -> int:
        """How many reports they send in one wave: with `asked_in` not all are asked in it."""
        return self.n * self.survey.max_reports // self.survey.waves

    @property
    def helps(self) -> Sequence["Remedy"]:
        """What would help, looked for each time; as `plan` none where it is not known."""
        if self.draft is None or self.plan is None:
            return ()
        from sotto_estimator.planning.remedies import helps_of

        return helps_of(self.draft, self.plan)

    def of(self, grade: Grade) -> list[Outlook]:
        """Return the questions of a grade."""
        return [one for one in self.outlooks if one.grade == grade]

    @property
    def worst(self) -> Outlook:
        """The question of which least is seen: what is never shown, else the widest."""
        return max(self.outlooks, key=lambda one: (one.grade == "never", one.part_unknown))

    @property
    def is_usable(self) -> bool:
        """Whether every question will show what somebody could use, in the smallest stratum too, as far as is known."""
        return all(one.is_usable for one in self.outlooks) and not self.of_strata("hidden")

    def of_strata(self, verdict: str) -> list[str]:
        """Return the questions that have a verdict in the smallest stratum."""
        return [one.question for one in self.strata if one.verdict == verdict]


def judge_file(
    path: Path, survey: Survey, n: int, target: "Target | None" = None, smallest: int | None = None
) -> Crowd:
    """Return what n people, `smallest` in the smallest stratum, will show of a survey file, and what would help it."""
    if not is_estimator_there():
        return _judge_blindly(survey, n)
    from sotto_estimator.planning.draft import Draft

    return _with_strata(_judge(Draft.read(path), n, target), smallest)


def judge_definition(definition: Mapping[str, Any], n: int) -> Crowd:
    """Return what n people will show of an author's definition. Raises SurveyError."""
    survey = compile_survey(definition)
    if not is_estimator_there():
        return _judge_blindly(survey, n)
    from sotto_estimator.planning.draft import Draft

    return _with_strata(_judge(Draft(definition, survey), n, None))


def judge_published(survey: Survey, n: int, *within: str) -> Crowd:
    """Return what n people, of each of these strata, will show of a survey that can no longer be changed."""
    if not is_estimator_there():
        return replace(_judge_blindly(survey, n), within=within)
    from sotto_estimator.planning.draft import Draft

    return replace(_judge(Draft({}, survey, is_final=True), n, None), within=within)


def reach_of(survey: Survey, target: "Target | None" = None) -> "PlanOptions":
    """Return which intervals an author looks at: those of `sotto estimate` and of the results page by default."""
    from sotto_estimator.intervals.intervals import target_of
    from sotto_estimator.planning.options import PlanOptions

    return PlanOptions(target=target or target_of(survey))


def is_estimator_there() -> bool:
    """Whether what the estimator needs is installed: without it no width is known."""
    return find_spec("scipy") is not None


def _judge_blindly(survey: Survey, n: int) -> Crowd:
    """Return what can be said without the estimator: what can never be shown."""
    needs = needs_of(survey)
    crowd = Crowd(survey, n, ())
    outlooks = (_outlook(question, needs[question.id], crowd.n_reports, None) for question in survey.questions)
    return replace(crowd, outlooks=tuple(outlooks))


def _with_strata(crowd: Crowd, smallest: int | None = None) -> Crowd:
    from sotto_estimator.planning.strata_plan import plan_strata

    if crowd.plan is None or crowd.n < crowd.survey.n_strata:
        return crowd
    return replace(crowd, strata=plan_strata(crowd.plan, smallest))


def _judge(draft: "Draft", n: int, target: "Target | None") -> Crowd:
    from sotto_estimator.planning.survey import plan_survey

    survey = draft.survey
    plan = plan_survey(survey, max(2, n), reach_of(survey, target))
    needs = needs_of(survey)
    crowd = Crowd(survey, n, (), plan, draft)
    of = crowd.n_reports
    outlooks = (_outlook(one.question, needs[survey.questions[index].id], of, one) for index, one in plan.rows)
    return replace(crowd, outlooks=tuple(outlooks))


def _outlook(question: Question, need: Need, n_reports: int, plan: "QuestionPlan | None") -> Outlook:
    return Outlook(question, _grade(need, n_reports, plan), need, plan)


def _grade(need: Need, n_reports: int, plan: "QuestionPlan | None") -> Grade:
    if n_reports < need.least:
        return "never"
    return "unknown" if plan is None else plan.worth(plan.width)


def crowd_members(crowd: Crowd) -> dict[str, Any]:
    """Return what a crowd will show, by name, for programs; widths as fractions, a number's in its unit."""
    if crowd.plan is None:
        return {"people": crowd.n}
    from sotto_estimator.views.plan_help_words import help_members

    options = crowd.plan.options
    of_intervals = {"level": options.level, "method": options.method, "target": options.about}
    of_strata = {"strata": [asdict(one) for one in crowd.strata]} if crowd.strata else {}
    return {"people": crowd.n} | of_intervals | {"helps": [help_members(one) for one in crowd.helps]} | of_strata


def outlook_members(one: Outlook) -> dict[str, Any]:
    """Return what a question will show, by name, for programs."""
    members: dict[str, Any] = {"verdict": one.grade}
    if one.plan is not None:
        is_share_found = one.plan.figures[0].half_width is None
        members |= {"n_answers": one.plan.n_answers, "goal": one.plan.goal}
        members |= {"smallest_share" if is_share_found else "half_width": one.plan.width}
    return members
