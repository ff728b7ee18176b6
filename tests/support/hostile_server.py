"""Real servers that are out to hold a client up: each connection is led on for as long as the server lives."""

import contextlib
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

DRIP_S = 0.05
"""Between two pieces: far less than any limit of a silence, as 9 s are beside 10."""

Hold = Callable[[socket.socket, threading.Event], None]


def _drip(connection: socket.socket, ending: threading.Event, begin: bytes, piece: bytes) -> None:
    connection.sendall(begin)
    while not ending.wait(DRIP_S):
        connection.sendall(piece)


def _say_nothing(connection: socket.socket, ending: threading.Event) -> None:
    ending.wait()


def _dripping(begin: bytes, piece: bytes) -> Hold:
    def hold(connection: socket.socket, ending: threading.Event) -> None:
        connection.recv(65536)
        _drip(connection, ending, begin, piece)

    return hold


OK = b"HTTP/1.1 200 OK\r\n"
HOLDS: dict[str, Hold] = {
    "accepts without a word": _say_nothing,
    "says endless 100 Continue": _dripping(b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "says endless 100 Continue, at once": _dripping(
        b"HTTP/1.1 100 Continue\r\n\r\n" * 1000, b"HTTP/1.1 100 Go\r\n\r\n"
    ),
    "drips its status line": _dripping(b"HTTP/1.1 200 ", b"O"),
    "drips its headers": _dripping(OK + b"X: ", b"x"),
    "drips its body": _dripping(OK + b"Content-Length: 60000\r\n\r\n", b" "),
    "drips chunks": _dripping(OK + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n"),
    "drips a body without an end": _dripping(OK + b"\r\n", b" "),
}


class HostileServer:
    """Listens on a free port of this machine. `held`: connections led on so far; `left`: those that were left."""

    def __init__(self, hold: Hold) -> None:
        self._hold = hold
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.ending = threading.Event()
        self.held = threading.Semaphore(0)
        self.left = threading.Semaphore(0)
        self._threads = [threading.Thread(target=self._accept)]
        self._threads[0].start()

    @property
    def port(self) -> int:
        return int(self._listening.getsockname()[1])

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def _accept(self) -> None:
        while not self.ending.is_set():
            with contextlib.suppress(OSError):
                connection, _ = self._listening.accept()
                thread = threading.Thread(target=self._lead_on, args=(connection,))
                self._threads.append(thread)
                thread.start()

    def _lead_on(self, connection: socket.socket) -> None:
        with connection:
            self.held.release()
            try:
                self._hold(connection, self.ending)
            except OSError:
                self.left.release()

    def close(self) -> None:
        self.ending.set()
        with contextlib.suppress(OSError):  # wakes `accept`
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        for thread in self._threads:
            thread.join()


@contextmanager
def hostile_server(hold: Hold) -> Iterator[HostileServer]:
    """Lead clients on until the block ends."""
    server = HostileServer(hold)
    try:
        yield server
    finally:
        server.close()


def under_tls(hold: Hold, certificate: Path, key: Path) -> Hold:
    """Return the same after an honest handshake."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)

    def held(connection: socket.socket, ending: threading.Event) -> None:
        with context.wrap_socket(connection, server_side=True) as inside:
            hold(inside, ending)

    return held


def as_proxy(hold: Hold) -> Hold:
    """Return the same behind an honest answer to CONNECT."""

    def held(connection: socket.socket, ending: threading.Event) -> None:
        connection.recv(65536)
        connection.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
        hold(connection, ending)

    return held
