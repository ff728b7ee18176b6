"""Uniform sets of so many places: begun by coins, then mended by uniform draws until each is as large as it must be.

Any start gives uniform sets, since its coins are all alike and so are the places that are added or taken out. How much
is drawn says nothing of which set it is.
"""

from math import isqrt

import numpy as np
from numpy.typing import NDArray

from sotto_protocol.coins import Coins

_FEW = 16
"""Up to so many members are found one by one; more of them faster by numpy."""


def first_threshold(size: int, n_places: int) -> int:
    """Return the threshold of the coins that begin a set: hardly ever too large, for adding takes least draws."""
    return max(0, 256 * (2 * size - isqrt(9 * size)) // (2 * n_places)) << 24


def draw_sets(bits: NDArray[np.bool_], size: int, n_places: int, first: int, coins: Coins) -> NDArray[np.intp]:
    """Draw a set of `size` of the first `n_places` columns into each row of `bits`, which are all false.

    `first`: see `first_threshold`; it may be 0. Returns the members' flat places, `size` of each row, ascending.
    """
    if first:
        bits[:, :n_places] = coins.flip(first, len(bits) * n_places).reshape(-1, n_places)
    missing = size - _count_members(bits)
    while len(wrong := missing.nonzero()[0]):
        n_draws = np.abs(missing[wrong])
        drawn = coins.uniform(n_places, int(n_draws.sum()))
        bits[np.repeat(wrong, n_draws), drawn] = np.repeat(missing[wrong] > 0, n_draws)
        missing[wrong] = size - _count_members(bits[wrong])
    return np.flatnonzero(bits)


def draw_set(size: int, n_places: int, first: int, coins: Coins) -> bytearray:
    """Draw the very set that `draw_sets` draws into one row, as bytes of 0 and 1: faster."""
    bits = bytearray(coins.flip_few(first, n_places) if first else n_places)
    while missing := size - bits.count(1):
        for place in coins.uniform_few(n_places, abs(missing)):
            bits[place] = missing > 0
    return bits


def members_of(bits: bytearray, size: int) -> list[int]:
    """Return the members of a set of that size, ascending."""
    if size > _FEW:
        return np.frombuffer(bits, np.uint8).nonzero()[0].tolist()
    members, place = [], -1
    for _ in range(size):
        place = bits.find(1, place + 1)
        members.append(place)
    return members


def _count_members(bits: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return how many bits of each row are set: twice as fast as numpy's count of what is not zero."""
    counts: NDArray[np.uint16] = bits.view(np.uint8).sum(axis=1, dtype=np.uint16)
    return counts.astype(np.int64)
