"""Coins against their definition, tie by tie; uniform integers over every draw; the HMAC source block by block."""

import hashlib
import hmac
import itertools
import os

import numpy as np
import pytest
from hypothesis import example, given, settings, strategies as st

import reference
from sotto_protocol.coins import COIN_SCALE, Coins, given_bytes, hmac_bytes

SECRET = bytes(range(32))
EDGE_BYTES = (0x00, 0x01, 0x7F, 0x80, 0xFE, 0xFF)
EDGE_WORDS = [bytes(word) for word in itertools.product(EDGE_BYTES, repeat=4)]
EDGE_THRESHOLDS = [1, 0x80, 0x100, 0xFFFF, 0x10000, 0x01000001, 0x7F80FF00, 0x7FFFFFFF, 2**31, 0x80FE0001, 2**32 - 1]

thresholds = st.integers(1, COIN_SCALE - 1)


@pytest.mark.parametrize("threshold", EDGE_THRESHOLDS)
def test_a_coin_is_heads_when_its_four_bytes_are_below_the_threshold(threshold: int) -> None:
    for word in EDGE_WORDS:
        (heads,) = Coins(given_bytes(word)).flip(threshold, 1)
        assert heads == (int.from_bytes(word, "big") < threshold), word


@given(thresholds, st.integers(-2, 2))
@example(2**32 - 1, 0)
@example(1, -1)
def test_a_coin_compares_exactly_beside_any_threshold(threshold: int, distance: int) -> None:
    number = min(max(threshold + distance, 0), COIN_SCALE - 1)
    (heads,) = Coins(given_bytes(number.to_bytes(4, "big"))).flip(threshold, 1)
    assert heads == (number < threshold)


@given(thresholds)
def test_four_tied_bytes_are_tails(threshold: int) -> None:
    assert not Coins(given_bytes(threshold.to_bytes(4, "big"))).flip(threshold, 1).any()


def test_every_first_byte_together_has_exactly_the_threshold_of_heads() -> None:
    for first in range(1, 256):
        every_byte = bytes(range(256))
        assert Coins(given_bytes(every_byte)).flip(first << 24, 256).sum() == first


@pytest.mark.parametrize("threshold", [0x00010000, 0x7FFF0000, 0x80010000, 0xFFFF0000])
def test_every_two_first_bytes_together_have_exactly_the_threshold_of_heads(threshold: int) -> None:
    first = threshold >> 24
    ties = bytes([first]) * 256 + bytes(range(256))  # a batch of 256 coins, all tied, then their second bytes
    n_heads_of_tied = Coins(given_bytes(ties)).flip(threshold, 256).sum()
    assert first * 256 + n_heads_of_tied == threshold >> 16


@given(st.data(), thresholds)
def test_a_batch_reads_its_bytes_in_the_documented_order(data: st.DataObject, threshold: int) -> None:
    alphabet = st.sampled_from([*threshold.to_bytes(4, "big"), 0, 255])
    stream = bytes(data.draw(st.lists(alphabet, min_size=80, max_size=80)))
    expected_from = reference.Stream(stream)
    expected = reference.flip(expected_from, threshold, 20)
    take = given_bytes(stream)
    assert Coins(take).flip(threshold, 20).tolist() == expected
    assert take(80 - expected_from.used) == stream[expected_from.used :]


@pytest.mark.parametrize("n_values", [1, 2, 3, 5, 6, 7, 10, 100, 127, 128, 255, 256])
def test_all_two_byte_draws_give_every_value_equally_often(n_values: int) -> None:
    every_draw = np.arange(65536, dtype=">u2").tobytes()
    accepted_zero = (65535 // n_values).to_bytes(2, "big")  # the last draw that gives 0: never rejected
    n_rejected = 65536 % n_values
    values = Coins(given_bytes(every_draw + accepted_zero * n_rejected)).uniform(n_values, 65536)
    counts = np.bincount(values)
    counts[0] -= n_rejected
    assert counts.tolist() == [65536 // n_values] * n_values


@pytest.mark.parametrize("n_values", [257, 299, 4095, 32768, 65535, 65536])
def test_four_byte_draws_give_every_value_equally_often(n_values: int) -> None:
    """The draws of value v are a run of integers; its ends are checked, and all runs are equally long."""
    surplus = 2**32 % n_values
    for value in {0, 1, n_values // 2, n_values - 2, n_values - 1}:
        first = -(-(value * 2**32 + surplus) // n_values)
        last = -(-((value + 1) * 2**32) // n_values) - 1
        assert last - first + 1 == 2**32 // n_values
        assert draw_four_bytes(n_values, first) == draw_four_bytes(n_values, last) == value
        if first > 0:
            assert draw_four_bytes(n_values, first - 1) in (value - 1, "rejected")
        if last < 2**32 - 1:
            assert draw_four_bytes(n_values, last + 1) in (value + 1, "rejected")
    n_run = 2**32 // n_values
    assert n_run * n_values + surplus == 2**32


def draw_four_bytes(n_values: int, word: int) -> int | str:
    try:
        return int(Coins(given_bytes(word.to_bytes(4, "big"))).uniform(n_values, 1)[0])
    except ValueError:  # the given bytes are at their end: it wanted another draw
        return "rejected"


@given(st.one_of(st.integers(1, 256), st.integers(257, 65536)), st.integers(0, 20), st.data())
def test_uniform_agrees_with_the_reference(n_values: int, n_draws: int, data: st.DataObject) -> None:
    stream = data.draw(st.binary(min_size=400, max_size=400)) + b"\xaa" * 400
    expected_from = reference.Stream(stream)
    expected = reference.uniform(expected_from, n_values, n_draws)
    take = given_bytes(stream)
    assert Coins(take).uniform(n_values, n_draws).tolist() == expected
    assert take(1) == stream[expected_from.used : expected_from.used + 1]


def test_no_coins_take_no_bytes() -> None:
    coins = Coins(given_bytes(b""))
    assert coins.flip(2**31 + 1, 0).shape == (0,)
    assert coins.uniform(6, 0).shape == (0,)


@pytest.mark.parametrize("n_given", [1, 3, 5])
def test_a_source_that_gives_another_number_of_bytes_is_refused(n_given: int) -> None:
    """Were it not, numpy would spread a single coin over all bits."""
    coins = Coins(lambda _: bytes(n_given))
    with pytest.raises(ValueError, match="numbers where 4 were asked for"):
        coins.flip(2**31, 4)
    with pytest.raises(ValueError, match=r"numbers where 4 were asked for|multiple of element size"):
        coins.uniform(6, 4)


def test_given_bytes_end_with_an_error() -> None:
    take = given_bytes(b"abc")
    assert take(2) == b"ab"
    with pytest.raises(ValueError, match=r"given bytes \(3\) must be at least 4"):
        take(2)
    assert take(1) == b"c"


def test_hmac_bytes_are_hmacs_of_context_and_block_number() -> None:
    expected = b"".join(
        hmac.new(SECRET, b"context" + number.to_bytes(8, "big"), hashlib.sha256).digest() for number in range(300)
    )
    assert hmac_bytes(SECRET, b"context")(300 * 32) == expected


def test_hmac_bytes_are_golden() -> None:
    """From `printf 'sotto\\0\\0\\0\\0\\0\\0\\0\\0' | openssl dgst -sha256 -mac HMAC -macopt hexkey:0001..1f`."""
    assert hmac_bytes(SECRET, b"sotto")(32).hex() == "c7ec37835fe2083f7d03370758b7e4d48a88ae8f660c4386cceb11d153c3b6fc"


@given(st.lists(st.integers(0, 100), max_size=20))
def test_split_reads_of_hmac_bytes_equal_one_read(sizes: list[int]) -> None:
    take = hmac_bytes(SECRET, b"context")
    assert b"".join(take(size) for size in sizes) == hmac_bytes(SECRET, b"context")(sum(sizes))


@settings(max_examples=20)
@given(st.binary(max_size=40), st.binary(max_size=40))
def test_another_context_or_secret_gives_other_bytes(context: bytes, other: bytes) -> None:
    drawn = hmac_bytes(SECRET, context)(32)
    assert (hmac_bytes(SECRET, other)(32) == drawn) == (context == other)
    assert hmac_bytes(SECRET[::-1], context)(32) != drawn


@pytest.mark.parametrize("n_bytes", [0, 31, 65])
def test_a_secret_of_another_length_is_refused_and_not_shown(n_bytes: int) -> None:
    with pytest.raises(ValueError, match=rf"secret \({n_bytes} bytes\) must have 32 to 64 bytes") as caught:
        hmac_bytes(b"S" * n_bytes, b"context")
    assert "SSS" not in str(caught.value)


@pytest.mark.parametrize("n_bytes", [32, 33, 64])
def test_blocks_are_the_standard_librarys_hmac(n_bytes: int) -> None:
    secret, context = os.urandom(n_bytes), os.urandom(100)
    blocks = [hmac.digest(secret, context + number.to_bytes(8, "big"), "sha256") for number in range(3)]
    assert hmac_bytes(secret, context)(96) == b"".join(blocks)
