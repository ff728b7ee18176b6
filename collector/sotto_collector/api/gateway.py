"""The gateway of oblivious delivery (RFC 9458): its keys for everybody, and the requests that are encrypted with them.

A request is decrypted, and then served as if it had come by itself: by the same routes, but for a device's alone. The
collector sees the relay's address, nothing of the device's.
"""

import json
import re
import time
from collections.abc import Callable, Iterable
from http import HTTPStatus
from io import BytesIO
from typing import Any

from flask import Blueprint, Flask, Response

from sotto_collector.api.problems import describe_status
from sotto_collector.api.request import get_collector
from sotto_collector.collector import Collector
from sotto_collector.errors import RequestError, refuse
from sotto_collector.gateway import Opened
from sotto_collector.intake.parsing import read_body
from sotto_protocol.binary_http import Headers, InnerRequest, InnerResponse
from sotto_protocol.documents import canonical_json
from sotto_protocol.errors import MessageError
from sotto_protocol.gateway_keys import KEYS_TYPE, SignedKeys
from sotto_protocol.oblivious import (
    GATEWAY_PATH,
    JSON_TYPE,
    KEY_PATH,
    KEY_PROBLEM,
    LEAST_BYTES,
    REQUEST_TYPE,
    RESPONSE_TYPE,
    SIGNED_PATH,
    padded_size,
)
from sotto_protocol.problem import CONTENT_TYPE

gateway = Blueprint("gateway", __name__)

MAX_AGE_S = 3600
"""Relays keep the keys for so many seconds, and give all devices the same meanwhile."""
REFUSED, KEY_REFUSED = 400, "ohttp_key"
"""The status of all that cannot be opened, and the code under which it is counted."""
_ID = "[a-z0-9][a-z0-9_-]{0,63}"
_ALLOWED = {
    "GET": re.compile(f"/v1/surveys/{_ID}"),
    "POST": re.compile(f"/v1/surveys/{_ID}/(reports|erase|invitations/check|invitations/token)"),
}
"""What a device asks for. A gateway that passed on anything else would be an open proxy."""
_KEPT = ("content-type", "retry-after", "sottovoce-restored", "sottovoce-state")
"""The headers of a response that a device reads."""
_SHORTER = 200
"""Characters of a problem's detail that does not fit."""
StartResponse = Callable[..., Any]


@gateway.get(GATEWAY_PATH, provide_automatic_options=False)
def get_keys() -> Response:
    """Give the public keys that requests are encrypted with."""
    return _shared(_find_signed().keys, KEYS_TYPE)


@gateway.get(SIGNED_PATH, provide_automatic_options=False)
def get_signed_keys() -> Response:
    """Give the same keys signed, with their epoch and their last day."""
    return _shared(_find_signed().to_json(), JSON_TYPE)


@gateway.get(KEY_PATH)
def get_identity() -> Response:
    """Give the public key that signs the others: surveys name it, so it never changes."""
    if (identity := get_collector().gateway.identity) is None:
        raise _refuse_none()
    return _shared(canonical_json({"gateway_key": identity.hex()}), JSON_TYPE)


@gateway.post(GATEWAY_PATH, provide_automatic_options=False)
def refuse_request() -> Response:
    """Refuse, where the extra that decrypts is not installed: else `ObliviousPath` has taken the request."""
    raise _refuse_none()


@gateway.route(GATEWAY_PATH, methods=["OPTIONS"])
@gateway.route(SIGNED_PATH, methods=["OPTIONS"])
def allow_pages() -> Response:
    """Let web pages of any origin send to a gateway: what they send is encrypted, and says nothing of who they are."""
    response = Response(status=204)
    response.headers["Access-Control-Allow-Methods"] = "GET, POST"
    response.headers["Access-Control-Allow-Headers"] = "Content-Type"
    response.headers["Access-Control-Max-Age"] = str(MAX_AGE_S)
    return _for_pages(response)


def _find_signed() -> SignedKeys:
    signed = get_collector().gateway.signed
    if signed is None:
        raise _refuse_none()
    return signed


def _refuse_none() -> RequestError:
    return refuse(404, "no_gateway", "this collector has no gateway, or no key that may be used today.")


def _shared(content: bytes, content_type: str) -> Response:
    response = Response(content, content_type=content_type)
    response.headers["Cache-Control"] = f"public, max-age={MAX_AGE_S}"
    return _for_pages(response)


def _for_pages(response: Response) -> Response:
    response.headers["Access-Control-Allow-Origin"] = "*"
    return response


class ObliviousPath:
    """WSGI in front of everything: opens encapsulated requests, has the rest serve what is in them, and seals that."""

    def __init__(self, app: Flask) -> None:
        self._app = app
        self._served = app.wsgi_app
        self._collector: Collector = app.extensions["collector"]

    def __call__(self, environ: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
        is_ours = environ["PATH_INFO"] == GATEWAY_PATH and environ["REQUEST_METHOD"] == "POST"
        if not is_ours or not self._collector.gateway.is_possible:
            return self._served(environ, start_response)
        began = time.perf_counter()
        try:
            opened, inner = self._open(environ)
        except Exception as fault:  # the database's: Flask's handlers turn it into a response
            return self._respond_to(fault, environ)(environ, start_response)
        if opened is None or inner is None:
            return self._finish(began, start_response, REFUSED, CONTENT_TYPE, KEY_PROBLEM)
        sealed = opened.seal(self._serve(inner, environ))
        return self._finish(began, start_response, 200, RESPONSE_TYPE, sealed)

    def _open(self, environ: dict[str, Any]) -> tuple[Opened | None, InnerRequest | None]:
        """Return what was sent, twice None where it cannot be opened or read. Raises StoreUnavailableError."""
        try:
            if environ.get("CONTENT_TYPE") != REQUEST_TYPE:
                return None, None
            body = read_body(environ, self._collector.settings.max_body_bytes)
            opened = self._collector.gateway.open(body)
            return opened, None if opened is None else InnerRequest.from_bytes(opened.request)
        except (RequestError, MessageError):
            return None, None

    def _serve(self, inner: InnerRequest, environ: dict[str, Any]) -> bytes:
        """Return the response to what a device asks for, as long as every other one."""
        allowed = _ALLOWED.get(inner.method)
        if allowed is None or not allowed.fullmatch(inner.path):
            return _write(404, ((_KEPT[0], CONTENT_TYPE),), describe_status(404).to_json(), LEAST_BYTES)
        status, headers, body = self._call(_environ_of(inner, environ))
        kept = tuple((name, headers[name]) for name in _KEPT if name in headers)
        is_survey = inner.method == "GET" and status == 200
        return _write(status, kept, body, 0 if is_survey else LEAST_BYTES)

    def _call(self, environ: dict[str, Any]) -> tuple[int, dict[str, str], bytes]:
        said: list[Any] = []

        def start_response(
            status: str, headers: list[tuple[str, str]], fault: Any = None, /
        ) -> Callable[[bytes], object]:
            said.extend((status, headers))
            return lambda _: None  # nothing of ours writes

        chunks = self._served(environ, start_response)
        try:
            body = b"".join(chunks)
        finally:
            if hasattr(chunks, "close"):
                chunks.close()
        return int(said[0][:3]), {name.lower(): value for name, value in said[1]}, body

    def _finish(
        self, began: float, start_response: StartResponse, status: int, content_type: str, content: bytes
    ) -> Iterable[bytes]:
        if status == REFUSED:
            self._collector.metrics.count_refusal(KEY_REFUSED)
        self._collector.metrics.count_request(GATEWAY_PATH, "POST", status, time.perf_counter() - began)
        headers = [
            ("Content-Type", content_type),
            ("Content-Length", str(len(content))),
            ("Cache-Control", "no-store"),
            ("Access-Control-Allow-Origin", "*"),
        ]
        start_response(f"{status} {HTTPStatus(status).phrase}", headers)
        return [content]

    def _respond_to(self, fault: Exception, environ: dict[str, Any]) -> Response:
        with self._app.request_context(environ):
            return _for_pages(self._app.make_response(self._app.handle_user_exception(fault)))


def _environ_of(inner: InnerRequest, outer: dict[str, Any]) -> dict[str, Any]:
    """Return the request as the routes read it. Nothing of the outer one is in it but where faults are written."""
    return {
        "REQUEST_METHOD": inner.method,
        "SCRIPT_NAME": "",
        "PATH_INFO": inner.path,
        "QUERY_STRING": "",
        "SERVER_NAME": "localhost",
        "SERVER_PORT": "443",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "CONTENT_TYPE": next((value for name, value in inner.headers if name == _KEPT[0]), ""),
        "CONTENT_LENGTH": str(len(inner.body)),
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": "https",
        "wsgi.input": BytesIO(inner.body),
        "wsgi.errors": outer["wsgi.errors"],
        "wsgi.multithread": True,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
    }


def _write(status: int, headers: Headers, body: bytes, size: int) -> bytes:
    """Return a response of this size, or, with 0, of a power of two. A problem that is too long says less."""
    response = InnerResponse(status, headers, body)
    if not size:
        return response.to_bytes(padded_size(len(response.to_bytes())))
    try:
        return response.to_bytes(size)
    except MessageError:
        problem = json.loads(body)
        short = {name: problem[name] for name in ("type", "title", "status", "code")}
        short["detail"] = problem["detail"][:_SHORTER]
        return InnerResponse(status, headers, canonical_json(short)).to_bytes(size)
