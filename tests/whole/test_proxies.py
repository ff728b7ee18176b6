"""nginx and Caddy as deploy/ has them, before a real collector: nothing is written of who asks, or passed on."""

import re
import shutil
import signal
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pytest

from collecting import SURVEY, Served, make_reports, serve, wait_until
from proxies import DEPLOY, PEER, Proxy, find_traces, head_of, is_there, proxied, read_all
from sotto_author.verification import verify
from sotto_client import SurveyClient
from sotto_collector.serving.channel import BODY_MARGIN_BYTES
from sotto_collector.settings import Settings
from sotto_protocol import batch_body

PATH = f"/v1/surveys/{SURVEY.id}/reports"
ANSWERS = {"affair": True, "rating": "3", "town": "town 7", "colour": "a", "drugs": ["b"]}

pytestmark = [pytest.mark.skipif(not shutil.which("openssl"), reason="openssl is not there")]


@pytest.fixture(params=["nginx", "caddy"])
def program(request: pytest.FixtureRequest) -> str:
    if not is_there(request.param):
        pytest.skip(f"{request.param} is not there")
    return str(request.param)


@contextmanager
def behind(
    program: str, folder: Path, *flags: str, changes: dict[str, str] | None = None
) -> Iterator[tuple[Served, Proxy]]:
    """Run a collector behind a proxy until the block ends."""
    with (
        serve(folder / "survey.db", *flags) as served,
        proxied(program, folder / "proxy", served.port, changes) as proxy,
    ):
        yield served, proxy


def provoke(served: Served, proxy: Proxy) -> list[bytes]:
    """Make a proxy do all that it likes to write a line about, from PEER; return the ids of what was sent."""
    reports = make_reports(4)
    status, answer = proxy.ask("POST", PATH, batch_body(SURVEY, reports[:3]))
    assert (status, b'"counted":3' in answer) == (200, True)
    assert re.search(rb"\r\nServer: (nginx|Caddy)\r\n", answer)  # no version
    receipt = reports[0].id.hex()
    assert proxy.ask("POST", f"/v1/surveys/{SURVEY.id}/erase", b'{"receipt": "%s"}' % receipt.encode())[0] == 200
    assert proxy.ask("GET", f"/{receipt}")[0] == 404
    assert proxy.ask("POST", PATH, receipt.encode())[0] == 400
    status, answer = proxy.ask("POST", PATH, b" " * (Settings().max_body_bytes + 1))
    assert (status, b'"code":"body_too_large"' in answer) == (413, True)  # the collector's word
    assert proxy.ask("POST", PATH, b" " * 4 * 2**20)[0] in (0, 413, 502)  # the proxy's; Caddy 2.6 says 502
    provoke_by_bytes(proxy)
    assert served.stop() == (0, "", "")
    assert proxy.ask("POST", PATH, batch_body(SURVEY, reports[3:]))[0] == 502
    return [report.id.hex().encode() for report in reports] + [PATH.encode()]


def provoke_by_bytes(proxy: Proxy) -> None:
    """Speak to it as no honest client does, and hang up at bad moments."""
    for text in (head_of("GET", "/", 0), b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 600):
        with closing(proxy.connect()) as plain:  # no TLS; no TLS that holds together
            plain.sendall(text)
            read_all(plain)
    if proxy.plain_port:
        with closing(proxy.connect(proxy.plain_port)) as plain:
            plain.sendall(head_of("GET", PATH, 0))
            assert read_all(plain).startswith(b"HTTP/1.1 308 ")
    with suppress(OSError), closing(proxy.connect_tls(name="c4n4ry.example.org")) as stranger:
        stranger.sendall(head_of("GET", PATH, 0))
        read_all(stranger)
    head = head_of("POST", PATH, 1000)
    for text in (b"c4n4ry\r\n\r\n", head.replace(b": 1000", b": -1"), head.replace(b"Host", b"X" * 70_000)):
        with closing(proxy.connect_tls()) as bad, suppress(OSError):
            bad.sendall(text)
            read_all(bad)
    with suppress(OSError), closing(proxy.connect_tls(protocol="h2")) as second:
        second.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"c4n4ry" * 20)
        read_all(second)
    for text in (head + b"half", head_of("GET", "/s", 0)):  # hangs up in its body; before its answer
        connection = proxy.connect_tls()
        connection.sendall(text)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.close()


def test_nothing_is_written_of_who_asks_whatever_is_asked(program: str, tmp_path: Path) -> None:
    with behind(program, tmp_path) as (served, proxy):
        traces = provoke(served, proxy)
    assert (tmp_path / "proxy/output.log").exists()
    shutil.rmtree(tmp_path / "proxy/client_body", ignore_errors=True)
    assert find_traces(tmp_path / "proxy", *traces) <= {"nginx.conf"}  # which names the path
    assert find_traces(tmp_path) == set()


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("program", "changes"),
    [
        ("nginx", {"error.log emerg;": "error.log info;", "access_log off;": "access_log access.log;"}),
        pytest.param(
            "caddy", {"include tls.obtain tls.renew": "", "level WARN": "level DEBUG"}, marks=pytest.mark.rare
        ),
    ],
    indirect=["program"],
)
def test_the_test_finds_an_address_that_a_proxy_writes(program: str, changes: dict[str, str], tmp_path: Path) -> None:
    with behind(program, tmp_path, changes=changes) as (served, proxy):
        provoke(served, proxy)
    assert find_traces(tmp_path) == ({"access.log", "error.log"} if program == "nginx" else {"output.log"})


@pytest.mark.thorough
def test_a_device_answers_behind_a_proxy(program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with behind(program, tmp_path) as (served, proxy):
        monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(proxy.certificate))
        receipts: list[str] = []
        with SurveyClient(
            proxy.url, SURVEY.id, state=tmp_path / "device.db", on_delivered=lambda receipt: receipts.append(receipt.id)
        ) as device:
            device.answer(ANSWERS)
            assert device.flush(60)
        tally = served.ask("GET", f"/v1/surveys/{SURVEY.id}/tally", token=served.analyst)[2]
        assert tally["n_reports"] == 1
    assert find_traces(tmp_path / "proxy", receipts[0].encode()) == set()


def test_nothing_that_names_the_peer_is_passed_on(program: str, tmp_path: Path) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as upstream:
        seen = bytearray()
        thread = threading.Thread(target=answer_once, args=(upstream, seen, b"Content-Length: 0\r\n\r\n"))
        thread.start()
        with proxied(program, tmp_path / "proxy", upstream.getsockname()[1]) as proxy:
            assert proxy.ask("GET", "/healthz")[0] == 200
        thread.join()
    head = bytes(seen).partition(b"\r\n\r\n")[0].split(b"\r\n")
    assert head[0].startswith(b"GET /healthz")
    names = {line.partition(b":")[0].lower() for line in head[1:]}
    assert names <= {b"host", b"connection", b"content-type", b"content-length"}
    assert PEER.encode() not in seen


def answer_once(upstream: socket.socket, seen: bytearray, answer: bytes) -> None:
    """Take one request's head, and answer it with these headers and this body."""
    connection, _ = upstream.accept()
    with closing(connection):
        while b"\r\n\r\n" not in seen:
            seen += connection.recv(65536)
        connection.sendall(b"HTTP/1.0 200 OK\r\n" + answer)


@pytest.mark.thorough
def test_an_answer_that_is_cut_is_written_of_nowhere(program: str, tmp_path: Path) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as upstream:
        thread = threading.Thread(target=answer_once, args=(upstream, bytearray(), b"Content-Length: 99\r\n\r\nhalf"))
        thread.start()
        with proxied(program, tmp_path / "proxy", upstream.getsockname()[1]) as proxy:
            assert proxy.ask("GET", PATH)[0] in (200, 502)
        thread.join()
    assert find_traces(tmp_path / "proxy") == set()


@pytest.mark.thorough
def test_the_page_at_the_root_is_passed_on_and_metrics_are_not(program: str, tmp_path: Path) -> None:
    with behind(program, tmp_path) as (served, proxy):
        status, page = proxy.ask("GET", "/")
        assert (status, b"\r\nContent-Type: text/html" in page, b"<!doctype html>" in page.lower()) == (200, True, True)
        assert b"\r\nStrict-Transport-Security: max-age=" in page
        for path in ("/metrics", "/metrics/", "//metrics", "/%6detrics", "/./metrics", "/s/../metrics", "/METRICS"):
            assert proxy.ask("GET", path)[0] == 404, path
        assert served.ask("GET", "/openapi.json")[0] == 200


def test_a_body_on_its_way_stands_in_no_file(program: str, tmp_path: Path) -> None:
    with behind(program, tmp_path) as (_, proxy), closing(proxy.connect_tls()) as slow:
        send_all_but_the_last_byte(proxy, slow)
        assert files_open(proxy) <= {"output.log", "error.log", "early.log", "null", "urandom"}


@pytest.mark.thorough
def test_the_test_finds_a_body_in_a_file(tmp_path: Path) -> None:
    if not is_there("nginx"):
        pytest.skip("nginx is not there")
    buffered = {"proxy_request_buffering off": "proxy_request_buffering on"}
    changes = buffered | {"client_body_buffer_size 2112k": "client_body_buffer_size 16k"}
    with behind("nginx", tmp_path, changes=changes) as (_, proxy), closing(proxy.connect_tls()) as slow:
        send_all_but_the_last_byte(proxy, slow)
        wait_until(lambda: any(name.endswith("(deleted)") for name in files_open(proxy)))


def send_all_but_the_last_byte(proxy: Proxy, connection: socket.socket) -> None:
    """Send a large body as far as that, and wait until the proxy has read it."""
    body = b" " * Settings().max_body_bytes
    connection.sendall(head_of("POST", PATH, len(body)) + body[:-1])
    wait_until(lambda: n_unread(proxy.port) == 0)


def n_unread(port: int) -> int:
    """Return how many bytes wait in the kernel at a port's end of its connections with PEER."""
    peer = "".join(f"{int(part):02X}" for part in reversed(PEER.split(".")))
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    ends = [row for row in rows if row[1].endswith(f":{port:04X}") and row[2].startswith(peer)]
    assert ends
    return sum(int(row[4].partition(":")[2], 16) for row in ends)


def files_open(proxy: Proxy) -> set[str]:
    """Return the names of the files, no sockets or pipes, that a proxy's processes have open."""
    pid = proxy.process.pid
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    links = [path for each in (pid, *children) for path in Path(f"/proc/{each}/fd").iterdir()]
    targets = [str(path.readlink()) for path in links]
    return {Path(target).name for target in targets if target.startswith("/")}


@pytest.mark.thorough
@pytest.mark.parametrize("program", ["nginx", pytest.param("caddy", marks=pytest.mark.rare)], indirect=True)
def test_a_reload_behind_a_proxy_fails_no_request(program: str, tmp_path: Path) -> None:
    with behind(program, tmp_path, "--workers", "2") as (served, proxy):
        for number in range(30):
            if number % 10 == 5:
                served.process.send_signal(signal.SIGHUP)
            assert proxy.ask("POST", PATH, batch_body(SURVEY, make_reports(1)))[0] == 200
        assert served.stop() == (0, "", "")


def test_the_limits_of_the_proxies_agree_with_the_collectors() -> None:
    nginx, caddy = ((DEPLOY / name).read_text() for name in ("nginx.conf", "Caddyfile"))
    [limit] = re.findall(r"client_max_body_size (\d+)k;", nginx)
    assert Settings().max_body_bytes < int(limit) * 1024 <= Settings().max_body_bytes + BODY_MARGIN_BYTES
    assert f"client_body_buffer_size {limit}k;" in nginx  # else a body goes to a file
    assert f"max_size {limit}KiB" in caddy
    assert all(f"127.0.0.1:{Settings().port}" in text for text in (nginx, caddy))


@pytest.mark.thorough
def test_what_visitors_get_through_a_proxy_is_what_the_release_makes(
    program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with behind(program, tmp_path) as (_, proxy):
        monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(proxy.certificate))
        found = verify(f"{proxy.url}/s/{SURVEY.id}", fingerprint=SURVEY.fingerprint, is_whole=True)
    assert (found.status, str(found.differing)) == (0, "()")
