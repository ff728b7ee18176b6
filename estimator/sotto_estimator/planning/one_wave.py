"""One wave instead of several: where it shows more for the same epsilon, if nobody changes the answer."""

from dataclasses import dataclass, replace

from sotto_estimator.inference.registry import is_text
from sotto_estimator.planning.draft import Draft
from sotto_estimator.planning.outlook import outlook_of, width_of
from sotto_estimator.planning.survey import PlannedSurvey, QuestionPlan, answers_of, part_drawn

_SHARPEST = {"chernoff": "clopper-pearson"}
"""Pooled waves by `chernoff` are nearly exact. A share of one wave is by the exact method then."""


@dataclass(frozen=True, slots=True)
class OneWave:
    """What one wave at the question's `epsilon_forever` shows, by `method`, of which all waves pooled show less.

    `width`, `width_of_waves`: half-widths about the population, of the same people.
    """

    plan: QuestionPlan
    method: str
    width: float
    width_of_waves: float


def one_waves_of(draft: Draft, planned: PlannedSurvey) -> list[OneWave]:
    """Return the questions of several waves that one wave at their `epsilon_forever` would show more of."""
    if planned.survey.waves == 1 or planned.survey.asked_in:
        return []
    found = [_one_wave(draft, planned, index) for index in range(len(planned.questions))]
    return [one for one in found if one is not None and one.width < one.width_of_waves]


def _one_wave(draft: Draft, planned: PlannedSurvey, index: int) -> OneWave | None:
    plan, options = planned.questions[index], planned.options
    question = plan.question
    if is_text(question) or question.epsilon_forever <= question.epsilon:
        return None
    once = draft.ask_once(index)
    if once is None:
        return None
    is_share = outlook_of(question).is_in_points
    method = _SHARPEST.get(options.method, options.method) if is_share else options.method
    n_answers = answers_of(once, planned.n, part_drawn(planned.survey))
    width = width_of(once, n_answers, replace(options, method=method), "population")
    width_of_waves = outlook_of(question).width_of_waves(plan.n_answers, options, planned.survey.waves)
    return OneWave(plan, method, width, width_of_waves)
