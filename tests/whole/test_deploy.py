"""The examples in deploy/: nginx, a real one before a real collector, writes no address and passes none on."""

import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import threading
import time
import tomllib
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pytest

from collecting import SOTTO, SURVEY, TIMEOUT_S, Served, make_reports, serve
from postgres_server import free_port
from sotto_collector.serving.channel import BODY_MARGIN_BYTES
from sotto_collector.settings import Settings
from sotto_protocol import batch_body

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
PEER = "127.0.0.77"
"""The address that the test's clients come from: nothing else has it."""
CANARY = "c4n4ry"
CANARY_HEADERS = {
    "User-Agent": f"{CANARY}-agent/1.0",
    "X-Forwarded-For": "203.0.113.77",
    "Forwarded": "for=203.0.113.77",
    "X-Real-IP": "203.0.113.77",
    "Cookie": f"session={CANARY}-cookie",
    "Referer": f"http://{CANARY}-referer/",
    "From": f"{CANARY}@example.org",
    "X-Request-Id": f"{CANARY}-request",
}
PATH = f"/v1/surveys/{SURVEY.id}/reports"

needs_nginx = pytest.mark.skipif(not (shutil.which("nginx") and shutil.which("openssl")), reason="nginx is not there")


def make_certificate(folder: Path) -> None:
    command = [
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:P-256",
        "-nodes",
        "-days",
        "2",
    ]
    names = ["-subj", "/CN=localhost", "-keyout", folder / "key.pem", "-out", folder / "cert.pem"]
    subprocess.run([*command, *names], check=True, capture_output=True, timeout=TIMEOUT_S)


def write_config(folder: Path, port: int, upstream: int, changes: dict[str, str]) -> Path:
    """Write deploy/nginx.conf with this test's files and ports, and what else is to change; all must be in it."""
    temporary = "".join(
        f"{kind}_temp_path {folder}/{kind}; " for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    text = (DEPLOY / "nginx.conf").read_text()
    replaced = {
        "user www-data;": f"daemon off; {'user root;' if os.geteuid() == 0 else ''}",
        "/run/nginx.pid": f"{folder}/nginx.pid",
        "/var/log/nginx/error.log": f"{folder}/error.log",
        "types_hash_max_size 2048;": f"types_hash_max_size 2048; {temporary}",
        "127.0.0.1:8000": f"127.0.0.1:{upstream}",
        "listen 443 ssl": f"listen 127.0.0.1:{port} ssl",
        "/etc/ssl/collector.example.org.pem": f"{folder}/cert.pem",
        "/etc/ssl/private/collector.example.org.key": f"{folder}/key.pem",
    }
    for old, new in (replaced | changes).items():
        assert old in text, old
        text = text.replace(old, new)
    (folder / "nginx.conf").write_text(text)
    return folder / "nginx.conf"


@contextmanager
def nginx(folder: Path, upstream: int, changes: dict[str, str] | None = None) -> Iterator[int]:
    """Run nginx with deploy/nginx.conf in front of a port until the block ends; yield its own."""
    folder.mkdir()
    make_certificate(folder)
    port = free_port()
    config = write_config(folder, port, upstream, changes or {})
    with (folder / "output.log").open("wb") as output:
        process = subprocess.Popen(
            ["nginx", "-e", folder / "early.log", "-p", folder, "-c", config], stdout=output, stderr=output
        )
        try:
            wait_until_it_listens(process, port, folder)
            yield port
        finally:
            process.terminate()
            process.wait(TIMEOUT_S)


def wait_until_it_listens(process: "subprocess.Popen[bytes]", port: int, folder: Path) -> None:
    deadline = time.monotonic() + TIMEOUT_S
    while True:
        assert process.poll() is None, (folder / "output.log").read_text()
        with suppress(ConnectionRefusedError), socket.create_connection(("127.0.0.1", port)):
            return
        assert time.monotonic() < deadline
        time.sleep(0.02)


def connect(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT_S, source_address=(PEER, 0))


def ask(port: int, method: str, path: str, body: bytes = b"") -> tuple[int, bytes]:
    """Return (status, the answer) of a request over TLS, from PEER, with a canary in every header that has room."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    lines = [f"{method} {path}?q={CANARY} HTTP/1.1", "Host: localhost", "Connection: close"]
    lines += [f"{name}: {value}" for name, value in CANARY_HEADERS.items()]
    lines += ["Content-Type: application/json", f"Content-Length: {len(body)}", "", ""]
    with closing(context.wrap_socket(connect(port), server_hostname="localhost")) as connection:
        with suppress(OSError):  # refused before it was all sent
            connection.sendall("\r\n".join(lines).encode() + body)
        received = bytearray()
        with suppress(OSError):
            while part := connection.recv(65536):
                received += part
    return int(received.split(b" ", 2)[1]) if received else 0, bytes(received)


def provoke(served: Served, port: int) -> None:
    """Make nginx do all that it likes to write a line about, from PEER."""
    status, answer = ask(port, "POST", PATH, batch_body(SURVEY, make_reports(3)))
    assert (status, b'"counted":3' in answer) == (200, True)
    assert b"Server: nginx\r\n" in answer  # no version
    assert ask(port, "GET", f"/{CANARY}")[0] == 404
    assert ask(port, "POST", PATH, CANARY.encode())[0] == 400
    status, answer = ask(port, "POST", PATH, b" " * (Settings().max_body_bytes + 1))
    assert (status, b'"code":"body_too_large"' in answer) == (413, True)  # the collector's word
    assert ask(port, "POST", PATH, b" " * 4 * 2**20)[0] in (0, 413)  # nginx's
    with closing(connect(port)) as plain:
        plain.sendall(f"GET /{CANARY} HTTP/1.0\r\n\r\n".encode())
        plain.recv(65536)
    with closing(connect(port)) as garbage:
        garbage.sendall(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 600)
        with suppress(ConnectionError):
            garbage.recv(65536)
    assert ask(port, "GET", "/metrics")[0] == 404
    assert served.stop() == (0, "", "")
    assert ask(port, "POST", PATH, batch_body(SURVEY, make_reports(1)))[0] == 502


def find_traces(folder: Path) -> list[str]:
    """Return the files below a folder that hold the peer's address or a canary."""
    traces = (PEER.encode(), CANARY.encode(), b"203.0.113.77")
    files = [path for path in folder.rglob("*") if path.is_file()]
    return [path.name for path in files if any(trace in path.read_bytes() for trace in traces)]


@needs_nginx
def test_nginx_writes_no_address_whatever_it_is_asked(tmp_path: Path) -> None:
    with serve(tmp_path / "survey.db") as served, nginx(tmp_path / "nginx", served.port) as port:
        provoke(served, port)
    assert (tmp_path / "nginx/output.log").exists()
    assert find_traces(tmp_path) == []


@needs_nginx
def test_the_test_would_find_an_address_that_nginx_wrote(tmp_path: Path) -> None:
    changes = {"error.log emerg;": "error.log info;", "access_log off;": f"access_log {tmp_path}/nginx/access.log;"}
    with serve(tmp_path / "survey.db") as served, nginx(tmp_path / "nginx", served.port, changes) as port:
        provoke(served, port)
    assert {*find_traces(tmp_path)} == {"access.log", "error.log"}


@needs_nginx
def test_nginx_passes_nothing_on_that_names_the_peer(tmp_path: Path) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as upstream:
        seen: list[bytes] = []

        def answer() -> None:
            connection, _ = upstream.accept()
            with closing(connection):
                while not (seen and b"\r\n\r\n" in b"".join(seen)):
                    seen.append(connection.recv(65536))
                connection.sendall(b"HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n")

        thread = threading.Thread(target=answer)
        thread.start()
        with nginx(tmp_path / "nginx", upstream.getsockname()[1]) as port:
            assert ask(port, "GET", "/healthz")[0] == 200
        thread.join(TIMEOUT_S)
    head = b"".join(seen).partition(b"\r\n\r\n")[0].split(b"\r\n")
    assert head[0].startswith(b"GET /healthz")
    names = {line.partition(b":")[0].lower() for line in head[1:]}
    assert names <= {b"host", b"connection", b"content-type", b"content-length"}
    assert PEER.encode() not in b"".join(head)


@needs_nginx
def test_a_reload_behind_nginx_fails_no_request(tmp_path: Path) -> None:
    with (
        serve(tmp_path / "survey.db", "--workers", "2") as served,
        nginx(tmp_path / "nginx", served.port) as port,
    ):
        for number in range(30):
            if number % 10 == 5:
                served.process.send_signal(signal.SIGHUP)
            assert ask(port, "POST", PATH, batch_body(SURVEY, make_reports(1)))[0] == 200
        assert served.stop() == (0, "", "")


def test_the_limits_of_nginx_agree_with_the_collectors() -> None:
    text = (DEPLOY / "nginx.conf").read_text()
    [limit] = re.findall(r"client_max_body_size (\d+)k;", text)
    assert Settings().max_body_bytes < int(limit) * 1024 <= Settings().max_body_bytes + BODY_MARGIN_BYTES
    assert f"client_body_buffer_size {limit}k;" in text  # else a body goes to a file
    assert f"127.0.0.1:{Settings().port}" in text


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd is not there")
def test_the_unit_is_one_that_systemd_takes(tmp_path: Path) -> None:
    unit = tmp_path / "sotto-collector.service"
    text = (DEPLOY / "sotto-collector.service").read_text()
    assert "ExecStart=/usr/local/bin/sotto serve" in text
    unit.write_text(text.replace("/usr/local/bin/sotto", str(SOTTO)))
    done = subprocess.run(["systemd-analyze", "verify", unit], capture_output=True, text=True, timeout=300, check=False)
    said = [line for line in done.stderr.splitlines() if "sotto" in line]  # of this unit, not of the machine
    assert (done.returncode, said) == (0, [])


def test_the_container_has_every_package_and_runs_as_nobody_special() -> None:
    text = (DEPLOY / "Containerfile").read_text()
    copied = {name for line in re.findall(r"^COPY (.*) \S+$", text, re.MULTILINE) for name in line.split()}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    packages = {path.split("/")[0] for path in project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]}
    [readme] = project["tool"]["hatch"]["metadata"]["hooks"]["fancy-pypi-readme"]["fragments"]
    files = {readme["path"], *project["project"]["license-files"], "pyproject.toml"}
    assert copied == packages | files
    assert all((ROOT / name).exists() for name in copied)
    assert text.index("\nUSER sottovoce") < text.index("\nENTRYPOINT")
    assert "VOLUME /var/lib/sottovoce" in text
    assert {variable.split("=")[0] for variable in re.findall(r"SOTTO_\w+=", text)} <= {
        "SOTTO_DB",
        "SOTTO_HOST",
        "SOTTO_PORT",
    }
