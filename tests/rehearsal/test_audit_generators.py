"""Which sources of ids are found out, and that the operating system's is not."""

import os
import struct
from collections.abc import Callable

import numpy as np
import pytest

from sotto_rehearsal.audit.generators import check_ids, linear_complexity

MASK = 2**48 - 1


def stack(ids: list[bytes]) -> np.ndarray:  # type: ignore[type-arg]
    return np.frombuffer(b"".join(ids), np.uint8).reshape(-1, 16)


def failed(ids: list[bytes]) -> list[str]:
    return [check.name for check in check_ids(stack(ids)) if not check.passed]


def java_words() -> Callable[[], int]:
    state = int.from_bytes(os.urandom(6))

    def word() -> int:
        nonlocal state
        state = (state * 0x5DEECE66D + 0xB) & MASK
        return state >> 16

    return word


def signed(word: int) -> int:
    return word - 2**32 if word >= 2**31 else word


def of_longs(word: Callable[[], int]) -> bytes:
    """Return two of Java's nextLong, which adds a signed second half to the first."""
    longs = [((signed(word()) << 32) + signed(word())) % 2**64 for _ in range(2)]
    return struct.pack(">2Q", *longs)


def test_ids_of_the_operating_system_pass() -> None:
    assert failed([os.urandom(16) for _ in range(5000)]) == []


@pytest.mark.parametrize("form", ["<4I", ">4I"])
def test_words_of_java_random_are_found(form: str) -> None:
    word = java_words()
    assert failed([struct.pack(form, *(word() for _ in range(4))) for _ in range(20)]) == [
        "ids from no small generator"
    ]


def test_longs_of_java_random_are_found() -> None:
    word = java_words()
    assert failed([of_longs(word) for _ in range(20)]) == ["ids from no small generator"]


def test_a_shift_register_of_128_bits_is_found() -> None:
    """xorshift128 (Marsaglia 2003), four words an id."""
    state = list(struct.unpack(">4I", os.urandom(16)))

    def word() -> int:
        x = state.pop(0)
        x ^= x << 11 & 0xFFFFFFFF
        state.append(state[-1] ^ state[-1] >> 19 ^ x ^ x >> 8)
        return state[-1]

    assert failed([struct.pack(">4I", *(word() for _ in range(4))) for _ in range(1200)])


def test_ids_that_come_twice_are_counted() -> None:
    ids = [os.urandom(16) for _ in range(50)]
    (repeats, _) = check_ids(stack([*ids, ids[7], ids[7]]))
    assert (repeats.passed, repeats.said) == (False, "2 of 52 come again")


@pytest.mark.parametrize(
    ("bits", "complexity"), [([0, 0, 0], 0), ([0, 0, 1], 3), ([1, 0, 1, 0, 1, 0], 2), ([1, 1, 1, 1], 1), ([], 0)]
)
def test_the_linear_complexity_is_that_of_the_shortest_register(bits: list[int], complexity: int) -> None:
    assert linear_complexity(bits) == complexity
