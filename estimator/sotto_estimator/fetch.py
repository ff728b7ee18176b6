"""Where tallies come from: a collector, or files. Sockets enter the estimator here only."""

import re
from collections.abc import Sequence
from functools import reduce
from operator import add
from pathlib import Path
from urllib.parse import quote

import requests
from urllib3.exceptions import HTTPError

from sotto_estimator.errors import FetchError, SourceError
from sotto_protocol import Problem, SottoError, Tally

_TIMEOUT_S = 30.0
_MAX_TALLY_BYTES = 64 * 2**20
_CHUNK_BYTES = 2**16
_TOKEN = re.compile(r"[!-~]+")  # visible ASCII: nothing else fits into a header
_HEADERS = {"User-Agent": "sottovoce", "Accept": "application/json", "Accept-Encoding": "identity"}


def fetch_tally(url: str, survey_id: str, token: str) -> Tally:
    """Fetch a survey's tally from a collector with an analyst's token. Raises FetchError, which names the collector."""
    if _TOKEN.fullmatch(token) is None:
        raise FetchError(f"the token for the collector at {url} must be visible ASCII characters, without blanks.")
    status, body = _get(url, f"{url.rstrip('/')}/v1/surveys/{quote(survey_id, safe='')}/tally", token)
    if status != 200:
        problem = Problem.from_response(status, body)
        raise FetchError(f"the collector at {url} answered {problem.status} {problem.code}: {problem.detail}")
    try:
        tally = Tally.from_json(body)
    except SottoError as fault:
        raise FetchError(f"the collector at {url} answered with what is not a tally: {fault}") from fault
    if tally.survey.id != survey_id:
        raise FetchError(f"the collector at {url} answered with the tally of another survey.")
    return tally


def _get(url: str, route: str, token: str) -> tuple[int, bytes]:
    def authorise(request: requests.PreparedRequest) -> requests.PreparedRequest:
        request.headers["Authorization"] = f"Bearer {token}"
        return request

    try:
        # As `auth`, not as a header: requests would replace a header by the password that ~/.netrc has for the host.
        with (
            requests.Session() as session,
            session.get(
                route, auth=authorise, headers=_HEADERS, timeout=_TIMEOUT_S, allow_redirects=False, stream=True
            ) as response,
        ):
            return response.status_code, _read(url, response)
    except (requests.RequestException, HTTPError, OSError, ValueError) as fault:
        raise FetchError(f"the collector at {url} could not be reached ({type(fault).__name__}).") from fault


def _read(url: str, response: requests.Response) -> bytes:
    if response.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise FetchError(f"the collector at {url} answered in a Content-Encoding that was not asked for.")
    body = bytearray()
    for chunk in response.iter_content(_CHUNK_BYTES):
        body += chunk
        if len(body) > _MAX_TALLY_BYTES:
            raise FetchError(f"the collector at {url} answered with more than {_MAX_TALLY_BYTES} bytes.")
    return bytes(body)


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
