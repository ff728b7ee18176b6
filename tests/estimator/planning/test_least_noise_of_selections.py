"""The least noise of any-of questions: that of a search over every channel, whatever its outputs are."""

import math
from decimal import Decimal
from itertools import combinations, product

import numpy as np
import pytest
from scipy import optimize

from sotto_estimator.planning import least_noise_of_selections as made
from sotto_estimator.planning.least_noise_of_selections import least_noise_of_selections
from sotto_estimator.planning.of_least_noise import of_least_noise
from sotto_protocol.mechanisms.registry import best_of, candidates


def least_by_search(epsilon: float, k: int, m: int) -> float:
    """Return the least mean variance by sequential quadratic programming over the weights of all outputs.

    An output's likelihood of each selection is 1 or e^epsilon, in any pattern: nothing is taken to be alike.
    """
    selections = [chosen for size in range(m + 1) for chosen in combinations(range(k), size)]
    crowd = np.array([1 / (m + 1) / math.comb(k, len(chosen)) for chosen in selections])
    wanted = np.array([[option in chosen for option in range(k)] for chosen in selections], float)
    outputs = np.array([*product((1.0, math.exp(epsilon)), repeat=len(selections))])
    probs = outputs @ crowd

    def squares(weights: np.ndarray) -> tuple[float, np.ndarray]:
        estimate = np.linalg.solve((outputs * (weights / probs)[:, None]).T @ outputs, wanted)
        return float((wanted * estimate).sum()), -((outputs @ estimate) ** 2).sum(axis=1) / probs

    found = optimize.minimize(
        squares,
        np.full(len(outputs), 1 / outputs[:, 0].sum()),
        jac=True,
        method="SLSQP",
        bounds=[(0, None)] * len(outputs),
        constraints={"type": "eq", "fun": lambda weights: weights @ outputs - 1, "jac": lambda _: outputs.T},
        options={"maxiter": 100, "ftol": 1e-9},
    )
    return float(found.fun - m / 2) / k


@pytest.mark.parametrize(("k", "m"), [(1, 1), (2, 1), (2, 2), (3, 1), (3, 2)])
@pytest.mark.parametrize("epsilon", [0.5, 1, 2, 4])
def test_the_least_noise_is_that_of_a_search_over_all_channels(epsilon: float, k: int, m: int) -> None:
    assert least_noise_of_selections(epsilon, k, m) == pytest.approx(least_by_search(epsilon, k, m), rel=3e-4)


def all_families(k: int, size: int) -> list[list[int]]:
    sets = np.array([[option in one for option in range(k)] for one in combinations(range(k), size)], int)
    return [[sum(chosen), *(np.array(chosen) @ sets)] for chosen in product((0, 1), repeat=len(sets))]


@pytest.mark.parametrize(
    ("k", "m"), [(4, 2), *(pytest.param(*case, marks=pytest.mark.thorough) for case in [(3, 3), (4, 4), (5, 2)])]
)
@pytest.mark.parametrize("epsilon", [0.5, 2])
def test_outputs_for_other_families_of_selections_make_it_no_less(
    monkeypatch: pytest.MonkeyPatch, epsilon: float, k: int, m: int
) -> None:
    """The families of the text are few of all: those that keep an option's place in one order."""
    of_few = least_noise_of_selections(epsilon, k, m)
    monkeypatch.setattr(made, "_families", all_families)
    assert made._least_sum(*made._outputs(epsilon, k, m)) / k == pytest.approx(of_few, rel=3e-4)


@pytest.mark.parametrize(("k", "m"), [(2, 1), (4, 4), (8, 2)])
def test_no_mechanism_has_less(k: int, m: int) -> None:
    for epsilon in ("0.01", "1", "10"):
        for mechanism in candidates("any-of", k, Decimal(epsilon), None, m):
            least = least_noise_of_selections(float(epsilon), k, m)
            assert least is not None
            assert mechanism.report_variance >= least * (1 - 1e-4)
            assert of_least_noise(mechanism, Decimal(epsilon)) == max(1.0, mechanism.report_variance / least)


@pytest.mark.parametrize(("k", "m", "epsilon", "above"), [(2, 2, 4, 4.68), (4, 4, 2, 1.42), (8, 2, 1, 1.03)])
def test_the_table_of_the_maths_is_right(k: int, m: int, epsilon: int, above: float) -> None:
    assert of_least_noise(best_of("any-of", k, Decimal(epsilon), None, m), Decimal(epsilon)) == pytest.approx(
        above, abs=0.005
    )


def test_nothing_is_said_of_many_selections_and_above_epsilon_10() -> None:
    assert least_noise_of_selections(1.0, 6, 4) is None
    assert least_noise_of_selections(10.001, 2, 1) is None
