"""Who the people are, and the coins of their devices: of the operating system, unless a seed is given.

A seed makes a simulation repeat itself. Its coins are those of a generator that everybody can foresee: they perturb
made-up answers only, and no device has them.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from sotto_client import os_coins
from sotto_protocol import Coins


class Randomness(NamedTuple):
    """What one run draws from: `people` and their answers, and `coins`, by which their devices perturb these."""

    people: np.random.Generator
    coins: Coins


def randomness_of(n_runs: int, seed: int | None) -> Iterator[Randomness]:
    """Yield each run's; those of one seed are the same, and a run's do not depend on how many there are."""
    for run in range(n_runs):
        if seed is None:
            yield Randomness(np.random.default_rng(), os_coins())
        else:
            people, coins = np.random.SeedSequence([seed, run]).spawn(2)
            yield Randomness(np.random.default_rng(people), foreseeable_coins(coins))


def foreseeable_coins(seed: np.random.SeedSequence) -> Coins:
    """Return coins that anybody who has the seed can repeat (PCG64): for simulations, never for a true answer."""
    return Coins(np.random.default_rng(seed).bytes)


def remembered(coins: Coins) -> Callable[[], Coins]:
    """Return what gives coins, of these, that are the same each time: a device settles every answer by one draw."""
    kept = bytearray()

    def again() -> Coins:
        taken = 0

        def take(n_bytes: int) -> bytes:
            nonlocal taken
            taken += n_bytes
            if taken > len(kept):
                kept.extend(coins.take(taken - len(kept)))
            return bytes(kept[taken - n_bytes : taken])

        return Coins(take)

    return again
