"""What mechanisms for numbers have in common: a number is rounded at random to a level, and an output is drawn for it.

Levels are evenly spaced from the least number to the greatest. The mean of a rounded number is the number, exactly. An
output has a score, whose mean is affine in the level. So the mean of scores says the mean of the numbers.
"""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sotto_protocol.bounds import log_ratio_above
from sotto_protocol.coins import COIN_SCALE, Coins
from sotto_protocol.language import ENGLISH, Language
from sotto_protocol.mechanisms.checks import check_choices
from sotto_protocol.mechanisms.columns import LabelledColumn
from sotto_protocol.mechanisms.mechanism import Bytes, Ends
from sotto_protocol.mechanisms.numbers import NumberResponse
from sotto_protocol.mechanisms.window_words import RoundingWords

MAX_SPAN = COIN_SCALE - 1
"""The most steps that a range of numbers can have."""
MAX_LEVELS = 1024
_SELDOM = 10
"""What shows once in so many times is put into words."""
_ALL = 2**16
"""Numbers of so many steps or more are as good as all between."""


class LevelResponse(NumberResponse):
    """A number: integers in [0, span], shape (n,), which are steps above the least number. Outputs are counted."""

    __slots__ = ()

    span: int

    @property
    @abstractmethod
    def levels(self) -> int:
        """How many numbers there are to round to, evenly spaced from the least to the greatest."""

    @property
    @abstractmethod
    def channel(self) -> NDArray[np.float64]:
        """P(output | level), shape (n_outputs, levels)."""

    @property
    @abstractmethod
    def scores(self) -> Sequence[int]:
        """What each output is worth, in a unit of its own."""

    @property
    @abstractmethod
    def mean_output(self) -> tuple[Fraction, Fraction]:
        """The mean score at the least number, and how much it is above that at the greatest; linear between."""

    @property
    def bias(self) -> Fraction:
        """How far the mean score may be from that line at any level, as a share of the line's rise."""
        return Fraction(0)

    @property
    def prob_repeated(self) -> Fraction:
        """P(a report repeats the permanent response), which with one stage it always does."""
        return Fraction(1)

    @abstractmethod
    def ends_of(self, output: int) -> tuple[int, int]:
        """Return the first and the last level that an output stands for."""

    @property
    @abstractmethod
    def odds(self) -> Fraction:
        """The largest ratio of an output's probabilities, at any two levels."""

    @property
    def epsilon_of_neighbours(self) -> Decimal:
        return self.epsilon_within(1)

    def epsilon_within(self, n_steps: int) -> Decimal:
        """Return the privacy loss of one report between two numbers that are at most so many steps apart, rounded up.

        They move that share of a number's rounding from one level to the next; with a whole level all of it.
        """
        return log_ratio_above(*(1 + self.prob_moved(n_steps) * (self.odds - 1)).as_integer_ratio())

    def prob_moved(self, n_steps: int) -> Fraction:
        """Return the probability that answers of a device which lie at most so many steps apart share no level.

        If they share one, all reports are as if the answer had stayed the same. For rounding is drawn once: the levels
        of two numbers differ by the whole part of their distance in levels, or by one more.
        """
        return min(Fraction(n_steps * (self.levels - 1), self.span), Fraction(1))

    @property
    def shown_change(self) -> tuple[int, Fraction] | None:
        most = max(1, self.span // (_SELDOM * (self.levels - 1)))
        return (most, self.prob_moved(most)) if self.prob_moved(most) < 1 else None

    @property
    @abstractmethod
    def worst_variance(self) -> float:
        """The largest variance of one report, debiased, of a number in [0, 1]; its rounding's and the device's.

        Of the numbers that can be answered; of more than 65536, of all between them too, which is as much.
        """

    def _check_answers(self, answers: ArrayLike) -> NDArray[Any]:
        return check_choices(answers, self.span + 1)

    def _check_settled(self, settled: ArrayLike) -> NDArray[Any]:
        return check_choices(settled, self.levels)

    def settle(self, answers: ArrayLike, coins: Coins) -> NDArray[Any]:
        """Return levels, shape (n,): the one below or above, so that their mean is the number, exactly."""
        scaled = self._check_answers(answers).astype(np.int64) * (self.levels - 1)
        below, rest = np.divmod(scaled, self.span)
        return below + (coins.uniform(self.span, len(scaled)) < rest)

    def decode(self, report: Bytes, labels: Sequence[str]) -> Any:
        """Return the output, and from which number to which it speaks for, in whole steps."""
        output = self.to_wire(report)
        half = self.levels - 1  # two halves of what a level is a part of
        first, last = ((2 * at * self.span + half) // (2 * half) for at in self.ends_of(output))
        return {"output": output, "from": first, "to": last}

    def telling_count(self) -> tuple[float, float]:
        """How many outputs are high, of the greatest number and of the least."""
        at_least = np.cumsum(self.channel[::-1], axis=0)[::-1]
        best = int((at_least[:, -1] - at_least[:, 0]).argmax())
        return float(at_least[best, -1]), float(at_least[best, 0])

    def columns(
        self, key: str, reports: Bytes, labels: tuple[str, ...], ends: tuple[float, float]
    ) -> Iterator[LabelledColumn]:
        """Yield numbers that may lie outside of the range, and whose mean is the unbiased one."""
        (low, high), (offset, slope) = ends, map(float, self.mean_output)
        scores = np.array(self.scores, np.float64)[self.numbers(reports)]
        yield LabelledColumn(key, low + (scores - offset) / slope * (high - low))

    @abstractmethod
    def _words(self, ends: Ends, language: Language) -> RoundingWords:
        """Return what says it of numbers between these ends."""

    def what_happens(self, language: Language = ENGLISH) -> str:
        return self.what_happens_between((0, self.span), language)

    def in_short(self, language: Language = ENGLISH) -> str:
        return self.in_short_between((0, self.span), language)

    def what_happens_between(self, ends: Ends, language: Language = ENGLISH) -> str:
        return self._words(ends, language).what_happens()

    def in_short_between(self, ends: Ends, language: Language = ENGLISH) -> str:
        return self._words(ends, language).in_short()


def most_levels(span: int) -> int:
    """Return the most levels that an author may ask for: no more than there are numbers."""
    return min(MAX_LEVELS, span + 1)


def largest_variance(squares: NDArray[np.float64], span: int) -> float:
    """Return the largest variance of the places that outputs are worth, over the numbers 0, 1/span, .., 1.

    `squares`: the mean of the squared place at each level, shape (levels,); between two levels it is linear. So the
    variance is concave there, largest at an end or where its derivative is zero.
    """
    starts, rises, n_gaps = squares[:-1], np.diff(squares), len(squares) - 1
    if span < _ALL:
        numbers = np.arange(span + 1)
        below = np.minimum(numbers * n_gaps // span, n_gaps - 1)
        at = numbers * n_gaps / span - below
    else:
        below = np.arange(n_gaps)
        at = (rises * n_gaps**2 / 2 - below).clip(0, 1)
    return float((starts[below] + rises[below] * at - ((below + at) / n_gaps) ** 2).max())


def mean_variance(squares: NDArray[np.float64], span: int) -> float:
    """Return the mean of that variance over the numbers 0, 1/span, .., 1, all as many."""
    n_gaps = len(squares) - 1
    if span < _ALL:
        places = np.arange(span + 1) / span
        return float((np.interp(places * n_gaps, np.arange(n_gaps + 1), squares) - places**2).mean())
    return float((squares[:-1] + squares[1:]).mean() / 2 - 1 / 3)
