"""Callbacks: an app is told of each report that is delivered or refused, once, and what it does breaks nothing."""

import logging
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from devices import (
    ANSWERS,
    AWAY,
    INVITATION,
    INVITED,
    LUNCH,
    OTHER_INVITATION,
    PULSE,
    WORDS,
    let_a_week_pass,
    let_go,
    wait_until_unknown,
)
from fault_server import FaultServer, Scripted, fault_server
from sotto_client import Receipt, Rejected, StateError, SurveyClient
from sotto_protocol import Problem

BAD = Scripted(422, Problem(422, "bad_report", "It is no report.").to_json())
CANARY = "c4nary-9317"


@pytest.fixture
def http() -> Iterator[FaultServer]:
    with fault_server(LUNCH) as server:
        yield server


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "device.db"


class Told:
    """What an app is told, and in which threads."""

    def __init__(self) -> None:
        self.delivered: list[Receipt] = []
        self.rejected: list[Rejected] = []
        self.threads: set[str] = set()

    def on_delivered(self, receipt: Receipt) -> None:
        self.threads.add(threading.current_thread().name)
        self.delivered.append(receipt)

    def on_rejected(self, rejected: Rejected) -> None:
        self.threads.add(threading.current_thread().name)
        self.rejected.append(rejected)

    def open(self, http: FaultServer, survey_id: str, state: Path | str, **options: Any) -> SurveyClient:
        told = {"on_delivered": self.on_delivered, "on_rejected": self.on_rejected}
        return SurveyClient(http.url, survey_id, state=state, **told, **options)


def test_an_app_is_told_of_the_delivery_with_the_receipt_that_it_was_given(http: FaultServer, state: Path) -> None:
    told = Told()
    with closing(told.open(http, "lunch", state)) as device:
        receipt = device.answer(ANSWERS)
        assert device.flush(30)
    assert (told.delivered, told.rejected) == ([receipt], [])
    assert told.threads == {"sottovoce-delivery"}


def test_of_a_wave_it_is_told_what_that_wave_took(state: Path) -> None:
    """Of the last one too, though the state keeps but the sum from then on."""
    told = Told()
    with fault_server(PULSE) as http, closing(told.open(http, "pulse", state)) as device:
        receipts = []
        for wave in (1, 2, 3):
            receipts.append(device.answer(WORDS, wave))
            assert device.flush(30)
    assert told.delivered == receipts
    assert not any(receipt.is_summed for receipt in receipts)


def test_an_app_is_told_what_was_refused_and_why(http: FaultServer, state: Path) -> None:
    told = Told()
    http.script = [BAD]
    with closing(told.open(http, "lunch", state)) as device:
        device.answer(ANSWERS)
        assert device.flush(30)
        assert (told.rejected, told.delivered) == (device.rejected, [])
    assert told.rejected[0].problem.code == "bad_report"


@pytest.mark.parametrize(
    ("code", "hint"),
    [("invitation_invalid", "an app can `resend` it with another invitation"), ("bad_report", "see `sotto outbox`")],
)
def test_a_refusal_is_logged_as_not_counted_and_with_what_mends_it(
    http: FaultServer, state: Path, caplog: pytest.LogCaptureFixture, code: str, hint: str
) -> None:
    http.script = [Scripted(403, Problem(403, code, "No.").to_json())]
    with SurveyClient(http.url, "lunch", state=state) as device:
        device.answer(ANSWERS)
        assert device.flush(30)
    [said] = [record.getMessage() for record in caplog.records if "refused for good" in record.getMessage()]
    assert said == f"A report was refused for good (HTTP 403, {code}) and is not counted. It is kept: {hint}."


def test_a_refusal_that_takes_a_week_is_told_after_the_week(http: FaultServer, state: Path) -> None:
    told = Told()
    http.script = [Scripted(404, Problem(404, "no_such_survey", "No.").to_json())] * 1000
    with closing(told.open(http, "lunch", state)) as device:
        device.answer(ANSWERS)
        wait_until_unknown(state)
        assert told.rejected == []
        let_a_week_pass(state)
        assert device.flush(300)
        assert told.rejected == device.rejected != []


def test_what_an_earlier_client_left_is_told_to_the_one_that_delivers_it(http: FaultServer, state: Path) -> None:
    http.script = [AWAY]
    earlier, told = Told(), Told()
    with closing(earlier.open(http, "lunch", state)) as device:
        receipt = device.answer(ANSWERS)
        let_go(device)
    with closing(told.open(http, "lunch", state)) as device:
        assert device.flush(30)
    assert (earlier.delivered, told.delivered) == ([], [receipt])


def test_of_two_clients_that_send_the_same_report_one_is_told(http: FaultServer, state: Path) -> None:
    told = Told()
    http.script = [AWAY]
    with closing(told.open(http, "lunch", state)) as first, closing(told.open(http, "lunch", state)) as second:
        receipt = first.answer(ANSWERS)
        let_go(first)
        for device in (first, second):
            device._delivery.wake(eager=True)
        assert first.flush(30)
        assert second.flush(30)
    assert told.delivered == [receipt]


def raiser(fault: BaseException) -> Callable[[object], None]:
    def raise_it(_: object) -> None:
        raise fault

    return raise_it


@pytest.mark.parametrize("fault", [ValueError(CANARY), SystemExit(CANARY), KeyboardInterrupt(CANARY)], ids=repr)
def test_what_a_callback_raises_is_logged_without_its_words_and_delivery_goes_on(
    state: Path, fault: BaseException, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with fault_server(PULSE) as http:
        http.script = [BAD]
        options: dict[str, Any] = {"on_delivered": raiser(fault), "on_rejected": raiser(fault)}
        with closing(SurveyClient(http.url, "pulse", state=state, **options)) as device:
            device.answer(WORDS, 1)
            assert device.flush(30)
            device.answer(WORDS, 2)
            assert device.flush(30)
            assert len(device.rejected) == len(http.seen) == 1
    lines = [record.getMessage() for record in caplog.records if "raised" in record.getMessage()]
    kind = type(fault).__name__
    assert lines == [f"{name} raised {kind}; delivery goes on." for name in ("on_rejected", "on_delivered")]
    assert CANARY not in caplog.text


def test_a_coroutine_that_a_callback_returns_is_closed_and_said(state: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    options: dict[str, Any] = {"state": state, "on_delivered": lambda kept: never(kept)}
    with fault_server(PULSE) as http, closing(SurveyClient(http.url, "pulse", **options)) as device:
        device.answer(WORDS, 1)
        assert device.flush(30)
    assert "on_delivered returned a coroutine: nobody awaits it." in [one.getMessage() for one in caplog.records]


def test_a_callback_may_use_the_client(state: Path) -> None:
    """It mends a refusal, answers the next wave, looks, flushes and closes: from the thread that delivers."""
    seen: list[object] = []
    is_closed = threading.Event()
    with fault_server(INVITED) as http:
        http.admitted[(INVITATION, 1)] = "another"

        def mend(rejected: Rejected) -> None:
            assert rejected.needs_invitation
            seen.append(device.resend(OTHER_INVITATION))
            seen.append(device.flush(3600))  # False at once: this thread delivers
            seen.append(repr(device))

        def end(receipt: Receipt) -> None:
            seen.append(receipt.id)
            seen.append(device.pending)
            device.close()
            is_closed.set()

        options: dict[str, Any] = {"on_delivered": end, "on_rejected": mend, "invitation": INVITATION}
        device = SurveyClient(http.url, "lunch", state=state, **options)
        receipt = device.answer(ANSWERS)
        assert is_closed.wait(60)
        device.close()
    assert seen == [
        [receipt.id],
        False,
        f"<SurveyClient lunch at {http.url}, pending 1, state {state}>",
        receipt.id,
        [],
    ]


def test_a_flush_ends_where_a_callback_closes_the_client(
    http: FaultServer, state: Path, caplog: pytest.LogCaptureFixture
) -> None:
    options: dict[str, Any] = {"max_delay_s": 604_800, "on_delivered": lambda _: device.close()}
    with SurveyClient(http.url, "lunch", state=state, **options) as device:
        receipt = device.answer(ANSWERS)
        assert device.flush(300, skip_delay=True) is False
        with pytest.raises(StateError, match="closed"):
            device.flush()
    assert http.seen == {receipt.id}
    assert [record for record in caplog.records if record.levelno >= logging.WARNING] == []


def test_a_callback_that_hangs_holds_up_no_answer_and_no_close(http: FaultServer, state: Path) -> None:
    is_told, ending = threading.Event(), threading.Event()

    def hang(_: Receipt) -> None:
        is_told.set()
        ending.wait()

    device = SurveyClient(http.url, "lunch", state=state, on_delivered=hang)
    receipt = device.answer(ANSWERS)
    assert is_told.wait(60)
    assert device.answer(ANSWERS) == receipt
    assert device.pending == []
    device._delivery.close(0.1)  # as `close`, which waits longer
    ending.set()
    device.close()


def test_logs_say_each_step_without_an_answer_a_survey_or_a_receipt(
    http: FaultServer, state: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "sottovoce")
    http.script = [BAD]
    with closing(SurveyClient(http.url, "lunch", state=state)) as device:
        receipt = device.answer(ANSWERS)
        assert device.flush(30)
    lines = [record.getMessage() for record in caplog.records if record.name == "sottovoce"]
    steps = ["The survey came from the collector.", "A survey was answered.", "A report is being sent (attempt 1)."]
    assert lines[:3] == steps
    assert lines[3].startswith("A report was refused for good (HTTP 422, bad_report)")
    secrets = ("leftovers", "wine", "lunch", receipt.id, "127.0.0.1", "epsilon")
    assert not [line for line in lines for secret in secrets if secret in line]


async def never(_: object) -> None:
    raise AssertionError


class Awaited:
    async def __call__(self, _: object) -> None:
        raise AssertionError


@pytest.mark.parametrize("name", ["on_delivered", "on_rejected"])
@pytest.mark.parametrize("given", ["print", 3, never, Awaited()])
def test_what_cannot_be_called_or_is_never_awaited_is_refused_at_once(name: str, given: object) -> None:
    options: dict[str, Any] = {name: given}
    with pytest.raises(ValueError, match=f"^{name} must be a plain function"):
        SurveyClient("http://127.0.0.1:1", "lunch", state=":memory:", **options)


IN_A_CHILD = """
import os, sys
from sotto_client import SurveyClient

def on_delivered(receipt):
    os.write(1, (receipt.id + "\\n").encode())

device = SurveyClient(sys.argv[1], "pulse", state=sys.argv[2], on_delivered=on_delivered)
answers = {"word": "kaleidoscope", "rest": "kaleidoscope", "well": True}
made = [device.answer(answers, 1)]
assert device.flush(60)
child = os.fork()
device.answer(answers, 2 if child else 3)
assert device.flush(60)
device.close()
if not child:
    os._exit(0)
_, status = os.waitpid(child, 0)
sys.exit(status)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system cannot fork")
def test_of_what_a_process_and_its_child_deliver_each_report_is_told_once(state: Path) -> None:
    with fault_server(replace(PULSE, waves=4)) as http:  # neither answers the last wave, which would end it for both
        command = [sys.executable, "-c", IN_A_CHILD, http.url, str(state)]
        done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr
        assert sorted(done.stdout.split()) == sorted(http.seen)
        assert len(http.seen) == 3
