"""Where the randomness comes from, as far as the ids of reports show it: 128 bits each that nobody may foresee.

A report's id should come from the same source as its noise, the operating system's. Ids that come twice, that follow
from each other by a small generator, or by any linear recurrence, come from somewhere else.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sotto_protocol.mechanisms.mechanism import Bytes
from sotto_rehearsal.audit.checks import Check

_LOOKED_AT = 8
"""So many ids must each follow from themselves: by chance one does with 2**-16, all with 2**-128."""
_N_BITS = 512
_STRIDES = (1, 2, 4, 8, 16, 32, 64)
"""A register may be read in blocks, of 64 by V8: then every so-manieth id follows from the one before."""
_SHORT = 64
"""A linear complexity that is so much below half of the length has probability 2**-127 (Rueppel 1986)."""


class _Congruential(NamedTuple):
    """x -> (multiplier x + increment) mod 2**n_bits, of which the upper 32 bits are handed out."""

    name: str
    n_bits: int
    multiplier: int
    increment: int


_KNOWN = (
    _Congruential("java.util.Random or drand48, 48 bits of state", 48, 0x5DEECE66D, 11),
    _Congruential("a 32-bit congruential generator (Numerical Recipes)", 32, 1664525, 1013904223),
    _Congruential("a 32-bit congruential generator (ANSI C)", 32, 1103515245, 12345),
    _Congruential("a 32-bit congruential generator (Borland)", 32, 22695477, 1),
)


def check_ids(ids: Bytes) -> list[Check]:
    """Return what the ids of reports, shape (n, 16), in the order in which they were made, say of their source.

    Each accuses the operating system's with probability below n**2 / 2**128.
    """
    return [_check_repeats(ids), _check_generator(ids[: len(ids) // 2])]  # of one process


def _check_repeats(ids: Bytes) -> Check:
    n_twice = len(ids) - len(np.unique(ids, axis=0))
    return Check("ids come once", n_twice == 0, f"{n_twice:,} of {len(ids):,} come again")


def _check_generator(ids: Bytes) -> Check:
    name = "ids from no small generator"
    for order in (">u4", "<u4"):
        words = np.ascontiguousarray(ids[:_LOOKED_AT]).view(order).astype(np.uint64)
        for generator in _KNOWN:
            if len(words) == _LOOKED_AT and all(_follows(generator, *of_id[1::2]) for of_id in words):
                return Check(name, False, f"they are drawn from {generator.name}")
    for stride in _STRIDES:
        for byte in (0, 5, 10, 15):
            bits = (ids[: stride * _N_BITS : stride, byte] >> np.uint8(7)).tolist()
            if 2 * linear_complexity(bits) < len(bits) - 2 * _SHORT:
                return Check(
                    name, False, "they follow from earlier ones by exclusive or: a shift register, Math.random"
                )
    return Check(name, True, "neither congruential nor a shift register")


def _follows(generator: _Congruential, earlier: np.uint64, later: np.uint64) -> bool:
    """Whether a word of 32 bits follows from another, two steps on. Of two that are added, one hides a carry."""
    n_hidden = generator.n_bits - 32
    mask = np.uint64(2**generator.n_bits - 1)
    states: NDArray[np.uint64] = (earlier << np.uint64(n_hidden)) + np.arange(2**n_hidden, dtype=np.uint64)
    for _ in range(2):
        states = (states * np.uint64(generator.multiplier) + np.uint64(generator.increment)) & mask
    return bool((states >> np.uint64(n_hidden) == later).any())


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
