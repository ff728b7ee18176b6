"""Counts of a question's reports: by the answer that they were made of, and by the value that is true."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sotto_protocol.mechanisms.mechanism import Bytes
from sotto_rehearsal.audit.design import Design
from sotto_rehearsal.audit.events import count_events, name_event
from sotto_rehearsal.audit.sample import Sample

N_COMPARED = 4
"""So many of a question's answers are looked at one by one, output by output."""

Ints = NDArray[np.int64]


class Counted(NamedTuple):
    """How many of so many reports each event has, shapes (n_events,), and the events' names."""

    x: Ints
    n: Ints
    names: list[str]


def chosen_by(design: Design, index: int, choice: int) -> NDArray[np.bool_]:
    """Return which devices give this answer to a question, shape (n_devices,)."""
    chosen: NDArray[np.bool_] = design.choices[:, index] == choice
    return chosen


def by_answer(design: Design, sample: Sample, index: int) -> list[Counted]:
    """Return the events of a question's reports under each of its first answers."""
    choices = range(min(N_COMPARED, len(design.answers[index])))
    return [count_rows(design, index, sample.rows(index, chosen_by(design, index, choice))) for choice in choices]


def count_rows(design: Design, index: int, rows: Bytes) -> Counted:
    """Return the events of a question's packed reports."""
    mechanism = design.survey.questions[index].mechanism
    counts = count_events(mechanism, rows)
    return Counted(
        counts, np.full(len(counts), len(rows)), [name_event(mechanism, event) for event in range(len(counts))]
    )


def by_value(design: Design, sample: Sample, index: int) -> tuple[Counted, Counted] | None:
    """Return how many reports support each value, of those whose answer it is, and of the others.

    None where a mechanism has no values of which each is true or not.
    """
    truth, mechanism = design.truth(index), design.survey.questions[index].mechanism
    if truth is None:
        return None
    x, y, n, m = (np.zeros(truth.shape[1], np.int64) for _ in range(4))
    for choice, is_true in enumerate(truth):
        rows = sample.rows(index, chosen_by(design, index, choice))
        counts = mechanism.count_support(rows)
        support = counts[:, 1] if mechanism.has_cohorts else counts
        x, y = x + support * is_true, y + support * ~is_true
        n, m = n + len(rows) * is_true, m + len(rows) * ~is_true
    names = [f"value {value} is supported" for value in range(truth.shape[1])]
    return Counted(x, n, names), Counted(y, m, names)
