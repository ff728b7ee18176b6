"""From a cohort and a string to a bucket: the hash that every side computes alike, to the byte.

One SHA-256 makes a number of a string, modulo the prime 2**61 - 1; a cohort's line through these numbers, modulo the
number of buckets, is its hash. So two strings share a bucket in as many cohorts as chance has it, whichever they are
(Carter & Wegman 1979). docs/maths-strings.md specifies it for other languages, `tests/vectors/sketch.json` has vectors.
"""

import hashlib
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from sotto_protocol.cohorts import MAX_COHORTS

PRIME = 2**61 - 1
_STRING_LABEL, _COHORT_LABEL = b"sottovoce-sketch-1", b"sottovoce-sketch-cohort-1"
_NUMBERS_PER_STEP = 2**14  # so many at once, with all that is computed of them, stay in the processor's cache
_P, _61, _32, _29, _3 = (np.uint64(n) for n in (PRIME, 61, 32, 29, 3))
_LOW_32, _LOW_29 = np.uint64(2**32 - 1), np.uint64(2**29 - 1)


def string_number(text: bytes) -> int:
    """Return the number in [0, 2**61 - 1) of a string in UTF-8: SHA-256's first 8 bytes, big-endian, modulo PRIME."""
    return int.from_bytes(hashlib.sha256(_STRING_LABEL + text).digest()[:8], "big") % PRIME


def string_numbers(texts: Sequence[str]) -> NDArray[np.uint64]:
    """Return the numbers of strings in their normal form, shape (n_texts,): see `string_number`."""
    return np.fromiter((string_number(text.encode()) for text in texts), np.uint64, len(texts))


def bucket(number: int, cohort: int, n_buckets: int) -> int:
    """Return the bucket, in [0, n_buckets), of a string's number in a cohort."""
    factor, added = _line(cohort)
    return (factor * number + added) % PRIME % n_buckets


def buckets(numbers: NDArray[np.uint64], cohorts: int | NDArray[np.intp], n_buckets: int) -> NDArray[np.uint16]:
    """Return the buckets of n strings' numbers, shape (n,), in one cohort or in one for each: see `bucket`.

    `n_buckets` at most 65536. A product of 122 bits is added up from those of halves, by 2**61 = 1 modulo PRIME: each
    summand is below 2**61.
    """
    found = np.empty(len(numbers), np.uint16)
    for start in range(0, len(numbers), _NUMBERS_PER_STEP):
        step = slice(start, start + _NUMBERS_PER_STEP)
        high, low, added = _lines()[:, cohorts if isinstance(cohorts, int) else cohorts[step]]
        part_high, part_low = numbers[step] >> _32, numbers[step] & _LOW_32
        middle = high * part_low
        middle += low * part_high
        lowest = low * part_low
        part_high *= high
        part_high <<= _3  # 2**64 is 8
        part_high += middle >> _29
        part_high += added
        middle &= _LOW_29
        middle <<= _32
        part_high += middle
        part_high += lowest >> _61
        lowest &= _P
        part_high += lowest
        total = (part_high & _P) + (part_high >> _61)
        np.subtract(total, _P, out=total, where=total >= _P)
        found[step] = total % np.uint64(n_buckets)
    return found


def _line(cohort: int) -> tuple[int, int]:
    """Return a cohort's factor, in [1, PRIME), and what is added, in [0, PRIME).

    Of SHA-256(label || cohort in 4 big-endian bytes) the first 8 bytes, modulo PRIME - 1, and one; and the next 8,
    modulo PRIME.
    """
    digest = hashlib.sha256(_COHORT_LABEL + cohort.to_bytes(4, "big")).digest()
    return 1 + int.from_bytes(digest[:8], "big") % (PRIME - 1), int.from_bytes(digest[8:16], "big") % PRIME


@lru_cache(maxsize=1)
def _lines() -> NDArray[np.uint64]:
    """Return every cohort's factor, its upper and its lower 32 bits, and what is added, shape (3, MAX_COHORTS)."""
    lines = [_line(cohort) for cohort in range(MAX_COHORTS)]
    return np.array([(factor >> 32, factor & 0xFFFFFFFF, added) for factor, added in lines], np.uint64).T.copy()
