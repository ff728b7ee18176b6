"""Which answers an audit tries: to a question, or to several that are asked together, the two farthest apart first."""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sotto_protocol import Question
from sotto_protocol.questions.any_of import AnyOf
from sotto_protocol.questions.item import Item
from sotto_protocol.questions.joint import Joint
from sotto_protocol.questions.number import Number
from sotto_protocol.questions.one_of import OneOf
from sotto_protocol.questions.text import Text
from sotto_protocol.questions.yes_no import YesNo
from sotto_rehearsal.audit.errors import AuditError

N_FAR = 2
"""How many profiles, one answer to every question, are told apart."""
TEXTS = ("aa", "zz", "ab", "m", "a text of several words", "0")

Choices = NDArray[np.intp]


def tried_of(question: Question) -> tuple[Any, ...]:
    """Return the answers that are tried: where questions are asked together, mappings from their ids to answers.

    Raises AuditError for a question of a type that is not known here.
    """
    if not isinstance(question.kind, Joint):
        return answers_to(question)
    tried = [answers_to(item) for item in question.items]
    return tuple(
        {item.id: answers[place] for item, answers, place in zip(question.items, tried, cell, strict=True)}
        for cell in _cells(question)
    )


def answers_to(item: Item) -> tuple[Any, ...]:
    """Return the answers that are tried; where it can be skipped, None is the third."""
    tried = _given_to(item)
    return tried if item.skip is None else (*tried[:N_FAR], None, *tried[N_FAR:])


def choices_of(question: Question, of_items: Mapping[str, Choices]) -> Choices:
    """Return which of `tried_of` devices give that choose these of `answers_to` each item, shape (n_devices,)."""
    if not isinstance(question.kind, Joint):
        return of_items[question.id]
    cells = np.array([*_cells(question)])
    numbers = np.empty(cells.max(axis=0) + 1, np.intp)
    numbers[tuple(cells.T)] = np.arange(len(cells))
    chosen: Choices = numbers[tuple(of_items[item.id] for item in question.items)]
    return chosen


def _cells(question: Question) -> Iterator[tuple[int, ...]]:
    """Yield every combination of the numbers of answers to a question's items, the two that share none first."""
    tried = [range(len(answers_to(item))) for item in question.items]
    far = [(place,) * len(tried) for place in range(N_FAR)]
    yield from far
    yield from (cell for cell in product(*tried) if cell not in far)


def _given_to(item: Item) -> tuple[Any, ...]:
    kind = item.kind
    match kind:
        case YesNo():
            return (True, False)
        case OneOf():
            first, *rest, last = kind.options
            return (first, last, *rest)
        case AnyOf():
            return _selections(kind.options, item.max_selected)
        case Number():
            return _numbers(kind)
        case Text():
            return tuple(text for text in TEXTS if text != item.skip)
        case _:
            raise AuditError(f"question {item.id}: questions of type {item.type} cannot be audited.")


def _selections(options: tuple[str, ...], most: int) -> tuple[tuple[str, ...], ...]:
    """Return the first options and the last, none, and every run of so many: each option is true in one of them."""
    first, last = options[:most], options[-most:]
    if len(options) < 2 * most:  # those that share least
        last = options[most:] or ()
    runs = [options[start : start + most] for start in range(0, len(options), most)]
    return tuple(dict.fromkeys([first, last, (), options[-most:], *runs]))


def _numbers(kind: Number) -> tuple[int | float, ...]:
    """Return the least and the greatest number, one in the middle, whose rounding shows best, and their neighbours."""
    span = kind.n_options - 1
    steps = dict.fromkeys([0, span, span // 2, 1, span - 1])
    return tuple(float(at) if isinstance(at, Decimal) else at for at in map(kind.at, steps))
