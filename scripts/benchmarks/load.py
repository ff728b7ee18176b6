"""A load generator: prebuilt requests over keep-alive connections, one thread, as little Python as possible."""

import selectors
import socket
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

_END_OF_HEAD = b"\r\n\r\n"


@dataclass(frozen=True)
class Load:
    """What came of a load: answers a second, and the latencies in seconds, sorted."""

    requests_per_s: float
    latencies_s: list[float]

    def latency_ms(self, share: float) -> float:
        return 1000 * self.latencies_s[int(share * (len(self.latencies_s) - 1))]


@dataclass
class _Connection:
    socket: socket.socket
    requests: list[bytes]
    sent_at: float = 0.0
    received: bytearray = field(default_factory=bytearray)

    def send_next(self) -> None:
        self.sent_at = time.perf_counter()
        self.received.clear()
        self.socket.sendall(self.requests.pop())

    def is_answered(self) -> bool:
        head_end = self.received.find(_END_OF_HEAD)
        if head_end < 0:
            return False
        head = bytes(self.received[:head_end]).lower()
        length = int(head.partition(b"content-length:")[2].split(b"\r\n")[0])
        return len(self.received) >= head_end + len(_END_OF_HEAD) + length


def send_all(
    url: str, path: str, bodies: Sequence[bytes], n_connections: int, content_type: str = "application/json"
) -> Load:
    """Send every body once, spread over the connections; raise unless each is answered with 200."""
    target = urlsplit(url)
    requests = [_request(path, body, content_type) for body in bodies]
    latencies: list[float] = []
    with selectors.DefaultSelector() as selector:
        started = time.perf_counter()
        for index in range(min(n_connections, len(requests))):
            opened = socket.create_connection((target.hostname or "", target.port or 80))
            opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection = _Connection(opened, requests[index::n_connections])
            selector.register(opened, selectors.EVENT_READ, connection)
            connection.send_next()
        while selector.get_map():
            for key, _ in selector.select():
                _receive(key.data, selector, latencies)
        elapsed = time.perf_counter() - started
    return Load(len(bodies) / elapsed, sorted(latencies))


def _receive(connection: _Connection, selector: selectors.BaseSelector, latencies: list[float]) -> None:
    received = connection.socket.recv(65536)
    if not received:
        raise ConnectionError("the server closed the connection")
    connection.received += received
    if not connection.is_answered():
        return
    latencies.append(time.perf_counter() - connection.sent_at)
    if not connection.received.startswith(b"HTTP/1.1 200"):
        raise RuntimeError(f"a request failed: {bytes(connection.received[:200]).decode('latin-1')}")
    if connection.requests:
        connection.send_next()
    else:
        selector.unregister(connection.socket)
        connection.socket.close()


def _request(path: str, body: bytes, content_type: str) -> bytes:
    head = f"POST {path} HTTP/1.1\r\nHost: bench\r\nContent-Type: {content_type}\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body
