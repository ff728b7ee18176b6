"""Who answers what in an audit: made-up answers, drawn before any report is seen.

A quarter of the devices answers every question with its first answer, a quarter with its second, which is as far from
the first as an answer can be: so reports of all questions can be told apart. The others draw each answer by itself, so
that every option is often true and often not. What is true of a mixture of answers is bounded by the same epsilon.

Two small groups of devices are asked beside these: some by the same number in both processes (`make_twins`), and in a
survey of several waves some that change every answer from one wave to the next (`make_movers`).
"""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sotto_protocol import Survey
from sotto_protocol.questions.joint import Joint
from sotto_rehearsal.audit.tried import N_FAR, Choices, answers_to, choices_of, tried_of

MAX_WAVES = 6
"""So many reports each device makes at most: of more waves the first four, one in the middle, and the last.

In a survey with `asked_in` each device makes one, as if it had drawn the first wave.
"""
MOST_TWINS, MOST_MOVERS = 500, 500
_USUAL_SIZE = 12
_VALUES_AS_A_QUESTION = 20
"""So many options take a device as long as a question more."""
_LEAST_USUAL = 2000


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
        by_place = [self.choices_at(place) for place in range(self.n_waves)]
        for device in devices:
            for wave, choices in zip(self.waves, by_place, strict=True):
                given: dict[str, Any] = {}
                for question, tried, choice in zip(
                    self.survey.questions, self.answers, choices[device].tolist(), strict=True
                ):
                    answer = tried[choice]
                    given |= answer if isinstance(question.kind, Joint) else {question.id: answer}
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
    answers = tuple(tried_of(question) for question in survey.questions)
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
    survey, n = design.survey, min(MOST_MOVERS, max(1, design.n_devices // 2))
    of_items, profile = _draw_items(survey, n, N_FAR)
    moved = {item_id: 1 - chosen for item_id, chosen in of_items.items()}
    return replace(design, choices=_choices(survey, of_items), profile=profile, changed=_choices(survey, moved))


def _waves_of(survey: Survey) -> tuple[int, ...]:
    n_waves = 1 if survey.asked_in else survey.waves
    if n_waves <= MAX_WAVES:
        return tuple(range(1, n_waves + 1))
    first = MAX_WAVES - 2
    return (*range(1, first + 1), (first + n_waves) // 2 if n_waves > first + 2 else first + 1, n_waves)


def _draw(design: Design, n: int) -> Design:
    of_items, profile = _draw_items(design.survey, n)
    return replace(design, choices=_choices(design.survey, of_items), profile=profile)


def _draw_items(survey: Survey, n: int, most: int | None = None) -> tuple[dict[str, Choices], Choices]:
    """Return which answer n devices give to each item, of at most so many that are tried; and their profiles."""
    draw = np.random.default_rng(int.from_bytes(os.urandom(16)))
    of_items = {item.id: draw.integers(len(answers_to(item)[:most]), size=n) for item in survey.items}
    profile = draw.choice([*range(N_FAR), -1], size=n, p=[1 / 4, 1 / 4, 1 / 2])
    for chosen in of_items.values():
        chosen[profile >= 0] = profile[profile >= 0]
    return of_items, profile


def _choices(survey: Survey, of_items: Mapping[str, Choices]) -> Choices:
    return np.stack([choices_of(question, of_items) for question in survey.questions], axis=1)


def usual_reports(survey: Survey, most: int) -> int:
    """Return how many reports are made unless it is said, at most `most`: fewer of many questions, or of many options.

    So that it takes about ten seconds.
    """
    size = sum(1 + question.mechanism.n_values / _VALUES_AS_A_QUESTION for question in survey.questions)
    return max(_LEAST_USUAL, int(most * min(1.0, _USUAL_SIZE / size)))
