"""The proxies of deploy/, real ones, in front of a port: all that one writes is in its folder."""

import os
import shutil
import socket
import ssl
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from collecting import TIMEOUT_S, wait_until
from postgres_server import free_port

DEPLOY = Path(__file__).parents[2] / "deploy"
PEER = "127.0.0.77"
"""The address that the tests' clients come from: nothing else has it."""
CANARY = "c4n4ry"
CANARY_ADDRESS = "203.0.113.77"
CANARY_HEADERS = {
    "User-Agent": f"{CANARY}-agent/1.0",
    "X-Forwarded-For": CANARY_ADDRESS,
    "X-Forwarded-Host": f"{CANARY}.example.org",
    "Forwarded": f"for={CANARY_ADDRESS}",
    "X-Real-IP": CANARY_ADDRESS,
    "Via": f"1.1 {CANARY}-proxy",
    "Cookie": f"session={CANARY}-cookie",
    "Referer": f"http://{CANARY}-referer/",
    "From": f"{CANARY}@example.org",
    "X-Request-Id": f"{CANARY}-request",
}


@dataclass(frozen=True)
class Proxy:
    """A proxy that runs: where it listens for TLS, and without, if it does; `folder` has its files and streams."""

    process: "subprocess.Popen[bytes]"
    port: int
    folder: Path
    plain_port: int | None

    @property
    def url(self) -> str:
        return f"https://localhost:{self.port}"

    @property
    def certificate(self) -> Path:
        return self.folder / "cert.pem"

    def connect(self, port: int | None = None, address: str = PEER, receive_bytes: int | None = None) -> socket.socket:
        """Return a connection from an address, without TLS yet; `receive_bytes`: what may come before it is read."""
        connection = socket.socket()
        if receive_bytes:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
        connection.settimeout(TIMEOUT_S)
        connection.bind((address, 0))
        connection.connect(("127.0.0.1", port or self.port))
        return connection

    def connect_tls(
        self,
        name: str = "localhost",
        protocol: str = "http/1.1",
        address: str = PEER,
        receive_bytes: int | None = None,
    ) -> ssl.SSLSocket:
        """Return one behind its handshake."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # without the system's certificates: to read them takes 25 ms
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        context.set_alpn_protocols([protocol])
        connection = self.connect(address=address, receive_bytes=receive_bytes)
        return context.wrap_socket(connection, server_hostname=name)

    def holds(self, connection: socket.socket) -> bool:
        """Whether the proxy's end of a connection is open still: what it has closed is the system's, or gone."""
        address, port = connection.getsockname()
        theirs = f"{socket.inet_aton(address)[::-1].hex().upper()}:{port:04X}"
        rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
        return any(row[2] == theirs and row[9] != "0" for row in rows)

    def ask(self, method: str, path: str, body: bytes = b"", address: str = PEER) -> tuple[int, bytes]:
        """Return (status, the answer) of a request from an address, with a canary in every header that has room."""
        with closing(self.connect_tls(address=address)) as connection:
            with suppress(OSError):  # refused before it was all sent
                connection.sendall(head_of(method, path, len(body)) + body)
            received = read_all(connection)
        return int(received.split(b" ", 2)[1]) if received else 0, received


def head_of(method: str, path: str, n_bytes: int) -> bytes:
    """Return the head of a request that is full of canaries."""
    lines = [f"{method} {path}?q={CANARY} HTTP/1.1", "Host: localhost", "Connection: close"]
    lines += [f"{name}: {value}" for name, value in CANARY_HEADERS.items()]
    lines += ["Content-Type: application/json", f"Content-Length: {n_bytes}", "", ""]
    return "\r\n".join(lines).encode()


def read_all(connection: socket.socket) -> bytes:
    received = bytearray()
    with suppress(OSError):
        while part := connection.recv(65536):
            received += part
    return bytes(received)


def make_certificate(folder: Path) -> None:
    """Write key.pem and cert.pem, of a machine called localhost; the latter is also what to trust."""
    words = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]
    names = [
        "-subj",
        "/CN=localhost",
        "-addext",
        "subjectAltName=DNS:localhost",
        "-keyout",
        folder / "key.pem",
        "-out",
        folder / "cert.pem",
    ]
    subprocess.run([*words, *names], check=True, capture_output=True, timeout=TIMEOUT_S)


def replace_all(text: str, changes: Mapping[str, str]) -> str:
    """Return a text with changes, of which each must find its place."""
    for old, new in changes.items():
        assert old in text, old
        text = text.replace(old, new)
    return text


def write_nginx(folder: Path, port: int, upstream: int, changes: Mapping[str, str]) -> list[str]:
    """Write deploy/nginx.conf with this test's files and ports; return the command."""
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    here = {
        "user www-data;": f"daemon off; {'user root;' if os.geteuid() == 0 else ''}",
        "/run/nginx.pid": f"{folder}/nginx.pid",
        "/var/log/nginx/error.log": f"{folder}/error.log",
        "types_hash_max_size 2048;": "".join(f"{kind}_temp_path {folder}/{kind}; " for kind in kinds),
        "127.0.0.1:8000": f"127.0.0.1:{upstream}",
        "listen 443 ssl": f"listen 127.0.0.1:{port} ssl",
        "/etc/ssl/collector.example.org.pem": f"{folder}/cert.pem",
        "/etc/ssl/private/collector.example.org.key": f"{folder}/key.pem",
    }
    (folder / "nginx.conf").write_text(replace_all((DEPLOY / "nginx.conf").read_text(), here | changes))
    return ["nginx", "-e", f"{folder}/early.log", "-p", f"{folder}", "-c", f"{folder}/nginx.conf"]


def write_caddy(folder: Path, port: int, plain_port: int, changes: Mapping[str, str]) -> list[str]:
    """Write deploy/Caddyfile with this test's certificate and ports; return the command."""
    site = "{$SOTTO_SITE:collector.example.org} {"
    here = {
        "admin off\n": f"admin off\nhttp_port {plain_port}\nhttps_port {port}\ndefault_bind 127.0.0.1\n",
        site: f"{site}\ntls {folder}/cert.pem {folder}/key.pem\n",
    }
    (folder / "Caddyfile").write_text(replace_all((DEPLOY / "Caddyfile").read_text(), here | changes))
    return ["caddy", "run", "--config", f"{folder}/Caddyfile", "--adapter", "caddyfile"]


@contextmanager
def proxied(
    program: str,
    folder: Path,
    upstream: int,
    changes: Mapping[str, str] | None = None,
    n_descriptors: int | None = None,
) -> Iterator[Proxy]:
    """Run nginx or Caddy with deploy/'s configuration in front of a port until the block ends.

    `n_descriptors`: the soft limit that it is started with.
    """
    folder.mkdir()
    make_certificate(folder)
    port, plain_port = free_port(), None
    if program == "nginx":
        command = write_nginx(folder, port, upstream, changes or {})
    else:
        plain_port = free_port()
        command = write_caddy(folder, port, plain_port, changes or {})
    if n_descriptors is not None:
        command = ["sh", "-c", f'ulimit -Sn {n_descriptors}; exec "$@"', "sh", *command]
    with run_proxy(command, folder, {"SOTTO_SITE": "localhost", "SOTTO_UPSTREAM": f"127.0.0.1:{upstream}"}) as process:
        proxy = Proxy(process, port, folder, plain_port)
        wait_until(lambda: does_listen(proxy))
        yield proxy


@contextmanager
def run_proxy(command: list[str], folder: Path, env: Mapping[str, str]) -> Iterator["subprocess.Popen[bytes]"]:
    """Run a proxy's program whose home is a folder, and whose streams go there, until the block ends."""
    homes = {name: str(folder) for name in ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME")}
    with (folder / "output.log").open("wb") as output:
        process = subprocess.Popen(
            command, stdout=output, stderr=output, cwd=folder, env={**os.environ, **homes, **env}
        )
        try:
            yield process
        finally:
            process.terminate()
            process.wait(TIMEOUT_S)


def does_listen(proxy: Proxy) -> bool:
    assert proxy.process.poll() is None, (proxy.folder / "output.log").read_text()
    with suppress(ConnectionRefusedError), socket.create_connection(("127.0.0.1", proxy.port)):
        return True
    return False


def find_traces(folder: Path, *more: bytes) -> set[str]:
    """Return the files below a folder that hold the peer's address, a canary, or one of these."""
    traces = (PEER.encode(), CANARY.encode(), CANARY_ADDRESS.encode(), *more)
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {path.name for path in files if any(trace in path.read_bytes() for trace in traces)}


def is_there(program: str) -> bool:
    return bool(shutil.which(program) and shutil.which("openssl"))
