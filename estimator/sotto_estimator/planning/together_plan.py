"""Whether to ask questions together: what each shows then, and a combination of their answers, beside now."""

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import combinations
from math import prod
from typing import Any

from sotto_estimator.errors import DomainError
from sotto_estimator.inference.registry import channel_of
from sotto_estimator.planning.draft import Draft
from sotto_estimator.planning.least_noise import noise_of_options
from sotto_estimator.planning.options import PlanOptions
from sotto_estimator.planning.survey import QuestionPlan, plan_survey
from sotto_protocol import Question, Survey, SurveyError
from sotto_protocol.definition import compile_survey
from sotto_protocol.questions.joint import CLOSED, Joint
from sotto_protocol.questions.question_type import MAX_OPTIONS

_OF_MECHANISM = ("epsilon", "epsilon_forever", "mechanism", "weight", "field", "prob_truth", "prob_forced_yes")
"""What an author says of one question, and of a combination in its place."""


@dataclass(frozen=True, slots=True)
class TogetherPlan:
    """Questions as they are asked now, `apart`, and `together` at the sum of their epsilons.

    `combination`: what is then known of every combination of answers. `noise_ratio`: by how much the variance of the
    noise in one is smaller than now, where all are equally common.
    """

    apart: tuple[QuestionPlan, ...]
    together: tuple[QuestionPlan, ...]
    combination: QuestionPlan
    noise_ratio: float

    @property
    def epsilon(self) -> Decimal:
        """What the combination takes: as much as the questions take now."""
        return self.combination.question.epsilon

    @property
    def wider(self) -> list[str]:
        """The ids of questions that would be known less precisely."""
        return [one.question.id for one, now in zip(self.together, self.apart, strict=True) if one.width > now.width]


def joinable(draft: Draft) -> tuple[str, ...]:
    """Return the ids of the first two questions that could be asked together; () where no two could."""
    asked = [question for question in draft.survey.questions if question.type in CLOSED]
    pairs = (pair for pair in combinations(asked, 2) if prod(map(_n_answers, pair)) <= MAX_OPTIONS)
    pair = () if draft.is_final or draft.survey.draw else next(pairs, ())
    return tuple(question.id for question in pair)


def plan_together(draft: Draft, ids: Sequence[str], n: int, options: PlanOptions) -> TogetherPlan:
    """Return what questions of these ids show if they are asked together. Raises DomainError where they cannot be."""
    _check(draft, ids)
    try:
        joined = compile_survey(_joined(draft, ids))
    except SurveyError as fault:
        raise DomainError(f"together ({', '.join(ids)}): {fault}") from None
    now, then = (plan_survey(survey, n, options) for survey in (draft.survey, joined))
    (combination,) = (one for one in then.questions if [item.id for item in one.question.items] == [*ids])
    alone, of_item = ({one.question.id: one for one in listed} for listed in (now.questions, then.items))
    apart = tuple(alone[name] for name in ids)
    ratio = _noise_apart([one.question for one in apart]) / _noise(combination.question)
    return TogetherPlan(apart, tuple(of_item[name] for name in ids), combination, ratio)


def _check(draft: Draft, ids: Sequence[str]) -> None:
    if draft.is_final:
        raise DomainError(f"together ({', '.join(ids)}) does not go with a published survey, which never changes.")
    if draft.survey.draw:
        raise DomainError(f"together ({', '.join(ids)}) does not go with `draw`: a draw asks one part or the other.")
    known = [question.id for question in draft.survey.questions if question.type in CLOSED]
    for name in ids:
        if name not in known:
            raise DomainError(
                f"together ({name}) must name yes-no and one-of questions that are asked separately: "
                f"{', '.join(known) or 'there are none'}."
            )


def _joined(draft: Draft, ids: Sequence[str]) -> Mapping[str, Any]:
    """Return the document in which these questions are asked together at the sum of their epsilons."""
    document = copy.deepcopy(dict(draft.document))
    for question in document["questions"]:
        if question["id"] in ids:
            for name in _OF_MECHANISM:
                question.pop(name, None)
    survey = draft.survey
    group: dict[str, Any] = {"questions": [*ids], "epsilon": _sum(survey, ids, "epsilon")}
    forever = _sum(survey, ids, "epsilon_forever")
    if forever > group["epsilon"]:
        group["epsilon_forever"] = forever
    return document | {"together": [*document.get("together", []), group]}


def _sum(survey: Survey, ids: Sequence[str], name: str) -> Decimal:
    return sum((getattr(question, name) for question in survey.questions if question.id in ids), Decimal(0))


def _noise(question: Question) -> float:
    """Return the variance of one report's noise about an answer, where all answers are equally common."""
    channel = channel_of(question)
    return float(noise_of_options(channel.prob_support_if_true, channel.prob_support_if_other, _n_answers(question)))


def _noise_apart(questions: Sequence[Question]) -> float:
    """Return the same of a combination that is the product of answers reported separately."""
    n_cells = prod(map(_n_answers, questions))
    return prod(_noise(question) + 1 / _n_answers(question) for question in questions) - 1 / n_cells


def _n_answers(question: Question) -> int:
    return len(question.kind.options if isinstance(question.kind, Joint) else question.kind.answers)
