"""A relay, and a collector's own address, in this process: what comes is noted, a fault may spoil what goes back."""

import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple

from flask import Flask


class Came(NamedTuple):
    """A request that came."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


class Answer(NamedTuple):
    """What goes back."""

    status: int
    content_type: str
    body: bytes


Fault = Callable[[Answer], Answer]


class Front(ThreadingHTTPServer):
    """Passes requests on to an app. `spoil_posts`, `spoil_gets`: what is done to the next answers, one each."""

    daemon_threads = True

    def __init__(self, app: Flask) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.app = app
        self.came: list[Came] = []
        self.spoil_posts: deque[Fault] = deque()
        self.spoil_gets: deque[Fault] = deque()
        self.answers: list[Answer] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing: devices hang up as they like."""

    def of(self, method: str) -> list[Came]:
        return [each for each in self.came if each.method == method]

    def pass_on(self, came: Came) -> Answer:
        self.came.append(came)
        sent = {"data": came.body, "content_type": came.headers.get("Content-Type")} if came.body else {}
        headers = {name: value for name, value in came.headers.items() if name == "Authorization"}
        answered = self.app.test_client().open(came.path, method=came.method, headers=headers, **sent)
        answer = Answer(answered.status_code, answered.content_type or "", answered.data)
        self.answers.append(answer)
        spoil = self.spoil_posts if came.method == "POST" else self.spoil_gets
        return spoil.popleft()(answer) if spoil else answer


class _Handler(BaseHTTPRequestHandler):
    server: Front

    def _answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        answer = self.server.pass_on(Came(self.command, self.path, dict(self.headers), body))
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.content_type)
        self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        self.wfile.write(answer.body)

    do_GET = do_POST = _answer  # noqa: N815  # http.server's names

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def front_of(app: Flask) -> Iterator[Front]:
    """Serve an app on a port of its own until the block ends."""
    with Front(app) as front:
        thread = threading.Thread(target=front.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield front
        finally:
            front.shutdown()
            thread.join()
