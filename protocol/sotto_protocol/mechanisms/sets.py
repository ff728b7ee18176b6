"""Set responses: a report is one of many outputs, and each answer is supported by a set of them, all as large.

One coin says whether a report is drawn uniformly from those that support the answer, or uniformly from all others. So a
report has one of two probabilities under any answer, and epsilon is the logarithm of their ratio, from integers alone
(the subset and block designs of Ye & Barg 2017, and Park, Nam & Lee 2023). k-ary randomized response is one: an output
an answer. Numbers have them too, but more of the outputs that support one number support one near it than one far off.
"""

from abc import abstractmethod
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from math import floor
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sotto_protocol.bounds import exp_below, log_ratio_above
from sotto_protocol.coins import COIN_SCALE
from sotto_protocol.mechanisms.checks import check_choices, check_integer, check_threshold
from sotto_protocol.mechanisms.mechanism import MAX_VALUES, Bytes, ChoiceMechanism, Mechanism
from sotto_protocol.mechanisms.thresholds import check_epsilon
from sotto_protocol.told_apart import Outcome, Outcomes


@dataclass(frozen=True)
class OutputSets(Mechanism):
    """With threshold_if_true / 2**32 an output that supports the answer, uniformly, else another, uniformly.

    `n_values` in [2, 65536], of any-of from 1: how many values the reports are counted for.
    """

    fewest_values: ClassVar[int] = 2

    name: str
    n_values: int
    threshold_if_true: int

    def __post_init__(self) -> None:
        check_integer("n_values", self.n_values, self.fewest_values, MAX_VALUES)
        self._check_shape()
        self._check_likelier("threshold_if_true", self.threshold_if_true)

    def _check_likelier(self, name: str, threshold: int) -> None:
        if check_threshold(name, threshold) * self.odds_against <= COIN_SCALE - threshold:
            least = floor(COIN_SCALE / (1 + self.odds_against))
            raise ValueError(
                f"{name} ({threshold}) must be above {least}: the truth must be likelier than anything else."
            )

    @abstractmethod
    def _check_shape(self) -> None:
        """Raise ValueError unless there are such sets."""

    @property
    @abstractmethod
    def odds_against(self) -> Fraction:
        """How many outputs do not support an answer, for one that does."""

    @cached_property
    def truth(self) -> Fraction:
        """P(report supports the answer)."""
        return Fraction(self.threshold_if_true, COIN_SCALE)

    @cached_property
    def odds(self) -> Fraction:
        """P(one output that supports the answer) / P(one that does not)."""
        return self.truth * self.odds_against / (1 - self.truth)

    @cached_property
    def epsilon(self) -> Decimal:
        """The logarithm of the odds, rounded up."""
        return log_ratio_above(*self.odds.as_integer_ratio())

    @property
    @abstractmethod
    def shared(self) -> Fraction:
        """The share, of the outputs that support an answer, that supports the one that it is told apart from best."""

    def told_apart(self) -> Outcomes:
        """It supports the one alone, the other alone, or both, or neither: the last two as likely of either answer."""
        alone = self.truth * (1 - self.shared)
        against = alone / self.odds
        rest = 1 - alone - against
        return [Outcome(alone, against), Outcome(against, alone)] + [Outcome(rest, rest)] * (rest > 0)

    def check_design(self) -> None:
        """Any threshold that it can have is its own."""


class SetResponse(OutputSets, ChoiceMechanism):
    """One-of: an output supports an option or not, and any two options share as many of their outputs.

    Answers: integers in [0, n_values), shape (n,). `n_values` in [2, 65536].
    """

    @cached_property
    def prob_support_if_true(self) -> float:
        return float(self.truth)

    @cached_property
    def prob_support_if_other(self) -> float:
        return float(self.truth * self.shared + (1 - self.truth) * (1 - self.shared) / self.odds_against)

    @abstractmethod
    def supports(self, reports: Bytes) -> NDArray[np.bool_]: ...

    def likelihood(self, reports: Bytes) -> NDArray[np.floating]:
        """By the ratio of the two probabilities that a report has. Raises ReportError for one that cannot be."""
        return np.where(self.supports(reports), float(self.odds), 1.0)

    def _check_answers(self, answers: ArrayLike) -> NDArray[Any]:
        return check_choices(answers, self.n_values)


def threshold_of(epsilon: Decimal, odds_against: Fraction) -> int:
    """Return the largest threshold that takes at most epsilon, where so many outputs do not support an answer."""
    odds = exp_below(check_epsilon(epsilon))
    return floor(COIN_SCALE * odds / (odds + odds_against))
