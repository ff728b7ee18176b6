"""How many devices it takes until every bit of a text that all have is decided: by exact binomials."""

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy import special

from sotto_estimator.channel.channel import Floats

MAX_DEVICES = 2**22
_AHEAD = (0, 1, 2, 5)
_N_BITS_A_MASK = 128
_FAR = 1e-15
_TRUE = 3 / 4


@lru_cache(maxsize=64)
def devices_needed(least_share: float, power: float, tail: float) -> int | None:
    """Return the least number of devices of which all 256 bits are decided with this probability.

    Of the devices a random half keeps the even bits, the others the odd ones; a bit that all have is decided where the
    exact interval, each end of which misses with `tail`, lies above `least_share`. None where more than `MAX_DEVICES`
    are needed. Powers of whole counts saw a little: none of the next few n is below it either.
    """
    if power >= (1 - tail) ** (2 * _N_BITS_A_MASK):  # so often none of the intervals falls short of 1
        return None
    low, high = 1, 2
    while high <= MAX_DEVICES and not _holds(high, least_share, power, tail):
        low, high = high, 2 * high
    if high > MAX_DEVICES:
        return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _holds(middle, least_share, power, tail) else (middle, high)
    return high


def _holds(n: int, least_share: float, power: float, tail: float) -> bool:
    return all(prob_all_decided(n + ahead, least_share, tail) >= power for ahead in _AHEAD)


def prob_all_decided(n_devices: int, least_share: float, tail: float) -> float:
    """Return the probability that all 256 bits of a text that n devices share are decided."""
    from scipy.stats import binom  # it takes half a second to load

    first, last = binom.isf([1 - _FAR, _FAR], n_devices, 1 / 2)
    n_even = np.arange(max(0, int(first) - 1), min(n_devices, int(last) + 1) + 1)
    chances = binom.pmf(n_even, n_devices, 1 / 2)
    sizes = np.unique(np.concatenate([n_even, n_devices - n_even]))
    probs = dict(zip(sizes.tolist(), prob_decided(sizes, least_share, tail).tolist(), strict=True))
    decided = np.array([probs[int(n)] * probs[n_devices - int(n)] for n in n_even])
    return float((chances * decided**_N_BITS_A_MASK).sum())


def prob_decided(n: NDArray[np.int64], least_share: float, tail: float) -> Floats:
    """Return the probability that a bit that all devices have is decided by n payloads that keep it; shape of n.

    Its interval must lie above least_share, and reach 1.
    """
    above = _least(n, lambda s: special.betainc(np.maximum(s, 1), n - s + 1, 1 / 4 + least_share / 2) <= tail)
    possible = _least(n, lambda s: special.betaincc(s + 1, np.maximum(n - s, 1), _TRUE) > tail)
    fewest = np.maximum(above, possible)
    decided: Floats = np.where(fewest <= n, special.bdtrc(fewest - 1, n, _TRUE), 0.0)
    return decided


def _least(n: NDArray[np.int64], is_enough: Callable[[NDArray[np.int64]], NDArray[np.bool_]]) -> NDArray[np.int64]:
    """Return the least s in [0, n] that is enough, as all larger ones are, or n + 1; shape of n."""
    low, high = np.full_like(n, -1), n + 1
    while (high - low > 1).any():
        middle = np.clip((low + high) // 2, 0, n)
        found = is_enough(middle)
        low, high = np.where(found, low, middle), np.where(found, middle, high)
    return high
