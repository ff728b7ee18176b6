"""The comparison that `sotto plan` prints: every mechanism, a trusted curator and no privacy, epsilon by epsilon."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from sotto_estimator.channel.channel import Channel
from sotto_estimator.planning.of_least_noise import of_least_noise
from sotto_estimator.planning.options import PlanOptions
from sotto_estimator.planning.widths import (
    NO_PRIVACY,
    USUAL,
    curator_half_width,
    curator_respondents_needed,
    half_width,
    laplace_standard_deviation,
    no_privacy_half_width,
    respondents_needed,
    standard_deviation,
)
from sotto_protocol.mechanisms.mechanism import PureMechanism
from sotto_protocol.mechanisms.registry import best_of, candidates
from sotto_protocol.mechanisms.thresholds import Stages
from sotto_protocol.mechanisms.unary import symmetric_unary
from sotto_protocol.mechanisms.warner import basic_yes_no, warner

_N_DRAWN_BITS = 4
"""d of dBitFlip, which is a row to compare with and no mechanism of ours: as many options as a device speaks of."""


@dataclass(frozen=True, slots=True)
class PlanRow:
    """One mechanism's precision. `epsilon` in nats, None without privacy; shares as fractions.

    `is_auto`: whether `mechanism = "auto"` in a survey file takes it. `of_least_noise`: the variance of its noise over
    the least of all mechanisms of the epsilon, 1 or more; None where that is not known, and of no device's noise.
    """

    epsilon: float | None
    mechanism: str
    n_reports: int
    standard_deviation: float
    half_width: float
    is_auto: bool = False
    of_least_noise: float | None = None


@dataclass(frozen=True, slots=True)
class QuestionShape:
    """The question that is planned: yes-no (no options), one-of, or any-of where `max_selected` says how many."""

    n_options: int = 0
    max_selected: int = 0

    def __str__(self) -> str:
        """Return what kind of question it is."""
        if not self.n_options:
            return "yes-no question"
        of = f"any-of question, at most {self.max_selected} of" if self.max_selected else "one-of question of"
        return f"{of} {self.n_options:,} options"

    def mechanisms(self, epsilon: Decimal, forever: Decimal | None = None) -> list[PureMechanism]:
        """Return the mechanisms that can ask it, with `forever`, of all reports of one answer, those of two stages."""
        if not self.n_options:
            return [warner(epsilon) if forever is None else basic_yes_no(Stages.of_epsilons(1, epsilon, forever))]
        if not self.max_selected:
            return candidates("one-of", self.n_options, epsilon, forever)
        return candidates("any-of", self.n_options, epsilon, forever, self.max_selected)

    def auto(self, epsilon: Decimal, forever: Decimal | None = None) -> str:
        """Return the name of the mechanism that `auto` takes; nothing for yes-no, which has one of each kind."""
        if not self.n_options:
            return ""
        if not self.max_selected:
            return best_of("one-of", self.n_options, epsilon, forever).name
        return best_of("any-of", self.n_options, epsilon, forever, self.max_selected).name

    @property
    def sensitivity(self) -> int:
        """By how much one changed answer moves all counts together."""
        if not self.n_options:
            return 1
        return min(2 * self.max_selected, self.n_options) if self.max_selected else 2


def plan_rows(
    design: QuestionShape,
    epsilons: Sequence[Decimal],
    n: int | None,
    wanted: float | None,
    forever: Decimal | None = None,
    options: PlanOptions = USUAL,
) -> list[PlanRow]:
    """Return the rows for n respondents, or, where n is None, for the wanted half-width.

    Of an epsilon the mechanisms come first that need the fewest respondents, or have the narrowest intervals.
    `forever`: epsilon of all reports of one answer; rows are then those of a first report by mechanisms of two stages.
    """
    rows: list[PlanRow] = []
    for epsilon in epsilons:
        auto, of_devices = design.auto(epsilon, forever), []
        for mechanism in design.mechanisms(epsilon, forever):
            channel = Channel(mechanism.prob_support_if_true, mechanism.prob_support_if_other)
            size = n or math.ceil(mechanism.one_in * respondents_needed(wanted or 0, channel, options))
            asked = max(1, int(size / mechanism.one_in))
            deviation, width = _deviation(asked, channel, options), half_width(asked, channel, options)
            is_auto = mechanism.name == auto
            of_least = of_least_noise(mechanism, epsilon)
            of_devices.append(PlanRow(float(epsilon), mechanism.name, size, deviation, width, is_auto, of_least))
        if forever is None and design.n_options > _N_DRAWN_BITS and not design.max_selected:
            of_devices.append(_d_bit_flip(epsilon, design.n_options, n, wanted, options))
        rows += sorted(of_devices, key=lambda row: (row.n_reports, row.half_width))
        rows.append(_curator(float(epsilon), design.sensitivity, n, wanted, options))
    return [*rows, _no_privacy(n, wanted, options)]


def _d_bit_flip(epsilon: Decimal, n_options: int, n: int | None, wanted: float | None, options: PlanOptions) -> PlanRow:
    """Return Microsoft's dBitFlip (Ding, Kulkarni & Yekhanin 2017, section 4): a device draws d options for good.

    It reports those bits as symmetric unary encoding does. So an option's share is known from d in n_options devices.
    """
    mechanism = symmetric_unary(n_options, epsilon)
    channel = Channel(mechanism.prob_support_if_true, mechanism.prob_support_if_other)
    size = n or -(-respondents_needed(wanted or 0, channel, options) * n_options // _N_DRAWN_BITS)
    n_of_option = max(1, size * _N_DRAWN_BITS // n_options)
    deviation = _deviation(n_of_option, channel, options)
    name = f"dBitFlip, {_N_DRAWN_BITS} of {n_options} bits"
    return PlanRow(float(epsilon), name, size, deviation, half_width(n_of_option, channel, options))


def _curator(epsilon: float, sensitivity: int, n: int | None, wanted: float | None, options: PlanOptions) -> PlanRow:
    size = n or curator_respondents_needed(wanted or 0, epsilon, options, sensitivity=sensitivity)
    noise = laplace_standard_deviation(size, epsilon, sensitivity=sensitivity)
    deviation = math.hypot(_deviation(size, NO_PRIVACY, options), noise)
    width = curator_half_width(size, epsilon, options, sensitivity=sensitivity)
    return PlanRow(epsilon, "trusted curator, Laplace", size, deviation, width)


def _no_privacy(n: int | None, wanted: float | None, options: PlanOptions) -> PlanRow:
    respondents = options.about == "respondents"
    size = n or (1 if respondents else respondents_needed(wanted or 0, NO_PRIVACY, options))
    deviation = _deviation(size, NO_PRIVACY, options)
    return PlanRow(None, "no privacy", size, deviation, no_privacy_half_width(size, options))


def _deviation(n: int, channel: Channel, options: PlanOptions) -> float:
    return standard_deviation(n, channel, share=options.share, target=options.about)
