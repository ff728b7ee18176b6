"""Sides of a joint table as independent reports: those whose noise is the same are one side, of their combinations.

Such are items that are asked together, and options that are reported as one set.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import cast

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc

from sotto_estimator.association.axes import ItemAxis, SharedAxis, TableAxis
from sotto_estimator.association.conditional import ConditionalShare, conditional_shares
from sotto_estimator.association.independence import IndependenceTest, check_independence
from sotto_estimator.channel.channel import Floats
from sotto_estimator.channel.simplex import project_on_simplex
from sotto_estimator.likelihood.em import MixtureFit, fit
from sotto_estimator.likelihood.latent_classes import Mixture
from sotto_protocol.mechanisms.mechanism import Bytes

_LEAST = 1e-9


@dataclass(frozen=True, slots=True)
class Merged:
    """`places`: of every side that reports independently, the sides of the table that it is, more than one of items."""

    sides: tuple[TableAxis, ...]
    places: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, sides: Sequence[TableAxis]) -> "Merged":
        """Return how sides go together."""
        by_joint: dict[str, list[int]] = {}
        for place, side in enumerate(sides):
            by_joint.setdefault(side.shared or f"{place}:", []).append(place)
        found = cls(tuple(sides), tuple(map(tuple, by_joint.values())))
        for places in found.places:
            if len(places) > 1:
                first, *others = found._shared(places)
                first.check_with(others)
        return found

    @property
    def has_merged(self) -> bool:
        """Whether some of the sides have their noise in common."""
        return len(self.places) < len(self.sides)

    @property
    def shape(self) -> tuple[int, ...]:
        """The numbers of the sides' categories, in the order of the table."""
        return tuple(len(side.labels) for side in self.sides)

    def likelihoods(self, parts: Sequence[Bytes]) -> tuple[NDArray[np.floating], ...]:
        """Return one matrix for each side that reports independently; `parts`: of every side of the table."""
        return tuple(self._likelihood(places, parts) for places in self.places)

    def in_order(self, parts: Sequence[Bytes]) -> tuple[NDArray[np.floating], ...]:
        """Return matrices whose products stand in the order of the table: one of all cells where items are merged."""
        matrices = self.likelihoods(parts)
        if not self.has_merged:
            return matrices
        order = [place for places in self.places for place in places]
        whole = matrices[0]
        for one in matrices[1:]:
            whole = (whole[:, :, None] * one[:, None, :]).reshape(len(whole), -1)
        table = whole.reshape([len(whole), *(self.shape[place] for place in order)])
        return (np.transpose(table, [0, *(1 + np.argsort(order))]).reshape(len(whole), -1),)

    def _likelihood(self, places: Sequence[int], parts: Sequence[Bytes]) -> NDArray[np.floating]:
        first = self.sides[places[0]]
        if len(places) == 1:
            return first.likelihood(parts[places[0]])
        one, *others = self._shared(places)
        return one.likelihood_with([parts[place] for place in places], others)

    def _shared(self, places: Sequence[int]) -> list[SharedAxis]:
        return [cast(SharedAxis, self.sides[place]) for place in places]

    def fits(self, alone: Sequence[MixtureFit], mixture: Mixture) -> list[MixtureFit]:
        """Return the fits of the independent sides by themselves; `alone`: of the table's."""
        return [
            alone[places[0]] if len(places) == 1 else fit(mixture.marginal(place))
            for place, places in enumerate(self.places)
        ]

    def unfold(self, table: Floats) -> Floats:
        """Return a table of the independent sides as one of the table's sides, in their order."""
        order = [place for places in self.places for place in places]
        whole = table.reshape([self.shape[place] for place in order])
        return np.transpose(whole, np.argsort(order))

    def check(
        self, mixture: Mixture, joint: MixtureFit, alone: Sequence[MixtureFit], parts: Sequence[Bytes]
    ) -> IndependenceTest:
        """Test whether the answers to all sides are independent; `alone`: the fits of the table's sides.

        What sides with the same noise say of each other, and what independent sides do, are tested each, and
        added up: under independence they are not correlated.
        """
        if not self.has_merged:
            return check_independence(mixture, joint, alone)
        statistic, degrees = 0.0, 0
        if len(self.places) > 1:
            among = check_independence(mixture, joint, self.fits(alone, mixture))
            statistic, degrees = among.statistic or 0.0, among.degrees_of_freedom or 0
        for places in self.places:
            if len(places) > 1:
                of_places = [parts[place] for place in places]
                of_joint, freedom = interaction(self._shared(places), of_places, mixture.counts)
                statistic, degrees = statistic + of_joint, degrees + freedom
        apart = [self._product([alone[place].shares for place in places]) for places in self.places]
        log_apart = float(mixture.weights @ np.log(mixture.densities(self._product(apart).reshape(mixture.shape))))
        ratio = 2 * (joint.log_likelihood - log_apart * mixture.n_reports)
        return IndependenceTest(statistic, degrees, float(chdtrc(degrees, statistic)), max(ratio, 0.0))

    def conditionals(
        self, parts: Sequence[Bytes], counts: NDArray[np.int64], shares: Floats, level: float
    ) -> tuple[ConditionalShare, ...]:
        """Return the conditional shares of a table of two items that were asked together; none of others."""
        items = [side for side in self.sides if isinstance(side, ItemAxis)]
        if not (self.has_merged and len(items) == len(self.sides) == 2):
            return ()
        return conditional_shares(items, parts[0], counts, self.unfold(shares), level)

    @staticmethod
    def _product(shares: Sequence[Floats]) -> Floats:
        found = np.array([1.0])
        for one in shares:
            found = np.multiply.outer(found, one.ravel()).ravel()
        return found


def interaction(sides: Sequence[SharedAxis], parts: Sequence[Bytes], counts: NDArray[np.number]) -> tuple[float, int]:
    """Return Wald's statistic of no interaction between sides with the same noise, and its degrees of freedom.

    The unbiased shares of combinations, less the products of their margins; their covariances are those under
    independence, by the delta method (Wald 1943). Shares below 0 are not cut off: that would bias them.
    """
    first, *others = sides
    shape = [len(side.labels) for side in sides]
    cells = first.unbiased_cells(parts, counts, others).reshape(shape)
    margins = [cells.sum(axis=tuple(set(range(len(shape))) - {place})) for place in range(len(shape))]
    independent = _outer([project_on_simplex(one) for one in margins])
    covariance = first.covariance_of_cells(independent.ravel(), int(counts.sum()), others)
    slopes = np.eye(independent.size) - _slopes_of_product([project_on_simplex(one) for one in margins], shape)
    beyond = (cells - _outer(margins)).ravel()
    of_beyond = slopes @ covariance @ slopes.T
    values, vectors = np.linalg.eigh(of_beyond)
    freedom = prod(shape) - 1 - sum(size - 1 for size in shape)
    kept = np.argsort(values)[-freedom:]
    kept = kept[values[kept] > _LEAST * values[-1]]
    along = vectors[:, kept].T @ beyond
    return float((along**2 / values[kept]).sum()), len(kept)


def _outer(margins: Sequence[Floats]) -> Floats:
    found = margins[0]
    for one in margins[1:]:
        found = np.multiply.outer(found, one)
    return found


def _slopes_of_product(margins: Sequence[Floats], shape: Sequence[int]) -> Floats:
    """Return how the product of margins grows with each cell, shape (cells, cells)."""
    places = np.indices(shape).reshape(len(shape), -1)
    slopes = np.zeros((prod(shape), prod(shape)))
    for axis in range(len(shape)):
        others = np.ones(prod(shape))
        for other, margin in enumerate(margins):
            if other != axis:
                others = others * margin[places[other]]
        slopes += others[:, None] * (places[axis][:, None] == places[axis][None, :])
    return slopes
