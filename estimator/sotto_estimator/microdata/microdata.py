"""Estimates of a table with a row a person: of all rows, or of the groups of a column beside one another."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from sotto_estimator.designs.design import Arm
from sotto_estimator.designs.spec import read_spec
from sotto_estimator.errors import DomainError, EstimatorError, NoReportsError, SourceError
from sotto_estimator.intervals.intervals import IntervalOptions, check_level
from sotto_estimator.microdata.of_sample import estimate_sample
from sotto_estimator.microdata.reading import SamplingColumns
from sotto_estimator.microdata.sampling import Sampling
from sotto_estimator.results.result import GIVEN
from sotto_estimator.shares.by_group import SideBySide
from sotto_estimator.shares.estimates import Estimates
from sotto_estimator.shares.of_arms import estimate_arms
from sotto_estimator.shares.verdict.compare import Comparison
from sotto_estimator.shares.verdict.order import ShareInterval, order_of
from sotto_estimator.sources.source import Given, Source, source_of
from sotto_estimator.table.file_rows import FileRows
from sotto_estimator.table.reported import ReportColumn, Reported
from sotto_estimator.table.table import DataColumn, DataTable, in_order
from sotto_protocol.words import escaped

_MAX_GROUPS = 200
_MAX_NAME = 200
_Rows = NDArray[np.bool_]


def read_data(
    source: Given,
    column: str,
    design: str | Mapping[str, str],
    *,
    arm: str = "",
    reports: Sequence[str] = (),
    by: str = "",
    sampling: SamplingColumns | None = None,
) -> "Data":
    """Read a table with one row per person, from a file or a data frame. Ask the result for estimates.

    `column` has what each person reported. `design` says how they were asked, such as crosswise(prob=1/6). With several
    arms, `arm` is the column of the arms, and `design` has a design for each of its texts. `reports` are the texts that
    mean the design's reports, in its order, or the text of yes alone. By default they are yes and no, or the design's
    own.

    `by` is the column of groups. `sampling` says how people were sampled. Raises SourceError, which names the row, and
    DomainError.
    """
    named = {"": design} if isinstance(design, str) else design
    if bool(arm) != (not isinstance(design, str)):
        raise DomainError("arm and several designs go together: a column, and a design for each of its texts.")
    where = ReportColumn(column, {text: read_spec(of) for text, of in named.items()}, arm, tuple(reports))
    return DataFile(source_of(source), where, sampling or SamplingColumns(), by).read()


@dataclass(frozen=True, slots=True)
class DataFile:
    """Where a file, or a data frame, says what was reported, and how people were drawn; `by`: its groups, or ""."""

    source: Source
    reports: ReportColumn
    sampling: SamplingColumns = field(default_factory=SamplingColumns)
    by: str = ""

    def read(self, progress: Callable[[int], object] = lambda _: None) -> "Data":
        """Return what the file says. Raises SourceError, which names the row, and DomainError."""
        needed = [*self.reports.about, *self.sampling.names]
        names = [self.reports.column, *filter(None, [self.by]), *needed]
        table = self.source.table(names, complete=needed, progress=progress)
        groups = table.columns[self.by] if self.by else None
        return Data(table, self.reports.column, self.reports.read(table), self.sampling, groups)


@dataclass(frozen=True, slots=True, eq=False)
class Data:
    """What a file says: of each row how its person was asked, what they reported, how they were drawn, their group."""

    table: DataTable
    question: str
    reported: Reported
    sampling: SamplingColumns
    groups: DataColumn | None

    def estimate(self, options: IntervalOptions | None = None) -> Estimates:
        """Estimate the shares of all rows, or of what they are a sample of. Raises SourceError, DomainError."""
        options = options or IntervalOptions()
        return self._estimate(options, self._sampling(options), None, FileRows(self.table.left_out))

    def estimate_groups(self, options: IntervalOptions | None = None) -> SideBySide:
        """Estimate the shares of every group, in their order, and compare them by intervals that hold together."""
        if self.groups is None:
            raise NoReportsError(f"{self.table.name}: name a column of groups (by).")
        options, labels = options or IntervalOptions(), in_order(self.groups.labels)
        if len(labels) > _MAX_GROUPS:
            raise NoReportsError(f"column {self.groups.name} has {len(labels):,} groups; the most are {_MAX_GROUPS:,}.")
        if longest := [code for code, label in enumerate(self.groups.labels) if len(label) > _MAX_NAME]:
            raise self.groups.fault(longest[0], f"must be at most {_MAX_NAME} characters: it names a group")
        found, together, sampling = [], [], self._sampling(options)
        for label in labels:
            rows = self.groups.codes == self.groups.labels.index(label)
            about = FileRows(self.table.left_out, by=self.groups.name)
            try:
                one = self._estimate(options, sampling, rows, about, len(labels))
                found.append(replace(one, stratum=escaped(label)))
                narrow = replace(options, level=1 - check_level(options.level, len(labels) * len(one.rows)))
                together.append(one if options.simultaneous else self._estimate(narrow, sampling, rows, about))
            except EstimatorError as fault:
                raise type(fault)(f"{self.groups.name} {escaped(label):.80}: {fault}") from fault
        sure = [(str(one.stratum), of) for one, of in zip(found, together, strict=True)]
        return SideBySide(tuple(found), _compared(sure))

    def arms(self) -> list[Arm]:
        """Return all rows as counts. Raises SourceError where people were not drawn at random, each with one weight."""
        if self.sampling.names:
            raise SourceError(f"{self.table.name}: models of non-compliance take no weights, strata or clusters.")
        return self.reported.counts()

    def _sampling(self, options: IntervalOptions) -> Sampling | None:
        """Return how people were drawn; None where independently, or so simply that intervals are not approximate."""
        designs = self.reported.designs
        is_simple = len(designs) == 1 and designs[0].is_binary and self.groups is None
        if not self.sampling.names and (options.population_size is None or is_simple):
            return None
        return self.sampling.read(self.table, options.population_size)

    def _estimate(
        self,
        options: IntervalOptions,
        sampling: Sampling | None,
        rows: _Rows | None,
        about: FileRows,
        n_groups: int = 1,
    ) -> Estimates:
        if sampling is None:
            found = estimate_arms(self.reported.counts(rows), options, n_groups=n_groups)
        else:
            found = estimate_sample(self.reported, sampling, options, rows, n_groups=n_groups)
            about = replace(found.file_rows or about, left_out=about.left_out, by=about.by)
        return _named(replace(found, title=self.table.name, file_rows=about), self.question)


def arms_of(counts: "Sequence[Arm] | Data") -> tuple[str, Sequence[Arm]]:
    """Return what counts are called, and the counts, or those of a table."""
    if not isinstance(counts, Data):
        return GIVEN, counts
    return f"{counts.table.name}, {counts.question}", counts.arms()


def _named(estimates: Estimates, question: str) -> Estimates:
    """Return the estimates of counts as those of a question that has a name."""
    return replace(
        estimates,
        figures=tuple(replace(row, question=question) for row in estimates.rows),
        contradictions=tuple(replace(found, question=question) for found in estimates.contradictions),
        verdicts=tuple(replace(verdict, question=question) for verdict in estimates.verdicts),
    )


def _compared(together: Sequence[tuple[str, Estimates]]) -> tuple[Comparison, ...]:
    """Return which groups have more of each answer. `together`: by group, with intervals that all hold together."""
    if len(together) < 2:
        return ()
    spans: dict[tuple[str, str], list[ShareInterval]] = {}
    for label, one in together:
        for row in one.told_rows:
            spans.setdefault((row.question, row.answer), []).append(ShareInterval(label, row.low, row.high))
    return tuple(Comparison(*key, order_of(listed)) for key, listed in spans.items())
