"""Where tallies come from: a collector, or files of tallies or of packed reports."""

import os
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from urllib.parse import quote

from sotto_estimator.errors import FetchError, SourceError
from sotto_estimator.sources.archive import read_reports
from sotto_estimator.sources.http import get
from sotto_estimator.sources.kinds import REPORTS, TALLY, check_kind, check_replaceable, gives, unreadable
from sotto_estimator.sources.selection import Selection
from sotto_protocol import SottoError, Tally

_MAX_TALLY_BYTES = 64 * 2**20


def fetch_tally(url: str, survey_id: str, token: str, wave: int | None = None, stratum: str | None = None) -> Tally:
    """Fetch the tally of a survey, or of one wave or stratum, from a collector, with an analyst's token.

    Raises FetchError, which names the collector.
    """
    route = f"/v1/surveys/{quote(survey_id, safe='')}/tally{Selection(wave, stratum).query}"
    body = get(url, route, token, accept="application/json", max_bytes=_MAX_TALLY_BYTES)
    try:
        tally = Tally.from_json(body)
    except SottoError as fault:
        raise FetchError(f"the collector at {url} did not answer with a tally: {fault}") from fault
    if tally.survey.id != survey_id:
        raise FetchError(f"the collector at {url} answered with the tally of another survey.")
    if wave is not None and tally.waves not in ((wave,), ()):
        raise FetchError(f"the collector at {url} answered with the tally of other waves.")
    if stratum is not None and stratum not in tally.survey.strata:
        raise FetchError(f"the collector at {url} answered with the tally of a survey without this stratum.")
    return tally


def read_tallies(
    paths: Sequence[Path], warn: Callable[[str], None] | None = None, chosen: Selection | None = None
) -> Tally:
    """Read tallies of one survey from files and merge them. Raises SourceError, which names the file.

    Packed reports, in a file or an archive's folder, are counted. `chosen` says which of them. `warn` is called for
    files with equal tallies. One is probably a copy, and its reports are counted twice.
    """
    if len({os.path.realpath(path) for path in paths}) < len(paths):
        raise SourceError("a tally file is given twice: its reports would be counted twice.")
    first_with: dict[bytes, Path] = {}
    merged: Tally | None = None
    for path in paths:
        tally = _read_counts(path, chosen or Selection())
        first = first_with.setdefault(sha256(tally.to_json()).digest(), path)
        if first is not path and tally.n_reports and warn:
            warn(f"{path} has the same tally as {first}. If it is a copy, its reports are counted twice.")
        merged = tally if merged is None else _merge(merged, tally, path)
    if merged is None:
        raise SourceError("give at least one tally file.")
    return merged


def read_waves(path: Path, chosen: Selection) -> list[Tally]:
    """Return a file's tally, or that of each wave of its packed reports. Raises SourceError, which names the file."""
    if not gives(path, REPORTS):
        return [_read_tally(path)]
    survey, records = read_reports(path)
    return [*Tally.by_wave(survey, chosen.of(survey, records)).values()]


def _read_counts(path: Path, chosen: Selection) -> Tally:
    if not gives(path, REPORTS):
        return _read_tally(path)
    survey, records = read_reports(path)
    return Tally.of(survey, chosen.of(survey, records))


def _merge(merged: Tally, tally: Tally, path: Path) -> Tally:
    try:
        return merged + tally
    except SottoError as fault:
        raise SourceError(f"{path} cannot be merged with the tallies before it: {fault}") from fault


def save(tally: Tally, path: Path) -> None:
    """Write a tally to a file, which may replace a tally and nothing else. Raises SourceError."""
    try:
        check_replaceable(path, TALLY)
        path.write_bytes(tally.to_json())
    except OSError as fault:
        raise SourceError(f"{path} cannot be written: {fault.strerror}.") from fault


def _read_tally(path: Path) -> Tally:
    try:
        check_kind(path, TALLY)
        if path.stat().st_size > _MAX_TALLY_BYTES:
            raise SourceError(f"{path} must have at most {_MAX_TALLY_BYTES} bytes.")
        return Tally.from_json(path.read_bytes())
    except OSError as fault:
        raise unreadable(path, fault) from fault
    except SourceError:
        raise
    except SottoError as fault:
        raise SourceError(f"{path} is not a tally: {fault}") from fault
