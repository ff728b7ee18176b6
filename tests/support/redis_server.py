"""A real Redis server of this machine, on a port of its own, which can be killed and started again."""

import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import redis

SERVER = shutil.which("redis-server")
needs_redis = pytest.mark.skipif(SERVER is None, reason="redis-server is not there: .ci/run installs it")
_TIMEOUT_S = 30


@dataclass
class RedisServer:
    """Writes each command to its disk before it answers, as a queue must that answers for others."""

    folder: Path
    port: int
    password: str = ""
    _client: Any = None
    _process: "list[subprocess.Popen[bytes]]" = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}"

    @property
    def client(self) -> Any:
        self._client = self._client or redis.Redis(port=self.port, password=self.password or None, protocol=2)
        return self._client

    def start(self) -> None:
        assert SERVER is not None
        options = {"port": self.port, "bind": "127.0.0.1", "dir": self.folder, "appendonly": "yes"}
        options |= {"appendfsync": "always", "save": ""} | ({"requirepass": self.password} if self.password else {})
        arguments = [text for name, value in options.items() for text in (f"--{name}", str(value))]
        self._process.append(subprocess.Popen([SERVER, *arguments], stdout=subprocess.DEVNULL))
        ends = time.monotonic() + _TIMEOUT_S
        while True:
            try:
                self.client.ping()
                return
            except redis.ConnectionError:
                assert time.monotonic() < ends, "redis-server does not answer"
                time.sleep(0.02)

    def kill(self) -> None:
        while self._process:
            process = self._process.pop()
            process.kill()
            process.wait()

    def put(self, survey: str, body: bytes, stream: str = "sotto") -> None:
        self.client.xadd(stream, {"survey": survey, "body": body})

    def entries(self, stream: str = "sotto") -> list[dict[str, str]]:
        return [
            {name.decode(): value.decode(errors="replace") for name, value in fields.items()}
            for _, fields in self.client.xrange(stream)
        ]


@contextmanager
def redis_server(folder: Path, password: str = "") -> Iterator[RedisServer]:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    server = RedisServer(folder, port, password)
    server.start()
    try:
        yield server
    finally:
        server.kill()
