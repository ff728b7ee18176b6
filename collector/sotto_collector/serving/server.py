"""The server: waitress and its threads; as it stops it finishes open requests."""

import errno
import logging
import resource
import socket
import sys
import time
from collections.abc import Callable
from typing import Any

from flask import Flask

from sotto_collector.errors import ListenError
from sotto_collector.logs import OURS
from sotto_collector.serving.channel import BODY_MARGIN_BYTES, GRACE_S, Channel, serving
from sotto_collector.serving.poller import Poller
from sotto_collector.serving.waitress_parts import Adjustments, TcpWSGIServer, ThreadedTaskDispatcher, close_all
from sotto_collector.settings import Settings

MAX_HEADER_BYTES = 32 * 1024
STALLED_S = 30  # a connection is closed after so long without anything received, or taken of its response
MAX_UNSENT_BYTES = 2**20
"""A request's thread waits while so much of its response is not sent yet."""
MAX_BUFFERED_BYTES = 2**30
"""Responses of up to so many bytes wait in memory, never in a temporary file: longer ones are sent in chunks."""
DRAIN_S = 7.0  # when the server stops, requests being served may take so long to finish,
RECEIVE_S = 1.0  # and requests that may be on their way so long to arrive

RESERVED_DESCRIPTORS = 48
"""So many are left for the database, the log and whatever else a process opens."""

PAUSE_S = 0.1
"""After the system had no descriptor left, nothing is accepted for so many seconds."""

log = logging.getLogger(OURS)


class Server(TcpWSGIServer):  # type: ignore[misc]  # waitress has no types
    """Listens at once, serves in `run`, until `stop`."""

    channel_class = Channel
    is_stopping = False
    poller: Poller
    count_refusal: Callable[[str], None]
    """Called with the code of every request that is refused before the application sees it."""
    _accepts_at = 0.0
    max_connections: int
    request_timeout_s: int
    min_bytes_per_s: int

    def run(self) -> None:
        """Serve until `stop`, then finish the requests in flight."""
        while not self.is_stopping:
            self._serve_once(self.adj.asyncore_loop_timeout)
            if not self.accepting:
                raise ListenError(
                    "the socket that listens was closed by a fault."
                )  # a supervisor starts the program again
        self._drain()
        for channel in list(self.active_channels.values()):
            channel.handle_close()  # a response sent in chunks ends at the next one, and closes its snapshot
        self.task_dispatcher.shutdown(timeout=1)
        close_all(self._map)
        self.poller.close()

    def stop(self) -> None:
        """Let `run` end; safe in a signal handler."""
        self.is_stopping = True
        self.pull_trigger()

    def pull_trigger(self) -> None:
        """Wake the thread that polls, if the channel that this thread serves needs it."""
        channel = getattr(serving, "channel", None)
        if channel is None or self.poller.note_change(channel):
            super().pull_trigger()

    def maintenance(self, now: float) -> None:
        """Close connections that stall, or are too slow; waitress leaves those whose request is being served."""
        super().maintenance(now)
        for channel in list(self.active_channels.values()):
            is_stalled = channel.is_owed and channel.last_activity < now - self.adj.channel_timeout
            if is_stalled or channel.is_late(time.monotonic(), self.request_timeout_s, self.min_bytes_per_s):
                channel.handle_close()  # its thread notices at the next chunk
            elif channel.will_close:
                self.poller.note_change(channel)

    def readable(self) -> bool:
        """Return whether one more connection can be open, now or once another is closed; first do the maintenance."""
        is_accepting: bool = super().readable() and time.monotonic() >= self._accepts_at
        return is_accepting and (len(self.active_channels) < self.max_connections or self._find_idle() is not None)

    def handle_accept(self) -> None:
        """Accept a connection; where no more can be open, close the one that is idle for longest."""
        if len(self.active_channels) >= self.max_connections and not self.is_stopping:
            self._close_idle()
        super().handle_accept()

    def accept(self) -> tuple[socket.socket, Any] | None:
        try:
            accepted: tuple[socket.socket, Any] | None = super().accept()
        except OSError as fault:
            if fault.errno not in (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM):
                raise
            self._accepts_at = time.monotonic() + PAUSE_S  # the same connection would be reported again and again
            self._close_idle()
            return None
        return accepted

    def _close_idle(self) -> None:
        log.warning("the highest number of connections is open; idle ones are closed for new ones")
        if (idle := self._find_idle()) is not None:
            idle.handle_close()

    def _find_idle(self) -> Channel | None:
        """Return the connection that has waited longest without a request, if one has for long enough."""
        waiting = [channel for channel in self.active_channels.values() if channel.is_waiting]
        longest = min(waiting, key=lambda channel: channel.waits_since, default=None)
        return longest if longest is not None and time.monotonic() - longest.waits_since > GRACE_S else None

    def _serve_once(self, timeout_s: float) -> None:
        if self.accepting:
            self.poller.watch(self)  # calls `readable`, which does the maintenance
        self.poller.poll(timeout_s)

    def _drain(self) -> None:
        """Accept nothing more; close each connection that waits for no response, once no request can be on its way."""
        self._accept_waiting()
        self.accepting = False
        self.poller.remove(self)
        self.del_channel(self._map)
        self.socket.close()
        started = time.monotonic()
        while self.active_channels and (waited := time.monotonic() - started) < DRAIN_S:
            self._serve_once(0.02)  # reads all that has come by then
            for channel in list(self.active_channels.values()):
                is_owed = channel.requests or channel.total_outbufs_len
                if not is_owed and waited > RECEIVE_S and time.time() - channel.last_activity > RECEIVE_S:
                    channel.handle_close()

    def _accept_waiting(self) -> None:
        """Accept the connections that were made already: a request may have been sent on them."""
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
    server.max_connections = _count_connections(settings.max_connections)
    server.request_timeout_s, server.min_bytes_per_s = settings.request_timeout_s, settings.min_bytes_per_s
    server.poller = Poller(channels)
    server.poller.add(server)
    server.poller.add(server.trigger)
    server.count_refusal = app.extensions["metrics"].count_refusal
    app.extensions["server"] = server
    dispatcher.set_thread_count(settings.threads)
    return server


def _count_connections(wanted: int) -> int:
    """Return how many of the wanted connections can be open at once; raise the process's limit if allowed."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = wanted + RESERVED_DESCRIPTORS
    if soft != resource.RLIM_INFINITY and soft < needed:
        soft = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        if soft < needed:
            wanted = max(1, soft - RESERVED_DESCRIPTORS)
            log.warning("at most %d connections can be open: the system allows %d descriptors", wanted, soft)
    return wanted


def _adjust(settings: Settings) -> Adjustments:
    return Adjustments(
        threads=settings.threads,
        connection_limit=sys.maxsize,  # the server counts them
        max_request_body_size=settings.max_body_bytes + BODY_MARGIN_BYTES,
        inbuf_overflow=settings.max_body_bytes + 2 * BODY_MARGIN_BYTES,  # a body never goes to a temporary file
        outbuf_high_watermark=MAX_UNSENT_BYTES,
        outbuf_overflow=MAX_BUFFERED_BYTES,
        max_request_header_size=MAX_HEADER_BYTES,
        channel_timeout=STALLED_S,
        cleanup_interval=1,
        ident=None,  # no Server header
        clear_untrusted_proxy_headers=False,  # nothing reads them
        log_socket_errors=False,  # they name the peer
    )
