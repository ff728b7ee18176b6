"""The joint table of a hidden outcome and hidden covariates: any table of the covariates, a logistic outcome."""

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import expit, log_expit, log_softmax

from sotto_estimator.channel.channel import Floats
from sotto_estimator.likelihood.latent_classes import Mixture
from sotto_estimator.likelihood.newton import Local, Maximum, maximise
from sotto_estimator.regression.fitting import Fitted, fitted_of

_N_RANDOM = 3
_LEAST_SHARE = 1e-3
_SEED = 1
"""Of the random starts: the same reports give the same numbers."""


@dataclass(frozen=True, slots=True, eq=False)
class JointModel:
    """P(z, x) = P(x) P(z | x), log odds of z `matrix[x] @ beta`, of reports whose likelihoods the mixture has.

    `mixture`: the outcome's side first, its yes first; `matrix`: shape (n_cells, k), a row a cell of the covariates'
    table. A place is (alpha, beta), alpha the logs of the shares of the cells but `base`, relative to that one's.
    """

    mixture: Mixture
    matrix: Floats
    base: int

    @property
    def n_free(self) -> int:
        """How many shares of the covariates' table are free."""
        return len(self.matrix) - 1

    def shares(self, place: Floats) -> Floats:
        """Return the shares of all cells, shape (2, n_cells): yes first."""
        predictor = self.matrix @ place[self.n_free :]
        log_table = log_softmax(np.insert(place[: self.n_free], self.base, 0.0))
        found: Floats = np.exp(log_table + np.stack([log_expit(predictor), log_expit(-predictor)]))
        return found

    def scores(self, place: Floats) -> Floats:
        """Return the gradients of the cells' log shares, shape (2 n_cells, n_free + k)."""
        table = self.shares(place).sum(axis=0)
        of_table = np.delete(np.eye(len(table)) - table, self.base, axis=1)
        prob = expit(self.matrix @ place[self.n_free :])[:, None]
        of_yes, of_no = (1 - prob) * self.matrix, -prob * self.matrix
        return np.block([[of_table, of_yes], [of_table, of_no]])

    def at(self, place: Floats) -> Local:
        """Return the log-likelihood there. Its information is Louis' (1982): complete, less what is not known."""
        n, shares = self.mixture.n_reports, self.shares(place).ravel()
        densities = self.mixture.densities(shares)
        with np.errstate(divide="ignore", invalid="ignore"):
            value = n * float(self.mixture.weights @ np.log(densities))
        posterior = shares * self.mixture.gradient(densities).ravel()
        scores = self.scores(place)
        complete = self._complete(place, posterior)
        within = scores.T @ (posterior[:, None] * scores) - self._squares(shares, densities, scores)
        return Local(value, n * (posterior @ scores), n * (complete - within), lambda: n * complete)

    def expected_information(self, place: Floats, other: Floats) -> Floats:
        """Return one report's Fisher information at `other`, were the truth there; `place`: where the reports are from.

        The reports are weighed by how much likelier they are there. Of all reports that can be, with their
        probabilities as counts, it is exact.
        """
        shares = self.shares(other).ravel()
        there, here = self.mixture.densities(shares), self.mixture.densities(self.shares(place).ravel())
        model = replace(self, mixture=Mixture(self.mixture.likelihoods, self.mixture.counts * there / here))
        return model._squares(shares, there, self.scores(other))

    def _complete(self, place: Floats, posterior: Floats) -> Floats:
        """Return the mean information of one person, whose answers are known; `posterior`: of the cells."""
        shares = self.shares(place)
        table = np.delete(shares.sum(axis=0), self.base)
        prob = expit(self.matrix @ place[self.n_free :])
        weights = posterior.reshape(2, -1).sum(axis=0) * prob * (1 - prob)
        found = np.zeros((len(place), len(place)))
        found[: self.n_free, : self.n_free] = np.diag(table) - np.outer(table, table)
        found[self.n_free :, self.n_free :] = self.matrix.T @ (weights[:, None] * self.matrix)
        return found

    def _squares(self, shares: Floats, densities: Floats, scores: Floats) -> Floats:
        """Return the mean over reports of the squares of their scores."""
        information = self.mixture.information(densities, np.arange(shares.size))
        weighted = shares[:, None] * scores
        found: Floats = weighted.T @ information @ weighted
        return found

    def fit(self, table: Floats, beta: Floats, others: list[Floats]) -> Maximum:
        """Return the highest of the maxima that are found from `beta`, from others, and from random ones.

        `table`: shares of the covariates' cells to begin with, shape (n_cells,).
        """
        random = np.random.default_rng(_SEED).standard_normal((_N_RANDOM, len(beta)))
        alpha = self.alpha(table)
        found = [maximise(self.at, np.concatenate([alpha, start])) for start in [beta, *others, *(beta + random)]]
        return max(found, key=lambda one: (one.local.log_likelihood, one.converged))

    def alpha(self, table: Floats) -> Floats:
        """Return the free numbers of a table of the covariates, of which none is taken to be 0."""
        logs = np.log(np.maximum(table, _LEAST_SHARE / len(table)))
        return np.delete(logs - logs[self.base], self.base)

    def slopes(self, maximum: Maximum) -> Fitted:
        """Return the fit of beta alone: its covariance is that of a table that is not known either."""
        whole = fitted_of(maximum, np.eye(len(maximum.place)), self.mixture.n_reports)
        n = self.n_free
        covariance, separated = whole.covariance[n:, n:], whole.separated[whole.separated >= n] - n
        kept = np.delete(np.diag(covariance), separated)
        largest = float(np.sqrt(kept.max(initial=0.0)))
        return Fitted(whole.coefficients[n:], covariance, maximum, separated, largest)
