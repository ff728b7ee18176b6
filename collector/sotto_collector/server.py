"""The server: waitress, threads, with an ending that drains. Nobody but `turns` knows waitress, too."""

import socket
import threading
import time
from collections.abc import Callable
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
from sotto_collector.turns import Turns
from sotto_protocol.problem import CONTENT_TYPE

BODY_MARGIN_BYTES = 64 * 1024
"""So much more than the limit reaches the application, which says what the limit is."""
MAX_HEADER_BYTES = 32 * 1024
STALLED_S = 30  # a connection that says nothing, or takes nothing of its answer, for so long is closed
MAX_UNSENT_BYTES = 2**20
"""A request's thread waits while so much of its answer is not sent yet."""
MAX_ANSWER_BYTES = 2**30
"""Answers of up to so many bytes wait in memory, and never in a temporary file: longer ones come in chunks."""
DRAIN_S = 7.0  # when the server stops, requests being served may take so long to finish,
RECEIVE_S = 1.0  # and requests that may be on their way so long to arrive

_serving = threading.local()  # its `channel` is that whose request the thread serves


class _Task(WSGITask):  # type: ignore[misc]  # waitress has no types
    """Serves a request; while the server stops, it is its connection's last."""

    wrote_header: bool

    def write(self, data: bytes) -> None:
        """Send an answer that is whole in one piece with its header; waitress would send two."""
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
    """Answers what the server itself refuses: with a problem document, where waitress would quote the request."""

    def execute(self) -> None:
        problem = describe_status(self.request.error.code, self.channel.adj.max_request_body_size - BODY_MARGIN_BYTES)
        self.channel.server.count_refusal(problem.code)
        body = problem.to_json()
        self.status = f"{problem.status} {HTTPStatus(problem.status).phrase}"
        self.response_headers.append(("Content-Type", CONTENT_TYPE))
        self.set_close_on_finish()
        self.content_length = len(body)
        self.write(body)


class _Channel(HTTPChannel):  # type: ignore[misc]  # waitress has no types
    task_class = _Task
    error_task_class = _RefusalTask

    def add_channel(self, map: dict[int, Any] | None = None) -> None:
        super().add_channel(map)
        self.server.turns.add(self)

    def del_channel(self, map: dict[int, Any] | None = None) -> None:
        self.server.turns.remove(self)
        super().del_channel(map)

    def service(self) -> None:
        _serving.channel = self
        super().service()

    def send(self, data: bytes, do_close: bool = True) -> int:
        """Send what can be sent. Who has hung up is closed in the server's turns, never in a thread that serves."""
        n_sent: int = super().send(data, do_close=do_close and not hasattr(_serving, "channel"))
        return n_sent


class Server(TcpWSGIServer):  # type: ignore[misc]  # waitress has no types
    """Listens at once, serves in `run`, until `stop`."""

    channel_class = _Channel
    is_stopping = False
    turns: Turns
    count_refusal: Callable[[str], None]
    """Hears the code of every request that is refused before the application sees it."""

    def run(self) -> None:
        """Serve until `stop`, then finish the requests in flight."""
        while not self.is_stopping:
            self._serve_once(self.adj.asyncore_loop_timeout)
            if not self.accepting:
                raise ListenError("the socket that listens was closed by a fault.")  # somebody starts us again
        self._drain()
        for channel in list(self.active_channels.values()):
            channel.handle_close()  # an answer that comes in chunks ends at the next one, and lets go of its snapshot
        self.task_dispatcher.shutdown(timeout=1)
        wasyncore.close_all(self._map)
        self.turns.close()

    def stop(self) -> None:
        """Let `run` end; safe in a signal handler."""
        self.is_stopping = True
        self.pull_trigger()

    def pull_trigger(self) -> None:
        """Wake the thread that takes the turns, where it has to see to the channel that this thread serves."""
        channel = getattr(_serving, "channel", None)
        if channel is None or self.turns.note_change(channel):
            super().pull_trigger()

    def maintenance(self, now: float) -> None:
        """Close connections that stall; waitress leaves those whose request is being served, however long that is."""
        super().maintenance(now)
        for channel in list(self.active_channels.values()):
            # While a request is being served, less than send_bytes waits for what comes behind it, not for the peer.
            is_owed = channel.total_outbufs_len >= (self.adj.send_bytes if channel.requests else 1)
            if is_owed and channel.last_activity < now - self.adj.channel_timeout:
                channel.handle_close()  # its thread hears of it at the next chunk
            elif channel.will_close:
                self.turns.note_change(channel)

    def _serve_once(self, timeout_s: float) -> None:
        if self.accepting:
            self.turns.watch(self)  # asks `readable`, which does the maintenance
        self.turns.take(timeout_s)

    def _drain(self) -> None:
        """Accept nothing more; close each connection that is owed no answer, once no request can be on its way."""
        self._accept_waiting()
        self.accepting = False
        self.turns.remove(self)
        self.del_channel(self._map)
        self.socket.close()
        started = time.monotonic()
        while self.active_channels and (waited := time.monotonic() - started) < DRAIN_S:
            self._serve_once(0.02)  # reads all that had come by then
            for channel in list(self.active_channels.values()):
                is_owed = channel.requests or channel.total_outbufs_len
                if not is_owed and waited > RECEIVE_S and time.time() - channel.last_activity > RECEIVE_S:
                    channel.handle_close()

    def _accept_waiting(self) -> None:
        """Take the connections that were made already: who made them may have sent a request."""
        for _ in range(self.adj.backlog):
            n_before = len(self.active_channels)
            self.handle_accept()
            if len(self.active_channels) == n_before:
                return


def listen(settings: Settings) -> socket.socket:
    """Return a socket that listens; processes that are forked later may share it.

    Raises ListenError where the address cannot be had.
    """
    try:
        host = f"[{settings.host}]" if ":" in settings.host else settings.host
        family, kind, protocol, address = Adjustments(listen=f"{host}:{settings.port}").listen[0]
        listening = socket.socket(family, kind, protocol)
        try:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if family == socket.AF_INET6:
                listening.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            listening.bind(address)
            listening.listen(Adjustments.backlog)
        except OSError:
            listening.close()
            raise
    except (OSError, ValueError) as fault:
        reason = fault.strerror if isinstance(fault, OSError) else "the host is not known"
        raise ListenError(f"cannot listen on {settings.host}:{settings.port}: {reason}.") from fault
    return listening


def say_url(listening: socket.socket) -> str:
    """Return where a socket listens."""
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def make_server(app: Flask, settings: Settings, listening: socket.socket | None = None) -> Server:
    """Return a server on a socket that listens already, or on a new one. Raises ListenError."""
    listening = listening or listen(settings)
    dispatcher, channels = ThreadedTaskDispatcher(), dict[int, Any]()
    sockinfo = (listening.family, listening.type, listening.proto, listening.getsockname())
    server = Server(
        app,
        channels,
        _sock=listening,
        dispatcher=dispatcher,
        adj=_adjust(settings),
        sockinfo=sockinfo,
        bind_socket=False,
    )
    server.turns = Turns(channels)
    server.turns.add(server)
    server.turns.add(server.trigger)
    server.count_refusal = app.extensions["metrics"].count_refusal
    app.extensions["server"] = server
    dispatcher.set_thread_count(settings.threads)
    return server


def _adjust(settings: Settings) -> Adjustments:
    return Adjustments(
        threads=settings.threads,
        connection_limit=settings.max_connections,
        max_request_body_size=settings.max_body_bytes + BODY_MARGIN_BYTES,
        inbuf_overflow=settings.max_body_bytes + 2 * BODY_MARGIN_BYTES,  # a body never goes to a temporary file
        outbuf_high_watermark=MAX_UNSENT_BYTES,
        outbuf_overflow=MAX_ANSWER_BYTES,
        max_request_header_size=MAX_HEADER_BYTES,
        channel_timeout=STALLED_S,
        cleanup_interval=STALLED_S // 3,
        ident=None,  # no Server header
        clear_untrusted_proxy_headers=False,  # nobody reads them
        log_socket_errors=False,  # they name the peer
    )
