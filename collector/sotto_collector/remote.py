"""A collector seen from outside: the requests of the operator's commands."""

import json
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote

import requests
from requests.auth import AuthBase
from urllib3.exceptions import HTTPError

from sotto_collector.errors import RemoteError, TokenError
from sotto_protocol import Problem

TIMEOUT_S = 30
_CONNECT_TIMEOUT_S = 10
MAX_RESPONSE_BYTES = 2**24
_CHUNK_BYTES = 2**16


class _Bearer(AuthBase):
    """Sends this token; given as auth, so that no ~/.netrc replaces it."""

    def __init__(self, token: str) -> None:
        self._token = token

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        request.headers["Authorization"] = f"Bearer {self._token}"
        return request


class RemoteCollector:
    """A collector at `url`, and the token to send; without one only what is open to all can be asked."""

    def __init__(self, url: str, token: str | None = None) -> None:
        """Raises TokenError where no header can carry the token, RemoteError where the URL is more than an address."""
        if token is not None:
            _check_token(token)
        if {*"@?#"} & set(url):  # these may hold secrets: the URL is not quoted
            raise RemoteError("a collector's URL must be an address without user, password, query or fragment.")
        self.url = url.rstrip("/")
        self._auth = None if token is None else _Bearer(token)

    def ask(self, method: str, path: str, sent: bytes | dict[str, Any] = b"") -> dict[str, Any]:
        """Return the JSON object in a route's response; `sent` is its body. Raises RemoteError."""
        return _parse(self.fetch(method, path, sent), self.url + path)

    def fetch(self, method: str, path: str, sent: bytes | dict[str, Any] = b"") -> bytes:
        """Return the body of a route's response, of at most MAX_RESPONSE_BYTES. Raises RemoteError."""
        with self._send(method, path, sent) as response:
            return _read(response, self.url + path)

    @contextmanager
    def stream(self, path: str) -> Iterator[tuple[int, Iterator[bytes]]]:
        """Yield how long the body of a route's response is, and the body in chunks. Raises RemoteError, then too."""
        with self._send("GET", path) as response:
            length = response.headers.get("Content-Length", "")
            if not length.isdecimal():
                raise RemoteError(f"{self.url + path} must be a collector; it does not say how long its response is.")
            yield int(length), _chunks(response, self.url + path)

    def _send(self, method: str, path: str, sent: bytes | dict[str, Any] = b"") -> requests.Response:
        """Return a response whose body is not read yet; close it. Raises RemoteError unless its status is 2xx."""
        url = self.url + path
        try:
            response = requests.request(
                method,
                self.url + path,
                data=sent if isinstance(sent, bytes) else json.dumps(sent).encode(),
                headers={"Content-Type": "application/json", "Accept-Encoding": "identity"},
                auth=self._auth,
                timeout=(_CONNECT_TIMEOUT_S, TIMEOUT_S),
                allow_redirects=False,  # a token goes to the address that was given, and to no other
                stream=True,
            )
        except (requests.RequestException, HTTPError, ValueError) as fault:
            raise RemoteError(f"{url} could not be reached: {_reason(fault, url)}.") from fault
        if response.ok and not response.is_redirect:
            return response
        with response:
            problem = Problem.from_response(response.status_code, _read(response, url))
        faults = problem.faults or ((problem.where, problem.detail),)
        words = "\n  ".join(" ".join(filter(None, fault)) for fault in faults)
        raise RemoteError(f"{url} refused ({problem.status} {problem.code}): {words}", problem.code)


def survey_path(survey_id: str, rest: str = "") -> str:
    """Return the path of a survey's route."""
    return f"/v1/surveys/{quote(survey_id, safe='')}{rest}"


def _check_token(token: str) -> None:
    """Raise TokenError unless a header can carry the token. The message doesn't quote it: it may be nearly right."""
    if not token or not token.isascii() or not token.isprintable() or " " in token:
        raise TokenError("token must be printable ASCII without spaces, as `sotto token create` printed it.")


def _chunks(response: requests.Response, url: str) -> Iterator[bytes]:
    try:
        yield from response.iter_content(_CHUNK_BYTES)
    except (requests.RequestException, HTTPError, ValueError) as fault:
        raise RemoteError(f"{url} could not be reached: {_reason(fault, url)}.") from fault


def _read(response: requests.Response, url: str) -> bytes:
    body = b""
    for chunk in _chunks(response, url):
        body += chunk
        if len(body) > MAX_RESPONSE_BYTES:
            raise RemoteError(f"{url} must be a collector; its response has more than {MAX_RESPONSE_BYTES} bytes.")
    return body


def _parse(body: bytes, url: str) -> dict[str, Any]:
    try:
        document = json.loads(body)
    except (ValueError, RecursionError) as fault:
        raise RemoteError(f"{url} must be a collector; it responded with something else than JSON.") from fault
    if not isinstance(document, dict):
        raise RemoteError(f"{url} must be a collector; it responded with something else than an object.")
    return document


def _reason(fault: BaseException, url: str) -> str:
    """Return the innermost cause below requests' and urllib3's wrappers, in a few words."""
    if isinstance(fault, ValueError):  # requests' own errors of the URL
        return "the URL must begin with http:// or https://"
    while (inner := fault.__cause__ or fault.__context__) is not None:
        fault = inner
    said = "it took too long" if isinstance(fault, TimeoutError) else getattr(fault, "strerror", None)
    is_plain = isinstance(fault, TimeoutError | ssl.SSLError) and not isinstance(fault, ssl.SSLCertVerificationError)
    hint = "; it may speak only http://" if is_plain and url.startswith("https:") else ""
    return (said or type(fault).__name__) + hint
