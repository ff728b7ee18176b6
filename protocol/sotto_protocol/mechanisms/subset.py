"""Subset selection: a report is a set of so many options, which the true one is in more often than any other.

Ye & Barg 2017; Wang et al. 2016. Of all channels for one-of answers none has less variance where the set has the best
size.
"""

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sotto_protocol.bounds import exp_below
from sotto_protocol.coins import COIN_SCALE, Coins
from sotto_protocol.documents import Fields
from sotto_protocol.errors import ReportError
from sotto_protocol.language import ENGLISH, Language
from sotto_protocol.mechanisms.asked import Asked
from sotto_protocol.mechanisms.checks import check_integer
from sotto_protocol.mechanisms.drawn_sets import draw_set, draw_sets, first_threshold, members_of
from sotto_protocol.mechanisms.mechanism import Bytes, Chances, Counts
from sotto_protocol.mechanisms.packed_bits import BitsResponse
from sotto_protocol.mechanisms.plausible import count_row_ones
from sotto_protocol.mechanisms.sets import SetResponse, threshold_of
from sotto_protocol.mechanisms.thresholds import check_epsilon
from sotto_protocol.words import times_above, times_below


@dataclass(frozen=True)
class SubsetResponse(BitsResponse, SetResponse):
    """One-of: `weight` different options, uniformly: with threshold_if_true / 2**32 the true one and others.

    Answers: integers in [0, n_values), shape (n,). `weight` in [1, max(1, n_values // 2)]; of one, the channel is
    k-ary's.
    """

    weight: int

    def _check_shape(self) -> None:
        check_integer("weight", self.weight, 1, most_weight(self.n_values))

    @property
    def odds_against(self) -> Fraction:
        return Fraction(self.n_values - self.weight, self.weight)

    @property
    def shared(self) -> Fraction:
        return Fraction(self.weight - 1, self.n_values - 1)

    @property
    def names_one(self) -> bool:
        return self.weight == 1

    @property
    def n_drawn(self) -> int:
        return self.weight

    @property
    def prob_support_both(self) -> tuple[float, float]:
        true, k, weight = self.prob_support_if_true, self.n_values, self.weight
        pairs = true * (weight - 1) * (weight - 2) + (1 - true) * weight * (weight - 1)
        return true * (weight - 1) / (k - 1), pairs / ((k - 1) * (k - 2)) if k > 2 else 0.0

    def union_chances(self, n_values: int) -> tuple[Chances, Chances]:
        """The others of a set are drawn without replacement: hypergeometric, beside the true one if it is there."""
        true, n_others = self.prob_support_if_true, self.n_values - 1
        if_there, if_lost = (
            [_drawn(n_others, n_marked, n_drawn) for n_drawn in (self.weight - 1, self.weight)]
            for n_marked in (n_values - 1, n_values)
        )
        size = self.weight + 1
        inside = true * np.roll(_padded(if_there[0], size), 1) + (1 - true) * _padded(if_there[1], size)
        outside = true * _padded(if_lost[0], size) + (1 - true) * _padded(if_lost[1], size)
        return inside, outside

    def parameters(self) -> dict[str, int]:
        return {"threshold_if_true": self.threshold_if_true, "weight": self.weight}

    @classmethod
    def read_parameters(cls, fields: Fields, name: str, n_options: int) -> dict[str, int]:
        threshold = fields.integer("threshold_if_true", 1, COIN_SCALE - 1)
        weight = fields.integer("weight", 1, most_weight(n_options))
        return {"n_values": n_options, "threshold_if_true": threshold, "weight": weight}

    @cached_property
    def _first(self) -> int:
        return first_threshold(self.weight, self.n_values)

    def _respond_rows(self, rows: NDArray[Any], coins: Coins) -> Bytes:
        """Draw a set of the others, all as large, and put the true one in the place of one of them, or not.

        How much is drawn says nothing of the coin, nor of the answer.
        """
        if len(rows) == 1:
            return self._respond_one(int(rows[0]), coins).reshape(1, -1)
        return self._respond_all(rows, coins)

    def _respond_all(self, rows: NDArray[Any], coins: Coins) -> Bytes:
        n_others, every = self.n_values - 1, np.arange(len(rows))
        has_true = coins.flip(self.threshold_if_true, len(rows))
        bits = np.zeros((len(rows), self.n_values), np.bool_)
        members = draw_sets(bits, self.weight, n_others, self._first, coins)
        bits.ravel()[members[every * self.weight + coins.uniform(self.weight, len(rows))]] = ~has_true
        # The others are 0, 1, .. with the last one in the place of the true one.
        bits[:, n_others] = bits[every, rows]
        bits[every, rows] = has_true
        return np.packbits(bits, axis=1, bitorder="little")

    def _respond_one(self, answer: int, coins: Coins) -> Bytes:
        """Return one response, shape (n_bytes,), by the very coins that a batch of one takes: faster for one."""
        n_others = self.n_values - 1
        has_true = coins.flip_few(self.threshold_if_true, 1)[0]
        bits = draw_set(self.weight, n_others, self._first, coins)
        bits[members_of(bits, self.weight)[coins.uniform_one(self.weight)]] = not has_true
        bits.append(bits[answer] if answer < n_others else 0)
        bits[answer] = has_true
        return np.packbits(np.frombuffer(bits, np.uint8), bitorder="little")

    def check_counts(self, counts: Counts, n_reports: int) -> None:
        if sum(counts.tolist()) != self.weight * n_reports:
            raise ValueError(f"must add up to {self.weight} times n_reports ({n_reports}).")

    def _are_impossible(self, reports: Bytes) -> NDArray[np.bool_]:
        impossible: NDArray[np.bool_] = count_row_ones(reports) != self.weight
        return impossible

    @property
    def _expected(self) -> str:
        expected = f"canonical base64 of {self.n_values} bits, exactly {self.weight} of them set"
        return f"{expected}, in {self.n_bytes} bytes, spare bits zero"

    def supports(self, reports: Bytes) -> NDArray[np.bool_]:
        if self._are_impossible(reports).any():
            raise ReportError("$", f"packed reports must be sets of {self.weight} options.")
        return np.unpackbits(reports, axis=1, count=self.n_values, bitorder="little").view(np.bool_)

    def what_happens(self, language: Language = ENGLISH) -> str:
        return language.gettext(
            "Your device sends %(weight)s of the %(n)s options. The option you choose is one of them %(true)s. "
            "Each other option is one of them %(other)s.",
            n=self.n_values,
            weight=self.weight,
            true=times_above(self.prob_support_if_true, language),
            other=times_below(self.prob_support_if_other, language),
        )

    def in_short(self, language: Language = ENGLISH) -> str:
        return language.gettext(
            "Your device picks %(weight)s of the %(n)s options at random and sends them. Your option is missing "
            "%(lost)s.",
            n=self.n_values,
            weight=self.weight,
            lost=times_below(1 - self.prob_support_if_true, language),
        )


def _drawn(n_all: int, n_marked: int, n_drawn: int) -> list[float]:
    """Return how likely 0, 1, .. n_drawn of those drawn of n_all without replacement are marked."""
    ways = comb(n_all, n_drawn)
    return [comb(n_marked, k) * comb(n_all - n_marked, n_drawn - k) / ways for k in range(n_drawn + 1)]


def _padded(chances: list[float], size: int) -> Chances:
    return np.array(chances + [0.0] * (size - len(chances)))


def most_weight(n_options: int) -> int:
    """Return the largest weight that is taken: no larger one is ever best, and drawing it takes long."""
    return max(1, n_options // 2)


def best_subset(n_options: int, epsilon: Decimal) -> SubsetResponse | None:
    """Return subset selection of the weight with the least variance; None where that is one, which k-ary is."""
    weight = best_weight(n_options, epsilon)
    return None if weight == 1 else subset(n_options, epsilon, weight)


def subset(n_options: int, epsilon: Decimal, weight: int) -> SubsetResponse:
    """Return subset selection of a weight in [1, max(1, n_options // 2)]."""
    threshold = threshold_of(epsilon, Fraction(n_options - weight, weight))
    return SubsetResponse("subset", n_options, threshold, weight)


def best_weight(n_options: int, epsilon: Decimal) -> int:
    """Return the weight of the least `report_variance`; it is next to k / (e^epsilon + 1) (Ye & Barg 2017)."""
    weights = np.arange(1, most_weight(n_options) + 1)
    inside = float(exp_below(check_epsilon(epsilon))) * weights
    true = inside / (inside + n_options - weights)
    other = (weights - true) / (n_options - 1)
    noise = true * (1 - true) + (n_options - 1) * other * (1 - other)
    return int(weights[np.argmin(noise / (true - other) ** 2)])


def ask_subset(asked: Asked) -> SubsetResponse:
    """Return subset selection as an author asks for it."""
    epsilon = asked.require_epsilon()
    if asked.has("weight"):
        return subset(asked.n_options, epsilon, asked.fields.integer("weight", 1, most_weight(asked.n_options)))
    return subset(asked.n_options, epsilon, best_weight(asked.n_options, epsilon))
