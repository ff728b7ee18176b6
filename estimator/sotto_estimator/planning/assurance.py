"""How wide an interval is with a given probability, when a share is still to be counted.

An interval's width depends on the count S of n reports that support a value, so it is random before anybody is asked.
About the population it is symmetric in S, and the wider the nearer S/n is to 1/2. So it is at most that of a count s
if S <= s or S >= n - s, which has a probability to the last digit of the binomial distribution.
"""

import numpy as np
from scipy import special

from sotto_estimator.channel import Floats
from sotto_estimator.errors import DomainError

EXPECTED = 0.5
"""The assurance of a plan that asks for none: half of all surveys are as precise."""


def assured_counts(n: Floats, reported_share: float, assurance: float) -> Floats:
    """Return the least s <= (n + 1) / 2 with P(S <= s or S >= n - s) >= assurance, S ~ Binomial(n, reported_share).

    With this probability and no less, an interval about the population is no wider than that of s. Shape of n.
    Domain: assurance in (0, 1).
    """
    too_few, enough = np.full_like(n, -1), np.ceil(n / 2)
    while np.any(enough - too_few > 1):
        middle = np.floor((too_few + enough) / 2)
        is_enough = (middle >= 0) & (_prob_outside(np.maximum(middle, 0), n, reported_share) >= assurance)
        # Where the bracket is closed its middle is its lower end, which stays.
        too_few, enough = np.where(is_enough, too_few, np.maximum(middle, too_few)), np.where(is_enough, middle, enough)
    return enough


def check_assurance(assurance: float, target: str) -> float:
    """Return the assurance, or raise `DomainError` unless it is in (0, 1), and about the population or `EXPECTED`."""
    if not 0 < assurance < 1:
        raise DomainError(f"assurance ({assurance!r}) must be in (0, 1).")
    if target == "respondents" and assurance != EXPECTED:
        raise DomainError(
            f"assurance ({assurance!r}) must be left out about the respondents: their width is that of the expected "
            "count. Plan about the population, whose intervals are wider."
        )
    return assurance


def _prob_outside(s: Floats, n: Floats, reported_share: float) -> Floats:
    """Return P(S <= s) + P(S >= n - s), 1 where the two meet."""
    all_of_them = 2 * s >= n - 1
    below = np.where(all_of_them, 0, s)
    low = special.betaincc(below + 1, n - below, reported_share)
    high = special.betainc(n - below, below + 1, reported_share)
    return np.where(all_of_them, 1.0, low + high)
