"""How people were drawn: what each stands for, who were drawn together, and what is known of the population."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sotto_estimator.channel.channel import Floats

Codes = NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """Groups of the rows: row i is in that of `labels[codes[i]]`."""

    column: str
    labels: tuple[str, ...]
    codes: Codes

    @classmethod
    def one(cls, n: int) -> "Groups":
        """Return all n rows as one group."""
        return cls("", ("",), np.zeros(n, np.int32))

    @classmethod
    def alone(cls, n: int) -> "Groups":
        """Return n groups of one row."""
        return cls("", (), np.arange(n, dtype=np.int32))


@dataclass(frozen=True, slots=True, eq=False)
class Margins:
    """Post-strata, and the share of the population that each of them has, shape (n_groups,)."""

    groups: Groups
    shares: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Sampling:
    """How the rows were drawn.

    `weights`: how many people each row stands for, or in proportion, above 0, shape (n,). `strata` were drawn from
    independently, and `clusters` are what was drawn of each; a cluster is of one stratum, and in two strata one label
    is two clusters. `population_size`: of a population drawn from without replacement, where that is known. `margins`:
    what is known of the population's groups.
    """

    weights: Floats
    strata: Groups
    clusters: Groups
    has_clusters: bool = False
    population_size: float | None = None
    margins: Margins | None = None


def n_effective(weights: Floats) -> float:
    """Return how many people of equal weight would say as much (Kish 1965)."""
    return float(weights.sum() ** 2 / (weights @ weights))
