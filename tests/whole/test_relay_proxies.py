"""nginx and Caddy as relays, as deploy/relay has them: a gateway learns nothing of devices, and nothing is written."""

import os
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from devices import ANSWERS, LUNCH
from faulty_relay import front_of
from house import open_house
from oblivious_device import with_gateway
from proxies import CANARY_HEADERS, PEER, Proxy, find_traces, read_all
from real_relays import relayed, require_relay
from sotto_client import SurveyClient
from sotto_protocol.oblivious import GATEWAY_PATH, KEY_PATH, REQUEST_TYPE, SIGNED_PATH

N_POSTS = 1000 if os.environ.get("SOTTO_TEST_FULL") else 25


@pytest.fixture(params=["nginx", "caddy"])
def program(request: pytest.FixtureRequest) -> str:
    return require_relay(request.param)


class Seen(ThreadingHTTPServer):
    """A gateway that notes all that it is told."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.seen: list[tuple[str, str, dict[str, str], bytes, str]] = []


class _Handler(BaseHTTPRequestHandler):
    server: Seen

    def _answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        told = {name.lower(): value for name, value in self.headers.items()}
        self.server.seen.append((self.command, self.path, told, body, self.client_address[0]))
        self.send_response(200)
        for name, value in (
            ("Content-Type", "application/ohttp-keys"),
            ("Cache-Control", "public, max-age=3600"),
            ("Content-Length", "4"),
        ):
            self.send_header(name, value)
        self.end_headers()
        with suppress(OSError):  # a relay that refuses a body hangs up
            self.wfile.write(b"keys")

    do_GET = do_POST = do_OPTIONS = _answer  # noqa: N815  # http.server's names

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def noting_gateway() -> Iterator[Seen]:
    with Seen() as gateway:
        thread = threading.Thread(target=gateway.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield gateway
        gateway.shutdown()
        thread.join()


def send(proxy: Proxy, method: str, path: str, body: bytes = b"") -> bytes:
    """Return the answer to a request from PEER that is full of canaries."""
    lines = [f"{method} {path} HTTP/1.1", "Host: localhost", "Connection: close", "Accept-Language: c4n4ry"]
    lines += [f"{name}: {value}" for name, value in CANARY_HEADERS.items()]
    lines += ["Origin: https://c4n4ry.example", f"Content-Type: {REQUEST_TYPE}", f"Content-Length: {len(body)}", "", ""]
    with closing(proxy.connect_tls()) as connection:
        connection.sendall("\r\n".join(lines).encode() + body)
        return read_all(connection)


def test_a_gateway_sees_the_relay_and_nothing_of_who_asks_and_nothing_is_written(program: str, tmp_path: Path) -> None:
    with noting_gateway() as gateway, relayed(program, tmp_path / "relay", gateway.server_port) as proxy:
        for number in range(N_POSTS):
            assert send(proxy, "POST", f"{GATEWAY_PATH}?q=c4n4ry", b"sealed %d" % number).startswith(b"HTTP/1.1 200")
        for path in (GATEWAY_PATH, GATEWAY_PATH, SIGNED_PATH, SIGNED_PATH):
            assert send(proxy, "GET", path).endswith(b"keys")
        send(proxy, "OPTIONS", GATEWAY_PATH)
        for path in ("/", KEY_PATH, "/v1/surveys/lunch", "/metrics", f"{GATEWAY_PATH}/", f"/x{GATEWAY_PATH}"):
            assert send(proxy, "GET", path).startswith(b"HTTP/1.1 404"), path
        assert b" 413 " in send(proxy, "POST", GATEWAY_PATH, b" " * 100_000)[:20] or program == "caddy"
    posts = [each for each in gateway.seen if each[0] == "POST" and len(each[3]) < 100]
    assert [each[3] for each in posts] == [b"sealed %d" % number for number in range(N_POSTS)]
    assert {each[1].partition("?")[0] for each in gateway.seen} == {GATEWAY_PATH, SIGNED_PATH}
    names = {name for each in posts for name in each[2]}
    assert names <= {"host", "content-type", "content-length", "connection", "accept-encoding"}
    assert not [each for each in gateway.seen if PEER in str(each) or "c4n4ry" in str(each).lower()]
    n_gets = sum(each[0] == "GET" for each in gateway.seen)
    assert n_gets == (2 if program == "nginx" else 4)  # nginx keeps the keys
    assert find_traces(tmp_path) == set()


def test_a_device_answers_through_a_real_relay(program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_house(tmp_path / "survey.db") as house, front_of(house.app) as collector:
        with relayed(program, tmp_path / "relay", collector.server_port) as proxy:
            monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(proxy.certificate))
            store = house.collector.store
            survey = with_gateway(store, LUNCH, proxy.url)
            store.add_survey(survey)
            house.collector.gateway._known = None
            with SurveyClient(collector.url, survey.id, state=":memory:") as device:
                device.answer(ANSWERS)
                assert device.flush(30)
        assert store.count_tallied(house.stored(survey).key) == 1
        assert {each.path for each in collector.of("POST")} == {GATEWAY_PATH}
