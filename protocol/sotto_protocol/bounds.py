"""Logarithms and exponentials rounded outward, so that an epsilon is always an upper bound.

`decimal` rounds `ln` and `exp` correctly to the last of 50 digits; one more unit in that place makes the bound.
"""

from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import lru_cache
from math import inf, nextafter

_UP = Context(prec=50, rounding=ROUND_CEILING)
_DOWN = Context(prec=50, rounding=ROUND_FLOOR)
_ENOUGH_BITS = 400
"""So many bits of an integer, rounded outward, change a ratio by less than 1e-119, and are read faster than all."""
_EPSILON_STEP = Decimal("1e-12")  # declared epsilons are written with twelve decimals


@lru_cache(maxsize=256)  # lost and gained bits, and questions of the same epsilon, ask for the same one
def log_ratio_above(numerator: int, denominator: int) -> Decimal:
    """Return an upper bound of ln(numerator / denominator), both positive; relative error 1e-49.

    >>> log_ratio_above(3, 1) > Decimal("1.098612288668109691395245236922")
    True
    """
    spare = max(0, min(numerator.bit_length(), denominator.bit_length()) - _ENOUGH_BITS)  # of powers, thousands
    ratio = _UP.divide(Decimal(-(-numerator >> spare)), Decimal(denominator >> spare))
    return _UP.next_plus(ratio.ln(_UP))


def exp_below(exponent: Decimal) -> Fraction:
    """Return a lower bound of e**exponent as an exact fraction; relative error 1e-49.

    >>> exp_below(Decimal(0)) <= 1
    True
    """
    return Fraction(_DOWN.next_minus(exponent.exp(_DOWN)))


def add_above(*terms: Decimal) -> Decimal:
    """Return an upper bound of the sum of the terms."""
    total = Decimal(0)
    for term in terms:
        total = _UP.add(total, term)
    return total


def multiply_above(factor: int, term: Decimal) -> Decimal:
    """Return an upper bound of factor * term, factor >= 0."""
    return _UP.multiply(Decimal(factor), term)


def divide_below(term: Decimal, divisor: int) -> Decimal:
    """Return a lower bound of term / divisor, divisor >= 1."""
    return _DOWN.divide(term, Decimal(divisor))


def float_above(term: Decimal | Fraction) -> float:
    """Return the least float that is not below the term.

    >>> float_above(Decimal("0.1")) >= Decimal("0.1")
    True
    """
    nearest = float(term)
    return nearest if nearest >= term else nextafter(nearest, inf)


def declare(epsilon: Decimal) -> Decimal:
    """Return epsilon rounded up to the twelve decimals in which a survey declares it.

    >>> declare(Decimal("1.0986122886681098"))
    Decimal('1.098612288669')
    """
    return epsilon.quantize(_EPSILON_STEP, rounding=ROUND_CEILING, context=_UP).normalize(_UP)
