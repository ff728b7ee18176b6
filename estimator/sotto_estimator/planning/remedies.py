"""What would help a question that shows too little, each way with its figure: what it takes, or what it would give."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Decimal
from fractions import Fraction

from sotto_estimator.inference.marginal import Marginal
from sotto_estimator.planning.draft import Draft
from sotto_estimator.planning.needed import EPSILON_STEP, least_epsilon, most_steps, respondents_for
from sotto_estimator.planning.outlook import outlook_of, width_of
from sotto_estimator.planning.split import sum_of_most
from sotto_estimator.planning.survey import PlannedSurvey, QuestionPlan, answers_of, part_asked
from sotto_protocol import Question, Survey
from sotto_protocol.questions.joint import Joint

_Drawn = tuple[int, dict[int, tuple[float, Decimal]]]
"""How many questions are drawn, and the widths of questions then, by their places."""
MAX_TAKEN = Decimal(8)
"""The most epsilon that a device gives to one survey by default."""
_WORTH = 0.95  # what leaves more of a width than this helps nobody


@dataclass(frozen=True, slots=True)
class Remedy:
    """What would help one question, or several that are alike; a figure is None where that way is none.

    Each is of that alone, all else as it is. `n_options` and `width_of_options`: the most options with which its
    goal is reached, or 2, and the half-width then. `width_together`: of any-of, where each option is a yes-no
    question, all asked together. `n_drawn`, `width_drawn` and `epsilon_drawn`: of so many questions drawn, at the
    same total epsilon, of which the question then gets more. `respondents`, `epsilon`: the fewest, and the least,
    that reach the goal. `width_of_waves`: of all waves pooled, of the same people, and `width_of_others`, of other
    people in every wave. `width_of_respondents`: of an interval about the respondents alone, where it is about the
    population. `is_free`: whether its epsilon is its author's to change. `epsilon_in_all`: of all
    reports of a device, if this question has `epsilon`.
    """

    questions: tuple[QuestionPlan, ...]
    n_options: int | None
    width_of_options: float | None
    width_together: float | None
    n_drawn: int | None
    width_drawn: float | None
    epsilon_drawn: Decimal | None
    respondents: int | None
    epsilon: Decimal | None
    width_of_waves: float | None
    width_of_others: float | None
    width_of_respondents: float | None
    is_free: bool
    epsilon_in_all: Decimal | None


def helps_of(draft: Draft, plan: PlannedSurvey) -> list[Remedy]:
    """Return what would help the questions that show less than their goal; alike ones share it."""
    alike: dict[object, list[tuple[int, QuestionPlan]]] = {}
    for index, one in plan.rows:
        if one.width > one.goal:
            alike.setdefault((one.question.mechanism, one.question.type, one.goal), []).append((index, one))
    if not alike:
        return []
    drawn = _best_draw(draft, plan, [group[0][0] for group in alike.values()])
    return [_help(draft, plan, [one for _, one in group], group[0][0], drawn) for group in alike.values()]


def _help(
    draft: Draft,
    plan: PlannedSurvey,
    alike: Sequence[QuestionPlan],
    index: int,
    drawn: _Drawn | None,
) -> Remedy:
    one, part, options = alike[0], part_asked(plan.survey), plan.options
    is_free, is_alone = draft.is_free(index), not isinstance(plan.questions[index].question.kind, Joint)
    fewer = _fewer_options(draft, plan, index) if is_free and is_alone else None
    epsilon = least_epsilon(draft, index, one.goal, plan.n, options, part, one.question) if is_free else None
    n_waves = 1 if plan.survey.asked_in else plan.survey.waves
    is_item = isinstance(one.question, Marginal)
    of_draw = drawn[1][index] if drawn and not is_item and drawn[1][index][0] <= _WORTH * one.width else None
    outlook, n_others = outlook_of(one.question), one.n_answers * n_waves
    return Remedy(
        questions=tuple(alike),
        n_options=fewer[0] if fewer else None,
        width_of_options=fewer[1] if fewer else None,
        width_together=_of_options_together(draft, plan, index),
        n_drawn=drawn[0] if drawn and of_draw else None,
        width_drawn=of_draw[0] if of_draw else None,
        epsilon_drawn=of_draw[1] if of_draw else None,
        respondents=respondents_for(one.question, one.goal, options, part),
        epsilon=epsilon,
        epsilon_in_all=None if epsilon is None else _total_with(plan, index, epsilon),
        width_of_waves=outlook.width_of_waves(one.n_answers, options, n_waves) if n_waves > 1 else None,
        width_of_others=outlook.width_of_others(n_others, options, options.about, n_waves) if n_waves > 1 else None,
        width_of_respondents=_of_respondents(one, plan),
        is_free=is_free,
    )


def _of_respondents(one: QuestionPlan, plan: PlannedSurvey) -> float | None:
    """Return the half-width about the respondents alone; None where that is planned, or helps nobody."""
    width = one.of("respondents").half_width
    helps = plan.options.about == "population" and width is not None and width <= _WORTH * one.width
    return width if helps else None


def _fewer_options(draft: Draft, plan: PlannedSurvey, index: int) -> tuple[int, float] | None:
    """Return the most options with which a question reaches its goal, or else two, and the width; None if no help."""
    one = plan.questions[index]
    part, options = part_asked(plan.survey), list(one.question.options)

    def width(n_options: int) -> float:
        asked = _with_options(draft, index, options[:n_options])
        return one.width if asked is None else width_of(asked, answers_of(asked, plan.n, part), plan.options)

    low, high = 2, len(options)  # of that many it is not reached
    if high <= low:
        return None
    narrowest = width(low)
    if narrowest > one.goal:
        return (low, narrowest) if narrowest <= _WORTH * one.width else None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if width(middle) <= one.goal else (low, middle)
    return low, width(low)


def _of_options_together(draft: Draft, plan: PlannedSurvey, index: int) -> float | None:
    """Return the half-width of an any-of question's options as yes-no questions together; None where it helps nobody.

    The combinations of two or three are all selections: at larger epsilons k-ary response over these has less noise.
    """
    asked, now = draft.ask_options(index), plan.questions[index].width
    if asked is None:
        return None
    width = width_of(asked, answers_of(asked, plan.n, part_asked(plan.survey)), plan.options)
    return width if width <= _WORTH * now else None


def _with_options(draft: Draft, index: int, options: list[str]) -> Question | None:
    members = draft.members(index)
    changes: dict[str, object] = {"options": options}
    if "max_selected" in members:
        changes["max_selected"] = min(members["max_selected"], len(options))
    if "skip" in members:
        changes["skip"] = options[0]
    return draft.ask(index, draft.survey.questions[index].epsilon, **changes)


def _best_draw(draft: Draft, plan: PlannedSurvey, indices: Iterable[int]) -> _Drawn | None:
    """Return how many drawn questions make the widest of these narrowest, the total the same, and their widths."""
    questions, n_now = plan.survey.questions, plan.survey.n_drawn
    if draft.is_final or len(questions) < 2:
        return None
    tried = {}
    for n_drawn in {2**power for power in range(len(questions).bit_length()) if 2**power < len(questions)} - {n_now}:
        part = part_asked(plan.survey) * Fraction(n_drawn, n_now)
        if plan.survey.min_reports > 1 and plan.n // plan.survey.n_strata * part < plan.survey.min_reports:
            continue  # most of it would be hidden
        factor = report_room(plan.survey) / sum_of_most([question.epsilon for question in questions], n_drawn)
        asked = {index: _scaled(draft, index, factor) for index in indices}
        tried[n_drawn] = {
            index: (width_of(question, answers_of(question, plan.n, part), plan.options), question.epsilon)
            for index, question in asked.items()
        }
    if not tried:
        return None
    return min(tried.items(), key=lambda of: max(of[1][index][0] / plan.questions[index].size for index in of[1]))


def _total_with(plan: PlannedSurvey, index: int, epsilon: Decimal) -> Decimal:
    """Return the epsilon of all reports of a device together, if one question has another one."""
    survey, n_reports = plan.survey, plan.survey.max_reports
    each = [survey.epsilon_of(question, n_reports) for question in survey.questions]
    each[index] = max(each[index], epsilon if survey.keeps_noise else epsilon * n_reports)
    return sum(survey.most_of(each), Decimal(0))


def report_room(survey: Survey) -> Decimal:
    """Return the epsilon of one report with which devices answer by default: the survey's, unless that is too much."""
    if survey.epsilon_forever <= MAX_TAKEN:
        return survey.epsilon
    return (survey.epsilon * MAX_TAKEN / survey.epsilon_forever).quantize(EPSILON_STEP, ROUND_FLOOR)


def _scaled(draft: Draft, index: int, factor: Decimal) -> Question:
    """Return a question at a multiple of its epsilon, rounded down to a step; as it is where that is not to be had."""
    question = draft.survey.questions[index]
    if not draft.is_free(index):
        return question
    steps = int((question.epsilon * factor / EPSILON_STEP).to_integral_value(ROUND_FLOOR))
    return draft.ask(index, min(max(1, steps), most_steps(draft, index)) * EPSILON_STEP) or question
