"""Answers of people who are made up, for a page of results to look at: likely ones come first, nothing is meant."""

from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sotto_client.entropy import os_coins
from sotto_protocol import Question, Survey
from sotto_protocol.questions.control import Line, NumberField, PickOne, PickSome
from sotto_protocol.questions.item import Item

_WORDS = ("more time", "a quiet room", "better tea", "nothing")


def made_up_records(survey: Survey, n: int) -> NDArray[np.uint8]:
    """Return the reports of n made-up people, packed, shape (n, layout.n_bytes)."""
    chance = np.random.default_rng()
    answers = {
        question.id: _stacked(question, [_answer(question, chance) for _ in range(n)]) for question in survey.questions
    }
    return survey.perturb(answers, os_coins())


def _stacked(question: Question, answers: list[Any]) -> Any:
    """Return people's answers as the mechanism takes them."""
    return answers if question.type == "text" else np.concatenate([question.encode(answer) for answer in answers])


def _answer(question: Question, chance: np.random.Generator) -> Any:
    """Return one person's answer, to questions that are asked together by their ids."""
    if len(question.items) == 1:
        return _answer_to(question, chance)
    return {item.id: _answer_to(item, chance) for item in question.items}


def _answer_to(item: Item, chance: np.random.Generator) -> Any:
    match item.kind.control:
        case PickOne(choices):
            return choices[_early(len(choices), chance)].answer
        case PickSome(choices):
            n_selected = int(chance.integers(0, item.max_selected, endpoint=True))
            return [choices[place].answer for place in chance.permutation(len(choices))[:n_selected]]
        case NumberField(minimum, maximum, step):
            n_steps = int((Decimal(maximum) - Decimal(minimum)) / Decimal(step))
            number = Decimal(minimum) + Decimal(step) * int(chance.binomial(n_steps, 0.3))
            return int(number) if number == int(number) else number
        case Line():
            return _WORDS[_early(len(_WORDS), chance)]


def _early(n: int, chance: np.random.Generator) -> int:
    """Return a place of n, the first ones likelier."""
    weights = 1 / np.arange(1, n + 1)
    return int(chance.choice(n, p=weights / weights.sum()))
