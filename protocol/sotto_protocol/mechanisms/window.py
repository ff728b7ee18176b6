"""A window on a line of outputs: a number, rounded at random to one of a few levels, then a set response.

Level i is supported by `width` outputs, i to i + width - 1. Two levels and a width of one are Duchi, Jordan &
Wainwright 2018, Nguyen et al. 2016 (Harmony) and Microsoft's 1BitMean (Ding, Kulkarni & Yekhanin 2017); many levels
come close to the piecewise mechanism (Wang et al. 2019) and the square wave (Li et al. 2020). A report is the output.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sotto_protocol.bounds import log_ratio_above
from sotto_protocol.coins import COIN_SCALE, Coins
from sotto_protocol.documents import Fields
from sotto_protocol.language import ENGLISH, Language
from sotto_protocol.mechanisms.checks import check_choices, check_integer
from sotto_protocol.mechanisms.columns import LabelledColumn
from sotto_protocol.mechanisms.mechanism import Bytes, Counts, Ends
from sotto_protocol.mechanisms.numbers import NumberResponse
from sotto_protocol.mechanisms.sets import OutputSets
from sotto_protocol.mechanisms.thresholds import loss_of_alike
from sotto_protocol.mechanisms.window_words import RoundingWords

MAX_SPAN = COIN_SCALE - 1
"""The most steps that a range of numbers can have."""
MAX_LEVELS = 1024
_ALL = 2**16
"""Numbers of so many steps or more are as good as all between."""


@dataclass(frozen=True)
class WindowResponse(NumberResponse, OutputSets):
    """A number: with threshold_if_true / 2**32 one of the `width` outputs of its level, else one of the others.

    Answers: integers in [0, span], shape (n,): steps above the least number. `n_values`, the outputs, are counted;
    there are as many `levels` as windows fit among them, in [2, min(1024, span + 1)]. `width` in [1, levels].
    `report_if_true`: of two levels and a width of one, the threshold by which each report repeats the lasting one, and
    is else the opposite; 2**32 leaves that stage out.
    """

    width: int
    span: int
    report_if_true: int = COIN_SCALE

    def _check_shape(self) -> None:
        check_integer("span", self.span, 1, MAX_SPAN)
        check_integer("levels", self.levels, 2, most_levels(self.span))
        check_integer("width", self.width, 1, self.levels)
        if self.has_two_stages:
            if self.n_values != 2:
                raise ValueError("report_if_true goes with 2 levels and a width of 1 only.")
            check_integer("report_if_true", self.report_if_true, COIN_SCALE // 2 + 1, COIN_SCALE - 1)

    @property
    def levels(self) -> int:
        """How many numbers there are to round to, evenly spaced from the least to the greatest."""
        return self.n_values - self.width + 1

    @property
    def n_outputs(self) -> int:
        return self.n_values

    @property
    def odds_against(self) -> Fraction:
        return Fraction(self.levels - 1, self.width)

    @property
    def shared(self) -> Fraction:
        """Of the windows of the least number and the greatest, which are the farthest from each other."""
        return Fraction(max(0, self.width - self.levels + 1), self.width)

    @property
    def has_two_stages(self) -> bool:
        return self.report_if_true != COIN_SCALE

    @cached_property
    def truth(self) -> Fraction:
        """P(report is in the window of its level): both stages together, where there are two."""
        lasting, repeated = Fraction(self.threshold_if_true, COIN_SCALE), Fraction(self.report_if_true, COIN_SCALE)
        return lasting * repeated + (1 - lasting) * (1 - repeated)

    @cached_property
    def epsilon_forever(self) -> Decimal:
        """That of a lasting response, of which reports are only noisier views, however many there are."""
        odds = Fraction(self.threshold_if_true, COIN_SCALE - self.threshold_if_true) * self.odds_against
        return log_ratio_above(*odds.as_integer_ratio())

    def epsilon_of(self, n_reports: int, declared: Decimal) -> Decimal:
        """They do not add up: the exact loss is that of n reports that are all the same end."""
        if not self.has_two_stages or n_reports < 2:
            return super().epsilon_of(n_reports, declared)
        return max(declared, loss_of_alike(self.threshold_if_true, self.report_if_true, n_reports))

    @property
    def epsilon_of_neighbours(self) -> Decimal:
        """The privacy loss of one report between two numbers that are one step apart, rounded up.

        A step moves (levels - 1) / span of a number's share from one level to the next one, and with it the window.
        """
        moved = Fraction(self.levels - 1, self.span)
        return log_ratio_above(*(1 + moved * (self.odds - 1)).as_integer_ratio())

    @property
    def names_one(self) -> bool:
        """Of two levels an end, which all other numbers are mixtures of."""
        return self.n_values == 2

    @cached_property
    def channel(self) -> NDArray[np.float64]:
        """P(output | level), shape (n_outputs, levels)."""
        offset = np.arange(self.n_outputs)[:, None] - np.arange(self.levels)
        inside, outside = self.truth / self.width, (1 - self.truth) / (self.levels - 1)
        return np.where((offset >= 0) & (offset < self.width), float(inside), float(outside))

    @cached_property
    def mean_output(self) -> tuple[Fraction, Fraction]:
        """The mean of the output at the least number, and how much it is above that at the greatest; linear between.

        For the mean of rounded numbers is the number, and a window moves by one output a level.
        """
        inside, n_others = self.truth, self.levels - 1
        others = Fraction(self.n_outputs * (self.n_outputs - 1) - self.width * (self.width - 1), 2 * n_others)
        at_least = inside * Fraction(self.width - 1, 2) + (1 - inside) * others
        return at_least, inside * n_others - (1 - inside) * self.width

    @property
    def worst_variance(self) -> float:
        """The largest variance of one report, debiased, of a number in [0, 1]; its rounding's and the device's.

        Of the numbers that can be answered; of more than 65536, of all between them too, which is as much.
        """
        return worst_variance(float(self.truth), self.levels, self.width, self.span)

    def parameters(self) -> dict[str, int]:
        one = {"levels": self.levels, "threshold_if_true": self.threshold_if_true, "width": self.width}
        return one | ({"report_if_true": self.report_if_true} if self.has_two_stages else {})

    @classmethod
    def read_parameters(cls, fields: Fields, name: str, n_options: int) -> dict[str, int]:
        levels = fields.integer("levels", 2, most_levels(n_options - 1))
        width = fields.integer("width", 1, levels)
        read = {"n_values": levels + width - 1, "width": width, "span": n_options - 1}
        read["threshold_if_true"] = fields.integer("threshold_if_true", 1, COIN_SCALE - 1)
        if fields.has("report_if_true"):
            read["report_if_true"] = fields.integer("report_if_true", COIN_SCALE // 2 + 1, COIN_SCALE - 1)
        return read

    def _check_answers(self, answers: ArrayLike) -> NDArray[Any]:
        return check_choices(answers, self.span + 1)

    def _check_settled(self, settled: ArrayLike) -> NDArray[Any]:
        return check_choices(settled, self.levels)

    def settle(self, answers: ArrayLike, coins: Coins) -> NDArray[Any]:
        """Return levels, shape (n,): the one below or above, so that their mean is the number, exactly."""
        scaled = self._check_answers(answers).astype(np.int64) * (self.levels - 1)
        below, rest = np.divmod(scaled, self.span)
        return below + (coins.uniform(self.span, len(scaled)) < rest)

    @property
    def _coins_per_answer(self) -> int:
        return 9  # a coin, and the bytes of two uniform integers

    def _respond_rows(self, rows: NDArray[Any], coins: Coins) -> Bytes:
        inside = coins.flip(self.threshold_if_true, len(rows))
        within = rows + coins.uniform(self.width, len(rows))
        beyond = coins.uniform(self.levels - 1, len(rows)).astype(np.int64)
        beyond += self.width * (beyond >= rows)  # the others are 0, 1, .. without the window
        return self._pack(np.where(inside, within, beyond))

    def _report_rows(self, permanent: Bytes, coins: Coins) -> Bytes:
        if not self.has_two_stages:
            return permanent
        return permanent ^ ~coins.flip(self.report_if_true, len(permanent))[:, None]

    def count_support(self, reports: Bytes) -> Counts:
        return self.count_outputs(reports)

    def check_counts(self, counts: Counts, n_reports: int) -> None:
        if sum(counts.tolist()) != n_reports:
            raise ValueError(f"must add up to n_reports ({n_reports}).")

    def supported(self, report: Bytes) -> list[int]:
        return [self.to_wire(report)]

    def decode(self, report: Bytes, labels: Sequence[str]) -> Any:
        """Return the output, and from which number to which it speaks for, in whole steps."""
        output = self.to_wire(report)
        ends = {"from": max(0, output - self.width + 1), "to": min(output, self.levels - 1)}
        half = self.levels - 1  # two halves of what a level is a part of
        return {"output": output} | {end: (2 * at * self.span + half) // (2 * half) for end, at in ends.items()}

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
        numbers = self.numbers(reports).astype(np.float64)
        yield LabelledColumn(key, low + (numbers - offset) / slope * (high - low))

    def what_happens(self, language: Language = ENGLISH, ends: Ends | None = None) -> str:
        return self._words(language, ends).what_happens()

    def in_short(self, language: Language = ENGLISH, ends: Ends | None = None) -> str:
        return self._words(language, ends).in_short()

    def what_happens_between(self, ends: Ends, language: Language = ENGLISH) -> str:
        return self.what_happens(language, ends)

    def in_short_between(self, ends: Ends, language: Language = ENGLISH) -> str:
        return self.in_short(language, ends)

    def _words(self, language: Language, ends: Ends | None) -> RoundingWords:
        """Return what says it: of numbers between these ends, by default of steps above the least number."""
        stages = (self.threshold_if_true / COIN_SCALE, self.report_if_true / COIN_SCALE)
        given = stages if self.has_two_stages else None
        return RoundingWords(self.levels, self.width, float(self.truth), given, ends or (0, self.span), language)


def most_levels(span: int) -> int:
    """Return the most levels of a range of so many steps: no more than there are numbers."""
    return min(MAX_LEVELS, span + 1)


def worst_variance(prob_window: float, levels: int, width: int, span: int = _ALL) -> float:
    """Return the largest variance of one debiased report over the numbers 0, 1/span, .., 1; by default over [0, 1].

    Between two levels the mean of the squared output is linear, and so is that of the output: the variance is concave,
    largest at an end or where its derivative is zero.
    """
    level, n_outputs = np.arange(levels), levels + width - 1
    inside, outside = prob_window / width, (1 - prob_window) / (levels - 1)
    squares = outside * _squares(n_outputs) + (inside - outside) * (_squares(level + width) - _squares(level))
    slope = prob_window - (1 - prob_window) * width / (levels - 1)
    means = outside * n_outputs * (n_outputs - 1) / 2 + (inside - outside) * width * (level + (width - 1) / 2)
    start, rise, mean = squares[:-1], np.diff(squares), means[:-1]
    if span < _ALL:
        numbers = np.arange(span + 1) * (levels - 1)
        below = np.minimum(numbers // span, levels - 2)
        start, rise, mean, at = start[below], rise[below], mean[below], numbers / span - below
    else:
        at = ((rise / (2 * slope) - mean) / slope).clip(0, 1)
    return float((start + rise * at - (mean + slope * at) ** 2).max() / (slope * (levels - 1)) ** 2)


def _squares(n: Any) -> Any:
    """Return 0 + 1 + 4 + .. + (n - 1)^2."""
    return (n - 1) * n * (2 * n - 1) / 6
