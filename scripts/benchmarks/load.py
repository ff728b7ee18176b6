"""A load generator: prebuilt requests over keep-alive connections, as little Python as possible between them."""

import socket
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit


@dataclass(frozen=True)
class Load:
    """What came of a load: answers a second, and the latencies in seconds, sorted."""

    requests_per_s: float
    latencies_s: list[float]

    def latency_ms(self, share: float) -> float:
        return 1000 * self.latencies_s[int(share * (len(self.latencies_s) - 1))]


def send_all(url: str, path: str, bodies: Sequence[bytes], n_connections: int) -> Load:
    """Send every body once, spread over the connections; raise unless each is answered with 200."""
    target = urlsplit(url)
    address = (target.hostname or "", target.port or 80)
    requests = [_request(path, body) for body in bodies]
    shares = [requests[index::n_connections] for index in range(n_connections)]
    latencies: list[list[float]] = [[] for _ in shares]
    failures: list[str] = []
    threads = [
        threading.Thread(target=_send_some, args=(address, share, taken, failures))
        for share, taken in zip(shares, latencies, strict=True)
    ]
    started = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    elapsed = time.perf_counter() - started
    if failures:
        raise RuntimeError(f"{len(failures)} requests failed, the first with: {failures[0]}")
    return Load(len(bodies) / elapsed, sorted(second for taken in latencies for second in taken))


def _request(path: str, body: bytes) -> bytes:
    head = (
        f"POST {path} HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


def _send_some(address: tuple[str, int], requests: list[bytes], latencies: list[float], failures: list[str]) -> None:
    with socket.create_connection(address) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for request in requests:
            started = time.perf_counter()
            connection.sendall(request)
            answer = _read_answer(connection)
            latencies.append(time.perf_counter() - started)
            if not answer.startswith(b"HTTP/1.1 200"):
                failures.append(answer[:200].decode("latin-1"))


def _read_answer(connection: socket.socket) -> bytes:
    answer = b""
    while b"\r\n\r\n" not in answer:
        answer += _receive(connection)
    head, _, body = answer.partition(b"\r\n\r\n")
    length = next(int(line[15:]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:"))
    while len(body) < length:
        body += _receive(connection)
    return head + b"\r\n\r\n" + body


def _receive(connection: socket.socket) -> bytes:
    received = connection.recv(65536)
    if not received:
        raise ConnectionError("the server closed the connection")
    return received
