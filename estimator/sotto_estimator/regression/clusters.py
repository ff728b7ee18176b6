"""The likelihood of hidden answers of people in clusters, whose intercepts differ as draws of a normal distribution."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp, roots_hermitenorm, softmax

from sotto_estimator.channel.channel import Floats
from sotto_estimator.likelihood.newton import Local
from sotto_estimator.regression.mixture import RowLikelihood

_GRID = np.arange(-4.0, 5.0)
"""Draws of which the likeliest is where the search for a cluster's mode begins."""
_STEPS = 12
_WIDEST = 2.0
"""The most that a cluster's draw may deviate, given its reports, for the spread of its nodes: a draw's own is 1."""


@dataclass(frozen=True, slots=True, eq=False)
class Clusters:
    """Rows in order of their clusters, which begin at `starts`: one linear predictor, matrix @ b + sd * a draw.

    A cluster's likelihood is the integral over its draw, by Gauss and Hermite's rule of `n_nodes` points, which are
    moved to where the draw is likely given the cluster's reports (Naylor & Smith 1982; Pinheiro & Bates 1995).
    """

    likelihood: RowLikelihood
    matrix: Floats
    weights: Floats
    starts: NDArray[np.int64]
    n_nodes: int
    offset: Floats | None = None

    def at(self, place: Floats) -> Local:
        """Return the log-likelihood of all clusters at the coefficients, of which the last is sd, of either sign.

        Score and information are those of the integrals (Louis 1982), by the same nodes.
        """
        centre, sd = self.matrix @ place[:-1], float(place[-1])
        if self.offset is not None:
            centre = centre + self.offset
        nodes, log_sizes = self._nodes(centre, sd)
        of_rows = self._of_rows(nodes)
        logs, scores, bends, expected = self._at_nodes(centre, sd, of_rows)
        joint = np.add.reduceat(logs, self.starts) + log_sizes
        totals = logsumexp(joint, axis=1)
        given = np.exp(joint - totals[:, None])  # of the clusters' nodes
        parts = self._of_rows(given)
        slopes = [self._slope(*of) for of in zip(scores.T, of_rows.T, strict=True)]
        slope = np.stack(slopes, axis=1)
        mean = np.einsum("jq,jqk->jk", given, slope)
        off = slope - mean[:, None]
        complete = self._bend(parts * bends, of_rows)
        return Local(
            float(totals.sum()),
            mean.sum(axis=0),
            complete - np.einsum("jq,jqk,jql->kl", given, off, off),
            lambda: self._bend(parts * expected, of_rows),
        )

    def _nodes(self, centre: Floats, sd: float) -> tuple[Floats, Floats]:
        """Return each cluster's nodes, and the log of what a node counts for: both of shape (n_clusters, n_nodes).

        About its mode first, then about its mean, which is elsewhere where the reports tell one side only.
        """
        nodes, weights = roots_hermitenorm(self.n_nodes)
        middle, deviation = self._modes(centre, sd)
        for last in (False, True):
            moved = middle[:, None] + deviation[:, None] * nodes
            log_sizes = np.log(weights / weights.sum() * deviation[:, None]) + (nodes**2 - moved**2) / 2
            if not last:
                logs = self._at_nodes(centre, sd, self._of_rows(moved))[0]
                given = softmax(np.add.reduceat(logs, self.starts) + log_sizes, axis=1)
                middle = (given * moved).sum(axis=1)
                deviation = np.sqrt((given * (moved - middle[:, None]) ** 2).sum(axis=1))
        return moved, log_sizes

    def _modes(self, centre: Floats, sd: float) -> tuple[Floats, Floats]:
        """Return about each cluster's likeliest draw, given its reports, and how much the draw deviates from it.

        By Newton's steps, where the likelihood bends down, else by EM's. Nodes need not be put exactly.
        """
        grid = np.broadcast_to(_GRID, (len(centre), len(_GRID)))
        logs = np.add.reduceat(self._at_nodes(centre, sd, grid)[0], self.starts) - _GRID**2 / 2
        mode = _GRID[logs.argmax(axis=1)]
        for _ in range(_STEPS):
            found = self._at_nodes(centre, sd, self._of_rows(mode[:, None]))[1:]
            score, bend, expected = (np.add.reduceat(of[:, 0], self.starts) for of in found)
            curvature = 1 + sd**2 * np.where(bend > 0, bend, expected)
            mode = mode + np.clip((sd * score - mode) / curvature, -1, 1)
        return mode, 1 / np.sqrt(np.maximum(1 + sd**2 * bend, _WIDEST**-2))

    def _of_rows(self, of_clusters: Floats) -> Floats:
        """Return what is each row's cluster's."""
        return np.repeat(of_clusters, np.diff(np.append(self.starts, len(self.matrix))), axis=0)

    def _slope(self, scores: Floats, node: Floats) -> Floats:
        """Return the clusters' scores of the coefficients and sd, at a node of each row's."""
        found: Floats = np.add.reduceat(scores[:, None] * np.column_stack([self.matrix, node]), self.starts)
        return found

    def _at_nodes(self, centre: Floats, sd: float, nodes: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """Return weighted logs, scores and bends of all rows at their nodes, each of the nodes' shape."""
        found = []
        for node in nodes.T:
            local = self.likelihood.at((centre + sd * node)[:, None])
            parts = local.log_likelihood, local.score[:, 0], local.information[:, 0, 0], local.complete[:, 0, 0]
            found.append(self.weights * np.stack(parts))
        logs, scores, bends, expected = np.stack(found, axis=2)
        return logs, scores, bends, expected

    def _bend(self, bends: Floats, nodes: Floats) -> Floats:
        """Return the matrix of all coefficients from the bends of rows at their nodes."""
        plain, once, twice = bends.sum(axis=1), (bends * nodes).sum(axis=1), (bends * nodes**2).sum()
        side = self.matrix.T @ once
        found: Floats = np.block(
            [[self.matrix.T @ (plain[:, None] * self.matrix), side[:, None]], [side[None, :], twice]]
        )
        return found
