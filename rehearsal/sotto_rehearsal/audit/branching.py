"""Every way in which coins can fall: what draws from them runs once for each, with its exact probability."""

from collections import defaultdict
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from math import prod

import numpy as np
from numpy.typing import NDArray

from sotto_protocol import COIN_SCALE, Coins
from sotto_protocol.coins import Edges
from sotto_protocol.mechanisms.mechanism import Bytes

MAX_WAYS = 256
"""A uniform integer has so many values at most: then two bytes decide it."""
_MAX_DRAWS = 64  # what draws more draws until it fits, which has no end

Draws = set[tuple[str, int | tuple[int, ...] | Edges, int]]
"""What was drawn: ("flip", threshold, n_coins), ("uniform", n_values, n_draws), ("choose", thresholds, n_draws)
and ("place", edges, n_draws)."""
Distribution = dict[bytes, Fraction]
"""The probability of every packed report."""


class TooManyError(Exception):
    """There are more outcomes than are gone through, or no end of them."""


class BranchingCoins(Coins):
    """Coins that fall as a list of choices says, and otherwise the first way; they note how many ways there were.

    `weight`: the probability of what has fallen. What was drawn is added to `drawn`.
    """

    __slots__ = ("choices", "drawn", "ways", "weight")

    def __init__(self, choices: list[int], drawn: Draws) -> None:
        super().__init__(_no_bytes)
        self.choices, self.drawn, self.ways, self.weight = choices, drawn, list[int](), Fraction(1)

    def flip(self, threshold: int, n_coins: int) -> NDArray[np.bool_]:
        return np.frombuffer(self.flip_few(threshold, n_coins), np.bool_).copy()

    def flip_few(self, threshold: int, n_coins: int) -> bytes:
        self.drawn.add(("flip", threshold, n_coins))
        return bytes([self._fall([COIN_SCALE - threshold, threshold], COIN_SCALE) for _ in range(n_coins)])

    def uniform(self, n_values: int, n_draws: int) -> NDArray[np.uint32]:
        return np.array(self.uniform_few(n_values, n_draws), np.uint32)

    def uniform_few(self, n_values: int, n_draws: int) -> list[int]:
        if n_values > MAX_WAYS:
            raise TooManyError
        self.drawn.add(("uniform", n_values, n_draws))
        return [self._fall([1] * n_values, n_values) for _ in range(n_draws)]

    def uniform_one(self, n_values: int) -> int:
        return self.uniform_few(n_values, 1)[0]

    def choose(self, thresholds: NDArray[np.int64], rows: NDArray[np.integer]) -> NDArray[np.intp]:
        fallen = []
        for row in thresholds[rows].tolist():
            self.drawn.add(("choose", tuple(row), 1))
            fallen.append(self._fall(np.diff(row, prepend=0).tolist(), COIN_SCALE))
        return np.array(fallen, np.intp)

    def place(self, edges: Edges, n_draws: int) -> NDArray[np.intp]:
        return np.array([self.place_one(edges) for _ in range(n_draws)], np.intp)

    def place_one(self, edges: Edges) -> int:
        self.drawn.add(("place", edges, 1))
        sizes = [high - low for low, high in pairwise([0, *edges.numerators, edges.whole])]
        possible = [place for place, size in enumerate(sizes) if size]
        return possible[self._fall([sizes[place] for place in possible], edges.whole)]

    def _fall(self, weights: list[int], total: int) -> int:
        place = len(self.ways)
        if place == _MAX_DRAWS:
            raise TooManyError
        choice = self.choices[place] if place < len(self.choices) else 0
        self.ways.append(len(weights))
        self.weight *= Fraction(weights[choice], total)
        return choice


def _no_bytes(n_bytes: int) -> bytes:
    raise TooManyError  # bytes that are taken past the coins are of no known probability


class Outcomes:
    """Goes through outcomes, at most so many in all; `n_seen` of them were, and `drawn` is what was drawn."""

    def __init__(self, most: int) -> None:
        self._most = most
        self.n_seen = 0
        self.drawn: Draws = set()

    def of(self, draw: Callable[[Coins], Bytes]) -> Distribution:
        """Return the probabilities of what is drawn, over all ways in which its coins can fall. Raises TooManyError."""
        first = BranchingCoins([], self.drawn)
        draw(first)
        if prod(first.ways) > self._most:  # it would be found out by going through them
            raise TooManyError
        probs: Distribution = defaultdict(Fraction)
        choices: list[int] | None = []
        while choices is not None:
            self.n_seen += 1
            if self.n_seen > self._most:
                raise TooManyError
            coins = BranchingCoins(choices, self.drawn)
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
