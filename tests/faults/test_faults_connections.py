"""Connections that speak, hang up or say nothing at a bad moment: they are served in turn, and cost nothing."""

import os
import socket
import sqlite3
import struct
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from collecting import SMALL, TIMEOUT_S, Served, make_reports, prepare, serve, wait_until
from sotto_collector.app import create_app
from sotto_collector.errors import ListenError
from sotto_collector.serving.server import listen, make_server
from sotto_collector.settings import Settings
from sotto_protocol import Report, batch_body

N_RESETS = 3000


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with serve(tmp_path / "survey.db", "--busy-timeout-ms", "60000", survey=SMALL) as started:
        yield started  # its posts wait for as long as `commits_held_up`, however slow the machine is


@contextmanager
def commits_held_up(served: Served) -> Iterator[None]:
    """Let every post wait for its commit until the block ends."""
    holder = sqlite3.connect(served.db, isolation_level=None)
    try:
        holder.execute("BEGIN IMMEDIATE")
        yield
    finally:
        holder.close()


def connect(served: Served) -> socket.socket:
    return socket.create_connection(("127.0.0.1", served.port), timeout=TIMEOUT_S)


def post(report: Report) -> bytes:
    body = batch_body(SMALL, [report])
    head = "POST /v1/surveys/small/reports HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


def read_answers(connection: socket.socket, n_answers: int) -> bytes:
    received = b""
    while received.count(b'"counted":') < n_answers:
        more = connection.recv(65536)
        assert more, received
        received += more
    return received


def cpu_s(served: Served) -> float:
    user, system = Path(f"/proc/{served.process.pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def n_descriptors(served: Served) -> int:
    return len(list(Path(f"/proc/{served.process.pid}/fd").iterdir()))


def test_requests_sent_while_one_is_served_are_answered_in_order(served: Served) -> None:
    """A repeat of the first report is told apart from a new one by its answer."""
    first, second = make_reports(2, SMALL)
    with connect(served) as connection:
        with commits_held_up(served):
            for report in (first, first, second, first):
                connection.sendall(post(report))
        answers = read_answers(connection, 4)
    counted = [line for line in answers.split(b"\r\n") if line.startswith(b"{")]
    assert [b'"counted":1' in line for line in counted] == [True, False, True, False]


def test_connection_that_hangs_up_while_it_is_served_is_closed_afterwards(served: Served) -> None:
    read_one(served)
    before = n_descriptors(served)
    with commits_held_up(served):
        connections = [connect(served) for _ in range(20)]
        for connection, report in zip(connections, make_reports(20, SMALL), strict=True):
            connection.sendall(post(report))
        wait_until(lambda: n_descriptors(served) >= before + 19)  # the one before may still be closing
        for connection in connections:
            connection.close()
    wait_until(lambda: n_descriptors(served) <= before + 5)  # what tidies may have opened the database meanwhile
    read_one(served)


def read_one(served: Served) -> None:
    with connect(served) as connection:
        connection.sendall(post(make_reports(1, SMALL)[0]))
        read_answers(connection, 1)


@pytest.mark.parametrize("does", ["waits", "speaks", "shuts down", "hangs up"])
def test_connection_whose_request_is_served_is_not_asked_again_and_again(served: Served, does: str) -> None:
    read_one(served)
    with connect(served) as connection, commits_held_up(served):
        connection.sendall(post(make_reports(1, SMALL)[0]))
        if does == "speaks":
            connection.sendall(b"POST /v1/surv")
        elif does == "shuts down":
            connection.shutdown(socket.SHUT_WR)
        elif does == "hangs up":
            connection.close()
        spent = used_while_it_sleeps(served)
    assert spent < 0.5


def used_while_it_sleeps(served: Served) -> float:
    """Return how much of a second and a half the collector computed."""
    before = cpu_s(served)
    time.sleep(1.5)
    return cpu_s(served) - before


def test_connections_that_are_reset_at_a_bad_moment_close_nobody_elses(served: Served) -> None:
    """A request, and the head of a next one that waits to be told to go on; then a reset, before or after that."""
    head = b"POST /v1/surveys/small/reports HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    waiting = head + b"Expect: 100-continue\r\nContent-Length: 500\r\n\r\n"
    requests = [post(report) + waiting for report in make_reports(50, SMALL)]

    def reset(number: int) -> None:
        with connect(served) as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            connection.sendall(requests[number % len(requests)])
            time.sleep(number % 20 / 1000)

    with ThreadPoolExecutor(12) as pool:
        assert len(list(pool.map(reset, range(N_RESETS)))) == N_RESETS  # none was refused
    read_one(served)


def test_idle_connections_cost_nothing(served: Served) -> None:
    connections = [connect(served) for _ in range(100)]
    try:
        for connection in connections[:50]:
            connection.sendall(b"POST /v1/surveys/small/reports HTTP/1.1\r\nHost: x\r\n")
        assert used_while_it_sleeps(served) < 0.5
        read_one(served)
    finally:
        for connection in connections:
            connection.close()


def test_server_whose_listening_socket_is_closed_by_a_fault_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """It would go on without anybody hearing it; so somebody can start it again. The fault is any: none is known."""
    settings = Settings(db=str(tmp_path / "survey.db"), port=0)
    prepare(settings.db)
    app = create_app(settings)
    with closing(app.extensions["collector"]), closing(listen(settings)) as listening, ThreadPoolExecutor(1) as pool:
        server = make_server(app, settings, listening)
        monkeypatch.setattr(server, "handle_accept", lambda: 1 / 0)
        ended = pool.submit(server.run)
        try:
            with closing(socket.create_connection(listening.getsockname())), pytest.raises(ListenError, match="fault"):
                ended.result(TIMEOUT_S)
        finally:
            server.is_stopping = True
    assert "ZeroDivisionError" in caplog.text
