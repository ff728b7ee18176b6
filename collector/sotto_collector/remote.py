"""A collector seen from outside: what `sotto publish` and `sotto close` ask of it."""

from typing import Any
from urllib.parse import quote

import requests
from requests.auth import AuthBase

from sotto_collector.errors import RemoteError
from sotto_protocol import Problem, Survey

TIMEOUT_S = 30


class _Bearer(AuthBase):
    """Sends this token; given as auth, so that no ~/.netrc replaces it."""

    def __init__(self, token: str) -> None:
        self._token = token

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        request.headers["Authorization"] = f"Bearer {self._token}"
        return request


def publish(url: str, survey: Survey, token: str) -> dict[str, Any]:
    """Publish a survey; return its id and fingerprint as the collector says them. Raises RemoteError."""
    return _post(f"{url.rstrip('/')}/v1/surveys", survey.canonical, token)


def close(url: str, survey_id: str, token: str) -> dict[str, Any]:
    """Close a survey; return its id and state. Raises RemoteError."""
    return _post(f"{url.rstrip('/')}/v1/surveys/{quote(survey_id, safe='')}/close", b"", token)


def _post(url: str, body: bytes, token: str) -> dict[str, Any]:
    try:
        response = requests.post(
            url,
            data=body,
            headers={"Content-Type": "application/json"},
            auth=_Bearer(token),
            timeout=TIMEOUT_S,
            allow_redirects=False,  # a token goes to the address that was given, and to no other
        )
    except (requests.RequestException, UnicodeError) as fault:
        raise RemoteError(f"{url} could not be reached: {_reason(fault)}.") from fault
    if not response.ok or response.is_redirect:
        problem = Problem.from_response(response.status_code, response.content)
        raise RemoteError(f"{url} refused ({problem.status} {problem.code}): {problem.where} {problem.detail}")
    try:
        document = response.json()
    except requests.JSONDecodeError as fault:
        raise RemoteError(f"{url} must be a collector; it answered with something else than JSON.") from fault
    if not isinstance(document, dict):
        raise RemoteError(f"{url} must be a collector; it answered with something else than an object.")
    return document


def _reason(fault: BaseException) -> str:
    """Return what lies at the bottom of requests' and urllib3's wrappers, in a few words."""
    if isinstance(fault, ValueError):  # requests' own errors of the URL, or a token that no header can carry
        return "the URL must begin with http:// or https://, the token must be ASCII"
    while (inner := fault.__cause__ or fault.__context__) is not None:
        fault = inner
    return getattr(fault, "strerror", None) or type(fault).__name__
