"""Mechanisms that report one noisy bit per value: yes-no coins, unary encodings (RAPPOR's), any-of flips.

Each bit of the true answer is replaced by a coin: heads with `threshold_if_true` where the bit is one, with
`threshold_if_other` where it is zero. The mechanisms differ in the answers that they take, and so in epsilon. Packed,
value v is bit v mod 8 (the least significant is 0) of byte v // 8, and the bits behind the last value are zero.
"""

import base64
import binascii
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sotto_protocol.bounds import add_above, log_ratio_above, multiply_above
from sotto_protocol.coins import COIN_SCALE, Coins
from sotto_protocol.errors import AnswerError
from sotto_protocol.mechanism import (
    COINS_PER_CHUNK,
    MAX_VALUES,
    BadValueError,
    Bytes,
    Counts,
    Mechanism,
    check_choices,
    check_integer,
    check_threshold,
    read_array,
)

_ROWS_PER_BYTE_SUM = 255  # as many bits as a byte can count


@dataclass(frozen=True)
class BitMechanism(Mechanism):
    """A coin per value. `threshold_if_other < threshold_if_true`, both in [1, 2**32 - 1]."""

    name: str
    n_values: int
    threshold_if_true: int
    threshold_if_other: int

    def __post_init__(self) -> None:
        check_integer("n_values", self.n_values, 1, MAX_VALUES)
        true = check_threshold("threshold_if_true", self.threshold_if_true)
        other = check_threshold("threshold_if_other", self.threshold_if_other)
        if other >= true:
            raise ValueError(f"threshold_if_other ({other}) must be below threshold_if_true ({true}).")

    @property
    @abstractmethod
    def _max_differences(self) -> list[tuple[int, int]]:
        """The extreme numbers of bits (lost, gained) by which two answers can differ."""

    @cached_property
    def epsilon(self) -> Decimal:
        """The largest log-ratio of a report's probabilities under two answers, rounded up.

        A bit that one answer has and the other lacks contributes at most ln(true / other), one that it lacks and the
        other has at most ln((1 - other) / (1 - true)); coins are independent, so the contributions add up.
        """
        true, other = self.threshold_if_true, self.threshold_if_other
        per_lost = log_ratio_above(true, other)
        per_gained = log_ratio_above(COIN_SCALE - other, COIN_SCALE - true)
        return max(
            add_above(multiply_above(lost, per_lost), multiply_above(gained, per_gained))
            for lost, gained in self._max_differences
        )

    @property
    def n_bytes(self) -> int:
        return (self.n_values + 7) // 8

    @property
    def prob_support_if_true(self) -> float:
        return self.threshold_if_true / COIN_SCALE

    @property
    def prob_support_if_other(self) -> float:
        return self.threshold_if_other / COIN_SCALE

    def parameters(self) -> dict[str, int]:
        return {
            "threshold_if_true": self.threshold_if_true,
            "threshold_if_other": self.threshold_if_other,
        }

    def count_support(self, reports: Bytes) -> Counts:
        """Count the ones at every position: unpack, add up 255 rows in bytes, then the sums in 64 bits."""
        width = 8 * self.n_bytes
        step = _ROWS_PER_BYTE_SUM * max(1, 4 * COINS_PER_CHUNK // (width * _ROWS_PER_BYTE_SUM))
        counts = np.zeros(width, np.int64)
        for start in range(0, len(reports), step):
            packed = np.ascontiguousarray(reports[start : start + step]).ravel()
            bits = np.unpackbits(packed, bitorder="little").reshape(-1, width)
            whole = len(bits) // _ROWS_PER_BYTE_SUM * _ROWS_PER_BYTE_SUM
            blocks = bits[:whole].reshape(-1, _ROWS_PER_BYTE_SUM, width)
            counts += blocks.sum(axis=1, dtype=np.uint8).sum(axis=0, dtype=np.int64)
            counts += bits[whole:].sum(axis=0, dtype=np.int64)
        return counts[: self.n_values]

    def to_wire(self, report: Bytes) -> str:
        return base64.b64encode(report.tobytes()).decode("ascii")

    def from_wire(self, values: Sequence[Any]) -> Bytes:
        """Unpack canonical base64 (RFC 4648, padded) of exactly n_bytes, spare bits zero."""
        rows = bytearray()
        for index, value in enumerate(values):
            row = _decode_base64(value)
            if row is None or len(row) != self.n_bytes or row[-1] > self._last_byte_max:
                raise BadValueError(index, self._expected)
            rows += row
        return np.frombuffer(bytes(rows), np.uint8).reshape(-1, self.n_bytes)

    @property
    def _last_byte_max(self) -> int:
        return 0xFF >> (-self.n_values % 8)

    @property
    def _expected(self) -> str:
        return f"canonical base64 of {self.n_values} bits in {self.n_bytes} bytes, spare bits zero"

    def supported(self, report: Bytes) -> list[int]:
        return np.unpackbits(report, bitorder="little").nonzero()[0].tolist()

    def _flip(self, is_true: NDArray[np.bool_], coins: Coins) -> NDArray[np.bool_]:
        """Replace every bit by a coin. Both coins are drawn for each: their number does not depend on the answer."""
        if_other = coins.flip(self.threshold_if_other, is_true.size)
        if_true = coins.flip(self.threshold_if_true, is_true.size)
        # A choice without a branch: np.where takes 30 times as long on coins.
        return if_other ^ ((if_other ^ if_true) & is_true)

    def _pack(self, bits: NDArray[np.bool_]) -> Bytes:
        if self.n_values % 8 == 0:  # no spare bits: rows can be packed as one run, which is faster
            return np.packbits(bits, bitorder="little").reshape(-1, self.n_bytes)
        return np.packbits(bits.reshape(-1, self.n_values), axis=1, bitorder="little")


def _decode_base64(value: Any) -> bytes | None:
    if type(value) is not str:
        return None
    try:
        raw = binascii.a2b_base64(value, strict_mode=True)
    except ValueError:
        return None
    # strict_mode lets non-zero trailing bits pass: only one text may stand for one report.
    return raw if binascii.b2a_base64(raw, newline=False).decode("ascii") == value else None


class BinaryResponse(BitMechanism):
    """Yes-no: one coin, whose bias depends on the answer (Warner 1965; forced response, Boruch 1971).

    Answers: integers, 1 is yes, shape (n,). `n_values` is 1.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        check_integer("n_values", self.n_values, 1, 1)

    @property
    def _max_differences(self) -> list[tuple[int, int]]:
        return [(1, 0), (0, 1)]

    def _check_answers(self, answers: ArrayLike) -> NDArray[Any]:
        return check_choices(answers, 2)

    def _perturb_rows(self, answers: NDArray[Any], coins: Coins) -> Bytes:
        return self._flip(answers.astype(np.bool_), coins).view(np.uint8).reshape(-1, 1)

    def to_wire(self, report: Bytes) -> Any:
        return bool(report[0])

    def from_wire(self, values: Sequence[Any]) -> Bytes:
        for index, value in enumerate(values):
            if type(value) is not bool:
                raise BadValueError(index, "true or false")
        return np.array(values, np.uint8).reshape(-1, 1)


class UnaryEncoding(BitMechanism):
    """One-of: a bit per option, one of them true (one-hot RAPPOR, Erlingsson et al. 2014; Wang et al. 2017).

    Answers: integers in [0, n_values), shape (n,). Two answers differ in exactly one bit lost and one gained.
    """

    @property
    def _max_differences(self) -> list[tuple[int, int]]:
        return [(1, 1)]

    def _check_answers(self, answers: ArrayLike) -> NDArray[Any]:
        return check_choices(answers, self.n_values)

    def _perturb_rows(self, answers: NDArray[Any], coins: Coins) -> Bytes:
        bits = coins.flip(self.threshold_if_other, len(answers) * self.n_values)
        true_bits = np.arange(0, len(bits), self.n_values, dtype=np.uint64) + answers
        bits[true_bits] = coins.flip(self.threshold_if_true, len(answers))
        return self._pack(bits)


@dataclass(frozen=True)
class BitFlips(BitMechanism):
    """Any-of: a bit per option, at most `max_selected` of them true.

    Answers: zeros and ones, shape (n, n_values). `max_selected` in [1, n_values].
    """

    max_selected: int = 1
    takes_rows: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        check_integer("max_selected", self.max_selected, 1, self.n_values)

    def parameters(self) -> dict[str, int]:
        return super().parameters() | {"max_selected": self.max_selected}

    @property
    def _max_differences(self) -> list[tuple[int, int]]:
        most = self.max_selected
        fewest = min(most, self.n_values - most)  # options left to gain when `most` others are lost
        return [(most, fewest), (fewest, most)]

    def _perturb_rows(self, answers: NDArray[Any], coins: Coins) -> Bytes:
        return self._pack(self._flip(answers.ravel(), coins))

    def _check_answers(self, answers: ArrayLike) -> NDArray[Any]:
        expected = f"answers must be zeros and ones, shape (n, {self.n_values})."
        given = read_array(answers, expected)
        if given.shape == (0,):  # an empty list
            given = given.reshape(0, self.n_values)
        selected = given.astype(np.bool_)
        if given.shape[1:] != (self.n_values,) or not np.array_equal(selected, given):
            raise AnswerError("$", expected)
        if selected.size and selected.sum(axis=1).max() > self.max_selected:
            raise AnswerError("$", f"at most {self.max_selected} options may be selected.")
        return selected
