"""Connections that drip: a beginning, and then a little again and again, each little in time."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress

from collecting import TIMEOUT_S
from crowd import FULL

DRIP_S = 8.0 if FULL else 0.5
HEAD = b"POST /v1/surveys/small/reports HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
DRIPS: dict[str, tuple[bytes, bytes]] = {
    "head": (HEAD + b"X: ", b"a"),
    "body": (HEAD + b"Content-Length: 100000\r\n\r\n", b" "),
    "chunks": (HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n"),
    "empty lines": (b"", b"\r\n"),
}
"""What a connection says first, and what again and again."""


@contextmanager
def dripping(
    connect: Callable[[], socket.socket], n_connections: int, kinds: tuple[str, ...] = tuple(DRIPS)
) -> Iterator[Callable[[], tuple[int, int]]]:
    """Let connections drip, and come again when they are closed; yield (how many were opened, and closed) by then."""
    stopping, n_opened, n_closed = threading.Event(), 0, 0

    def drip() -> None:
        nonlocal n_opened, n_closed
        with ExitStack() as stack:
            held: list[socket.socket | None] = [None] * n_connections
            while not stopping.is_set():
                for number, connection in enumerate(held):
                    first, more = DRIPS[kinds[number % len(kinds)]]
                    try:
                        if connection is None:
                            held[number] = connection = stack.enter_context(connect())
                            connection.sendall(first)
                            n_opened += 1
                        connection.sendall(more)
                    except OSError:
                        n_closed += connection is not None
                        held[number] = None
                    if stopping.is_set():
                        break
                stopping.wait(DRIP_S)

    thread = threading.Thread(target=drip)
    thread.start()
    try:
        yield lambda: (n_opened, n_closed)
    finally:
        stopping.set()
        thread.join(TIMEOUT_S)


def is_cut(slow: socket.socket, kind: str) -> bool:
    """Drip until it is closed; return whether it was, before a test's patience ended."""
    first, more = DRIPS[kind]
    slow.sendall(first)
    slow.settimeout(0.05)
    deadline = time.monotonic() + TIMEOUT_S  # what drips is never cut for its silence
    with suppress(ConnectionError):
        while time.monotonic() < deadline:
            slow.sendall(more)
            with suppress(TimeoutError):
                if not slow.recv(1000):
                    break
    return time.monotonic() < deadline
