"""Ids of the Mersenne Twister, MT19937 (Matsumoto & Nishimura 1998): Python, PHP, Ruby, R, numpy's older generator.

Each word of 32 bits follows from those 624, 623 and 227 before it. Where whole words are seen, that is tried out; where
of each word some bits are seen, each bit's own sequence is held against the recurrence of all of them.
"""

from functools import lru_cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

from sotto_protocol.mechanisms.mechanism import Bytes

_FOUND = "they follow from earlier ones by the Mersenne Twister (Python's random, PHP, Ruby, R, numpy.random.seed)"
_N, _M, _A, _UPPER = 624, 397, 0x9908B0DF, np.uint32(0x80000000)
_DEGREE = 19937
_LOOKED_AT = 8
"""So many words must follow: by chance all do with 2**-256."""
_MOST_WORDS = 64
"""A report takes so many words at most, ids and noise together, and as many each time."""
_BITS = 128
"""So many bits must fit the recurrence: by chance all do with 2**-128."""

Words = NDArray[np.uint32]


def find_mersenne(ids: Bytes) -> str | None:
    """Return what is found in ids of one process, shape (n, 16), in their order; None where there is nothing."""
    for order, backwards in product((">u4", "<u4"), (False, True)):
        words = np.ascontiguousarray(ids).view(order).astype(np.uint32)
        if _follow(words[:, ::-1] if backwards else words):
            return _FOUND
    for width, backwards, top in product((4, 8, 16, 32, 128), (False, True), (True, False)):
        bits = _bits_of(ids, width, backwards=backwards, top=top)
        if len(bits) >= _DEGREE + _BITS and _fits(bits):
            return _FOUND
    return None


def _follow(words: Words) -> bool:
    """Whether words follow from earlier ones, four an id, where a report takes as many each time."""
    state = untemper(words)
    for per_report in range(4, _MOST_WORDS + 1):
        # Word i of all: in report i // per_report, where the first four are the id's.
        places = np.arange(per_report)
        wanted = (places, places + 1, places + _M, places + _N)
        is_seen = np.all([place % per_report < 4 for place in wanted], axis=0)
        for first in np.flatnonzero(is_seen).tolist():
            rows = [(first + gap) // per_report for gap in (0, 1, _M, _N)]
            columns = [(first + gap) % per_report for gap in (0, 1, _M, _N)]
            n = len(state) - rows[-1]
            if n < _LOOKED_AT:
                continue
            own, after, middle, later = (
                state[row : row + _LOOKED_AT, column] for row, column in zip(rows, columns, strict=True)
            )
            mixed = (own & _UPPER) | (after & ~_UPPER)
            if (later == middle ^ (mixed >> 1) ^ np.where(mixed & 1, np.uint32(_A), np.uint32(0))).all():
                return True
    return False


def untemper(words: Words) -> Words:
    """Return the words of the state that the generator made these of."""
    y = words ^ words >> np.uint32(18)
    y = y ^ y << np.uint32(15) & np.uint32(0xEFC60000)
    part = y
    for _ in range(4):
        part = y ^ part << np.uint32(7) & np.uint32(0x9D2C5680)
    whole = part
    for _ in range(2):
        whole = part ^ whole >> np.uint32(11)
    untempered: Words = whole
    return untempered


def _bits_of(ids: Bytes, width: int, *, backwards: bool, top: bool) -> NDArray[np.uint8]:
    """Return one bit of each so many of the ids', in the order in which they were made: the top or the lowest."""
    bits = np.unpackbits(ids[: _DEGREE + _BITS], axis=1).reshape(-1, 128 // width, width)
    chosen = bits[:, :: -1 if backwards else 1, 0 if top else -1]
    return np.ascontiguousarray(chosen).reshape(-1)[: _DEGREE + _BITS]


def _fits(bits: NDArray[np.uint8]) -> bool:
    """Whether each of the last bits is the sum of those that the recurrence says.

    Of bits that are 2**k words apart, too: squaring is linear, so they have the same recurrence.
    """
    windows = np.lib.stride_tricks.sliding_window_view(bits, _BITS)
    return not np.bitwise_xor.reduce(windows[recurrence()], axis=0).any()


@lru_cache(maxsize=1)
def recurrence() -> NDArray[np.intp]:
    """Return the powers of the characteristic polynomial of the words' bits, ascending; of degree 19937.

    As the paper has it (its appendix A.2), over the integers modulo 2.
    """
    total, low = 0, 31  # w - r = 1 bit is the upper one's, r = 31 are the lower ones'

    def times(poly: int, power_n: int, power_m: int, n_times: int) -> int:
        for _ in range(n_times):
            poly = poly << power_n ^ poly << power_m
        return poly

    bits = [_A >> place & 1 for place in range(32)]
    total = times(times(1, _N, _M, 1), _N - 1, _M - 1, low)
    for place in range(low):
        if bits[place]:
            total ^= times(times(1, _N, _M, 1), _N - 1, _M - 1, low - 1 - place)
    if bits[low]:
        total ^= 1
    powers: NDArray[np.intp] = np.flatnonzero(np.array([*bin(total)[:1:-1]]) == "1")
    return powers
