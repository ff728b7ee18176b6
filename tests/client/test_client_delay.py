"""Random delays and relays: what hides the moment and the address of a report from the collector."""

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from devices import ANSWERS, LUNCH, rows_of, sent_ids
from fault_server import FaultServer, Scripted, fault_server
from sotto_client import SurveyClient
from sotto_client.cli import main
from sotto_client.delivery import MAX_DELAY_S


@pytest.fixture
def http() -> Iterator[FaultServer]:
    with fault_server(LUNCH) as server:
        yield server


@pytest.fixture
def relay() -> Iterator[FaultServer]:
    """A server that has no survey, and takes reports."""
    with fault_server(None) as server:
        yield server


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "device.db"


def delay_end(state: Path) -> float:
    [row] = rows_of(state, "outbox")
    return float(row[8])


# Delays.


def test_a_report_waits_in_the_outbox_until_the_moment_that_was_drawn(
    http: FaultServer, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("random.SystemRandom.uniform", lambda _, low, high: (low + high) / 2)
    before = time.time()
    with closing(SurveyClient(http.url, "lunch", state=state, max_delay_s=MAX_DELAY_S)) as device:
        receipt = device.answer(ANSWERS)
        after = time.time()
        end = delay_end(state)
        assert before <= end - MAX_DELAY_S / 2 <= after
        assert device.pending == [receipt.id]
    with closing(SurveyClient(http.url, "lunch", state=state)) as device:  # another client, without a delay
        assert device.pending == [receipt.id]
        assert delay_end(state) == end
        assert not device.flush(30)
        assert http.posts == []
        assert device.flush(30, skip_delay=True)
    assert http.seen == {receipt.id}


def test_delays_are_drawn_from_the_whole_time_by_the_operating_system(
    http: FaultServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 40 draws all lie in one half with a probability of 2e-12; two are alike with one below 1e-9."""
    monkeypatch.setattr("random.uniform", None)  # the process's own generator, which can be foreseen
    monkeypatch.setattr("random.random", None)
    start, delays = time.time(), []
    for _ in range(40):
        with closing(SurveyClient(http.url, "lunch", state=":memory:", max_delay_s=MAX_DELAY_S)) as device:
            device.answer(ANSWERS)
            with device._state.read() as connection:
                [(end,)] = connection.execute("SELECT delay_until FROM outbox")
        delays.append(end - start)
    assert len(set(delays)) == 40
    assert 0 <= min(delays) < MAX_DELAY_S / 2 < max(delays) <= MAX_DELAY_S + time.time() - start


def test_a_short_delay_ends_by_itself(http: FaultServer) -> None:
    with closing(SurveyClient(http.url, "lunch", state=":memory:", max_delay_s=0.2)) as device:
        receipt = device.answer(ANSWERS)
        for thread in threading.enumerate():
            if thread.name == "sottovoce-delivery":  # it ends when nothing waits
                thread.join(300)
        assert device.pending == []
    assert http.seen == {receipt.id}


def test_without_a_delay_nothing_of_the_moment_is_kept(http: FaultServer, state: Path) -> None:
    http.survey_reply = Scripted(200, LUNCH.canonical)
    http.script = [Scripted(503)] * 100
    with closing(SurveyClient(http.url, "lunch", state=state, max_delay_s=0)) as device:
        device.answer(ANSWERS)
    assert delay_end(state) == 0


@pytest.mark.parametrize(
    "max_delay_s", [-1, -1e-9, float("nan"), float("inf"), -float("inf"), MAX_DELAY_S + 1, True, "60", None, 10**400]
)
def test_a_delay_outside_its_domain_is_refused(state: Path, max_delay_s: Any) -> None:
    with pytest.raises(ValueError, match=r"max_delay_s \(.{1,40}\) must be a number of seconds in \[0, 604800\]"):
        SurveyClient("http://127.0.0.1:1", "lunch", state=state, max_delay_s=max_delay_s)
    assert not state.exists()


def test_the_command_ends_a_delay_only_on_request(
    http: FaultServer, state: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.CRITICAL, "sottovoce")
    with closing(SurveyClient(http.url, "lunch", state=state, max_delay_s=MAX_DELAY_S)) as device:
        device.answer(ANSWERS)
        with device._state.write() as connection:
            connection.execute("UPDATE outbox SET delay_until = ?", (time.time() + 86_400,))
    asked = CliRunner().invoke(main, ["outbox", "--send", str(state)])
    assert "some reports still wait" in asked.stderr
    assert http.posts == []
    told = CliRunner().invoke(main, ["outbox", "--send", "--skip-delay", str(state)])
    assert told.stderr == "no report waits\n"
    assert len(http.seen) == 1


# Relays.


@pytest.mark.parametrize("path", ["", "/", "/sotto", "/a/b/"])
def test_reports_go_to_the_relay_and_the_survey_comes_from_the_collector(
    http: FaultServer, relay: FaultServer, path: str
) -> None:
    with SurveyClient(http.url, "lunch", state=":memory:", relay_url=relay.url + path) as device:
        receipt = device.answer(ANSWERS)
        assert device.flush(30)
    assert (len(http.gets), http.posts) == (1, [])
    assert [get.path for get in relay.gets] == [f"{path.rstrip('/')}/.well-known/ohttp-gateway/signed"]
    [post] = relay.posts
    assert post.path == f"{path.rstrip('/')}/v1/surveys/lunch/reports"
    assert sent_ids([post.body]) == [receipt.id]
    assert http.url not in str(post.headers)
    assert relay.url not in str(http.gets)


def test_what_waits_for_a_relay_never_goes_to_the_collector_itself(
    http: FaultServer, relay: FaultServer, state: Path
) -> None:
    """Not through another client of the state, which knows no relay, nor after a restart."""
    relay.script = [Scripted(503)] * 2
    with closing(SurveyClient(http.url, "lunch", state=state, relay_url=relay.url)) as device:
        receipt = device.answer(ANSWERS)
    with SurveyClient(http.url, "lunch", state=state) as device:
        assert device.flush(30) or device.flush(30)
    assert relay.seen == {receipt.id}
    assert http.posts == []


def test_a_relay_that_asks_to_be_left_alone_is_and_its_own_page_is_no_answer(
    http: FaultServer, relay: FaultServer, state: Path
) -> None:
    relay.script = [Scripted(502, b"<html>Bad gateway"), Scripted(403, b"<html>No"), AWAY]
    with closing(SurveyClient(http.url, "lunch", state=state, relay_url=relay.url)) as device:
        device.answer(ANSWERS)
        assert not device.flush(30)
        assert device.rejected == []
        assert not device.flush(30)
    assert len(relay.posts) == 3
    assert http.posts == []


AWAY = Scripted(503, headers={"Retry-After": "3600"})


@pytest.mark.parametrize(
    "relay_url",
    ["", "ftp://x", "file:///etc/passwd", "//x", "x", "http://", "http://me:secret@x", "http://x?q=1", "http://x y", 3],
)
def test_a_relay_that_is_no_http_address_is_refused_and_not_quoted(state: Path, relay_url: Any) -> None:
    with pytest.raises(ValueError, match="relay_url must be http:// or https://") as caught:
        SurveyClient("http://127.0.0.1:1", "lunch", state=state, relay_url=relay_url)
    assert "secret" not in str(caught.value)
    assert not state.exists()


# What links reports.


def test_every_report_has_a_request_and_a_connection_of_its_own(http: FaultServer, state: Path) -> None:
    other = LUNCH.canonical.replace(b'"id":"lunch"', b'"id":"supper"')
    http.script = [Scripted(503)] * 2
    for survey_id, canonical in (("lunch", LUNCH.canonical), ("supper", other)):
        http.survey_reply = Scripted(200, canonical)
        with SurveyClient(http.url, survey_id, state=state) as device:
            device.answer(ANSWERS)
            device.flush(30)
    assert len(http.seen) == 2
    assert all(len(sent_ids([post.body])) == 1 and post.headers["Connection"] == "close" for post in http.posts)
