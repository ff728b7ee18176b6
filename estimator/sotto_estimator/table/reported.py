"""How each row of a table was asked, and what it reported: the one step between columns of texts and estimates."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sotto_estimator.designs.design import Arm, Design
from sotto_estimator.designs.given import places_of, plain
from sotto_estimator.designs.spec import DesignSpec
from sotto_estimator.errors import DomainError, SourceError
from sotto_estimator.table.table import DataColumn, DataTable

_YES = ("yes", "y", "true", "1")
_NO = ("no", "n", "false", "0")
_Kind = tuple[tuple[str, ...], int]
_MAX_DESIGNS = 10_000
_OTHER = -1


@dataclass(frozen=True, slots=True, eq=False)
class Reported:
    """Rows as they were asked: row i by `designs[arms[i]]`, and it gave the design's report `reports[i]`."""

    designs: tuple[Design, ...]
    arms: NDArray[np.int32]
    reports: NDArray[np.int32]

    def counts(self, rows: NDArray[np.bool_] | None = None) -> list[Arm]:
        """Return the arms with the counts of their reports, of these rows or of all; of those that have any."""
        return self.counts_by(np.zeros(len(self.arms), np.int64) if rows is None else ~rows, 2)[0]

    def counts_by(self, groups: NDArray[np.integer] | NDArray[np.bool_], n_groups: int) -> list[list[Arm]]:
        """Return the arms of each group of rows; `groups`: that of each row, from 0."""
        width = max(len(design.reports) for design in self.designs)
        places = (groups * len(self.designs) + self.arms) * width + self.reports
        counts = np.bincount(places, minlength=n_groups * len(self.designs) * width).astype(np.float64)
        return [
            [Arm(of, row[: len(of.reports)]) for of, row in zip(self.designs, by_arm, strict=True) if row.any()]
            for by_arm in counts.reshape(n_groups, -1, width)
        ]


@dataclass(frozen=True, slots=True)
class ReportColumn:
    """Where a table says what was reported, and by which designs.

    `column`: of the reports. `designs`: by the texts of column `arm`; one, of the text "", where all rows were asked
    alike. Their parameters may be columns' names. `report_texts`: those of the reports, in the design's order, where
    the column has others than the design; one alone is that of the first report, a yes.
    """

    column: str
    designs: Mapping[str, DesignSpec]
    arm: str = ""
    report_texts: tuple[str, ...] = ()

    @property
    def about(self) -> list[str]:
        """The columns that say how a row was asked: none of them may miss anything."""
        parameters = [name for spec in self.designs.values() for name in spec.columns.values()]
        return list(dict.fromkeys([*filter(None, [self.arm]), *parameters]))

    def read(self, table: DataTable) -> Reported:
        """Return how the rows of a table were asked, and what they reported. Raises SourceError, DomainError."""
        about = [table.columns[name] for name in self.about]
        found, arms = _combinations(about, table.n_rows)
        if len(found) > _MAX_DESIGNS:
            names = " and ".join(column.name for column in about)
            raise SourceError(f"{names} have {len(found):,} different values; the most are {_MAX_DESIGNS:,}.")
        designs = tuple(self._design(about, codes) for codes in found)
        return Reported(designs, arms, self._reports(table.columns[self.column], designs, arms))

    def _design(self, about: Sequence[DataColumn], codes: Sequence[int]) -> Design:
        """Return the design of the rows with these codes in the columns that say how they were asked."""
        cells = {column.name: column.labels[code] for column, code in zip(about, codes, strict=True)}
        arm = cells.get(self.arm, "")
        if arm not in self.designs:
            raise about[0].fault(codes[0], f"must be one of the arms with a design: {', '.join(self.designs)}")
        try:
            samples = self.designs[arm].samples(cells)
        except DomainError as fault:
            said = zip(about, codes, strict=True)
            where = ", ".join(f"{of.name} is {of.labels[code]!r:.40} (row {of.rows[code]:,})" for of, code in said)
            raise SourceError(f"where {where}: {fault}" if cells else str(fault)) from fault
        if len(samples) > 1:
            raise SourceError(
                f"{self.designs[arm].name} is a design of {len(samples)} samples. Give each sample as an arm with its "
                "own design, such as crosswise, and add --arm."
            )
        return samples[0]

    def _reports(self, column: DataColumn, designs: Sequence[Design], arms: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return what each row reported, by its place among its design's reports."""
        self._check_other(column)
        kinds = list(dict.fromkeys(map(_kind, designs)))
        first = [next(design for design in designs if _kind(design) == kind) for kind in kinds]
        places = np.array([[*map(self._reader(design), column.labels)] for design in first], np.int32)
        kind_of = np.array([kinds.index(_kind(design)) for design in designs])
        found: NDArray[np.int32] = places[kind_of[arms], column.codes]
        if (is_other := found == _OTHER).any():
            row = int(is_other.argmax())
            design = designs[arms[row]]
            expected = self.report_texts if len(self.report_texts) > 1 else design.reports
            words = f"must be one of the reports of {design.name}: {', '.join(expected)}"
            raise column.fault(int(column.codes[row]), words)
        return found

    def _check_other(self, column: DataColumn) -> None:
        """Raise SourceError where the text of a yes is given, and more than one other is there."""
        if len(self.report_texts) == 1:
            other = [code for code, text in enumerate(column.labels) if plain(text) != plain(self.report_texts[0])]
            if len({plain(column.labels[code]) for code in other}) > 1:
                raise column.fault(other[-1], f"must be {self.report_texts[0]} or the one other text")

    def _reader(self, design: Design) -> Callable[[str], int]:
        """Return what finds the place of a text among a design's reports, or _OTHER."""
        n_texts, n_reports = len(self.report_texts), len(design.reports)
        if n_texts == 1 and n_reports == 2:
            yes = design.yes_report
            return lambda text: yes if plain(text) == plain(self.report_texts[0]) else 1 - yes
        if n_texts not in (0, n_reports):
            raise DomainError(f"{design.name} has {n_reports} reports ({', '.join(design.reports)}), not {n_texts}.")
        if n_texts:
            places = {plain(text): place for place, text in enumerate(self.report_texts)}
        else:
            places = places_of(design)
            if n_reports == 2:
                places |= dict.fromkeys(_YES, design.yes_report) | dict.fromkeys(_NO, 1 - design.yes_report)
        return lambda text: places.get(plain(text), _OTHER)


def _combinations(columns: Sequence[DataColumn], n_rows: int) -> tuple[list[list[int]], NDArray[np.int32]]:
    """Return the different combinations of the columns' codes, and of each row which it has."""
    of_row = np.zeros(n_rows, np.int64)
    for column in columns:
        of_row = np.unique(of_row * len(column.labels) + column.codes, return_inverse=True)[1]
    first = np.unique(of_row, return_index=True)[1]
    return [[int(column.codes[row]) for column in columns] for row in first], of_row.astype(np.int32)


def _kind(design: Design) -> _Kind:
    """Return what says which texts mean which of a design's reports."""
    return design.reports, design.yes_report
