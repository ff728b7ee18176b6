"""The methods of confidence intervals, a row each: to add one, write its functions and a row."""

from collections.abc import Callable
from dataclasses import dataclass

from sotto_estimator.channel.channel import Channel, Floats, Target
from sotto_estimator.channel.devices import Devices
from sotto_estimator.errors import DomainError, one_of
from sotto_estimator.intervals.binomial import (
    Bounds,
    chernoff_shares,
    clopper_pearson_shares,
    hoeffding_half_width,
    hoeffding_shares,
    likelihood_shares,
    wilson_shares,
)
from sotto_estimator.intervals.blaker import blaker_counts, blaker_shares
from sotto_estimator.intervals.bounded_means import betting_means, hoeffding_means
from sotto_estimator.intervals.confidence_sequence import anytime_counts, anytime_means, anytime_shares
from sotto_estimator.intervals.dirichlet_means import dirichlet_means
from sotto_estimator.intervals.noise_means import noise_means
from sotto_estimator.intervals.repeated_waves import chernoff_of_devices, hoeffding_of_devices
from sotto_estimator.intervals.respondents import chernoff_counts, exact_counts, score_counts
from sotto_estimator.intervals.without_replacement import chernoff_of_finite, exact_of_finite, hoeffding_of_finite

Means = Callable[[Floats, Floats, tuple[float, float], float, Devices], Bounds]
"""From histograms, what outputs are worth, their least and most deviation, a tail and devices, ends of the mean."""
NoiseMeans = Callable[[Floats, Floats, Floats, float, Devices], Bounds]
"""From histograms, what outputs are worth, P(output | level), a tail and devices, ends of the mean place."""


@dataclass(frozen=True, slots=True)
class IntervalMethod:
    """How an interval is made from a support count, and what holds of it.

    `words`: what it is called behind "intervals by the". `is_guaranteed`: it covers the truth with at least its level,
    for every n and every share. `is_nested`: the interval of a higher level contains that of a lower.

    `population(s, n, tail)`: the ends of the reported share, which may lie outside [0, 1]. `respondents(s, n, channel,
    tail)`: the fewest and the most of these n people who have the value; None where the population's interval serves
    both, as it asks of the reports only that they are independent. Both take arrays of one shape, and half of what the
    interval may miss by. `half_width(n, tail)`: of the reported share, where every count has the same; else None.

    `pooled(s, devices, channel, target, tail)`: the ends of the reported share where several reports are of one device;
    None where that is not allowed for. `finite(s, n, population_size, channel, tail)`: the fewest and the most people
    of a population of that size, of whom n respond; None where it knows none. `planned_as`: the method whose widths
    plans take, at least as wide, where its own do not grow evenly towards counts of n / 2; "" where they do.

    `of_means(counts, outputs, deviations, tail, devices)`: the ends of the mean output of histograms of shape (rows,
    n_outputs), where each output is worth 0 to 1; None where it has none. `words_of_means`: what it is called there.
    `of_drawn_means`, `words_of_drawn_means`: the same for one wave about a population, where it has one of its own.
    `of_noise_means(counts, outputs, matrix, tail, devices)`, `words_of_noise_means`: the ends of the mean place of the
    respondents, of more than two outputs, where it has one of its own.
    """

    words: str
    is_guaranteed: bool
    population: Callable[[Floats, Floats, float], Bounds]
    respondents: Callable[[Floats, Floats, Channel, float], Bounds] | None
    half_width: Callable[[Floats, float], Floats] | None = None
    pooled: Callable[[Floats, Devices, Channel, Target, float], Bounds] | None = None
    finite: Callable[[Floats, int, int, Channel, float], Bounds] | None = None
    is_nested: bool = True
    planned_as: str = ""
    of_means: Means | None = None
    words_of_means: str = ""
    of_drawn_means: Means | None = None
    words_of_drawn_means: str = ""
    of_noise_means: NoiseMeans | None = None
    words_of_noise_means: str = ""

    @property
    def allows_waves(self) -> bool:
        """Whether it holds too where several reports are of one device."""
        return self.pooled is not None


LINEARISED = "linearised"
"""What results say of samples that are not simple: Wald's intervals by linearised errors, which nobody chooses."""
REPLICATED = "replicates"
"""The same by replicate weights."""

_BY_WEIGHTS = "Gaffke's bound (Dirichlet weights)"

METHODS: dict[str, IntervalMethod] = {
    # The relative-entropy form (Chernoff 1952, Hoeffding 1963 eq. 2.1).
    "chernoff": IntervalMethod(
        words="Chernoff bound (relative entropy)",
        is_guaranteed=True,
        population=chernoff_shares,
        respondents=chernoff_counts,
        pooled=chernoff_of_devices,
        finite=chernoff_of_finite,
        of_means=betting_means,
        words_of_means="a mixture of bets (Waudby-Smith & Ramdas)",
        of_drawn_means=dirichlet_means,
        words_of_drawn_means=_BY_WEIGHTS,
        of_noise_means=noise_means,
        words_of_noise_means="the Chernoff bound of the devices' noise",
    ),
    # The additive form, closed (Hoeffding 1963, theorem 2).
    "hoeffding": IntervalMethod(
        words="additive Chernoff (Hoeffding) bound",
        is_guaranteed=True,
        population=hoeffding_shares,
        respondents=None,
        half_width=hoeffding_half_width,
        pooled=hoeffding_of_devices,
        finite=hoeffding_of_finite,
        of_means=hoeffding_means,
        words_of_means="the additive Chernoff (Hoeffding) bound",
    ),
    # Both tails inverted exactly (Clopper & Pearson 1934).
    "clopper-pearson": IntervalMethod(
        words="Clopper-Pearson method",
        is_guaranteed=True,
        population=clopper_pearson_shares,
        respondents=exact_counts,
        finite=exact_of_finite,
        of_drawn_means=dirichlet_means,
        words_of_drawn_means=_BY_WEIGHTS,
    ),
    # What each count says for a share, inverted exactly (Blaker 2000): within Clopper and Pearson's.
    "blaker": IntervalMethod(
        words="Blaker method",
        is_guaranteed=True,
        population=blaker_shares,
        respondents=blaker_counts,
        planned_as="clopper-pearson",
    ),
    # The normal approximation by the score (Wilson 1927): it may cover less.
    "wilson": IntervalMethod(
        words="Wilson score (approximate)",
        is_guaranteed=False,
        population=wilson_shares,
        respondents=score_counts,
    ),
    # The profile likelihood (Wilks 1938), also of several samples and of more than two reports: it may cover less.
    "likelihood": IntervalMethod(
        words="profile likelihood (approximate)",
        is_guaranteed=False,
        population=likelihood_shares,
        respondents=None,
    ),
    # At every n at once: a mixture of exponential tilts (Robbins 1970), by Ville's inequality.
    "anytime": IntervalMethod(
        words="confidence sequence (Robbins 1970)",
        is_guaranteed=True,
        population=anytime_shares,
        respondents=anytime_counts,
        of_means=anytime_means,
        words_of_means="a confidence sequence (Robbins 1970)",
    ),
}
"""By the name that options and outputs have."""


def find_method(name: str) -> IntervalMethod:
    """Return the method of this name. Raises `DomainError` unless it is one of `METHODS`."""
    if name not in METHODS:
        raise DomainError(f"method ({name!r}) {one_of(METHODS, name)}")
    return METHODS[name]
