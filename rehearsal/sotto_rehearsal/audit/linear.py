"""Ids of generators that are linear modulo 2: shift registers, Math.random of V8, xorshift, xoroshiro, xoshiro.

Each bit of their output, or of what a step that can be undone makes of it, is a recurrence of a length that is found by
Massey's algorithm. Of sums of two registers (xorshift128+) the lowest bit is.
"""

from collections.abc import Iterator

import numpy as np

from sotto_protocol.mechanisms.mechanism import Bytes
from sotto_rehearsal.audit.words import inverse

_FOUND = "earlier ids give them by exclusive or, as with a shift register, Math.random, xorshift or xoshiro"
_N_BITS = 768
"""So many ids are enough for 256 bits of state, and 127 to be sure."""
_STRIDES = (2, 4, 8, 16, 32, 64)
"""A register may be read in blocks, of 64 by V8: then every so-manieth id follows from the one before."""
_LONG = 40_100
"""So many ids are enough for any generator of at most 19,937 bits that each report takes as many words of."""
_SHORT = 64
"""A linear complexity that is so much below half of the length has probability 2**-127 (Rueppel 1986)."""


def find_linear(ids: Bytes) -> str | None:
    """Return what is found in ids of one process, shape (n, 16), in their order; None where there is nothing."""
    return _FOUND if any(2 * linear_complexity(bits) < len(bits) - 2 * _SHORT for bits in _sequences(ids)) else None


def _sequences(ids: Bytes) -> Iterator[list[int]]:
    """Yield sequences of bits of which each is one in half: those that a version 4 UUID fixes are left out."""
    for stride in _STRIDES:
        for byte in (0, 5, 10, 15):
            yield (ids[: stride * _N_BITS : stride, byte] >> np.uint8(7)).tolist()
    bits = np.unpackbits(ids[:_N_BITS], axis=1)
    for column in np.flatnonzero(bits.any(axis=0) & ~bits.all(axis=0)).tolist():
        yield bits[:, column].tolist()
    for order in (">u8", "<u8"):
        words = np.ascontiguousarray(ids[:_N_BITS]).view(order).astype(np.uint64)[:, 0]
        turned = words * inverse(9)  # xoshiro256**: x -> 9 rotl(5 x, 7)
        states = (turned >> np.uint64(7) | turned << np.uint64(57)) * inverse(5)
        yield (states >> np.uint64(63)).tolist()
    yield (ids[:_LONG, 0] >> np.uint8(7)).tolist()


def linear_complexity(bits: list[int]) -> int:
    """Return the length of the shortest linear feedback shift register that gives these bits (Massey 1969).

    >>> linear_complexity([0, 0, 1, 0, 1, 1, 1, 0, 0, 1, 0, 1, 1, 1])
    3
    """
    connection, previous, length, since, window = 1, 1, 0, 1, 0
    for place, bit in enumerate(bits):
        window = window << 1 | bit  # bit j is the bit that was seen j places ago
        if (connection & window).bit_count() % 2 == 0:
            since += 1
            continue
        earlier = connection
        connection ^= previous << since
        if 2 * length <= place:
            length, previous, since = place + 1 - length, earlier, 1
        else:
            since += 1
    return length
