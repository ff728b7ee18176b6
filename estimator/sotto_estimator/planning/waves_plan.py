"""Ways to ask a question in waves that tell no more of a person in all, and what each shows."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Decimal

from sotto_estimator.channel.channel import Target
from sotto_estimator.inference.registry import is_text
from sotto_estimator.planning.draft import Draft
from sotto_estimator.planning.needed import EPSILON_STEP
from sotto_estimator.planning.outlook import outlook_of
from sotto_estimator.planning.survey import PlannedSurvey, answers_of, part_drawn
from sotto_protocol import Question

KEPT, KEPT_CHANGING, ONCE = "kept noise", "kept noise, changing answers", "asked_in = 1"
"""All devices in every wave, under noise that lasts; the same at so little epsilon that answers may change in every
wave; every device in one wave."""
_TARGET: Target = "population"


@dataclass(frozen=True, slots=True)
class WaveWay:
    """One way. `epsilon`: of a report, in nats; `n_answers`: to the question in one wave.

    `width_of_wave`, `width_of_pooled`: half-widths of one wave, and of all pooled. `width_of_change`: of the difference
    between two waves: for the same people that of two intervals that hold together, for others about the square root of
    2 times one wave's. All about the population; shares as fractions, a number's in its unit.
    """

    name: str
    question: Question
    n_answers: int
    width_of_wave: float
    width_of_pooled: float
    width_of_change: float

    @property
    def epsilon(self) -> Decimal:
        """What one report takes."""
        return self.question.epsilon


@dataclass(frozen=True, slots=True)
class WavesPlan:
    """The ways to ask one question. `total`: the epsilon of all reports of a device, in each way.

    With kept noise that is so only if an answer stays the same: if it changes in every wave, its reports take up to
    `most_if_changing`.
    """

    question: Question
    total: Decimal
    most_if_changing: Decimal
    ways: tuple[WaveWay, ...]

    def of(self, name: str) -> WaveWay | None:
        """Return a way by its name; None where it cannot be had."""
        return next((way for way in self.ways if way.name == name), None)

    @property
    def gain(self) -> float | None:
        """By how much the interval of a change is narrower with `asked_in = 1`, where answers may change; else None."""
        changing, once = self.of(KEPT_CHANGING), self.of(ONCE)
        if changing is None or once is None or once.width_of_change >= changing.width_of_change:
            return None
        return changing.width_of_change / once.width_of_change


def plan_waves(draft: Draft, plan: PlannedSurvey) -> tuple[WavesPlan, ...]:
    """Return the ways to ask each question in the survey's waves; none in a survey of one wave.

    Left out are texts, and questions whose epsilon is not the author's to change.
    """
    if plan.survey.waves == 1:
        return ()
    indices = [
        index for index, question in enumerate(plan.survey.questions) if draft.is_free(index) and not is_text(question)
    ]
    return tuple(_plan(draft, plan, index) for index in indices)


def _plan(draft: Draft, plan: PlannedSurvey, index: int) -> WavesPlan:
    survey, question = plan.survey, plan.survey.questions[index]
    total = _in_all(plan, index)
    kept = draft.ask_in_waves(index, total, is_kept=True) if survey.asked_in else question
    most = survey.waves * (total if kept is None else kept.epsilon)
    return WavesPlan(question, total, most, tuple(_ways(draft, plan, index, total)))


def _in_all(plan: PlannedSurvey, index: int) -> Decimal:
    """Return what a device's reports to a question take together, in steps as an author writes; at least one step."""
    taken = plan.survey.epsilon_of(plan.survey.questions[index], plan.survey.max_reports)
    return max(EPSILON_STEP, taken.quantize(EPSILON_STEP, ROUND_FLOOR))


def _ways(draft: Draft, plan: PlannedSurvey, index: int, total: Decimal) -> Iterator[WaveWay]:
    survey, question = plan.survey, plan.survey.questions[index]
    of_one = (total / survey.waves).quantize(EPSILON_STEP, ROUND_FLOOR)
    kept = draft.ask_in_waves(index, total, is_kept=True) if survey.asked_in else question
    changing = draft.ask_in_waves(index, of_one, is_kept=True) if of_one else None
    once = question if survey.asked_in == 1 else draft.ask_in_waves(index, total, is_kept=False)
    if kept is not None:
        yield _kept(KEPT, kept, plan)
    if changing is not None:
        yield _kept(KEPT_CHANGING, changing, plan)
    if once is not None:
        yield _once(once, plan)


def _kept(name: str, question: Question, plan: PlannedSurvey) -> WaveWay:
    n, n_waves, options = answers_of(question, plan.n, part_drawn(plan.survey)), plan.survey.waves, plan.options
    outlook = outlook_of(question)
    pooled, change = outlook.width_of_waves(n, options, n_waves), 2 * outlook.width(n, options, _TARGET, 2)
    return WaveWay(name, question, n, outlook.width(n, options, _TARGET), pooled, change)


def _once(question: Question, plan: PlannedSurvey) -> WaveWay:
    n_all, options = answers_of(question, plan.n, part_drawn(plan.survey)), plan.options
    n, outlook = max(1, n_all // plan.survey.waves), outlook_of(question)
    wave = outlook.width(n, options, _TARGET)
    pooled = outlook.width_of_others(n_all, options, _TARGET, plan.survey.waves)
    return WaveWay(ONCE, question, n, wave, pooled, math.sqrt(2) * wave)
