"""Ideal prefix extension: each candidate's share with noise of its own, as by local hashing (Wang, Li & Jha 2021)."""

from collections.abc import Mapping
from itertools import pairwise
from math import exp

import numpy as np
from scipy.special import ndtr


def ideal_finds(
    parts: Mapping[str, float],
    n_people: int,
    epsilon: float,
    lengths: tuple[int, ...],
    n_letters: int,
    rates: tuple[float, float],
    generator: np.random.Generator,
) -> set[str]:
    """Return the strings that are found of people with strings of these shares, which add up to 1.

    Every length gets as many people. `rates`: of false discoveries, of beginnings that are followed and of strings.
    """
    people = n_people // len(lengths)
    deviation = (4 * exp(epsilon) / (exp(epsilon) - 1) ** 2 / people) ** 0.5
    followed, n_vain = {""}, 0
    for length, longer in pairwise((0, *lengths)):
        shares: dict[str, float] = {}
        for text, number in zip(parts, generator.multinomial(people, [*parts.values()]).tolist(), strict=True):
            if text[:length] in followed:
                shares[text[:longer]] = shares.get(text[:longer], 0) + number / people
        n_full = n_vain + sum(len(text) == length for text in followed)
        n_candidates = n_full * sum(n_letters**more for more in range(longer - length + 1))
        means = np.zeros(max(n_candidates, len(shares)))
        means[: len(shares)] = [*shares.values()]
        p_values = ndtr(-generator.normal(means, deviation) / deviation)
        rate = rates[longer == lengths[-1]]
        passing = np.flatnonzero(np.sort(p_values) <= rate * np.arange(1, len(p_values) + 1) / len(p_values))
        most = np.sort(p_values)[passing[-1]] if len(passing) else -1.0
        followed = {text for text, p in zip(shares, p_values[: len(shares)].tolist(), strict=True) if p <= most}
        n_vain = int((p_values[len(shares) :] <= most).sum())
    return followed
