"""Which columns of a table say how its people were drawn, and what they say."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from sotto_estimator.channel.channel import Floats
from sotto_estimator.errors import DomainError, SourceError
from sotto_estimator.microdata.sampling import Groups, Margins, Sampling
from sotto_estimator.table.table import DataColumn, DataTable

_FAR = 2
"""How many times a population's size weights may add up to, or the other way round: else they are of something else."""

_OFF = 0.02
"""How far from 1 shares may add up, for they are rounded; they are scaled."""

_LEAST = 1e-12
"""Of the largest weight: less is lost in the rounding of their sum."""


@dataclass(frozen=True, slots=True)
class SamplingColumns:
    """How the people of a table were sampled, by the names of its columns; "" where there is none.

    `weights`, `strata` and `clusters` are the columns of the sample's design. `post_stratify` is the column of groups
    whose sizes in the population are known. `margins` are these sizes, by group: numbers of people, or shares of the
    population.
    """

    weights: str = ""
    strata: str = ""
    clusters: str = ""
    post_stratify: str = ""
    margins: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if bool(self.post_stratify) != bool(self.margins):
            raise DomainError(
                "post_stratify and margins go together: a column, and the number of people for each of its texts."
            )
        for label, size in self.margins.items():
            if not 0 < size < np.inf:
                raise DomainError(f"margins: {label:.80} ({size:g}) must be finite and > 0.")
        sizes = self.margins.values()
        if sizes and min(sizes) < 1 and max(sizes) <= 1 and abs(sum(sizes) - 1) > _OFF:
            raise DomainError(
                f"margins: shares must add up to 1, not to {sum(sizes):g}; numbers of people must be 1 or more."
            )

    @property
    def names(self) -> list[str]:
        """The columns that there are; nothing may be missing in them."""
        return [name for name in (self.weights, self.strata, self.clusters, self.post_stratify) if name]

    def read(self, table: DataTable, population_size: float | None) -> Sampling:
        """Return how the rows of a table were drawn. Raises SourceError, which names the row."""
        n, columns = table.n_rows, table.columns
        weights = np.full(n, 1.0 if population_size is None else population_size / n)
        if self.weights:
            weights = _weights(columns[self.weights], population_size)
        elif population_size is not None and population_size < n:
            raise SourceError(f"{table.name}: has {n:,} people, more than the population's {population_size:,.0f}.")
        return Sampling(
            weights,
            _groups(columns[self.strata]) if self.strata else Groups.one(n),
            _groups(columns[self.clusters]) if self.clusters else Groups.alone(n),
            bool(self.clusters),
            population_size,
            self._margins(columns[self.post_stratify]) if self.post_stratify else None,
        )

    def _margins(self, column: DataColumn) -> Margins:
        for code, label in enumerate(column.labels):
            if label not in self.margins:
                raise column.fault(code, "must be in the margins, which say how many people each group has")
        for label in self.margins:
            if label not in column.labels:
                raise SourceError(
                    f"column {column.name}: nobody has {label!r:.80}, which is in the margins. Join it with another "
                    "group."
                )
        sizes = _scaled(np.array([self.margins[label] for label in column.labels], np.float64))
        return Margins(_groups(column), sizes / sizes.sum())


def _weights(column: DataColumn, population_size: float | None) -> Floats:
    """Return the weights. Raises SourceError for one that is 0 or less, or that the population's size contradicts."""
    found = column.numbers()
    if (is_bad := found <= 0).any():
        raise column.fault(
            int(column.codes[is_bad.argmax()]), "must be above 0: the number of people that the row represents"
        )
    if population_size is None:
        return _in_proportion(column, found)
    if (is_bad := found < 1).any():
        raise column.fault(
            int(column.codes[is_bad.argmax()]),
            "must be >= 1 where the size of the population is given: the number of people that the row represents",
        )
    with np.errstate(over="ignore"):
        total = found.sum()
    if not population_size / _FAR <= total <= population_size * _FAR:
        raise SourceError(
            f"column {column.name} adds up to {total:,.6g}, far from the population's {population_size:,.0f}: "
            "where the size of the population is given, a weight is 1 / P(the person is drawn)."
        )
    return found


def _in_proportion(column: DataColumn, weights: Floats) -> Floats:
    """Return weights of the same proportions, at most 1. Raises SourceError for one that is next to none."""
    most = weights.max()
    if (is_bad := weights / most < _LEAST).any():
        raise column.fault(
            int(column.codes[is_bad.argmax()]), f"must be at least {_LEAST:g} of the largest weight, {most:g}"
        )
    return _scaled(weights)


def _scaled(numbers: Floats) -> Floats:
    """Return numbers, at most 1, of which a sum is one too: divided by a power of two, so that no digit is lost."""
    scaled: Floats = np.ldexp(numbers, -int(np.frexp(numbers.max())[1]))
    return scaled


def _groups(column: DataColumn) -> Groups:
    return Groups(column.name, column.labels, column.codes)
