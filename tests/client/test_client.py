"""SurveyClient: what an app that embeds it can rely on."""

import json
import logging
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from devices import ANSWERS, LUNCH, WIDE, rows_of, sent_ids, yes_no
from fault_server import FaultServer, Scripted, fault_server
from sotto_client import (
    AlreadyAnswered,
    BudgetExceeded,
    StateError,
    SurveyClient,
    SurveyRefused,
    SurveyUnavailable,
)
from sotto_client.state import State
from sotto_protocol import AnswerError, Problem, Survey

CANARY = "kaleidoscope-9317"


@pytest.fixture
def http() -> Iterator[FaultServer]:
    with fault_server(LUNCH) as server:
        yield server


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "device.db"


def test_an_answer_becomes_one_report_that_the_survey_can_read(http: FaultServer, state: Path) -> None:
    with SurveyClient(http.url, "lunch", state=state) as device:
        receipt = device.answer(ANSWERS)
        assert device.flush(30)
        assert device.pending == []
    [post] = http.posts
    sent = json.loads(post.body)
    assert post.path == "/v1/surveys/lunch/reports"
    assert sent["fingerprint"] == receipt.fingerprint == LUNCH.fingerprint
    assert [report["id"] for report in sent["reports"]] == [receipt.id] == [str(receipt)]
    assert receipt.epsilon == LUNCH.epsilon
    assert LUNCH.layout.from_wire([sent["reports"][0]["answers"]]).shape == (1, LUNCH.layout.n_bytes)


def test_requests_tell_nothing_about_the_device(
    http: FaultServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login me password secret\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    http.survey_reply = Scripted(200, LUNCH.canonical, {"Set-Cookie": "who=me", "ETag": '"me"'})
    with SurveyClient(http.url, "lunch", state=":memory:") as device:
        device.answer(ANSWERS)
        assert device.flush(30)
    [get], [post] = http.gets, http.posts
    told = {"Host", "User-Agent", "Accept", "Accept-Encoding", "Connection"}
    assert set(get.headers) == told
    assert set(post.headers) == told | {"Content-Type", "Content-Length"}
    assert get.headers["User-Agent"] == post.headers["User-Agent"] == "sottovoce"
    assert post.headers["Content-Type"] == "application/json"


def test_the_same_answers_again_cost_nothing_and_send_nothing(http: FaultServer, state: Path) -> None:
    with SurveyClient(http.url, "lunch", state=state) as device:
        first = device.answer(ANSWERS)
        assert device.flush(30)
        assert device.answer(ANSWERS) == first
    with SurveyClient(http.url, "lunch", state=state) as device:
        with pytest.raises(AlreadyAnswered, match="has answered survey 'lunch' before") as caught:
            device.answer(ANSWERS)  # delivered: this device cannot tell any more that they are the same
        assert device.pending == []
    assert caught.value.receipt == first
    assert len(http.posts) == 1
    assert len(rows_of(state, "ledger")) == 1


def test_any_client_knows_the_answers_until_they_are_delivered(state: Path) -> None:
    with fault_server(WIDE) as http:
        http.script = [Scripted(503)] * 100
        with closing(SurveyClient(http.url, "wide", state=state, max_epsilon=50)) as device:
            first = device.answer({"which": ["option-017", "option-019"]})
        with closing(SurveyClient(http.url, "wide", state=state, max_epsilon=50)) as device:
            assert device.answer({"which": {"option-019", "option-017"}}) == first
            with pytest.raises(AlreadyAnswered) as caught:
                device.answer({"which": ["option-017"]})
            assert device.pending == [first.id]
    assert caught.value.receipt == first
    assert len(rows_of(state, "ledger")) == 1


def test_changed_answers_are_refused_and_not_charged(state: Path) -> None:
    with fault_server(WIDE) as http, SurveyClient(http.url, "wide", state=state, max_epsilon=50) as device:
        device.answer({"which": ["option-017"]})
        with pytest.raises(
            AlreadyAnswered,
            match=r"whether or not that report was counted\. Another report would take epsilon 16 again\.",
        ) as caught:
            device.answer({"which": ["option-018"]})
        assert device.flush(30)
        with pytest.raises(AlreadyAnswered):
            device.answer({"which": ["option-018"]})
        assert len(http.posts) == len(rows_of(state, "ledger")) == 1
    assert isinstance(caught.value, BudgetExceeded)
    assert (caught.value.needed, caught.value.left) == (16, 0)
    assert "option" not in str(caught.value)


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ({}, "every question must be answered, because a skipped one would leak. Missing: paid, dish, drinks"),
        ({"paid": True, "dish": "soup"}, "Missing: drinks"),
        (ANSWERS | {CANARY: 1}, "1 unknown question id"),
        (ANSWERS | {"paid": CANARY}, "paid: the answer must be True or False"),
        (ANSWERS | {"dish": CANARY}, "dish: the answer must be one of these texts"),
        (ANSWERS | {"drinks": [CANARY]}, "drinks: the answer must be a list"),
        (ANSWERS | {"drinks": CANARY}, "drinks: the answer must be a list"),
        ([CANARY], "answers must be a mapping"),
    ],
)
def test_bad_answers_are_refused_without_being_quoted(
    http: FaultServer, state: Path, answers: Any, message: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with SurveyClient(http.url, "lunch", state=state) as device:
        with pytest.raises(AnswerError) as caught:
            device.answer(answers)
        assert device.pending == []
    assert message in str(caught.value)
    assert CANARY not in str(caught.value) + caplog.text
    assert CANARY.encode() not in state.read_bytes()
    assert rows_of(state, "ledger") == []


def test_an_unanswered_survey_is_read_offline_from_its_copy(http: FaultServer, state: Path) -> None:
    with SurveyClient(http.url, "lunch", state=state) as device:
        assert device.survey == LUNCH
        assert device.survey is device.survey
    assert len(http.gets) == 1
    http.survey_reply = Scripted(503)
    http.script = [Scripted(503)] * 100
    with closing(SurveyClient(http.url, "lunch", state=state)) as device:
        assert device.answer(ANSWERS).id
    assert len(rows_of(state, "outbox")) == 1


@pytest.mark.parametrize("reply", [Scripted(503), Scripted(302), Scripted(drop=True), Scripted(body=b"<html>Log in")])
def test_without_a_copy_there_is_no_survey(http: FaultServer, state: Path, reply: Scripted) -> None:
    http.survey_reply = reply
    with SurveyClient(http.url, "lunch", state=state) as device, pytest.raises(SurveyUnavailable, match="lunch"):
        device.answer(ANSWERS)


@pytest.mark.parametrize("reply", [Scripted(503), Scripted(302), Scripted(drop=True), Scripted(body=b"<html>Log in")])
def test_with_a_copy_any_of_these_is_merely_offline(http: FaultServer, state: Path, reply: Scripted) -> None:
    with SurveyClient(http.url, "lunch", state=state) as device:
        assert device.survey == LUNCH
    http.survey_reply = reply
    with SurveyClient(http.url, "lunch", state=state) as device:
        assert device.survey == LUNCH


def test_nobody_listening_is_offline_too(state: Path) -> None:
    with fault_server(LUNCH) as server:
        url = server.url
        with SurveyClient(url, "lunch", state=state) as device:
            assert device.survey == LUNCH
    with closing(SurveyClient(url, "lunch", state=state)) as device:
        device.answer(ANSWERS)
        assert not device.flush(0)
        assert len(device.pending) == 1


def understated() -> bytes:
    """A survey that declares an epsilon of 1 where its thresholds take ln 3."""
    text = LUNCH.canonical.decode().replace("1.098612288669", "1")
    return text.replace('"epsilon":3.098612288669', '"epsilon":3').encode()


@pytest.mark.parametrize(
    ("served", "options", "reason"),
    [
        (yes_no("lunch").canonical, {"fingerprint": LUNCH.fingerprint}, "not the pinned"),
        (yes_no("lunch", "8.1").canonical, {}, "max_epsilon"),
        (LUNCH.canonical, {"max_epsilon": 3}, "max_epsilon"),
        (yes_no("supper").canonical, {}, "the collector sent another"),
        (understated(), {}, "declares 1 but the thresholds take 1.09861"),
        (LUNCH.canonical + b"\n", {}, "canonical"),
        (b"{}", {}, "missing"),
        (b"[" * 20_000, {}, "JSON"),
    ],
)
def test_a_bad_survey_is_refused_before_anything_is_perturbed(
    http: FaultServer, state: Path, served: bytes, options: dict[str, Any], reason: str
) -> None:
    http.survey_reply = Scripted(200, served)
    with SurveyClient(http.url, "lunch", state=state, **options) as device:
        with pytest.raises(SurveyRefused, match=reason):
            device.answer({"q": True})
        assert rows_of(state, "surveys") == rows_of(state, "ledger") == []


def test_the_pinned_survey_is_accepted(http: FaultServer) -> None:
    with SurveyClient(http.url, "lunch", state=":memory:", fingerprint=LUNCH.fingerprint) as device:
        assert device.survey == LUNCH


def test_the_budget_of_a_survey_holds_over_its_versions(http: FaultServer, state: Path) -> None:
    for text, epsilon in (("first", "5"), ("second", "3"), ("third", "0.5")):
        version = Survey("lunch", text, yes_no("lunch", epsilon).questions)
        http.survey_reply = Scripted(200, version.canonical)
        with SurveyClient(http.url, "lunch", state=state) as device:
            if text != "third":
                device.answer({"q": True})
                assert device.flush(30)
            else:
                with pytest.raises(BudgetExceeded, match=r"max_epsilon \(8\) leaves 0 for survey lunch") as caught:
                    device.answer({"q": True})
                assert (caught.value.needed, caught.value.left) == (Decimal("0.5"), 0)
                assert device.flush(30)
    assert len(http.posts) == len(rows_of(state, "ledger")) == 2


def test_what_was_not_delivered_is_delivered_by_the_next_client_of_any_survey(state: Path) -> None:
    with fault_server(LUNCH) as first, fault_server(yes_no("supper")) as second:
        first.script = [Scripted(503)] * 100
        with closing(SurveyClient(first.url, "lunch", state=state)) as device:
            receipt = device.answer(ANSWERS)
            assert not device.flush(0)
        assert [row[0] for row in rows_of(state, "outbox")] == [receipt.id]
        first.script = []
        with SurveyClient(second.url, "supper", state=state) as device:
            assert device.flush(30)
        assert len({post.body for post in first.posts}) == 1
        assert sent_ids([first.posts[-1].body]) == [receipt.id]
        assert second.posts == []


def test_opening_a_state_is_enough_to_have_its_reports_delivered(http: FaultServer, state: Path) -> None:
    http.script = [Scripted(503)] * 100
    with closing(SurveyClient(http.url, "lunch", state=state, timeout_s=10)) as device:
        receipt = device.answer(ANSWERS)
    with closing(State.open(state)) as opened, opened.write() as connection:
        connection.execute("UPDATE outbox SET not_before = 0")  # the back-off is over
    http.script = []
    with closing(SurveyClient("http://127.0.0.1:1", "supper", state=state)):
        for thread in threading.enumerate():
            if thread.name == "sottovoce-delivery":  # it ends when nothing waits
                thread.join(300)
    assert http.seen == {receipt.id}


def test_a_report_that_is_refused_for_good_is_kept_and_shown(http: FaultServer, state: Path) -> None:
    http.script = [Scripted(409, Problem(409, "survey_closed", "The survey is closed.").to_json())]
    with SurveyClient(http.url, "lunch", state=state) as device:
        receipt = device.answer(ANSWERS)
        assert device.flush(30)
    with SurveyClient(http.url, "lunch", state=state) as device:
        assert device.flush(30)
        [rejected] = device.rejected
        with pytest.raises(AlreadyAnswered) as caught:
            device.answer(ANSWERS)
    assert caught.value.receipt == receipt
    assert (rejected.receipt, rejected.survey_id, rejected.problem.code) == (receipt.id, "lunch", "survey_closed")
    assert len(http.posts) == 1


def test_many_threads_and_clients_make_one_report(http: FaultServer, state: Path) -> None:
    receipts: list[str] = []
    devices = [SurveyClient(http.url, "lunch", state=state) for _ in range(3)]

    def answer(device: SurveyClient) -> None:
        try:
            receipts.append(device.answer(ANSWERS).id)
        except AlreadyAnswered as fault:  # another client's report was delivered meanwhile
            receipts.append(fault.receipt.id)

    threads = [threading.Thread(target=answer, args=(device,)) for device in devices * 3]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for device in devices:
        assert device.flush(30)
        device.close()
    assert len(receipts) == 9
    assert len(set(receipts)) == 1
    assert http.seen == set(receipts)
    assert len(rows_of(state, "ledger")) == 1


def test_a_forked_child_answers_by_itself(http: FaultServer, state: Path) -> None:
    script = f"""if True:
        import os
        from sotto_client import AlreadyAnswered, SurveyClient
        device = SurveyClient({http.url!r}, "lunch", state={str(state)!r})
        child = os.fork()
        if child == 0:
            device.answer({ANSWERS!r})
            os._exit(0 if device.flush(30) else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        with device:
            try:
                device.answer({ANSWERS!r})
            except AlreadyAnswered as fault:
                assert fault.receipt and device.flush(30)
    """
    subprocess.run([sys.executable, "-W", "error", "-c", script], check=True, timeout=300)
    assert len(http.posts) == 1


def test_leaving_the_block_does_not_hide_the_apps_own_exception(http: FaultServer, state: Path) -> None:
    def crash() -> None:
        with SurveyClient(http.url, "lunch", state=state) as device:
            device.answer(ANSWERS)
            state.unlink()
            raise KeyError("the app")

    with pytest.raises(KeyError, match="the app"):
        crash()


def test_a_closed_client_says_so_and_leaves_no_thread(http: FaultServer, state: Path) -> None:
    with SurveyClient(http.url, "lunch", state=state) as device:
        device.answer(ANSWERS)
        assert device.flush(30)
    device.close()
    with pytest.raises(StateError, match="closed"):
        device.answer(ANSWERS)
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("sottovoce")]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"url": "ftp://x"}, "url"),
        ({"url": "http://me:secret@x"}, "url"),
        ({"relay_url": "http://me:secret@x"}, "relay_url"),
        ({"url": "HTTPS://secret@x"}, "url"),
        ({"url": "http://x?q=1"}, "url"),
        ({"url": "http://"}, "url"),
        ({"url": "http://x:99999"}, "url"),
        ({"url": 3}, "url"),
        ({"survey_id": "../lunch"}, "survey_id"),
        ({"survey_id": None}, "survey_id"),
        ({"max_epsilon": 0}, "max_epsilon"),
        ({"max_epsilon": float("nan")}, "max_epsilon"),
        ({"max_period_epsilon": float("inf")}, "max_period_epsilon"),
        ({"max_period_epsilon": True}, "max_period_epsilon"),
        ({"period_days": 0}, "period_days"),
        ({"period_days": 1.5}, "period_days"),
        ({"timeout_s": 0}, "timeout_s"),
        ({"timeout_s": float("inf")}, "timeout_s"),
        ({"timeout_s": "5"}, "timeout_s"),
        ({"timeout_s": None}, "timeout_s"),
        ({"state": 5}, "state"),
        ({"state": b"device.db"}, "state"),
        ({"fingerprint": "zz"}, "fingerprint"),
        ({"fingerprint": 123}, "fingerprint"),
    ],
)
def test_arguments_outside_their_domain_are_named(arguments: dict[str, Any], message: str, state: Path) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        SurveyClient(**({"url": "http://127.0.0.1", "survey_id": "lunch", "state": state} | arguments))
    assert "secret" not in str(caught.value)
    assert not state.exists()


def test_importing_the_client_loads_no_other_side_and_nothing_heavy() -> None:
    heavy = ["flask", "scipy", "pandas", "msgspec", "matplotlib", "sotto_collector", "sotto_estimator"]
    script = f"import sys, sotto_client; print([name for name in {heavy} if name in sys.modules])"
    found = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    assert found.stdout == "[]\n"
