"""Checks that mechanisms share: of answers, of thresholds, of values on the wire."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sotto_protocol.coins import COIN_SCALE
from sotto_protocol.errors import AnswerError, ReportError
from sotto_protocol.text import EXPECTED, is_answer


class BadValueError(ReportError):
    """One value of a batch is impossible: `index` says which."""

    def __init__(self, index: int, expected: str) -> None:
        super().__init__(f"[{index}]", f"must be {expected}.")
        self.args = (index, expected)  # what makes it again, when it is pickled
        self.index = index
        self.expected = expected


def check_choices(answers: ArrayLike, n_values: int) -> NDArray[Any]:
    """Return answers as unsigned integers, shape (n,). Raises AnswerError unless all are in [0, n_values)."""
    expected = f"answers must be integers in [0, {n_values - 1}], shape (n,)."
    given = read_array(answers, expected)
    dtype = given.dtype
    choices: NDArray[Any] = given.view(f"{dtype.byteorder}u{dtype.itemsize}")
    # Seen as unsigned, a negative number is in the upper half of its type: one comparison tests both ends.
    too_large = min(n_values, 2 ** (8 * dtype.itemsize - 1)) if dtype.kind == "i" else n_values
    if given.ndim != 1 or (given.size and np.maximum.reduce(choices) >= too_large):
        raise AnswerError("$", expected)
    return choices


def check_selections(answers: ArrayLike, n_values: int, max_selected: int) -> NDArray[np.bool_]:
    """Return answers as rows, shape (n, n_values). Raises AnswerError unless each has at most max_selected ones."""
    expected = f"answers must be zeros and ones, shape (n, {n_values})."
    given = read_array(answers, expected)
    if given.shape == (0,):  # an empty list
        given = given.reshape(0, n_values)
    selected = given.astype(np.bool_)
    if given.shape[1:] != (n_values,) or (selected != given).any():
        raise AnswerError("$", expected)
    if selected.size and np.add.reduce(selected, axis=1, dtype=np.intp).max() > max_selected:
        raise AnswerError("$", f"at most {max_selected} options may be selected.")
    return selected


def check_texts(answers: ArrayLike) -> NDArray[Any]:
    """Return answers as an array of strings, shape (n,). Raises AnswerError unless each is an open answer."""
    expected = f"answers must be a list, each {EXPECTED}."
    if isinstance(answers, str | bytes):  # lists of characters, by mistake
        raise AnswerError("$", expected)
    given = list(answers)  # type: ignore[arg-type]  # checked below
    if not all(map(is_answer, given if len(given) == 1 else _different(given))):
        raise AnswerError("$", expected)
    checked: NDArray[Any] = np.empty(len(given), object)
    checked[:] = given
    return checked


def _different(answers: list[Any]) -> Sequence[Any]:
    try:
        return list(set(answers))
    except TypeError:  # a list among them
        return answers


def read_array(answers: ArrayLike, expected: str) -> NDArray[Any]:
    """Return answers as an array of integers or booleans (so does `[]`). Raises AnswerError, which says `expected`."""
    try:
        given = np.asarray(answers)
    except (ValueError, TypeError, OverflowError):  # rows of unequal length
        raise AnswerError("$", expected) from None
    if not given.size:
        given = given.astype(np.intp)  # numpy makes floats of an empty list
    if given.dtype.kind not in "iub":
        raise AnswerError("$", expected)
    return given


def check_threshold(name: str, threshold: int) -> int:
    """Return threshold if a coin of finite epsilon can have it: an integer in [1, 2**32 - 1]."""
    return check_integer(name, threshold, 1, COIN_SCALE - 1)


def check_integer(name: str, value: int, low: int, high: int) -> int:
    """Return value if it is an integer in [low, high]. Raises ValueError."""
    if type(value) is not int or not low <= value <= high:
        raise ValueError(f"{name} ({value!r:.40}) must be an integer in [{low}, {high}].")
    return value
