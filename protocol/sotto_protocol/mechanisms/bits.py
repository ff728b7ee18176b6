"""Mechanisms that report one noisy bit per value: yes-no coins, unary encodings (RAPPOR's), any-of flips.

Each bit of the true answer is replaced by a coin: heads with `threshold_if_true` where the bit is one, with
`threshold_if_other` where it is zero. RAPPOR (Erlingsson, Pihur & Korolova 2014) calls that the permanent randomized
response, and can put an instantaneous one behind it: in every report each permanent bit is replaced by a fresh coin,
heads with `report_if_one` or `report_if_zero`. The mechanisms differ in the answers that they take, and so in epsilon.
Packed, value v is bit v mod 8 (the least significant is 0) of byte v // 8; the bits behind the last value are zero.
"""

import base64
import binascii
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property, reduce
from operator import or_
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sotto_protocol.bounds import add_above, float_above, log_ratio_above, multiply_above
from sotto_protocol.coins import COIN_SCALE, Coins
from sotto_protocol.errors import AnswerError
from sotto_protocol.mechanisms.mechanism import (
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
from sotto_protocol.mechanisms.ones import count_ones
from sotto_protocol.mechanisms.plausible import PlausibleOnes, plausible_ones

_SQUARE = COIN_SCALE * COIN_SCALE  # two thresholds multiplied are out of so many


@dataclass(frozen=True)
class BitMechanism(Mechanism):
    """A coin per value. `threshold_if_other < threshold_if_true`, both in [1, 2**32 - 1].

    The same holds of `report_if_zero` and `report_if_one`, the instantaneous stage; 0 and 2**32 leave it out.
    """

    name: str
    n_values: int
    threshold_if_true: int
    threshold_if_other: int
    report_if_one: int = COIN_SCALE
    report_if_zero: int = 0

    def __post_init__(self) -> None:
        check_integer("n_values", self.n_values, 1, MAX_VALUES)
        true = check_threshold("threshold_if_true", self.threshold_if_true)
        other = check_threshold("threshold_if_other", self.threshold_if_other)
        if other >= true:
            raise ValueError(f"threshold_if_other ({other}) must be below threshold_if_true ({true}).")
        if self.has_two_stages:
            one = check_threshold("report_if_one", self.report_if_one)
            zero = check_threshold("report_if_zero", self.report_if_zero)
            if zero >= one:
                raise ValueError(f"report_if_zero ({zero}) must be below report_if_one ({one}).")

    @cached_property
    def has_two_stages(self) -> bool:
        """Whether permanent responses go through fresh coins in every report."""
        return (self.report_if_one, self.report_if_zero) != (COIN_SCALE, 0)

    @property
    @abstractmethod
    def _max_differences(self) -> list[tuple[int, int]]:
        """The extreme numbers of bits (lost, gained) by which two answers can differ."""

    @cached_property
    def epsilon(self) -> Decimal:
        """The largest log-ratio of a report's probabilities under two answers, rounded up."""
        return self._bound(self._reported(self.threshold_if_true), self._reported(self.threshold_if_other), _SQUARE)

    @cached_property
    def epsilon_forever(self) -> Decimal:
        """That of a permanent response, of which reports are only noisier views, however many there are."""
        return self._bound(self.threshold_if_true, self.threshold_if_other, COIN_SCALE)

    def _bound(self, true: int, other: int, scale: int) -> Decimal:
        """Return the largest log-ratio of two answers' bits, ones with probability true / scale or other / scale.

        A bit that one answer has and the other lacks contributes at most ln(true / other), one that it lacks and the
        other has at most ln((1 - other) / (1 - true)); coins are independent, so the contributions add up.
        """
        per_lost = log_ratio_above(true, other)
        per_gained = log_ratio_above(scale - other, scale - true)
        return max(
            add_above(multiply_above(lost, per_lost), multiply_above(gained, per_gained))
            for lost, gained in self._max_differences
        )

    def _reported(self, permanent: int) -> int:
        """Return P(a reported bit is one), out of 2**64, of a bit whose permanent one has this threshold."""
        return permanent * self.report_if_one + (COIN_SCALE - permanent) * self.report_if_zero

    @property
    def n_bytes(self) -> int:
        return self._block_bytes

    @property
    def n_blocks(self) -> int:
        """How many filters of n_values bits a report holds."""
        return 1

    @property
    def _block_bytes(self) -> int:
        """The bytes that n_values bits take."""
        return (self.n_values + 7) // 8

    @property
    def prob_support_if_true(self) -> float:
        return self._reported(self.threshold_if_true) / _SQUARE

    @property
    def prob_support_if_other(self) -> float:
        return self._reported(self.threshold_if_other) / _SQUARE

    @property
    @abstractmethod
    def n_true(self) -> tuple[int, int]:
        """The fewest and the most true bits that an answer can have, in every filter."""

    @cached_property
    def _plausible(self) -> PlausibleOnes:
        true, other = self._reported(self.threshold_if_true), self._reported(self.threshold_if_other)
        return plausible_ones(self.n_values, self.n_true, true, other, _SQUARE, self.n_blocks)

    @property
    def prob_implausible(self) -> float:
        return float_above(self._plausible.prob_outside)

    def count_implausible(self, reports: Bytes) -> int:
        """Count the reports of which a filter has a number of ones in a far tail: see `plausible_ones`."""
        if not (len(reports) and self._plausible.prob_outside):
            return 0
        width = self._block_bytes
        filters = (reports[:, start : start + width] for start in range(self.group_bytes, self.n_bytes, width))
        return int(np.count_nonzero(reduce(or_, map(self._plausible.are_outside, filters))))

    def parameters(self) -> dict[str, int]:
        permanent = {"threshold_if_true": self.threshold_if_true, "threshold_if_other": self.threshold_if_other}
        instant = {"report_if_one": self.report_if_one, "report_if_zero": self.report_if_zero}
        return permanent | (instant if self.has_two_stages else {})

    def count_support(self, reports: Bytes) -> Counts:
        return count_ones(reports)[: self.n_values]

    def to_wire(self, report: Bytes) -> Any:
        return base64.b64encode(report.tobytes()).decode("ascii")

    def from_wire(self, values: Sequence[Any]) -> Bytes:
        """Unpack canonical base64 (RFC 4648, padded) of exactly n_bytes, spare bits zero."""
        rows = bytearray()
        for index, value in enumerate(values):
            row = decode_base64(value)
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
        return replace_bits(is_true, self.threshold_if_true, self.threshold_if_other, coins)

    def _report_rows(self, permanent: Bytes, coins: Coins) -> Bytes:
        if not self.has_two_stages:
            return permanent
        bits = np.unpackbits(permanent, axis=1, count=self.n_values, bitorder="little").view(np.bool_)
        return self._pack(replace_bits(bits.ravel(), self.report_if_one, self.report_if_zero, coins))

    def _pack(self, bits: NDArray[np.bool_]) -> Bytes:
        if self.n_values % 8 == 0:  # no spare bits: rows can be packed as one run, which is faster
            return np.packbits(bits, bitorder="little").reshape(-1, self._block_bytes)
        return np.packbits(bits.reshape(-1, self.n_values), axis=1, bitorder="little")


def replace_bits(is_one: NDArray[np.bool_], if_one: int, if_zero: int, coins: Coins) -> NDArray[np.bool_]:
    """Return a coin for every bit, by thresholds out of 2**32, shape (n,).

    Both coins are drawn for each: their number does not depend on the bits.
    """
    zeros = coins.flip(if_zero, is_one.size)
    ones = coins.flip(if_one, is_one.size)
    # A choice without a branch: np.where takes 30 times as long on coins.
    return zeros ^ ((zeros ^ ones) & is_one)


def decode_base64(value: Any) -> bytes | None:
    """Return the bytes of canonical base64 (RFC 4648, padded), None for anything else."""
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

    @property
    def n_true(self) -> tuple[int, int]:
        return 0, 1

    def _check_answers(self, answers: ArrayLike) -> NDArray[Any]:
        return check_choices(answers, 2)

    def _respond_rows(self, rows: NDArray[Any], coins: Coins) -> Bytes:
        return self._flip(rows.astype(np.bool_), coins).view(np.uint8).reshape(-1, 1)

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

    @property
    def n_true(self) -> tuple[int, int]:
        return 1, 1

    def _check_answers(self, answers: ArrayLike) -> NDArray[Any]:
        return check_choices(answers, self.n_values)

    def _respond_rows(self, rows: NDArray[Any], coins: Coins) -> Bytes:
        bits = coins.flip(self.threshold_if_other, len(rows) * self.n_values)
        true_bits = np.arange(0, len(bits), self.n_values, dtype=np.uint64) + rows
        bits[true_bits] = coins.flip(self.threshold_if_true, len(rows))
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

    @property
    def n_true(self) -> tuple[int, int]:
        return 0, self.max_selected

    def _respond_rows(self, rows: NDArray[Any], coins: Coins) -> Bytes:
        return self._pack(self._flip(rows.ravel(), coins))

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
