"""Counting ones: how many of n rows of packed bits have each bit set, of all rows or by group.

Rows are added up as a processor's adder does it, but 64 columns at once: seven rows make one row of ones, one of twos
and one of fours (carry-save addition; Harley & Seal, in Warren, Hacker's Delight, 2nd ed., 5-1). So a row costs about
one addition of its words, where unpacking would make every bit a byte.
"""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from sotto_protocol.mechanisms.mechanism import Bytes, Counts

_FEW_ROWS = 2**11
"""Below so many rows, unpacking is as fast as adding."""
_ROWS_PER_STEP = 2**16
"""So many rows at once stay in the processor's cache."""
_SIDE_BY_SIDE = 16

_FEW_PER_GROUP = 2**9
"""Below so many rows a group, counting bytes is as fast as adding."""
_BITS_OF_BYTE = np.unpackbits(np.arange(256, dtype=np.uint8).reshape(-1, 1), axis=1, bitorder="little").astype(float)

Words = NDArray[np.uint64]


def count_ones(rows: Bytes) -> Counts:
    """Return how many rows have each bit set, shape (8 * width,); `rows`: shape (n, width), the lowest bit first."""
    counts = np.zeros(8 * rows.shape[1], np.int64)
    for start in range(0, len(rows), _ROWS_PER_STEP):
        counts += _count_step(np.ascontiguousarray(rows[start : start + _ROWS_PER_STEP]))
    return counts


def cut_bytes(rows: Bytes, start: int, width: int) -> Bytes:
    """Return a copy of `width` bytes of each row, shape (n, width).

    The pieces are copied whole: numpy copies columns byte by byte, which takes six times as long.
    """
    pieces = rows[:, start : start + width].view(f"V{width}")
    return np.ascontiguousarray(pieces).view(np.uint8).reshape(-1, width)


def count_ones_by_group(rows: Bytes, groups: NDArray[np.intp], n_groups: int) -> Counts:
    """Return how many rows of each group have each bit set, shape (n_groups, 8 * width).

    `groups`: shape (n,), entries in [0, n_groups). Rows that are sorted by group are counted two to three times faster.
    """
    changes = np.flatnonzero(groups[1:] != groups[:-1])
    is_sorted = (groups[changes] < groups[changes + 1]).all()
    if not is_sorted or len(rows) < _FEW_PER_GROUP * len(changes):
        return _count_by_histogram(rows, groups, n_groups)
    counts = np.zeros((n_groups, 8 * rows.shape[1]), np.int64)
    for start, end in pairwise([0, *(changes + 1).tolist(), len(rows)]):
        if end > start:
            counts[groups[start]] = count_ones(rows[start:end])
    return counts


def _count_by_histogram(rows: Bytes, groups: NDArray[np.intp], n_groups: int) -> Counts:
    """Count each (group, byte): no bit is unpacked but those of 256 values."""
    counts = np.zeros((n_groups, 8 * rows.shape[1]), np.int64)
    for byte in range(rows.shape[1]):
        values = (groups << 8) + rows[:, byte]
        histogram = np.bincount(values, minlength=n_groups << 8).reshape(n_groups, 256)
        # As floats, exact below 2**53: numpy multiplies integers twenty times as slowly.
        counts[:, 8 * byte : 8 * byte + 8] = histogram.astype(np.float64) @ _BITS_OF_BYTE
    return counts


def _count_step(rows: Bytes) -> Counts:
    n_rows, width = rows.shape
    if n_rows < _FEW_ROWS:
        return _count_few(rows)
    n_added = n_rows // 7 // 8 * 8  # whole words, whatever the width
    summed = _add_seven(rows[: 7 * n_added].reshape(7, -1).view(np.uint64))
    counts = _count_few(rows[7 * n_added :])
    for power, words in enumerate(summed):
        counts += _count_step(words.view(np.uint8).reshape(n_added, width)) << power
    return counts


def _add_seven(rows: Words) -> tuple[Words, Words, Words]:
    """Return the ones, twos and fours of seven rows' sums, column by column."""
    a, b, c, d, e, f, g = rows
    ones, twos_1 = _add_three(a, b, c)
    ones, twos_2 = _add_three(ones, d, e)
    ones, twos_3 = _add_three(ones, f, g)
    twos, fours = _add_three(twos_1, twos_2, twos_3)
    return ones, twos, fours


def _add_three(a: Words, b: Words, c: Words) -> tuple[Words, Words]:
    differ = a ^ b
    return differ ^ c, (a & b) | (differ & c)


def _count_few(rows: Bytes) -> Counts:
    """Unpack and add up in bytes, 16 rows side by side: at most 255 times 16 rows."""
    width = 8 * rows.shape[1]
    bits = np.unpackbits(rows.ravel(), bitorder="little").reshape(-1, width)
    whole = len(bits) // _SIDE_BY_SIDE * _SIDE_BY_SIDE
    sums = bits[:whole].reshape(-1, _SIDE_BY_SIDE * width).sum(axis=0, dtype=np.uint8)
    counted: Counts = sums.reshape(_SIDE_BY_SIDE, width).sum(axis=0, dtype=np.int64)
    counted += bits[whole:].sum(axis=0, dtype=np.int64)
    return counted
