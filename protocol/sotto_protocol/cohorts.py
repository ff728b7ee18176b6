"""How many cohorts a crowd is shared out among: each must have reports enough to show anything."""

import math
from bisect import bisect_left
from fractions import Fraction

MAX_COHORTS = 1024
_RISK = 0.05
_FEWEST = 100
"""So many reports a decoder needs in a cohort to tell the errors of RAPPOR's bits from the counts themselves."""


def likely_reports(n_cohorts: int, min_reports: int, share: Fraction) -> int:
    """Return a number of reports with which each cohort has min_reports but for 1 time in 20.

    A share of them answers the question, each in a cohort at random: a cohort's are Binomial(n, c), c = share /
    n_cohorts, in (0, 1]; of those that count for several cohorts, share is so many times as large. P(fewer than
    min_reports) <= exp(-n KL(x, c)), x = (min_reports - 1) / n (Chernoff 1952), and the probabilities of all cohorts
    are added: so it is rather too many.
    """
    chance = float(share / n_cohorts)
    if chance == 1:
        return min_reports

    def is_enough(n: int) -> bool:
        return _exponent(min_reports - 1, n, chance) >= math.log(n_cohorts / _RISK)

    least = most = math.ceil(n_cohorts * min_reports / share)
    while not is_enough(most):
        most *= 2
    return least + bisect_left(range(least, most), True, key=is_enough)


def shown_cohorts(people: int, min_reports: int, most: int) -> int:
    """Return the most cohorts, at most so many, each of which probably has min_reports; 1 where not even one has."""
    choices = range(1, most + 1)
    return max(1, bisect_left(choices, True, key=lambda n: likely_reports(n, min_reports, Fraction(1)) > people))


def decoded_cohorts(people: int, min_reports: int) -> int:
    """Return the most cohorts, a power of two, that have reports enough each to be decoded, and to be shown."""
    most = min(MAX_COHORTS, max(1, people // _FEWEST), shown_cohorts(people, min_reports, MAX_COHORTS))
    return 1 << (most.bit_length() - 1)


def _exponent(most: int, n: int, chance: float) -> float:
    """Return n KL(most / n, chance), for most / n <= chance < 1."""
    rest = (n - most) * math.log((n - most) / n / (1 - chance))
    return rest + (most * math.log(most / n / chance) if most else 0.0)
