"""A collector seen from outside: what `sotto publish` and `sotto close` ask of it."""

import json
from typing import Any
from urllib.parse import quote

import requests
from requests.auth import AuthBase
from urllib3.exceptions import HTTPError

from sotto_collector.errors import RemoteError, TokenError
from sotto_protocol import Problem, Survey

TIMEOUT_S = 30
MAX_ANSWER_BYTES = 2**20
_CHUNK_BYTES = 2**16


class _Bearer(AuthBase):
    """Sends this token; given as auth, so that no ~/.netrc replaces it."""

    def __init__(self, token: str) -> None:
        self._token = token

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        request.headers["Authorization"] = f"Bearer {self._token}"
        return request


def publish(url: str, survey: Survey, token: str) -> dict[str, Any]:
    """Publish a survey; return its id and fingerprint as the collector says them. Raises RemoteError, TokenError."""
    return _post(f"{url.rstrip('/')}/v1/surveys", survey.canonical, token)


def close(url: str, survey_id: str, token: str) -> dict[str, Any]:
    """Close a survey; return its id and state. Raises RemoteError, TokenError."""
    return _post(f"{url.rstrip('/')}/v1/surveys/{quote(survey_id, safe='')}/close", b"", token)


def _post(url: str, body: bytes, token: str) -> dict[str, Any]:
    _check_token(token)
    try:
        with requests.post(
            url,
            data=body,
            headers={"Content-Type": "application/json", "Accept-Encoding": "identity"},
            auth=_Bearer(token),
            timeout=TIMEOUT_S,
            allow_redirects=False,  # a token goes to the address that was given, and to no other
            stream=True,
        ) as response:
            is_ok = response.ok and not response.is_redirect
            answer = _read(response, url)
    except (requests.RequestException, HTTPError, ValueError) as fault:
        raise RemoteError(f"{url} could not be reached: {_reason(fault)}.") from fault
    if not is_ok:
        problem = Problem.from_response(response.status_code, answer)
        words = " ".join(filter(None, [problem.where, problem.detail]))
        raise RemoteError(f"{url} refused ({problem.status} {problem.code}): {words}")
    return _parse(answer, url)


def _check_token(token: str) -> None:
    """Raise TokenError unless a header can carry the token. The message doesn't quote it: it may be nearly right."""
    if not token or not token.isascii() or not token.isprintable() or " " in token:
        raise TokenError("token must be printable ASCII without spaces, as `sotto token create` printed it.")


def _read(response: requests.Response, url: str) -> bytes:
    body = b""
    for chunk in response.iter_content(_CHUNK_BYTES):
        body += chunk
        if len(body) > MAX_ANSWER_BYTES:
            raise RemoteError(f"{url} must be a collector; its answer has more than {MAX_ANSWER_BYTES} bytes.")
    return body


def _parse(answer: bytes, url: str) -> dict[str, Any]:
    try:
        document = json.loads(answer)
    except (ValueError, RecursionError) as fault:
        raise RemoteError(f"{url} must be a collector; it answered with something else than JSON.") from fault
    if not isinstance(document, dict):
        raise RemoteError(f"{url} must be a collector; it answered with something else than an object.")
    return document


def _reason(fault: BaseException) -> str:
    """Return what lies at the bottom of requests' and urllib3's wrappers, in a few words."""
    if isinstance(fault, ValueError):  # requests' own errors of the URL
        return "the URL must begin with http:// or https://"
    while (inner := fault.__cause__ or fault.__context__) is not None:
        fault = inner
    return getattr(fault, "strerror", None) or type(fault).__name__
