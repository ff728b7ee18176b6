"""How the rows that a regression is fitted to were drawn: weights, strata and clusters, and what errors they make."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sotto_estimator.channel.channel import Floats
from sotto_estimator.errors import SourceError
from sotto_estimator.microdata.linearised import covariance_of_sums, degrees_of
from sotto_estimator.microdata.sampling import Sampling, n_effective

_MAX_TERMS = 5 * 10**7
"""Of more rows times coefficients scores and their deviations would take more than about 1.5 GB."""


@dataclass(frozen=True, slots=True, eq=False)
class SamplingDesign:
    """The rows of a sample: how they were drawn, and in which of its groups each is.

    The weights add up to the number of people of equal weight who would say as much, `n_effective`.
    """

    sampling: Sampling
    group: NDArray[np.int64]

    @classmethod
    def of(cls, sampling: Sampling, group: NDArray[np.int64], n_coefficients: int) -> "SamplingDesign":
        """Return that of any weights. Raises SourceError for rows that are too many."""
        if len(group) * n_coefficients > _MAX_TERMS:
            raise SourceError(
                f"the sample is too large for weights, strata and clusters: {len(group):,} rows times {n_coefficients} "
                f"coefficients must be <= {_MAX_TERMS:,}."
            )
        weights = sampling.weights * (n_effective(sampling.weights) / sampling.weights.sum())
        return cls(replace(sampling, weights=weights), group)

    @property
    def n_effective(self) -> float:
        """How many people of equal weight would say as much."""
        return float(self.sampling.weights.sum())

    @property
    def degrees_of_freedom(self) -> int:
        """How many clusters there are, or people, less the strata."""
        return degrees_of(self.sampling)

    def covariance_of_scores(self, scores: Floats) -> Floats:
        """Return the covariance of the weighted sum of scores, of which `scores` has a row a group (Binder 1983).

        Raises SourceError for a stratum of one.
        """
        return covariance_of_sums(self.sampling.weights[:, None] * scores[self.group], self.sampling)
