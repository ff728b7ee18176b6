"""A refused invitation: the report that it came with is sent again, as the same noise, under another."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from devices import (
    ANSWERS,
    CODE,
    INVITATION,
    INVITED,
    INVITED_PULSE,
    LUNCH,
    OTHER_INVITATION,
    WORDS,
    assert_gone,
    invitations_in,
    let_a_week_pass,
    rows_of,
    sent,
)
from fault_server import FaultServer, Scripted, fault_server
from sotto_client import StateError, SurveyClient
from sotto_protocol import Problem

REFUSED = Scripted(403, Problem(403, "invitation_invalid", "No.", "$.reports[0].invitation").to_json())


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


@pytest.mark.parametrize("code", ["invitation_required", "invitation_invalid"])
def test_a_mistyped_invitation_can_be_mended_and_the_report_is_the_same(
    http: FaultServer, state: Path, code: str
) -> None:
    http.script = [Scripted(403, Problem(403, code, "No.").to_json())]
    with SurveyClient(http.url, "lunch", state=state, invitation=OTHER_INVITATION) as device:
        receipt = device.answer(ANSWERS)
        assert device.flush(30)
        assert [rejected.needs_invitation for rejected in device.rejected] == [True]
    with SurveyClient(http.url, "lunch", state=state) as device:
        assert device.resend(f" {INVITATION.upper()}\n") == [receipt.id]
        assert device.flush(30)
        assert device.rejected == device.pending == []
        assert device.resend(INVITATION) == []
    first, second = (post.body for post in http.posts)
    assert second == first.replace(OTHER_INVITATION.encode(), INVITATION.encode())
    assert http.seen == {receipt.id}
    assert len(rows_of(state, "ledger")) == 1
    assert_gone(state)


def test_it_can_be_mended_as_often_as_it_is_refused(http: FaultServer, state: Path) -> None:
    http.script = [REFUSED] * 2
    with SurveyClient(http.url, "lunch", state=state, invitation=OTHER_INVITATION) as device:
        receipt = device.answer(ANSWERS)
        assert device.flush(30)
        assert device.resend(OTHER_INVITATION) == [receipt.id]
        assert device.flush(30)
        assert device.resend(INVITATION) == [receipt.id]
        assert device.flush(30)
    assert [report["invitation"] for report in sent(http)] == [OTHER_INVITATION, OTHER_INVITATION, INVITATION]
    assert http.seen == {receipt.id}


def test_a_mended_invitation_is_that_of_the_further_waves(pulse: FaultServer, state: Path) -> None:
    pulse.script = [REFUSED]
    with SurveyClient(pulse.url, "pulse", state=state, invitation=OTHER_INVITATION) as device:
        device.answer(WORDS, 1)
        assert device.flush(30)
        assert invitations_in(state) != [CODE]
        device.resend(INVITATION)
        device.answer(WORDS, 2)
        assert device.flush(30)
    with SurveyClient(pulse.url, "pulse", state=state) as device:
        device.answer(WORDS, 3)
        assert device.flush(30)
    assert [report["invitation"] for report in sent(pulse)] == [OTHER_INVITATION] + [INVITATION] * 3
    assert_gone(state)


def test_a_mended_invitation_is_that_of_a_wave_that_waits_too(pulse: FaultServer, state: Path) -> None:
    """Two waves are answered before the first is refused; the second is sent under the right invitation at once."""
    pulse.script = [REFUSED, Scripted(429, b"", {"Retry-After": "1"})]
    with SurveyClient(pulse.url, "pulse", state=state, invitation=OTHER_INVITATION) as device:
        device.answer(WORDS, 1)
        assert device.flush(30)
        device.answer(WORDS, 2)
        assert not device.flush(0.5)
        device.resend(INVITATION)
    with SurveyClient(pulse.url, "pulse", state=state) as device:
        device.answer(WORDS, 3)
        assert device.flush(30)
    assert {report["invitation"] for report in sent(pulse)[2:]} == {INVITATION}
    assert len({report["id"] for report in sent(pulse)}) == 3


def test_only_reports_that_another_invitation_can_mend_are_sent_again(http: FaultServer, state: Path) -> None:
    """Not those that were refused for something else, are another collector's, or had no invitation to begin with."""
    http.script = [Scripted(409, Problem(409, "survey_closed", "Closed.").to_json())]
    with fault_server(LUNCH) as elsewhere:
        elsewhere.script = [REFUSED]
        with SurveyClient(elsewhere.url, "lunch", state=state) as device:
            device.answer(ANSWERS)
            assert device.flush(30)
            assert [rejected.needs_invitation for rejected in device.rejected] == [True]
            assert device.resend(INVITATION) == []
        with SurveyClient(http.url, "lunch", state=state, invitation=INVITATION) as device:
            device.answer(ANSWERS)
            assert device.flush(30)
            assert sorted(rejected.needs_invitation for rejected in device.rejected) == [False, True]
            assert device.resend(INVITATION) == device.pending == []
        with SurveyClient(elsewhere.url, "lunch", state=state) as device:
            assert device.resend(INVITATION) == []
        assert len(elsewhere.posts) == len(http.posts) == 1
    assert_gone(state)


def test_another_collectors_refused_report_never_gets_this_ones_invitation(http: FaultServer, state: Path) -> None:
    with fault_server(INVITED) as elsewhere:
        elsewhere.script = [REFUSED]
        with SurveyClient(elsewhere.url, "lunch", state=state, invitation=OTHER_INVITATION) as device:
            device.answer(ANSWERS)
            assert device.flush(30)
        with SurveyClient(http.url, "lunch", state=state) as device:
            assert device.resend(INVITATION) == []
            assert device.flush(30)
        assert len(elsewhere.posts) == 1
    assert http.posts == []


def test_what_is_no_invitation_does_not_mend_anything(http: FaultServer, state: Path) -> None:
    http.script = [REFUSED]
    with SurveyClient(http.url, "lunch", state=state, invitation=OTHER_INVITATION) as device:
        device.answer(ANSWERS)
        assert device.flush(30)
        with pytest.raises(ValueError, match="invitation must be 26 letters") as caught:
            device.resend("CANARY")
        assert "CANARY" not in str(caught.value)
        assert len(device.rejected) == 1
    with pytest.raises(StateError, match="closed"):
        device.resend(INVITATION)


UNKNOWN = Scripted(404, Problem(404, "no_such_survey", "No.").to_json())


def refuse_after_a_week(device: SurveyClient, http: FaultServer, state: Path) -> None:
    """Have the report that waits refused, by a collector that does not know its survey."""
    http.script = [UNKNOWN] * 1000
    while not any(row[10] for row in rows_of(state, "outbox")):
        assert not device.flush(0.1)
    let_a_week_pass(state)
    assert device.flush(300)  # the longer a machine took until here, the longer a device waits
    http.script = []
    assert [rejected.is_unknown for rejected in device.rejected] == [True]


@pytest.mark.parametrize("is_invited", [False, True])
def test_a_report_whose_survey_was_not_known_for_a_week_can_be_sent_again_the_same(
    state: Path, is_invited: bool
) -> None:
    invitation = INVITATION if is_invited else None
    with fault_server(INVITED if is_invited else LUNCH) as http:
        with SurveyClient(http.url, "lunch", state=state, invitation=invitation) as device:
            http.script = [UNKNOWN] * 1000
            receipt = device.answer(ANSWERS)
            refuse_after_a_week(device, http, state)
        assert_gone(state)
        with SurveyClient(http.url, "lunch", state=state) as device:
            if is_invited:
                assert device.resend() == []  # the device has forgotten the invitation
            assert device.resend(invitation) == [receipt.id]
            assert device.flush(30)
            assert device.rejected == device.pending == device.resend() == []
        assert len({post.body for post in http.posts}) == 1
        assert http.seen == {receipt.id}
        assert len(rows_of(state, "ledger")) == 1


def test_a_report_that_is_sent_again_has_a_week_again(state: Path) -> None:
    with fault_server(LUNCH) as http, SurveyClient(http.url, "lunch", state=state) as device:
        http.script = [UNKNOWN] * 1000
        receipt = device.answer(ANSWERS)
        refuse_after_a_week(device, http, state)
        http.script = [UNKNOWN] * 1000
        assert device.resend() == [receipt.id]
        assert not device.flush(0.1)
        assert device.pending == [receipt.id]
        http.script = []


def test_a_refused_invitation_is_not_sent_again_without_another(http: FaultServer, state: Path) -> None:
    http.script = [REFUSED]
    with SurveyClient(http.url, "lunch", state=state, invitation=OTHER_INVITATION) as device:
        device.answer(ANSWERS)
        assert device.flush(30)
        assert device.resend() == []
        assert len(device.rejected) == 1
