"""Exact coins: the only way to randomness, whatever the bytes come from.

A probability is an integer threshold out of 2**32, and a coin is heads when a uniform 32-bit integer is below it. The
integer is compared lazily, from its most significant byte: one byte decides 255 coins of 256, a tie draws the next.
The order in which bytes are consumed is part of the protocol (docs/maths-coins.md): all first bytes of a batch, then
the second bytes of the coins that are still tied, in order, and so on.
"""

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from hashlib import sha256
from struct import unpack
from typing import Any

import numpy as np
from numpy.typing import NDArray

COIN_SCALE = 2**32
"""A threshold t stands for the probability t / COIN_SCALE."""

_BYTE = np.dtype(np.uint8)
_HMAC_BLOCK = 32  # bytes of one HMAC-SHA256
_SHA256_INPUT = 64  # bytes that SHA-256 takes in at a time


@dataclass(frozen=True)
class Edges:
    """Ascending fractions in (0, 1], `numerators` / `whole`, that cut [0, 1) into pieces for `Coins.place`."""

    numerators: tuple[int, ...]
    whole: int

    @cached_property
    def firsts(self) -> list[int]:
        """The first 32 bits of each, as an integer."""
        return [numerator * COIN_SCALE // self.whole for numerator in self.numerators]

    @cached_property
    def settled(self) -> list[int]:
        """The least 32 bits with which a number is not below it, whatever follows."""
        return [-(-numerator * COIN_SCALE // self.whole) for numerator in self.numerators]

    def between(self, low: int, high: int) -> "Edges":
        """Return what follows the first 32 bits of some of them, as edges."""
        rests = (numerator * COIN_SCALE % self.whole for numerator in self.numerators[low:high])
        return Edges(tuple(rests), self.whole)


class Coins:
    """Coins and uniform integers from a source of uniform bytes.

    `take(n)` must return n fresh, independent, uniform bytes. Real reports use the operating system's
    (`sotto_client.entropy`), permanent ones `hmac_bytes`, test vectors `given_bytes`.
    """

    __slots__ = ("take",)

    def __init__(self, take: Callable[[int], bytes]) -> None:
        self.take = take

    def flip(self, threshold: int, n_coins: int) -> NDArray[np.bool_]:
        """Flip n coins that are heads with probability threshold / 2**32, exactly.

        `threshold` in [1, 2**32 - 1]. Shape (n_coins,). Takes 1.004 bytes a coin on average.

        >>> Coins(given_bytes(bytes([0x7F, 0x80, 0x81]))).flip(2**31, 3)
        array([ True, False, False])
        """
        first, rest = threshold >> 24, threshold & 0xFFFFFF
        drawn = self._draw(n_coins, _BYTE)
        heads = drawn < first
        if rest:  # nothing is below an empty rest: then a tie is tails
            tied = (drawn == first).nonzero()[0]
            if tied.size:
                heads[tied] = self.flip(rest << 8, tied.size)
        return heads

    def flip_few(self, threshold: int, n_coins: int) -> bytes:
        """Flip the very coins that `flip` flips, as bytes of 0 and 1: faster for a few hundred of them.

        >>> Coins(given_bytes(bytes([0x7F, 0x80, 0x81]))).flip_few(2**31, 3)
        b'\\x01\\x00\\x00'
        """
        drawn = self.take(n_coins)
        if len(drawn) != n_coins:
            raise ValueError(f"a source of coins gave {len(drawn)} bytes where {n_coins} were asked for.")
        first, rest = threshold >> 24, threshold & 0xFFFFFF
        heads = drawn.translate(_heads(first, _TIED if rest else 0))  # nothing is below an empty rest
        place = heads.find(_TIED)
        if place < 0:
            return heads
        settled = bytearray(heads)
        for coin in self.flip_few(rest << 8, heads.count(_TIED)):
            settled[place] = coin
            place = heads.find(_TIED, place + 1)
        return bytes(settled)

    def uniform(self, n_values: int, n_draws: int) -> NDArray[np.uint32]:
        """Draw n integers uniform on [0, n_values), exactly, by rejection (Lemire 2019).

        `n_values` in [1, 2**32 - 1]. Shape (n_draws,). Takes two bytes a draw for up to 256 values,
        else four, big-endian. After the batch, rejected draws are drawn again, in order.
        """
        bits = 16 if n_values <= 256 else 32
        drawn = self._draw(n_draws, np.dtype(f">u{bits // 8}"))
        wide: NDArray[Any] = drawn.astype(np.uint32 if bits == 16 else np.uint64) * n_values
        values = (wide >> bits).astype(np.uint32)
        surplus = 2**bits % n_values  # so many of the 2**bits integers must be thrown away
        rejected = ((wide & (2**bits - 1)) < surplus).nonzero()[0]
        if rejected.size:
            values[rejected] = self.uniform(n_values, rejected.size)
        return values

    def uniform_few(self, n_values: int, n_draws: int) -> list[int]:
        """Draw the very integers that `uniform` draws: faster for a few hundred of them."""
        n_bytes, kind = (2, "H") if n_values <= 256 else (4, "I")
        scale = 1 << 8 * n_bytes
        surplus = scale % n_values
        drawn = [x * n_values for x in unpack(f">{n_draws}{kind}", self.take(n_bytes * n_draws))]
        values = [wide // scale for wide in drawn]
        if rejected := [index for index, wide in enumerate(drawn) if wide % scale < surplus]:
            for index, value in zip(rejected, self.uniform_few(n_values, len(rejected)), strict=True):
                values[index] = value
        return values

    def uniform_one(self, n_values: int) -> int:
        """Draw the very integer that `uniform` draws, one alone: faster."""
        n_bytes = 2 if n_values <= 256 else 4
        scale = 1 << 8 * n_bytes
        value, low = divmod(int.from_bytes(self.take(n_bytes), "big") * n_values, scale)
        return value if low >= scale % n_values else self.uniform_one(n_values)

    def choose(self, thresholds: NDArray[np.int64], rows: NDArray[np.integer]) -> NDArray[np.intp]:
        """Draw an outcome for each of n rows: the first whose threshold is above a uniform 32-bit integer.

        `thresholds`: ascending to 2**32, shape (n_kinds, n_outcomes). `rows`: the kind of each. Shape (n,). Takes four
        bytes a draw, big-endian, whatever is drawn.

        >>> Coins(given_bytes(bytes.fromhex("7fffffff80000000"))).choose(np.array([[2**31, 2**32]]), np.array([0, 0]))
        array([0, 1])
        """
        drawn, rows = self._draw(len(rows), np.dtype(">u4")).astype(np.int64), rows.astype(np.int64)
        found: NDArray[np.intp]
        if len(rows) == 1:
            found = np.searchsorted(thresholds[rows[0]], drawn, side="right")
            return found
        kinds = np.arange(len(thresholds))[:, None] * COIN_SCALE
        found = np.searchsorted((thresholds + kinds).ravel(), drawn + rows * COIN_SCALE, side="right")
        found -= rows * thresholds.shape[1]
        return found

    def place(self, edges: Edges, n_draws: int) -> NDArray[np.intp]:
        """Draw n numbers uniform on [0, 1), and return how many edges each is not below, exactly.

        Shape (n_draws,). Takes four bytes a draw, big-endian. Some numbers begin as an edge does. They take four more
        bytes, after the batch and in order, until it is known on which side they are.

        >>> Coins(given_bytes(bytes([0x55] * 3 + [0x54] + [0x55] * 7 + [0x56]))).place(Edges((1, 2), 3), 2)
        array([0, 1])
        """
        drawn = self._draw(n_draws, np.dtype(">u4")).astype(np.int64)
        places = np.searchsorted(edges.settled, drawn, "right")
        may_be = np.searchsorted(edges.firsts, drawn, "right")
        for tied in (places != may_be).nonzero()[0]:
            low, high = int(places[tied]), int(may_be[tied])
            places[tied] = low + self.place_one(edges.between(low, high))
        return places

    def place_one(self, edges: Edges) -> int:
        """Draw the very number that `place` draws, one alone: faster."""
        drawn = int.from_bytes(self.take(4), "big")
        low, high = bisect_right(edges.settled, drawn), bisect_right(edges.firsts, drawn)
        return low if low == high else low + self.place_one(edges.between(low, high))

    def different(self, n_values: int, n_different: int, n_draws: int) -> NDArray[np.uint32]:
        """Draw n times some different integers in [0, n_values), in order; shape (n_draws, n_different).

        It draws by `uniform` on n_values, then on one value less, and so on, each for all draws. These shuffle the
        list of all values (Fisher & Yates 1938). The i-th draw u swaps the i-th value with the one u places on. Nothing
        is drawn for the last value that is left.
        """
        if n_different == 1 < n_values:
            return self.uniform(n_values, n_draws).reshape(-1, 1)
        every = np.arange(n_draws)
        left = np.tile(np.arange(n_values, dtype=np.uint32), (n_draws, 1))
        for place in range(min(n_different, n_values - 1)):
            chosen = place + self.uniform(n_values - place, n_draws)
            found = left[every, chosen]
            left[every, chosen] = left[:, place]
            left[:, place] = found
        return left[:, :n_different]

    def different_few(self, n_values: int, n_different: int) -> list[int]:
        """Draw the very integers that `different` draws once: faster."""
        if n_different == 1 < n_values:
            return [self.uniform_one(n_values)]
        left = list(range(n_values))
        for place in range(min(n_different, n_values - 1)):
            chosen = place + self.uniform_one(n_values - place)
            left[place], left[chosen] = left[chosen], left[place]
        return left[:n_different]

    def _draw(self, n_numbers: int, kind: np.dtype[Any]) -> NDArray[Any]:
        drawn = np.frombuffer(self.take(n_numbers * kind.itemsize), kind)
        if len(drawn) != n_numbers:  # numpy would spread a single coin over all bits
            raise ValueError(f"a source of coins gave {len(drawn)} numbers where {n_numbers} were asked for.")
        return drawn


_TIED = 2


@lru_cache(maxsize=512)
def _heads(first: int, tied: int) -> bytes:
    """Return the table that turns a byte into its coin: 1 below `first`, `tied` at it, 0 above."""
    return b"\x01" * first + bytes([tied]) + bytes(255 - first)


def given_bytes(stream: bytes) -> Callable[[int], bytes]:
    """Return a source that hands out `stream` from its start, and raises ValueError at its end.

    For test vectors, which every language's client shares.
    """
    position = 0

    def take(n_bytes: int) -> bytes:
        nonlocal position
        chunk = stream[position : position + n_bytes]
        if len(chunk) < n_bytes:
            raise ValueError(f"given bytes ({len(stream)}) must be at least {position + n_bytes}.")
        position += n_bytes
        return chunk

    return take


def hmac_bytes(secret: bytes, context: bytes) -> Callable[[int], bytes]:
    """Return a source of HMAC-SHA256(secret, context || block number) bytes: same inputs, same bytes.

    `secret` has 32 to 64 bytes. Block numbers are 8 bytes, big-endian, from 0. If a call leaves bytes of a block, the
    next call returns them first. This is the counter mode of NIST SP 800-108 without its optional fields.

    HMAC is SHA-256(outer pad || SHA-256(inner pad || message)) (RFC 2104). The part that all blocks share is hashed
    once and copied. That takes half the time of `hmac.digest`, which a report would call five times.
    """
    if not _HMAC_BLOCK <= len(secret) <= _SHA256_INPUT:
        raise ValueError(f"secret ({len(secret)} bytes) must have {_HMAC_BLOCK} to {_SHA256_INPUT} bytes.")
    key = secret.ljust(_SHA256_INPUT, b"\0")
    inner, outer = sha256(key.translate(_INNER_PAD) + context), sha256(key.translate(_OUTER_PAD))
    left_over = b""
    block = 0

    def take(n_bytes: int) -> bytes:
        nonlocal left_over, block
        drawn = left_over
        while len(drawn) < n_bytes:
            message, wrapped = inner.copy(), outer.copy()
            message.update(block.to_bytes(8, "big"))
            wrapped.update(message.digest())
            drawn += wrapped.digest()
            block += 1
        left_over = drawn[n_bytes:]
        return drawn[:n_bytes]

    return take


_INNER_PAD = bytes(byte ^ 0x36 for byte in range(256))
_OUTER_PAD = bytes(byte ^ 0x5C for byte in range(256))
