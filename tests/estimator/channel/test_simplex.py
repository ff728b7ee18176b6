"""The projection is the nearest point of the simplex."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray
from scipy import optimize

from sotto_estimator.channel.simplex import project_on_simplex
from sotto_estimator.errors import DomainError

shares_of_any_size = arrays(np.float64, st.integers(1, 40), elements=st.floats(-5, 5))


def nearest_by_trying_every_support(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Project on each face's plane, and keep the nearest point that is nonnegative."""
    points = []
    for size in range(1, shares.size + 1):
        for face in map(list, itertools.combinations(range(shares.size), size)):
            point = np.zeros_like(shares)
            point[face] = shares[face] + (1 - shares[face].sum()) / size
            if point.min() >= 0:
                points.append(point)
    return min(points, key=lambda point: float(np.sum((point - shares) ** 2)))


@settings(deadline=None)
@given(arrays(np.float64, st.integers(1, 6), elements=st.floats(-3, 3)))
def test_it_is_the_nearest_of_all_faces(shares: NDArray[np.float64]) -> None:
    assert project_on_simplex(shares) == pytest.approx(nearest_by_trying_every_support(shares), abs=1e-9)


def test_it_agrees_with_a_general_solver() -> None:
    rng = np.random.default_rng(1)
    for _ in range(5):
        shares = rng.normal(0.1, 0.2, 12)
        found = optimize.minimize(
            lambda x, y=shares: np.sum((x - y) ** 2),
            np.full(12, 1 / 12),
            jac=lambda x, y=shares: 2 * (x - y),
            bounds=[(0, 1)] * 12,
            constraints={"type": "eq", "fun": lambda x: x.sum() - 1, "jac": np.ones_like},
            method="SLSQP",
            options={"ftol": 1e-14},
        )
        assert project_on_simplex(shares) == pytest.approx(found.x, abs=1e-6)


@settings(deadline=None)
@given(shares_of_any_size)
def test_it_is_nonnegative_sums_to_1_and_leaves_its_input_alone(shares: NDArray[np.float64]) -> None:
    before = shares.copy()
    projected = project_on_simplex(shares)
    assert projected.min() >= 0
    assert projected.sum() == pytest.approx(1, abs=1e-14)
    assert np.array_equal(shares, before)
    assert not np.shares_memory(projected, shares)


@settings(deadline=None)
@given(shares_of_any_size)
def test_projecting_twice_is_projecting_once(shares: NDArray[np.float64]) -> None:
    once = project_on_simplex(shares)
    assert project_on_simplex(once) == pytest.approx(once, abs=1e-12)


@settings(deadline=None)
@given(shares_of_any_size)
def test_it_keeps_the_order_of_the_shares(shares: NDArray[np.float64]) -> None:
    order = np.argsort(shares)
    assert np.all(np.diff(project_on_simplex(shares)[order]) >= 0)


@pytest.mark.parametrize(
    ("shares", "expected"),
    [
        ([7.0], [1]),
        ([0.2, 0.8], [0.2, 0.8]),
        ([0, 0, 0, 0], [0.25] * 4),
        ([1e308, -1e308], [1, 0]),
        ([1e16, 1e16], [0.5, 0.5]),
        ([5e-324, 0], [0.5, 0.5]),
        ([-4, -2.5], [0, 1]),
    ],
)
def test_it_stands_extreme_shares(shares: list[float], expected: list[float]) -> None:
    assert project_on_simplex(shares) == pytest.approx(expected)


def test_a_million_shares_still_sum_to_1() -> None:
    shares = np.random.default_rng(2).normal(0, 1e-3, 10**6)
    assert project_on_simplex(shares).sum() == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize(
    ("shares", "message"),
    [
        ([], r"shares \(of shape \(0,\)\) must have one axis and an entry or more"),
        ([[0.5, 0.5]], r"shares \(of shape \(1, 2\)\) must have one axis"),
        ([0.5, np.nan], r"shares \(nan\) must be finite"),
        ([np.inf, 0], r"shares \(inf\) must be finite"),
    ],
)
def test_what_is_not_a_vector_of_shares_is_refused(shares: list[float], message: str) -> None:
    with pytest.raises(DomainError, match=message):
        project_on_simplex(shares)
