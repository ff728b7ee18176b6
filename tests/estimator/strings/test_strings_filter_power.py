"""What the decoder's tests of a filter will say is known beforehand: of the crowd, of each test, of both together."""

import math
from decimal import Decimal

import numpy as np
import pytest
from scipy import stats

from sotto_estimator.strings.filter_power import Crowd, FilterTest, both
from sotto_estimator.strings.screening import least_score, upper_tail
from sotto_protocol.mechanisms.bloom.design import BloomShape, bloom
from sotto_protocol.mechanisms.bloom.response import BloomResponse
from sotto_protocol.mechanisms.thresholds import Stages


def design_of(epsilon: str, shape: BloomShape) -> BloomResponse:
    return bloom(shape, Stages.of_epsilons(shape.n_differences, Decimal(epsilon), None))


TEST = FilterTest(design_of("4", BloomShape(128, 1, 4)), 1000, 100, 0.05)
OF_TWO_HASHES = FilterTest(design_of("4", BloomShape(128, 2, 4)), 1000, 100, 0.05)


@pytest.mark.parametrize("test", [TEST, OF_TWO_HASHES])
@pytest.mark.parametrize("share", [0.004, 0.07, 0.3, 0.5, 0.9])
@pytest.mark.parametrize("is_common", [True, False])
def test_cells_have_the_means_of_what_falls_into_them(test: FilterTest, share: float, is_common: bool) -> None:
    """A value is a share less a random bit's: of another cell -share times that on average, of the string's 1 less."""
    crowd = Crowd.of(test, share, is_common=is_common)
    density = test.moments.density
    assert crowd.background.sum() == pytest.approx(1)
    assert crowd.background @ crowd.values == pytest.approx(-share * density, abs=2e-3)
    own = crowd.own_weights @ crowd.own
    assert own.sum() == pytest.approx(1)
    assert own @ crowd.values == pytest.approx(share - share * density, abs=6e-3)


@pytest.mark.parametrize("share", [0.0625, 0.2])
def test_the_variance_of_cells_is_that_of_noise_and_of_others_who_meet_there(share: float) -> None:
    test, density = TEST, TEST.moments.density
    alone = Crowd.of(test, share, is_common=False)
    expected = test.cell_variance(density * (1 - share))
    assert variance(alone) == pytest.approx(expected, rel=0.01)
    of_others = (1 / share - 1) * share**2 * density * (1 - density)
    assert variance(Crowd.of(test, share, is_common=True)) == pytest.approx(expected + of_others, rel=0.02)


def variance(crowd: Crowd) -> float:
    return float(crowd.background @ (crowd.values - crowd.background @ crowd.values) ** 2)


@pytest.mark.parametrize("is_common", [True, False])
@pytest.mark.parametrize("test", [TEST, OF_TWO_HASHES])
def test_a_commoner_string_is_found_more_often_and_one_of_nobody_hardly_ever(test: FilterTest, is_common: bool) -> None:
    powers = [test.power(share, is_common=is_common) for share in (0.001, 0.05, 0.08, 0.12, 0.2, 1)]
    assert powers == sorted(powers)
    assert powers[0] < 0.002
    assert powers[-1] == pytest.approx(1, abs=1e-3)


def test_a_few_cells_that_as_common_strings_fill_as_well_prove_nothing() -> None:
    """Of 128 cells of a cohort 11 hold a string of 9 %: two at random both do in 7 of 1,000 cases, not in .0005."""
    test = FilterTest(design_of("8", BloomShape(128, 1, 2)), 100_000, 100, 0.05)
    assert test.power(0.09, is_common=True) < 0.01
    assert test.power(0.09, is_common=False) > 0.99


def test_in_one_cohort_another_candidate_may_set_the_same_bit() -> None:
    """It is then not told apart: 99 others set another bit of 64 with a probability of (63/64)^99."""
    test = FilterTest(design_of("8", BloomShape(64, 1, 1)), 100_000, 100, 0.05)
    assert test.power(0.999, is_common=False) <= (63 / 64) ** 99
    assert FilterTest(test.design, 100_000, 1, 0.05).power(0.999, is_common=False) == pytest.approx(1)


@pytest.mark.parametrize("p", [0.3, 0.05, 1e-3, 1e-9])
@pytest.mark.parametrize("skewness", [-1.0, 0.0, 0.2, 1.0, 3.0])
def test_the_least_score_of_a_p_value_has_it(p: float, skewness: float) -> None:
    score = least_score(p, skewness)
    assert float(upper_tail(np.array(score), np.array(1.0), skewness)) == pytest.approx(p, rel=1e-4)


@pytest.mark.parametrize(("first", "second", "correlation"), [(0.5, 0.5, 0.3), (0.8, 0.9, 0.7), (0.2, 0.99, 0.95)])
def test_two_tests_are_passed_together_as_two_normal_variables_are(
    first: float, second: float, correlation: float
) -> None:
    ends = stats.norm.ppf([first, second])
    expected = stats.multivariate_normal([0, 0], [[1, correlation], [correlation, 1]]).cdf(ends)
    assert both(first, second, correlation) == pytest.approx(expected, abs=1e-4)
    assert both(first, second, 0) == pytest.approx(first * second)
    assert both(first, second, 1) <= min(first, second)


@pytest.mark.few(10, "rare")
@pytest.mark.parametrize("n", [1, 2, 100, 10**12])
@pytest.mark.parametrize("n_candidates", [1, 10**9])
@pytest.mark.parametrize("epsilon", ["0.01", "20"])
@pytest.mark.parametrize("shape", [BloomShape(2, 1, 1), BloomShape(5, 4, 1), BloomShape(64, 1, 16)])
def test_there_is_a_power_of_every_design_and_crowd(n: int, n_candidates: int, epsilon: str, shape: BloomShape) -> None:
    test = FilterTest(design_of(epsilon, shape), n, n_candidates, 0.05)
    for share in (1 / n, math.sqrt(1 / n), 1.0):
        for is_common in (True, False):
            assert -1e-9 <= test.power(share, is_common=is_common) <= 1 + 1e-9
