"""What a device keeps of delivered reports: nothing, or for so many days the very bytes, to be sent again."""

import json
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from devices import (
    ANSWERS,
    AWAY,
    CHOSEN,
    INVITATION,
    INVITED,
    LUNCH,
    PULSE,
    WIDE,
    WORDS,
    assert_gone,
    let_go,
    raw_of,
    rows_of,
    secrets_of,
)
from fault_server import FaultServer, Scripted, fault_server
from sotto_client import DeliveryError, StateError, SurveyClient
from sotto_client.commands import outbox
from sotto_client.day import today
from sotto_client.inventory import take_inventory
from sotto_client.state import State
from sotto_protocol import Problem, Survey

CLOSED = Scripted(409, Problem(409, "survey_closed", "It is over.").to_json())


@pytest.fixture
def http() -> Iterator[FaultServer]:
    with fault_server(LUNCH) as server:
        yield server


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "device.db"


def restore(http: FaultServer, number: str, survey: Survey = LUNCH, *, is_lost: bool = True) -> None:
    """Have a collector say that its store was restored, and, as a rule, lose all that it had counted."""
    http.survey_reply = Scripted(200, survey.canonical, {"Sottovoce-Restored": number})
    if is_lost:
        http.seen.clear()
        http.admitted.clear()


def take_part(http: FaultServer, state: Path, days: int = 7, survey: str = "lunch", **options: Any) -> str:
    """Answer once, and deliver; return the receipt."""
    with SurveyClient(http.url, survey, state=state, resend_days=days, **options) as device:
        receipt = device.answer(WORDS if survey == "pulse" else ANSWERS)
        assert device.flush(30)
    return receipt.id


def visit(http: FaultServer, state: Path, survey: str = "lunch", **options: Any) -> None:
    """Read the survey, as an app that is started does, and deliver what waits then."""
    with SurveyClient(http.url, survey, state=state, **options) as device:
        assert device.survey.id == survey
        assert device.flush(30)


def set_seen(state: Path, days: int, table: str = "sent") -> None:
    """Have the state count a day so many days ago last (from now, if it is negative)."""
    with closing(sqlite3.connect(state)) as connection:
        seen = (today() - timedelta(days=days)).isoformat()
        assert connection.execute(f"UPDATE {table} SET seen = ?", (seen,)).rowcount > 0  # noqa: S608  # our own names
        connection.commit()


def test_nothing_of_a_delivered_report_is_kept_unless_it_is_asked_for(http: FaultServer, state: Path) -> None:
    take_part(http, state, 0)
    [sent] = json.loads(http.posts[0].body)["reports"]
    assert rows_of(state, "sent") == rows_of(state, "outbox") == []
    raw = raw_of(state)
    assert not [text for text in (b'"reports"', *(part.encode() for part in _texts(sent["answers"]))) if text in raw]
    restore(http, "5")
    visit(http, state)
    with SurveyClient(http.url, "lunch", state=state) as device:
        assert device.resend() == []
    assert len(http.posts) == 1


def _texts(answers: dict[str, Any]) -> list[str]:
    """Return each part of a report as it is written in its body."""
    return [f'"{question_id}":{json.dumps(value, separators=(",", ":"))}' for question_id, value in answers.items()]


def test_the_very_bytes_are_kept_and_the_secret_is_gone_all_the_same(state: Path) -> None:
    with (
        fault_server(WIDE) as http,
        SurveyClient(http.url, "wide", state=state, max_epsilon=50, resend_days=7) as device,
    ):
        http.script = [AWAY]
        device.answer(CHOSEN)
        let_go(device)
        [secret], [marks] = secrets_of(state), [row[9] for row in rows_of(state, "ledger")]
        assert device.flush(30)
        assert [row[3] for row in rows_of(state, "sent")] == [http.posts[0].body]
    raw = raw_of(state)
    assert not [part for part in (secret[:8], secret[12:20], secret[24:], marks) if part in raw]


def test_what_a_restored_collector_lost_comes_again_as_the_same_bytes_and_counts_once(
    http: FaultServer, state: Path
) -> None:
    receipt = take_part(http, state)
    visit(http, state)
    assert len(http.posts) == 1  # a number that stays is no news
    for n_restores, number in enumerate(["812", "4", "2147483647"], start=1):  # it need not be higher
        restore(http, number)
        for _ in range(3):
            visit(http, state)
        assert len(http.posts) == 1 + n_restores  # once a number
        assert http.seen == {receipt}
    assert len({post.body for post in http.posts}) == 1


@pytest.mark.parametrize("headers", [{}, {"Sottovoce-Restored": "soon"}, {"Sottovoce-Restored": "9" * 16}])
def test_a_number_that_says_nothing_changes_nothing(http: FaultServer, state: Path, headers: dict[str, str]) -> None:
    restore(http, "7")
    take_part(http, state)
    http.survey_reply = Scripted(200, LUNCH.canonical, headers)
    visit(http, state)
    restore(http, "7")
    visit(http, state)
    assert len(http.posts) == 1


def test_whether_a_survey_is_open_is_the_collectors_word(http: FaultServer, state: Path) -> None:
    for said, closes, expected in (
        ("open", "2020-01-01", True),
        ("closed", "", False),
        ("ajar", "", True),
        ("", "2020-01-01", False),
        ("", "9999-12-31", True),
    ):
        survey = replace(LUNCH, closes=closes)
        http.survey_reply = Scripted(200, survey.canonical, {"Sottovoce-State": said} if said else {})
        with SurveyClient(http.url, "lunch", state=state) as device:
            assert device.is_open is expected, (said, closes)
    http.survey_reply = Scripted(503, b"")
    with SurveyClient(http.url, "lunch", state=state) as device:
        assert device.is_open  # by the copy, which was kept last


def test_resend_sends_at_once_and_the_collector_counts_once(http: FaultServer, state: Path) -> None:
    told: list[str] = []
    receipt = take_part(http, state)
    with SurveyClient(http.url, "lunch", state=state, on_delivered=lambda kept: told.append(kept.id)) as device:
        for _ in range(3):
            assert device.resend() == [receipt]
            assert device.flush(30)
    assert told == [receipt] * 3
    assert http.seen == {receipt}
    assert len({post.body for post in http.posts}) == 1
    assert len(rows_of(state, "sent")) == 1


def test_another_survey_collector_or_relay_is_left_alone(http: FaultServer, state: Path) -> None:
    take_part(http, state)
    with fault_server(LUNCH) as elsewhere:
        restore(elsewhere, "5")
        visit(elsewhere, state)
        for options in ({"relay_url": f"{http.url}/relay"}, {}):
            with SurveyClient(elsewhere.url, "lunch", state=state, **options) as device:
                assert device.resend() == []
        with SurveyClient(http.url, "breakfast", state=state) as device:
            assert device.resend() == []
        assert elsewhere.posts == []
    assert len(http.posts) == 1


def test_kept_days_end_by_the_clock_however_it_is_set(http: FaultServer, state: Path) -> None:
    take_part(http, state, 7)
    for days_ago in (3, -400, 2):  # three days, set back, two days: six in all
        set_seen(state, days_ago)
        SurveyClient(http.url, "lunch", state=state).close()
    assert [(row[4], row[6]) for row in rows_of(state, "sent")] == [(1, today().isoformat())]
    before = raw_of(state)
    SurveyClient(http.url, "lunch", state=state).close()
    assert raw_of(state) == before  # on the same day nothing is written
    set_seen(state, -1)
    SurveyClient(http.url, "lunch", state=state).close()
    assert rows_of(state, "sent") == []
    assert b'"reports"' not in raw_of(state)


def test_a_client_that_stays_open_keeps_nothing_longer(http: FaultServer, state: Path) -> None:
    take_part(http, state, 7)
    with closing(SurveyClient(http.url, "lunch", state=state)) as device:
        set_seen(state, 3)
        device.flush()
        assert [row[4] for row in rows_of(state, "sent")] == [4]
        set_seen(state, 4)
        device.flush()
        assert rows_of(state, "sent") == []


def open_on(day: str, state: Path, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """Open a state on a day, and use it as often as an app likes; return what is kept, and for how long."""
    noon = datetime.fromisoformat(f"{day}T12:00:00+00:00").timestamp()
    monkeypatch.setattr("time.time", lambda: noon)
    with closing(SurveyClient("http://127.0.0.1:1", "lunch", state=state)) as device:
        assert [device.resend() for _ in range(3)] == [[]] * 3  # another collector's
    return [(row[6], row[4]) for row in rows_of(state, "sent")]


def test_a_clock_that_was_never_set_neither_keeps_a_report_for_ever_nor_drops_it_at_once(
    http: FaultServer, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each opening on a day that cannot be takes one; the days that can be are counted as ever."""
    take_part(http, state, 20)
    never = "1970-01-01"
    with closing(sqlite3.connect(state)) as connection:  # as if it was delivered on that day
        connection.execute("UPDATE sent SET seen = ?", (never,))
        connection.commit()
    assert open_on(never, state, monkeypatch) == [(never, 19)]
    assert open_on(never, state, monkeypatch) == [(never, 18)]
    assert open_on("2031-03-01", state, monkeypatch) == [("2031-03-01", 17)]
    assert open_on(never, state, monkeypatch) == [("2031-03-01", 16)]
    assert open_on("2031-03-05", state, monkeypatch) == [("2031-03-05", 12)]
    for left in range(11, 0, -1):
        assert open_on(never, state, monkeypatch) == [("2031-03-05", left)]
    assert open_on(never, state, monkeypatch) == []


def test_what_is_sent_again_has_the_days_that_were_left(http: FaultServer, state: Path) -> None:
    take_part(http, state, 7)
    set_seen(state, 3)
    http.script = [AWAY]
    with closing(SurveyClient(http.url, "lunch", state=state, resend_days=365)) as device:
        assert len(device.resend()) == 1
        let_go(device)
    set_seen(state, 2, "outbox")
    visit(http, state)
    assert [row[4] for row in rows_of(state, "sent")] == [2]
    http.script = [AWAY]
    with closing(SurveyClient(http.url, "lunch", state=state)) as device:
        assert len(device.resend()) == 1
        let_go(device)
    set_seen(state, 2, "outbox")
    with SurveyClient(http.url, "lunch", state=state) as device:
        assert device.pending == []  # it was delivered once, and its days are over


def test_an_invitation_is_kept_as_long_as_its_report_and_admits_it_again(state: Path) -> None:
    with fault_server(INVITED) as http:
        receipt = take_part(http, state, 7, invitation=INVITATION)
        restore(http, "5", INVITED)
        visit(http, state)
        assert http.posts[0].body == http.posts[1].body
        assert INVITATION.encode() in http.posts[1].body
        assert http.seen == {receipt}
        set_seen(state, 7)
        visit(http, state)
        assert_gone(state)


@pytest.mark.parametrize("waves", [1, 3])
def test_every_wave_is_kept_by_itself(state: Path, waves: int) -> None:
    with fault_server(PULSE) as http:
        with SurveyClient(http.url, "pulse", state=state, resend_days=7) as device:
            receipts = {device.answer(WORDS, wave).id for wave in range(1, waves + 1)}
            assert device.flush(30)
        restore(http, "5", PULSE)
        visit(http, state, "pulse")
        assert http.seen == receipts
        assert len(http.posts) == 2 * waves
        assert {post.body for post in http.posts[:waves]} == {post.body for post in http.posts[waves:]}


def test_every_report_that_comes_again_has_a_random_delay_of_its_own(state: Path) -> None:
    """All end within the longest: sent in a row they would show that they are one device's."""
    with fault_server(PULSE) as http:
        with SurveyClient(http.url, "pulse", state=state, resend_days=7) as device:
            for wave in (1, 2, 3):
                device.answer(WORDS, wave)
            assert device.flush(30)
        restore(http, "5", PULSE)
        before = time.time()
        with closing(SurveyClient(http.url, "pulse", state=state, max_delay_s=3600)) as device:
            assert device.survey == PULSE
            ends = {row[8] for row in rows_of(state, "outbox")}
            assert len(ends) == 3
            assert all(before <= end <= time.time() + 3600 for end in ends)
            assert not device.flush(0.1)
            assert len(http.posts) == 3
            assert device.flush(30, skip_delay=True)
        assert len(http.seen) == 3


def test_who_stops_taking_part_keeps_nothing(http: FaultServer, state: Path) -> None:
    take_part(http, state)
    with SurveyClient(http.url, "lunch", state=state) as device:
        device.forget()
    assert rows_of(state, "sent") == []
    http.script = [AWAY]
    with fault_server(PULSE) as pulse:
        pulse.script = [AWAY]
        with SurveyClient(pulse.url, "pulse", state=state, resend_days=7) as device:
            device.answer(WORDS)
            let_go(device)
            device.forget()
            assert device.flush(30)
        assert len(pulse.seen) == 1
    assert rows_of(state, "sent") == []


def test_a_survey_that_is_over_is_not_sent_again(http: FaultServer, state: Path) -> None:
    take_part(http, state)
    http.survey_reply = CLOSED
    with SurveyClient(http.url, "lunch", state=state) as device, pytest.raises(Exception, match="survey_closed"):
        _ = device.survey
    assert rows_of(state, "sent") == []


def test_a_report_that_comes_too_late_again_is_refused_and_told(http: FaultServer, state: Path) -> None:
    """A closed collector acknowledges what it has: this one lost it."""
    receipt = take_part(http, state)
    http.script = [CLOSED]
    with SurveyClient(http.url, "lunch", state=state) as device:
        device.resend()
        assert device.flush(30)
        assert [refused.receipt for refused in device.rejected] == [receipt]
    set_seen(state, 7, "outbox")
    with SurveyClient(http.url, "lunch", state=state) as device:
        assert device.rejected == []


def test_who_erases_a_report_keeps_nothing_of_it(http: FaultServer, state: Path) -> None:
    receipt = take_part(http, state)
    http.script = [AWAY]
    with SurveyClient(http.url, "lunch", state=state) as device:
        for bad in ("", "soup", receipt + "0"):
            with pytest.raises(ValueError, match="receipt must be 32 hexadecimal digits"):
                device.erase(bad)
        device.resend()
        let_go(device)
        http.script = [Scripted(404, Problem(404, "no_such_report", "No.").to_json()), Scripted(200, b"{}")]
        assert not device.erase(f" {receipt.upper()}")
        assert device.pending == []
        assert device.erase(receipt)
        http.script = [Scripted(drop=True)]
        with pytest.raises(DeliveryError):
            device.erase(receipt)
    assert rows_of(state, "sent") == []
    assert {(post.path, post.body) for post in http.posts[2:]} == {
        ("/v1/surveys/lunch/erase", json.dumps({"receipt": receipt}).encode())
    }
    assert b'"reports"' not in raw_of(state)


@pytest.mark.parametrize("days", [-1, 366, 1.0, True, "7", None])
def test_days_outside_their_domain_are_refused(state: Path, days: Any) -> None:
    with pytest.raises(ValueError, match=r"^resend_days \(.*\) must be an integer in \[0, 365\]\.$"):
        SurveyClient("http://127.0.0.1:1", "lunch", state=state, resend_days=days)


@pytest.mark.parametrize(
    "change", ["seen = 'soon'", "seen = x'00'", "days_left = 'all'", "url = x'07'", "body = 'text'", "restored = 1.5"]
)
def test_damage_to_what_is_kept_is_a_state_error(http: FaultServer, state: Path, change: str) -> None:
    take_part(http, state)
    with closing(sqlite3.connect(state)) as connection:
        connection.execute(f"UPDATE sent SET {change}")  # noqa: S608  # our own texts
        connection.commit()
    restore(http, "5")
    with pytest.raises(StateError, match="damaged"):
        visit(http, state)


def test_outbox_shows_what_is_kept(http: FaultServer, state: Path) -> None:
    """It reads the state as it is: the days are counted by the next client."""
    receipt = take_part(http, state)
    with closing(State.open(state)) as opened:
        [kept] = take_inventory(opened).sent
    assert (kept.receipt, kept.days_left, set(kept.reported)) == (receipt, 7, set(ANSWERS))
    shown = CliRunner().invoke(outbox, [str(state)]).stdout
    assert f"delivered: {receipt}  lunch wave 1  {http.url}  kept for 7 more days\n  paid: reported" in shown


DRIVER = """
import sys
from sotto_client import SurveyClient
with SurveyClient(sys.argv[1], "lunch", state=sys.argv[2]) as device:
    device.survey
    assert device.flush(30)
"""


@pytest.mark.thorough
def test_many_processes_that_hear_of_a_restore_at_once_keep_one_report(http: FaultServer, state: Path) -> None:
    receipt = take_part(http, state)
    restore(http, "5")
    drivers = [subprocess.Popen([sys.executable, "-W", "error", "-c", DRIVER, http.url, str(state)]) for _ in range(4)]
    assert [driver.wait(60) for driver in drivers] == [0] * 4
    assert http.seen == {receipt}
    assert len({post.body for post in http.posts}) == 1
    assert [row[0] for row in rows_of(state, "sent")] == [receipt]


@pytest.mark.parametrize("version", [4, 5, 6, 9])
def test_a_state_of_before_keeps_nothing_and_goes_on(http: FaultServer, state: Path, version: int) -> None:
    """As those versions left it, without what came since."""
    http.script = [AWAY]
    with SurveyClient(http.url, "lunch", state=state) as device:
        receipt = device.answer(ANSWERS).id
        let_go(device)
    with closing(sqlite3.connect(state)) as connection:
        for statement in UNDONE[version]:
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version={version}")
        connection.commit()
    visit(http, state, resend_days=7)
    assert http.seen == {receipt}
    assert rows_of(state, "sent") == []
    State.open(state).close()


_OF_9 = ["DROP TABLE tokens"]
_OF_6 = [
    *_OF_9,
    "DROP TABLE sent",
    "DROP TABLE gateways",
    *(f"ALTER TABLE outbox DROP COLUMN {name}" for name in ("days_left", "restored", "seen", "via")),
    "ALTER TABLE surveys DROP COLUMN restored",
]
_OF_5 = [*_OF_6, "DROP TABLE draws"]
_OF_4 = [*_OF_5, "DROP TABLE doubts", *(f"ALTER TABLE outbox DROP COLUMN unknown_{name}" for name in ("s", "at"))]
UNDONE = {9: _OF_9, 6: _OF_6, 5: _OF_5, 4: _OF_4}
