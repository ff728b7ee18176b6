"""Coins once more, one at a time: what the reference draws, and what it calls a mechanism and an answer."""

from typing import Any

Published = dict[str, Any]
"""A mechanism as a survey publishes it."""
Answer = int | tuple[int, ...] | str
"""An option's number (yes is 1), or for any-of a row of zeros and ones, or a number's steps, or for text a string."""

SCALE = 2**32


class Stream:
    """A byte string read from its start; `used` counts the bytes that were handed out."""

    def __init__(self, stream: bytes) -> None:
        self.stream = stream
        self.used = 0

    def byte(self) -> int:
        """Return the next byte."""
        self.used += 1
        return self.stream[self.used - 1]

    def number(self, n_bytes: int) -> int:
        """Return the next n bytes as a big-endian number."""
        return int.from_bytes(bytes(self.byte() for _ in range(n_bytes)), "big")


def flip(stream: Stream, threshold: int, n_coins: int) -> list[bool]:
    """Flip a batch of coins: every coin's first byte, then the second bytes of those that are tied, and so on."""
    limit = threshold.to_bytes(4, "big")
    heads = [False] * n_coins
    tied = list(range(n_coins))
    for place in range(4):
        if not any(limit[place:]):
            break
        still_tied = []
        for coin in tied:
            byte = stream.byte()
            heads[coin] = byte < limit[place]
            if byte == limit[place]:
                still_tied.append(coin)
        tied = still_tied
    return heads


def uniform(stream: Stream, n_values: int, n_draws: int) -> list[int]:
    """Draw a batch of numbers in [0, n_values): the rejected are drawn again after the batch, as a batch."""
    n_bytes = 2 if n_values <= 256 else 4
    values = [0] * n_draws
    missing = list(range(n_draws))
    while missing:
        rejected = []
        for draw in missing:
            values[draw], low = divmod(stream.number(n_bytes) * n_values, 256**n_bytes)
            if low < 256**n_bytes % n_values:
                rejected.append(draw)
        missing = rejected
    return values
