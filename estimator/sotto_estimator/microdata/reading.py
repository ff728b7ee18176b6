"""Which columns of a table say how its people were drawn, and what they say."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from sotto_estimator.channel.channel import Floats
from sotto_estimator.errors import DomainError, SourceError
from sotto_estimator.microdata.groups import Groups
from sotto_estimator.microdata.raking import PopulationMargin, Raked
from sotto_estimator.microdata.replicates import MAX_CELLS, ReplicateMethod, Replicates, doubt_of, names_of
from sotto_estimator.microdata.sampling import Sampling
from sotto_estimator.table.table import DataColumn, DataTable

_FAR = 2
"""How many times a population's size weights may add up to, or the other way round: else they are of something else."""

_OFF = 0.02
"""How far from 1 shares may add up, for they are rounded; they are scaled."""

_APART = 0.001
"""How far the totals of two margins may be from one another, for their numbers are rounded."""

_LEAST = 1e-12
"""Of the largest weight: less is lost in the rounding of their sum."""


@dataclass(frozen=True, slots=True)
class SamplingColumns:
    """How the people of a table were sampled, by the names of its columns; "" where there is none.

    `weights`, `strata` and `clusters` are the columns of the sample's design. `post_stratify` is the column of groups
    whose sizes in the population are known. `margins` are these sizes, by group: numbers of people, or shares of the
    population. Both may be lists, of as many columns as margins: then weights are raked until all margins hold.

    `replicates` are columns of replicate weights. A name with * means all columns that fit. They go with `weights`, and
    take the place of strata and clusters. `replicate_method` says how they were made: "brr",
    "fay(rho=0.3)", "jk1", "jk2", "jkn", "bootstrap" or "successive-difference". `replicate_scales` is one scale, or one
    for each replicate, where it is not the method's usual one. `replicate_factors`: the columns are factors of the
    weights, not full weights.
    """

    weights: str = ""
    strata: str = ""
    clusters: str = ""
    post_stratify: str | Sequence[str] = ""
    margins: Mapping[str, float] | Sequence[Mapping[str, float]] = field(default_factory=dict)
    replicates: str | Sequence[str] = ()
    replicate_method: str = ""
    replicate_scales: float | Sequence[float] = ()
    replicate_factors: bool = False

    def __post_init__(self) -> None:
        self._check_replicates()
        columns, margins = self._columns, self._margins
        if len(columns) != len(margins) or not all(margins):
            raise DomainError(
                "post_stratify and margins go together: a column, and the number of people for each of its texts."
            )
        if len({*columns}) < len(columns):
            raise DomainError(f"post_stratify ({', '.join(columns)}) must name each column once.")
        for of in margins:
            _check_sizes(of)
        counted = {column: sum(of.values()) for column, of in zip(columns, margins, strict=True) if not _is_shares(of)}
        if counted and max(counted.values()) > min(counted.values()) * (1 + _APART):
            said = ", ".join(f"{total:,.6g} of {column}" for column, total in counted.items())
            raise DomainError(f"margins must add up to the same number of people, not to {said}.")

    @property
    def names(self) -> list[str]:
        """The columns that there are; nothing may be missing in them."""
        return [name for name in (self.weights, self.strata, self.clusters, *self._columns, *self._replicates) if name]

    @property
    def _replicates(self) -> tuple[str, ...]:
        """The columns of replicate weights, as they are named."""
        return tuple(filter(None, [self.replicates] if isinstance(self.replicates, str) else self.replicates))

    @property
    def _made(self) -> ReplicateMethod:
        scales = self.replicate_scales
        return ReplicateMethod(self.replicate_method, (scales,) if isinstance(scales, int | float) else tuple(scales))

    def _check_replicates(self) -> None:
        """Raise DomainError for replicates without their method and weights, or beside what they take the place of."""
        if not self._replicates:
            if self.replicate_method or self.replicate_scales != () or self.replicate_factors:
                raise DomainError(
                    "replicate_method, replicate_scales and replicate_factors go with replicates: columns of weights."
                )
            return
        if not self.replicate_method or not self.weights:
            raise DomainError(
                "replicates go with weights and replicate_method: the sample's own weights, and how they were made."
            )
        if self.strata or self.clusters:
            raise DomainError("replicates take the place of strata and clusters: give the one or the other.")
        self._made  # noqa: B018  # which raises DomainError

    @property
    def _columns(self) -> tuple[str, ...]:
        """The columns of margins."""
        return tuple(filter(None, [self.post_stratify] if isinstance(self.post_stratify, str) else self.post_stratify))

    @property
    def _margins(self) -> tuple[Mapping[str, float], ...]:
        """The margin of each of these columns."""
        if isinstance(self.margins, Mapping):
            return (self.margins,) if self.margins else ()
        return tuple(self.margins)

    def check_linear(self) -> None:
        """Raise DomainError where a regression would leave out what is known of the population."""
        if self._columns or self._replicates:
            raise DomainError(
                "a regression takes weights, strata and clusters alone, without margins and replicate weights."
            )

    def read(self, table: DataTable, population_size: float | None) -> Sampling:
        """Return how the rows of a table were drawn. Raises SourceError, which names the row."""
        if self._replicates and population_size is not None:
            raise DomainError("population_size does not go with replicates, which say how people were drawn.")
        n, columns = table.n_rows, table.columns
        weights = np.full(n, 1.0 if population_size is None else population_size / n)
        if self.weights:
            weights = _weights(columns[self.weights], population_size)
        elif population_size is not None and population_size < n:
            raise SourceError(f"{table.name}: has {n:,} people, more than the population's {population_size:,.0f}.")
        margins = [_margin(columns[name], of) for name, of in zip(self._columns, self._margins, strict=True)]
        return Sampling(
            weights,
            _groups(columns[self.strata]) if self.strata else Groups.one(n),
            _groups(columns[self.clusters]) if self.clusters else Groups.alone(n),
            bool(self.clusters),
            population_size,
            Raked.of(weights, margins) if margins else None,
            self._read_replicates(table) if self._replicates else None,
        )

    def _read_replicates(self, table: DataTable) -> Replicates:
        """Return the replicate weights of a table. Raises SourceError, DomainError."""
        names = names_of([*table.columns], self._replicates, self.weights)
        if table.n_rows * len(names) > MAX_CELLS:
            raise SourceError(
                f"the sample is too large: {table.n_rows:,} rows times {len(names):,} replicates must be "
                f"<= {MAX_CELLS:,}."
            )
        scales = self._made.of(len(names))
        columns = np.stack([_replicate(table.columns[name]) for name in names], axis=-1)
        weights = table.columns[self.weights].numbers()
        if self.replicate_factors:
            weights = weights / weights.max()
            columns *= weights[:, None]
        doubt = doubt_of(weights, columns, are_factors=self.replicate_factors)
        return Replicates(names, np.stack([*map(_scaled, columns.T)], axis=-1), scales, self.replicate_method, doubt)


def _margin(column: DataColumn, sizes: Mapping[str, float]) -> PopulationMargin:
    """Return what is known of a column's groups. Raises SourceError for a group without size, or without people."""
    for code, label in enumerate(column.labels):
        if label not in sizes:
            raise column.fault(code, "must be in the margins, which say how many people each group has")
    for label in sizes:
        if label not in column.labels:
            raise SourceError(
                f"column {column.name}: nobody has {label!r:.80}, which is in the margins. Join it with another group."
            )
    of_groups = _scaled(np.array([sizes[label] for label in column.labels], np.float64))
    return PopulationMargin(_groups(column), of_groups / of_groups.sum())


def _check_sizes(sizes: Mapping[str, float]) -> None:
    """Raise DomainError unless these are numbers of people, or shares that add up to 1."""
    for label, size in sizes.items():
        if not 0 < size < np.inf:
            raise DomainError(f"margins: {label:.80} ({size:g}) must be finite and > 0.")
    if _is_shares(sizes) and abs(sum(sizes.values()) - 1) > _OFF:
        raise DomainError(
            f"margins: shares must add up to 1, not to {sum(sizes.values()):g}; numbers of people must be 1 or more."
        )


def _is_shares(sizes: Mapping[str, float]) -> bool:
    return min(sizes.values()) < 1 and max(sizes.values()) <= 1


def _replicate(column: DataColumn) -> Floats:
    """Return replicate weights, or factors. Raises SourceError for one below 0, and where all are 0."""
    found = column.numbers()
    if (is_bad := found < 0).any():
        raise column.fault(int(column.codes[is_bad.argmax()]), "must be a replicate weight, 0 or more")
    if not found.any():
        raise SourceError(f"column {column.name}: all replicate weights are 0.")
    return found


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
