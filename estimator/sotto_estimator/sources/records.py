"""Where packed reports come from, for what a tally does not hold: a collector, or a file.

Both give the survey's canonical JSON in a line of its own, and behind it packed reports, one after the other.
"""

import os
from pathlib import Path
from urllib.parse import quote

import numpy as np

from sotto_estimator.errors import FetchError, SourceError
from sotto_estimator.sources.http import get
from sotto_estimator.sources.kinds import NO_REPORTS, REPORTS, check_kind, check_replaceable, unreadable
from sotto_estimator.sources.selection import Selection
from sotto_protocol import SottoError, Survey
from sotto_protocol.mechanisms.mechanism import Bytes

MAX_BYTES = 2**30
_ACCEPT = "application/octet-stream"
Records = tuple[Survey, Bytes]
"""A survey, and packed reports of it, shape (n, survey.layout.n_bytes)."""


def fetch_records(url: str, survey_id: str, token: str, chosen: Selection | None = None) -> Records:
    """Fetch a survey's packed reports, of a wave, of a stratum or all, from a collector with an analyst's token.

    Raises FetchError, which names the collector.
    """
    route = f"/v1/surveys/{quote(survey_id, safe='')}/records{(chosen or Selection()).query}"
    body = get(url, route, token, accept=_ACCEPT, max_bytes=MAX_BYTES)
    try:
        survey, records = _parse(body)
    except SottoError as fault:
        raise FetchError(f"the collector at {url} did not answer with packed reports: {fault}") from fault
    if survey.id != survey_id:
        raise FetchError(f"the collector at {url} answered with the records of another survey.")
    return survey, records


def read_records(path: Path) -> Records:
    """Read packed reports from a file. Raises SourceError, which names the file."""
    try:
        check_kind(path, REPORTS, NO_REPORTS)
        if path.stat().st_size > MAX_BYTES:
            raise SourceError(f"{path} must have at most {MAX_BYTES} bytes.")
        return _parse(path.read_bytes())
    except OSError as fault:
        raise unreadable(path, fault) from fault
    except SourceError:
        raise
    except SottoError as fault:
        raise SourceError(f"{path} are not records: {fault}") from fault


def save_records(survey: Survey, records: Bytes, path: Path) -> None:
    """Write packed reports to a file of mode 0600, which may replace records and nothing else. Raises SourceError."""
    try:
        check_replaceable(path, REPORTS, NO_REPORTS)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(survey.canonical + b"\n" + records.tobytes())
    except OSError as fault:
        raise SourceError(f"{path} cannot be written: {fault.strerror}.") from fault


def _parse(content: bytes) -> Records:
    line, _, packed = content.partition(b"\n")
    survey = Survey.from_canonical(line)
    if len(packed) % survey.layout.n_bytes:
        raise SourceError(f"packed reports ({len(packed)} bytes) must be of {survey.layout.n_bytes} bytes each.")
    records = np.frombuffer(packed, np.uint8).reshape(-1, survey.layout.n_bytes)
    survey.layout.cells(records)
    survey.layout.drawn(records)
    return survey, records
