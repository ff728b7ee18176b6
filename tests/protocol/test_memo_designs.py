"""From two epsilons to the thresholds of two stages: never above what was asked, and of the lowest variance."""

import math
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from sotto_protocol import COIN_SCALE
from sotto_protocol.mechanisms.kary import KaryResponse, k_ary, k_ary_in_waves
from sotto_protocol.mechanisms.registry import best_of, candidates
from sotto_protocol.mechanisms.unary import basic_in_waves, optimised_unary_in_waves


@settings(max_examples=40, deadline=None)
@given(
    st.one_of(st.integers(2, 30), st.integers(2, 4096)),
    st.decimals("0.01", 8, places=4),
    st.sampled_from(["1.05", "1.5", "2", "8"]),
)
def test_two_stages_realise_at_most_what_was_asked_and_nearly_that(k: int, epsilon: Decimal, times: str) -> None:
    forever = min(epsilon * Decimal(times), Decimal(20))
    for mechanism in candidates("one-of", k, epsilon, forever):
        assert mechanism.has_two_stages
        mechanism.check_design()
        assert mechanism.epsilon <= epsilon
        assert mechanism.epsilon_forever <= forever
        if epsilon <= 4 and k <= 64:
            assert epsilon - mechanism.epsilon < Decimal("1e-5")
        charges = [min(mechanism.epsilon_of(n, epsilon), forever) for n in range(8)]
        assert charges == sorted(charges)
        assert charges[:2] == [0, epsilon]
        assert mechanism.epsilon_of(1000, epsilon) <= max(epsilon, forever)


def variances(k: int, e: float, forever: float) -> dict[str, float]:
    """The variance of a first report by k-ary, L-SUE and L-OSUE, averaged over the options, from their papers' q and p.

    L-SUE is RAPPOR (Erlingsson et al. 2014), the others are Arcolezi et al. 2022's L-GRR and L-OSUE: each one's second
    stage is solved for here.
    """

    def mean(true: float, other: float) -> float:
        return (true * (1 - true) + (k - 1) * other * (1 - other)) / k / (true - other) ** 2

    def second(first_true: float, first_other: float) -> tuple[float, float]:
        """Bisect for q with ln of the odds of both bits = e, second stage symmetric."""
        low, high = 0.5, 1.0
        for _ in range(200):
            q = (low + high) / 2
            true, other = (bit * q + (1 - bit) * (1 - q) for bit in (first_true, first_other))
            if true * (1 - other) / (other * (1 - true)) > math.exp(e):
                high = q
            else:
                low = q
        return true, other

    half = math.exp(forever / 2)
    return {
        "k-ary": mean(math.exp(e) / (math.exp(e) + k - 1), 1 / (math.exp(e) + k - 1)),
        "basic-rappor": mean(*second(half / (half + 1), 1 / (half + 1))),
        "oue": mean(*second(0.5, 1 / (math.exp(forever) + 1))),
    }


RATIOS = [
    (2, 1, 2, 4.3, 4.5, 1),
    (2, 2, 4, 5.1, 6.8, 1),
    (4, 1, 2, 2.07, 2.08, 1),
    (4, 2, 4, 2.99, 3.2, 1),
    (4, 4, 6, 6.2, 11, 1),
    (16, 0.5, 1, 1.16, 1.15, 2.8),
    (16, 1, 2, 1.23, 1.18, 1.9),
    (16, 2, 4, 1.59, 1.36, 1.14),
    (16, 4, 6, 4.5, 3.4, 1),
    (64, 0.5, 1, 1.05, 1.03, 10),
    (64, 1, 2, 1.10, 1.04, 6.3),
    (64, 2, 4, 1.34, 1.08, 2.7),
    (64, 4, 6, 3.1, 1.56, 1),
    (1024, 2, 4, 1.28, 1.005, 35),
]
"""Options, epsilon, epsilon for ever; a first report's variance by L-SUE, L-OSUE and L-GRR over the best at all."""


@pytest.mark.parametrize(("k", "epsilon", "forever", "l_sue", "l_osue", "l_grr"), RATIOS)
def test_variances_are_those_of_the_papers_and_auto_takes_the_least(
    k: int, epsilon: float, forever: float, l_sue: float, l_osue: float, l_grr: float
) -> None:
    asked = Decimal(str(epsilon)), Decimal(forever)
    made = {mechanism.name: mechanism for mechanism in candidates("one-of", k, *asked)}
    expected = variances(k, epsilon, forever)
    assert made.keys() == expected.keys()
    for name, mechanism in made.items():
        assert mechanism.report_variance == pytest.approx(expected[name], rel=1e-6)
    weights = range(1, k // 2 + 1)
    best = min(_of_subset(k, math.exp(epsilon), weight) for weight in weights)
    ratios = [made[name].report_variance / best for name in ("basic-rappor", "oue", "k-ary")]
    assert ratios == pytest.approx([l_sue, l_osue, l_grr], rel=0.04)
    chosen = best_of("one-of", k, *asked)
    assert chosen.has_two_stages
    assert chosen.report_variance <= 1.03 * min(expected.values())
    if k == 4 and epsilon == 2:
        assert expected["basic-rappor"] / chosen.report_variance > 2.9


def _of_subset(k: int, e: float, weight: int) -> float:
    true = e * weight / (e * weight + k - weight)
    other = (weight - true) / (k - 1)
    return (true * (1 - true) + (k - 1) * other * (1 - other)) / k / (true - other) ** 2


def test_a_first_report_is_that_of_one_stage() -> None:
    for k in (2, 5, 40):
        twice, once = k_ary_in_waves(k, Decimal(1), Decimal(3)), k_ary(k, Decimal(1))
        assert twice.prob_support_if_true == pytest.approx(once.prob_support_if_true, rel=1e-8)
        odds = twice.likelihood(np.zeros((1, 1), np.uint8))[0]
        assert odds[0] / odds[1] == pytest.approx(math.e, rel=1e-8)
        assert optimised_unary_in_waves(k, Decimal(1), Decimal(3)).prob_support_if_true == 0.5


@pytest.mark.parametrize("design", [k_ary_in_waves, optimised_unary_in_waves, basic_in_waves])
@pytest.mark.parametrize(
    ("epsilon", "forever", "message"),
    [
        ("1", "1", r"epsilon_forever \(1\) must be above epsilon \(1\), of one report"),
        ("0", "1", r"epsilon \(0\) must be in \[0\.001, 20\]"),
        ("1", "20.1", r"epsilon \(20\.1\) must be in \[0\.001, 20\]"),
        ("2", "2.0000000001", "is too near epsilon_forever"),
    ],
)
def test_epsilons_that_cannot_be_had_are_refused(design: object, epsilon: str, forever: str, message: str) -> None:
    assert callable(design)
    with pytest.raises(ValueError, match=message):
        design(5, Decimal(epsilon), Decimal(forever))


@pytest.mark.parametrize("kept", [COIN_SCALE // 5, 1, 0, -1, COIN_SCALE + 1, True])
def test_a_second_stage_that_lies_or_is_no_threshold_is_refused(kept: int) -> None:
    with pytest.raises(ValueError, match="report_if_true"):
        KaryResponse("k-ary", 5, COIN_SCALE // 2, report_if_true=kept)
