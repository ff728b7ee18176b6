"""Fetching a tally from a collector, over real sockets: whose password, how many bytes, which survey."""

import dataclasses
import gzip
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest

from fault_server import FaultServer, Scripted, fault_server
from sotto_estimator import FetchError, SourceError, fetch_tally
from sotto_estimator.sources import fetch
from sotto_protocol import Problem, Tally, compile_survey

TOKEN = "analyst-token"  # noqa: S105


@pytest.fixture
def tally() -> Tally:
    question = {"id": "paid", "type": "yes-no", "text": "?", "epsilon": Decimal(1)}
    return Tally.empty(compile_survey({"id": "lunch", "title": "Lunch", "questions": [question]}))


@pytest.fixture
def collector(tally: Tally) -> Iterator[FaultServer]:
    """Serve the tally to whoever asks."""
    with fault_server(None) as server:
        server.survey_reply = Scripted(200, tally.to_json())
        yield server


def refused(collector: FaultServer, survey_id: str = "lunch", token: str = TOKEN) -> str:
    """Return the message of the FetchError, which names the collector and never the token."""
    with pytest.raises(FetchError) as caught:
        fetch_tally(collector.url, survey_id, token)
    assert collector.url in str(caught.value)
    assert token not in str(caught.value)
    assert repr(token) not in str(caught.value)
    return str(caught.value)


def test_the_tally_comes_with_the_token_and_without_an_encoding(collector: FaultServer, tally: Tally) -> None:
    assert fetch_tally(collector.url + "/", "lunch", TOKEN) == tally
    [request] = collector.gets
    assert request.path == "/v1/surveys/lunch/tally"
    assert request.headers["Authorization"] == f"Bearer {TOKEN}"
    assert request.headers["Accept-Encoding"] == "identity"


def test_a_password_in_netrc_does_not_replace_the_token(
    collector: FaultServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login ann password CANARY\ndefault login ann password CANARY\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    fetch_tally(collector.url, "lunch", TOKEN)
    assert collector.gets[0].headers["Authorization"] == f"Bearer {TOKEN}"


def test_a_proxy_of_the_environment_is_used(collector: FaultServer, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("http_proxy", collector.url)
    fetch_tally("http://collector.invalid", "lunch", TOKEN)
    assert collector.gets[0].path == "http://collector.invalid/v1/surveys/lunch/tally"


@pytest.mark.parametrize("token", ["CANARY\n", "CANARY\r\nX: 1", "CANARY\x00", "CANARY ", "CANARYé", "CANARY\x1b[2J"])
def test_a_token_that_no_header_can_hold_is_refused_unshown_and_unsent(collector: FaultServer, token: str) -> None:
    assert "CANARY" not in refused(collector, token=token)
    assert collector.gets == []


def test_no_token_is_refused() -> None:
    with pytest.raises(FetchError, match="must be visible ASCII"):
        fetch_tally("http://127.0.0.1:9", "lunch", "")


@pytest.mark.parametrize("encoding", ["gzip", "GZIP", "deflate", "br", "gzip, identity"])
def test_an_answer_in_an_encoding_is_refused_unread(collector: FaultServer, tally: Tally, encoding: str) -> None:
    body = gzip.compress(tally.to_json())
    collector.survey_reply = Scripted(200, body, {"Content-Encoding": encoding})
    assert "Content-Encoding that was not asked for" in refused(collector)


def test_an_answer_of_more_bytes_than_a_tally_takes_is_refused(
    collector: FaultServer, tally: Tally, monkeypatch: pytest.MonkeyPatch
) -> None:
    size = len(tally.to_json())
    monkeypatch.setattr(fetch, "_MAX_TALLY_BYTES", size)
    assert fetch_tally(collector.url, "lunch", TOKEN) == tally
    monkeypatch.setattr(fetch, "_MAX_TALLY_BYTES", size - 1)
    assert f"more than {size - 1} bytes" in refused(collector)


def test_the_tally_of_one_wave_is_asked_for_and_no_other_is_taken(collector: FaultServer, tally: Tally) -> None:
    survey = dataclasses.replace(tally.survey, waves=3)
    counts = {"paid": np.array([2])}
    for waves in ({2: 4}, {1: 4}, {1: 3, 2: 1}):
        answered = Tally(survey, waves, counts)
        collector.survey_reply = Scripted(200, answered.to_json())
        assert fetch_tally(collector.url, "lunch", TOKEN) == answered
        if waves == {2: 4}:
            assert fetch_tally(collector.url, "lunch", TOKEN, 2) == answered
            assert collector.gets[-1].path == "/v1/surveys/lunch/tally?wave=2"
        else:
            with pytest.raises(FetchError, match="answered with the tally of other waves"):
                fetch_tally(collector.url, "lunch", TOKEN, 2)
    collector.survey_reply = Scripted(200, Tally.empty(survey).to_json())
    assert fetch_tally(collector.url, "lunch", TOKEN, 2).n_reports == 0


def test_the_tally_of_another_survey_is_refused(collector: FaultServer) -> None:
    assert "the tally of another survey" in refused(collector, survey_id="dinner")


@pytest.mark.parametrize("body", [b"", b"<html>", b"{}", b"\xff", b'{"format":"sottovoce-tally-1","n_reports":-1}'])
def test_what_is_no_tally_is_refused(collector: FaultServer, body: bytes) -> None:
    collector.survey_reply = Scripted(200, body)
    assert "did not answer with a tally: $" in refused(collector)


def test_a_problem_is_told_in_its_own_words(collector: FaultServer) -> None:
    problem = Problem(403, "forbidden", "This token may not read tallies.")
    collector.survey_reply = Scripted(403, problem.to_json())
    assert "answered 403 forbidden: This token may not read tallies." in refused(collector)


def test_a_redirect_is_not_followed(collector: FaultServer) -> None:
    collector.survey_reply = Scripted(302, b"", {"Location": "/elsewhere"})
    assert "answered 302 unexpected" in refused(collector)
    assert len(collector.gets) == 1


@pytest.mark.parametrize("reply", [Scripted(drop=True), Scripted(200, b"{}", {"Content-Length": "9"})])
def test_a_broken_connection_is_no_answer(collector: FaultServer, reply: Scripted) -> None:
    collector.survey_reply = reply
    assert "could not be reached" in refused(collector)


@pytest.mark.parametrize("url", ["http://[", "http://", "http://127.0.0.1:99999", "no-scheme"])
def test_an_address_that_is_none_is_a_fetch_error(url: str) -> None:
    with pytest.raises(FetchError, match="could not be reached"):
        fetch_tally(url, "lunch", TOKEN)


def test_a_saved_tally_replaces_a_tally_and_nothing_else(tally: Tally, tmp_path: Path) -> None:
    kept, other = tmp_path / "tally.json", tmp_path / "survey.toml"
    fetch.save(tally, kept)
    fetch.save(tally, kept)
    assert fetch.read_tallies([kept]) == tally
    other.write_text('id = "lunch"')
    with pytest.raises(SourceError, match=r"survey\.toml is a text file, and will not be replaced"):
        fetch.save(tally, other)
    assert other.read_text() == 'id = "lunch"'
