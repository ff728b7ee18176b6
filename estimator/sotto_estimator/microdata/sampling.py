"""How people were drawn: what each stands for, who were drawn together, and what is known of the population."""

from dataclasses import dataclass

from sotto_estimator.channel.channel import Floats
from sotto_estimator.microdata.groups import Groups
from sotto_estimator.microdata.raking import Raked
from sotto_estimator.microdata.replicates import Replicates


@dataclass(frozen=True, slots=True, eq=False)
class Sampling:
    """How the rows were drawn.

    `weights`: how many people each row stands for, or in proportion, above 0, shape (n,). `strata` were drawn from
    independently, and `clusters` are what was drawn of each; a cluster is of one stratum, and in two strata one label
    is two clusters. `population_size`: of a population drawn from without replacement, where that is known. `raked`:
    the weights that hold what is known of the population's groups. `replicates`: what says how estimates vary, in place
    of strata and clusters.
    """

    weights: Floats
    strata: Groups
    clusters: Groups
    has_clusters: bool = False
    population_size: float | None = None
    raked: Raked | None = None
    replicates: Replicates | None = None


def n_effective(weights: Floats) -> float:
    """Return how many people of equal weight would say as much (Kish 1965)."""
    return float(weights.sum() ** 2 / (weights @ weights))
