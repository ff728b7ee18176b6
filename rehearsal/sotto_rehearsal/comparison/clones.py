"""Amplification by shuffling: what a crowd of reports tells of one of them, if nothing else is seen of it.

The numerical bound of Feldman, McMillan & Talwar 2021 ("Hiding among the clones", arXiv:2012.12803). Two answers of one
person give reports r0 and r1. There are distributions Q0 and Q1 of which (Kairouz, Oh & Viswanath 2015)

    r0 = t Q0 + (1 - t) Q1,  r1 = (1 - t) Q0 + t Q1,  t = e^epsilon / (e^epsilon + 1),

so that r0 + r1 = Q0 + Q1. Everybody else's report is c (r0 + r1) + (1 - 2 c) of something that hides nobody, where c is
such that none of its outputs is less likely than that. So each of the others is with probability 2 c a clone: of Q0 or
of Q1, as a fair coin falls. Whoever learns how many Q0 and Q1 there are, the person's own among them, and which others
are no clones, knows no less than the shuffled reports tell. What they know is computed here.

For every mechanism c is at least e^-epsilon / 2, as an output's probabilities differ by e^epsilon at the most. Where a
report speaks for one value, and is else as likely whatever the answer, c is 1 / (e^epsilon + 1). The same authors state
that for all in 2022 (arXiv:2208.04591); the argument above does not give it, so it is not taken here.
"""

import math

import numpy as np
from scipy import special, stats

from sotto_estimator.channel.channel import Floats, check_epsilon, check_n
from sotto_rehearsal.comparison.domains import check_delta, least_epsilon

_IGNORED = 1e-4
"""The part of delta that numbers of clones may have together that are too rare to be looked at; it is added again."""
_MOST_SIZES = 2000
"""So many numbers of clones are looked at, those between as the one below: fewer clones hide less."""


def amplified_epsilon(epsilon: float, n: int, delta: float, prob_clone: float | None = None) -> float:
    """Return an upper bound of epsilon, at delta, of n reports in random order, of which each one takes `epsilon`.

    Never above `epsilon`. `prob_clone`: the 2 c above, in (0, 1); by default e^-epsilon, which holds for every
    mechanism. Domain: epsilon > 0, in nats; n in [1, 10^12]; delta in [1e-15, 1).

    >>> round(amplified_epsilon(1.0, 10_000, 1e-6), 3)
    0.053
    """
    check_epsilon(epsilon)
    clones = Clones(epsilon, check_n(n), check_delta(delta), math.exp(-epsilon) if prob_clone is None else prob_clone)
    return least_epsilon(clones.delta_of, delta, epsilon)


def prob_clone_of_one(epsilon: float) -> float:
    """Return the probability of a clone where a report speaks for one value: of yes-no questions, and k-ary.

    >>> round(prob_clone_of_one(math.log(3)), 9)
    0.5
    """
    return 2 / (math.exp(epsilon) + 1)


class Clones:
    """How many Q0 and Q1 there are together besides the person's own, shape (m,), and how likely: `coins`, `probs`."""

    def __init__(self, epsilon: float, n: int, delta: float, prob_clone: float) -> None:
        self.truth, self.lie = 1 / (1 + math.exp(-epsilon)), 1 / (1 + math.exp(epsilon))
        clones = stats.binom(n - 1, prob_clone)
        tail = _IGNORED * delta / 2
        fewest, most = int(clones.ppf(tail)), int(clones.isf(tail))
        sizes = np.linspace(fewest, most, min(most - fewest + 1, _MOST_SIZES))
        self.coins: Floats = np.unique(np.floor(sizes))
        below = clones.cdf(self.coins - 1)
        self.probs = np.diff(below, append=1.0)
        self.ignored = float(below[0])

    def delta_of(self, epsilon: float) -> float:
        """Return a bound of the hockey-stick divergence of the two numbers under the two answers.

        Of s coins and the person j are Q0 with probability truth B(j - 1) + lie B(j) under r0, B that of s fair coins.
        The ratio to r1 grows with j: where r0 is more than e^epsilon r1 is a tail. As B(j - 1) (s - j + 1) = B(j) j.
        """
        odds = math.exp(epsilon)
        gain, loss = self.truth - odds * self.lie, odds * self.truth - self.lie
        if gain <= 0:
            return self.ignored
        first = np.floor((self.coins + 1) * loss / (gain + loss)) + 1
        parts = gain * at_least(first - 1, self.coins) - loss * at_least(first, self.coins)
        return float(self.ignored + self.probs @ np.maximum(parts, 0))


def at_least(least: Floats, coins: Floats) -> Floats:
    """Return P(at least so many of these fair coins are heads), elementwise."""
    tail = special.betainc(np.maximum(least, 1), np.maximum(coins - least + 1, 1), 0.5)
    return np.where(least <= 0, 1.0, np.where(least > coins, 0.0, tail))
