"""The server: waitress, one process, with an ending that drains. Nobody else in the collector knows waitress."""

import time
from http import HTTPStatus
from typing import Any

from flask import Flask
from waitress import wasyncore
from waitress.adjustments import Adjustments
from waitress.channel import HTTPChannel
from waitress.server import TcpWSGIServer
from waitress.task import ErrorTask, ThreadedTaskDispatcher, WSGITask

from sotto_collector.errors import ListenError
from sotto_collector.problems import describe_status
from sotto_collector.settings import Settings
from sotto_protocol.problem import CONTENT_TYPE

BODY_MARGIN_BYTES = 64 * 1024
"""So much more than the limit reaches the application, which says what the limit is."""
MAX_HEADER_BYTES = 32 * 1024
SWITCH_INTERVAL_S = 1e-4
"""How long a thread may keep the interpreter while others wait. CPython's 5 ms are paid at every turn that the writer
and the main loop take between the requests' threads; a fiftieth of it answers 1.8 times as many single posts."""
STALLED_S = 30  # a connection that says nothing for so long is closed
DRAIN_S = 7.0  # when the server stops, requests being served may take so long to finish,
RECEIVE_S = 1.0  # and requests still arriving so long to arrive


class _Task(WSGITask):  # type: ignore[misc]  # waitress has no types
    """Serves a request; while the server stops, it is its connection's last."""

    def build_response_header(self) -> bytes:
        if self.channel.server.is_stopping:
            self.set_close_on_finish()
        header: bytes = super().build_response_header()
        return header


class _RefusalTask(ErrorTask):  # type: ignore[misc]  # waitress has no types
    """Answers what the server itself refuses: with a problem document, where waitress would quote the request."""

    def execute(self) -> None:
        problem = describe_status(self.request.error.code)
        body = problem.to_json()
        self.status = f"{problem.status} {HTTPStatus(problem.status).phrase}"
        self.response_headers.append(("Content-Type", CONTENT_TYPE))
        self.set_close_on_finish()
        self.content_length = len(body)
        self.write(body)


class _Channel(HTTPChannel):  # type: ignore[misc]  # waitress has no types
    task_class = _Task
    error_task_class = _RefusalTask


class Server(TcpWSGIServer):  # type: ignore[misc]  # waitress has no types
    """Listens at once, serves in `run`, until `stop`."""

    channel_class = _Channel
    is_stopping = False

    @property
    def url(self) -> str:
        """Where it listens."""
        host = f"[{self.effective_host}]" if ":" in self.effective_host else self.effective_host
        return f"http://{host}:{self.effective_port}"

    def run(self) -> None:
        """Serve until `stop`, then finish the requests in flight."""
        while not self.is_stopping:
            self._serve_once(self.adj.asyncore_loop_timeout)
        self._drain()
        self.task_dispatcher.shutdown(timeout=1)
        wasyncore.close_all(self._map)

    def stop(self) -> None:
        """Let `run` end; safe in a signal handler."""
        self.is_stopping = True
        self.pull_trigger()

    def _serve_once(self, timeout_s: float) -> None:
        wasyncore.loop(timeout=timeout_s, map=self._map, use_poll=True, count=1)

    def _drain(self) -> None:
        """Accept nothing more; close each connection as soon as it is owed no answer."""
        self.accepting = False
        self.del_channel(self._map)
        self.socket.close()
        started = time.monotonic()
        while self.active_channels and (waited := time.monotonic() - started) < DRAIN_S:
            for channel in list(self.active_channels.values()):
                is_owed = channel.requests or channel.total_outbufs_len
                if not is_owed and (channel.request is None or waited > RECEIVE_S):
                    channel.handle_close()
            self._serve_once(0.02)


def make_server(app: Flask, settings: Settings) -> Server:
    """Return a server that listens already. Raises ListenError where the address cannot be had."""
    dispatcher, channels = ThreadedTaskDispatcher(), dict[int, Any]()
    try:
        adjustments = _adjust(settings)
        server = Server(app, channels, dispatcher=dispatcher, adj=adjustments, sockinfo=adjustments.listen[0])
    except (OSError, ValueError) as fault:
        wasyncore.close_all(channels)
        reason = fault.strerror if isinstance(fault, OSError) else "the host is not known"
        raise ListenError(f"cannot listen on {settings.host}:{settings.port}: {reason}.") from fault
    dispatcher.set_thread_count(settings.threads)
    return server


def _adjust(settings: Settings) -> Adjustments:
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    return Adjustments(
        listen=f"{host}:{settings.port}",
        threads=settings.threads,
        connection_limit=settings.max_connections,
        max_request_body_size=settings.max_body_bytes + BODY_MARGIN_BYTES,
        inbuf_overflow=settings.max_body_bytes + 2 * BODY_MARGIN_BYTES,  # a body never goes to a temporary file
        max_request_header_size=MAX_HEADER_BYTES,
        channel_timeout=STALLED_S,
        cleanup_interval=STALLED_S // 3,
        ident=None,  # no Server header
        log_socket_errors=False,  # they name the peer
    )
