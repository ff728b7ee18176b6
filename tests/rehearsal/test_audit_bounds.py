"""The limits of rates and of epsilons, against binomial distributions that are listed term by term."""

from math import comb, log

import numpy as np
import pytest

from sotto_rehearsal.audit.bounds import Counts, binomial_tails, differ, epsilon_below, rate_above, rate_below


def prob_of(x: int, n: int, prob: float) -> float:
    return comb(n, x) * prob**x * (1 - prob) ** (n - x)


@pytest.mark.parametrize("n", [1, 7, 40])
@pytest.mark.parametrize("prob", [0.01, 0.3, 0.5, 0.97])
def test_a_limit_misses_with_its_tail_at_most(n: int, prob: float) -> None:
    for tail in (0.2, 0.01):
        low, high = rate_below(np.arange(n + 1), n, tail), rate_above(np.arange(n + 1), n, tail)
        assert sum(prob_of(x, n, prob) for x in range(n + 1) if low[x] > prob) <= tail
        assert sum(prob_of(x, n, prob) for x in range(n + 1) if high[x] < prob) <= tail


def test_a_limit_is_where_the_tail_is_exactly_its_own() -> None:
    for x in range(1, 21):
        low = float(rate_below(x, 20, 0.03))
        assert sum(prob_of(more, 20, low) for more in range(x, 21)) == pytest.approx(0.03)


def test_limits_without_any_trial_say_nothing() -> None:
    assert (rate_below(0, 0, 0.1), rate_above(0, 0, 0.1)) == (0, 1)
    assert epsilon_below(Counts.of(0, 0, 0, 0), 0.1).tolist() == [0]


def test_the_bound_of_an_epsilon_is_missed_with_twice_the_tail_at_most() -> None:
    """Warner's coin of 3/4 has epsilon ln 3, over all outcomes of 30 and 20 reports."""
    n, m, tail = 30, 20, 0.05
    outcomes = [(x, y) for x in range(n + 1) for y in range(m + 1)]
    bounds = epsilon_below(Counts.of([x for x, _ in outcomes], n, [y for _, y in outcomes], m), tail)
    weights = [prob_of(x, n, 0.75) * prob_of(y, m, 0.25) for x, y in outcomes]
    missed = sum(weight for bound, weight in zip(bounds, weights, strict=True) if bound > log(3))
    assert 0 < missed <= 2 * tail
    assert max(bounds) > log(3)


def test_both_ways_are_the_events_their_opposites_and_both_exchanged() -> None:
    counts = Counts.of([3, 4], 10, [1, 2], 20).both_ways()
    assert counts.x.tolist() == [3, 4, 7, 6, 1, 2, 19, 18]
    assert counts.n.tolist() == [10] * 4 + [20] * 4
    assert counts.y.tolist() == [1, 2, 19, 18, 3, 4, 7, 6]


def test_rates_differ_where_their_limits_do_not_meet() -> None:
    assert differ(Counts.of([500, 500, 0], 1000, [500, 700, 0], [1000, 1000, 0]), 1e-9).tolist() == [False, True, False]


@pytest.mark.parametrize("n", [1, 7, 40])
@pytest.mark.parametrize("prob", [0.01, 0.3, 0.5, 0.97])
def test_a_binomial_tail_comes_no_more_often_than_it_says(n: int, prob: float) -> None:
    tails = binomial_tails(np.arange(n + 1), n, prob)
    probs = [prob_of(x, n, prob) for x in range(n + 1)]
    for x, tail in enumerate(tails):
        assert tail == pytest.approx(min(1, 2 * min(sum(probs[: x + 1]), sum(probs[x:]))))
    for level in (0.3, 0.05, 1e-3):
        assert sum(each for each, tail in zip(probs, tails, strict=True) if tail <= level) <= level * (1 + 1e-9)


def test_rates_that_are_passed_over_at_first_sight_have_limits_that_meet() -> None:
    """Every pair of counts of 12 and 60 reports, at the largest tail at which some are passed over."""
    x, y = (part.ravel() for part in np.meshgrid(np.arange(13), np.arange(61)))
    counts = Counts.of(x, 12, y, 60)
    apart = (rate_below(x, 12, 9e-4) > rate_above(y, 60, 9e-4)) | (rate_below(y, 60, 9e-4) > rate_above(x, 12, 9e-4))
    assert differ(counts, 9e-4).tolist() == apart.tolist()
    assert apart.any()
