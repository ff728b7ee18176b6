"""The two probabilities that turn counts of noisy reports into shares of true answers."""

import math
import operator
from dataclasses import dataclass, field
from typing import Literal, Self, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sotto_estimator.errors import DomainError, one_of

Floats = NDArray[np.float64]
Target = Literal["population", "respondents"]
TARGETS: tuple[Target, ...] = get_args(Target)

MAX_N = 10**12
"""Up to it, sums of n logarithms in floats keep the digits that the intervals need."""


@dataclass(frozen=True, slots=True)
class Channel:
    """P(report supports v), if the answer is v and if it is another value.

    Domain: 0 <= prob_support_if_other < prob_support_if_true <= 1. `Channel(1, 0)` has no privacy; plans compare with
    it. Raises `DomainError` outside the domain.

    `report_if_one` and `report_if_zero` matter where reports of several waves are pooled. There, every report sends a
    permanent response through fresh coins. `report_if_one` is P(report supports v) if the permanent response supports
    v, and `report_if_zero` if it does not. Domain: 0 <= report_if_zero <= prob_support_if_other and
    prob_support_if_true <= report_if_one <= 1.
    """

    prob_support_if_true: float
    prob_support_if_other: float
    report_if_one: float = field(default=1.0, repr=False)
    report_if_zero: float = field(default=0.0, repr=False)

    def __post_init__(self) -> None:
        true, other = self.prob_support_if_true, self.prob_support_if_other
        if not 0 <= other < true <= 1:
            raise DomainError(
                f"prob_support_if_other ({other!r}) and prob_support_if_true ({true!r}) must "
                "satisfy 0 <= prob_support_if_other < prob_support_if_true <= 1."
            )
        if not (0 <= self.report_if_zero <= other and true <= self.report_if_one <= 1):
            raise DomainError(
                f"report_if_zero ({self.report_if_zero!r}) and report_if_one ({self.report_if_one!r}) must satisfy "
                "0 <= report_if_zero <= prob_support_if_other and prob_support_if_true <= report_if_one <= 1."
            )

    @classmethod
    def forced_response(cls, prob_truth: float, prob_forced_yes: float) -> Self:
        """Return the channel of a forced response (Boruch 1971): the truth, or else a coin's yes or no.

        `prob_truth` is in (0, 1]. `prob_forced_yes`, in [0, 1], is the probability that a forced answer is yes.

        >>> Channel.forced_response(1 / 2, 1 / 2)
        Channel(prob_support_if_true=0.75, prob_support_if_other=0.25)
        """
        if not 0 < prob_truth <= 1:
            raise DomainError(f"prob_truth ({prob_truth!r}) must be in (0, 1].")
        if not 0 <= prob_forced_yes <= 1:
            raise DomainError(f"prob_forced_yes ({prob_forced_yes!r}) must be in [0, 1].")
        other = (1 - prob_truth) * prob_forced_yes
        return cls(min(1.0, prob_truth + other), other)

    @classmethod
    def warner(cls, prob_truth: float) -> Self:
        """Return the channel of Warner (1965): the truth, or else its opposite.

        `prob_truth` is in (1/2, 1].
        """
        if not 0.5 < prob_truth <= 1:
            raise DomainError(f"prob_truth ({prob_truth!r}) must be in (1/2, 1].")
        return cls(prob_truth, 1 - prob_truth)

    @classmethod
    def warner_of_epsilon(cls, epsilon: float) -> Self:
        """Return Warner's channel with ln(prob_truth / (1 - prob_truth)) = epsilon, in nats.

        >>> round(Channel.warner_of_epsilon(math.log(3)).prob_support_if_true, 12)
        0.75
        """
        check_epsilon(epsilon)
        odds_of_lie = math.exp(-epsilon)
        return cls(1 / (1 + odds_of_lie), odds_of_lie / (1 + odds_of_lie))

    @property
    def fresh(self) -> "Channel":
        """The same where each report of an answer has noise of its own: no permanent response but the answer."""
        true, other = self.prob_support_if_true, self.prob_support_if_other
        return Channel(true, other, true, other)

    @property
    def permanent(self) -> "Channel":
        """The channel from answers to permanent responses. It is the same where devices report these."""
        zero, kept = self.report_if_zero, self.report_if_one - self.report_if_zero
        true, other = (self.prob_support_if_true - zero) / kept, (self.prob_support_if_other - zero) / kept
        return Channel(min(true, 1.0), max(other, 0.0))

    @property
    def contrast(self) -> float:
        """prob_support_if_true - prob_support_if_other: what a share of 1 adds to a reported one."""
        return self.prob_support_if_true - self.prob_support_if_other

    @property
    def variance_if_true(self) -> float:
        """Variance of one report's support of v, given that the answer is v."""
        return self.prob_support_if_true * (1 - self.prob_support_if_true)

    @property
    def variance_if_other(self) -> float:
        """Variance of one report's support of v, given that the answer is another value."""
        return self.prob_support_if_other * (1 - self.prob_support_if_other)

    def reported_share(self, share: float) -> float:
        """Return the expected share of reports that support a value with this true share."""
        return self.prob_support_if_other + share * self.contrast


def debias(support_counts: ArrayLike, n: int, channel: Channel) -> Floats:
    """Return unbiased shares (Warner 1965; Wang et al. 2017, eq. 1), in the shape of the counts.

    They may lie outside [0, 1], and are never clipped: that would bias them.
    Raises `DomainError` unless the counts are integers in [0, n] and n in [1, 10^12].

    >>> float(debias(400, 1000, Channel.forced_response(1 / 2, 1 / 2)))
    0.30000000000000004
    """
    return shares_of(check_counts(support_counts, n), n, channel)


def shares_of(counts: ArrayLike, n: ArrayLike, channel: Channel) -> Floats:
    """Return `debias`'s shares, for valid counts; counts and n broadcast."""
    reported = np.asarray(counts, dtype=np.float64) / np.asarray(n, dtype=np.float64)
    return (reported - channel.prob_support_if_other) / channel.contrast


def standard_error(support_counts: ArrayLike, n: int, channel: Channel, *, target: Target = "population") -> Floats:
    """Return the estimated standard deviations of `debias`'s shares, in the shape of the counts.

    About the population they are sqrt(l (1 - l) / n) / contrast. Here l is the reported share, moved into
    [prob_support_if_other, prob_support_if_true], the only values that it can have. So the error is not 0 just because
    a count happens to be 0. About the respondents they are the device's noise alone, with the share moved into [0, 1].
    Raises as `debias`.
    """
    check_target(target)
    return errors_of(debias(support_counts, n, channel), n, channel, target)


def errors_of(
    shares: ArrayLike,
    n: ArrayLike,
    channel: Channel,
    target: Target,
    *,
    design_effect: float = 1.0,
    population_size: int | None = None,
) -> Floats:
    """Return `standard_error`'s deviations, for shares of `debias`; shares and n broadcast.

    `design_effect`: where several reports are of one device, by what the variance of what they share is multiplied.
    `population_size`: of the population that the n respondents are drawn from without replacement.
    """
    share = np.clip(shares, 0, 1)
    fresh = _fresh_variance(share, channel)
    variance = fresh + design_effect * (report_variance(share, channel, target) - fresh)
    if population_size is not None:
        of_people = channel.contrast**2 * share * (1 - share)
        variance = variance - of_people * (np.asarray(n) - 1) / max(population_size - 1, 1)
    return np.sqrt(variance / np.asarray(n, dtype=np.float64)) / channel.contrast


def report_variance(share: ArrayLike, channel: Channel, target: Target) -> Floats:
    """Return the mean variance of one report's support of a value with this true share, in [0, 1].

    Population: l (1 - l), of a Bernoulli with the reported share l. Respondents: the share's mean
    of the two channels' variances; less, as who has the value is then fixed, not drawn.
    """
    share = np.asarray(share, dtype=np.float64)
    if target == "respondents":
        return share * channel.variance_if_true + (1 - share) * channel.variance_if_other
    reported = channel.prob_support_if_other + share * channel.contrast
    return np.clip(reported * (1 - reported), 0, None)


def _fresh_variance(share: Floats, channel: Channel) -> Floats:
    """Return the mean variance of one report's support given the permanent response: 0 of one stage."""
    one, zero = channel.report_if_one, channel.report_if_zero
    kept = channel.permanent.prob_support_if_other + share * channel.permanent.contrast
    return kept * one * (1 - one) + (1 - kept) * zero * (1 - zero)


def check_counts(support_counts: ArrayLike, n: int) -> NDArray[np.int64]:
    """Return the counts as int64, or raise `DomainError` unless all are integers in [0, n]; 40.0 is one."""
    n = check_n(n)
    counts = np.asarray(support_counts)
    if counts.size == 0:
        return counts.astype(np.int64)
    if counts.dtype.kind == "f":  # as data frames have integers of which some were missing
        odd = counts[~(np.isfinite(counts) & (counts == np.rint(counts)))]
        if odd.size:
            raise DomainError(f"support_counts ({odd.flat[0]}) must be integers, and none missing.")
    elif counts.dtype.kind not in "iu":
        raise DomainError(f"support_counts (of type {counts.dtype}) must be integers.")
    outside = counts[(counts < 0) | (counts > n)]
    if outside.size:
        raise DomainError(f"support_counts ({outside[0]}) must be in [0, n] (n = {n}).")
    return counts.astype(np.int64)


def check_n(n: int) -> int:
    """Return n as an int, or raise `DomainError` unless it is an integer in [1, 10^12]; 40.0 is one."""
    try:
        number = int(n) if isinstance(n, float | np.floating) and float(n).is_integer() else operator.index(n)
    except TypeError:
        number = 0
    if isinstance(n, bool) or not 1 <= number <= MAX_N:
        raise DomainError(f"n ({n!r}) must be an integer in [1, 10^12].")
    return number


def check_target(target: str) -> None:
    """Raise `DomainError` unless the target is one of `TARGETS`."""
    if target not in TARGETS:
        raise DomainError(f"target ({target!r}) {one_of(TARGETS, target)}")


def check_epsilon(epsilon: float) -> None:
    """Raise `DomainError` unless epsilon is finite and above 0."""
    if not 0 < epsilon < math.inf:
        raise DomainError(f"epsilon ({epsilon!r}) must be finite and > 0.")


def check_power(power: float) -> float:
    """Return the power, or raise `DomainError` unless it is in (0, 1)."""
    if not 0 < power < 1:
        raise DomainError(f"power ({power!r}) must be in (0, 1).")
    return power
