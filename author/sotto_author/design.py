"""How much epsilon a survey takes, and how many of its questions a device draws, so that its crowd shows something."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Decimal
from typing import Any

from sotto_author.crowd import is_estimator_there, reach_of
from sotto_protocol import Survey
from sotto_protocol.definition import compile_survey
from sotto_protocol.minimum import needs_of

Definition = Mapping[str, Any]
TOTALS = tuple(map(Decimal, ("0.5", "1", "2", "3", "4", "6")))
"""What a report may take, in nats, from which an author chooses: a device takes up to 8 of a survey by default."""
USUAL = Decimal(2)
"""The most that is proposed without being asked for: a suspicion of 10 % then becomes 45 % at most."""
MOST_TOTAL = Decimal(20)
_GOOD = 0.1
"""A half-width, ten points or a tenth of a range, with which nothing is gained by asking fewer questions."""
_STEP = Decimal("0.01")
MIN_REPORTS = (20, 10, 5)
_ANSWERING = 0.5
"""The part of the people by whose reports everything should be shown: not all of them answer."""


@dataclass(frozen=True, slots=True)
class Design:
    """A survey at a `total` epsilon. `widest`: of its questions, as a share of all there is to learn; None: unknown."""

    total: Decimal
    definition: Definition
    widest: float | None

    @property
    def is_usable(self) -> bool:
        """Whether every question is of use, as far as is known."""
        if self.widest is None:
            return True
        from sotto_estimator.planning.survey import ROUGH

        return self.widest <= ROUGH


def designs_of(definition: Definition, n: int, total: Decimal | None = None) -> list[Design]:
    """Return the best design of each total epsilon for n people, or of the one that is asked for.

    Where the estimator is not installed it is the one that asks every question.
    """
    if not is_estimator_there():
        total = total or USUAL
        epsilon = (total / len(definition["questions"])).quantize(_STEP, ROUND_FLOOR)
        return [Design(total, _at(definition, max(_STEP, epsilon), 0, n), None)]
    return [_best(definition, n, of) for of in ([total] if total else TOTALS)]


def proposed(designs: list[Design]) -> Design:
    """Return the design of the least total that is of use; up to the usual one, else the best up to that."""
    usual = [one for one in designs if one.total <= USUAL] or designs
    return next((one for one in usual if one.is_usable), usual[-1])


def _best(definition: Definition, n: int, total: Decimal) -> Design:
    """Return the design whose widest question is narrowest; of two that are alike, that which draws more."""
    from sotto_estimator.planning.split import draws_of

    n_questions = len(definition["questions"])
    drawn = [n_drawn for n_drawn in draws_of(n_questions) if total / n_drawn >= _STEP]
    tried = [_with_draw(definition, n, total, n_drawn) for n_drawn in drawn]
    good = [one for one in tried if one.widest is not None and one.widest <= _GOOD]
    return good[-1] if good else min(tried, key=lambda one: 1.0 if one.widest is None else one.widest)


def _with_draw(definition: Definition, n: int, total: Decimal, n_drawn: int) -> Design:
    epsilon = (total / n_drawn).quantize(_STEP, ROUND_FLOOR)
    made = _at(definition, epsilon, n_drawn, n)
    return Design(total, made, _widest(compile_survey(made), n))


def _at(definition: Definition, epsilon: Decimal, n_drawn: int, n: int) -> dict[str, Any]:
    """Return the definition with this epsilon for each question, so many drawn, 0 for all, and a least number."""
    questions = [question | {"epsilon": epsilon} for question in definition["questions"]]
    settings = {name: value for name, value in definition.items() if name != "questions"} | {"people": n}
    if 0 < n_drawn < len(questions):
        settings["draw"] = n_drawn
    made = settings | {"questions": questions}
    least = next((k for k in MIN_REPORTS if _is_shown(compile_survey(made | {"min_reports": k}), n)), None)
    return settings | ({"min_reports": least} if least else {}) | {"questions": questions}


def _is_shown(survey: Survey, n: int) -> bool:
    """Whether everything is likely to be shown in each wave though not all of the people answer."""
    n_of_wave = n * survey.max_reports / survey.waves
    return all(need.likely <= _ANSWERING * n_of_wave for need in needs_of(survey).values())


def _widest(survey: Survey, n: int) -> float:
    """Return the widest of the questions' half-widths, as a share of all there is to learn."""
    from sotto_estimator.planning.outlook import size_of, width_of
    from sotto_estimator.planning.survey import answers_of, part_asked

    options, part = reach_of(survey), part_asked(survey)
    asked = {question.mechanism: question for question in survey.questions}
    return max(width_of(of, answers_of(of, n, part), options) / size_of(of) for of in asked.values())
