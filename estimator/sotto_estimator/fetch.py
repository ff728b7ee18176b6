"""Where tallies come from: a collector, or files. Sockets enter the estimator here only."""

from collections.abc import Sequence
from functools import reduce
from operator import add
from pathlib import Path
from urllib.parse import quote

import requests

from sotto_estimator.errors import FetchError, SourceError
from sotto_protocol import Problem, SottoError, Tally

_TIMEOUT_S = 30.0
_MAX_TALLY_BYTES = 64 * 2**20


def fetch_tally(url: str, survey_id: str, token: str) -> Tally:
    """Fetch a survey's tally from a collector with an analyst's token. Raises FetchError."""
    route = f"{url.rstrip('/')}/v1/surveys/{quote(survey_id, safe='')}/tally"
    headers = {"Authorization": f"Bearer {token}", "User-Agent": "sottovoce"}
    try:
        response = requests.get(route, headers=headers, timeout=_TIMEOUT_S, allow_redirects=False)
    except (requests.RequestException, UnicodeError) as fault:
        raise FetchError(f"the collector at {url} could not be reached ({type(fault).__name__}).") from fault
    if response.status_code != 200:
        problem = Problem.from_response(response.status_code, response.content)
        raise FetchError(f"the collector at {url} answered {problem.status} {problem.code}: {problem.detail}")
    return Tally.from_json(response.content)


def read_tallies(paths: Sequence[Path]) -> Tally:
    """Read tallies of one survey from files and merge them. Raises SourceError, which names the file."""
    if len({path.resolve() for path in paths}) < len(paths):
        raise SourceError("a tally file is named twice; its reports would be counted twice.")
    return reduce(add, [_read_tally(path) for path in paths])


def _read_tally(path: Path) -> Tally:
    try:
        if path.stat().st_size > _MAX_TALLY_BYTES:
            raise SourceError(f"{path} must have at most {_MAX_TALLY_BYTES} bytes.")
        return Tally.from_json(path.read_bytes())
    except OSError as fault:
        raise SourceError(f"{path} cannot be read: {fault.strerror}.") from fault
    except SottoError as fault:
        raise SourceError(f"{path} is not a tally: {fault}") from fault
