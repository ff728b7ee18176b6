"""How wide an interval is with a given probability, when a share is still to be counted.

An interval's width depends on the count S of n reports that support a value, so it is random before anybody is asked.
About the population it is symmetric in S, and the wider the nearer S/n is to 1/2. So it is at most that of a count s
if S <= s or S >= n - s, which has a probability to the last digit of the binomial distribution.
"""

import numpy as np

from sotto_estimator.channel.channel import Floats
from sotto_estimator.errors import DomainError
from sotto_estimator.planning.counts import least_counts, prob_at_least, prob_at_most

EXPECTED = 0.5
"""The assurance of a plan that asks for none: half of all surveys are as precise."""


def assured_counts(n: Floats, reported_share: float, assurance: float) -> Floats:
    """Return the least s <= (n + 1) / 2 with P(S <= s or S >= n - s) >= assurance, S ~ Binomial(n, reported_share).

    With this probability and no less, an interval about the population is no wider than that of s. Shape of n.
    Domain: assurance in (0, 1).
    """

    def prob_outside(s: Floats) -> Floats:
        outside = prob_at_most(s, n, reported_share) + prob_at_least(n - s, n, reported_share)
        return np.where(2 * s >= n - 1, 1.0, outside)  # where the two meet

    return least_counts(np.full_like(n, -1), np.ceil(n / 2), lambda s: prob_outside(s) >= assurance)


def check_assurance(assurance: float, target: str) -> float:
    """Return the assurance, or raise `DomainError` unless it is in (0, 1), and about the population or `EXPECTED`."""
    if not 0 < assurance < 1:
        raise DomainError(f"assurance ({assurance!r}) must be in (0, 1).")
    if target == "respondents" and assurance != EXPECTED:
        raise DomainError(
            f"assurance ({assurance!r}) goes with target population. Leave it out for the respondents, whose width is "
            "that of the expected count."
        )
    return assurance
