"""Exchanges with hostile servers: each is over in its time, leaves nothing behind, and holds up nobody else."""

import shutil
import socket
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any, TypeVar

import pytest

from devices import ANSWERS, LUNCH
from fault_server import FaultServer, fault_server
from hostile_server import HOLDS, Hold, HostileServer, as_proxy, hostile_server, under_tls
from sotto_client import DeliveryError, SurveyClient, SurveyUnavailable
from sotto_client.delivery import MOST_AT_ONCE, Delivery
from sotto_client.exchange import Exchange, begin_with, get_survey
from sotto_client.outbox import Outbox
from sotto_client.state import State

pytestmark = pytest.mark.usefixtures("no_proxies")
IN_TIME_S = 150
"""Far more than any limit here: whoever is not back by then hangs."""
SHORT_S = 0.25
NEVER_S = 3600.0
Result = TypeVar("Result")

needs_openssl = pytest.mark.skipif(not shutil.which("openssl"), reason="openssl is not there")
every_hold = pytest.mark.parametrize("hold", HOLDS.values(), ids=HOLDS)


def in_time(work: Callable[[], Result]) -> Result:
    """Return what work returns; fails where it hangs."""
    results: list[Result] = []
    thread = threading.Thread(target=lambda: results.append(work()), daemon=True)
    thread.start()
    thread.join(IN_TIME_S)
    assert not thread.is_alive(), "it hangs"
    return results[0]


def ends_in_time(url: str) -> None:
    """Hold that an exchange is over in its time, as one without an answer, and that its thread and connection end."""

    def ask() -> bool:
        with pytest.raises(DeliveryError):
            get_survey(url, "lunch", timeout_s=SHORT_S, max_bytes=2**20)
        return True

    assert in_time(ask)
    join_exchanges()


def join_exchanges() -> None:
    for thread in threading.enumerate():
        if thread.name == "sottovoce-exchange":
            thread.join(IN_TIME_S)
            assert not thread.is_alive(), "its thread stays behind"


@every_hold
def test_an_exchange_ends_in_its_time(hold: Hold) -> None:
    with hostile_server(hold) as server:
        ends_in_time(server.url)


@needs_openssl
@every_hold
def test_an_exchange_under_tls_ends_in_its_time(
    hold: Hold, certificate: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(certificate[0]))
    with hostile_server(under_tls(hold, *certificate)) as server:
        ends_in_time(server.url.replace("http:", "https:"))


def test_a_handshake_that_is_never_answered_ends_in_its_time() -> None:
    with hostile_server(HOLDS["accepts without a word"]) as server:
        ends_in_time(server.url.replace("http:", "https:"))


@every_hold
def test_a_proxy_that_holds_ends_in_its_time(hold: Hold, monkeypatch: pytest.MonkeyPatch) -> None:
    with hostile_server(hold) as server:
        monkeypatch.setenv("http_proxy", server.url)
        monkeypatch.setenv("https_proxy", server.url)
        for scheme in ("http", "https"):  # a request, and a CONNECT
            ends_in_time(f"{scheme}://collector.invalid")


@needs_openssl
@every_hold
def test_a_collector_that_holds_behind_an_honest_proxy_ends_in_its_time(
    hold: Hold, certificate: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(certificate[0]))
    with hostile_server(as_proxy(under_tls(hold, *certificate))) as server:
        monkeypatch.setenv("https_proxy", server.url)
        ends_in_time("https://localhost:9")


def test_a_late_cut_ends_no_other_exchange() -> None:
    """The next exchange has the same descriptor, as a rule."""
    with fault_server(LUNCH) as http:
        address = f"{http.url}/v1/surveys/lunch"
        earlier: list[Exchange] = []
        for _ in range(20):
            exchange = begin_with("GET", address, timeout_s=IN_TIME_S, max_bytes=2**20)
            for ended in earlier:
                ended._line.cut()
            assert exchange.result().body == LUNCH.canonical
            earlier.append(exchange)
        assert len(http.gets) == 20


def test_no_name_that_is_looked_up_for_ever_holds_an_exchange(monkeypatch: pytest.MonkeyPatch) -> None:
    """The system's look-up cannot be cut: its thread stays behind until it comes back, and sends nothing then."""
    answered = threading.Event()
    look_up = socket.getaddrinfo

    def ask() -> bool:
        with pytest.raises(DeliveryError, match="in time"):
            get_survey("http://collector.invalid", "lunch", timeout_s=SHORT_S, max_bytes=2**20)
        return True

    with fault_server(LUNCH) as http:

        def look_up_late(_: str, __: int, *kinds: Any) -> Any:
            answered.wait(IN_TIME_S)
            return look_up("127.0.0.1", http.server_port, *kinds)

        monkeypatch.setattr("socket.getaddrinfo", look_up_late)
        assert in_time(ask)
        answered.set()
        join_exchanges()
        assert http.gets == []


# The survey.


@every_hold
def test_a_survey_is_there_or_not_in_its_time(hold: Hold, tmp_path: Path) -> None:
    with (
        hostile_server(hold) as server,
        closing(SurveyClient(server.url, "lunch", state=tmp_path / "device.db", timeout_s=SHORT_S)) as device,
    ):

        def ask() -> bool:
            with pytest.raises(SurveyUnavailable):
                device.answer(ANSWERS)
            return True

        assert in_time(ask)
        with device._state.write() as connection:  # as if it had been served once
            connection.execute("INSERT INTO surveys VALUES (?, 'lunch', ?, 0)", (server.url, LUNCH.canonical))
        assert in_time(lambda: device.survey) == LUNCH


def test_threads_that_ask_for_one_survey_do_not_wait_for_each_others_time(tmp_path: Path) -> None:
    """One after the other they would take longer than any of them may."""
    n_threads, timeout_s = 100, 2.0
    faults: list[SurveyUnavailable] = []
    with (
        hostile_server(HOLDS["drips its headers"]) as server,
        closing(SurveyClient(server.url, "lunch", state=tmp_path / "device.db", timeout_s=timeout_s)) as device,
    ):

        def ask() -> None:
            try:
                device.answer(ANSWERS)
            except SurveyUnavailable as fault:
                faults.append(fault)

        threads = [threading.Thread(target=ask, daemon=True) for _ in range(n_threads)]
        for thread in threads:
            thread.start()
        deadline = time.monotonic() + IN_TIME_S
        for thread in threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        assert len(faults) == n_threads


# Delivery: addresses do not wait for each other.


class Sender:
    """A state and its delivery. `limit_s`: of an exchange."""

    def __init__(self, path: Path, limit_s: float) -> None:
        self.state = State.open(path)
        self.delivery = Delivery(self.state, timeout_s=limit_s)

    def put(self, url: str, receipt: str) -> None:
        with self.state.write() as connection:
            Outbox(connection).put(receipt, url, "lunch", b'{"reports":[{"id":"%b"}]}' % receipt.encode())

    def waiting(self) -> list[str]:
        with self.state.read() as connection:
            return [report.receipt for report in Outbox(connection).waiting()]

    def close(self) -> None:
        self.delivery.close(IN_TIME_S)
        self.state.close()


def deliver_beside(sender: Sender, http: FaultServer, receipt: str) -> None:
    """Hold that a report to the honest collector is delivered, while others hold their exchanges."""
    sender.put(http.url, receipt)
    for _ in range(IN_TIME_S * 10):
        if sender.delivery.flush(0.1) or receipt not in sender.waiting():
            break
    assert receipt in http.seen
    assert receipt not in sender.waiting()


@every_hold
def test_a_collector_that_holds_keeps_no_other_back(hold: Hold, tmp_path: Path) -> None:
    """For as long as it holds: its exchange is not over before all others are delivered."""
    with ExitStack() as opened:
        sender = opened.enter_context(closing(Sender(tmp_path / "device.db", NEVER_S)))
        server: HostileServer = opened.enter_context(hostile_server(hold))
        http = opened.enter_context(fault_server(None))
        sender.put(server.url, "aa")
        sender.delivery.wake()
        assert server.held.acquire(timeout=IN_TIME_S)
        for receipt in ("bb", "cc"):
            deliver_beside(sender, http, receipt)
        assert sender.waiting() == ["aa"]


def test_more_collectors_that_hold_than_are_talked_to_at_once_keep_no_other_back(tmp_path: Path) -> None:
    with ExitStack() as opened:
        sender = opened.enter_context(closing(Sender(tmp_path / "device.db", SHORT_S)))
        http = opened.enter_context(fault_server(None))
        for number in range(MOST_AT_ONCE + 2):
            server = opened.enter_context(hostile_server(HOLDS["drips its headers"]))
            sender.put(server.url, f"a{number}")
        deliver_beside(sender, http, "bb")


def test_another_client_or_process_with_the_state_is_not_held_back_either(tmp_path: Path) -> None:
    with ExitStack() as opened:
        first = opened.enter_context(closing(Sender(tmp_path / "device.db", NEVER_S)))
        second = opened.enter_context(closing(Sender(tmp_path / "device.db", NEVER_S)))
        server = opened.enter_context(hostile_server(HOLDS["drips its headers"]))
        http = opened.enter_context(fault_server(None))
        first.put(server.url, "aa")
        for sender in (first, second):
            sender.delivery.wake()
        for receipt, sender in (("bb", first), ("cc", second)):
            deliver_beside(sender, http, receipt)


def test_flush_and_close_keep_to_their_time_and_nothing_is_lost(tmp_path: Path) -> None:
    with hostile_server(HOLDS["says endless 100 Continue"]) as server:
        device = SurveyClient(server.url, "lunch", state=tmp_path / "device.db", timeout_s=NEVER_S)
        with device._state.write() as connection:
            Outbox(connection).put("aa", server.url, "lunch", b"{}")
        assert in_time(lambda: device.flush(SHORT_S)) is False
        assert server.held.acquire(timeout=IN_TIME_S)
        assert in_time(lambda: device._delivery.close(SHORT_S)) is None
        assert device.pending == ["aa"]
        in_time(device._state.close)


def test_an_exchange_that_held_is_tried_again_with_back_off(tmp_path: Path) -> None:
    with hostile_server(HOLDS["drips its body"]) as server, closing(Sender(tmp_path / "device.db", 2.0)) as sender:
        sender.put(server.url, "aa")
        for _ in range(2):
            assert in_time(lambda: sender.delivery.attempt_due(eager=True)) is not None
            assert server.left.acquire(timeout=IN_TIME_S)
        with sender.state.read() as connection:
            assert [report.n_attempts for report in Outbox(connection).waiting()] == [2]


def test_what_is_under_way_when_a_delivery_is_closed_is_noted(tmp_path: Path) -> None:
    """And nothing else is begun."""
    with fault_server(None) as http, closing(Sender(tmp_path / "device.db", NEVER_S)) as sender:
        held = threading.Event()
        acknowledge = http.acknowledge

        def wait_and_acknowledge(body: bytes) -> object:
            held.wait(IN_TIME_S)
            return acknowledge(body)

        http.acknowledge = wait_and_acknowledge  # type: ignore[method-assign, assignment]
        for receipt in ("aa", "bb"):
            sender.put(http.url, receipt)
        sender.delivery.wake()
        while not http.posts:
            sender.delivery.flush(0.01)
        sender.delivery.close(0)
        held.set()
        sender.delivery.close(IN_TIME_S)
        assert len(sender.waiting()) == 1
        assert len(http.posts) == 1
