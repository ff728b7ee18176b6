"""Invited surveys: the invitation goes with the report, survives a crash, and leaves the device once it is used."""

import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from devices import (
    ANSWERS,
    AWAY,
    CODE,
    INVITATION,
    INVITED,
    INVITED_PULSE,
    LUNCH,
    OTHER_INVITATION,
    WORDS,
    assert_gone,
    invitations_in,
    let_go,
    raw_of,
    rows_of,
    sent,
    yes_no,
)
from fault_server import FaultServer, Scripted, fault_server
from sotto_client import AlreadyAnswered, BudgetExceeded, InvitationError, ParticipationEnded, SurveyClient
from sotto_client.cli import main
from sotto_client.state import State
from sotto_protocol import Problem, compile_toml
from sotto_protocol.invitation import invitation_text


@pytest.fixture
def http() -> Iterator[FaultServer]:
    with fault_server(INVITED) as server:
        yield server


@pytest.fixture
def pulse() -> Iterator[FaultServer]:
    with fault_server(INVITED_PULSE) as server:
        yield server


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "device.db"


# On the wire, and what is refused.


@pytest.mark.parametrize("typed", [INVITATION, INVITATION.upper(), f" {INVITATION[:13]}-{INVITATION[13:]}\n"])
def test_the_report_carries_the_invitation_in_the_one_form_that_it_has(
    http: FaultServer, state: Path, typed: str
) -> None:
    with SurveyClient(http.url, "lunch", state=state, invitation=typed) as device:
        receipt = device.answer(ANSWERS)
        assert device.flush(30)
    [report] = sent(http)
    assert (report["id"], report["invitation"]) == (receipt.id, INVITATION)
    assert report.keys() == {"id", "invitation", "answers"}
    assert INVITED.layout.from_wire([report["answers"]]).shape == (1, INVITED.layout.n_bytes)


@pytest.mark.parametrize(
    "invitation", ["", "CANARY", INVITATION[:-1], INVITATION + "a", INVITATION[:-1] + "5", CODE, 5, True, [INVITATION]]
)
def test_what_is_no_invitation_is_refused_at_once_and_not_quoted(state: Path, invitation: Any) -> None:
    with pytest.raises(ValueError, match="invitation must be 26 letters") as caught:
        SurveyClient("http://127.0.0.1:1", "lunch", state=state, invitation=invitation)
    assert "CANARY" not in str(caught.value)
    assert not state.exists()


def test_an_invited_survey_is_not_answered_without_an_invitation(http: FaultServer, state: Path) -> None:
    with SurveyClient(http.url, "lunch", state=state) as device:
        assert device.survey.invited
        with pytest.raises(InvitationError, match="survey lunch is for invited people"):
            device.answer(ANSWERS)
        assert device.pending == []
    assert rows_of(state, "ledger") == http.posts == []
    with SurveyClient(http.url, "lunch", state=state, invitation=INVITATION) as device:
        device.answer(ANSWERS)
        assert device.flush(30)
    assert len(http.seen) == 1


def test_an_open_survey_takes_no_invitation(state: Path) -> None:
    with fault_server(LUNCH) as http, SurveyClient(http.url, "lunch", state=state, invitation=INVITATION) as device:
        with pytest.raises(InvitationError, match="survey lunch is open to all") as caught:
            device.answer(ANSWERS)
        assert INVITATION not in str(caught.value)
        assert rows_of(state, "ledger") == http.posts == []


def test_an_open_surveys_report_has_no_such_member(state: Path) -> None:
    with fault_server(LUNCH) as http:
        with SurveyClient(http.url, "lunch", state=state) as device:
            device.answer(ANSWERS)
            assert device.flush(30)
        assert sent(http)[0].keys() == {"id", "answers"}


@pytest.mark.parametrize("code", ["invitation_required", "invitation_invalid"])
def test_a_refused_invitation_refuses_the_report_for_good(http: FaultServer, state: Path, code: str) -> None:
    http.script = [Scripted(403, Problem(403, code, "No.", "$.reports[0].invitation").to_json())]
    with SurveyClient(http.url, "lunch", state=state, invitation=INVITATION) as device:
        receipt = device.answer(ANSWERS)
        assert device.flush(30)
        [rejected] = device.rejected
    assert (rejected.receipt, rejected.problem.code) == (receipt.id, code)
    assert b"invitation" not in rejected.body, "what is kept for good is the noise alone"
    with SurveyClient(http.url, "lunch", state=state, invitation=OTHER_INVITATION) as device:
        with pytest.raises(AlreadyAnswered, match="whether or not that report was counted"):
            device.answer(ANSWERS)
        assert device.flush(30)
    assert len(http.posts) == 1
    assert_gone(state)


def test_a_second_device_with_the_same_invitation_is_refused_by_the_collector(
    http: FaultServer, tmp_path: Path
) -> None:
    for name, n_rejected in (("one", 0), ("two", 1)):
        with SurveyClient(http.url, "lunch", state=tmp_path / name, invitation=INVITATION) as device:
            device.answer(ANSWERS)
            assert device.flush(30)
            assert len(device.rejected) == n_rejected
    assert len(http.seen) == 1


# How long it is kept.


def test_it_is_kept_while_the_report_waits_and_overwritten_with_its_acknowledgement(
    http: FaultServer, state: Path
) -> None:
    http.script = [AWAY]
    with closing(SurveyClient(http.url, "lunch", state=state, invitation=INVITATION)) as device:
        device.answer(ANSWERS)
        assert not device.flush(10)
    assert invitations_in(state) == [CODE]
    assert raw_of(state).count(CODE) == 1, "in one place, where it is overwritten"
    assert INVITATION.encode() not in raw_of(state)
    with closing(SurveyClient(http.url, "lunch", state=state)) as device:  # an invitation is not asked for again
        let_go(device)
        assert device.flush(30)
    assert [report["invitation"] for report in sent(http)] == [INVITATION] * 2
    assert len({post.body for post in http.posts}) == 1
    assert_gone(state)
    assert invitations_in(state) == [bytes(16)]


@pytest.mark.thorough
def test_no_copy_stays_behind_in_a_file_that_grows_and_shrinks(http: FaultServer, state: Path) -> None:
    codes = [bytes([number]) + bytes(range(200, 215)) for number in range(40)]
    http.script = [AWAY] * 1000
    for number, code in enumerate(codes):
        survey = yes_no(f"s{number}", "0.1")
        http.survey_reply = Scripted(200, compile_toml(TOML.format(survey.id)).canonical)
        with closing(
            SurveyClient(http.url, survey.id, state=state, invitation=invitation_text(code), max_period_epsilon=50)
        ) as device:
            device.answer({"q": True})
    assert set(invitations_in(state)) == set(codes)
    http.script = []
    with closing(SurveyClient(http.url, "s0", state=state)) as device:
        with device._state.write() as connection:
            connection.execute("UPDATE outbox SET not_before = 0, is_held = 0")
        assert device.flush(60)
    assert len(http.seen) == 40
    raw = raw_of(state)
    assert bytes(range(200, 208)) not in raw
    assert not [code for code in codes if invitation_text(code).encode()[2:] in raw]


TOML = """
id = "{}"
title = "T"
invited = true
[[questions]]
id = "q"
type = "yes-no"
text = "So?"
epsilon = 0.1
"""


def test_every_wave_sends_it_and_it_ends_with_the_last(pulse: FaultServer, state: Path) -> None:
    for wave in (1, 2, 3):
        invitation = INVITATION if wave == 1 else None
        with SurveyClient(pulse.url, "pulse", state=state, invitation=invitation) as device:
            device.answer(WORDS, wave)
            assert device.flush(30)
        assert invitations_in(state) == [CODE if wave < 3 else bytes(16)] * wave
    assert [(report["wave"], report["invitation"]) for report in sent(pulse)] == [(n, INVITATION) for n in (1, 2, 3)]
    assert_gone(state)


def test_a_wave_may_bring_a_new_invitation(pulse: FaultServer, state: Path) -> None:
    """As where the first was lost and replaced; the one that was given last is remembered."""
    for wave, invitation in ((1, INVITATION), (2, OTHER_INVITATION), (3, None)):
        with SurveyClient(pulse.url, "pulse", state=state, invitation=invitation) as device:
            device.answer(WORDS, wave)
            assert device.flush(30)
    assert [report["invitation"] for report in sent(pulse)] == [INVITATION, OTHER_INVITATION, OTHER_INVITATION]
    assert_gone(state)


def test_an_earlier_report_that_still_waits_keeps_it_after_the_last_wave(pulse: FaultServer, state: Path) -> None:
    pulse.script = [AWAY]
    with closing(SurveyClient(pulse.url, "pulse", state=state, invitation=INVITATION)) as device:
        device.answer(WORDS, 1)
        let_go(device)
        device._state.close()
    with closing(State.open(state)) as opened, opened.write() as connection:
        connection.execute("UPDATE outbox SET not_before = 4e9, is_held = 1")  # the last wave overtakes it
    with closing(SurveyClient(pulse.url, "pulse", state=state)) as device:
        device.answer(WORDS, 3)
        with device._state.write() as connection:
            connection.execute("UPDATE outbox SET not_before = 0, is_held = 0 WHERE n_attempts = 0")
        device.flush(30)
    with SurveyClient(pulse.url, "pulse", state=state) as device:
        with device._state.write() as connection:
            connection.execute("UPDATE outbox SET not_before = 0, is_held = 0")
        assert device.flush(30)
        assert device.rejected == []
    assert sorted(report["wave"] for report in sent(pulse)) == [1, 1, 3]
    assert {report["invitation"] for report in sent(pulse)} == {INVITATION}
    assert_gone(state)


def test_forget_overwrites_it_at_once_where_nothing_waits(pulse: FaultServer, state: Path) -> None:
    with SurveyClient(pulse.url, "pulse", state=state, invitation=INVITATION) as device:
        device.answer(WORDS, 1)
        assert device.flush(30)
        assert invitations_in(state) == [CODE]
        device.forget()
        assert_gone(state)
        with pytest.raises(ParticipationEnded):
            device.answer(WORDS, 2)


def test_forget_keeps_it_for_what_waits_and_no_longer(pulse: FaultServer, state: Path) -> None:
    pulse.script = [AWAY]
    with closing(SurveyClient(pulse.url, "pulse", state=state, invitation=INVITATION)) as device:
        device.answer(WORDS, 1)
        assert not device.flush(10)
        device.forget()
        assert invitations_in(state) == [CODE]
        let_go(device)
        assert device.flush(30)
    assert [report["invitation"] for report in sent(pulse)] == [INVITATION] * 2
    assert_gone(state)


def test_a_wave_that_a_limit_refuses_keeps_no_invitation(pulse: FaultServer, state: Path) -> None:
    with (
        SurveyClient(pulse.url, "pulse", state=state, invitation=INVITATION, max_period_epsilon=1) as device,
        pytest.raises(BudgetExceeded),
    ):
        device.answer(WORDS, 1)
    assert_gone(state)


def test_neither_logs_nor_commands_show_it(http: FaultServer, state: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    refusal = Scripted(403, Problem(403, "invitation_invalid", "No.").to_json())
    http.script = [AWAY]
    with closing(SurveyClient(http.url, "lunch", state=state, invitation=INVITATION)) as device:
        device.answer(ANSWERS)
        assert not device.flush(10)
        shown = [CliRunner().invoke(main, ["outbox", *flags, str(state)]).output for flags in ([], ["--json"])]
        let_go(device)
        http.script = [refusal]
        assert device.flush(30)
    shown += [CliRunner().invoke(main, ["outbox", *flags, str(state)]).output for flags in ([], ["--json"])]
    assert "waiting: " in shown[0]
    assert "refused: " in shown[2]
    for text in (*shown, caplog.text, *(post.path + str(post.headers) for post in http.posts)):
        assert INVITATION not in text
        assert CODE.hex() not in text


# kill -9 between any two steps.

DRIVER = """if True:
    import os, signal, sys
    from sotto_client import AlreadyAnswered, SurveyClient, delivery
    from sotto_client.state import State
    from sotto_protocol.invitation import invitation_text

    url, folder, stride = sys.argv[1:]
    kill_at, n_steps = 1 - int(stride), 0

    def step(*_):
        global n_steps
        n_steps += 1
        if n_steps == kill_at:
            os.kill(os.getpid(), signal.SIGKILL)

    def connect(state, connect=State._connect):
        connection = connect(state)
        connection.set_trace_callback(step)  # before every statement
        return connection

    def post_report(*arguments, post=delivery.post_report, **options):
        step()
        reply = post(*arguments, **options)
        step()
        return reply

    def take_part(code):
        with SurveyClient(url, "pulse", state=f"{folder}/{code}", invitation=invitation_text(code.encode())) as device:
            for wave in (1, 3):
                try:
                    device.answer({"word": "w", "rest": "r", "well": True}, wave)
                except AlreadyAnswered:
                    pass
                assert device.flush(30)
            assert not device.pending and not device.rejected

    def in_child(*arguments):
        child = os.fork()
        if child == 0:
            try:
                take_part(*arguments)
            except BaseException as fault:
                print(repr(fault), file=sys.stderr, flush=True)
                os._exit(1)
            os._exit(0)
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

    usual = State._connect, delivery.post_report
    while True:
        kill_at += int(stride)
        code = f"{kill_at:016d}"
        State._connect, delivery.post_report = connect, post_report
        first = in_child(code)
        State._connect, delivery.post_report = usual
        assert in_child(code) == 0, kill_at
        if first == 0:
            break
        assert first == -signal.SIGKILL, kill_at
    print(kill_at)
"""


@pytest.mark.thorough
@pytest.mark.slow
def test_kill_9_before_any_step_loses_no_report_and_uses_no_invitation_twice(
    pulse: FaultServer, tmp_path: Path
) -> None:
    """Before every seventh statement, request or reply; before each with --full."""
    stride = 1 if os.environ.get("SOTTO_TEST_FULL") else 7
    process = [sys.executable, "-W", "error", "-c", DRIVER, pulse.url, tmp_path, str(stride)]
    done = subprocess.run(process, check=True, capture_output=True, timeout=300)
    last = int(done.stdout)
    assert last > 40
    codes = [f"{number:016d}" for number in range(1, last + 1, stride)]
    assert pulse.admitted.keys() == {(invitation_text(code.encode()), wave) for code in codes for wave in (1, 3)}
    assert len(set(pulse.admitted.values())) == len(pulse.seen) == 2 * len(codes)
    assert len({post.body for post in pulse.posts}) == 2 * len(codes), "a report is repeated as the same bytes"
    for code in codes:
        raw = raw_of(tmp_path / code)
        assert invitations_in(tmp_path / code) == [bytes(16)] * 2
        assert code.encode() not in raw
        assert invitation_text(code.encode()).encode() not in raw
