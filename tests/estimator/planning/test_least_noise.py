"""The least noise of all mechanisms: that of a linear program over every channel, and no mechanism of ours has less."""

from decimal import Decimal
from itertools import product

import numpy as np
import pytest
from scipy import optimize

from sotto_estimator.planning.least_noise import least_noise_of_options, least_variance_of_numbers
from sotto_estimator.planning.numbers import published_variances
from sotto_estimator.planning.table import QuestionShape, plan_rows
from sotto_protocol.mechanisms.segment_design import best_segments
from sotto_protocol.mechanisms.window_design import window


def least_by_program(epsilon: float, k: int) -> float:
    """Return the least mean variance of noise by a linear program.

    Some best channel's outputs have probabilities in the ratio 1 or e^epsilon (Kairouz, Oh & Viswanath 2016): a set of
    options each. The information of one report on k - 1 free shares, at equal shares, is a matrix whose trace is linear
    in how often the sets are used. The variances add up to (k - 1)^2 over the trace at least, and to that where options
    are alike. What people draw is taken off.
    """
    sets = np.array([*product((1.0, np.exp(epsilon)), repeat=k)])
    means = sets.mean(axis=1)
    trace = ((sets - means[:, None]) ** 2).sum(axis=1) / means
    found = optimize.linprog(-trace, A_eq=sets.T, b_eq=np.ones(k))
    return float(((k - 1) ** 2 / -found.fun - (1 - 1 / k)) / k)


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1, 1.5, 2, 4, 8])
@pytest.mark.parametrize("k", [2, 3, 4, 6, 8])
def test_the_least_noise_is_that_of_the_program(k: int, epsilon: float) -> None:
    assert least_noise_of_options(epsilon, k) == pytest.approx(least_by_program(epsilon, k), rel=1e-6)


@pytest.mark.parametrize("n_options", [0, 2, 5, 40, 1000])
def test_no_mechanism_has_less_and_autos_at_most_3_percent_more(n_options: int) -> None:
    for epsilon in ("0.1", "1", "2.5", "8"):
        rows = plan_rows(QuestionShape(n_options), [Decimal(epsilon)], 1000, None)
        ratios = {row.mechanism: row.of_least_noise for row in rows if row.of_least_noise is not None}
        assert min(ratios.values()) >= 1
        best = next((row.of_least_noise for row in rows if row.is_auto), ratios.get("warner"))
        assert best is not None
        assert best <= 1.03 * (1 + 1e-4)


def test_the_ratio_is_that_of_the_mechanisms_noise() -> None:
    """Of oue: a = 1/2, b = 1/(1 + e): 4 e / (e - 1)^2 for an answer that nobody has (Wang et al. 2017)."""
    (oue,) = [row for row in plan_rows(QuestionShape(64), [Decimal(1)], 1000, None) if row.mechanism == "oue"]
    mean = (1 / 64 * 0.25 + 63 / 64 * np.e / (1 + np.e) ** 2) / (0.5 - 1 / (1 + np.e)) ** 2
    assert oue.of_least_noise == pytest.approx(mean / least_noise_of_options(1, 64), rel=1e-6)


def test_nothing_is_said_of_who_is_trusted() -> None:
    (curator,) = [r for r in plan_rows(QuestionShape(), [Decimal(1)], 100, None) if "curator" in r.mechanism]
    assert curator.of_least_noise is None


def dense_program(epsilon: float, numbers: np.ndarray, values: np.ndarray) -> float:
    """Return the least worst variance on a grid of values: each pair of numbers compared, nothing shared or sparse."""
    n, k = len(numbers), len(values)
    above, at_most = [], []
    for one, other in product(range(n), repeat=2):
        for value in range(k):
            row = np.zeros(n * k + 1)
            row[one * k + value] += 1
            row[other * k + value] -= np.exp(epsilon)
            above.append(row)
            at_most.append(0.0)
    equal, is_ = [], []
    for at, number in enumerate(numbers):
        for weights, wanted in ((np.ones(k), 1.0), (values, number)):
            row = np.zeros(n * k + 1)
            row[at * k : (at + 1) * k] = weights
            equal.append(row)
            is_.append(wanted)
        row = np.zeros(n * k + 1)
        row[at * k : (at + 1) * k], row[-1] = values**2, -1
        above.append(row)
        at_most.append(number**2)
    cost = np.zeros(n * k + 1)
    cost[-1] = 1
    return float(optimize.linprog(cost, np.array(above), at_most, np.array(equal), is_).fun)


@pytest.mark.thorough
@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0])
def test_the_least_variance_of_numbers_is_that_of_a_dense_program(epsilon: float) -> None:
    """Of five numbers, and a third of the values: within 1 %."""
    end = 1.25 / np.tanh(epsilon / 2)
    dense = dense_program(epsilon, np.linspace(0, 1, 5), 0.5 + np.linspace(-end, end, 41) / 2)
    assert least_variance_of_numbers(epsilon, 5) == pytest.approx(dense, rel=0.01)


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0, 4.0])
def test_of_two_numbers_it_is_warners(epsilon: float) -> None:
    odds = np.exp(epsilon)
    assert least_variance_of_numbers(epsilon, 2) == pytest.approx(odds / (odds - 1) ** 2, rel=0.01)


@pytest.mark.thorough
@pytest.mark.parametrize("epsilon", ["0.5", "1", "2", "4", "6"])
def test_no_mechanism_for_numbers_has_less(epsilon: str) -> None:
    least = least_variance_of_numbers(float(epsilon), 1001)
    assert least is not None
    ours = [design(1000, Decimal(epsilon)).worst_variance for design in (window, best_segments)]
    for variance in (*ours, *published_variances(float(epsilon)).values()):
        assert variance >= 0.99 * least


def test_above_epsilon_6_nothing_is_said_of_numbers() -> None:
    assert least_variance_of_numbers(6.001, 1001) is None
