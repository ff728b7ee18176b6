"""Bounds against logarithms and exponentials of eighty digits: on the right side, and tight."""

from decimal import ROUND_FLOOR, Context, Decimal, Inexact, localcontext
from fractions import Fraction

import pytest
from hypothesis import assume, given, strategies as st

from sotto_protocol import bounds

PRECISE = Context(prec=80)

positive = st.integers(1, 2**50)
epsilons = st.decimals("0.0000001", 40, allow_nan=False, places=12)


def exact(value: Fraction) -> Decimal:
    return PRECISE.divide(Decimal(value.numerator), Decimal(value.denominator))


@given(positive, positive)
def test_log_ratio_above_is_a_tight_upper_bound(numerator: int, denominator: int) -> None:
    assume(numerator != denominator)  # their bound is the smallest Decimal above 0, a fraction of a million digits
    bound = bounds.log_ratio_above(numerator, denominator)
    log = PRECISE.ln(exact(Fraction(numerator, denominator)))
    assert Fraction(log) < Fraction(bound) <= Fraction(log) + Fraction(1, 10**47)


@given(positive, positive, st.integers(1, 400))
def test_log_ratios_of_powers_are_as_tight(base: int, other: int, power: int) -> None:
    numerator, denominator = base**power + other, other**power + base
    assume(numerator != denominator)
    with localcontext(PRECISE) as context:
        context.prec = 12_000
        exactly = Decimal(numerator) / Decimal(denominator)
    log, bound = Fraction(PRECISE.ln(exactly)), Fraction(bounds.log_ratio_above(numerator, denominator))
    assert log - Fraction(1, 10**70) < bound <= log + (1 + abs(log)) / 10**47


@given(epsilons)
def test_exp_below_is_a_tight_lower_bound(exponent: Decimal) -> None:
    power = Fraction(PRECISE.exp(exponent))
    assert power * (1 - Fraction(1, 10**48)) <= bounds.exp_below(exponent) < power


@given(st.lists(epsilons, max_size=5), st.integers(1, 5000))
def test_sums_products_and_quotients_are_rounded_to_their_side(terms: list[Decimal], number: int) -> None:
    assert Fraction(bounds.add_above(*terms)) >= sum(map(Fraction, terms))
    for term in terms:
        assert Fraction(bounds.multiply_above(number, term)) >= number * Fraction(term)
        assert Fraction(bounds.divide_below(term, number)) <= Fraction(term) / number


@given(epsilons, st.integers(1, 10**9))
def test_a_declared_epsilon_is_rounded_up_to_twelve_decimals(epsilon: Decimal, divisor: int) -> None:
    value = PRECISE.divide(epsilon, Decimal(divisor))
    declared = bounds.declare(value)
    assert value <= declared < value + Decimal("1e-12")
    assert Fraction(declared) * 10**12 % 1 == 0


@pytest.mark.parametrize(("value", "text"), [("20.000", "2E+1"), ("1", "1"), ("1.0000000000001", "1.000000000001")])
def test_declared_epsilons_have_one_form(value: str, text: str) -> None:
    assert str(bounds.declare(Decimal(value))) == text


def test_bounds_do_not_depend_on_the_hosts_decimal_context() -> None:
    def all_bounds() -> list[Decimal | Fraction]:
        third = bounds.divide_below(Decimal(1), 3)
        return [
            third,
            bounds.log_ratio_above(3, 1),
            bounds.exp_below(Decimal("0.123456789012")),
            bounds.add_above(third, third),
            bounds.multiply_above(7, third),
            bounds.declare(third),
        ]

    expected = all_bounds()
    with localcontext(Context(prec=3, rounding=ROUND_FLOOR, traps=[Inexact])):
        assert all_bounds() == expected
