"""What a device keeps of a survey that is over: no secret, and not in which wave an answer changed."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from devices import (
    AWAY,
    DIARY,
    PULSE,
    PULSE_CHARGES,
    WORDS,
    answer,
    assert_forgotten,
    let_a_week_pass,
    let_go,
    raw_of,
    rows_of,
    secrets_of,
)
from fault_server import FaultServer, Scripted, fault_server
from sotto_client import AlreadyAnswered, ParticipationEnded, SurveyClient, SurveyRefused, SurveyUnavailable
from sotto_client.ledger import write_epsilon
from sotto_client.reporting import check_answers, mark_answers
from sotto_protocol import Problem

OVER = {
    code: Scripted(status, Problem(status, code, "Over.").to_json())
    for status, code in ((409, "survey_closed"), (409, "wrong_fingerprint"), (404, "no_such_survey"))
}


@pytest.fixture
def http() -> Iterator[FaultServer]:
    with fault_server(PULSE) as server:
        yield server


@pytest.fixture
def diary() -> Iterator[FaultServer]:
    with fault_server(DIARY) as server:
        yield server


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "device.db"


@pytest.mark.parametrize("code", OVER)
def test_a_collector_that_says_the_survey_is_over_ends_the_secret(http: FaultServer, state: Path, code: str) -> None:
    """At once where it has this version and closed it; after a week where it does not know it."""
    answer(http, state, WORDS, 1)
    [secret] = secrets_of(state)
    http.script = [OVER[code]] * 1000
    with closing(SurveyClient(http.url, "pulse", state=state)) as device:
        refused = device.answer(WORDS, 2)
        if code != "survey_closed":
            while not any(row[10] for row in rows_of(state, "outbox")):
                assert not device.flush(0.1)
            assert secrets_of(state) == [secret, secret]
            assert device.pending == [refused.id]
            let_a_week_pass(state)
        for _ in range(30):  # an attempt that is under way as the week passes writes what it knew before
            if device.flush(10):
                break
            let_a_week_pass(state)
        assert device.pending == []
    assert_forgotten(state, secret, mark_answers(PULSE, check_answers(PULSE, WORDS), secret))
    with closing(SurveyClient(http.url, "pulse", state=state)) as device:
        assert [rejected.receipt for rejected in device.rejected] == [refused.id]
        with pytest.raises(ParticipationEnded, match="no longer"):
            device.answer(WORDS, 3)
    assert [Decimal(row[5]) for row in rows_of(state, "ledger")] == [sum(PULSE_CHARGES[:2])] * 2


def test_what_else_waits_for_a_survey_that_is_over_is_still_sent(http: FaultServer, state: Path) -> None:
    http.script = [AWAY]
    with closing(SurveyClient(http.url, "pulse", state=state)) as device:
        device.answer(WORDS, 1)
        let_go(device)
        http.script = [AWAY]
        device.answer(WORDS, 2)
        let_go(device)
        http.script = [OVER["survey_closed"]]
        assert device.flush(30)
        assert len(device.rejected) == len(http.seen) == 1
    assert not any(map(any, secrets_of(state)))


def ask(http: FaultServer, state: Path, **options: Any) -> str:
    """Ask for the survey; return the title of what came, or what was wrong."""
    with closing(SurveyClient(http.url, "pulse", state=state, **options)) as device:
        try:
            return device.survey.title
        except (SurveyUnavailable, SurveyRefused) as fault:
            return str(fault)


@pytest.mark.parametrize("code", OVER)
def test_a_survey_that_is_not_served_any_more_is_over(http: FaultServer, state: Path, code: str) -> None:
    answer(http, state, WORDS, 1)
    http.survey_reply = OVER[code]
    if code != "survey_closed":
        assert ask(http, state) == PULSE.title
        assert all(map(any, secrets_of(state)))
        let_a_week_pass(state)
    for _ in range(3):
        assert code in ask(http, state)
        assert not any(map(any, secrets_of(state)))


@pytest.mark.parametrize("code", ["no_such_survey", "wrong_fingerprint"])
def test_the_copy_of_who_has_not_answered_yet_serves_for_a_week_too(http: FaultServer, state: Path, code: str) -> None:
    assert ask(http, state) == PULSE.title
    http.survey_reply = OVER[code]
    for _ in range(3):
        assert ask(http, state) == PULSE.title
    let_a_week_pass(state)
    assert code in ask(http, state)
    http.survey_reply = Scripted(503)  # something else: it may have its database again soon
    assert ask(http, state) == PULSE.title
    http.survey_reply = OVER[code]
    assert ask(http, state) == PULSE.title


def test_what_ends_a_survey_has_no_copy_to_spare_where_there_is_none(http: FaultServer, state: Path) -> None:
    http.survey_reply = OVER["no_such_survey"]
    assert "no_such_survey" in ask(http, state)
    assert rows_of(state, "doubts") == []


def test_a_survey_that_is_served_again_was_never_over(http: FaultServer, state: Path) -> None:
    """And what else a collector says in between begins the week anew."""
    answer(http, state, WORDS, 1)
    served = http.survey_reply
    for between in (served, Scripted(503), Scripted(200, b"<html>")):
        http.survey_reply = OVER["no_such_survey"]
        ask(http, state)
        let_a_week_pass(state)
        http.survey_reply = between
        ask(http, state)
        assert [row for row in rows_of(state, "doubts") if any(row[-2:])] == []
    http.survey_reply = OVER["no_such_survey"]
    ask(http, state)
    assert all(map(any, secrets_of(state)))


def problem(status: int, code: str) -> Scripted:
    """A problem of the collector's own."""
    return Scripted(status, Problem(status, code, "No.").to_json())


@pytest.mark.parametrize(
    "reply",
    [
        Scripted(503),
        Scripted(404),
        problem(403, "no"),
        problem(408, "request_timeout"),
        problem(413, "too_large"),
        problem(429, "too_many_reports"),
    ],
)
def test_a_survey_that_merely_cannot_be_had_is_not_over(http: FaultServer, state: Path, reply: Scripted) -> None:
    answer(http, state, WORDS, 1)
    http.survey_reply = reply
    assert ask(http, state) == PULSE.title
    assert all(map(any, secrets_of(state)))


def test_a_new_version_ends_the_one_before_of_the_same_collector_only(http: FaultServer, state: Path) -> None:
    other = replace(PULSE, title="Pulse elsewhere")
    with fault_server(other) as elsewhere:
        answer(elsewhere, state, WORDS | {"well": False}, 1)
    with SurveyClient(http.url, "pulse", state=state, max_epsilon=50) as device:
        device.answer(WORDS)
        assert device.flush(30)
    assert all(map(any, secrets_of(state)))
    http.survey_reply = Scripted(200, replace(PULSE, title="Pulse anew").canonical)
    assert ask(http, state, max_epsilon=50) == "Pulse anew"
    assert all(map(any, secrets_of(state)))
    let_a_week_pass(state)
    assert ask(http, state, max_epsilon=50) == "Pulse anew"
    assert [any(secret) for secret in secrets_of(state)] == [True, False]


def test_a_version_of_before_is_over_though_something_else_came_in_between(http: FaultServer, state: Path) -> None:
    """By then the device keeps the new one, and asks for it alone."""
    answer(http, state, WORDS, 1)
    anew = Scripted(200, replace(PULSE, title="Pulse anew").canonical)
    for reply in (anew, Scripted(200, b"<html>"), anew):
        http.survey_reply = reply
        ask(http, state)
        let_a_week_pass(state)
    assert all(map(any, secrets_of(state)))
    ask(http, state)
    assert not any(map(any, secrets_of(state)))


def test_versions_that_were_never_answered_leave_no_doubts(http: FaultServer, state: Path) -> None:
    answer(http, state, WORDS, 1)
    for number in range(5):
        http.survey_reply = Scripted(200, replace(PULSE, title=f"Pulse {number}").canonical)
        assert ask(http, state) == f"Pulse {number}"
    assert len(rows_of(state, "doubts")) <= 2


@pytest.mark.parametrize("limit", [{"fingerprint": PULSE.fingerprint}, {"max_epsilon": 0.5}])
def test_a_new_version_that_is_refused_ends_the_one_before_too(
    http: FaultServer, state: Path, limit: dict[str, Any]
) -> None:
    answer(http, state, WORDS, 1)
    assert all(map(any, secrets_of(state)))
    http.survey_reply = Scripted(200, replace(PULSE, title="Pulse anew").canonical)
    assert "Pulse" not in ask(http, state, **limit)
    assert all(map(any, secrets_of(state)))
    let_a_week_pass(state)
    assert "Pulse" not in ask(http, state, **limit)
    assert not any(map(any, secrets_of(state)))


# What each wave took tells when an answer changed.

CHANGES = {"second": "ABBB", "third": "AABB"}


@pytest.mark.parametrize("end", ["last wave", "forget", "closed"])
def test_a_forgotten_survey_does_not_tell_in_which_wave_an_answer_changed(
    diary: FaultServer, tmp_path: Path, end: str
) -> None:
    """But for the sum, the rows of two devices are the same in all that their answers had a part in."""
    kept = []
    for name, words in CHANGES.items():
        state = tmp_path / name
        waves = [1, 2, 3, 6] if end == "last wave" else [1, 2, 3, 4]
        for wave, word in zip(waves, words, strict=True):
            diary.script = [OVER["survey_closed"]] if (end, wave) == ("closed", 4) else []
            answer(diary, state, {"word": word}, wave)
        if end == "forget":
            with closing(SurveyClient(diary.url, "diary", state=state)) as device:
                device.forget()
        rows = rows_of(state, "ledger")
        kept.append([(*row[:5], *row[8:]) for row in rows])
        pots = [DIARY.questions[0].epsilon_of(words.count(word)) for word in "AB"]
        assert {Decimal(row[5]) for row in rows} == {sum(pots)}
        raw = raw_of(state)
        assert raw.count(f"{rows[0][5]}{rows[0][6]}".encode()) == 4
        assert not [charge for charge in ("0.5", "1") if write_epsilon(charge).encode() in raw]
    assert kept[0] == kept[1]


def test_the_object_that_made_a_report_still_knows_what_it_took(http: FaultServer, state: Path) -> None:
    with SurveyClient(http.url, "pulse", state=state) as device:
        receipts = [device.answer(WORDS, wave) for wave in (1, 3)]
        assert device.flush(30)
        assert [device.answer(WORDS, wave) for wave in (1, 3)] == receipts
        with pytest.raises(AlreadyAnswered) as caught:
            device.answer(WORDS | {"well": False}, 1)
    assert caught.value.receipt == receipts[0]
    with pytest.raises(AlreadyAnswered) as caught:
        answer(http, state, WORDS, 1)
    assert (caught.value.receipt.epsilon, caught.value.receipt.is_summed) == (sum(PULSE_CHARGES[:2]), True)
