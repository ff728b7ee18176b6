"""Logistic regression of a hidden answer with an intercept that differs by cluster."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import block_diag

from sotto_estimator.channel.channel import Floats
from sotto_estimator.errors import DomainError, SourceError
from sotto_estimator.likelihood.newton import Maximum, maximise
from sotto_estimator.regression.answer_model import fit_answer
from sotto_estimator.regression.basis import basis_of
from sotto_estimator.regression.clusters import Clusters
from sotto_estimator.regression.fitting import Fitted, fitted_of
from sotto_estimator.regression.hidden_answer import HiddenAnswer
from sotto_estimator.regression.inference import ratio_test
from sotto_estimator.regression.model import FittedModel, Without
from sotto_estimator.regression.sample import Sample

_EXACT = 1e-6
"""What more nodes may change of the log-likelihood, where they are enough."""
_LEFT = 1e-6
"""The square of what is left to go, in standard errors, before the last step: less would be lost in the integrals."""
_FIRST_SD = 0.5


@dataclass(frozen=True, slots=True, eq=False)
class Clustered:
    """A sample in order of its clusters, which begin at `starts`. `n_nodes`: of the integrals, tried one by one."""

    sample: Sample
    starts: NDArray[np.int64]
    n_nodes: tuple[int, ...] = (31, 63, 127)

    @classmethod
    def of(cls, sample: Sample, codes: NDArray[np.int32]) -> "Clustered":
        """Return the sample by the clusters of its groups of rows. Raises DomainError, SourceError."""
        if len(sample.answers) > 2:
            raise DomainError(f"an intercept by cluster needs a yes-no answer, not one of {len(sample.answers)}.")
        order = np.argsort(codes, kind="stable")
        terms = replace(sample.terms, matrix=sample.terms.matrix[order])
        offset = None if sample.offset is None else sample.offset[order]
        of = replace(
            sample, log_channel=sample.log_channel[order], weights=sample.weights[order], terms=terms, offset=offset
        )
        starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
        if len(starts) < 2:
            raise SourceError("an intercept by cluster needs two clusters or more.")
        return cls(of, starts)

    def fit(self, columns: Sequence[int], start: Floats) -> Fitted:
        """Fit the model of some of the columns; the last coefficient is the log of the intercepts' deviation."""
        names = [self.sample.terms.names[place] for place in columns]
        basis = basis_of(self.sample.terms.matrix[:, list(columns)], self.sample.weights, names)
        triangle = block_diag(basis.triangle, np.ones((1, 1)))
        found = self._climb(basis.matrix, triangle @ start)
        fitted = fitted_of(found, triangle, float(self.sample.weights.sum()))
        sd = abs(float(fitted.coefficients[-1]))
        scale = np.append(np.ones(len(columns)), 1 / fitted.coefficients[-1])
        coefficients = np.append(fitted.coefficients[:-1], np.log(sd))
        return replace(fitted, coefficients=coefficients, covariance=fitted.covariance * np.outer(scale, scale))

    def _climb(self, matrix: Floats, place: Floats) -> Maximum:
        """Return the maximum with as many nodes as it takes; it is none where the most are too few."""
        likelihood = HiddenAnswer(self.sample.log_channel)
        for n_nodes, more in pairwise(self.n_nodes):
            few, many = (
                Clusters(likelihood, matrix, self.sample.weights, self.starts, n, self.sample.offset)
                for n in (n_nodes, more)
            )
            found = maximise(few.at, place, _LEFT)
            place = found.place
            if abs(many.at(place).log_likelihood - found.local.log_likelihood) < _EXACT:
                return found
        return replace(found, converged=False)


def fit_clustered(question: str, cluster: str, clustered: Clustered, constant: Fitted) -> tuple[FittedModel, str]:
    """Return the fit, and what is to be said of the clusters. Where they do not differ it is the fit without them.

    `constant`: the fit without clusters and terms.
    """
    plain = fit_answer(question, clustered.sample, constant)
    every = range(len(clustered.sample.terms.names))
    fitted = clustered.fit(every, np.append(plain.fitted.coefficients, _FIRST_SD))
    differ = ratio_test(f"sd({cluster})", fitted.log_likelihood, plain.fitted.log_likelihood, 1)
    if differ.statistic < _EXACT:
        return plain, f"the intercepts of {cluster} do not differ: their variance is estimated as 0"
    sd = float(np.exp(fitted.coefficients[-1]))

    def without(other: Without) -> Without:
        kept = [place for place in every if place not in other.places]
        return Without.of(other.places, clustered.fit(kept, np.append(other.coefficients, sd)))

    model = FittedModel(
        plain.n_rows,
        (*plain.labels, (plain.labels[0][0], f"log(sd({cluster}))")),
        fitted,
        without(plain.null),
        {term: without(other) for term, other in plain.without.items()},
        n_scales=1,
        others=(replace(differ, p_value=differ.p_value / 2),),
    )
    share = sd**2 / (sd**2 + np.pi**2 / 3)
    return model, (
        f"intercepts differ between {len(clustered.starts):,} clusters of {cluster} with a standard deviation of "
        f"{sd:.4f}, {100 * share:.1f} % of the variance of log odds; coefficients and predictions are of an average one"
    )
