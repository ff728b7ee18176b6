"""A connection, as waitress knows one: its requests, the responses, and how long either may take."""

import re
import threading
import time
from http import HTTPStatus
from typing import Any

from sotto_collector.api.problems import describe_status
from sotto_collector.serving.waitress_parts import ErrorTask, HTTPChannel, HTTPRequestParser, ParsingError, WSGITask
from sotto_protocol.problem import CONTENT_TYPE

BODY_MARGIN_BYTES = 64 * 1024
"""Bodies of up to so much above the limit reach the application, whose error names the limit."""
GRACE_S = 2.0
"""A connection that is idle for longer, in seconds, is closed for a new one, where no more can be open."""

_TRANSFER_ENCODING = re.compile(rb"^transfer-encoding:", re.IGNORECASE | re.MULTILINE)

serving = threading.local()
"""In a thread that serves a request, `channel` is the connection that it came on."""


class _Request(HTTPRequestParser):  # type: ignore[misc]  # waitress has no types
    """A request as it is received; `began`: when its first byte came."""

    def __init__(self, adj: Any, began: float) -> None:
        super().__init__(adj)
        self.began = began

    def parse_header(self, header_plus: bytes) -> None:
        """Refuse what two servers may read differently (RFC 9112, 6.1): a request of two lengths, or chunked in 1.0."""
        super().parse_header(header_plus)
        if _TRANSFER_ENCODING.search(header_plus) and ("CONTENT_LENGTH" in self.headers or self.version != "1.1"):
            raise ParsingError("Transfer-Encoding must stand alone")


class _Task(WSGITask):  # type: ignore[misc]  # waitress has no types
    """Serves a request; while the server stops, the last one of its connection."""

    wrote_header: bool

    def write(self, data: bytes) -> None:
        """Send a response that is complete together with its header; waitress would send two pieces."""
        if self.wrote_header or not self.has_body or self.content_length != len(data):
            super().write(data)
        else:
            whole = self.build_response_header() + data
            self.wrote_header = True
            self.content_bytes_written = len(data)
            self.channel.write_soon(whole)

    def build_response_header(self) -> bytes:
        if self.channel.server.is_stopping:
            self.set_close_on_finish()
        header: bytes = super().build_response_header()
        return header


class _RefusalTask(ErrorTask):  # type: ignore[misc]  # waitress has no types
    """Responds to what the server itself refuses with a problem document; waitress would quote the request."""

    def execute(self) -> None:
        problem = describe_status(self.request.error.code, self.channel.adj.max_request_body_size - BODY_MARGIN_BYTES)
        self.channel.server.count_refusal(problem.code)
        body = problem.to_json()
        self.status = f"{problem.status} {HTTPStatus(problem.status).phrase}"
        self.response_headers.append(("Content-Type", CONTENT_TYPE))
        self.set_close_on_finish()
        self.content_length = len(body)
        self.write(body)


class Channel(HTTPChannel):  # type: ignore[misc]  # waitress has no types
    """A connection. All but `service`, `write_soon` and `send` is for the thread that polls."""

    task_class = _Task
    error_task_class = _RefusalTask
    _parsed: _Request | None = None
    waits_since = 0.0
    """When it was opened, or its last request served; as all times here, by the monotonic clock."""
    _n_sent, _sends_since = 0, 0.0

    def parser_class(self, adj: Any) -> _Request:
        """Return the parser of the next request. Empty lines may come before one: its time begins with them."""
        last, self._parsed = self._parsed, _Request(adj, time.monotonic())
        if last is not None and last.empty:
            self._parsed.began = last.began
        return self._parsed

    def add_channel(self, map: dict[int, Any] | None = None) -> None:
        self.waits_since = time.monotonic()
        super().add_channel(map)
        self.server.poller.add(self)

    def del_channel(self, map: dict[int, Any] | None = None) -> None:
        self.server.poller.remove(self)
        super().del_channel(map)

    def service(self) -> None:
        serving.channel = self
        self._n_sent, self._sends_since = 0, 0.0
        super().service()
        self.waits_since = time.monotonic()

    def write_soon(self, data: Any) -> int:
        self._sends_since = self._sends_since or time.monotonic()
        n_taken: int = super().write_soon(data)
        return n_taken

    def send(self, data: bytes, do_close: bool = True) -> int:
        """Send what can be sent. If the peer has hung up, the thread that polls closes it, never one that serves."""
        n_sent: int = super().send(data, do_close=do_close and not hasattr(serving, "channel"))
        self._n_sent += n_sent
        return n_sent

    @property
    def is_owed(self) -> bool:
        """Whether the peer has yet to take part of a response; less than send_bytes may wait for more of it."""
        return bool(self.total_outbufs_len >= (self.adj.send_bytes if self.requests else 1))

    @property
    def is_waiting(self) -> bool:
        """Whether no request of it is being served, and no response is being sent."""
        return not self.requests and not self.total_outbufs_len

    def is_late(self, now: float, timeout_s: float, min_bytes_per_s: int) -> bool:
        """Return whether a request comes, or a response goes, too slowly; each byte of a body allows more time."""
        if self.is_owed:
            began, n_bytes = self._sends_since, self._n_sent
        elif self.is_waiting and self._parsed is not None and (self.request is not None or self._parsed.empty):
            began, n_bytes = max(self._parsed.began, self.waits_since), self._parsed.body_bytes_received
        else:
            return False
        return now - began > timeout_s + n_bytes / min_bytes_per_s
