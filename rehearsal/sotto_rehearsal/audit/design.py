"""Who answers what in an audit: made-up answers, drawn before any report is seen.

A quarter of the devices answers every question with its first answer, a quarter with its second, which is as far from
the first as an answer can be: so reports of all questions can be told apart. The others draw each answer by itself, so
that every option is often true and often not. What is true of a mixture of answers is bounded by the same epsilon.
"""

import os
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sotto_protocol import Question, Survey
from sotto_protocol.mechanisms.mechanism import PureMechanism
from sotto_protocol.questions.any_of import AnyOf
from sotto_protocol.questions.number import Number
from sotto_protocol.questions.one_of import OneOf
from sotto_protocol.questions.text import Text
from sotto_protocol.questions.yes_no import YesNo
from sotto_rehearsal.audit.errors import AuditError

MAX_WAVES = 4
"""So many reports of one device are enough: what a device gives away at more is bounded by the same noise."""
N_FAR = 2
"""How many profiles, one answer to every question, are told apart."""
_USUAL_SIZE = 12
_VALUES_AS_A_QUESTION = 20
"""So many options take a device as long as a question more."""
_LEAST_USUAL = 2000
TEXTS = ("aa", "zz", "ab", "m", "a text of several words", "0")


@dataclass(frozen=True)
class Design:
    """Devices and their answers. `answers`: of every question, those that are tried, the two farthest apart first.

    `choices`: which of them each device gives, shape (n_devices, n_questions). `profile`: 0 or 1 where a device gives
    the first or the second answer to all, else -1, shape (n_devices,). `n_waves`: how many reports each device makes.
    """

    survey: Survey
    answers: tuple[tuple[Any, ...], ...]
    choices: NDArray[np.intp]
    profile: NDArray[np.intp]
    n_waves: int

    @property
    def n_devices(self) -> int:
        """How many devices there are."""
        return len(self.choices)

    def encoded(self, index: int) -> NDArray[Any]:
        """Return the answers that are tried to a question, as its mechanism takes them: a row each."""
        return np.concatenate([self.survey.questions[index].encode(answer) for answer in self.answers[index]])

    def truth(self, index: int) -> NDArray[np.bool_] | None:
        """Return which values are true of each answer that is tried, shape (n_answers, n_values).

        None where a mechanism has no values of which each is true or not.
        """
        mechanism = self.survey.questions[index].mechanism
        if not isinstance(mechanism, PureMechanism):
            return None
        encoded = self.encoded(index)
        if mechanism.takes_rows:
            return encoded.astype(np.bool_)
        values = np.array([1]) if mechanism.n_values == 1 else np.arange(mechanism.n_values)
        is_true: NDArray[np.bool_] = encoded[:, None] == values
        return is_true


def make_design(survey: Survey, n_reports: int) -> Design:
    """Return the devices that make n_reports, or a few less: of several waves each device makes some.

    Raises AuditError for a question of a type that is not known here.
    """
    n_waves = min(survey.waves, MAX_WAVES)
    n = max(1, n_reports // n_waves)
    answers = tuple(_answers_to(question) for question in survey.questions)
    draw = np.random.default_rng(int.from_bytes(os.urandom(16)))
    choices = np.stack([draw.integers(len(tried), size=n) for tried in answers], axis=1)
    profile = draw.choice([*range(N_FAR), -1], size=n, p=[1 / 4, 1 / 4, 1 / 2])
    for far in range(N_FAR):
        choices[profile == far] = far
    return Design(survey, answers, choices, profile, n_waves)


def usual_reports(survey: Survey, most: int) -> int:
    """Return how many reports are made unless it is said, at most `most`: fewer of many questions, or of many options.

    So that it takes about ten seconds.
    """
    size = sum(1 + question.mechanism.n_values / _VALUES_AS_A_QUESTION for question in survey.questions)
    return max(_LEAST_USUAL, int(most * min(1.0, _USUAL_SIZE / size)))


def _answers_to(question: Question) -> tuple[Any, ...]:
    kind = question.kind
    match kind:
        case YesNo():
            return (True, False)
        case OneOf():
            first, *rest, last = kind.options
            return (first, last, *rest)
        case AnyOf():
            return _selections(kind.options, question.mechanism.max_selected)
        case Number():
            return _numbers(kind)
        case Text():
            return TEXTS
        case _:
            raise AuditError(f"question {question.id}: questions of type {question.type} cannot be audited.")


def _selections(options: tuple[str, ...], most: int) -> tuple[tuple[str, ...], ...]:
    """Return the first options and the last, none, and every run of so many: each option is true in one of them."""
    first, last = options[:most], options[-most:]
    if len(options) < 2 * most:  # those that share least
        last = options[most:] or ()
    runs = [options[start : start + most] for start in range(0, len(options), most)]
    return tuple(dict.fromkeys([first, last, (), options[-most:], *runs]))


def _numbers(kind: Number) -> tuple[int | float, ...]:
    """Return the least and the greatest number, their neighbours, and one in the middle."""
    span = kind.n_options - 1
    steps = dict.fromkeys([0, span, 1, span - 1, span // 2])
    return tuple(float(at) if isinstance(at, Decimal) else at for at in map(kind.at, steps))
