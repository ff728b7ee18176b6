"""One source: a collector's survey, files of any kind, a data frame, or what was read of them; what each can give."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import reduce
from operator import add
from pathlib import Path
from typing import TYPE_CHECKING, Any, Union

from sotto_estimator.errors import SourceError, UnknownStratumError, WithheldError
from sotto_estimator.sources.archive import (
    folder_of,
    open_archive,
    read_records_of_archive,
    read_reports,
    records_of_files,
)
from sotto_estimator.sources.fetch import fetch_tally, read_tallies, read_waves
from sotto_estimator.sources.kinds import REPORTS, ROWS, TALLY, WANTED, check_kind, gives, unreadable
from sotto_estimator.sources.parent import Parent
from sotto_estimator.sources.records import Records, fetch_records
from sotto_estimator.sources.selection import Selection
from sotto_estimator.table.arrow import is_frame, open_arrow, open_frame, open_parquet
from sotto_estimator.table.labelled import PROGRAMS, open_labelled
from sotto_estimator.table.reading import read_table
from sotto_estimator.table.rows import OpenTable, read_rows
from sotto_estimator.table.table import DataTable
from sotto_estimator.table.workbook import open_workbook
from sotto_protocol import Survey, Tally
from sotto_protocol.archive import MANIFEST
from sotto_protocol.store_address import names_store

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

Progress = Callable[[int], object]
_Path = str | os.PathLike[str]
Frame = Union["pd.DataFrame", "pl.DataFrame", "pa.Table"]
Given = Union[_Path, Sequence[_Path], Tally, Records, Frame, "Source"]
"""What a program names: a collector's URL, paths, a tally, (survey, packed reports), or a data frame."""
_OF_COLLECTOR = "survey, token, wave and stratum go with a collector's URL (http:// or https://)."


def ignore(n_bytes: int) -> None:
    """Hear of bytes, and do nothing."""


class Source:
    """Where data come from. Each gives some of: a tally, packed reports, rows; and says what it is of the others."""

    words = "this"
    withholds = False
    """Whether strata may be withheld from what it gives: it keeps the survey's promise of `min_reports`."""
    n_bytes = 0
    """How large it is, where `table` tells of progress."""

    def gives(self, what: str) -> bool:
        """Return whether it can give a TALLY, REPORTS (of chosen waves and strata too) or ROWS."""
        return False

    def tally(self, chosen: Selection) -> Tally:
        """Return the tally of a wave, of a stratum, or of all; of a parent, of what is given of its strata.

        Raises SourceError, FetchError.
        """
        raise self._refuse(TALLY)

    def strata(
        self, survey: Survey, chosen: Selection, on_withheld: Callable[[str, WithheldError], None]
    ) -> dict[str, Tally]:
        """Return the tally of each stratum that is meant; `on_withheld` is told of those that are withheld."""
        found = {}
        for name in chosen.strata(survey):
            try:
                found[name] = self.tally(Selection(chosen.wave, name))
            except WithheldError as fault:
                on_withheld(name, fault)
        return found

    def by_wave(self, tally: Tally, chosen: Selection) -> list[Tally]:
        """Return the tally of every wave that was pooled in this one, where it is known. Raises as `tally`."""
        return []

    def records(self, chosen: Selection) -> Records:
        """Return packed reports, of which `chosen.of` are meant. Raises SourceError, FetchError, MissingExtra."""
        raise self._refuse(REPORTS)

    def batches(self, chosen: Selection) -> Iterator[Records]:
        """Yield packed reports, some at a time, of which `chosen.of` are meant. Raises as `records`."""
        yield self.records(chosen)

    def table(
        self,
        names: Sequence[str],
        *,
        complete: Sequence[str] = (),
        numbers: Sequence[str] = (),
        progress: Progress = lambda _: None,
    ) -> DataTable:
        """Return the columns of these names, as `read_table` does. Raises SourceError, MissingExtra."""
        raise self._refuse(ROWS)

    def _refuse(self, wanted: str) -> SourceError:
        return SourceError(f"{self.words}, not {WANTED[wanted][0]}. {WANTED[wanted][1]}")


@dataclass(frozen=True, slots=True)
class CollectorSource(Source):
    """A survey of a collector's, with the analyst's token that it answers.

    `warn` is told of strata that a parent's tally is without.
    """

    url: str
    survey_id: str
    token: str = field(repr=False)
    warn: Callable[[str], None] = field(default=lambda _: None, compare=False, repr=False)

    words = "a collector's survey is noisy reports"
    withholds = True

    def gives(self, what: str) -> bool:
        return what != ROWS

    def tally(self, chosen: Selection) -> Tally:
        try:
            return fetch_tally(self.url, self.survey_id, self.token, chosen.wave, chosen.stratum)
        except UnknownStratumError:
            whole = fetch_tally(self.url, self.survey_id, self.token, chosen.wave)
            if not chosen.strata(whole.survey):
                raise
        faults: list[WithheldError] = []
        shown = self.strata(whole.survey, chosen, lambda _, fault: faults.append(fault))
        if not shown:
            raise faults[0]
        for name in Parent.of(chosen.strata(whole.survey), shown).missing:
            self.warn(f"nothing of stratum {name} is in {chosen.stratum}: {name} is too small to be shown alone.")
        return reduce(add, shown.values())

    def by_wave(self, tally: Tally, chosen: Selection) -> list[Tally]:
        """Fetch the tally of every wave of one of several, but of waves that are withheld. Raises FetchError."""
        found = []
        for wave in tally.waves if len(tally.waves) > 1 else ():
            with suppress(WithheldError):
                found.append(self.tally(Selection(wave, chosen.stratum)))
        return found

    def records(self, chosen: Selection) -> Records:
        try:
            return fetch_records(self.url, self.survey_id, self.token, chosen)
        except UnknownStratumError:
            survey, records = fetch_records(self.url, self.survey_id, self.token, Selection(chosen.wave))
            if not chosen.strata(survey):
                raise
        return survey, chosen.of(survey, records)


@dataclass(frozen=True, slots=True)
class FileSource(Source):
    """Files of any kind, told by their content. Tallies, and the counts of packed reports, of several are merged.

    `warn` is told of copies, as by `read_tallies`.
    """

    paths: tuple[Path, ...]
    warn: Callable[[str], None] | None = field(default=None, compare=False, repr=False)

    @property
    def n_bytes(self) -> int:  # type: ignore[override]
        return sum(path.stat().st_size for path in self.paths if path.is_file())

    def gives(self, what: str) -> bool:
        return all(gives(path, what) for path in self.paths) and (what == TALLY or len(self.paths) == 1)

    def tally(self, chosen: Selection) -> Tally:
        if chosen and not self.gives(REPORTS):
            raise SourceError(_OF_COLLECTOR)
        return read_tallies(self.paths, self.warn, chosen)

    def by_wave(self, tally: Tally, chosen: Selection) -> list[Tally]:
        """Return those of the files that are of one wave each, where several are merged. Raises SourceError."""
        several = self.paths if len(tally.waves) > 1 else ()
        return [wave for path in several for wave in read_waves(path, chosen) if len(wave.waves) == 1]

    def records(self, chosen: Selection) -> Records:
        return read_reports(self._one("packed reports are"))

    def batches(self, chosen: Selection) -> Iterator[Records]:
        path = self._one("packed reports are")
        if not (path / MANIFEST).exists():
            yield self.records(chosen)
            return
        manifest = open_archive(path)
        for records in records_of_files(path, manifest.survey, manifest.files):
            yield manifest.survey, records

    def table(
        self,
        names: Sequence[str],
        *,
        complete: Sequence[str] = (),
        numbers: Sequence[str] = (),
        progress: Progress = lambda _: None,
    ) -> DataTable:
        path = self._one("a table is")
        if (opened := open_table(path)) is not None:
            return read_rows(opened, names, complete=complete, numbers=numbers, progress=progress)
        return read_table(path, names, complete=complete, numbers=numbers, progress=progress)

    def _one(self, what: str) -> Path:
        if len(self.paths) != 1:
            raise SourceError(f"{what} of one file, and {len(self.paths)} are named.")
        return self.paths[0]


def open_table(path: Path) -> OpenTable | None:
    """Return the rows of a file with one row per person, None for a CSV. Raises SourceError for what is neither."""
    try:
        kind = check_kind(path, ROWS)
    except OSError as fault:
        raise unreadable(path, fault) from fault
    if kind in PROGRAMS:
        return open_labelled(path, kind)
    opened = {"parquet": open_parquet, "arrow": open_arrow, "xlsx": open_workbook}.get(kind)
    return opened(path) if opened else None


@dataclass(frozen=True, slots=True)
class FrameSource(Source):
    """A data frame with one row per person."""

    frame: Any

    words = "a data frame is a table with one row per person"

    def gives(self, what: str) -> bool:
        return what == ROWS

    def table(
        self,
        names: Sequence[str],
        *,
        complete: Sequence[str] = (),
        numbers: Sequence[str] = (),
        progress: Progress = lambda _: None,
    ) -> DataTable:
        return read_rows(open_frame(self.frame), names, complete=complete, numbers=numbers, progress=progress)


@dataclass(frozen=True, slots=True)
class TallySource(Source):
    """A tally that was read before."""

    held: Tally

    words = "this is a tally"

    def gives(self, what: str) -> bool:
        return what == TALLY

    def tally(self, chosen: Selection) -> Tally:
        if chosen:
            raise SourceError(_OF_COLLECTOR)
        return self.held


@dataclass(frozen=True, slots=True)
class RecordsSource(Source):
    """Packed reports that were read before."""

    held: Records

    words = "these are packed reports"

    def gives(self, what: str) -> bool:
        return what == REPORTS

    def tally(self, chosen: Selection) -> Tally:
        survey, records = self.held
        return Tally.of(survey, chosen.of(survey, records))

    def by_wave(self, tally: Tally, chosen: Selection) -> list[Tally]:
        survey, records = self.held
        return [*Tally.by_wave(survey, chosen.of(survey, records)).values()] if len(tally.waves) > 1 else []

    def records(self, chosen: Selection) -> Records:
        return self.held


def names_collector(words: Sequence[str]) -> bool:
    """Return whether a command's arguments begin with a collector's URL."""
    return bool(words) and words[0].startswith(("http://", "https://"))


def source_in_store(address: str) -> Source:
    """Return the reports of an archive in a store, read now. Raises SourceError, MissingExtra."""
    return RecordsSource(read_records_of_archive(folder_of(address)))


def source_of(given: Given, survey: str = "", token: str = "") -> Source:
    """Return what a program names: a collector's URL with a survey's id and a token; or what `Given` says.

    `token`: by default SOTTO_TOKEN of the environment. Raises SourceError where an id or a token is missing, or goes
    with no collector, and for what is no source.
    """
    if isinstance(given, str) and names_collector([given]):
        token = token or os.environ.get("SOTTO_TOKEN", "")
        if not survey:
            raise SourceError("a collector's URL goes with a survey's id.")
        if not token:
            raise SourceError("a collector answers only analysts: give token, or set SOTTO_TOKEN in the environment.")
        return CollectorSource(given, survey, token)
    if survey or token:
        raise SourceError(_OF_COLLECTOR)
    if isinstance(given, Source):
        return given
    if isinstance(given, Tally):
        return TallySource(given)
    if is_frame(given):
        return FrameSource(given)
    if isinstance(given, str) and names_store(given):
        return source_in_store(given)
    if isinstance(given, str | os.PathLike):
        return FileSource((Path(given),))
    if isinstance(given, tuple) and len(given) == 2 and not isinstance(given[0], str | os.PathLike):
        return RecordsSource(given)  # type: ignore[arg-type]
    if isinstance(given, Sequence) and all(isinstance(one, str | os.PathLike) for one in given):
        return FileSource(tuple(map(Path, given)))
    raise SourceError(f"a source must be a URL, paths of files, a tally or a data frame, not {type(given).__name__}.")
