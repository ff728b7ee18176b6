"""Asking a collector with an analyst's token. Sockets enter the estimator here only."""

import re

import requests
from urllib3.exceptions import HTTPError

from sotto_estimator.errors import FetchError, UnknownStratumError, WithheldError
from sotto_protocol import Problem

_TIMEOUT_S = 30.0
_CHUNK_BYTES = 2**16
_REFUSED = {(403, "below_minimum"): WithheldError, (404, "no_such_stratum"): UnknownStratumError}
_TOKEN = re.compile(r"[!-~]+")  # visible ASCII: nothing else fits into a header


def get(url: str, route: str, token: str, *, accept: str, max_bytes: int) -> bytes:
    """Return what a collector at `url` answers under a route, at most max_bytes. Raises FetchError, which names it."""
    if _TOKEN.fullmatch(token) is None:
        raise FetchError(f"the token for the collector at {url} must be visible ASCII characters, without blanks.")
    status, body = _get(url, url.rstrip("/") + route, token, accept, max_bytes)
    if status != 200:
        problem = Problem.from_response(status, body)
        refused = _REFUSED.get((status, problem.code), FetchError)
        raise refused(f"the collector at {url} answered {problem.status} {problem.code}: {problem.detail}")
    return body


def _get(url: str, address: str, token: str, accept: str, max_bytes: int) -> tuple[int, bytes]:
    def authorise(request: requests.PreparedRequest) -> requests.PreparedRequest:
        request.headers["Authorization"] = f"Bearer {token}"
        return request

    headers = {"User-Agent": "sottovoce", "Accept": accept, "Accept-Encoding": "identity"}
    try:
        # As `auth`, not as a header: requests would replace a header by the password that ~/.netrc has for the host.
        with (
            requests.Session() as session,
            session.get(
                address, auth=authorise, headers=headers, timeout=_TIMEOUT_S, allow_redirects=False, stream=True
            ) as response,
        ):
            return response.status_code, _read(url, response, max_bytes)
    except (requests.RequestException, HTTPError, OSError, ValueError) as fault:
        raise FetchError(f"the collector at {url} could not be reached ({type(fault).__name__}).") from fault


def _read(url: str, response: requests.Response, max_bytes: int) -> bytes:
    if response.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise FetchError(f"the collector at {url} answered in a Content-Encoding that was not asked for.")
    body = bytearray()
    for chunk in response.iter_content(_CHUNK_BYTES):
        body += chunk
        if len(body) > max_bytes:
            raise FetchError(f"the collector at {url} answered with more than {max_bytes} bytes.")
    return bytes(body)
