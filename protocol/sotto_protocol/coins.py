"""Exact coins: the only way to randomness, whatever the bytes come from.

A probability is an integer threshold out of 2**32, and a coin is heads when a uniform 32-bit integer is below it. The
integer is compared lazily, from its most significant byte: one byte decides 255 coins of 256, a tie draws the next.
The order in which bytes are consumed is part of the protocol (docs/maths.md): all first bytes of a batch, then the
second bytes of the coins that are still tied, in order, and so on.
"""

import hmac
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

COIN_SCALE = 2**32
"""A threshold t stands for the probability t / COIN_SCALE."""

_BYTE = np.dtype(np.uint8)
_HMAC_BLOCK = 32  # bytes of one HMAC-SHA256


class Coins:
    """Coins and uniform integers from a source of uniform bytes.

    `take(n)` must return n fresh, independent, uniform bytes: the operating system's for real reports
    (`sotto_client.entropy`), `hmac_bytes` for permanent ones, `given_bytes` for test vectors.
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

    def uniform(self, n_values: int, n_draws: int) -> NDArray[np.uint32]:
        """Draw n integers uniform on [0, n_values), exactly, by rejection (Lemire 2019).

        `n_values` in [1, 65536]. Shape (n_draws,). Takes two bytes a draw up to 256 values, else four,
        big-endian; rejected draws are drawn again, in order, after the batch.
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

    def _draw(self, n_numbers: int, kind: np.dtype[Any]) -> NDArray[Any]:
        drawn = np.frombuffer(self.take(n_numbers * kind.itemsize), kind)
        if len(drawn) != n_numbers:  # numpy would spread a single coin over all bits
            raise ValueError(f"a source of coins gave {len(drawn)} numbers where {n_numbers} were asked for.")
        return drawn


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

    `secret` at least 32 bytes. Block numbers are 8 bytes, big-endian, from 0; bytes that a call leaves of a block are
    handed out by the next. This is the counter mode of NIST SP 800-108 without its optional fields.
    """
    if len(secret) < _HMAC_BLOCK:
        raise ValueError(f"secret ({len(secret)} bytes) must have at least {_HMAC_BLOCK} bytes.")
    left_over = b""
    block = 0

    def take(n_bytes: int) -> bytes:
        nonlocal left_over, block
        n_blocks = -(-max(0, n_bytes - len(left_over)) // _HMAC_BLOCK)
        drawn = left_over + b"".join(
            hmac.digest(secret, context + number.to_bytes(8, "big"), "sha256")
            for number in range(block, block + n_blocks)
        )
        block += n_blocks
        left_over = drawn[n_bytes:]
        return drawn[:n_bytes]

    return take
