"""Slow peers before nginx and Caddy as deploy/ has them: these keep them off as well as the collector alone does."""

import os
import socket
import time
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path

import pytest

from collecting import SMALL, TIMEOUT_S, make_reports, serve, wait_until
from crowd import FULL
from drips import DRIPS, HEAD, dripping, is_cut
from proxies import PEER, Proxy, is_there, proxied
from sotto_protocol import batch_body

pytestmark = pytest.mark.thorough
PATH = f"/v1/surveys/{SMALL.id}/reports"
N_DESCRIPTORS, N_DRIPPING = (1024, 2300) if FULL else (128, 300)
"""What the system allows a front when it starts, and far more connections than that allows."""
SLOW = "127.0.0.78"
"""The address that slow peers come from."""
QUICK = {
    "nginx": {"client_header_timeout 10s": "client_header_timeout 1s"},
    "caddy": {"read_header 30s": "read_header 1s", "read_body 60s": "read_body 2s"},
}
"""The fronts' own clocks, for a test that waits for them."""
UNREAD = {
    "nginx": {"send_timeout 10s": "send_timeout 1s"},
    "caddy": {"write 150s": "write 2s"},
}
"""Those of an answer that is not taken."""
SILENT = {
    "nginx": {
        "client_header_timeout 10s": "client_header_timeout 3s",
        "client_body_timeout 10s": "client_body_timeout 3s",
        "keepalive_timeout 15s": "keepalive_timeout 3s",
    },
    "caddy": {"read_header 30s": "read_header 3s", "read_body 60s": "read_body 3s", "idle 60s": "idle 3s"},
}
"""Those of peers who say nothing; an honest one has them too."""
N_SILENT = 20
"""Of each kind."""


@pytest.fixture(params=["nginx", pytest.param("caddy", marks=pytest.mark.rare)])
def program(request: pytest.FixtureRequest) -> str:
    if not is_there(request.param):
        pytest.skip(f"{request.param} is not there")
    return str(request.param)


def post(proxy: Proxy, address: str = PEER) -> int:
    return proxy.ask("POST", PATH, batch_body(SMALL, make_reports(1, SMALL)), address)[0]


def test_honest_reports_are_served_while_more_connections_drip_than_a_service_may_have_open(
    program: str, tmp_path: Path
) -> None:
    changes = {"limit_conn peers 256;": "limit_conn peers 60000;"} if program == "nginx" else {}  # all come from one
    with ExitStack() as stack:
        served = stack.enter_context(serve(tmp_path / "survey.db", "--request-timeout-s", "3600", survey=SMALL))
        front = proxied(program, tmp_path / "proxy", served.port, changes, N_DESCRIPTORS)
        proxy = stack.enter_context(front)
        slow = partial(proxy.connect_tls, address=SLOW)
        count = stack.enter_context(dripping(slow, N_DRIPPING, ("body", "chunks")))
        wait_until(lambda: count()[0] >= N_DRIPPING)
        assert [post(proxy) for _ in range(8)] == [200] * 8
        assert count() == (N_DRIPPING, 0)  # there was room for all of them


@pytest.mark.parametrize("kind", DRIPS)
def test_a_connection_that_drips_is_cut_behind_a_front(program: str, kind: str, tmp_path: Path) -> None:
    """A head by the front's clock, a body by the collector's, or by Caddy's own."""
    with (
        serve(tmp_path / "survey.db", "--request-timeout-s", "1", survey=SMALL) as served,
        proxied(program, tmp_path / "proxy", served.port, QUICK[program]) as proxy,
        proxy.connect_tls() as slow,
    ):
        assert is_cut(slow, kind)


def test_honest_reports_are_served_beside_idle_connections_and_stalled_bodies_which_are_cut(
    program: str, tmp_path: Path
) -> None:
    """Idle: before the handshake, before the first request, and behind one that was answered."""
    said = {"idle": b"", "kept": b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"}
    said |= {"stalled": HEAD + b"Content-Length: 100\r\n\r\n{"}
    with ExitStack() as stack:
        served = stack.enter_context(serve(tmp_path / "survey.db", "--request-timeout-s", "3", survey=SMALL))
        front = proxied(program, tmp_path / "proxy", served.port, SILENT[program])
        proxy = stack.enter_context(front)
        silent: list[socket.socket] = []
        for _ in range(N_SILENT):
            silent.append(stack.enter_context(proxy.connect(address=SLOW)))
            for first in said.values():
                connection = stack.enter_context(proxy.connect_tls(address=SLOW))
                connection.sendall(first)
                if first == said["kept"]:
                    assert connection.recv(1000).startswith(b"HTTP/1.1 200")
                silent.append(connection)
        assert [post(proxy) for _ in range(8)] == [200] * 8
        wait_until(lambda: not any(map(proxy.holds, silent)))


def test_an_answer_that_is_taken_in_drips_is_cut_behind_a_front(program: str, tmp_path: Path) -> None:
    """A byte each twentieth of a second of the answers of many requests, which are more than the system holds."""
    request = b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with (
        serve(tmp_path / "survey.db", survey=SMALL) as served,
        proxied(program, tmp_path / "proxy", served.port, UNREAD[program]) as proxy,
        proxy.connect_tls(address=SLOW, receive_bytes=2048) as slow,
        socket.socket(fileno=os.dup(slow.fileno())) as beneath,  # TLS would take sixteen thousand bytes at once
    ):
        slow.sendall(request * 200)
        assert proxy.holds(slow)
        deadline = time.monotonic() + TIMEOUT_S
        beneath.settimeout(TIMEOUT_S)
        with suppress(ConnectionResetError):
            while proxy.holds(slow) and time.monotonic() < deadline:
                beneath.recv(1)
                time.sleep(0.05)
        assert time.monotonic() < deadline
        assert post(proxy) == 200


def test_one_address_has_its_share_of_nginx_and_no_more(tmp_path: Path) -> None:
    if not is_there("nginx"):
        pytest.skip("nginx is not there")
    with ExitStack() as stack:
        served = stack.enter_context(serve(tmp_path / "survey.db", survey=SMALL))
        changes = {"limit_conn peers 256;": "limit_conn peers 4;"}
        proxy = stack.enter_context(proxied("nginx", tmp_path / "proxy", served.port, changes))
        for _ in range(4):
            stalled = stack.enter_context(proxy.connect_tls(address=SLOW))
            stalled.sendall(HEAD + b"Content-Length: 100\r\n\r\n")
        wait_until(lambda: post(proxy, SLOW) == 503)
        assert post(proxy) == 200
