"""Where tallies come from: a collector, or files."""

from collections.abc import Sequence
from functools import reduce
from operator import add
from pathlib import Path
from urllib.parse import quote

from sotto_estimator.errors import FetchError, SourceError
from sotto_estimator.http import get
from sotto_protocol import SottoError, Tally

_MAX_TALLY_BYTES = 64 * 2**20


def fetch_tally(url: str, survey_id: str, token: str, wave: int | None = None) -> Tally:
    """Fetch a survey's tally, of one wave or all, from a collector with an analyst's token.

    Raises FetchError, which names the collector.
    """
    route = f"/v1/surveys/{quote(survey_id, safe='')}/tally" + ("" if wave is None else f"?wave={wave}")
    body = get(url, route, token, accept="application/json", max_bytes=_MAX_TALLY_BYTES)
    try:
        tally = Tally.from_json(body)
    except SottoError as fault:
        raise FetchError(f"the collector at {url} answered with what is not a tally: {fault}") from fault
    if tally.survey.id != survey_id:
        raise FetchError(f"the collector at {url} answered with the tally of another survey.")
    if wave is not None and tally.waves not in ((wave,), ()):
        raise FetchError(f"the collector at {url} answered with the tally of other waves.")
    return tally


def read_tallies(paths: Sequence[Path]) -> Tally:
    """Read tallies of one survey from files and merge them. Raises SourceError, which names the file."""
    if len({path.resolve() for path in paths}) < len(paths):
        raise SourceError("a tally file is named twice; its reports would be counted twice.")
    return reduce(add, [_read_tally(path) for path in paths])


def save(tally: Tally, path: Path) -> None:
    """Write a tally to a file, which may replace a tally and nothing else. Raises SourceError."""
    try:
        if path.exists() and path.stat().st_size:
            _read_tally(path)
        path.write_bytes(tally.to_json())
    except OSError as fault:
        raise SourceError(f"{path} cannot be written: {fault.strerror}.") from fault


def _read_tally(path: Path) -> Tally:
    try:
        if path.stat().st_size > _MAX_TALLY_BYTES:
            raise SourceError(f"{path} must have at most {_MAX_TALLY_BYTES} bytes.")
        return Tally.from_json(path.read_bytes())
    except OSError as fault:
        hint = "" if path.exists() else " A collector's URL begins with http:// or https://."
        raise SourceError(f"{path} cannot be read: {fault.strerror}.{hint}") from fault
    except SottoError as fault:
        raise SourceError(f"{path} is not a tally: {fault}") from fault
