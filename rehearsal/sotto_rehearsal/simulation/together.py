"""The truth of questions that are asked together: of combinations, by what is true of each question, and back.

A file says the shares of the combinations, or of each question's answers, which are independent then.
"""

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import cast

import numpy as np

from sotto_estimator.inference.marginal import Marginal, marginals_of
from sotto_protocol import Question, Survey
from sotto_rehearsal.simulation.answers import Answers, Choice, Floats
from sotto_rehearsal.simulation.errors import TruthError
from sotto_rehearsal.simulation.question_truth import QuestionTruth, choice

_ROUNDING = 1e-9


def of_items(joint: Question, items: Sequence[QuestionTruth]) -> QuestionTruth:
    """Return the truth of a joint question whose items' answers are independent.

    People who do not tell the truth give each item's desired answer, and any to the others.
    """
    leaving = None
    if any(item.leaving for item in items):
        staying = _outer([1 - _by_value(item, item.leaving or {}) for item in items])
        leaving = dict(zip(joint.labels, (1 - staying).tolist(), strict=True))
    answers, later, at_random, lies = (
        choice(joint, dict(zip(joint.labels, _outer(shares).tolist(), strict=True)))
        for shares in (
            [_shares(item.answers) for item in items],
            [_shares(item.later) for item in items],
            [_shares(item.at_random) for item in items],
            [_said_by_liars(item) for item in items],
        )
    )
    return QuestionTruth(joint, answers, later, at_random, lies=lies, leaving=leaving)


def items_of(survey: Survey, questions: Sequence[QuestionTruth]) -> tuple[QuestionTruth, ...]:
    """Return what is true of each item that is asked together with others.

    Raises TruthError where two joint questions have an item, of which they say different things.
    """
    joints = {of.question.id: of for of in questions}
    return tuple(_item(marginal, joints) for marginal in marginals_of(survey))


def sums_by_answer(marginal: Marginal, sums: Mapping[str, Floats]) -> Floats:
    """Return sums over combinations as sums over an item's labels; `sums`: by the joint question's id."""
    found = [
        [sums[joint.id][cells].sum() for cells in marginal.cells(joint, place)] for joint, place in marginal.places
    ]
    return np.asarray(np.sum(found, axis=0), np.float64)


def _item(marginal: Marginal, joints: Mapping[str, QuestionTruth]) -> QuestionTruth:
    told = [_margins(marginal, joint, place, joints[joint.id]) for joint, place in marginal.places]
    for (joint, _), margins in zip(marginal.places, told, strict=True):
        if max(abs(a - b).max() for a, b in zip(margins, told[0], strict=True)) > _ROUNDING:
            first = marginal.places[0][0].id
            problem = f"must give {marginal.id} the same shares as {first}: people have one answer to it."
            raise TruthError(f"$.questions.{joint.id}", problem)
    answers, later, at_random = (_choice_of(marginal, shares) for shares in told[0])
    return QuestionTruth(marginal, answers, later, at_random)


def _margins(marginal: Marginal, joint: Question, place: int, of: QuestionTruth) -> tuple[Floats, Floats, Floats]:
    sizes = [len(item.kind.answers) for item in joint.items]
    others = tuple(set(range(len(sizes))) - {place})
    answers, later, at_random = (
        _shares(each).reshape(sizes).sum(axis=others) for each in (of.answers, of.later, of.at_random)
    )
    return answers, later, at_random


def _choice_of(marginal: Marginal, shares: Floats) -> Choice:
    """Return an item's answers, by the share of each value."""
    even = choice(marginal, dict.fromkeys(("yes", "no", *marginal.labels), 1.0))
    return Choice(even.names, even.values, shares[even.values], even.labels)


def _shares(answers: Answers) -> Floats:
    """Return the share of each value."""
    of = cast(Choice, answers)
    shares = np.zeros(len(of.values))
    shares[of.values] = of.shares
    return shares


def _by_value(item: QuestionTruth, of_name: Mapping[str, float]) -> Floats:
    """Return a number for each value, by the answers' names; 0 of others."""
    of = cast(Choice, item.answers)
    found = np.zeros(len(of.values))
    for name, number in of_name.items():
        found[of.values[of.names.index(name)]] = number
    return found


def _said_by_liars(item: QuestionTruth) -> Floats:
    if item.desired is None:
        return _shares(item.at_random)
    return np.asarray(np.eye(len(_shares(item.at_random)))[int(item.desired[0])])


def _outer(shares: Sequence[Floats]) -> Floats:
    return np.asarray(reduce(np.multiply.outer, shares)).ravel()
