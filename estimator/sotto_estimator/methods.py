"""The methods of confidence intervals, a row each: to add one, write its functions and a row."""

from collections.abc import Callable
from dataclasses import dataclass

from sotto_estimator.channel import Channel, Floats
from sotto_estimator.devices import Devices
from sotto_estimator.errors import DomainError
from sotto_estimator.numbers.bets import betting_means
from sotto_estimator.numbers.hoeffding import hoeffding_means
from sotto_estimator.population import (
    Bounds,
    chernoff_shares,
    clopper_pearson_shares,
    hoeffding_half_width,
    hoeffding_shares,
    wilson_shares,
)
from sotto_estimator.respondents import chernoff_counts, exact_counts, score_counts


@dataclass(frozen=True, slots=True)
class IntervalMethod:
    """How an interval is made from a support count, and what holds of it.

    `words`: what it is called behind "intervals by the". `is_guaranteed`: it covers the truth with at least its level,
    for every n and every share. `allows_waves`: it holds as well, with n / n_waves in place of n, where several reports
    are of one device. `is_nested`: the interval of a higher level contains that of a lower (Blaker's does not always).

    `population(s, n, tail)`: the ends of the reported share, which may lie outside [0, 1]. `respondents(s, n, channel,
    tail)`: the fewest and the most of these n people who have the value; None where the population's interval serves
    both, as it asks of the reports only that they are independent. Both take arrays of one shape, and half of what the
    interval may miss by. `half_width(n, tail)`: of the reported share, where every count has the same; else None.
    """

    words: str
    is_guaranteed: bool
    allows_waves: bool
    population: Callable[[Floats, Floats, float], Bounds]
    respondents: Callable[[Floats, Floats, Channel, float], Bounds] | None
    half_width: Callable[[Floats, float], Floats] | None = None
    is_nested: bool = True
    of_means: Callable[[Floats, tuple[float, float], float, Devices], Bounds] | None = None
    words_of_means: str = ""


METHODS: dict[str, IntervalMethod] = {
    # The relative-entropy form (Chernoff 1952, Hoeffding 1963 eq. 2.1).
    "chernoff": IntervalMethod(
        words="Chernoff bound (relative entropy)",
        is_guaranteed=True,
        allows_waves=True,
        population=chernoff_shares,
        respondents=chernoff_counts,
        of_means=betting_means,
        words_of_means="a mixture of bets (Waudby-Smith & Ramdas)",
    ),
    # The additive form, closed (Hoeffding 1963, theorem 2).
    "hoeffding": IntervalMethod(
        words="additive Chernoff (Hoeffding) bound",
        is_guaranteed=True,
        allows_waves=True,
        population=hoeffding_shares,
        respondents=None,
        half_width=hoeffding_half_width,
        of_means=hoeffding_means,
        words_of_means="the additive Chernoff (Hoeffding) bound",
    ),
    # Both tails inverted exactly (Clopper & Pearson 1934): the narrowest that is guaranteed.
    "clopper-pearson": IntervalMethod(
        words="Clopper-Pearson method",
        is_guaranteed=True,
        allows_waves=False,
        population=clopper_pearson_shares,
        respondents=exact_counts,
    ),
    # The normal approximation by the score (Wilson 1927): it may cover less.
    "wilson": IntervalMethod(
        words="Wilson score (approximate)",
        is_guaranteed=False,
        allows_waves=False,
        population=wilson_shares,
        respondents=score_counts,
    ),
}
"""By the name that options and outputs have."""


def find_method(name: str) -> IntervalMethod:
    """Return the method of this name. Raises `DomainError` unless it is one of `METHODS`."""
    if name not in METHODS:
        raise DomainError(f"method ({name!r}) must be one of {', '.join(METHODS)}.")
    return METHODS[name]
