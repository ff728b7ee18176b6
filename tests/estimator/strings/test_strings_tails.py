"""Tails of a share's error bound what they are to bound: probabilities that are added up, point by point."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binom

from sotto_estimator.strings.tails import Tails


def error_of_both(n_reports: int, prob: float, n_cohorts: int, n_buckets: int, share: float) -> NDArray[np.float64]:
    """Return what both errors add up to and how likely that is, shape (2, n): a mean of coins, and collisions.

    A string of this share is in another's bucket in each of n_cohorts with probability 1 / n_buckets.
    """
    coins, hits = np.arange(n_reports + 1), np.arange(n_cohorts + 1)
    of_coins, of_hits = binom.pmf(coins, n_reports, prob), binom.pmf(hits, n_cohorts, 1 / n_buckets)
    values = (coins / n_reports - prob)[:, None] + share * (hits / n_cohorts - 1 / n_buckets)
    return np.stack([values.ravel(), np.outer(of_coins, of_hits).ravel()])


CASES = [(400, 0.3, 8, 13, 0.35), (400, 0.02, 60, 40, 0.9), (3000, 0.1, 200, 100, 0.05), (50, 0.5, 4, 4, 1.0)]


def tails_of(n_reports: int, prob: float, n_cohorts: int, n_buckets: int, share: float) -> Tails:
    many = np.array([prob * (1 - prob) / n_reports])
    few = share**2 / n_cohorts / n_buckets * (1 - 1 / n_buckets)
    return Tails(many, few, 1 / n_reports, max(share / n_cohorts, 1 / n_reports))


@pytest.mark.parametrize("case", CASES)
def test_no_tail_is_heavier_than_its_bound(case: tuple[int, float, int, int, float]) -> None:
    values, probabilities = error_of_both(*case)
    tails = tails_of(*case)
    deviation = float(np.sqrt(tails.many[0] + tails.few))
    for times in np.linspace(0.5, 9, 35):
        off = np.array([times * deviation])
        beyond = probabilities[values >= off[0]].sum()
        assert beyond <= np.exp(-tails.exponents(off)[0])
    for nats in np.linspace(0.5, 30, 40):
        assert probabilities[values >= tails.reaches(nats)[0]].sum() <= np.exp(-nats)


@pytest.mark.parametrize("case", CASES)
def test_exponents_and_reaches_are_hardly_apart(case: tuple[int, float, int, int, float]) -> None:
    tails = tails_of(*case)
    for nats in (0.5, 2.0, 8.0, 20.0):
        assert tails.exponents(tails.reaches(nats))[0] == pytest.approx(nats, rel=0.02)


def test_where_single_errors_are_small_the_tail_is_normal() -> None:
    tails = Tails(np.array([0.01]), 1e-9, 1e-9, 1e-9)
    assert tails.reaches(3.0**2 / 2)[0] == pytest.approx(0.3, rel=1e-6)
    assert tails.exponents(np.array([0.3, 0, -1])).tolist() == pytest.approx([4.5, 0, 0], rel=1e-6)


def test_a_few_that_hardly_vary_do_not_thicken_the_tail_of_many() -> None:
    alone, both = Tails(np.array([1.0]), 1e-12, 1e-9, 1e-9), Tails(np.array([1.0]), 0.01, 1e-9, 0.3)
    assert both.reaches(12.5)[0] < 1.02 * alone.reaches(12.5)[0]
