"""From an epsilon or a spinner to integer thresholds: where probabilities become exact coins.

Rounding goes towards more privacy: a true bit's threshold down, a false bit's up. So the epsilon that thresholds
realise is never above the one that was asked for.
"""

from decimal import Decimal
from fractions import Fraction
from math import ceil, floor

from sotto_protocol.bounds import divide_below, exp_below
from sotto_protocol.coins import COIN_SCALE
from sotto_protocol.mechanisms.bits import BinaryResponse, BitFlips, BitMechanism, UnaryEncoding
from sotto_protocol.mechanisms.kary import KaryResponse
from sotto_protocol.mechanisms.mechanism import Mechanism, check_integer

MIN_EPSILON = Decimal("0.001")
MAX_EPSILON = Decimal(20)


def warner(epsilon: Decimal) -> BinaryResponse:
    """Return the spinner that tells the truth with probability e^epsilon / (e^epsilon + 1) (Warner 1965)."""
    return BinaryResponse("warner", 1, *symmetric_thresholds(check_epsilon(epsilon)))


def warner_by_truth(prob_truth: Fraction) -> BinaryResponse:
    """Return Warner's spinner by its probability of truth, in (1/2, 1); epsilon = ln(p / (1 - p))."""
    if not Fraction(1, 2) < prob_truth < 1:
        raise ValueError(f"prob_truth ({prob_truth}) must be in (1/2, 1): below a half, ask the opposite statement.")
    true = floor(prob_truth * COIN_SCALE)
    return _coin("warner", prob_truth, true, COIN_SCALE - true)


def forced_response(prob_truth: Fraction, prob_forced_yes: Fraction) -> BinaryResponse:
    """Return the coin of Boruch 1971: the truth with probability t in (0, 1), else yes with probability c in [0, 1].

    P(yes | yes) = t + (1 - t) c and P(yes | no) = (1 - t) c. Both must be strictly inside (0, 1), so c too.
    """
    if not 0 < prob_truth < 1:
        raise ValueError(f"prob_truth ({prob_truth}) must be in (0, 1).")
    if not 0 < prob_forced_yes < 1:
        raise ValueError(
            f"prob_forced_yes ({prob_forced_yes}) must be in (0, 1): "
            "otherwise one report is only possible under one answer, and epsilon is infinite."
        )
    other = (1 - prob_truth) * prob_forced_yes
    true = prob_truth + other
    return _coin("forced-response", prob_truth, floor(true * COIN_SCALE), ceil(other * COIN_SCALE))


def symmetric_unary(n_options: int, epsilon: Decimal) -> UnaryEncoding:
    """Return one-hot RAPPOR with symmetric flips (SUE): two bits differ, each takes epsilon / 2."""
    per_bit = divide_below(check_epsilon(epsilon), 2)
    return UnaryEncoding("sue", n_options, *symmetric_thresholds(per_bit))


def optimised_unary(n_options: int, epsilon: Decimal) -> UnaryEncoding:
    """Return optimised unary encoding (OUE, Wang et al. 2017): a fair coin if true, else 1 / (e^epsilon + 1)."""
    other = ceil(COIN_SCALE / (exp_below(check_epsilon(epsilon)) + 1))
    return UnaryEncoding("oue", n_options, COIN_SCALE // 2, other)


def k_ary(n_options: int, epsilon: Decimal) -> KaryResponse:
    """Return k-ary randomized response: the truth with probability e^epsilon / (e^epsilon + k - 1)."""
    odds = exp_below(check_epsilon(epsilon))
    return KaryResponse("k-ary", n_options, floor(COIN_SCALE * odds / (odds + n_options - 1)))


def bit_flips(n_options: int, epsilon: Decimal, max_selected: int) -> BitFlips:
    """Return symmetric flips for an any-of question: two answers differ in at most min(2 max_selected, k) bits."""
    check_integer("max_selected", max_selected, 1, n_options)
    per_bit = divide_below(check_epsilon(epsilon), min(2 * max_selected, n_options))
    return BitFlips("bit-flips", n_options, *symmetric_thresholds(per_bit), max_selected=max_selected)


ONE_OF_DESIGNS = {"k-ary": k_ary, "sue": symmetric_unary, "oue": optimised_unary}


def best_one_of(n_options: int, epsilon: Decimal) -> Mechanism:
    """Return the one-of mechanism of the lowest variance at (k, epsilon), whatever the truth is."""
    candidates = [design(n_options, epsilon) for design in ONE_OF_DESIGNS.values()]
    return min(candidates, key=lambda mechanism: mechanism.report_variance)


_SYMMETRIC = ("warner", "sue", "bit-flips", "basic-rappor", "rappor")


def check_design(mechanism: Mechanism) -> None:
    """Raise ValueError unless the thresholds are of the shape that the mechanism's name promises.

    With RAPPOR's symmetric permanent stage the epsilons of reports of one answer add up, though they share it
    (docs/maths-strings.md); with another they might not.
    """
    if not isinstance(mechanism, BitMechanism):
        return
    true, other = mechanism.threshold_if_true, mechanism.threshold_if_other
    if mechanism.name in _SYMMETRIC and true + other != COIN_SCALE:
        raise ValueError(f"the thresholds of {mechanism.name} must add up to {COIN_SCALE}.")
    if mechanism.name == "oue" and true != COIN_SCALE // 2:
        raise ValueError(f"threshold_if_true ({true}) of oue must be {COIN_SCALE // 2}.")


def _coin(name: str, prob_truth: Fraction, true: int, other: int) -> BinaryResponse:
    if other >= true:
        raise ValueError(
            f"prob_truth ({prob_truth}) is too near 1/2 (forced response: 0) for thresholds out of {COIN_SCALE}."
        )
    return BinaryResponse(name, 1, true, other)


def symmetric_thresholds(per_bit: Decimal) -> tuple[int, int]:
    """Return the thresholds of a coin that tells the truth with odds of e^per_bit, for either answer."""
    odds = exp_below(per_bit)
    true = floor(COIN_SCALE * odds / (odds + 1))
    return true, COIN_SCALE - true


def check_epsilon(epsilon: Decimal) -> Decimal:
    """Return epsilon if an author may ask for it. Raises ValueError unless it is in [0.001, 20]."""
    if epsilon.is_nan() or not MIN_EPSILON <= epsilon <= MAX_EPSILON:
        raise ValueError(f"epsilon ({epsilon}) must be in [{MIN_EPSILON}, {MAX_EPSILON}].")
    return epsilon
