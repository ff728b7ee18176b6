"""Connections that drip, or stay and say nothing: each has its time, and none keeps an honest request waiting."""

import resource
import socket
import sys
import time
from contextlib import ExitStack, closing, suppress
from pathlib import Path

import pytest

from collecting import SMALL, SOTTO, TIMEOUT_S, Served, make_reports, serve, wait_until
from crowd import FULL
from drips import DRIPS, HEAD, dripping, is_cut
from sotto_protocol import batch_body

N_HONEST = 8
N_IDLE = 40
"""Far more than the 16 that can be open; these give way sixteen at a time, in two seconds each time."""
N_DESCRIPTORS = 64
FEW = f"import os, resource, sys\nresource.setrlimit(resource.RLIMIT_NOFILE, ({N_DESCRIPTORS},) * 2)\n"
FEW += f"os.execv({str(SOTTO)!r}, sys.argv)"
"""Becomes a collector that may have so many descriptors."""
N_DRIPPING, MAX_CONNECTIONS = (1050, 1000) if FULL else (60, 50)


def test_honest_requests_are_served_while_more_connections_drip_than_can_be_open(tmp_path: Path) -> None:
    """The time of a request is far longer than this test: it is the one that waits longest that gives way."""
    flags = ["--max-connections", str(MAX_CONNECTIONS), "--request-timeout-s", "3600"]
    with serve(tmp_path / "survey.db", *flags, survey=SMALL) as served:
        with dripping(served.connect, N_DRIPPING) as count:
            wait_until(lambda: count()[1] > 0)  # all that can be are open
            for _ in range(N_HONEST):
                assert served.send(make_reports(1, SMALL), SMALL)[0] == 200
        code, _, err = served.stop()
    assert code == 0
    lines = {line.partition("sotto_collector: ")[2] for line in err.splitlines()}  # once a minute; of no address
    assert lines == {"the highest number of connections is open; idle ones are closed for new ones"}


@pytest.mark.parametrize("kind", DRIPS)
def test_request_that_drips_is_cut_when_its_time_is_over(tmp_path: Path, kind: str) -> None:
    """A byte each twentieth of a second renews every limit of silence, but not this one."""
    with serve(tmp_path / "survey.db", "--request-timeout-s", "1", survey=SMALL) as served, served.connect() as slow:
        assert is_cut(slow, kind)


def test_body_that_comes_faster_than_the_least_has_its_time(tmp_path: Path) -> None:
    """A byte a second is asked for: what has come at once is good for an hour."""
    body = batch_body(SMALL, make_reports(100, SMALL))
    flags = ["--request-timeout-s", "1", "--min-bytes-per-s", "1"]
    with serve(tmp_path / "survey.db", *flags, survey=SMALL) as served, served.connect() as slow:
        slow.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body[:-1])
        time.sleep(4)  # several times the time of a request
        slow.sendall(body[-1:])
        assert slow.recv(1000).startswith(b"HTTP/1.1 200 OK")


def test_answer_that_is_taken_in_drips_is_cut(tmp_path: Path) -> None:
    """The answers of many requests at once are more than the system holds for somebody who reads a byte at a time."""
    request = b"GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n"
    flags = ["--request-timeout-s", "1", "--min-bytes-per-s", "1000000000"]
    with serve(tmp_path / "survey.db", *flags, survey=SMALL) as served, closing(socket.socket()) as slow:
        assert served.ask("GET", "/openapi.json")[0] == 200
        before = sockets_of(served)
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        slow.settimeout(TIMEOUT_S)
        slow.connect(("127.0.0.1", served.port))
        slow.sendall(request * 2000)
        deadline = time.monotonic() + TIMEOUT_S
        wait_until(lambda: bool(sockets_of(served) - before))
        (taken,) = sockets_of(served) - before
        with suppress(ConnectionResetError):  # that is how it is cut, where something was still to be read
            while taken in sockets_of(served) and time.monotonic() < deadline:
                slow.recv(1)
                time.sleep(0.05)
        assert time.monotonic() < deadline


def test_connections_without_a_request_give_way_where_descriptors_are_few(tmp_path: Path) -> None:
    command = [sys.executable, "-c", FEW]
    with serve(tmp_path / "survey.db", survey=SMALL, command=command) as served, ExitStack() as stack:
        for _ in range(N_IDLE):
            stack.enter_context(served.connect())
        for _ in range(N_HONEST):
            assert served.send(make_reports(1, SMALL), SMALL)[0] == 200
            assert served.ask("GET", "/healthz")[0] == 200
        code, _, err = served.stop()
    assert code == 0
    assert {line.partition("sotto_collector: ")[2] for line in err.splitlines()} == {
        "at most 16 connections can be open: the system allows 64 descriptors",
        "the highest number of connections is open; idle ones are closed for new ones",
    }


def test_descriptors_that_something_else_took_are_no_end(tmp_path: Path) -> None:
    """The system then gives none to a new connection: an idle one gives way, and nothing spins."""
    with serve(tmp_path / "survey.db", survey=SMALL) as served, ExitStack() as stack:
        assert served.send(make_reports(1, SMALL), SMALL)[0] == 200
        for _ in range(20):
            stack.enter_context(served.connect())
        wait_until(lambda: count_descriptors(served) > 30)
        n_open = count_descriptors(served)
        hard = resource.prlimit(served.process.pid, resource.RLIMIT_NOFILE)[1]
        resource.prlimit(served.process.pid, resource.RLIMIT_NOFILE, (n_open, hard))
        for _ in range(5):
            stack.enter_context(served.connect())
        assert served.ask("GET", "/openapi.json")[0] == 200  # the database needs descriptors, too
        resource.prlimit(served.process.pid, resource.RLIMIT_NOFILE, (hard, hard))
        assert served.send(make_reports(1, SMALL), SMALL)[0] == 200
        assert "idle ones are closed" in served.stop()[2]


def sockets_of(served: Served) -> set[str]:
    """Return the names of the sockets that the collector has open."""
    names = set()
    for path in Path(f"/proc/{served.process.pid}/fd").iterdir():
        with suppress(FileNotFoundError):  # closed meanwhile
            names.add(str(path.readlink()))
    return {name for name in names if name.startswith("socket:")}


def count_descriptors(served: Served) -> int:
    return len([*Path(f"/proc/{served.process.pid}/fd").iterdir()])
