"""k-ary randomized response: the truth with one probability, any other option with the rest.

Kairouz, Oh & Viswanath 2014; also called generalised or direct randomized response. A report is the option's number.
"""

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sotto_protocol.coins import COIN_SCALE, Coins
from sotto_protocol.documents import Fields
from sotto_protocol.mechanisms.mechanism import Bytes, Counts
from sotto_protocol.mechanisms.numbers import NumberResponse
from sotto_protocol.mechanisms.sets import SetResponse, threshold_of
from sotto_protocol.words import roughly, times


class KaryResponse(NumberResponse, SetResponse):
    """One-of: report the true option with probability threshold_if_true / 2**32, else another, uniformly.

    Answers: integers in [0, n_values), shape (n,). `n_values` in [2, 65536].
    """

    def _check_shape(self) -> None:
        """Any number of options can be told apart."""

    @property
    def n_outputs(self) -> int:
        return self.n_values

    @property
    def odds_against(self) -> Fraction:
        return Fraction(self.n_values - 1)

    @property
    def shared(self) -> Fraction:
        return Fraction(0)

    def parameters(self) -> dict[str, int]:
        return {"threshold_if_true": self.threshold_if_true}

    @classmethod
    def read_parameters(cls, fields: Fields, name: str, n_options: int) -> dict[str, int]:
        return {"n_values": n_options, "threshold_if_true": fields.integer("threshold_if_true", 1, COIN_SCALE - 1)}

    @property
    def _coins_per_answer(self) -> int:
        return 4  # the lie's coin, and the bytes of a uniform integer

    def _respond_rows(self, rows: NDArray[Any], coins: Coins) -> Bytes:
        true: NDArray[Any] = rows.astype(self._dtype)
        lie = ~coins.flip(self.threshold_if_true, len(true))
        other: NDArray[Any] = coins.uniform(self.n_values - 1, len(true)).astype(self._dtype)
        other += other >= true  # the others are 0, 1, .. without the true one
        return self._pack(true + (other - true) * lie)  # modulo 2**8 or 2**16: the true one, or the other

    def count_support(self, reports: Bytes) -> Counts:
        return self.count_outputs(reports)

    def check_counts(self, counts: Counts, n_reports: int) -> None:
        # Added up as Python's integers: 4096 counts of 2**53 overflow 64 bits.
        if sum(counts.tolist()) != n_reports:
            raise ValueError(f"must add up to n_reports ({n_reports}).")

    def supported(self, report: Bytes) -> list[int]:
        return [self.to_wire(report)]

    def _supports(self, reports: Bytes) -> NDArray[np.bool_]:
        supports: NDArray[np.bool_] = self.numbers(reports)[:, None] == np.arange(self.n_values)
        return supports

    def what_happens(self) -> str:
        n_others = self.n_values - 1
        others = "the other one is" if n_others == 1 else f"one of the other {n_others} is, each as likely"
        return f"The option that you choose is reported {times(self.prob_support_if_true)}; otherwise {others}."

    def in_short(self) -> str:
        lost = roughly(1 - self.prob_support_if_true)
        return f"Your device rolls a die: {lost} it sends another option, drawn at random."


def k_ary(n_options: int, epsilon: Decimal) -> KaryResponse:
    """Return k-ary randomized response: the truth with probability e^epsilon / (e^epsilon + k - 1)."""
    return KaryResponse("k-ary", n_options, threshold_of(epsilon, Fraction(n_options - 1)))
