"""What mechanisms have in common that report one noisy bit per value: yes-no coins, unary encodings, any-of flips.

Each bit of the true answer is replaced by a coin: heads with `threshold_if_true` where the bit is one, with
`threshold_if_other` where it is zero. RAPPOR (Erlingsson, Pihur & Korolova 2014) calls that the permanent randomized
response, and can put an instantaneous one behind it: in every report each permanent bit is replaced by a fresh coin,
heads with `report_if_one` or `report_if_zero`. The mechanisms differ in the answers that they take, and so in epsilon.
"""

from abc import abstractmethod
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property, reduce
from operator import or_

import numpy as np
from numpy.typing import NDArray

from sotto_protocol.bounds import add_above, declare, float_above, log_ratio_above, multiply_above
from sotto_protocol.coins import COIN_SCALE, Coins
from sotto_protocol.documents import Fields
from sotto_protocol.language import ENGLISH, Language, mark
from sotto_protocol.mechanisms.checks import check_integer, check_threshold
from sotto_protocol.mechanisms.mechanism import MAX_VALUES, Bytes, Counts, PureMechanism
from sotto_protocol.mechanisms.packed_bits import BitsResponse
from sotto_protocol.mechanisms.plausible import PlausibleOnes, plausible_ones
from sotto_protocol.mechanisms.thresholds import check_symmetric
from sotto_protocol.told_apart import Outcomes, of_bits
from sotto_protocol.words import times_above, times_below

RAPPOR = ("basic-rappor", "rappor")
"""The names of the mechanisms that say both stages even where there is one."""
TWO_STAGES = (*RAPPOR, "oue")
"""The names of the mechanisms that may have an instantaneous stage."""
_SQUARE = COIN_SCALE * COIN_SCALE  # two thresholds multiplied are out of so many


@dataclass(frozen=True)
class BitMechanism(BitsResponse):
    """A coin per value. `threshold_if_other < threshold_if_true`, both in [1, 2**32 - 1].

    The same holds of `report_if_zero` and `report_if_one`, the instantaneous stage; 0 and 2**32 leave it out.
    """

    name: str
    n_values: int
    threshold_if_true: int
    threshold_if_other: int
    report_if_one: int = COIN_SCALE
    report_if_zero: int = 0

    def __post_init__(self) -> None:
        check_integer("n_values", self.n_values, 1, MAX_VALUES)
        true = check_threshold("threshold_if_true", self.threshold_if_true)
        other = check_threshold("threshold_if_other", self.threshold_if_other)
        if other >= true:
            raise ValueError(f"threshold_if_other ({other}) must be below threshold_if_true ({true}).")
        if self.has_two_stages:
            one = check_threshold("report_if_one", self.report_if_one)
            zero = check_threshold("report_if_zero", self.report_if_zero)
            if zero >= one:
                raise ValueError(f"report_if_zero ({zero}) must be below report_if_one ({one}).")

    @cached_property
    def has_two_stages(self) -> bool:
        return (self.report_if_one, self.report_if_zero) != (COIN_SCALE, 0)

    @property
    @abstractmethod
    def _max_differences(self) -> list[tuple[int, int]]:
        """The extreme numbers of bits (lost, gained) by which two answers can differ."""

    @cached_property
    def epsilon(self) -> Decimal:
        """The largest log-ratio of a report's probabilities under two answers, rounded up."""
        return self._bound(*self._reported_alike(1))

    @cached_property
    def epsilon_forever(self) -> Decimal:
        """That of a permanent response, of which reports are only noisier views, however many there are."""
        true, other = self.threshold_if_true, self.threshold_if_other
        return self._bound((true, other), (COIN_SCALE - other, COIN_SCALE - true))

    def epsilon_of(self, n_reports: int, declared: Decimal) -> Decimal:
        """They do not add up: the exact loss is that of n reports whose bits are all alike (docs/maths-privacy.md)."""
        if not self.has_two_stages or n_reports < 2:
            return super().epsilon_of(n_reports, declared)
        return max(declared, declare(self._bound(*self._reported_alike(n_reports))))

    def _reported_alike(self, n_reports: int) -> tuple[tuple[int, int], tuple[int, int]]:
        """Return P(all reports have ones at a bit) if it is true and if not, P(all have zeros) if not and if it is.

        Out of 2**(32 (n_reports + 1)). No other reports of a bit tell more: the ratio of its two probabilities grows
        with that of its permanent one and zero, which are the largest and the smallest for reports that are alike.
        """
        true, other = self.threshold_if_true, self.threshold_if_other
        ones, zeros = [
            [permanent * (if_one**n_reports) + (COIN_SCALE - permanent) * (if_zero**n_reports) for permanent in of]
            for of, if_one, if_zero in (
                ((true, other), self.report_if_one, self.report_if_zero),
                ((other, true), COIN_SCALE - self.report_if_one, COIN_SCALE - self.report_if_zero),
            )
        ]
        return (ones[0], ones[1]), (zeros[0], zeros[1])

    def _bound(self, lost: tuple[int, int], gained: tuple[int, int]) -> Decimal:
        """Return the largest log-ratio of two answers' bits, of the largest ratios that one bit can have.

        `lost`: of a bit that the first answer has and the other lacks; `gained`: that it lacks and the other has. Coins
        are independent, so the contributions add up.
        """
        per_lost, per_gained = log_ratio_above(*lost), log_ratio_above(*gained)
        return max(
            add_above(multiply_above(lost, per_lost), multiply_above(gained, per_gained))
            for lost, gained in self._max_differences
        )

    def _reported(self, permanent: int) -> int:
        """Return P(a reported bit is one), out of 2**64, of a bit whose permanent one has this threshold."""
        return permanent * self.report_if_one + (COIN_SCALE - permanent) * self.report_if_zero

    @property
    def _chances(self) -> tuple[Fraction, Fraction]:
        """P(reported bit is one), of a bit that is true and of one that is not."""
        true, other = self._reported(self.threshold_if_true), self._reported(self.threshold_if_other)
        return Fraction(true, _SQUARE), Fraction(other, _SQUARE)

    def told_apart(self) -> Outcomes:
        """Of two answers that differ in as many bits as any; epsilon's bound where they are many, or differ in kind."""
        (lost, gained), *more = {*self._max_differences}
        is_alike = not more or sum(self._chances) == 1
        bits = of_bits(*self._chances, lost, gained) if is_alike else None
        return bits or super().told_apart()

    @property
    def n_blocks(self) -> int:
        return 1

    @property
    def prob_one_if_one(self) -> float:
        """P(reported bit is one | true bit is one)."""
        return self._reported(self.threshold_if_true) / _SQUARE

    @property
    def prob_one_if_zero(self) -> float:
        """P(reported bit is one | true bit is zero)."""
        return self._reported(self.threshold_if_other) / _SQUARE

    @property
    @abstractmethod
    def n_true(self) -> tuple[int, int]:
        """The fewest and the most true bits that an answer can have, in every filter."""

    @cached_property
    def _plausible(self) -> PlausibleOnes:
        true, other = self._reported(self.threshold_if_true), self._reported(self.threshold_if_other)
        return plausible_ones(self.n_values, self.n_true, true, other, _SQUARE, self.n_blocks)

    @property
    def prob_implausible(self) -> float:
        return float_above(self._plausible.prob_outside)

    def count_implausible(self, reports: Bytes) -> int:
        """Count the reports of which a filter has a number of ones in a far tail: see `plausible_ones`."""
        if not (len(reports) and self._plausible.prob_outside):
            return 0
        width = self._block_bytes
        filters = (reports[:, start : start + width] for start in range(self.group_bytes, self.n_bytes, width))
        return int(np.count_nonzero(reduce(or_, map(self._plausible.are_outside, filters))))

    def parameters(self) -> dict[str, int]:
        permanent = {"threshold_if_true": self.threshold_if_true, "threshold_if_other": self.threshold_if_other}
        instant = {"report_if_one": self.report_if_one, "report_if_zero": self.report_if_zero}
        return permanent | (instant if self.has_two_stages else {})

    @classmethod
    def read_parameters(cls, fields: Fields, name: str, n_options: int) -> dict[str, int]:
        keys = ["threshold_if_true", "threshold_if_other"]
        if name in TWO_STAGES and (fields.has("report_if_one") or fields.has("report_if_zero")):
            keys += ["report_if_one", "report_if_zero"]
        return {"n_values": max(1, n_options)} | {key: fields.integer(key, 1, COIN_SCALE - 1) for key in keys}

    def check_design(self) -> None:
        check_symmetric(self.name, self.threshold_if_true, self.threshold_if_other)

    def check_counts(self, counts: Counts, n_reports: int) -> None:
        """Coins are independent: any counts in [0, n_reports] can be."""

    def _say_stages(self, language: Language, drawn: str, together: str) -> str:
        """Return both stages in words, and the two together; or the one that there is.

        `drawn`: the message on what is drawn once; then that on both draws: with a frequency of what is true, and one
        of what is not.
        """
        whole = times_above(self.prob_one_if_one, language), times_below(self.prob_one_if_zero, language)
        if not self.has_two_stages:
            said = language.gettext(drawn, true=whole[0], other=whole[1])
            return language.text([said, language.gettext("Your device sends just that.")])
        lasting = self._say_thresholds(language, self.threshold_if_true, self.threshold_if_other)
        again = self._say_thresholds(language, self.report_if_one, self.report_if_zero)
        each = mark(
            "Then it may change that at random again, in every report. It sends yes for a lasting yes %(true)s. "
            "It sends yes for a lasting no %(other)s."
        )
        stages = [(drawn, lasting), (each, again), (together, whole)]
        return language.text(language.gettext(message, true=true, other=other) for message, (true, other) in stages)

    def _say_thresholds(self, language: Language, if_true: int, if_other: int) -> tuple[str, str]:
        return times_above(if_true / COIN_SCALE, language), times_below(if_other / COIN_SCALE, language)

    def _flip(self, is_true: NDArray[np.bool_], coins: Coins) -> NDArray[np.bool_]:
        return replace_bits(is_true, self.threshold_if_true, self.threshold_if_other, coins)

    def _report_rows(self, permanent: Bytes, coins: Coins) -> Bytes:
        if not self.has_two_stages:
            return permanent
        bits = np.unpackbits(permanent, axis=1, count=self.n_values, bitorder="little").view(np.bool_)
        return self._pack(replace_bits(bits.ravel(), self.report_if_one, self.report_if_zero, coins))

    def _pack(self, bits: NDArray[np.bool_]) -> Bytes:
        if self.n_values % 8 == 0:  # no spare bits: rows can be packed as one run, which is faster
            return np.packbits(bits, bitorder="little").reshape(-1, self._block_bytes)
        return np.packbits(bits.reshape(-1, self.n_values), axis=1, bitorder="little")


class OptionBits(BitMechanism, PureMechanism):
    """A bit per option, or one for yes: a report supports the values whose bits are one."""

    @property
    def prob_support_if_true(self) -> float:
        return self.prob_one_if_one

    @property
    def prob_support_if_other(self) -> float:
        return self.prob_one_if_zero

    @property
    def prob_support_if_kept(self) -> tuple[float, float]:
        return self.report_if_one / COIN_SCALE, self.report_if_zero / COIN_SCALE

    def supports(self, reports: Bytes) -> NDArray[np.bool_]:
        bits = np.unpackbits(np.ascontiguousarray(reports), axis=1, count=self.n_values, bitorder="little")
        return bits.view(np.bool_)

    def in_short(self, language: Language = ENGLISH) -> str:
        return language.gettext(
            "Your device sends yes or no for each option, and may change each at random. For an option you "
            "choose, it sends no %(lost)s. For any other option, it sends yes %(gained)s.",
            lost=times_below(1 - self.prob_one_if_one, language),
            gained=times_below(self.prob_one_if_zero, language),
        )

    def _say_each(self, language: Language) -> str:
        return language.ngettext(
            "Your device sends yes or no for the one option.",
            "Your device sends yes or no for each of the %(n)s options.",
            self.n_values,
        )


def replace_bits(is_one: NDArray[np.bool_], if_one: int, if_zero: int, coins: Coins) -> NDArray[np.bool_]:
    """Return a coin for every bit, by thresholds out of 2**32, shape (n,).

    Both coins are drawn for each: their number does not depend on the bits.
    """
    zeros = coins.flip(if_zero, is_one.size)
    ones = coins.flip(if_one, is_one.size)
    # A choice without a branch: np.where takes 30 times as long on coins.
    return zeros ^ ((zeros ^ ones) & is_one)
