"""Which sources of ids are found out, and that the operating system's is not."""

import os
import random
import struct
import uuid
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from sotto_rehearsal.audit.congruential import pcg_output
from sotto_rehearsal.audit.generators import check_ids
from sotto_rehearsal.audit.linear import linear_complexity
from sotto_rehearsal.audit.mersenne import recurrence, untemper

MASK = 2**48 - 1


def stack(ids: list[bytes]) -> np.ndarray:  # type: ignore[type-arg]
    return np.frombuffer(b"".join(ids), np.uint8).reshape(-1, 16)


def failed(ids: list[bytes]) -> list[str]:
    return [check.name for check in check_ids([stack(ids), stack([])], 1e-9) if not check.passed]


KNOWN, RATES = "ids from no known generator", "ids hold no time and no constant"


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
    assert failed([struct.pack(form, *(word() for _ in range(4))) for _ in range(20)]) == [KNOWN]


def test_longs_of_java_random_are_found() -> None:
    word = java_words()
    assert failed([of_longs(word) for _ in range(20)]) == [KNOWN]


def test_a_shift_register_of_128_bits_is_found() -> None:
    """xorshift128 (Marsaglia 2003), four words an id."""
    state = list(struct.unpack(">4I", os.urandom(16)))

    def word() -> int:
        x = state.pop(0)
        x ^= x << 11 & 0xFFFFFFFF
        state.append(state[-1] ^ state[-1] >> 19 ^ x ^ x >> 8)
        return state[-1]

    assert failed([struct.pack(">4I", *(word() for _ in range(4))) for _ in range(1200)]) == [KNOWN]


def test_ids_that_come_twice_are_counted() -> None:
    ids = [os.urandom(16) for _ in range(50)]
    repeats, *_ = check_ids([stack(ids), stack([ids[7], ids[7]])], 1e-9)
    assert (repeats.passed, repeats.said) == (False, "2 of 52 come again")


@pytest.mark.parametrize(
    ("bits", "complexity"), [([0, 0, 0], 0), ([0, 0, 1], 3), ([1, 0, 1, 0, 1, 0], 2), ([1, 1, 1, 1], 1), ([], 0)]
)
def test_the_linear_complexity_is_that_of_the_shortest_register(bits: list[int], complexity: int) -> None:
    assert linear_complexity(bits) == complexity


def mersenne() -> random.Random:
    return random.Random()  # noqa: S311  # what is looked for


def of_hex_digits() -> Iterator[bytes]:
    """Yield what `random.choices` makes: two words a digit, of which one's four upper bits are seen."""
    source = mersenne()
    while True:
        yield bytes.fromhex("".join(source.choices("0123456789abcdef", k=32)))


def of_php() -> Iterator[bytes]:
    """Yield the lower 16 bits of eight words, as mt_rand(0, 0xffff) has them."""
    source = mersenne()
    while True:
        yield struct.pack(">8H", *(source.getrandbits(32) & 0xFFFF for _ in range(8)))


def of_numpy() -> Iterator[bytes]:
    source = np.random.RandomState()
    while True:
        yield source.bytes(16)


def beside_noise(n_words: int) -> Iterator[bytes]:
    source = mersenne()
    while True:
        yield source.randbytes(16)
        source.getrandbits(32 * n_words)


def of_calls(call: Callable[[random.Random], bytes]) -> Iterator[bytes]:
    source = mersenne()
    while True:
        yield call(source)


@pytest.mark.parametrize(
    ("ids", "n"),
    [
        (of_calls(lambda source: source.randbytes(16)), 170),
        (of_calls(lambda source: source.getrandbits(128).to_bytes(16)), 170),
        (of_calls(lambda source: struct.pack(">4I", *(source.getrandbits(32) for _ in range(4)))), 170),
        (of_calls(lambda source: uuid.UUID(int=source.getrandbits(128), version=4).bytes), 170),
        (of_numpy(), 170),
        (beside_noise(1), 170),
        (beside_noise(4), 21_000),
        (of_hex_digits(), 640),
        (of_php(), 2520),
    ],
    ids=[
        "randbytes",
        "getrandbits",
        "words",
        "uuid4",
        "numpy",
        "a coin beside",
        "four coins beside",
        "hex digits",
        "mt_rand",
    ],
)
def test_the_mersenne_twister_is_found(ids: Iterator[bytes], n: int) -> None:
    assert failed([next(ids) for _ in range(n)]) == [KNOWN]


def test_the_recurrence_of_the_mersenne_twister_is_that_of_its_paper() -> None:
    assert (len(recurrence()), recurrence()[0], recurrence()[-1]) == (135, 0, 19937)


def test_a_word_of_the_mersenne_twister_is_untempered() -> None:
    source = mersenne()
    _, state, _ = source.getstate()
    source.getrandbits(32)  # it makes a new state, and hands out the first word
    _, state, _ = source.getstate()
    source.setstate((3, (*state[:-1], 0), None))
    words = np.array([source.getrandbits(32) for _ in range(624)], np.uint32)
    assert untemper(words).tolist() == [*state[:-1]]


MASK_64 = 2**64 - 1


def turn(word: int, by: int) -> int:
    return (word << by | word >> (64 - by)) & MASK_64


def splitmix() -> Iterator[int]:
    state = int.from_bytes(os.urandom(8))
    while True:
        state = (state + 0x9E3779B97F4A7C15) & MASK_64
        mixed = (state ^ state >> 30) * 0xBF58476D1CE4E5B9 & MASK_64
        mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB & MASK_64
        yield mixed ^ mixed >> 31


def xoshiro(*, stars: bool) -> Iterator[int]:
    """xoshiro256** (.NET, Lua) and xoshiro256+ (Blackman & Vigna 2018)."""
    one, two, three, four = struct.unpack("<4Q", os.urandom(32))
    while True:
        yield turn(two * 5 & MASK_64, 7) * 9 & MASK_64 if stars else (one + four) & MASK_64
        moved = two << 17 & MASK_64
        three ^= one
        four ^= two
        two ^= three
        one ^= four
        three ^= moved
        four = turn(four, 45)


def xorshift_plus() -> Iterator[int]:
    """xorshift128+, of which the sum is handed out."""
    one, two = struct.unpack("<2Q", os.urandom(16))
    while True:
        yield (one + two) & MASK_64
        one ^= one << 23 & MASK_64
        one, two = two, one ^ two ^ one >> 18 ^ two >> 5


def golang() -> Iterator[int]:
    words = [int.from_bytes(os.urandom(8)) for _ in range(607)]
    while True:
        words.append((words[-607] + words[-273]) & MASK_64)
        yield words[-1]


@pytest.mark.parametrize("form", ["<2Q", ">2Q"])
@pytest.mark.parametrize(
    ("words", "n"),
    [
        (splitmix, 20),
        (lambda: xoshiro(stars=True), 800),
        (lambda: xoshiro(stars=False), 800),
        (xorshift_plus, 500),
        (golang, 320),
    ],
    ids=["SplitMix64", "xoshiro256**", "xoshiro256+", "xorshift128+", "math/rand"],
)
def test_generators_of_64_bits_are_found(words: Callable[[], Iterator[int]], n: int, form: str) -> None:
    source = words()
    assert failed([struct.pack(form, next(source), next(source)) for _ in range(n)]) == [KNOWN]


def congruential(increment: int, hand_out: Callable[[int], int]) -> Iterator[int]:
    state = int.from_bytes(os.urandom(8))
    while True:
        yield hand_out(state)
        state = (state * 6364136223846793005 + increment) & MASK_64


@pytest.mark.parametrize(
    ("increment", "hand_out"),
    [
        (1442695040888963407, lambda state: state >> 32),
        (1, lambda state: state >> 32),
        (1442695040888963407, pcg_output),
        (0xDA3E39CB94B95BDB, pcg_output),
    ],
    ids=["MMIX", "newlib", "PCG32", "PCG32 of its demo"],
)
def test_congruential_generators_of_64_bits_are_found(increment: int, hand_out: Callable[[int], int]) -> None:
    source = congruential(increment, hand_out)
    assert failed([struct.pack("<4I", *(next(source) for _ in range(4))) for _ in range(12)]) == [KNOWN]


def test_pcg32_hands_out_what_its_authors_say() -> None:
    """The first words of `pcg32-demo`, which is seeded with 42 and 54 (O'Neill 2014)."""
    increment = 54 << 1 | 1
    state = ((increment + 42) * 6364136223846793005 + increment) & MASK_64
    words = []
    for _ in range(3):
        words.append(pcg_output(state))
        state = (state * 6364136223846793005 + increment) & MASK_64
    assert words == [0xA15C02B7, 0x7B47F409, 0xBA1D3330]


def uuid_7(number: int) -> bytes:
    return struct.pack(">Q", 1_790_000_000_000 + number)[2:] + os.urandom(10)


@pytest.mark.parametrize(
    "make",
    [
        lambda _: uuid.uuid1().bytes,
        uuid_7,
        lambda number: struct.pack(">2Q", 0, number),
        lambda _: os.urandom(15) + b"a",
    ],
    ids=["UUIDv1", "UUIDv7", "a counter", "a constant"],
)
def test_ids_that_hold_a_time_or_a_constant_are_called_that(make: Callable[[int], bytes]) -> None:
    checks = check_ids([stack([make(number) for number in range(300)]), stack([])], 1e-6)
    assert [check.name for check in checks if not check.passed] == [RATES]
    assert all("shift register" not in check.said for check in checks)


def test_random_uuids_pass() -> None:
    assert failed([uuid.uuid4().bytes for _ in range(2000)]) == []
