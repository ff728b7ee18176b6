"""What a command is pointed at: URL SURVEY, a survey of a collector's, or FILE .., what somebody has kept of one."""

import os
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from sotto_estimator.errors import SourceError, WithheldError
from sotto_estimator.sources.archive import is_archive, read_records_of_archive
from sotto_estimator.sources.fetch import fetch_tally, read_tallies
from sotto_estimator.sources.records import Records, fetch_records, read_records
from sotto_estimator.sources.selection import Selection
from sotto_protocol import Tally

_TALLY = re.compile(rb'\s*\{\s*"(behind|format)"\s*:')  # which no survey has, with which packed reports begin
_BEGINNING_BYTES = 64


@dataclass(frozen=True, slots=True)
class CollectorSource:
    """A survey of a collector's, with the analyst's token that it answers."""

    url: str
    survey_id: str
    token: str = field(repr=False)

    def tally(self, chosen: Selection) -> Tally:
        """Fetch the tally of a wave, of a stratum, or of all. Raises FetchError."""
        return fetch_tally(self.url, self.survey_id, self.token, chosen.wave, chosen.stratum)

    def by_wave(self, tally: Tally, chosen: Selection) -> list[Tally]:
        """Fetch the tally of every wave of one of several, but of waves that are withheld. Raises FetchError."""
        found = []
        for wave in tally.waves if len(tally.waves) > 1 else ():
            with suppress(WithheldError):
                found.append(self.tally(Selection(wave, chosen.stratum)))
        return found

    def records(self, chosen: Selection) -> Records:
        """Fetch the packed reports of a wave, of a stratum, or of all. Raises FetchError."""
        return fetch_records(self.url, self.survey_id, self.token, chosen)


@dataclass(frozen=True, slots=True)
class FileSource:
    """Files: tallies, which are merged, or packed reports: one file of them, or an archive's folder.

    `warn` is told of copies, as by `read_tallies`.
    """

    paths: tuple[Path, ...]
    warn: Callable[[str], None] | None = field(default=None, compare=False, repr=False)

    def tally(self, chosen: Selection) -> Tally:
        """Return the files' tallies, merged. Raises SourceError, where part of one is asked for too."""
        if chosen:
            raise SourceError("survey, token, wave and stratum go with a collector's URL (http:// or https://).")
        for path in self.paths:
            if is_archive(path):
                raise SourceError(f"{path} is a folder: count an archive with `sotto tally`, and estimate that.")
        return read_tallies(self.paths, self.warn)

    def by_wave(self, tally: Tally, _chosen: Selection) -> list[Tally]:
        """Return those of the files that are of one wave each, where several are merged. Raises SourceError."""
        found = [read_tallies([path]) for path in self.paths] if len(tally.waves) > 1 else []
        return [of for of in found if len(of.waves) == 1]

    @property
    def are_tallies(self) -> bool:
        """Whether the first of the files begins like one, and not like packed reports; False if it cannot be read."""
        try:
            with self.paths[0].open("rb") as file:
                return _TALLY.match(file.read(_BEGINNING_BYTES)) is not None
        except OSError:
            return False

    def records(self, _chosen: Selection) -> Records:
        """Return the packed reports of a file, or of an archive's folder, all of them: see `Selection.of`.

        Raises SourceError, and MissingExtra for an archive without pyarrow.
        """
        path = self.paths[0]
        return read_records_of_archive(path) if is_archive(path) else read_records(path)


Source = CollectorSource | FileSource


def names_collector(words: Sequence[str]) -> bool:
    """Return whether a command's arguments begin with a collector's URL."""
    return bool(words) and words[0].startswith(("http://", "https://"))


def source_of(given: str | os.PathLike[str] | Sequence[str | os.PathLike[str]], survey: str, token: str) -> Source:
    """Return what a program names: a collector's URL with a survey's id and a token, or the paths of files.

    `token`: by default SOTTO_TOKEN of the environment. Raises SourceError where an id or a token is missing, or goes
    with no collector.
    """
    if isinstance(given, str) and names_collector([given]):
        token = token or os.environ.get("SOTTO_TOKEN", "")
        if not survey:
            raise SourceError("a collector's URL goes with a survey's id.")
        if not token:
            raise SourceError("a collector answers analysts: token, or SOTTO_TOKEN in the environment, is needed.")
        return CollectorSource(given, survey, token)
    if survey or token:
        raise SourceError("survey, token, wave and stratum go with a collector's URL (http:// or https://).")
    paths = [given] if isinstance(given, str | os.PathLike) else given
    return FileSource(tuple(map(Path, paths)))
