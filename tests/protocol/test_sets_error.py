"""What sets of options gain: the error of their shares, by formula and measured, beside optimised unary encoding."""

from decimal import Decimal
from itertools import pairwise
from math import exp

import numpy as np
import pytest
from numpy.typing import NDArray

from sotto_protocol import Coins
from sotto_protocol.mechanisms.geometry import geometry
from sotto_protocol.mechanisms.mechanism import PureMechanism
from sotto_protocol.mechanisms.subset import best_subset
from sotto_protocol.mechanisms.unary import optimised_unary

N_OPTIONS, N_ANSWERS = 64, 100_000
MOST_OF_OUE = [(".5", 0.97), ("1", 0.97), ("2", 0.94)]


def zipf() -> NDArray[np.int64]:
    """Return how many of N_ANSWERS people answer each option, the first most often."""
    ends = np.cumsum(1 / np.arange(1, N_OPTIONS + 1) ** 1.1)
    return np.array([b - a for a, b in pairwise([0, *np.floor(ends / ends[-1] * N_ANSWERS).astype(int).tolist()])])


def subset_of(epsilon: str) -> PureMechanism:
    made = best_subset(N_OPTIONS, Decimal(epsilon))
    assert made is not None
    return made


def error_in_theory(p: float, q: float) -> float:
    """Return the mean squared error of the shares of N_ANSWERS, by the variance of a pure protocol (Wang et al. 2017).

    It is the same whatever exactly one option is true of each.
    """
    support = (p * (1 - p) + (N_OPTIONS - 1) * q * (1 - q)) / N_OPTIONS
    return support / (p - q) ** 2 / N_ANSWERS


def subset_in_theory(epsilon: float) -> float:
    """Return the least error of any weight, by the probabilities of Ye & Barg (2017), equation 12."""
    k, odds = N_OPTIONS, exp(epsilon)
    errors = []
    for w in range(1, k):
        p = odds * w / (odds * w + k - w)
        errors.append(error_in_theory(p, (p * (w - 1) + (1 - p) * w) / (k - 1)))
    return min(errors)


def unary_in_theory(epsilon: float) -> float:
    """Return the error of optimised unary encoding (Wang et al. 2017, section 4.2.2)."""
    return error_in_theory(1 / 2, 1 / (exp(epsilon) + 1))


@pytest.mark.parametrize(("epsilon", "most"), MOST_OF_OUE)
def test_subsets_are_as_precise_as_in_theory_and_more_than_unary_encoding(epsilon: str, most: float) -> None:
    made, unary = subset_of(epsilon), optimised_unary(N_OPTIONS, Decimal(epsilon))
    ours = error_in_theory(made.prob_support_if_true, made.prob_support_if_other)
    assert ours == pytest.approx(subset_in_theory(float(epsilon)), rel=1e-6)
    assert ours <= most * unary_in_theory(float(epsilon))
    assert unary.report_variance / N_ANSWERS == pytest.approx(unary_in_theory(float(epsilon)), rel=1e-6)


@pytest.mark.thorough
@pytest.mark.parametrize(
    "epsilon", [pytest.param(epsilon, marks=[pytest.mark.rare] * (epsilon != "1")) for epsilon, _ in MOST_OF_OUE]
)
@pytest.mark.parametrize("name", ["subset", "geometry"])
def test_the_measured_error_is_the_one_in_theory(name: str, epsilon: str) -> None:
    """Of 25 crowds, each of 64 shares with nearly independent errors: a standard error of 4 % of what is compared."""
    made = subset_of(epsilon) if name == "subset" else geometry(N_OPTIONS, Decimal(epsilon))
    assert made is not None
    crowd = zipf()
    answers = np.repeat(np.arange(N_OPTIONS), crowd)
    true, other = made.prob_support_if_true, made.prob_support_if_other
    coins = Coins(np.random.default_rng(64).bytes)
    errors = []
    for _ in range(25):
        shares = (made.count_support(made.perturb(answers, coins)) / N_ANSWERS - other) / (true - other)
        errors.append(np.mean((shares - crowd / N_ANSWERS) ** 2))
    assert np.mean(errors) == pytest.approx(error_in_theory(true, other), rel=0.1)
