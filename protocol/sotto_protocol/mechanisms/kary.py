"""k-ary randomized response: the truth with one probability, any other option with the rest.

Kairouz, Oh & Viswanath 2014; also called generalised or direct randomized response. A report is the option's number. In
surveys of several waves what was drawn is kept, and goes through k-ary response again in every report (L-GRR, Arcolezi,
Couchot, Al Bouna & Xiao 2022).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sotto_protocol.bounds import exp_below, log_ratio_above
from sotto_protocol.coins import COIN_SCALE, Coins
from sotto_protocol.documents import Fields
from sotto_protocol.language import ENGLISH, Language
from sotto_protocol.mechanisms.columns import LabelledColumn
from sotto_protocol.mechanisms.mechanism import Bytes, Chances
from sotto_protocol.mechanisms.numbers import NumberResponse
from sotto_protocol.mechanisms.sets import SetResponse, threshold_of
from sotto_protocol.mechanisms.thresholds import check_epsilons, loss_of_alike, second_threshold
from sotto_protocol.words import times_above, times_below


@dataclass(frozen=True)
class KaryResponse(NumberResponse, SetResponse):
    """One-of: report the true option with probability threshold_if_true / 2**32, else another, uniformly.

    Answers: integers in [0, n_values), shape (n,). `n_values` in [2, 65536]. `report_if_true`: the threshold by which
    every report is the option that was drawn so, or else another; 2**32 leaves this instantaneous stage out.
    """

    report_if_true: int = COIN_SCALE

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.has_two_stages:
            self._check_likelier("report_if_true", self.report_if_true)

    @property
    def has_two_stages(self) -> bool:
        return self.report_if_true != COIN_SCALE

    @cached_property
    def truth(self) -> Fraction:
        true, kept = (Fraction(threshold, COIN_SCALE) for threshold in (self.threshold_if_true, self.report_if_true))
        return true * kept + (1 - true) * (1 - kept) / (self.n_values - 1)

    @cached_property
    def epsilon_forever(self) -> Decimal:
        """That of the option that is drawn once, of which reports are only noisier views, however many there are."""
        return log_ratio_above(self.threshold_if_true * (self.n_values - 1), COIN_SCALE - self.threshold_if_true)

    def epsilon_of(self, n_reports: int, declared: Decimal) -> Decimal:
        """They do not add up: the exact loss is that of n reports that are all the same option."""
        if not self.has_two_stages or n_reports < 2:
            return super().epsilon_of(n_reports, declared)
        return max(declared, loss_of_alike(self.threshold_if_true, self.report_if_true, n_reports, self.n_values - 1))

    @property
    def prob_support_if_kept(self) -> tuple[float, float]:
        """Whichever other option the kept one is, it is reported as v alike: so v's support is a bit of two stages."""
        one = Fraction(self.report_if_true, COIN_SCALE)
        return float(one), float((1 - one) / (self.n_values - 1))

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

    @property
    def names_one(self) -> bool:
        return True

    @property
    def prob_support_both(self) -> tuple[float, float]:
        return 0.0, 0.0

    def union_chances(self, n_values: int) -> tuple[Chances, Chances]:
        true, other = self.prob_support_if_true, self.prob_support_if_other
        inside, outside = true + (n_values - 1) * other, n_values * other
        return np.array([1 - inside, inside]), np.array([1 - outside, outside])

    @property
    def likelihood_unit(self) -> float:
        """That of an option which is not the answer: likelihoods are ratios to it."""
        return self.prob_support_if_other

    def columns(
        self, key: str, reports: Bytes, labels: tuple[str, ...], ends: tuple[float, float]
    ) -> Iterator[LabelledColumn]:
        """Yield the reported options."""
        yield LabelledColumn(key, self.numbers(reports), labels)

    def parameters(self) -> dict[str, int]:
        instant = {"report_if_true": self.report_if_true} if self.has_two_stages else {}
        return {"threshold_if_true": self.threshold_if_true} | instant

    @classmethod
    def read_parameters(cls, fields: Fields, name: str, n_options: int) -> dict[str, int]:
        keys = ["threshold_if_true"] + ["report_if_true"] * fields.has("report_if_true")
        return {"n_values": n_options} | {key: fields.integer(key, 1, COIN_SCALE - 1) for key in keys}

    @property
    def _coins_per_answer(self) -> int:
        return 4  # the lie's coin, and the bytes of a uniform integer

    def _respond_rows(self, rows: NDArray[Any], coins: Coins) -> Bytes:
        return self._draw_rows(rows.astype(self._dtype), self.threshold_if_true, coins)

    def _report_rows(self, permanent: Bytes, coins: Coins) -> Bytes:
        if not self.has_two_stages:
            return permanent
        return self._draw_rows(self.numbers(permanent), self.report_if_true, coins)

    def _draw_rows(self, true: NDArray[Any], threshold: int, coins: Coins) -> Bytes:
        """Return each option with probability threshold / 2**32, else another one: as much is drawn for either."""
        lie = ~coins.flip(threshold, len(true))
        other: NDArray[Any] = coins.uniform(self.n_values - 1, len(true)).astype(self._dtype)
        other += other >= true  # the others are 0, 1, .. without the true one
        return self._pack(true + (other - true) * lie)  # modulo 2**8 or 2**16: the true one, or the other

    def supports(self, reports: Bytes) -> NDArray[np.bool_]:
        supports: NDArray[np.bool_] = self.numbers(reports)[:, None] == np.arange(self.n_values)
        return supports

    def what_happens(self, language: Language = ENGLISH) -> str:
        true, n_others = times_above(self.prob_support_if_true, language), self.n_values - 1
        if not self.has_two_stages:
            return language.ngettext(
                "Your device sends the option you choose %(true)s. Otherwise it sends the other one.",
                "Your device sends the option you choose %(true)s. Otherwise it sends one of the other %(n)s, "
                "each equally likely.",
                n_others,
                true=true,
            )
        lasting = language.ngettext(
            "First, your device picks a lasting option at random, only once. It picks the option you choose "
            "%(true)s. Otherwise it picks the other one.",
            "First, your device picks a lasting option at random, only once. It picks the option you choose "
            "%(true)s. Otherwise it picks one of the other %(n)s, each equally likely.",
            n_others,
            true=times_above(self.threshold_if_true / COIN_SCALE, language),
        )
        return language.text([lasting, self._say_again(language, n_others), self._say_together(language, true)])

    def _say_again(self, language: Language, n_others: int) -> str:
        return language.ngettext(
            "Then it picks at random again, in every report. It sends the lasting option %(true)s. Otherwise it "
            "sends the other one.",
            "Then it picks at random again, in every report. It sends the lasting option %(true)s. Otherwise it "
            "sends one of the other %(n)s, each equally likely.",
            n_others,
            true=times_above(self.report_if_true / COIN_SCALE, language),
        )

    def _say_together(self, language: Language, true: str) -> str:
        return language.gettext("Both steps together, your device sends the option you choose %(true)s.", true=true)

    def in_short(self, language: Language = ENGLISH) -> str:
        lost = times_below(1 - self.prob_support_if_true, language)
        return language.gettext(
            "Your device may change your answer at random. It sends a different option %(lost)s.", lost=lost
        )


def k_ary(n_options: int, epsilon: Decimal) -> KaryResponse:
    """Return k-ary randomized response: the truth with probability e^epsilon / (e^epsilon + k - 1)."""
    return KaryResponse("k-ary", n_options, threshold_of(epsilon, Fraction(n_options - 1)))


def k_ary_in_waves(n_options: int, epsilon: Decimal, epsilon_forever: Decimal) -> KaryResponse:
    """Return k-ary response behind k-ary response (L-GRR), whose reports are those of `k_ary` at epsilon.

    `epsilon` is that of one report, `epsilon_forever` that of all reports of one answer, above it.
    """
    asked, n_others = check_epsilons(epsilon, epsilon_forever), n_options - 1
    true = threshold_of(epsilon_forever, Fraction(n_others))
    return KaryResponse("k-ary", n_options, true, second_threshold(true, exp_below(epsilon), asked, n_others))
