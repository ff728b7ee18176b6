"""Counts of a question's reports: by the answer that they were made of, and by the value that is true."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sotto_estimator.inference.registry import is_text
from sotto_protocol.mechanisms.mechanism import Bytes
from sotto_rehearsal.audit.design import Design
from sotto_rehearsal.audit.events import count_events, name_event, speaks_for
from sotto_rehearsal.audit.names import Names
from sotto_rehearsal.audit.sample import Sample

N_COMPARED = 5
"""So many of a question's answers are looked at one by one, output by output."""

Ints = NDArray[np.int64]
Chosen = NDArray[np.bool_]


class Counted(NamedTuple):
    """How many of so many reports each event has, shapes (n_events,), and the events' names."""

    x: Ints
    n: Ints
    names: Names


def chosen_by(design: Design, index: int, choice: int) -> Chosen:
    """Return which devices give this answer to a question, shape (n_devices,)."""
    chosen: Chosen = design.choices[:, index] == choice
    return chosen


def by_answer(
    design: Design, sample: Sample, index: int, *, place: int = 0, among: Chosen | None = None, most: int = N_COMPARED
) -> list[Counted]:
    """Return the events of a question's reports under each of its first answers, in one wave.

    `among`: the devices that are looked at, shape (n_devices,); by default all.
    """
    every = np.True_ if among is None else among
    choices = range(min(most, len(design.answers[index])))
    chosen = [(design.choices_at(place)[:, index] == choice) & every for choice in choices]
    return [count_rows(design, index, sample.rows(index, of_answer, place)) for of_answer in chosen]


def count_rows(design: Design, index: int, rows: Bytes) -> Counted:
    """Return the events of a question's packed reports."""
    mechanism = design.survey.questions[index].mechanism
    counts = count_events(mechanism, rows)
    names = Names(len(counts), lambda event: name_event(mechanism, event))
    return Counted(counts, np.full(len(counts), len(rows)), names)


def by_value(
    design: Design, sample: Sample, index: int, *, place: int = 0, among: Chosen | None = None
) -> tuple[Counted, Counted] | None:
    """Return how many reports support each value, of those whose answer it is, and of the others.

    Of a text question a value is each text that is tried. None where a mechanism has no values of which each is true or
    not. `place` and `among` are those of `by_answer`.
    """
    question = design.survey.questions[index]
    truth = np.eye(len(design.answers[index]), dtype=np.bool_) if is_text(question) else design.truth(index)
    if truth is None:
        return None
    every = np.True_ if among is None else among
    x, y, n, m = (np.zeros(truth.shape[1], np.int64) for _ in range(4))
    for choice, is_true in enumerate(truth):
        chosen = (design.choices_at(place)[:, index] == choice) & every
        support = _support(design, sample, index, place, chosen)
        n_rows = int((chosen & sample.has[:, index]).sum())
        x, y = x + support * is_true, y + support * ~is_true
        n, m = n + n_rows * is_true, m + n_rows * ~is_true
    kind = "text" if is_text(question) else "value"
    names = Names(truth.shape[1], lambda value: f"{kind} {value} is supported")
    return Counted(x, n, names), Counted(y, m, names)


def _support(design: Design, sample: Sample, index: int, place: int, chosen: Chosen) -> Ints:
    """Return how many reports of those devices support each value, shape (n_values,)."""
    question = design.survey.questions[index]
    if is_text(question):
        if (index, place) not in sample.spoken:
            rows = sample.waves[place][index]
            sample.spoken[index, place] = speaks_for(question, design.answers[index], rows)
        speaks: Ints = sample.spoken[index, place][chosen & sample.has[:, index]].sum(axis=0, dtype=np.int64)
        return speaks
    rows = sample.rows(index, chosen, place)
    counts = question.mechanism.count_support(rows)
    return counts[:, 1] if question.mechanism.asks_some else counts
