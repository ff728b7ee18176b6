"""Who answers what in an audit: made-up answers, drawn before any report is seen.

A quarter of the devices answers every question with its first answer, a quarter with its second, which is as far from
the first as an answer can be: so reports of all questions can be told apart. The others draw each answer by itself, so
that every option is often true and often not. What is true of a mixture of answers is bounded by the same epsilon.

Two small groups of devices are asked beside these: some by the same number in both processes (`make_twins`), and in a
survey of several waves some that change every answer from one wave to the next (`make_movers`).
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sotto_protocol import Question, Survey
from sotto_protocol.questions.any_of import AnyOf
from sotto_protocol.questions.number import Number
from sotto_protocol.questions.one_of import OneOf
from sotto_protocol.questions.text import Text
from sotto_protocol.questions.yes_no import YesNo
from sotto_rehearsal.audit.errors import AuditError

MAX_WAVES = 6
"""So many reports each device makes at most: of more waves the first four, one in the middle, and the last."""
MOST_TWINS, MOST_MOVERS = 500, 500
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
    the first or the second answer to all, else -1, shape (n_devices,). `waves`: those in which each device answers.
    `changed`: the answers in every second of these waves, shape as `choices`; None where they stay.
    """

    survey: Survey
    answers: tuple[tuple[Any, ...], ...]
    choices: NDArray[np.intp]
    profile: NDArray[np.intp]
    waves: tuple[int, ...]
    changed: NDArray[np.intp] | None = None

    @property
    def n_waves(self) -> int:
        """How many reports each device makes."""
        return len(self.waves)

    @property
    def n_devices(self) -> int:
        """How many devices there are."""
        return len(self.choices)

    def choices_at(self, place: int) -> NDArray[np.intp]:
        """Return which answers the devices give in a wave, by its place among `waves`; shape as `choices`."""
        return self.choices if self.changed is None or place % 2 == 0 else self.changed

    def lines(self, devices: range) -> Iterator[tuple[int, int, dict[str, Any]]]:
        """Yield a device, a wave and its answers, in the order in which a program is asked.

        An answer that is None is left out by every second device: both stand for a question that was skipped.
        """
        ids = [question.id for question in self.survey.questions]
        by_place = [self.choices_at(place) for place in range(self.n_waves)]
        for device in devices:
            for wave, choices in zip(self.waves, by_place, strict=True):
                pairs = zip(ids, self.answers, choices[device].tolist(), strict=True)
                given = {name: tried[choice] for name, tried, choice in pairs}
                yield device, wave, {name: a for name, a in given.items() if a is not None or device % 2 == 0}

    def repeat(self, times: int) -> "Design":
        """Return the same devices several times over."""
        changed = None if self.changed is None else np.tile(self.changed, (times, 1))
        return replace(
            self, choices=np.tile(self.choices, (times, 1)), profile=np.tile(self.profile, times), changed=changed
        )

    def encoded(self, index: int) -> NDArray[Any]:
        """Return the answers that are tried to a question, as its mechanism takes them: a row each."""
        return np.concatenate([self.survey.questions[index].encode(answer) for answer in self.answers[index]])

    def truth(self, index: int) -> NDArray[np.bool_] | None:
        """Return which values are true of each answer that is tried, shape (n_answers, n_values).

        None where a mechanism has no values of which each is true or not.
        """
        return self.survey.questions[index].mechanism.true_values(self.encoded(index))


def make_design(survey: Survey, n_reports: int) -> Design:
    """Return the devices that make n_reports, or a few less: of several waves each device makes some.

    Raises AuditError for a question of a type that is not known here.
    """
    waves = _waves_of(survey)
    n = max(2, n_reports // len(waves))
    answers = tuple(_answers_to(question) for question in survey.questions)
    return _draw(Design(survey, answers, np.empty((0, 0), np.intp), np.empty(0, np.intp), waves), n)


def make_twins(design: Design) -> Design:
    """Return devices whose numbers are asked in both processes: they are two devices, that have only a number alike."""
    return _draw(design, min(MOST_TWINS, max(1, design.n_devices // 4)))


def make_movers(design: Design) -> Design | None:
    """Return devices that change every answer from each wave to the next, between the two that are farthest apart.

    None in a survey of one wave.
    """
    if design.n_waves == 1:
        return None
    drawn = _draw(design, min(MOST_MOVERS, max(1, design.n_devices // 2)))
    choices = drawn.choices % N_FAR
    return replace(drawn, choices=choices, changed=1 - choices)


def _waves_of(survey: Survey) -> tuple[int, ...]:
    n_waves = survey.waves
    if n_waves <= MAX_WAVES:
        return tuple(range(1, n_waves + 1))
    first = MAX_WAVES - 2
    return (*range(1, first + 1), (first + n_waves) // 2 if n_waves > first + 2 else first + 1, n_waves)


def _draw(design: Design, n: int) -> Design:
    draw = np.random.default_rng(int.from_bytes(os.urandom(16)))
    choices = np.stack([draw.integers(len(tried), size=n) for tried in design.answers], axis=1)
    profile = draw.choice([*range(N_FAR), -1], size=n, p=[1 / 4, 1 / 4, 1 / 2])
    for far in range(N_FAR):
        choices[profile == far] = far
    return replace(design, choices=choices, profile=profile)


def usual_reports(survey: Survey, most: int) -> int:
    """Return how many reports are made unless it is said, at most `most`: fewer of many questions, or of many options.

    So that it takes about ten seconds.
    """
    size = sum(1 + question.mechanism.n_values / _VALUES_AS_A_QUESTION for question in survey.questions)
    return max(_LEAST_USUAL, int(most * min(1.0, _USUAL_SIZE / size)))


def _answers_to(question: Question) -> tuple[Any, ...]:
    """Return the answers that are tried to a question; where it can be skipped, None is the third."""
    tried = _given_to(question)
    return tried if question.skip is None else (*tried[:N_FAR], None, *tried[N_FAR:])


def _given_to(question: Question) -> tuple[Any, ...]:
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
            return tuple(text for text in TEXTS if text != question.skip)
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
    """Return the least and the greatest number, one in the middle, whose rounding shows best, and their neighbours."""
    span = kind.n_options - 1
    steps = dict.fromkeys([0, span, span // 2, 1, span - 1])
    return tuple(float(at) if isinstance(at, Decimal) else at for at in map(kind.at, steps))
