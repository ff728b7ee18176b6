"""The wire between two programs, as a browser and a collector: it can be cut, and every byte that is sent is kept."""

import socket
import socketserver
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass


@dataclass(frozen=True)
class Sent:
    """A request, as it went over the wire: its head's bytes, and the same taken apart."""

    head: bytes
    body: bytes

    @property
    def method(self) -> str:
        return self.head.split(b" ", 1)[0].decode()

    @property
    def target(self) -> str:
        return self.head.split(b" ", 2)[1].decode()

    @property
    def headers(self) -> dict[str, str]:
        """By name, in lower case."""
        lines = self.head.decode("latin-1").split("\r\n")[1:]
        return {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}


class Wire(socketserver.ThreadingTCPServer):
    """Passes on to a port of this machine whatever comes, and back."""

    daemon_threads = True

    def __init__(self, port: int) -> None:
        super().__init__(("127.0.0.1", 0), _Connection)
        self.port = port
        self.is_cut = False
        self.is_mute = False
        self._received: list[bytearray] = []
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def cut(self) -> None:
        """Let nothing through from now on; who connects is hung up on."""
        with self._lock:
            self.is_cut = True
            for end in self._open:
                with suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)

    def mute(self) -> None:
        """Keep from the browser whatever the collector says from now on."""
        self.is_mute = True

    def mend(self) -> None:
        """Let everything through again."""
        self.is_cut = self.is_mute = False

    def received(self) -> list[bytes]:
        """Return all that browsers sent, a string for each connection."""
        with self._lock:
            return [bytes(stream) for stream in self._received]

    def requests(self) -> list[Sent]:
        """Return the whole requests among it, in each connection's order."""
        return [request for stream in self.received() for request in _split(stream)]

    def posts(self) -> list[Sent]:
        return [request for request in self.requests() if request.method == "POST"]

    def join(self, end: socket.socket) -> bool:
        """Note an end of a connection; False where the wire is cut."""
        with self._lock:
            self._open.add(end)
            return not self.is_cut

    def leave(self, end: socket.socket) -> None:
        with self._lock:
            self._open.discard(end)

    def start_stream(self) -> bytearray:
        with self._lock:
            self._received.append(stream := bytearray())
        return stream

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing: browsers hang up as they like."""


class _Connection(socketserver.BaseRequestHandler):
    server: Wire

    def handle(self) -> None:
        with socket.create_connection(("127.0.0.1", self.server.port)) as collector:
            ends = (self.request, collector)
            if all(list(map(self.server.join, ends))):
                back = threading.Thread(target=_pass_on, args=(collector, self.request, self._hear), daemon=True)
                back.start()
                stream = self.server.start_stream()
                _pass_on(self.request, collector, lambda part: stream.extend(part) or part)
                back.join()
            for end in ends:
                self.server.leave(end)

    def _hear(self, part: bytes) -> bytes:
        return b"" if self.server.is_mute else part


def _pass_on(source: socket.socket, target: socket.socket, through: Callable[[bytes], bytes]) -> None:
    with suppress(OSError):
        while part := source.recv(65536):
            target.sendall(through(part))
    for end in (source, target):
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)


def _split(stream: bytes) -> Iterator[Sent]:
    """Take apart the requests of one connection; one that was cut off is left out."""
    while b"\r\n\r\n" in stream:
        head, _, rest = stream.partition(b"\r\n\r\n")
        length = int(Sent(head, b"").headers.get("content-length", "0"))
        if len(rest) < length:
            return
        yield Sent(head, rest[:length])
        stream = rest[length:]


@contextmanager
def wire_to(port: int) -> Iterator[Wire]:
    """Lay a wire to a port of this machine until the block ends."""
    with Wire(port) as wire:
        thread = threading.Thread(target=wire.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield wire
        finally:
            wire.shutdown()
            wire.cut()
            thread.join()
