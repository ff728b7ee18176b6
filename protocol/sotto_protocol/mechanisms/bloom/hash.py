"""From a cohort and a string to the bits of a Bloom filter: the hash that every side computes alike, to the byte.

Cohorts hash differently, so that strings which collide in one are told apart in others (Erlingsson, Pihur & Korolova
2014). docs/maths-strings.md specifies the hash for other languages, `tests/vectors/bloom.json` has vectors.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sotto_protocol.cohorts import MAX_COHORTS
from sotto_protocol.mechanisms.checks import check_integer

MAX_BITS = 4096
MAX_HASHES = 8

_LABEL = b"sottovoce-bloom-1"
_NUMBERS_PER_DIGEST = 16  # of 16 bits each, in a SHA-256


@dataclass(frozen=True, slots=True)
class BloomDesign:
    """`n_bits` in [2, 4096] a filter, `n_hashes` in [1, 8] and at most n_bits, `n_cohorts` in [1, 1024]."""

    n_bits: int
    n_hashes: int
    n_cohorts: int

    def __post_init__(self) -> None:
        check_integer("n_bits", self.n_bits, 2, MAX_BITS)
        check_integer("n_hashes", self.n_hashes, 1, min(MAX_HASHES, self.n_bits))
        check_integer("n_cohorts", self.n_cohorts, 1, MAX_COHORTS)


def bloom_bits(design: BloomDesign, cohort: int, text: bytes, position: int = 0) -> tuple[int, ...]:
    """Return the n_hashes bit numbers, each in [0, n_bits), that a string sets in a cohort; some may be equal.

    `text`: UTF-8. `position`: 0 for a whole string, from 1 for the n-gram that stands there. Number i of a string, a
    16-bit big-endian integer modulo n_bits, is the (i mod 16)-th of SHA-256(label || position || i div 16 || text),
    both integers in 4 big-endian bytes; hash j of cohort c is number c n_hashes + j.
    """
    first_digest, offset = divmod(cohort * design.n_hashes, _NUMBERS_PER_DIGEST)
    end = offset + design.n_hashes
    stream = _stream(text, position, first_digest, first_digest - (-end // _NUMBERS_PER_DIGEST))
    return tuple([(stream[2 * at] << 8 | stream[2 * at + 1]) % design.n_bits for at in range(offset, end)])


def bloom_map(design: BloomDesign, texts: Sequence[bytes], position: int = 0) -> NDArray[np.uint16]:
    """Return every string's bit numbers in every cohort, shape (n_texts, n_cohorts, n_hashes): see `bloom_bits`."""
    n_numbers = design.n_cohorts * design.n_hashes
    n_digests = -(-n_numbers // _NUMBERS_PER_DIGEST)
    streams = b"".join(_stream(text, position, 0, n_digests) for text in texts)
    numbers = np.frombuffer(streams, ">u2").reshape(len(texts), n_digests * _NUMBERS_PER_DIGEST)[:, :n_numbers]
    bits: NDArray[np.uint16] = numbers.astype(np.uint16) % np.uint16(design.n_bits)
    return bits.reshape(len(texts), design.n_cohorts, design.n_hashes)


def google_map(design: BloomDesign, texts: Sequence[bytes]) -> NDArray[np.uint16]:
    """Return bit numbers as google/rappor's clients hash, shape (n_texts, n_cohorts, n_hashes).

    Bit i of a string in cohort c is byte i of MD5(c in 4 big-endian bytes || string), modulo n_bits.
    """
    prefixes = [cohort.to_bytes(4, "big") for cohort in range(design.n_cohorts)]
    digests = b"".join(
        hashlib.md5(prefix + text, usedforsecurity=False).digest()[: design.n_hashes]
        for text in texts
        for prefix in prefixes
    )
    numbers = np.frombuffer(digests, np.uint8).astype(np.uint16) % np.uint16(design.n_bits)
    return numbers.reshape(len(texts), design.n_cohorts, design.n_hashes)


def _stream(text: bytes, position: int, first_digest: int, end_digest: int) -> bytes:
    label = _LABEL + position.to_bytes(4, "big")
    return b"".join(
        hashlib.sha256(label + number.to_bytes(4, "big") + text).digest() for number in range(first_digest, end_digest)
    )
