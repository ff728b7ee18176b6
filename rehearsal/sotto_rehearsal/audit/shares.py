"""How the probability of a false alarm is shared out: each group of tests has its part, and no test has more.

A group shares its part equally among its tests (Bonferroni), by how many there are, which is known before any report is
seen. So a program without a fault is accused with at most the sum of the parts, which is all there is.
"""

from fractions import Fraction

FALSE_ALARM = 1e-6
"""The probability that an audit finds any fault in a program that has none, at most."""

SHARES = {
    "losses": Fraction(1, 2),
    "channel": Fraction(1, 8),
    "stretches": Fraction(1, 16),
    "movers": Fraction(1, 32),
    "twins": Fraction(1, 16),
    "draws": Fraction(1, 32),
    "sharing": Fraction(1, 16),
    "id bits": Fraction(1, 16),
    "id rates": Fraction(1, 32),
    "id repeats and generators": Fraction(1, 32),
}
"""The part of each group: exact limits, but for `sharing` (Freedman's bound) and the last one.

What is looked for in the last comes by chance with probability 2**-80 at most, so it has more than it takes.
"""


def share_of(group: str, false_alarm: float) -> float:
    """Return the part of a false alarm that a group of tests has."""
    return false_alarm * float(SHARES[group])
