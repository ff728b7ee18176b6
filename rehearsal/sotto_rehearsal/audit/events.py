"""What is looked at in reports: every output, every bit of a packed report, and bits that stand side by side."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sotto_estimator.association.axes import TableAxis
from sotto_estimator.inference.registry import find, is_text
from sotto_protocol import Question
from sotto_protocol.mechanisms.mechanism import Bytes, Mechanism
from sotto_protocol.mechanisms.ones import count_ones
from sotto_protocol.text import normalise

MAX_COUNTS = 2**14
"""A text question's counts by cohort may be more: then its bits alone are looked at."""
_MAX_ONE_HOT = 256
_STEPS = np.arange(-4, 4.25, 0.5) + 0.01  # equal likelihoods are one step


def count_events(mechanism: Mechanism, rows: Bytes) -> NDArray[np.int64]:
    """Return how many of n packed reports each event of a question has: `name_event` names them."""
    parts = [_bits(rows)]
    if np.prod(mechanism.counts_shape) <= MAX_COUNTS:
        parts.append(mechanism.count_support(rows).ravel())
    if mechanism.n_outputs:
        parts.append(mechanism.count_outputs(rows))
    return np.concatenate(parts).astype(np.int64)


def _bits(rows: Bytes) -> NDArray[np.int64]:
    """Return how many rows have each bit, then each bit and the next one, and the one without the other."""
    after = np.concatenate([rows[:, 1:], np.zeros((len(rows), 1), np.uint8)], axis=1)
    following = (rows >> np.uint8(1)) | (after << np.uint8(7))
    return np.concatenate([count_ones(part) for part in (rows, rows & following, rows & ~following)])


def name_event(mechanism: Mechanism, event: int) -> str:
    """Return in words what an event of `count_events` is."""
    n_bits = 8 * mechanism.n_bytes
    if event < 3 * n_bits:
        kind, bit = divmod(event, n_bits)
        return (f"bit {bit} is 1", f"bits {bit} and {bit + 1} are 1", f"bit {bit} is 1, {bit + 1} is 0")[kind]
    event -= 3 * n_bits
    n_counts = int(np.prod(mechanism.counts_shape))
    if n_counts <= MAX_COUNTS:
        if event < n_counts:
            place = [int(at) for at in np.unravel_index(event, mechanism.counts_shape)]
            return f"count {place if len(place) > 1 else place[0]} goes up"
        event -= n_counts
    return f"output {event}"


def features(question: Question, answers: Sequence[Any], rows: Bytes) -> NDArray[np.float32]:
    """Return what a score of reports is made of, shape (n, n_features), zeros and ones: bits; of few outputs, each.

    Of a text, whose bits stand for others in each cohort: by how much the first of two answers is likelier than the
    second, in steps.
    """
    mechanism = question.mechanism
    if is_text(question):
        return _one_hot(np.digitize(_log_ratio(question, answers, rows), _STEPS), len(_STEPS) + 1)
    if 0 < mechanism.n_outputs <= _MAX_ONE_HOT:
        return _one_hot(mechanism.numbers(rows), mechanism.n_outputs)
    return np.unpackbits(rows, axis=1, bitorder="little").astype(np.float32)


def _one_hot(numbers: NDArray[Any], n_numbers: int) -> NDArray[np.float32]:
    is_number: NDArray[np.bool_] = numbers[:, None] == np.arange(n_numbers)
    return is_number.astype(np.float32)


def _log_ratio(question: Question, answers: Sequence[Any], rows: Bytes) -> NDArray[np.floating]:
    """Return ln(P(report | first answer) / P(report | second answer)) of a text question's reports, shape (n,)."""
    likelihood = _likelihood(question, answers[:2], rows)
    ratio: NDArray[np.floating] = np.log(likelihood[:, 0]) - np.log(likelihood[:, 1])
    return ratio


def speaks_for(question: Question, answers: Sequence[Any], rows: Bytes) -> NDArray[np.bool_]:
    """Return whether each report is likelier under a text than under any text at all, shape (n, n_answers).

    So a text that is hashed wrongly shows, over all cohorts together: its reports speak for it as for any other.
    """
    likelihood = _likelihood(question, answers, rows)
    speaks: NDArray[np.bool_] = likelihood[:, :-1] > likelihood[:, -1:]
    return speaks


def _likelihood(question: Question, answers: Sequence[Any], rows: Bytes) -> NDArray[np.floating]:
    """Return the likelihood of a text question's reports under texts, and under others: shape (n, n_answers + 1)."""
    mechanism = question.mechanism
    strings = tuple(normalise(str(question.skip) if answer is None else answer) for answer in answers)
    axis: TableAxis = find(question, "axis")(question, mechanism, question.id, "", strings)
    return axis.likelihood(rows)
