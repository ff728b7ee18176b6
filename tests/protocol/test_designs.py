"""From epsilon to thresholds: never above what was asked, as near as integers come, and the best of the three."""

from decimal import Context, Decimal
from fractions import Fraction
from math import exp

import pytest
from hypothesis import assume, given, settings, strategies as st

from published import epsilons
from sotto_protocol import COIN_SCALE, Mechanism
from sotto_protocol.bounds import declare
from sotto_protocol.mechanisms.bit_flips import BitFlips, bit_flips
from sotto_protocol.mechanisms.bits import BitMechanism
from sotto_protocol.mechanisms.kary import k_ary
from sotto_protocol.mechanisms.mechanism import PureMechanism
from sotto_protocol.mechanisms.registry import best_of, candidates, entries_of
from sotto_protocol.mechanisms.sets import SetResponse
from sotto_protocol.mechanisms.unary import UnaryEncoding, optimised_unary, symmetric_unary
from sotto_protocol.mechanisms.warner import BinaryResponse, forced_response, warner, warner_by_truth

TWO_COINS_EPSILON = Context(prec=60).ln(Decimal(3))

ONE_OF = [name for name, entry in entries_of("one-of").items() if entry.of_epsilon]

n_options = st.one_of(st.integers(2, 40), st.integers(2, 4096))
probs = st.fractions(0, 1, max_denominator=10**9)


def of_epsilon(name: str, k: int, epsilon: Decimal) -> PureMechanism | None:
    design = entries_of("one-of")[name].of_epsilon
    assert design
    return design(k, epsilon)


def realised_within(mechanism: Mechanism, epsilon: Decimal, n_differences: int) -> None:
    """Check realised <= asked, and that the gap is what rounding a threshold by one unit (each) can cost."""
    assert mechanism.epsilon <= epsilon
    if isinstance(mechanism, BitMechanism):
        smallest = min(mechanism.threshold_if_other, COIN_SCALE - mechanism.threshold_if_true)
        gap = n_differences * 2.2 / (smallest - 1) if smallest > 1 else float("inf")
    else:
        assert isinstance(mechanism, SetResponse)
        true = mechanism.threshold_if_true
        gap = 1.1 * COIN_SCALE / (true * (COIN_SCALE - true))
    assert float(epsilon - mechanism.epsilon) <= gap
    if epsilon <= 5 and n_differences <= 2 and mechanism.n_values <= 1000:
        assert epsilon - mechanism.epsilon < Decimal("1e-6")


@settings(max_examples=200)
@given(st.sampled_from(ONE_OF), n_options, epsilons)
def test_one_of_designs_realise_at_most_what_was_asked(name: str, k: int, epsilon: Decimal) -> None:
    made = of_epsilon(name, k, epsilon)
    assume(made is not None)
    assert made is not None
    realised_within(made, epsilon, 2)


@settings(max_examples=200)
@given(n_options, epsilons, st.data())
def test_bit_flips_realise_at_most_what_was_asked(k: int, epsilon: Decimal, data: st.DataObject) -> None:
    max_selected = data.draw(st.integers(1, k))
    mechanism = bit_flips(k, epsilon, max_selected)
    assert mechanism.max_selected == max_selected
    realised_within(mechanism, epsilon, min(2 * max_selected, k))


@given(epsilons)
def test_warner_realises_at_most_what_was_asked(epsilon: Decimal) -> None:
    realised_within(warner(epsilon), epsilon, 1)


@pytest.mark.thorough
@given(st.fractions(Fraction(500000001, 10**9), Fraction(10**9 - 1, 10**9), max_denominator=10**9))
def test_a_spinner_is_rounded_towards_more_privacy(prob_truth: Fraction) -> None:
    mechanism = warner_by_truth(prob_truth)
    assert 0 <= prob_truth * COIN_SCALE - mechanism.threshold_if_true < 1
    assert mechanism.threshold_if_true + mechanism.threshold_if_other == COIN_SCALE


@given(probs, probs)
def test_a_forced_response_is_rounded_towards_more_privacy(prob_truth: Fraction, prob_forced_yes: Fraction) -> None:
    assume(Fraction(1, 10**6) < prob_truth < 1 and 0 < prob_forced_yes < 1)
    mechanism = forced_response(prob_truth, prob_forced_yes)
    other = (1 - prob_truth) * prob_forced_yes
    assert 0 <= (prob_truth + other) * COIN_SCALE - mechanism.threshold_if_true < 1
    assert 0 <= mechanism.threshold_if_other - other * COIN_SCALE < 1


@pytest.mark.parametrize(
    "mechanism",
    [
        forced_response(Fraction(1, 2), Fraction(1, 2)),
        warner_by_truth(Fraction(3, 4)),
    ],
)
def test_two_fair_coins_take_ln_3(mechanism: BinaryResponse) -> None:
    """Heads: the truth; tails: what a second coin says. RAND's and Warner's classroom survey, epsilon = ln 3."""
    assert (mechanism.prob_support_if_true, mechanism.prob_support_if_other) == (0.75, 0.25)
    assert 0 <= mechanism.epsilon - TWO_COINS_EPSILON < Decimal("1e-27")
    assert declare(mechanism.epsilon) == Decimal("1.098612288669")


def test_an_asymmetric_forced_response_takes_its_worse_side() -> None:
    """Truth 2/3, else yes with 1/4: P(yes|yes) = 3/4, P(yes|no) = 1/12; ln 9 by a yes, ln(11/3) by a no."""
    mechanism = forced_response(Fraction(2, 3), Fraction(1, 4))
    assert mechanism.epsilon == pytest.approx(Context().ln(Decimal(9)), abs=Decimal("1e-8"))
    mirrored = forced_response(Fraction(2, 3), Fraction(3, 4))
    assert mirrored.epsilon == pytest.approx(mechanism.epsilon, abs=Decimal("1e-8"))


def wang_variance(name: str, k: int, epsilon: float) -> float:
    """n times the variance of a share, averaged over the options (mean share f = 1/k); Wang et al. 2017, section 3.

    Var*, of a rare option, plus f (1 - p - q) / (p - q): DE by equation (8), SUE by (9), OUE by (12).
    """
    e, half = exp(epsilon), exp(epsilon / 2)
    if name == "subset":
        weight = min(range(1, k // 2 + 1), key=lambda weight: subset_variance(k, e, weight))
        return subset_variance(k, e, weight)
    if name == "k-ary":
        return (k - 2 + e) / (e - 1) ** 2 + (k - 2) / (e - 1) / k
    return half / (half - 1) ** 2 if name == "sue" else 4 * e / (e - 1) ** 2 + 1 / k


def subset_variance(k: int, e: float, weight: int) -> float:
    """The same by subset selection (Ye & Barg 2017, section III)."""
    true = e * weight / (e * weight + k - weight)
    other = (weight - true) / (k - 1)
    return (true * (1 - true) + (k - 1) * other * (1 - other)) / k / (true - other) ** 2


@settings(max_examples=200)
@given(n_options, st.decimals("0.05", 8, places=4))
def test_variances_are_those_of_the_papers_formulas(k: int, epsilon: Decimal) -> None:
    for mechanism in candidates("one-of", k, epsilon):
        if mechanism.name != "geometry":
            expected = wang_variance(mechanism.name, k, float(epsilon))
            assert mechanism.report_variance == pytest.approx(expected, rel=1e-4)


@given(st.decimals("0.5", 6, places=3), st.sampled_from([0.25, 4]))
def test_the_choice_follows_the_rule_of_thumb_far_from_its_border(epsilon: Decimal, factor: float) -> None:
    """k-ary where a set of one is best, below k = e^epsilon + 1 about (Ye & Barg 2017)."""
    k = max(2, round(factor * (exp(float(epsilon)) + 1)))
    assert (best_of("one-of", k, epsilon).name == "k-ary") == (factor < 1 or k == 2)


@pytest.mark.parametrize("name", ONE_OF)
def test_report_variance_is_the_mean_variance_over_the_options(name: str) -> None:
    k, epsilon = 7, Decimal("1.3")
    mechanism = of_epsilon(name, k, epsilon)
    assert mechanism is not None
    true, other = Fraction(mechanism.prob_support_if_true), Fraction(mechanism.prob_support_if_other)
    total = true * (1 - true) + (k - 1) * other * (1 - other)
    assert mechanism.report_variance == pytest.approx(float(total / k / (true - other) ** 2), rel=1e-12)


@given(n_options, epsilons)
def test_probabilities_are_the_thresholds(k: int, epsilon: Decimal) -> None:
    for mechanism in (symmetric_unary(k, epsilon), optimised_unary(k, epsilon)):
        assert mechanism.prob_support_if_true * COIN_SCALE == mechanism.threshold_if_true
        assert mechanism.prob_support_if_other * COIN_SCALE == mechanism.threshold_if_other
    direct = k_ary(k, epsilon)
    assert direct.prob_support_if_true * COIN_SCALE == direct.threshold_if_true
    total = direct.prob_support_if_true + (k - 1) * direct.prob_support_if_other
    assert total == pytest.approx(1, rel=1e-12)


@pytest.mark.parametrize("epsilon", ["0.000999", "20.001", "0", "-1", "Infinity"])
@pytest.mark.parametrize("design", [k_ary, symmetric_unary, optimised_unary])
def test_an_epsilon_outside_the_domain_is_refused(design: object, epsilon: str) -> None:
    assert callable(design)
    with pytest.raises(ValueError, match=r"epsilon \(.*\) must be in \[0\.001, 20\]"):
        design(5, Decimal(epsilon))


@pytest.mark.parametrize(
    ("prob_truth", "prob_forced_yes", "message"),
    [
        ("0", "1/2", r"prob_truth \(0\) must be in \(0, 1\)"),
        ("1", "1/2", r"prob_truth \(1\) must be in \(0, 1\)"),
        ("1/2", "0", r"prob_forced_yes \(0\) must be in \(0, 1\).*epsilon is infinite"),
        ("1/2", "1", r"prob_forced_yes \(1\) must be in \(0, 1\)"),
        ("1/9999999999", "1/2", r"prob_truth \(1/9999999999\) is too near 1/2 \(forced response: 0\) for thresholds"),
        ("1/1000000000000", "1/3", r"prob_truth \(.*\) is too near 1/2 \(forced response: 0\) for thresholds"),
    ],
)
def test_impossible_forced_responses_are_refused(prob_truth: str, prob_forced_yes: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        forced_response(Fraction(prob_truth), Fraction(prob_forced_yes))


@pytest.mark.parametrize("prob_truth", ["1/2", "1", "0", "1/3"])
def test_a_spinner_that_tells_the_truth_half_the_time_or_less_is_refused(prob_truth: str) -> None:
    with pytest.raises(ValueError, match=r"must be in \(1/2, 1\): below a half, ask the opposite statement"):
        warner_by_truth(Fraction(prob_truth))


def test_a_spinner_that_no_threshold_tells_from_a_fair_coin_is_refused() -> None:
    message = r"prob_truth \(50000000001/100000000000\) is too near 1/2 .* for thresholds out of 4294967296\."
    with pytest.raises(ValueError, match=message):
        warner_by_truth(Fraction("0.50000000001"))
    assert warner_by_truth(Fraction(2**31 + 1, 2**32)).threshold_if_true == 2**31 + 1


@pytest.mark.parametrize("max_selected", [0, 4, -1])
def test_a_limit_outside_the_options_is_refused(max_selected: int) -> None:
    with pytest.raises(ValueError, match=r"max_selected \(.*\) must be an integer in \[1, 3\]"):
        bit_flips(3, Decimal(1), max_selected)


@pytest.mark.parametrize(
    ("mechanism", "message"),
    [
        (BinaryResponse("warner", 1, 2**31 + 5, 2**31 - 6), "thresholds of warner must add up"),
        (UnaryEncoding("sue", 3, 2**31, 2**30), "thresholds of sue must add up"),
        (BitFlips("bit-flips", 3, 2**31, 2**30, max_selected=1), "thresholds of bit-flips must add up"),
        (UnaryEncoding("oue", 3, 2**31 + 1, 2**30), "threshold_if_true .* of oue must be 2147483648"),
    ],
)
def test_thresholds_of_another_shape_than_the_name_promises_are_refused(mechanism: Mechanism, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        mechanism.check_design()


@given(n_options, epsilons)
def test_what_is_designed_passes_its_own_check(k: int, epsilon: Decimal) -> None:
    made = candidates("one-of", k, epsilon)
    for mechanism in [*made, warner(epsilon), bit_flips(k, epsilon, 1 + k // 2)]:
        mechanism.check_design()
