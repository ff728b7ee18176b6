"""Raking: weights that make the groups of one or several columns as large as they are in the population.

Each margin in turn scales the weights of its groups, until all hold: iterative proportional fitting (Deming & Stephan
1940), which is calibration with exponential weights (Deville & Saerndal 1992). With one margin it post-stratifies.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from sotto_estimator.channel.channel import Floats
from sotto_estimator.errors import SourceError
from sotto_estimator.microdata.groups import Codes, Groups, sum_by

_N_ROUNDS = 1000
_OFF = 1e-11
"""How far the share of a group may be from its margin, of that margin."""


@dataclass(frozen=True, slots=True, eq=False)
class PopulationMargin:
    """Groups of rows, and the share of the population that each of them has, shape (n_groups,)."""

    groups: Groups
    shares: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Raked:
    """Rows whose weights, which add up to 1, hold every margin.

    Row i is in cell `cells[i]`: rows of one cell are in the same group of every margin, `places[margin][cell]`.
    `before`: the share of each cell by the weights that were raked.
    """

    weights: Floats
    before: Floats
    margins: tuple[PopulationMargin, ...]
    cells: Codes
    places: tuple[Codes, ...]

    @classmethod
    def of(cls, weights: Floats, margins: Sequence[PopulationMargin]) -> "Raked":
        """Rake weights above 0. Raises SourceError where no weights hold all margins."""
        cells, places = _crossed([margin.groups for margin in margins])
        before = np.bincount(cells, weights)
        crossed = cls(weights, before / before.sum(), tuple(margins), cells, places)
        return replace(crossed, weights=crossed.again(weights))

    def again(self, weights: Floats, what: str = "") -> Floats:
        """Return other weights of the rows, of which some may be 0, raked. Raises SourceError as `of`.

        `what`: what these weights are called in an error.
        """
        before = np.bincount(self.cells, weights, len(self.places[0]))
        after = before / before.sum()
        for _ in range(_N_ROUNDS):
            furthest, worst = "", 0.0
            for margin, places in zip(self.margins, self.places, strict=True):
                found = np.asarray(np.bincount(places, after, len(margin.shares)), np.float64)
                off = np.abs(found / margin.shares - 1)
                if off.max() > worst:
                    worst, furthest = off.max(), _words(margin, found, int(off.argmax()))
                if not found.all():
                    raise SourceError(self._refused(what, furthest))
                after = after * (margin.shares / found)[places]
            if worst <= _OFF:
                factors = np.divide(after, before, out=np.zeros_like(after), where=before > 0)
                raked: Floats = weights * factors[self.cells]
                return raked
        raise SourceError(self._refused(what, furthest))

    def fitted(self, terms: Floats) -> Floats:
        """Return what terms would be by the groups that their rows are in: that does not vary.

        By the regression of terms over weights on the indicators of all groups, by the weights that were raked
        (Deville & Saerndal 1992): margin by margin, as often as it takes.
        """
        after = np.bincount(self.cells, self.weights)
        rest = sum_by(self.cells, terms, len(after)) * (self.before / after)[:, None]
        means = np.zeros_like(rest)
        sizes = [np.bincount(places, self.before) for places in self.places]
        largest = 0.0
        for _ in range(_N_ROUNDS):
            moved = 0.0
            for places, size in zip(self.places, sizes, strict=True):
                means_of_groups = sum_by(places, rest, len(size)) / size[:, None]
                rest -= self.before[:, None] * means_of_groups[places]
                means += means_of_groups[places]
                moved = max(moved, float(np.abs(means_of_groups).max()))
            largest = max(largest, moved)
            if moved <= _OFF * largest:
                break
        found: Floats = self.weights[:, None] * means[self.cells]
        return found

    def _refused(self, what: str, furthest: str) -> str:
        columns = ", ".join(margin.groups.column for margin in self.margins)
        return (
            f"{what}{': ' * bool(what)}no weights hold the margins of {columns} together. {furthest}. Too few "
            "combinations of groups have people: join groups, or leave a margin out."
        )


def _words(margin: PopulationMargin, found: Floats, group: int) -> str:
    label, share = margin.groups.labels[group], margin.shares[group]
    return f"Where the others hold, {label!r:.80} of {margin.groups.column} is {found[group]:.2%}, not {share:.2%}"


def _crossed(groups: Sequence[Groups]) -> tuple[Codes, tuple[Codes, ...]]:
    """Return the cell of each row, and for each column the group of each cell."""
    if len(groups) == 1:
        return groups[0].codes, (np.arange(len(groups[0].labels), dtype=np.int32),)
    cells = np.zeros(len(groups[0].codes), np.int64)
    for of in groups:
        cells = np.unique(cells * len(of.labels) + of.codes, return_inverse=True)[1]
    first = np.unique(cells, return_index=True)[1]
    return cells.astype(np.int32), tuple(of.codes[first] for of in groups)
