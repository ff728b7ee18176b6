"""Means by Dirichlet's weights: Clopper and Pearson's of two outputs, exact of more, never wider than bets."""

from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from math import prod, sqrt

import numpy as np
import pytest
from scipy import integrate, stats

from sotto_estimator.channel.devices import Devices
from sotto_estimator.intervals.bounded_means import betting_means
from sotto_estimator.intervals.dirichlet_means import dirichlet_means, log_tails
from sotto_estimator.numbers.channel import NumberChannel
from sotto_estimator.planning.number_widths import outputs_of
from sotto_protocol.mechanisms.segment_design import best_segments
from sotto_protocol.mechanisms.window_design import window

TAIL = 0.025
BITS = np.array([0.0, 1.0])


def ends(counts: object, outputs: np.ndarray, tail: float = TAIL) -> tuple[np.ndarray, np.ndarray]:
    rows = np.array(counts, np.float64)
    return dirichlet_means(rows, outputs, (0.1, 0.5), tail, Devices.alike(int(rows[0].sum()), 1))


@pytest.mark.parametrize("tail", [0.4, TAIL, 1e-9])
@pytest.mark.parametrize("n", [1, 2, 7, 60, 1000, 10**9])
def test_of_two_outputs_it_is_clopper_and_pearson_s_and_never_within(n: int, tail: float) -> None:
    s = np.unique(np.clip([0, 1, 3, n // 10, n // 2, n - 2, n - 1, n], 0, n))
    low, high = ends(np.stack([n - s, s], axis=1), BITS, tail)
    lower, upper = stats.beta.ppf(tail, s, n - s + 1), stats.beta.isf(tail, s + 1, n - s)
    assert low == pytest.approx(np.where(s > 0, lower, 0), rel=2e-6, abs=1e-300)
    assert 1 - high == pytest.approx(np.where(s < n, 1 - upper, 0), rel=2e-6, abs=1e-15)
    assert (low[s > 0] <= lower[s > 0]).all()
    assert (high[s < n] >= upper[s < n]).all()


def exact_tail(outputs: list[Fraction], mean: Fraction) -> Fraction:
    """Return P(weighted mean <= mean) of different outputs and 0, one weight each: a divided difference.

    Curry & Schoenberg 1966: that P(> x) is the divided difference of (u - x)^n, cut at 0, over the n + 1 points.
    """
    points = [Fraction(0), *outputs]
    above = [
        max(point - mean, 0) ** len(outputs) / prod(point - other for other in points if other != point)
        for point in points
    ]
    return 1 - sum(above, Fraction(0))


@pytest.mark.parametrize("power", [0.2, 1, 5])
def test_tails_are_those_of_exact_fractions_and_a_hair_more(power: float) -> None:
    rng = np.random.default_rng(5)
    for n in (1, 2, 3, 6, 13, 30):
        outputs = rng.random(n) ** power
        for part in (0.1, 0.5, 0.9, 1.1):
            mean = outputs.mean() * part
            exact = exact_tail([Fraction(float(y)) for y in outputs], Fraction(float(mean)))
            found, _ = log_tails(np.ones((1, n + 1)), np.append(outputs, 0.0), np.array([mean]))
            assert 0 <= float(np.exp(found[0])) / float(exact) - 1 < 1.2e-6, (n, part)


SMALL = [(2, [0, 0.5, 1]), (3, [0, 0.2, 1]), (5, [0, 0.3, 1]), (4, [0.1, 0.6, 0.9]), (8, [0, 0.9, 1])]


def missed(counts: np.ndarray, outputs: np.ndarray, tail: float, n: int, n_zeros: int = 1) -> float:
    """Return the largest probability that the lower end is above the mean, over a grid of laws of three outputs.

    `n_zeros`: 1, or 0 for weights that leave out the one of 0.
    """
    low, _ = ends(counts, outputs, tail)
    if not n_zeros:
        weights = np.random.default_rng(1).gamma(np.maximum(counts, 1e-9), size=(4000, *counts.shape))
        low = np.quantile(weights @ outputs / weights.sum(axis=2), tail, axis=0)
    parts = np.array([(a, b, 20 - a - b) for a in range(21) for b in range(21 - a)]) / 20
    return max(float(stats.multinomial.pmf(counts, n, part)[low > part @ outputs + 1e-12].sum()) for part in parts)


@pytest.mark.parametrize(("n", "worth"), SMALL)
def test_no_law_of_three_outputs_is_missed_more_often_than_a_tail_and_the_weight_of_0_is_needed(
    n: int, worth: list[float]
) -> None:
    outputs = np.array(worth)
    counts = np.array([(a, b, n - a - b) for a in range(n + 1) for b in range(n + 1 - a)])
    for tail in (0.25, 0.05):
        assert missed(counts, outputs, tail, n) <= tail + 1e-9
    assert missed(counts, outputs, 0.05, n, n_zeros=0) > 0.1


@pytest.mark.parametrize("epsilon", ["1", "4", "8"])
def test_no_end_is_beyond_that_of_bets(epsilon: str) -> None:
    """Ming et al. 2026: of capitals of fixed bets, whatever the reports."""
    rng = np.random.default_rng(2)
    for mechanism in (window(10, Decimal(epsilon), 5), best_segments(20, Decimal(epsilon))):
        channel = NumberChannel.of(mechanism)
        for n in (1, 3, 40):
            shares = rng.dirichlet(np.full(channel.n_outputs, 0.2), size=15)
            rows = np.vstack([rng.multinomial(n, shares), n * np.eye(channel.n_outputs, dtype=int)[[0, 1, -1]]])
            low, high = ends(rows, channel.outputs)
            devices = Devices.alike(n, 1)
            least, most = betting_means(rows.astype(float), channel.outputs, channel.deviations, TAIL, devices)
            assert (low >= least - 1e-9).all()
            assert (high <= most + 1e-9).all()


@pytest.mark.parametrize(
    ("epsilon", "n", "most"), [("1", 60, 1.13), ("2", 60, 1.2), ("3", 60, 1.25), ("8", 60, 1.35), ("8", 1000, 1.07)]
)
def test_half_widths_are_near_those_of_the_normal_approximation(epsilon: str, n: int, most: float) -> None:
    """1.36 to 1.66 by bets. Of 100 numbers: evenly spread, in a bell of deviation 15, and with a long tail."""
    channel = NumberChannel.of(best_segments(100, Decimal(epsilon)))
    places = np.linspace(0, 1, 101)
    crowds = np.stack([np.ones(101), np.exp(-((places - 0.5) ** 2) / 0.045), np.exp(-places / 0.25)])
    probs = crowds / crowds.sum(axis=1, keepdims=True) @ outputs_of(channel, places).T
    low, high = ends(n * probs, channel.outputs)
    deviation = np.sqrt(probs @ channel.outputs**2 - (probs @ channel.outputs) ** 2)
    assert ((high - low) / 2 / (1.96 * deviation / sqrt(n))).max() <= most


@pytest.mark.parametrize("counts", [(40, 19), (3, 900), (2000, 1), (7, 7)])
def test_tails_of_outputs_that_many_reported_are_those_by_quadrature(counts: tuple[int, int]) -> None:
    """Given the first output's weight, the second's is a part of the rest that is Beta(its count, 1)."""
    worths = np.array([0.3, 0.8, 0.0])
    first, second = counts
    for part in (0.8, 0.97, 1.02):
        mean = part * float(worths[:2] @ counts) / sum(counts)

        def below(weight: float, mean: float = mean) -> float:
            most = (mean - 0.3 * weight) / (0.8 * (1 - weight))
            return float(stats.beta.pdf(weight, first, second + 1) * min(max(most, 0), 1) ** second)

        centre, width = first / (sum(counts) + 1), 1 / sqrt(sum(counts))
        edges = sorted({float(np.clip(centre + k * width, 0, 1)) for k in (-30, -8, -4, -2, -1, 0, 1, 2, 4, 8, 30)})
        expected = sum(integrate.quad(below, *ends, epsabs=0, epsrel=1e-10, limit=200)[0] for ends in pairwise(edges))
        found, _ = log_tails(np.array([[first, second, 1.0]]), worths, np.array([mean]))
        assert float(np.exp(found[0])) == pytest.approx(expected, rel=2e-6)
