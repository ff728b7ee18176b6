"""Segments: a number, rounded at random to one of a few levels, then an output that stands for a stretch of levels.

Every output is more likely, by about the same odds, at the levels of its own segment than at all others: a staircase
mechanism (Kairouz, Oh & Viswanath 2016, who show that the best ones are such). Each output is worth a number of its
own, which may lie outside of the range, as in the N-output mechanism (Baek & Chung 2025). All of it is published as a
table of integers, and whoever reads the table works out from it what it takes, and that its mean is the number.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sotto_protocol.bounds import log_ratio_above
from sotto_protocol.coins import COIN_SCALE, Coins
from sotto_protocol.documents import Fields
from sotto_protocol.language import Language
from sotto_protocol.mechanisms.checks import check_integer
from sotto_protocol.mechanisms.levels import MAX_LEVELS, MAX_SPAN, LevelResponse, largest_variance
from sotto_protocol.mechanisms.mechanism import Bytes, Ends
from sotto_protocol.mechanisms.segment_words import SegmentWords
from sotto_protocol.told_apart import Outcome, Outcomes

MAX_SEGMENTS = 1024
MAX_WORTH = 2**48
"""An output is worth at most so many 2**-32 of the range."""
MAX_BIAS = Fraction(1, 10**6)
"""The mean of a report may be off by so much of the range: a table of integers is not unbiased to the last digit."""


class Segment(NamedTuple):
    """An output, which stands for the levels `first` to `last`.

    Its probability is `inside` / 2**32 at these levels, else `outside` / 2**32. It is worth the least number and
    `worth` / 2**32 of the range.
    """

    first: int
    last: int
    inside: int
    outside: int
    worth: int


@dataclass(frozen=True)
class SegmentsResponse(LevelResponse):
    """A number: one of the outputs, `n_values` of them, by a single uniform integer of 32 bits.

    At every level the probabilities add up to one, and the mean of what outputs are worth is the level within
    `MAX_BIAS`. `levels` in [2, 1024].
    """

    name: str
    n_values: int
    n_levels: int
    span: int
    segments: tuple[Segment, ...]

    def __post_init__(self) -> None:
        check_integer("span", self.span, 1, MAX_SPAN)
        check_integer("levels", self.n_levels, 2, MAX_LEVELS)
        check_integer("outputs", self.n_values, 2, MAX_SEGMENTS)
        for output, segment in enumerate(self.segments):
            _check_segment(f"outputs[{output}]", segment, self.n_levels)
        for level, total in enumerate(self._sums([1] * self.n_values)):
            if total != COIN_SCALE:
                raise ValueError(f"outputs at level {level} ({total}) must add up to {COIN_SCALE}.")
        if self.bias > MAX_BIAS:
            raise ValueError(f"outputs must be worth each level on average, within {float(MAX_BIAS)} of the range.")

    def _sums(self, weights: Sequence[int]) -> list[int]:
        """Return at each level the sum over outputs of their probabilities, out of 2**32, times a weight each."""
        steps = [0] * (self.n_levels + 1)
        for segment, weight in zip(self.segments, weights, strict=True):
            steps[0] += segment.outside * weight
            steps[segment.first] += (segment.inside - segment.outside) * weight
            steps[segment.last + 1] -= (segment.inside - segment.outside) * weight
        return [*accumulate(steps)][:-1]

    @property
    def levels(self) -> int:
        return self.n_levels

    @property
    def n_outputs(self) -> int:
        return self.n_values

    @property
    def width(self) -> int:
        """How many levels an output stands for at most."""
        return max(segment.last - segment.first + 1 for segment in self.segments)

    @property
    def scores(self) -> tuple[int, ...]:
        return tuple(segment.worth for segment in self.segments)

    @property
    def mean_output(self) -> tuple[Fraction, Fraction]:
        return Fraction(0), Fraction(COIN_SCALE)

    @cached_property
    def bias(self) -> Fraction:
        means = (Fraction(total, COIN_SCALE**2) for total in self._sums(self.scores))
        return max(abs(mean - Fraction(level, self.n_levels - 1)) for level, mean in enumerate(means))

    @cached_property
    def odds(self) -> Fraction:
        """The largest ratio of an output's probabilities, at any two levels."""
        return max(Fraction(segment.inside, segment.outside) for segment in self.segments)

    @cached_property
    def epsilon(self) -> Decimal:
        return log_ratio_above(*self.odds.as_integer_ratio())

    @cached_property
    def truths(self) -> list[Fraction]:
        """P(report stands for the rounded number), at each level: as the table is rounded, about the same at all."""
        steps = [0] * (self.n_levels + 1)
        for segment in self.segments:
            steps[segment.first] += segment.inside
            steps[segment.last + 1] -= segment.inside
        return [Fraction(total, COIN_SCALE) for total in accumulate(steps)][:-1]

    def told_apart(self) -> Outcomes:
        """It stands for the least number, or for the greatest, or for neither: of these two none stands for both.

        As if every output had the largest odds, and were as likely at all levels as at the likeliest; but never more
        than the coin of these odds, which tells no less.
        """
        alone = min(max(self.truths), self.odds / (1 + self.odds))
        against = alone / self.odds
        rest = 1 - alone - against
        return [Outcome(alone, against), Outcome(against, alone)] + [Outcome(rest, rest)] * (rest > 0)

    @cached_property
    def channel(self) -> NDArray[np.float64]:
        return self._weights.T / COIN_SCALE

    @cached_property
    def _weights(self) -> NDArray[np.int64]:
        """P(output | level) * 2**32, shape (levels, n_outputs)."""
        first, last, inside, outside, _ = np.array(self.segments, np.int64).T
        level = np.arange(self.n_levels)[:, None]
        weights: NDArray[np.int64] = np.where((level >= first) & (level <= last), inside, outside)
        return weights

    @cached_property
    def _thresholds(self) -> NDArray[np.int64]:
        return np.cumsum(self._weights, axis=1)

    @property
    def worst_variance(self) -> float:
        return largest_variance((np.array(self.scores) / COIN_SCALE) ** 2 @ self.channel, self.span)

    def ends_of(self, output: int) -> tuple[int, int]:
        return self.segments[output].first, self.segments[output].last

    def parameters(self) -> dict[str, Any]:
        return {"levels": self.n_levels, "outputs": [list(segment) for segment in self.segments]}

    @classmethod
    def read_parameters(cls, fields: Fields, name: str, n_options: int) -> dict[str, Any]:
        levels = fields.integer("levels", 2, MAX_LEVELS)
        expected = f"a list of 2 to {MAX_SEGMENTS} lists of 5 integers: first, last, inside, outside, worth"
        rows = fields.take("outputs", expected, _is_table)
        segments = tuple(Segment(*row) for row in rows)
        return {"n_values": len(segments), "n_levels": levels, "span": n_options - 1, "segments": segments}

    def check_design(self) -> None:
        """Any table that it can have is its own."""

    @property
    def _coins_per_answer(self) -> int:
        return 8  # the bytes of two integers

    def _respond_rows(self, rows: NDArray[Any], coins: Coins) -> Bytes:
        return self._pack(coins.choose(self._thresholds, rows))

    def _words(self, ends: Ends, language: Language) -> SegmentWords:
        true = float(max(self.truths))
        return SegmentWords(self.n_levels, self.width, true, None, ends, language, self.n_values)


def _is_table(rows: Any) -> bool:
    if not isinstance(rows, list) or not 2 <= len(rows) <= MAX_SEGMENTS:
        return False
    return all(isinstance(row, list) and len(row) == 5 and all(type(at) is int for at in row) for row in rows)


def _check_segment(name: str, segment: Segment, levels: int) -> None:
    check_integer(f"{name} first", segment.first, 0, levels - 1)
    check_integer(f"{name} last", segment.last, segment.first, levels - 1)
    check_integer(f"{name} inside", segment.inside, 2, COIN_SCALE - 1)
    check_integer(f"{name} outside", segment.outside, 1, segment.inside - 1)
    check_integer(f"{name} worth", segment.worth, -MAX_WORTH, MAX_WORTH)
    if segment.last - segment.first == levels - 1:
        raise ValueError(f"{name} must not be for all levels.")
