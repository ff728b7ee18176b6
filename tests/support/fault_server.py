"""A real HTTP server that misbehaves by script: for tests of the client's delivery."""

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from sotto_protocol import Problem, Survey
from sotto_protocol.problem import CONTENT_TYPE, TYPE_PREFIX

SURVEYS = "/v1/surveys/"


@dataclass(frozen=True)
class Scripted:
    """One reply. `drop`: close the connection after reading. `stall`: say nothing until the server ends."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    drop: bool = False
    stall: bool = False


@dataclass(frozen=True)
class Request:
    """What the server was sent."""

    path: str
    headers: dict[str, str]
    body: bytes


class FaultServer(ThreadingHTTPServer):
    """Publishes `survey`. A POST gets the next reply of `script`; when that is used up, an honest acknowledgement.

    A GET of an address in `by_address` gets that reply instead of the survey.
    """

    def __init__(self, survey: Survey | None) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.survey_reply = Scripted(404, Problem(404, "no_such_survey", "No.").to_json())
        if survey is not None:
            self.survey_reply = Scripted(200, survey.canonical)
        self.by_address: dict[str, Scripted] = {}
        self.script: list[Scripted] = []
        self.gets: list[Request] = []
        self.posts: list[Request] = []
        self.seen: set[str] = set()
        self.admitted: dict[tuple[str, int], str] = {}  # the id of the report, by invitation and wave
        self.ending = threading.Event()
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def next_reply(self, request: Request) -> Scripted:
        with self.lock:
            self.posts.append(request)
            return self.script.pop(0) if self.script else self.acknowledge(request.body)

    def acknowledge(self, body: bytes) -> Scripted:
        reports = json.loads(body)["reports"]
        ids = [report["id"] for report in reports]
        for report in reports:
            place = report.get("invitation", ""), report.get("wave", 1)
            if place[0] and self.admitted.setdefault(place, report["id"]) != report["id"]:
                return Scripted(403, Problem(403, "invitation_invalid", "Used.").to_json())
        counted = sum(report_id not in self.seen for report_id in ids)
        self.seen.update(ids)
        return Scripted(200, json.dumps({"counted": counted, "duplicates": len(ids) - counted}).encode())


class Handler(BaseHTTPRequestHandler):
    server: FaultServer

    def do_GET(self) -> None:  # http.server's name
        self.server.gets.append(Request(self.path, dict(self.headers), b""))
        self.reply(self.server.by_address.get(self.path, self.server.survey_reply))

    def do_POST(self) -> None:  # http.server's name
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.reply(self.server.next_reply(Request(self.path, dict(self.headers), body)))

    def reply(self, reply: Scripted) -> None:
        if reply.stall:
            self.server.ending.wait()
        if reply.drop or reply.stall:
            self.connection.shutdown(socket.SHUT_RDWR)
            return
        self.send_response(reply.status)
        of_body = {"Content-Length": str(len(reply.body))}
        if TYPE_PREFIX.encode() in reply.body:  # as a collector sends its problems
            of_body["Content-Type"] = CONTENT_TYPE
        for name, value in (of_body | reply.headers).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(reply.body)

    def handle(self) -> None:
        try:
            super().handle()
        except OSError:
            return  # the client has hung up: no news

    def finish(self) -> None:
        try:
            super().finish()
        except OSError:
            return

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@contextmanager
def fault_server(survey: Survey | None) -> Iterator[FaultServer]:
    """Serve on a free port of this machine until the block ends."""
    server = FaultServer(survey)
    server.daemon_threads = False  # so that closing waits for them
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield server
    finally:
        server.ending.set()
        server.shutdown()
        thread.join()
        server.server_close()
