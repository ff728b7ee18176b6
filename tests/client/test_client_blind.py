"""Blind invitations on the device: a token first, the report later, and nothing left that joins them."""

import logging
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from blind import BlindServer, blind_server
from devices import ANSWERS, INVITED_PULSE, LUNCH, WORDS, raw_of, rows_of
from fault_server import FaultServer, Scripted, fault_server
from house import House, open_house
from sotto_client import InvitationError, SurveyClient, SurveyRefused
from sotto_client.tokens import WISH_COLUMNS, Tokens, read_wish
from sotto_collector.invitations import make_invitations
from sotto_protocol import Survey
from sotto_protocol.blind import to_base64url
from sotto_protocol.invitation import parse_invitation

BLIND = replace(LUNCH, id="blind", invited=True, invitations="blind")
STRATA = replace(BLIND, strata=("north", "south"))
PULSE = replace(INVITED_PULSE, id="pulse-blind", invitations="blind")


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with open_house(tmp_path / "survey.db", LUNCH) as opened:
        yield opened


@pytest.fixture
def http(house: House) -> Iterator[BlindServer]:
    with blind_server(house, BLIND) as server:
        yield server


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "device.db"


def invite(http: BlindServer, survey: Survey = BLIND, stratum: int = 1) -> str:
    stored = http.house.stored(survey)
    return make_invitations(http.house.collector.store, stored, 1, stratum)[0]


def n_counted(http: BlindServer, survey: Survey = BLIND) -> int:
    return http.house.collector.store.count_tallied(http.house.stored(survey).key)


def paths(http: FaultServer) -> list[str]:
    return [post.path.rpartition("/")[2] for post in http.posts]


def test_the_token_is_fetched_with_the_invitation_and_the_report_sent_with_the_token(
    http: BlindServer, state: Path
) -> None:
    code = invite(http)
    with SurveyClient(http.url, "blind", state=state, invitation=code) as device:
        receipt = device.answer(ANSWERS)
        (keys,) = rows_of(state, "tokens")
        assert device.flush(30)
    assert paths(http) == ["token", "reports"]
    (wish,), (batch,) = http.sent("token"), http.sent("reports")
    assert {*wish} == {"invitation", "wave", "blinded"}
    (report,) = batch["reports"]  # type: ignore[misc]  # a list, as it was sent
    assert {*report} == {"id", "answers", "token"}
    assert report["id"] == receipt.id
    assert code.encode() not in http.posts[1].body
    assert receipt.id.encode() not in http.posts[0].body
    assert n_counted(http) == 1
    # What could join the two is overwritten: the invitation, salt and factor, and the message's random bytes.
    secret = [value for value in keys if isinstance(value, bytes)]
    assert [len(value) for value in secret] == [32, 48, 256, 16]
    assert parse_invitation(code) in secret
    assert not any(value in raw_of(state) for value in secret)


def test_a_device_asks_for_its_stratum_before_it_blinds(house: House, state: Path) -> None:
    with (
        blind_server(house, STRATA) as http,
        SurveyClient(http.url, "blind", state=state, invitation=invite(http, STRATA, 2)) as device,
    ):
        device.answer(ANSWERS)
        assert device.flush(30)
        assert paths(http) == ["check", "token", "reports"]
        assert http.sent("reports")[0]["reports"][0]["stratum"] == 2  # type: ignore[index]  # as it was sent
        tally = house.read_tally(STRATA, "?stratum=south").get_json()
        assert tally["n_reports"] == 1


def test_two_processes_that_learn_a_stratum_blind_the_same_message(house: House, state: Path) -> None:
    with (
        blind_server(house, STRATA) as http,
        SurveyClient(http.url, "blind", state=state, invitation=invite(http, STRATA, 2)) as device,
    ):
        http.script = [Scripted(503)] * 9
        device.answer(ANSWERS)
    with closing(sqlite3.connect(state)) as connection:
        (receipt, *row) = connection.execute(
            f"SELECT receipt, {WISH_COLUMNS} FROM tokens JOIN outbox USING (receipt)"  # noqa: S608  # our own names
        ).fetchone()
        drawn = []
        for _ in range(2):  # each has read the wish before the other wrote
            Tokens(connection).place(receipt, read_wish(*row), 2)
            drawn += connection.execute("SELECT stratum, salt, factor FROM tokens").fetchall()
    assert (drawn[0], drawn[0][0]) == (drawn[1], 2)


@pytest.mark.parametrize("n_lost", [1, pytest.param(2, marks=pytest.mark.thorough)])
def test_a_lost_reply_costs_a_repeat_of_the_same_bytes(http: BlindServer, state: Path, n_lost: int) -> None:
    """Also by another client of the same state, as after a crash."""
    code = invite(http)
    real, lost = http.next_reply, []

    def lose(request: object) -> Scripted:
        reply = real(request)  # type: ignore[arg-type]  # as the server's
        lost.append(reply)
        return Scripted(drop=True) if len(lost) <= n_lost else reply

    http.next_reply = lose  # type: ignore[method-assign]
    with closing(SurveyClient(http.url, "blind", state=state, invitation=code)) as device:
        device.answer(ANSWERS)
        device.flush(30)
    with closing(SurveyClient(http.url, "blind", state=state)) as again:
        for _ in range(3):
            if again.flush(30):
                break
        assert again.pending == []
    wishes = {post.body for post in http.posts if post.path.endswith("token")}
    assert len(wishes) == 1
    assert n_counted(http) == 1


def test_another_invitation_mends_a_report_under_the_same_id(http: BlindServer, state: Path) -> None:
    used = invite(http)
    with SurveyClient(http.url, "blind", state=":memory:", invitation=used) as other:
        other.answer(ANSWERS)
        assert other.flush(30)
    with SurveyClient(http.url, "blind", state=state, invitation=used) as device:
        receipt = device.answer(ANSWERS)
        assert device.flush(30)
        (rejected,) = device.rejected
        assert rejected.problem.code == "invitation_used"
        assert rejected.needs_invitation
        assert device.resend(invite(http)) == [receipt.id]
        assert device.flush(30)
        assert device.rejected == []
    assert n_counted(http) == 2
    assert http.sent("reports")[-1]["reports"][0]["id"] == receipt.id  # type: ignore[index]  # as it was sent


def test_a_wrong_invitation_is_refused_before_a_report_is_sent(house: House, state: Path) -> None:
    with (
        blind_server(house, STRATA) as http,
        SurveyClient(http.url, "blind", state=state, invitation="a" * 26) as device,
    ):
        device.answer(ANSWERS)
        assert device.flush(30)
        assert [rejected.problem.code for rejected in device.rejected] == ["invitation_invalid"]
        assert paths(http) == ["check"]
        assert device.resend(invite(http, STRATA)) != []
        assert device.flush(30)
        assert n_counted(http, STRATA) == 1


def test_each_wave_has_a_token_and_the_invitation_stays_until_the_last(house: House, state: Path) -> None:
    with blind_server(house, PULSE) as http:
        code = invite(http, PULSE)
        for wave in (1, 2, 3):
            given = code if wave == 1 else None
            with SurveyClient(http.url, PULSE.id, state=state, invitation=given) as device:
                device.answer(WORDS, wave)
                assert device.flush(30)
            assert (parse_invitation(code) in raw_of(state)) == (wave < 3)
        assert n_counted(http, PULSE) == 3
        assert [wish["wave"] for wish in http.sent("token")] == [1, 2, 3]


def test_a_device_that_forgets_wipes_the_invitation_after_the_reports_that_wait(house: House, state: Path) -> None:
    with blind_server(house, PULSE) as http:
        code = invite(http, PULSE)
        with SurveyClient(http.url, PULSE.id, state=state, invitation=code) as device:
            http.script = [Scripted(503)]
            device.answer(WORDS)
            device.forget()
            while not device.flush(30):
                pass
        assert n_counted(http, PULSE) == 1
        assert parse_invitation(code) not in raw_of(state)


def test_the_report_waits_for_a_time_that_begins_with_the_token(http: BlindServer, state: Path) -> None:
    code = invite(http)
    with SurveyClient(http.url, "blind", state=state, invitation=code, max_delay_s=3600) as device:
        device.answer(ANSWERS)
        assert not device.flush(30)
        assert paths(http) == ["token"]
        assert parse_invitation(code) not in raw_of(state)  # it went as the token came, not with the report
        assert device.flush(30, skip_delay=True)
    assert paths(http) == ["token", "reports"]


def test_a_signature_that_does_not_fit_is_not_used(
    http: BlindServer, state: Path, caplog: pytest.LogCaptureFixture
) -> None:
    bad = b'{"signature":"%s","stratum":1}' % to_base64url(bytes(255) + b"\7").encode()
    http.script = [Scripted(200, bad), Scripted(200, b"<html>"), Scripted(200, b'{"signature": 7}')]
    with (
        caplog.at_level(logging.WARNING, "sottovoce"),
        SurveyClient(http.url, "blind", state=state, invitation=invite(http)) as device,
    ):
        device.answer(ANSWERS)
        for _ in range(6):
            if device.flush(30):
                break
        assert device.pending == []
    assert "does not fit the survey's key" in caplog.text
    assert paths(http) == ["token"] * 4 + ["reports"]
    assert n_counted(http) == 1


def test_a_delivered_report_is_sent_again_as_it_was_and_erased_by_its_receipt(http: BlindServer, state: Path) -> None:
    with SurveyClient(http.url, "blind", state=state, invitation=invite(http), resend_days=30) as device:
        receipt = device.answer(ANSWERS)
        assert device.flush(30)
        assert device.resend() == [receipt.id]
        assert device.flush(30)
        bodies = [post.body for post in http.posts if post.path.endswith("reports")]
        assert len(bodies) == 2
        assert len({*bodies}) == 1
        assert device.erase(receipt)
    assert n_counted(http) == 0


def test_what_lacks_an_invitation_or_keys_is_not_answered(http: BlindServer, state: Path) -> None:
    with closing(SurveyClient(http.url, "blind", state=state)) as device:
        with pytest.raises(InvitationError, match="invitation must be given"):
            device.answer(ANSWERS)
        assert device.pending == []
    assert rows_of(state, "ledger") == []  # nothing was charged
    with (
        fault_server(BLIND) as keyless,
        closing(SurveyClient(keyless.url, "blind", state=":memory:", invitation="a" * 26)) as device,
        pytest.raises(SurveyRefused, match="names no keys"),
    ):
        device.answer(ANSWERS)
