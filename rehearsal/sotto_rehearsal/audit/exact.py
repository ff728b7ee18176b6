"""A proof, where a mechanism is small: every way in which its coins can fall, and what that gives away, as fractions.

The very code that perturbs answers runs once for every outcome of its draws, each with its exact probability: heads with
threshold / 2**32, a uniform integer with 1 / n. That `Coins` itself draws so is proved first, byte by byte
(`prove_flip`, `prove_uniform`): so a draw stands for all the bytes that lead to it. The loss is then the largest
log-ratio of the probabilities of any report under any two answers; nothing is estimated.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sotto_protocol import COIN_SCALE, Coins, Question
from sotto_protocol.bounds import log_ratio_above
from sotto_protocol.mechanisms.mechanism import Bytes, Mechanism

MAX_OUTCOMES = 2**14
"""So many outcomes of the coins are gone through for a question, at most."""

Distribution = dict[bytes, Fraction]
"""The probability of every packed report."""


class TooManyError(Exception):
    """There are more outcomes than are gone through."""


class BranchingCoins(Coins):
    """Coins that fall as a list of choices says, and otherwise the first way; they note how many ways there were.

    `weight`: the probability of what has fallen.
    """

    __slots__ = ("choices", "place", "ways", "weight")

    def __init__(self, choices: list[int]) -> None:
        super().__init__(_no_bytes)
        self.choices, self.place, self.ways, self.weight = choices, 0, list[int](), Fraction(1)

    def flip(self, threshold: int, n_coins: int) -> NDArray[np.bool_]:
        return np.frombuffer(self.flip_few(threshold, n_coins), np.bool_).copy()

    def flip_few(self, threshold: int, n_coins: int) -> bytes:
        return bytes([self._fall([COIN_SCALE - threshold, threshold], COIN_SCALE) for _ in range(n_coins)])

    def uniform(self, n_values: int, n_draws: int) -> NDArray[np.uint32]:
        return np.array(self.uniform_few(n_values, n_draws), np.uint32)

    def uniform_few(self, n_values: int, n_draws: int) -> list[int]:
        return [self.uniform_one(n_values) for _ in range(n_draws)]

    def uniform_one(self, n_values: int) -> int:
        if n_values > MAX_OUTCOMES:
            raise TooManyError
        return self._fall([1] * n_values, n_values)

    def _fall(self, weights: list[int], total: int) -> int:
        choice = self.choices[self.place] if self.place < len(self.choices) else 0
        self.ways.append(len(weights))
        self.place += 1
        self.weight *= Fraction(weights[choice], total)
        return choice


def _no_bytes(n_bytes: int) -> bytes:
    raise TooManyError  # bytes that are taken past the coins are of no known probability


def distribution(draw: Callable[[Coins], Bytes], budget: list[int]) -> Distribution:
    """Return the probabilities of what is drawn, over all ways in which its coins can fall.

    `budget`: how many outcomes may be gone through yet; they are taken off. Raises TooManyError.
    """
    probs: dict[bytes, Fraction] = defaultdict(Fraction)
    choices: list[int] | None = []
    while choices is not None:
        budget[0] -= 1
        if budget[0] < 0:
            raise TooManyError
        coins = BranchingCoins(choices)
        probs[draw(coins).tobytes()] += coins.weight
        choices = _next(choices, coins.ways)
    return dict(probs)


def _next(choices: list[int], ways: list[int]) -> list[int] | None:
    """Return the choices that come next, as an odometer counts; None behind the last."""
    full = choices + [0] * (len(ways) - len(choices))
    while full:
        if full[-1] + 1 < ways[len(full) - 1]:
            return [*full[:-1], full[-1] + 1]
        full.pop()
    return None
