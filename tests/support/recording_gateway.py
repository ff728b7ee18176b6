"""A gateway that opens nothing: it answers each request with its bytes reversed, and keeps what it saw."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from sotto_protocol.gateway_keys import SignedKeys


@dataclass
class Seen:
    """The requests that came, in order, and how the next ones are answered."""

    url: str = ""
    requests: list[tuple[int, dict[str, str], bytes]] = field(default_factory=list)
    """Of each: the number of its connection, its headers, its body."""
    n_asked_keys: int = 0
    epoch: int = 7
    keys: bytes = b"keys"
    status: int = 200
    content_type: str = "message/ohttp-res"
    cut: bool = False
    delay_s: float = 0.0
    """So long it takes for each request."""

    @property
    def signed(self) -> bytes:
        return SignedKeys(self.epoch, self.keys, "2026-12-31", bytes(64)).to_json()


@contextmanager
def recording_gateway() -> Iterator[Seen]:
    """Serve one on a free port of this machine, until the block ends."""
    seen = Seen()
    connections: list[object] = []

    class Handler(BaseHTTPRequestHandler):
        wbufsize = -1  # a reply in one piece
        protocol_version = "HTTP/1.1"

        def setup(self) -> None:
            super().setup()
            connections.append(self)

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            seen.requests.append((connections.index(self), dict(self.headers), body))
            time.sleep(seen.delay_s)
            self._reply(seen.status, seen.content_type, body[::-1])

        def do_GET(self) -> None:
            seen.n_asked_keys += 1
            self._reply(seen.status, "application/json", seen.signed)

        def _reply(self, status: int, content_type: str, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", content_type)
            self.send_header("Content-Length", str(len(body) + seen.cut))
            self.end_headers()
            self.wfile.write(body)
            self.close_connection = seen.cut

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = Thread(target=server.serve_forever)
    thread.start()
    seen.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield seen
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
