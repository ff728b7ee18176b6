"""What shuffled reports tell of one person's two answers where everybody else gives a third one.

There may be such a crowd, so no bound for all crowds can be below it. A report supports the first answer alone, the
second alone, or neither or both, which the two answers make as likely. From the third answer each of the two alone has
probability u. Take x and y such reports of n. One report that is the person's own multiplies their probability by
(r x/u + l y/u + (1 - r - l) (n - x - y)/(1 - 2 u)) / n, where r and l are its probabilities of supporting the person's
answer alone and the other one alone.
"""

import math

import numpy as np
from scipy import stats

from sotto_estimator.channel.channel import check_n
from sotto_protocol.mechanisms.mechanism import Mechanism
from sotto_rehearsal.comparison.clones import at_least
from sotto_rehearsal.comparison.domains import check_delta, least_epsilon

_IGNORED = 1e-4
"""The part of delta that numbers of reports may have together that are too rare to be looked at; it is left out."""


def third_answer_epsilon(mechanism: Mechanism, n: int, delta: float) -> float:
    """Return the least epsilon, at delta, of n reports whose others all give a third answer; 0 where there is none.

    Domain: n in [1, 10^7]; delta in [1e-15, 1).
    """
    check_delta(delta)
    n = check_n(n)
    one, two = mechanism.union_chances(1), mechanism.union_chances(2) if mechanism.n_values > 2 else None
    if one is None or two is None:
        return 0.0
    both, third = float(two[0][2:].sum()), float(two[1][1]) / 2
    own, other = float(one[0][1]) - both, float(one[1][1]) - both
    if other <= 0 or 2 * third >= 1:
        return 0.0
    return _least(own, other, third, n, delta)


def _least(own: float, other: float, third: float, n: int, delta: float) -> float:
    """Return it; of s reports that support one of the two alone a fair binomial number x support the first."""
    of_two = stats.binom(n, 2 * third)
    tail = _IGNORED * delta / 2
    sizes = np.arange(of_two.ppf(tail), of_two.isf(tail) + 1)
    probs = of_two.pmf(sizes)
    rest = (n - sizes) * (1 - own - other) / (1 - 2 * third) / n

    def delta_of(epsilon: float) -> float:
        odds = math.exp(epsilon)
        slope = (1 + odds) * (own - other) / third / n
        start = sizes * (other - odds * own) / third / n - (odds - 1) * rest
        first = np.maximum(np.floor(-start / slope) + 1, 0)
        parts = slope * sizes / 2 * at_least(first - 1, sizes - 1) + start * at_least(first, sizes)
        return float(probs @ np.maximum(parts, 0))

    return least_epsilon(delta_of, delta, math.log(own / other))
