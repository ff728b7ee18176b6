"""Numbers rounded to what their interval bears: its ends outward, so that no more is claimed than holds."""

import math
from collections.abc import Iterable
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal

_PARTS = 5
"""A step is a power of ten, and goes into the interval this often, and less than ten times as often."""
_FINEST = 1e-6
"""The least step; what has less width than some of these is rounded to it."""
_CONTEXT = Context(prec=60)  # whatever the app has set

UNKNOWN = 0.5
"""An interval that is so wide, as a part of all there is, leaves half of it: it is too wide to name an estimate."""

Ends = tuple[float, float]


def step_of(width: float) -> Decimal:
    """Return the step to which an interval of this width, >= 0, bears to be rounded.

    >>> step_of(10.5), step_of(3.2), step_of(2400)
    (Decimal('1'), Decimal('0.1'), Decimal('100'))
    """
    return Decimal(10) ** math.floor(math.log10(max(width / _PARTS, _FINEST)))


def down(number: float, step: Decimal) -> Decimal:
    """Return the largest multiple of a step, a power of ten, that is not above a number, as its shortest digits say it.

    >>> down(22.94, Decimal(1)), down(51234.0, Decimal(100))
    (Decimal('22'), Decimal('51200'))
    """
    return _multiple(number, step, ROUND_FLOOR)


def up(number: float, step: Decimal) -> Decimal:
    """Return the least multiple of a step that is not below a number."""
    return _multiple(number, step, ROUND_CEILING)


def nearest(number: float, step: Decimal) -> Decimal:
    """Return the multiple of a step that is nearest to a number."""
    return _multiple(number, step, ROUND_HALF_EVEN)


def _multiple(number: float, step: Decimal, rounding: str) -> Decimal:
    n_steps = _CONTEXT.divide(Decimal(repr(number)), step).to_integral_value(rounding)
    multiple = _CONTEXT.multiply(n_steps, step).quantize(min(step, Decimal(1)), context=_CONTEXT)
    return _CONTEXT.plus(multiple)  # no zero is negative


def any_too_wide(ends: Iterable[Ends], size: float = 1) -> bool:
    """Whether an interval is too wide to name an estimate; `size`: of all there is. One that has no ends is not."""
    return any(high - low >= UNKNOWN * size for low, high in ends)
