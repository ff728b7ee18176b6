"""At which points a curve is worked out."""

from decimal import Decimal

import numpy as np

N_POINTS = 24


def whole_steps(low: float, high: float) -> list[int]:
    """Return up to `N_POINTS` whole numbers in [low, high], each a like part larger than the one before.

    >>> whole_steps(2, 8)
    [2, 3, 4, 5, 6, 7, 8]
    """
    return sorted({int(size) for size in np.rint(np.geomspace(low, high, N_POINTS))})


def decimal_steps(low: Decimal, high: Decimal) -> list[Decimal]:
    """Return up to `N_POINTS` numbers in [low, high] of three decimals, as `whole_steps`.

    >>> [str(step) for step in decimal_steps(Decimal("0.5"), Decimal("0.502"))]
    ['0.500', '0.501', '0.502']
    """
    return sorted({round(Decimal(str(step)), 3) for step in np.geomspace(float(low), float(high), N_POINTS)})
