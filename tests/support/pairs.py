"""A mechanism that the house does not have, as somebody would add it: a class in a file, and a row of the registry.

Subset selection (Ye & Barg 2017): a report is `WEIGHT` of k options; the true one is among them more often than not.
For tests alone: its sampler is slow.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from math import comb, floor
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sotto_protocol.bounds import exp_below, log_ratio_above
from sotto_protocol.coins import COIN_SCALE, Coins
from sotto_protocol.documents import Fields
from sotto_protocol.language import ENGLISH, Language
from sotto_protocol.mechanisms.checks import BadValueError, check_choices, check_threshold
from sotto_protocol.mechanisms.mechanism import Bytes, ChoiceMechanism, Counts, Part
from sotto_protocol.mechanisms.registry import Entry

WEIGHT = 2


@dataclass(frozen=True)
class Pairs(ChoiceMechanism):
    """One-of: `WEIGHT` options, uniformly of those sets that have the true one (by a coin), or of those that have not.

    Packed, a bit an option, of one byte: for 3 to 8 options.
    """

    name: str
    n_values: int
    threshold_if_true: int

    def __post_init__(self) -> None:
        check_threshold("threshold_if_true", self.threshold_if_true)

    @cached_property
    def epsilon(self) -> Decimal:
        with_true, without = comb(self.n_values - 1, WEIGHT - 1), comb(self.n_values - 1, WEIGHT)
        return log_ratio_above(self.threshold_if_true * without, (COIN_SCALE - self.threshold_if_true) * with_true)

    @property
    def n_bytes(self) -> int:
        return 1

    @property
    def prob_support_if_true(self) -> float:
        return self.threshold_if_true / COIN_SCALE

    @property
    def prob_support_if_other(self) -> float:
        true = self.prob_support_if_true
        return (true * (WEIGHT - 1) + (1 - true) * WEIGHT) / (self.n_values - 1)

    def parameters(self) -> dict[str, int]:
        return {"threshold_if_true": self.threshold_if_true}

    @classmethod
    def read_parameters(cls, fields: Fields, name: str, n_options: int) -> dict[str, int]:
        return {"n_values": n_options, "threshold_if_true": fields.integer("threshold_if_true", 1, COIN_SCALE - 1)}

    def check_design(self) -> None:
        """Any threshold that it can have is its own."""

    def _check_answers(self, answers: ArrayLike) -> NDArray[Any]:
        return check_choices(answers, self.n_values)

    def _respond_rows(self, rows: NDArray[Any], coins: Coins) -> Bytes:
        return np.array([[self._draw(int(answer), coins)] for answer in rows], np.uint8).reshape(-1, 1)

    def _draw(self, answer: int, coins: Coins) -> int:
        left = [value for value in range(self.n_values) if value != answer]
        is_true = bool(coins.flip(self.threshold_if_true, 1)[0])
        chosen = [answer] if is_true else []
        while len(chosen) < WEIGHT:
            chosen.append(left.pop(coins.uniform_one(len(left))))
        return sum(1 << value for value in chosen)

    def check_counts(self, counts: Counts, n_reports: int) -> None:
        if sum(counts.tolist()) != WEIGHT * n_reports:
            raise ValueError(f"must add up to {WEIGHT} times n_reports ({n_reports}).")

    def count_support(self, reports: Bytes) -> Counts:
        return np.unpackbits(reports, axis=1, count=self.n_values, bitorder="little").sum(axis=0, dtype=np.int64)

    def to_wire(self, report: Bytes) -> list[int]:
        return self.supported(report)

    def longest_report(self) -> Bytes:
        return np.array([(1 << WEIGHT) - 1], np.uint8)

    def from_wire(self, values: Sequence[Any]) -> Bytes:
        rows = []
        for index, value in enumerate(values):
            listed = value if type(value) is list and all(type(each) is int for each in value) else []
            if len(listed) != WEIGHT or sorted({*listed}) != listed or not 0 <= listed[0] <= listed[-1] < self.n_values:
                raise BadValueError(index, f"{WEIGHT} different integers in [0, {self.n_values - 1}], ascending")
            rows.append([sum(1 << each for each in listed)])
        return np.array(rows, np.uint8).reshape(-1, 1)

    def supported(self, report: Bytes) -> list[int]:
        return np.unpackbits(report, bitorder="little").nonzero()[0].tolist()

    def likelihood(self, reports: Bytes) -> NDArray[np.floating]:
        has = np.unpackbits(reports, axis=1, count=self.n_values, bitorder="little").astype(bool)
        true = self.prob_support_if_true
        among = true / comb(self.n_values - 1, WEIGHT - 1), (1 - true) / comb(self.n_values - 1, WEIGHT)
        return np.where(has, *among)

    def parts(self) -> list[Part]:
        return [Part("bits", 1, is_number=False)]

    def what_happens(self, language: Language = ENGLISH) -> str:
        return f"Your device sends {WEIGHT} of the {self.n_values} options, with yours or without."

    def in_short(self, language: Language = ENGLISH) -> str:
        return f"Your device sends {WEIGHT} of the {self.n_values} options, drawn at random."


def pairs(n_options: int, epsilon: Decimal) -> Pairs:
    """Return pairs of at most this epsilon."""
    odds = exp_below(epsilon) * comb(n_options - 1, WEIGHT - 1) / comb(n_options - 1, WEIGHT)
    return Pairs("pairs", n_options, floor(COIN_SCALE * odds / (odds + 1)))


ENTRY = Entry("pairs", "one-of", Pairs, lambda asked: pairs(asked.n_options, asked.require_epsilon()), pairs)
