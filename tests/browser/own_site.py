"""Servers of a test's own: a page of somebody else's that embeds the client, and a collector that was broken into."""

import hashlib
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from functools import partial
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from collecting import TIMEOUT_S
from sotto_protocol import Survey

HERE = Path(__file__).parent
TYPES = {".html": "text/html", ".js": "text/javascript", ".mjs": "text/javascript", ".json": "application/json"}
_OF_CONNECTION = ("connection", "content-length", "date", "etag", "server", "transfer-encoding")

Tamper = Callable[[str, bytes], bytes]
"""From a path and what the collector answers to what is answered in its place."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""

    def handle(self) -> None:
        try:
            super().handle()
        except OSError:
            return  # the browser has hung up: no news


class _Pages(_Handler):
    """Serves files from memory, under the path that names them."""

    def __init__(self, pages: Mapping[str, bytes], *args: Any) -> None:
        self._pages = pages
        super().__init__(*args)

    def do_GET(self) -> None:  # http.server's name
        found = self._pages.get(self.path)
        kind = TYPES.get(Path(self.path).suffix, "text/plain")
        self.answer(404 if found is None else 200, {"Content-Type": f"{kind}; charset=utf-8"}, found or b"")


class _Broken(_Handler):
    """Passes everything on to a collector, and changes what it answers."""

    def __init__(self, port: int, tamper: Tamper, *args: Any) -> None:
        self._port = port
        self._tamper = tamper
        super().__init__(*args)

    def pass_on(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        with closing(HTTPConnection("127.0.0.1", self._port, timeout=TIMEOUT_S)) as collector:
            collector.request(self.command, self.path, body or None, dict(self.headers))
            answer = collector.getresponse()
            kept = {name: value for name, value in answer.getheaders() if name.lower() not in _OF_CONNECTION}
            self.answer(answer.status, kept, self._tamper(self.path, answer.read()))

    do_GET = do_POST = do_OPTIONS = pass_on  # noqa: N815  # http.server's names


@contextmanager
def _serve(handler: Callable[..., BaseHTTPRequestHandler]) -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def understating(survey: Survey) -> Tamper:
    """Declare epsilon 1 where a survey of one question takes 5, on every page and in every answer, and stand by it."""
    declared = survey.canonical.replace(b'"epsilon":5', b'"epsilon":1')
    assert declared.count(b'"epsilon":1') == 2
    fingerprint = hashlib.sha256(declared).hexdigest().encode()

    def understate(path: str, answer: bytes) -> bytes:
        is_survey = path == f"/v1/surveys/{survey.id}"
        return declared if is_survey else answer.replace(survey.fingerprint.encode(), fingerprint)

    return understate


def blank(title: str) -> bytes:
    """Return a page that does nothing, and asks for no icon."""
    return f'<!doctype html><html lang="en"><link rel="icon" href="data:,"><title>{title}</title>'.encode()


@contextmanager
def site_of(pages: Mapping[str, bytes]) -> Iterator[str]:
    """Serve some files on a free port of this machine until the block ends; yield the address."""
    with _serve(partial(_Pages, pages)) as url:
        yield url


@contextmanager
def broken_into(port: int, tamper: Tamper) -> Iterator[str]:
    """Stand in a collector's place and change what it says, until the block ends; yield the address."""
    with _serve(partial(_Broken, port, tamper)) as url:
        yield url
