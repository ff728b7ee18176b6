"""`sotto serve`, the real process: it says where it listens, refuses bad HTTP, survives a full disk, and drains."""

import os
import re
import resource
import select
import signal
import socket
import sqlite3
import stat
import subprocess
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from http.client import HTTPException
from pathlib import Path

import numpy as np
import pytest

import starting
from collecting import (
    SOTTO,
    SURVEY,
    TIMEOUT_S,
    Served,
    assert_problem,
    check_store,
    make_reports,
    prepare,
    publish_here,
    serve,
    wait_until,
)
from sotto_collector.app import create_app
from sotto_collector.intake.counting import Batch, count_batches, prepare_batches
from sotto_collector.serving.server import MAX_UNSENT_BYTES, Server, make_server
from sotto_collector.settings import Settings
from sotto_collector.store import Store
from sotto_collector.store.inbox import Inbox
from sotto_protocol import Report, Survey, batch_body, compile_toml

PATH = b"/v1/surveys/habits/reports"
MAX_BODY = 300_000
N_STALLED = 900 if os.environ.get("SOTTO_TEST_FULL") else 40
N_HONEST = 200
N_ROUNDS = 20 if os.environ.get("SOTTO_TEST_FULL") else 1


def read_response(connection: socket.socket) -> bytes:
    """Read until the other side closes, or cuts: it need not have read all that it refuses."""
    received = bytearray()
    with suppress(ConnectionError):
        while part := connection.recv(65536):
            received += part
    return bytes(received)


def send_raw(served: Served, request: bytes) -> bytes:
    """Send bytes and nothing after them; return the response, empty where the connection was cut."""
    with closing(served.connect()) as connection:
        with suppress(OSError):  # refused before it was all sent
            connection.sendall(request)
            connection.shutdown(socket.SHUT_WR)
        return read_response(connection)


def read_stored(db: Path, survey: Survey = SURVEY) -> dict[bytes, bytes]:
    with closing(Store(db)) as store:
        return dict(store.read_reports(publish_here(store, survey)))


def test_serving_ends_at_sigterm_with_everything_folded_into_a_private_file(tmp_path: Path) -> None:
    reports = make_reports(10)
    with serve(tmp_path / "survey.db") as served:
        assert served.ask("GET", "/healthz")[0] == 200
        assert served.send(reports)[2] == {"counted": 10, "duplicates": 0, "conflicting": 0}
        assert served.stop() == (0, "", "")
    assert [path.name for path in tmp_path.iterdir()] == ["survey.db"]
    assert stat.S_IMODE(served.db.stat().st_mode) == 0o600
    assert read_stored(served.db) == {report.id: report.record for report in reports}


def test_sigint_ends_it_too(tmp_path: Path) -> None:
    with serve(tmp_path / "survey.db") as served:
        served.process.send_signal(signal.SIGINT)
        assert served.process.wait(TIMEOUT_S) == 0


def run_serve(*flags: object) -> "subprocess.CompletedProcess[str]":
    return starting.run(
        [SOTTO, "serve", *map(str, flags)], capture_output=True, text=True, timeout=TIMEOUT_S, check=False
    )


def test_address_in_use_is_one_line_and_exit_code_1(tmp_path: Path) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port = taken.getsockname()[1]
        done = run_serve("--db", tmp_path / "survey.db", "--port", port)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"Error: cannot listen on 127.0.0.1:{port}: Address already in use.\n"


@pytest.mark.parametrize(
    "flags", [["--db", "missing/survey.db"], ["--db", "."], ["--threads", "0"], ["--host", "no such"]]
)
def test_unusable_setting_is_one_line_and_exit_code_1(tmp_path: Path, flags: list[str]) -> None:
    flags = [str(tmp_path / flag) if flag in (".", "missing/survey.db") else flag for flag in flags]
    done = run_serve("--db", tmp_path / "survey.db", "--port", "0", *flags)
    assert (done.returncode, done.stdout) == (1, "")
    assert re.fullmatch(r"Error: [^\n]+\n", done.stderr)


@pytest.mark.parametrize(
    ("flag", "value", "said"),
    [
        ("--host", "nosuch.invalid", "cannot listen on nosuch.invalid:0: the host is not known."),
        ("--db", "", "db ('') must be a text that is not empty."),
    ],
)
def test_unusable_setting_is_named_with_what_is_wrong(tmp_path: Path, flag: str, value: str, said: str) -> None:
    done = run_serve("--db", tmp_path / "survey.db", "--port", "0", flag, value)
    assert (done.returncode, done.stderr) == (1, f"Error: {said}\n")


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    db = tmp_path_factory.mktemp("served") / "survey.db"
    with serve(db, "--max-body-bytes", str(MAX_BODY)) as started:
        yield started
        assert started.stop() == (0, "", "")  # nothing here is worth a line in a log
    check_store(db)


def head(*lines: bytes) -> bytes:
    start = [b"POST " + PATH + b" HTTP/1.1", b"Host: x", b"Content-Type: application/json"]
    return b"\r\n".join([*start, *lines, b"", b""])


def chunk(body: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(body), body)


BODY = batch_body(SURVEY, make_reports(2))
CHUNKED = chunk(BODY) + b"0\r\n\r\n"
BAD_HTTP = [
    (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 200, (400, None)),
    (b"GET\r\n\r\n", (400, None)),
    (head(b"Content-Length: 5", b"Content-Length: 6") + b"123456", (400,)),
    (head(b"Content-Length: -1"), (400,)),
    (head(b"Content-Length: 1x"), (400,)),
    (head(b"Transfer-Encoding: chunked", b"Content-Length: 4") + CHUNKED, (400,)),
    (head(b"Content-Length: %d" % len(CHUNKED), b"Transfer-Encoding: chunked") + CHUNKED, (400,)),
    (head(b"Content-Length: 4", b"Transfer-Encoding:", b" chunked") + CHUNKED, (400,)),
    (head(b"Content-Length: %d" % len(BODY), b"Transfer-Encoding:") + BODY, (400,)),
    (head(b"Transfer-Encoding: chunked", b"Connection: keep-alive").replace(b"1.1", b"1.0", 1) + CHUNKED, (400,)),
    (head(b"Transfer-Encoding: chunked") + b"zz\r\n", (400,)),
    (head(b"Transfer-Encoding: gzip, chunked") + chunk(BODY), (501,)),
    (head(b"X: " + b"a" * 70_000), (431, None)),
    (head(*[b"X%d: %s" % (number, b"a" * 100) for number in range(500)]), (431, None)),
    (head(b"Content-Length: 999999999999999999999"), (413,)),
    (head(b"Content-Length: %d" % (MAX_BODY + 1)) + b" " * (MAX_BODY + 1), (413,)),
    (head(), (400,)),
    (head(b"Content-Length: 500") + b"half", (None,)),
    (b"BREW " + PATH + b" HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", (405,)),
]


CODES = {
    400: b"bad_",
    405: b"method_not_allowed",
    413: b"body_too_large",
    431: b"headers_too_large",
    501: b"unsupported_encoding",
}


@pytest.mark.parametrize(("request_bytes", "expected"), BAD_HTTP, ids=range(len(BAD_HTTP)))
def test_bad_http_is_refused_or_cut_and_the_next_request_served(
    served: Served, request_bytes: bytes, expected: tuple[int | None, ...]
) -> None:
    response = send_raw(served, request_bytes)
    status = int(response.split(b" ", 2)[1]) if response else None
    assert status in expected
    assert response == b"" or b"application/problem+json" in response
    assert response == b"" or b'"code":"%s' % CODES[status or 0] in response
    assert b"\r\nServer:" not in response
    assert served.send(make_reports(1))[0] == 200


@pytest.mark.parametrize("request_bytes", [request for request, _ in BAD_HTTP[2:9]], ids=range(2, 9))
def test_what_follows_a_request_of_two_lengths_gets_no_response(served: Served, request_bytes: bytes) -> None:
    """Nobody knows where it begins: it may be what somebody else's proxy took for a body."""
    follower = b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    with closing(served.connect()) as connection:  # open to both sides: it is the collector that closes
        connection.sendall(request_bytes + follower)
        assert read_response(connection).count(b"HTTP/1.1 ") == 1


def test_chunked_body_is_taken(served: Served) -> None:
    request = head(b"Transfer-Encoding: chunked", b"Connection: close")
    response = send_raw(served, request + chunk(BODY[:50]) + chunk(BODY[50:]) + b"0\r\n\r\n")
    assert response.startswith(b"HTTP/1.1 200 OK")
    assert response.endswith(b'{"conflicting":0,"counted":2,"duplicates":0}')


def peak_memory_kib(served: Served) -> int:
    status = Path(f"/proc/{served.process.pid}/status").read_text()
    return int(re.findall(r"VmHWM:\s+(\d+) kB", status)[0])


@pytest.mark.parametrize("framing", ["chunked", "length"])
def test_body_far_over_the_limit_is_refused_in_flat_memory(served: Served, framing: str) -> None:
    n_bytes = 64 * 2**20
    piece = b" " * 2**16
    before = peak_memory_kib(served)
    lines = [b"Transfer-Encoding: chunked"] if framing == "chunked" else [b"Content-Length: %d" % n_bytes]
    with closing(served.connect()) as connection:
        connection.sendall(head(*lines))
        with suppress(ConnectionError):
            for _ in range(n_bytes // len(piece)):
                connection.sendall(chunk(piece) if framing == "chunked" else piece)
        response = read_response(connection)
    assert response == b"" or response.startswith(b"HTTP/1.1 413 ")
    assert peak_memory_kib(served) - before < 16 * 1024


def test_chunked_body_a_little_over_the_limit_is_refused_with_a_problem_document(served: Served) -> None:
    request = head(b"Transfer-Encoding: chunked", b"Connection: close")
    body = BODY + b" " * (MAX_BODY + 1 - len(BODY))  # cut at the limit it would be a good batch
    status, _, rest = send_raw(served, request + chunk(body) + b"0\r\n\r\n").partition(b"\r\n")
    assert status == b"HTTP/1.1 413 REQUEST ENTITY TOO LARGE"
    assert b'"code":"body_too_large"' in rest


def test_body_far_over_the_limit_is_told_the_limit(served: Served) -> None:
    rest = send_raw(served, head(b"Content-Length: %d" % (10 * MAX_BODY), b"Connection: close"))
    assert b'"detail":"the body must have at most %d bytes."' % MAX_BODY in rest


def test_head_and_keep_alive_work(served: Served) -> None:
    request = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n" * 3 + b"HEAD /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
    assert send_raw(served, request).count(b"HTTP/1.1 200 OK") == 4


STALLED = (
    b"POST " + PATH + b" HTTP/1.1\r\nHost: x\r\nContent-Le",
    head(b"Content-Length: 100") + b"{",
    head(b"Transfer-Encoding: chunked") + b"64\r\n{",
    head(b"Content-Length: 100", b"Expect: 100-continue"),
)
"""Requests that never end: in the head, the body, a chunk, or waiting to be asked for more."""


def send_honestly(served: Served) -> bool:
    try:
        return served.send(make_reports(1))[0] == 200
    except (OSError, HTTPException):
        return False


def is_open(connection: socket.socket) -> bool:
    """Return whether the other side has not closed a connection."""
    readable, _, _ = select.select([connection], [], [], 0)
    return not readable or connection.recv(1, socket.MSG_PEEK) != b""


@pytest.mark.thorough
def test_stalled_bodies_hold_up_nobody(served: Served) -> None:
    """At least 99 % of honest requests are served, with more requests stalled than there are threads.

    The first of them while all the others stall: not because these have been closed.
    """
    stalled = [served.connect() for _ in range(N_STALLED)]
    try:
        for number, connection in enumerate(stalled):
            connection.sendall(STALLED[number % len(STALLED)])
        assert send_honestly(served)
        assert all(map(is_open, stalled))
        with ThreadPoolExecutor(4) as pool:
            successes = sum(pool.map(send_honestly, [served] * N_HONEST))
        assert successes >= 0.99 * N_HONEST
    finally:
        for connection in stalled:
            connection.close()


WIDE = compile_toml("""
id = "wide"
title = "Wide"
waves = 2
[[questions]]
id = "home"
type = "text"
mechanism = "rappor"
text = "Which page do you see first?"
n_bits = 1024
n_cohorts = 256
epsilon = 2.0
""")
"""Its tally has the most counts that a question can have; a report is 132 bytes."""


def fill(db: Path, n_reports: int) -> None:
    """Store random reports of the first wave, and ten of the second."""
    with closing(Store(db)) as store:
        stored = publish_here(store, WIDE)
        for wave, n in ((1, n_reports), (2, 10)):
            records = np.frombuffer(os.urandom(n * WIDE.layout.n_bytes), np.uint8).reshape(n, -1).copy()
            records[:, :4] = (0, wave, 0, 7)  # the cohort is one of the survey's
            with store.transaction() as transaction:
                count_batches(transaction, prepare_batches([Batch(stored, os.urandom(16 * n), records)]))


def schema_version(db: Path) -> int:
    """Return what SQLite counts up whenever it writes a file anew."""
    with closing(sqlite3.connect(db)) as connection:
        return int(connection.execute("PRAGMA schema_version").fetchone()[0])


@pytest.mark.thorough
def test_many_records_are_given_in_flat_memory(tmp_path: Path) -> None:
    fill(tmp_path / "survey.db", 150_000)
    with closing(Store(tmp_path / "survey.db")) as store:  # else the collector does that, in memory
        Inbox(store).finish()
        store.rewrite()
    rewritten = schema_version(tmp_path / "survey.db")
    with serve(tmp_path / "survey.db") as served:
        wait_until(lambda: schema_version(tmp_path / "survey.db") > rewritten)  # all anew, once at the start
        expected = b"".join(record for _, record in sorted(read_stored(served.db, WIDE).items()))
        served.fetch("GET", "/v1/surveys/wide/records?wave=2", token=served.analyst)
        before = peak_memory_kib(served)
        _, headers, content = served.fetch("GET", "/v1/surveys/wide/records", token=served.analyst)
        assert content == WIDE.canonical + b"\n" + expected
        assert len(expected) == 150_010 * 132
        assert int(headers["Content-Length"]) == len(content)
        assert peak_memory_kib(served) - before < 8 * 1024
        assert served.stop() == (0, "", "")
    assert [path.name for path in tmp_path.iterdir()] == ["survey.db"]


def test_records_reach_only_an_analyst_and_only_waves_that_there_are(tmp_path: Path) -> None:
    fill(tmp_path / "survey.db", 5)
    with serve(tmp_path / "survey.db") as served:
        for token, query, status, code in (
            ("", "", 401, "unauthorized"),
            (f"{served.analyst}x", "", 401, "unauthorized"),
            (served.admin, "", 403, "forbidden"),
            (served.analyst, "?wave=3", 404, "no_such_wave"),
        ):
            given, headers, document = served.ask("GET", f"/v1/surveys/wide/records{query}", token=token)
            assert_problem(given, headers["Content-Type"], document, code=code)
            assert given == status


@contextmanager
def serve_here(db: Path) -> Iterator[tuple[Server, Store, bytes]]:
    """Serve in a thread of this process; yield the server, its store, and a request for the records."""
    _, analyst = prepare(db, WIDE)
    app = create_app(Settings(db=str(db), port=0))
    with closing(app.extensions["collector"]):
        server = make_server(app, Settings(db=str(db), port=0))
        thread = threading.Thread(target=server.run)
        thread.start()
        try:
            lines = ["GET /v1/surveys/wide/records HTTP/1.1", "Host: x", f"Authorization: Bearer {analyst}", "", ""]
            yield server, app.extensions["collector"].store, "\r\n".join(lines).encode()
        finally:
            server.stop()
            thread.join(TIMEOUT_S)
            assert not thread.is_alive()


def stall(server: Server, request: bytes) -> socket.socket:
    """Ask, and take nothing of the response; return once the server holds as much of it as it will."""
    connection = socket.create_connection(("127.0.0.1", server.effective_port), timeout=TIMEOUT_S)
    connection.sendall(request)
    deadline = time.monotonic() + TIMEOUT_S
    while not any(channel.total_outbufs_len > MAX_UNSENT_BYTES for channel in server.active_channels.values()):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return connection


@pytest.mark.thorough
def test_analyst_who_takes_nothing_is_cut_and_holds_up_no_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sotto_collector.serving.server.STALLED_S", 1)
    fill(tmp_path / "survey.db", 100_000)
    with serve_here(tmp_path / "survey.db") as (server, store, request):
        stalled_s, server.adj.channel_timeout = server.adj.channel_timeout, 600  # until all is seen, however slowly
        with closing(stall(server, request)) as connection:
            with closing(sqlite3.connect(tmp_path / "survey.db")) as other:
                other.execute("UPDATE surveys SET is_open = 0")
                other.commit()
            assert not store.clean()  # the snapshot is in the way
            server.adj.channel_timeout = stalled_s
            deadline = time.monotonic() + TIMEOUT_S
            while not store.clean():
                assert time.monotonic() < deadline
                time.sleep(0.05)
            assert len(read_response(connection)) < 100_000 * 132


def test_server_that_stops_cuts_a_response_that_nobody_takes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sotto_collector.serving.server.DRAIN_S", 0.1)
    fill(tmp_path / "survey.db", 100_000)
    with serve_here(tmp_path / "survey.db") as (server, _, request):
        connection = stall(server, request)
    with closing(connection):
        assert len(read_response(connection)) < 100_000 * 132
    assert [path.name for path in tmp_path.iterdir()] == ["survey.db"]


def set_file_limit(served: Served, n_bytes: int) -> None:
    """Let the process write no file beyond so many bytes: its writes then fail, as on a full disk."""
    resource.prlimit(served.process.pid, resource.RLIMIT_FSIZE, (n_bytes, resource.RLIM_INFINITY))


def test_failing_disk_is_503_and_over_when_the_disk_is_well(tmp_path: Path) -> None:
    with serve(tmp_path / "survey.db") as served:
        reports = make_reports(1200)
        assert served.send(reports[:100])[0] == 200
        set_file_limit(served, 0)
        for _ in range(3):
            status, headers, document = served.send(reports[100:])
            assert_problem(status, headers["Content-Type"], document, code="store_unavailable")
            assert (status, headers["Retry-After"]) == (503, "5")
        set_file_limit(served, resource.RLIM_INFINITY)
        assert served.send(reports[100:])[2] == {"counted": 1100, "duplicates": 0, "conflicting": 0}
        assert served.send(reports)[2] == {"counted": 0, "duplicates": 1200, "conflicting": 0}
        code, _, err = served.stop()
    assert code == 0
    assert "the store cannot write now" in err
    check_store(served.db)
    assert read_stored(served.db) == {report.id: report.record for report in reports}


def test_request_being_served_at_sigterm_is_served(tmp_path: Path) -> None:
    """Another process holds the database, so the request cannot end before the signal comes."""
    with serve(tmp_path / "survey.db", "--busy-timeout-ms", "60000") as served, closing(Store(served.db)) as other:
        with closing(served.connect()) as connection, closing(served.connect()) as idle:
            with other.transaction():
                connection.sendall(head(b"Content-Length: %d" % len(BODY)) + BODY)
                # What came before on another connection is read by the time that this has its response.
                assert served.ask("GET", "/v1/surveys/habits")[0] == 200
                served.process.send_signal(signal.SIGTERM)
                assert idle.recv(1) == b""  # it has begun to drain: connections that are owed nothing are closed
            response = read_response(connection)
        assert response.startswith(b"HTTP/1.1 200 OK")
        assert b"\r\nConnection: close\r\n" in response
        assert response.endswith(b'{"conflicting":0,"counted":2,"duplicates":0}')
        assert served.process.wait(TIMEOUT_S) == 0
    assert len(read_stored(served.db)) == 2


@pytest.mark.rare
@pytest.mark.thorough
@pytest.mark.parametrize("number", range(N_ROUNDS))
def test_sigterm_under_load_loses_nothing_acknowledged(tmp_path: Path, number: int) -> None:
    sent: list[Report] = []
    acknowledged: list[Report] = []
    with serve(tmp_path / "survey.db", "--threads", "4") as served:
        enough = threading.Semaphore(0)

        def load() -> None:
            while True:
                reports = make_reports(20)
                sent.extend(reports)
                try:
                    status, _, _ = served.send(reports)
                except OSError:  # the server is gone, or going
                    return
                assert status in (200, 503)
                if status == 200:
                    acknowledged.extend(reports)
                enough.release()

        with ThreadPoolExecutor(6) as pool:
            loads = [pool.submit(load) for _ in range(6)]
            for _ in range(10 + 20 * number):
                assert enough.acquire(timeout=TIMEOUT_S)
            code, _, err = served.stop()
            for future in loads:
                future.result(TIMEOUT_S)
    assert (code, err) == (0, "")
    assert [path.name for path in tmp_path.iterdir()] == ["survey.db"]
    stored = read_stored(served.db)
    assert {report.id: report.record for report in acknowledged}.items() <= stored.items()
    assert stored.items() <= {report.id: report.record for report in sent}.items()
    check_store(served.db)


def test_variables_set_what_flags_do_not(tmp_path: Path) -> None:
    prepare(tmp_path / "other.db")
    environ = os.environ | {"SOTTO_DB": str(tmp_path / "other.db"), "SOTTO_PORT": "0", "SOTTO_MAX_BODY_BYTES": "0"}
    done = starting.run([SOTTO, "serve"], capture_output=True, text=True, env=environ, timeout=TIMEOUT_S, check=False)
    assert (done.returncode, done.stderr) == (1, "Error: max_body_bytes (0) must be an integer in [1, 1073741824].\n")
