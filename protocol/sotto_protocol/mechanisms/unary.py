"""One-of by one bit an option, one of them true: one-hot RAPPOR, symmetric (SUE) or optimised (OUE)."""

from dataclasses import asdict, replace
from decimal import Decimal
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sotto_protocol.bounds import divide_below, exp_below
from sotto_protocol.coins import COIN_SCALE, Coins
from sotto_protocol.language import ENGLISH, Language, mark
from sotto_protocol.mechanisms.asked import Asked
from sotto_protocol.mechanisms.bits import RAPPOR, OptionBits
from sotto_protocol.mechanisms.checks import check_choices
from sotto_protocol.mechanisms.mechanism import Bytes, Chances, ChoiceMechanism
from sotto_protocol.mechanisms.thresholds import (
    Stages,
    check_epsilon,
    check_epsilons,
    second_threshold,
    symmetric_thresholds,
)
from sotto_protocol.words import times_above, times_below


class UnaryEncoding(OptionBits, ChoiceMechanism):
    """One-of: a bit per option, one of them true (one-hot RAPPOR, Erlingsson et al. 2014; Wang et al. 2017).

    Answers: integers in [0, n_values), shape (n,). Two answers differ in exactly one bit lost and one gained.
    """

    @property
    def _max_differences(self) -> list[tuple[int, int]]:
        return [(1, 1)]

    @property
    def n_true(self) -> tuple[int, int]:
        return 1, 1

    @property
    def n_drawn(self) -> int:
        return 0

    @property
    def prob_support_both(self) -> tuple[float, float]:
        true, other = self.prob_support_if_true, self.prob_support_if_other
        return true * other, other**2

    def union_chances(self, n_values: int) -> tuple[Chances, Chances]:
        true, other = self.prob_support_if_true, self.prob_support_if_other
        outside = np.array([1.0])
        for _ in range(n_values - 1):
            outside = np.convolve(outside, [1 - other, other])
        return np.convolve(outside, [1 - true, true]), np.convolve(outside, [1 - other, other])

    def _check_answers(self, answers: ArrayLike) -> NDArray[Any]:
        return check_choices(answers, self.n_values)

    def _respond_rows(self, rows: NDArray[Any], coins: Coins) -> Bytes:
        bits = coins.flip(self.threshold_if_other, len(rows) * self.n_values)
        true_bits = np.arange(0, len(bits), self.n_values, dtype=np.uint64) + rows
        bits[true_bits] = coins.flip(self.threshold_if_true, len(rows))
        return self._pack(bits)

    def check_design(self) -> None:
        if self.name != "oue":
            super().check_design()
        elif self.threshold_if_true != COIN_SCALE // 2:
            raise ValueError(f"threshold_if_true ({self.threshold_if_true}) of oue must be {COIN_SCALE // 2}.")

    def likelihood(self, reports: Bytes) -> NDArray[np.floating]:
        """Options differ in one bit each: as against no bit at all, by the bit's odds."""
        bits = np.unpackbits(reports, axis=1, count=self.n_values, bitorder="little")
        true, other = self.prob_support_if_true, self.prob_support_if_other
        return np.array([(1 - true) / (1 - other), true / other])[bits]

    def what_happens(self, language: Language = ENGLISH) -> str:
        together = mark(
            "Both steps together: for the option you choose, your device sends yes %(true)s. For each other "
            "option, it sends yes %(other)s."
        )
        if self.name in RAPPOR or self.has_two_stages:
            drawn = mark(
                "First, it makes a lasting yes or no for each at random, only once. For the option you choose, "
                "that is yes %(true)s. For each other option, it is yes %(other)s."
            )
            return language.text([self._say_each(language), self._say_stages(language, drawn, together)])
        said = language.gettext(
            "For the option you choose, it sends yes %(true)s. For each other option, it sends yes %(other)s.",
            true=times_above(self.prob_support_if_true, language),
            other=times_below(self.prob_support_if_other, language),
        )
        return language.text([self._say_each(language), said])


def symmetric_unary(n_options: int, epsilon: Decimal) -> UnaryEncoding:
    """Return one-hot RAPPOR with symmetric flips (SUE): two bits differ, each takes epsilon / 2."""
    per_bit = divide_below(check_epsilon(epsilon), 2)
    return UnaryEncoding("sue", n_options, *symmetric_thresholds(per_bit))


def optimised_unary(n_options: int, epsilon: Decimal) -> UnaryEncoding:
    """Return optimised unary encoding (OUE, Wang et al. 2017): a fair coin if true, else 1 / (e^epsilon + 1)."""
    other = ceil(COIN_SCALE / (exp_below(check_epsilon(epsilon)) + 1))
    return UnaryEncoding("oue", n_options, COIN_SCALE // 2, other)


def optimised_unary_in_waves(n_options: int, epsilon: Decimal, epsilon_forever: Decimal) -> UnaryEncoding:
    """Return optimised unary encoding behind symmetric flips (L-OSUE, Arcolezi et al. 2022), whose reports are OUE's.

    `epsilon` is that of one report, `epsilon_forever` that of all reports of one answer, above it.
    """
    asked = check_epsilons(epsilon, epsilon_forever)
    permanent = optimised_unary(n_options, epsilon_forever)
    one = second_threshold(COIN_SCALE - permanent.threshold_if_other, exp_below(epsilon), asked)
    return replace(permanent, report_if_one=one, report_if_zero=COIN_SCALE - one)


def basic_one_of(n_options: int, stages: Stages) -> UnaryEncoding:
    """Return basic RAPPOR of a one-of question: a bit an option, no hash."""
    return UnaryEncoding("basic-rappor", n_options, **asdict(stages))


def basic_in_waves(n_options: int, epsilon: Decimal, epsilon_forever: Decimal) -> UnaryEncoding:
    """Return basic RAPPOR of a one-of question, of both epsilons."""
    return basic_one_of(n_options, Stages.of_epsilons(2, epsilon, epsilon_forever))


def ask_basic_rappor(asked: Asked) -> UnaryEncoding:
    """Return basic RAPPOR as an author asks for it."""
    return basic_one_of(asked.n_options, asked.stages(2))
