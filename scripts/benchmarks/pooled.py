"""Samples of several designs: records with a channel each, and the width of their interval beside the normal one's."""

import numpy as np
from bars import Bar, of_pairs, rate

from sotto_estimator.designs.arms import Arms
from sotto_estimator.designs.pooled import pooled_interval

N_RECORDS = 1_000_000
LIMIT = 100_000
"""Records a second, each with a channel of its own."""
WIDEST = np.sqrt(2 * np.log(2 / 0.05)) / 1.96
"""What a Chernoff bound costs where a sum is nearly normal: 1.386 times the normal interval."""


def records(n: int, share: float) -> Arms:
    """Return n people who answer by a coin with a probability of their own, from .2 to .8."""
    rng = np.random.default_rng(5)
    noise = rng.uniform(0.2, 0.8, n)
    answers = np.where(rng.random(n) < noise, rng.random(n) < 0.5, rng.random(n) < share)
    return Arms.of_channels(1 - noise / 2, noise / 2, answers, 1)


def measure() -> list[Bar]:
    arms = records(N_RECORDS, 0.5)
    speed = rate(lambda: pooled_interval(arms, "yes", tail=0.025), N_RECORDS)
    low, high = pooled_interval(arms, "yes", tail=0.025)
    weights = arms.weights("yes")
    normal = 2 * 1.96 * float(np.sqrt(np.sum((weights[:, 0] - weights[:, 1]) ** 2) / 4))
    width = of_pairs(
        "width of a million records' interval",
        [(100 * (high - low), 100 * normal * WIDEST)],
        least=0.99,
        reference="the least of a Chernoff bound",
        unit="points",
    )
    return [of_pairs("records with a channel each", [(speed, LIMIT)], least=1, reference="limit"), width]
