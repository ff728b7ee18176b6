"""Intervals about a population of N people, of whom the respondents are a random sample without replacement.

Notation: M of the N have the value, K of the n respondents, hypergeometric; S of the n reports support it, given K the
sum of two binomials. S grows with M stochastically, so what refutes M refutes all smaller ones. As in `respondents`
only "the fewest M that the count allows" is worked out; the most is the mirror image. Proofs are in
docs/maths-intervals.md.
"""

from collections.abc import Callable

import numpy as np

from sotto_estimator.channel.channel import Channel, Floats
from sotto_estimator.errors import DomainError
from sotto_estimator.intervals.binomial import Bounds, hoeffding_shares
from sotto_estimator.intervals.chernoff_tilt import best_tilt, log_mixture
from sotto_estimator.intervals.respondents import Noise, log_chernoff_tail, people_expecting, uncrossed, upper_tail

MOST_EXACT = 10**5
"""Respondents up to whom exact tails are added up, over all numbers of them who can have the value."""

_EPS = float(np.finfo(np.float64).eps)
_NEGLIGIBLE = -50.0
"""Logarithm of a tail of which its Chernoff bound will do."""
_LOOSE = 1e-7
"""More than a tail of `upper_tail` is too large by, relatively."""

_Fewest = Callable[[Floats, int, int, Noise, float], Floats]


def exact_of_finite(s: Floats, n: int, population_size: int, channel: Channel, tail: float) -> Bounds:
    """Return the fewest and most of the N people of whom neither tail of a count is below `tail`; shape of s.

    Exact, to 1e-7 of a tail and outward. Raises `DomainError` for more than `MOST_EXACT` respondents.
    """
    if n > MOST_EXACT:
        raise DomainError(f"n ({n:,}) must be at most {MOST_EXACT:,} for exact tails of a finite population.")
    return _both_ends(_fewest_exact, s, n, population_size, channel, tail)


def chernoff_of_finite(s: Floats, n: int, population_size: int, channel: Channel, tail: float) -> Bounds:
    """Return the fewest and most of the N people of whom neither tail's Chernoff bound is below `tail`."""
    return _both_ends(_fewest_by_chernoff, s, n, population_size, channel, tail)


def hoeffding_of_finite(s: Floats, n: int, population_size: int, channel: Channel, tail: float) -> Bounds:
    """Return Hoeffding's interval, which is the same for every N (1963, theorem 4), as numbers of people."""
    low, high = hoeffding_shares(s, np.full_like(s, n), tail)
    scale = population_size / channel.contrast
    return (low - channel.prob_support_if_other) * scale, (high - channel.prob_support_if_other) * scale


def _both_ends(fewest: _Fewest, s: Floats, n: int, population_size: int, channel: Channel, tail: float) -> Bounds:
    noise, flat = Noise.of(channel), s.ravel()
    low = fewest(flat, n, population_size, noise, tail)
    high = population_size - fewest(n - flat, n, population_size, noise.mirrored(), tail)
    return uncrossed(low.reshape(s.shape), high.reshape(s.shape))


def _fewest_by_chernoff(s: Floats, n: int, population_size: int, noise: Noise, tail: float) -> Floats:
    """By the better of two bounds of E e^(theta K), theta = ln(A1 / A0), each at its best tilt.

    With replacement (Hoeffding 1963, theorem 4), and Bennett's with the variance of K, which is a sum of independent
    bits (Vatutin & Mikhailov 1982). Of F = M / N both are solved for F.
    """
    budget = -np.log(tail)
    kept = (population_size - n) / max(population_size - 1, 1)

    def with_replacement(h: Floats) -> Floats:
        room, theta = spare(h)
        return np.asarray(np.expm1(np.minimum(room, theta)) / np.expm1(theta))

    def by_variance(h: Floats) -> Floats:
        room, theta = spare(h)
        curved = kept * (np.expm1(theta) - theta)
        root = np.sqrt(np.maximum((theta + curved) ** 2 - 4 * curved * room, 0))
        return np.asarray(np.where(room > 0, 2 * room / (theta + curved + root), room))

    def spare(h: Floats) -> tuple[Floats, Floats]:
        """Return what one respondent's part of the exponent may be, and theta."""
        base = log_mixture(noise.other, h)
        theta = np.maximum(log_mixture(noise.true, h) - base, np.finfo(np.float64).tiny)
        rounding = 32 * _EPS * (1 + theta) * (h * s / n + base + budget / n)
        return (h * s - budget) / n - base - rounding, theta

    least = budget / np.maximum(s, 1)
    shares = np.maximum(*(bound(best_tilt(bound, least)) for bound in (with_replacement, by_variance)))
    found = np.ceil(population_size * np.clip(shares, 0, 1) * (1 - 8 * _EPS))
    is_none = log_chernoff_tail(s, np.full_like(s, n), np.full_like(s, n), noise) <= -budget
    return np.where(is_none, population_size + 1.0, np.where(s > 0, found, 0.0))


def _fewest_exact(s: Floats, n: int, population_size: int, noise: Noise, tail: float) -> Floats:
    """Bisect for each count over all M."""
    found = np.empty_like(s)
    for place, count in enumerate(s.tolist()):
        tails = _tails(count, n, noise)
        refuted, allowed = -1, population_size + 1
        while allowed - refuted > 1:
            people = (refuted + allowed) // 2
            fewest, weights = hypergeometric(people, n, population_size)
            is_refuted = weights @ tails[fewest : fewest + weights.size] * (1 + 1e-12) <= tail
            refuted, allowed = (people, allowed) if is_refuted else (refuted, people)
        found[place] = allowed
    return found


def _tails(count: float, n: int, noise: Noise) -> Floats:
    """Return P(S >= count), or slightly more, of all K from 0 to n: of large ones by the complement."""
    k, size = np.arange(n + 1.0), np.full(n + 1, float(n))
    if count == 0:
        return np.ones_like(k)
    s = np.full_like(k, count)
    is_above = k >= people_expecting(s, size, noise)
    small = np.empty_like(k)
    small[~is_above] = _tail(s[~is_above], k[~is_above], size[~is_above], noise)
    small[is_above] = _tail((n - s + 1)[is_above], (n - k)[is_above], size[is_above], noise.mirrored())
    return np.where(is_above, 1 - (1 - _LOOSE) * small, small)


def _tail(s: Floats, k: Floats, n: Floats, noise: Noise) -> Floats:
    log_bound = np.minimum(log_chernoff_tail(s, k, n, noise), 0)
    tail, near = np.exp(log_bound), log_bound > _NEGLIGIBLE
    tail[near] = upper_tail(s[near], k[near], n[near], noise)
    return tail


def hypergeometric(people: int, n: int, population_size: int) -> tuple[int, Floats]:
    """Return the least K that is possible of so many people with the value, and the probabilities from it on.

    By the ratios of neighbours, which keep their digits at any size.
    """
    fewest, most = max(0, n - (population_size - people)), min(n, people)
    k = np.arange(fewest, most, dtype=np.float64)
    ratios = np.log(people - k) + np.log(n - k) - np.log(k + 1) - np.log(population_size - people - n + k + 1)
    logs = np.concatenate([[0.0], np.cumsum(ratios)])
    weights = np.exp(logs - logs.max())
    return fewest, weights / weights.sum()
