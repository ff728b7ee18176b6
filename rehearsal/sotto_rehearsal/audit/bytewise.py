"""Whether coins fall as they should, byte by byte: every prefix of a source's bytes, on the code that devices run."""

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sotto_protocol import COIN_SCALE, Coins, given_bytes

_N_WORDS = 2**16
_LAST = b"\xff\xff"


@lru_cache(maxsize=256)
def falls_exactly(kind: str, number: int) -> bool:
    """Whether a draw has its probabilities exactly: ("flip", threshold) or ("uniform", n_values up to 256)."""
    return flips_exactly(number) if kind == "flip" else is_uniform(number)


def flips_exactly(threshold: int) -> bool:
    """Whether a coin is heads with threshold / 2**32: every byte is tried, and behind a tie every next one."""
    wanted = Fraction(threshold, COIN_SCALE)
    return all(_prob_heads(flip, b"") == wanted for flip in (_flip(threshold), _flip_few(threshold)))


def _flip(threshold: int) -> Callable[[Coins], bool]:
    return lambda coins: bool(coins.flip(threshold, 1)[0])


def _flip_few(threshold: int) -> Callable[[Coins], bool]:
    return lambda coins: bool(coins.flip_few(threshold, 1)[0])


def _prob_heads(flip: Callable[[Coins], bool], prefix: bytes) -> Fraction:
    """Return the probability of heads behind these first bytes; nothing is drawn past the fourth."""
    try:
        return Fraction(flip(Coins(given_bytes(prefix))))
    except ValueError:
        if len(prefix) == 4:
            return Fraction(-1)
    behind = (_prob_heads(flip, prefix + bytes([byte])) for byte in range(256))
    return sum(behind, Fraction(0)) / 256


def is_uniform(n_values: int) -> bool:
    """Whether an integer in [0, n_values), at most 256, is uniform: every word of two bytes is drawn, in one batch.

    What is rejected is drawn again, and then the last word stands for it: so many of its value are not the batch's.
    """
    draws = [lambda coins: coins.uniform(n_values, _N_WORDS), lambda coins: coins.uniform_few(n_values, _N_WORDS)]
    values, values_few = (_draw_all(draw) for draw in draws)
    counts = np.bincount(values[0], minlength=n_values)
    counts[n_values - 1] -= values[1]
    values_one = [Coins(_word_then_last(word)).uniform_one(n_values) for word in range(_N_WORDS)]
    alike = np.array_equal(values[0], values_few[0]) and np.array_equal(values[0], values_one)
    return alike and len(counts) == n_values and bool((counts == counts[0]).all())


def _draw_all(draw: Callable[[Coins], Any]) -> tuple[NDArray[Any], int]:
    """Return what is drawn of all words, and how many of them were rejected."""
    n_rejected = -_N_WORDS

    def take(n_bytes: int) -> bytes:
        nonlocal n_rejected
        n_rejected += n_bytes // 2
        return np.arange(_N_WORDS, dtype=">u2").tobytes() if n_rejected == 0 else _LAST * (n_bytes // 2)

    return np.asarray(draw(Coins(take))), n_rejected


def _word_then_last(word: int) -> Callable[[int], bytes]:
    left = [word.to_bytes(2, "big")]
    return lambda n_bytes: left.pop() if left else _LAST
