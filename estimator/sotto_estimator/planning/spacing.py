"""At which points a curve is worked out."""

import numpy as np

N_POINTS = 24


def whole_steps(low: float, high: float) -> list[int]:
    """Return up to `N_POINTS` whole numbers in [low, high], each a like part larger than the one before.

    >>> whole_steps(2, 8)
    [2, 3, 4, 5, 6, 7, 8]
    """
    return sorted({int(size) for size in np.rint(np.geomspace(low, high, N_POINTS))})
