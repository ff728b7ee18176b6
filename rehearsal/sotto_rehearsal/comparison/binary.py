"""What shuffled reports of one yes-no question tell, exactly: all that is left of them is how many say yes.

The hockey-stick divergence of that number under a person's two answers, of everybody else's answers listed. It is the
largest of some crowds', and so a lower bound where a crowd between them is worse; the bound of clones is above it.
"""

import math

import numpy as np
from scipy import stats

from sotto_estimator.channel.channel import Channel, Floats, check_n
from sotto_rehearsal.comparison.domains import check_delta, least_epsilon

MAX_LISTED = 10**7
"""Of larger crowds nothing is listed: it takes too long."""
ALL_CROWDS = 64
"""Up to so many others every number of them that would answer yes is tried; of more, so many of them, evenly spaced."""
_SOME_CROWDS = 17
_IGNORED = 1e-4
"""The part of delta that numbers of yes may have together that are too rare to be listed."""


def exact_epsilon(channel: Channel, n: int, delta: float, n_others_yes: int | None = None) -> float:
    """Return the least epsilon, at delta, of how many of n reports say yes: the largest of some crowds'.

    `n_others_yes`: how many of the others would answer yes, 0 to n - 1; by default the worst of those that are tried,
    which up to `ALL_CROWDS` others are all. Domain: n in [1, 10^7]; delta in [1e-15, 1); the channel's epsilon finite.

    >>> round(exact_epsilon(Channel.warner(0.75), 1000, 1e-6), 3)
    0.142
    """
    others = check_n(n) - 1
    check_delta(delta)
    if n_others_yes is not None:
        return _of_crowd(channel, others, n_others_yes, delta)
    n_tried = others + 1 if others <= ALL_CROWDS else _SOME_CROWDS
    crowds = {round(part) for part in np.linspace(0, others, n_tried)}
    return max(_of_crowd(channel, others, crowd, delta) for crowd in crowds)


def _of_crowd(channel: Channel, others: int, n_yes: int, delta: float) -> float:
    crowd = np.convolve(
        _listed(n_yes, channel.prob_support_if_true, delta),
        _listed(others - n_yes, channel.prob_support_if_other, delta),
    )
    if_yes, if_no = _with_one(crowd, channel.prob_support_if_true), _with_one(crowd, channel.prob_support_if_other)
    highest = max(
        math.log(channel.prob_support_if_true / channel.prob_support_if_other),
        math.log((1 - channel.prob_support_if_other) / (1 - channel.prob_support_if_true)),
    )

    def delta_of(epsilon: float) -> float:
        return max(hockey_stick(if_yes, if_no, epsilon), hockey_stick(if_no, if_yes, epsilon))

    return least_epsilon(delta_of, delta, highest)


def hockey_stick(first: Floats, second: Floats, epsilon: float) -> float:
    """Return delta of this epsilon, one way: the sum of what the first exceeds e^epsilon times the second by."""
    return float(np.maximum(first - math.exp(epsilon) * second, 0).sum())


def _listed(n: int, prob: float, delta: float) -> Floats:
    """Return the binomial's probabilities, from its first number that is not too rare to its last one."""
    reports = stats.binom(n, prob)
    tail = _IGNORED * delta / 4
    listed: Floats = reports.pmf(np.arange(reports.ppf(tail), reports.isf(tail) + 1))
    return listed


def _with_one(crowd: Floats, prob: float) -> Floats:
    """Return the probabilities with one more report, which says yes with this one."""
    return np.append(crowd, 0) * (1 - prob) + np.append(0, crowd) * prob
