"""One report at a time: the coins and the bytes of the bulk code."""

import os

import numpy as np
import pytest

from sotto_protocol import COIN_SCALE, Coins, Mechanism, given_bytes
from sotto_protocol.mechanisms.bloom.response import BloomResponse
from sotto_protocol.mechanisms.bloom.single import pack_row

Q = COIN_SCALE // 4
THRESHOLDS = [1, 255, 2**24, 2**31, 2**31 + 1, 0x80808080, 0x00FF00FF, COIN_SCALE - 1]


def tied_stream(n_bytes: int, first: int) -> bytes:
    """Return random bytes of which every fourth is the threshold's first: coins that tie."""
    drawn = bytearray(os.urandom(n_bytes))
    drawn[::4] = bytes([first]) * len(drawn[::4])
    return bytes(drawn)


@pytest.mark.parametrize("threshold", THRESHOLDS)
@pytest.mark.parametrize("n_coins", [1, 2, 128, 1000])
def test_few_coins_are_the_coins_of_the_bulk(threshold: int, n_coins: int) -> None:
    stream = tied_stream(8 * n_coins + 64, threshold >> 24)
    bulk = Coins(given_bytes(stream)).flip(threshold, n_coins)
    assert Coins(given_bytes(stream)).flip_few(threshold, n_coins) == bulk.tobytes()


def test_a_source_that_runs_dry_is_an_error() -> None:
    with pytest.raises(ValueError, match="gave 1 bytes where 2 were asked for"):
        Coins(lambda _n: b"x").flip_few(Q, 2)


@pytest.mark.parametrize("n_values", [1, 2, 3, 255, 256, 257, 1000, 65536])
def test_one_uniform_integer_is_that_of_the_bulk(n_values: int) -> None:
    for _ in range(50):
        stream = os.urandom(64)
        assert Coins(given_bytes(stream)).uniform_one(n_values) == Coins(given_bytes(stream)).uniform(n_values, 1)[0]


def test_a_rejected_integer_is_drawn_again() -> None:
    stream = bytes([0, 0, 0, 0, 0xFF, 0xFF])  # 2**16 mod 3 is 1: the product 0 is one too many
    assert Coins(given_bytes(stream)).uniform_one(3) == 2


@pytest.mark.parametrize("n_values", [1, 7, 8, 9, 128, 300])
@pytest.mark.parametrize("n_blocks", [1, 3])
def test_packing_a_row_is_numpys(n_values: int, n_blocks: int) -> None:
    bits = np.frombuffer(os.urandom(n_blocks * n_values), np.uint8) & 1
    packed = np.packbits(bits.reshape(n_blocks, n_values), axis=1, bitorder="little")
    assert pack_row(bits.tobytes(), n_values) == packed.tobytes()


@pytest.mark.parametrize("one_stage", [True, False])
@pytest.mark.parametrize("n_bits", [3, 8, 20, 128])
@pytest.mark.parametrize("grams", [(0, 0), (6, 2)])
def test_one_string_is_perturbed_as_in_bulk(n_bits: int, grams: tuple[int, int], one_stage: bool) -> None:
    stages = {} if one_stage else {"report_if_one": 3 * Q + 7, "report_if_zero": Q + 5}
    bloom = BloomResponse(
        "rappor", n_bits, 3 * Q, Q + 3, **stages, n_hashes=2, n_cohorts=9, max_length=grams[0], gram_length=grams[1]
    )
    for _ in range(20):
        stream = tied_stream(9 * n_bits * 12 + 64, 64)
        alone = bloom.perturb(["héllo"], Coins(given_bytes(stream)))
        bulk = Mechanism.perturb(bloom, ["héllo"], Coins(given_bytes(stream)))
        assert np.array_equal(alone, bulk)
        group = bulk[:, : bloom.group_bytes]
        fresh = tied_stream(9 * n_bits * 12, 192)
        sources = [Coins(given_bytes(stream)), Coins(given_bytes(fresh))]
        slow = Mechanism.perturb_by_stages(bloom, ["héllo"], group, *sources)
        sources = [Coins(given_bytes(stream)), Coins(given_bytes(fresh))]
        assert np.array_equal(bloom.perturb_by_stages(["héllo"], group, *sources), slow)
