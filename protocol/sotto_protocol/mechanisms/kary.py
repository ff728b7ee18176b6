"""k-ary randomized response: the truth with one probability, any other option with the rest.

Kairouz, Oh & Viswanath 2014; also called generalised or direct randomized response. Packed, a report is the option's
number in the fewest whole bytes, big-endian.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from math import floor
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sotto_protocol.bounds import exp_below, log_ratio_above
from sotto_protocol.coins import COIN_SCALE, Coins
from sotto_protocol.documents import Fields
from sotto_protocol.errors import ReportError
from sotto_protocol.mechanisms.checks import BadValueError, check_choices, check_integer, check_threshold
from sotto_protocol.mechanisms.mechanism import COINS_PER_CHUNK, MAX_VALUES, Bytes, ChoiceMechanism, Counts, Part
from sotto_protocol.mechanisms.thresholds import check_epsilon
from sotto_protocol.words import roughly, times


@dataclass(frozen=True)
class KaryResponse(ChoiceMechanism):
    """One-of: report the true option with probability threshold_if_true / 2**32, else another, uniformly.

    Answers: integers in [0, n_values), shape (n,). `n_values` in [2, 65536].
    """

    name: str
    n_values: int
    threshold_if_true: int

    def __post_init__(self) -> None:
        check_integer("n_values", self.n_values, 2, MAX_VALUES)
        true = check_threshold("threshold_if_true", self.threshold_if_true)
        if true * self.n_values <= COIN_SCALE:
            raise ValueError(
                f"threshold_if_true ({true}) must be above 2**32 / {self.n_values}: "
                "the truth must be the likeliest report."
            )

    @cached_property
    def epsilon(self) -> Decimal:
        """ln(P(true) / P(one other)), rounded up."""
        others = COIN_SCALE - self.threshold_if_true
        return log_ratio_above(self.threshold_if_true * (self.n_values - 1), others)

    @property
    def n_bytes(self) -> int:
        return 1 if self.n_values <= 256 else 2

    @property
    def prob_support_if_true(self) -> float:
        return self.threshold_if_true / COIN_SCALE

    @property
    def prob_support_if_other(self) -> float:
        return (COIN_SCALE - self.threshold_if_true) / (COIN_SCALE * (self.n_values - 1))

    def parameters(self) -> dict[str, int]:
        return {"threshold_if_true": self.threshold_if_true}

    @classmethod
    def read_parameters(cls, fields: Fields, name: str, n_options: int) -> dict[str, int]:
        return {"n_values": n_options, "threshold_if_true": fields.integer("threshold_if_true", 1, COIN_SCALE - 1)}

    def check_design(self) -> None:
        """Any threshold that it can have is k-ary's."""

    @property
    def _coins_per_answer(self) -> int:
        return 4  # the lie's coin, and the bytes of a uniform integer

    def _check_answers(self, answers: ArrayLike) -> NDArray[Any]:
        return check_choices(answers, self.n_values)

    def _respond_rows(self, rows: NDArray[Any], coins: Coins) -> Bytes:
        true: NDArray[Any] = rows.astype(self._dtype)
        lie = ~coins.flip(self.threshold_if_true, len(true))
        other: NDArray[Any] = coins.uniform(self.n_values - 1, len(true)).astype(self._dtype)
        other += other >= true  # the others are 0, 1, .. without the true one
        reported = true + (other - true) * lie  # modulo 2**8 or 2**16: the true one, or the other
        packed: Bytes = reported.astype(self._dtype).view(np.uint8)
        return packed.reshape(-1, self.n_bytes)

    def count_support(self, reports: Bytes) -> Counts:
        counts = np.zeros(self.n_values, np.int64)
        for start in range(0, len(reports), COINS_PER_CHUNK):
            chunk = np.ascontiguousarray(reports[start : start + COINS_PER_CHUNK])
            counted = np.bincount(chunk.view(self._dtype).ravel(), minlength=self.n_values)
            if len(counted) > self.n_values:
                raise ReportError("$", f"packed reports must be numbers in [0, {self.n_values - 1}].")
            counts += counted
        return counts

    def check_counts(self, counts: Counts, n_reports: int) -> None:
        # Added up as Python's integers: 4096 counts of 2**53 overflow 64 bits.
        if sum(counts.tolist()) != n_reports:
            raise ValueError(f"must add up to n_reports ({n_reports}).")

    def to_wire(self, report: Bytes) -> Any:
        return int.from_bytes(report.tobytes(), "big")

    def longest_report(self) -> Bytes:
        return np.frombuffer((self.n_values - 1).to_bytes(self.n_bytes, "big"), np.uint8)

    def from_wire(self, values: Sequence[Any]) -> Bytes:
        for index, value in enumerate(values):
            if type(value) is not int or not 0 <= value < self.n_values:
                raise BadValueError(index, f"an integer in [0, {self.n_values - 1}]")
        return np.array(values, self._dtype).view(np.uint8).reshape(-1, self.n_bytes)

    def supported(self, report: Bytes) -> list[int]:
        return [self.to_wire(report)]

    @property
    def _dtype(self) -> np.dtype[Any]:
        return np.dtype(np.uint8 if self.n_bytes == 1 else ">u2")

    def likelihood(self, reports: Bytes) -> NDArray[np.floating]:
        reported = np.ascontiguousarray(reports).view(self._dtype).ravel().astype(np.intp)
        likelihood = np.full((len(reports), self.n_values), self.prob_support_if_other)
        likelihood[np.arange(len(reports)), reported] = self.prob_support_if_true
        return likelihood

    def parts(self) -> list[Part]:
        return [Part("value", self.n_bytes, is_number=True)]

    def what_happens(self) -> str:
        n_others = self.n_values - 1
        others = "the other one is" if n_others == 1 else f"one of the other {n_others} is, each as likely"
        return f"The option that you choose is reported {times(self.prob_support_if_true)}; otherwise {others}."

    def in_short(self) -> str:
        lost = roughly(1 - self.prob_support_if_true)
        return f"Your device rolls a die: {lost} it sends another option, drawn at random."


def k_ary(n_options: int, epsilon: Decimal) -> KaryResponse:
    """Return k-ary randomized response: the truth with probability e^epsilon / (e^epsilon + k - 1)."""
    odds = exp_below(check_epsilon(epsilon))
    return KaryResponse("k-ary", n_options, floor(COIN_SCALE * odds / (odds + n_options - 1)))
