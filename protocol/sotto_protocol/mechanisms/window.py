"""A window on a line of outputs: a number, rounded at random to one of a few levels, then a set response.

Level i is supported by `width` outputs, i to i + width - 1. Two levels and a width of one are Duchi, Jordan &
Wainwright 2018, Nguyen et al. 2016 (Harmony) and Microsoft's 1BitMean (Ding, Kulkarni & Yekhanin 2017); many levels
come close to the piecewise mechanism (Wang et al. 2019) and the square wave (Li et al. 2020). A report is the output.
"""

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sotto_protocol.bounds import log_ratio_above
from sotto_protocol.coins import COIN_SCALE, Coins
from sotto_protocol.documents import Fields
from sotto_protocol.language import Language
from sotto_protocol.mechanisms.checks import check_integer
from sotto_protocol.mechanisms.levels import MAX_SPAN, LevelResponse, most_levels
from sotto_protocol.mechanisms.mechanism import Bytes, Ends
from sotto_protocol.mechanisms.sets import OutputSets
from sotto_protocol.mechanisms.thresholds import loss_of_alike
from sotto_protocol.mechanisms.window_words import RoundingWords

_ALL = 2**16
"""Numbers of so many steps or more are as good as all between."""


@dataclass(frozen=True)
class WindowResponse(OutputSets, LevelResponse):
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

    @property
    def prob_repeated(self) -> Fraction:
        return Fraction(self.report_if_true, COIN_SCALE)

    @cached_property
    def truth(self) -> Fraction:
        """P(report is in the window of its level): both stages together, where there are two."""
        lasting, repeated = Fraction(self.threshold_if_true, COIN_SCALE), self.prob_repeated
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
    def names_one(self) -> bool:
        """Of two levels an end, which all other numbers are mixtures of."""
        return self.n_values == 2

    @property
    def scores(self) -> range:
        return range(self.n_outputs)

    def ends_of(self, output: int) -> tuple[int, int]:
        return max(0, output - self.width + 1), min(output, self.levels - 1)

    @cached_property
    def channel(self) -> NDArray[np.float64]:
        offset = np.arange(self.n_outputs)[:, None] - np.arange(self.levels)
        inside, outside = self.truth / self.width, (1 - self.truth) / (self.levels - 1)
        return np.where((offset >= 0) & (offset < self.width), float(inside), float(outside))

    @cached_property
    def mean_output(self) -> tuple[Fraction, Fraction]:
        """A window moves by one output a level."""
        inside, n_others = self.truth, self.levels - 1
        others = Fraction(self.n_outputs * (self.n_outputs - 1) - self.width * (self.width - 1), 2 * n_others)
        at_least = inside * Fraction(self.width - 1, 2) + (1 - inside) * others
        return at_least, inside * n_others - (1 - inside) * self.width

    @property
    def worst_variance(self) -> float:
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

    def _words(self, ends: Ends, language: Language) -> RoundingWords:
        stages = (self.threshold_if_true / COIN_SCALE, self.report_if_true / COIN_SCALE)
        given = stages if self.has_two_stages else None
        return RoundingWords(self.levels, self.width, float(self.truth), given, ends, language)


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
