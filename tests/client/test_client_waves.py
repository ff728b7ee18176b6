"""Repeated surveys: one report a wave under one permanent noise, a capped charge, and a secret that ends with them."""

import base64
import json
import sqlite3
import subprocess
import sys
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
    DIARY_CHARGES,
    PULSE,
    PULSE_CHARGES,
    WORDS,
    answer,
    assert_forgotten,
    let_go,
    raw_of,
    rows_of,
    secrets_of,
    sent,
)
from fault_server import FaultServer, Scripted, fault_server
from sotto_client import (
    AlreadyAnswered,
    BudgetExceeded,
    ParticipationEnded,
    SurveyClient,
    SurveyRefused,
)
from sotto_client.ledger import write_epsilon
from sotto_client.outbox import Outbox
from sotto_client.reporting import check_answers, mark_answers, report_answer, respond
from sotto_protocol import Problem, compile_toml
from sotto_protocol.mechanisms.mechanism import Bytes
from sotto_protocol.record import WAVE

BAD = Scripted(422, Problem(422, "bad_report", "No.").to_json())


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


@pytest.fixture
def permanents(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """The permanent responses that reports are made of, in order."""
    seen: list[bytes] = []

    def spy(*arguments: Any) -> Bytes:
        seen.append(respond(*arguments[:-1]).tobytes())
        return report_answer(*arguments)

    monkeypatch.setattr("sotto_client.reporting.report_answer", spy)
    return seen


# One noise, one charge.

PROCESS = """if True:
    import json, sys
    from sotto_client import SurveyClient, reporting

    url, state, wave, answers = sys.argv[1:]
    seen, report_answer = [], reporting.report_answer

    def spy(*arguments):
        seen.append(reporting.respond(*arguments[:-1]))
        return report_answer(*arguments)

    reporting.report_answer = spy
    with SurveyClient(url, "pulse", state=state) as device:
        receipt = device.answer(json.loads(answers), int(wave))
        assert device.flush(30)
    print(json.dumps([[one.tobytes().hex() for one in seen], receipt.id, receipt.wave, str(receipt.epsilon)]))
"""


@pytest.mark.thorough
def test_three_processes_send_three_views_of_one_permanent_response(http: FaultServer, state: Path) -> None:
    """Two reports of two strings are alike with a probability below 1e-60: 256 bits, each at best 3 to 1."""
    told = []
    for wave in (1, 2, 3):
        process = [sys.executable, "-W", "error", "-c", PROCESS, http.url, state, str(wave), json.dumps(WORDS)]
        done = subprocess.run(process, check=True, capture_output=True, timeout=300)
        told.append(json.loads(done.stdout))
    assert told[0][0] == told[1][0] == told[2][0]
    assert len(told[0][0]) == 3
    assert len({json.dumps([report["answers"]["word"], report["answers"]["rest"]]) for report in sent(http)}) == 3
    assert [(wave, Decimal(epsilon)) for _, _, wave, epsilon in told] == [*enumerate(PULSE_CHARGES, 1)]
    assert sum(PULSE_CHARGES) == PULSE.epsilon_forever == Decimal("4.850682034774")
    assert [(report["wave"], report["id"]) for report in sent(http)] == [(wave, name) for _, name, wave, _ in told]
    assert len({report["answers"]["word"][0] for report in sent(http)}) == 1  # the cohort


def test_what_is_sent_is_what_the_survey_can_read(http: FaultServer, state: Path) -> None:
    for wave in (2, 3):
        answer(http, state, WORDS, wave)
    reports = sent(http)
    record = PULSE.layout.from_wire(
        [report["answers"] for report in reports], "$", {WAVE: [report["wave"] for report in reports]}
    )
    assert PULSE.layout.numbers(record, WAVE).tolist() == [2, 3]


def test_a_changed_answer_is_charged_anew_and_an_old_one_goes_on_with_its_pot(
    diary: FaultServer, state: Path, permanents: list[bytes]
) -> None:
    receipts = [answer(diary, state, {"word": word}, wave) for wave, word in enumerate("ABAABC", 1)]
    again, a_third_time = DIARY_CHARGES[1:]
    charges = [Decimal(1), Decimal(1), again, a_third_time, again, Decimal(1)]
    assert [receipt.epsilon for receipt in receipts] == charges
    assert {Decimal(row[5]) for row in rows_of(state, "ledger")} == {sum(charges)}  # the last wave is over
    first, second, _, _, _, third = permanents
    assert permanents == [first, second, first, first, second, third]
    assert len({first, second, third}) == 3
    assert len({permanent[:2] for permanent in permanents}) == 1  # the cohort stays, whatever the answer


def test_what_version_7_charged_too_much_counts_toward_the_next_wave(http: FaultServer, state: Path) -> None:
    for wave in (1, 2):
        answer(http, state, WORDS, wave)
    with closing(sqlite3.connect(state)) as connection:  # as version 7 left it: n reports took n epsilons
        connection.execute("UPDATE ledger SET epsilon = ? WHERE wave = 2", (write_epsilon("2.25"),))
        for table in ("outbox", "sent"):
            connection.execute(f"ALTER TABLE {table} DROP COLUMN via")
        connection.executescript("DROP TABLE gateways; DROP TABLE tokens; PRAGMA user_version=7")
        connection.commit()
    assert answer(http, state, WORDS, 3).epsilon == sum(PULSE_CHARGES) - Decimal("4.5")
    assert {Decimal(row[5]) for row in rows_of(state, "ledger")} == {PULSE.epsilon_forever}


def test_the_same_text_typed_another_way_is_the_same_answer(
    diary: FaultServer, state: Path, permanents: list[bytes]
) -> None:
    words = ["caf\u00e9", "cafe\u0301", "caf\u00e9", "cafe\u0301"]
    taken = [answer(diary, state, {"word": word}, wave).epsilon for wave, word in enumerate(words, 1)]
    assert taken[:3] == DIARY_CHARGES
    assert sum(taken) == DIARY.questions[0].epsilon_of(4) < DIARY.questions[0].epsilon_forever
    assert len(set(permanents)) == 1


def test_a_mechanism_of_one_stage_repeats_its_report_for_nothing(state: Path) -> None:
    question = '[[questions]]\nid = "q"\ntype = "yes-no"\ntext = "So?"\nepsilon = 1\n'
    with fault_server(compile_toml(f'id = "again"\ntitle = "T"\nwaves = 4\n{question}')) as http:
        taken = [answer(http, state, {"q": value}, wave).epsilon for wave, value in enumerate([True, True, False], 1)]
        assert taken == [1, 0, 1]
        first, second, _ = sent(http)
        assert first["answers"] == second["answers"]


def test_a_wave_that_a_limit_refuses_changes_nothing_and_a_cheaper_answer_still_fits(
    diary: FaultServer, state: Path
) -> None:
    with SurveyClient(diary.url, "diary", state=state, max_epsilon=3.5) as device:
        for wave, word in enumerate("AAB", 1):
            device.answer({"word": word}, wave)
        before = rows_of(state, "ledger")
        with pytest.raises(BudgetExceeded, match=r"spend epsilon 1, but max_epsilon \(3.5\) leaves 0.758") as caught:
            device.answer({"word": "C"}, 4)
        assert not isinstance(caught.value, AlreadyAnswered)
        assert rows_of(state, "ledger") == before
        assert device.answer({"word": "A"}, 4).epsilon == DIARY_CHARGES[2]
        assert device.flush(30)
    assert [report["wave"] for report in sorted(sent(diary), key=lambda report: report["wave"])] == [1, 2, 3, 4]


def test_a_first_wave_that_a_limit_refuses_leaves_no_secret(diary: FaultServer, state: Path) -> None:
    with SurveyClient(diary.url, "diary", state=state, max_period_epsilon=0.5) as device:
        with pytest.raises(BudgetExceeded, match="max_period_epsilon"):
            device.answer({"word": "A"})
        assert rows_of(state, "ledger") == rows_of(state, "outbox") == []


def test_a_survey_whose_waves_a_device_could_not_finish_is_refused_at_once(http: FaultServer, state: Path) -> None:
    with (
        SurveyClient(http.url, "pulse", state=state, max_epsilon=4.85) as device,
        pytest.raises(SurveyRefused, match=r"takes epsilon 4\.850682034774 in 3 waves, above max_epsilon \(4\.85\)"),
    ):
        device.answer(WORDS)
    assert rows_of(state, "ledger") == []


@pytest.mark.parametrize("wave", [0, 4, -1, True, 1.0, "1", None])
def test_a_wave_outside_the_surveys_is_an_error_that_says_which_there_are(
    http: FaultServer, state: Path, wave: Any
) -> None:
    with SurveyClient(http.url, "pulse", state=state) as device:
        with pytest.raises(ValueError, match=r"wave \(.*\) must be an integer in \[1, 3\]"):
            device.answer(WORDS, wave)
        assert rows_of(state, "ledger") == device.pending == []


# Answering a wave again.


def test_the_same_answers_in_the_same_wave_return_the_first_receipt(http: FaultServer, state: Path) -> None:
    http.script = [AWAY]
    with closing(SurveyClient(http.url, "pulse", state=state)) as device:
        first = device.answer(WORDS, 2)
        assert device.answer(dict(WORDS), wave=2) == first
    with closing(SurveyClient(http.url, "pulse", state=state)) as device:
        assert device.answer(WORDS, 2) == first
        with pytest.raises(AlreadyAnswered, match="has answered wave 2 of survey 'pulse' before") as caught:
            device.answer(WORDS | {"well": False}, 2)
    assert caught.value.receipt == first
    assert (caught.value.needed, caught.value.left, caught.value.limit) == (PULSE.epsilon, 0, "one report per wave")
    assert len(rows_of(state, "ledger")) == len(rows_of(state, "outbox")) == 1


def test_the_device_knows_a_waves_answers_until_the_last_waves_report_is_delivered(
    http: FaultServer, state: Path
) -> None:
    first = answer(http, state, WORDS, 1)
    assert answer(http, state, WORDS, 1) == first
    with SurveyClient(http.url, "pulse", state=state) as device:
        last = device.answer(WORDS, 3)
        assert device.flush(30)
        assert device.answer(WORDS, 3) == last  # this object made it
        with pytest.raises(AlreadyAnswered):
            device.answer(WORDS, 1)  # another did
    with pytest.raises(AlreadyAnswered, match="wave 3 of survey 'pulse'"):
        answer(http, state, WORDS, 3)
    assert len(http.posts) == 2


# The secret's life.


def test_the_secret_lives_until_the_last_waves_report_and_no_longer(http: FaultServer, state: Path) -> None:
    for wave in (1, 2):
        answer(http, state, WORDS, wave)
    secret, again = secrets_of(state)
    marks = mark_answers(PULSE, check_answers(PULSE, WORDS), secret)
    assert secret == again
    assert any(secret)
    assert marks in raw_of(state)  # whoever reads the file meanwhile can try all answers
    http.script = [AWAY]
    with closing(SurveyClient(http.url, "pulse", state=state)) as device:
        device.answer(WORDS, 3)
        assert not device.flush(10)
    assert secrets_of(state) == [secret] * 3
    with closing(SurveyClient(http.url, "pulse", state=state)) as device:
        let_go(device)
        assert device.flush(30)
    assert_forgotten(state, secret, marks)


def test_a_last_report_that_is_refused_for_good_ends_the_secret_too(http: FaultServer, state: Path) -> None:
    answer(http, state, WORDS, 1)
    [secret] = secrets_of(state)
    http.script = [BAD]
    answer(http, state, WORDS, 3)
    assert_forgotten(state, secret, mark_answers(PULSE, check_answers(PULSE, WORDS), secret))


def test_an_earlier_report_that_is_refused_does_not(http: FaultServer, state: Path) -> None:
    http.script = [BAD]
    answer(http, state, WORDS, 2)
    [secret] = secrets_of(state)
    assert any(secret)
    answer(http, state, WORDS, 1)
    assert secrets_of(state) == [secret] * 2


def test_after_the_last_wave_a_wave_that_was_skipped_is_not_answered_any_more(http: FaultServer, state: Path) -> None:
    answer(http, state, WORDS, 3)
    with pytest.raises(ParticipationEnded, match="takes part in survey pulse no longer"):
        answer(http, state, WORDS, 2)
    assert len(http.posts) == len(rows_of(state, "ledger")) == 1


def test_an_earlier_report_that_still_waits_is_delivered_after_the_last(http: FaultServer, state: Path) -> None:
    http.script = [AWAY]
    with closing(SurveyClient(http.url, "pulse", state=state)) as device:
        device.answer(WORDS, 1)
        let_go(device)
        device.answer(WORDS, 3)
        assert device.flush(30)
    assert [report["wave"] for report in sent(http)] == [1, 3, 1]
    assert rows_of(state, "outbox") == []
    assert not any(map(any, secrets_of(state)))


def test_forget_ends_taking_part_at_once_and_what_waits_is_still_delivered(http: FaultServer, state: Path) -> None:
    answer(http, state, WORDS, 1)
    [secret] = secrets_of(state)
    http.script = [AWAY]
    with closing(SurveyClient(http.url, "pulse", state=state)) as device:
        second = device.answer(WORDS, 2)
        assert not device.flush(10)
        device.forget()
        assert_forgotten(state, secret, mark_answers(PULSE, check_answers(PULSE, WORDS), secret))
        with pytest.raises(AlreadyAnswered) as caught:
            device.answer(WORDS, 2)
        assert caught.value.receipt == replace(second, epsilon=sum(PULSE_CHARGES[:2]), is_summed=True)
        with pytest.raises(ParticipationEnded):
            device.answer(WORDS, 3)
        assert device.pending == [second.id]
        let_go(device)
        assert device.flush(30)
    assert [report["wave"] for report in sent(http)][-1] == 2
    assert [Decimal(row[5]) for row in rows_of(state, "ledger")] == [
        sum(PULSE_CHARGES[:2])
    ] * 2  # what was spent is spent


def test_forget_needs_no_network_and_does_nothing_where_nothing_was_answered(http: FaultServer, state: Path) -> None:
    with closing(SurveyClient("http://127.0.0.1:1", "pulse", state=state)) as device:
        device.forget()
    assert answer(http, state, WORDS, 1).wave == 1
    with closing(SurveyClient("http://127.0.0.1:1", "pulse", state=state)) as device:
        device.forget()
    assert not any(map(any, secrets_of(state)))


def test_forget_leaves_other_surveys_alone(http: FaultServer, diary: FaultServer, state: Path) -> None:
    answer(http, state, WORDS, 1)
    answer(diary, state, {"word": "A"}, 1)
    with closing(SurveyClient(http.url, "pulse", state=state)) as device:
        device.forget()
    assert [any(secret) for secret in secrets_of(state)] == [False, True]
    assert answer(diary, state, {"word": "A"}, 2).epsilon == DIARY_CHARGES[1]


# Crashes, kiosks, and what is on the disk.

CRASH = """if True:
    import json, os, sys
    from sotto_client import SurveyClient
    from sotto_client.outbox import Outbox

    url, state, wave, answers, moment = sys.argv[1:]
    device = SurveyClient(url, "pulse", state=state)
    if moment == "before the commit":
        put = Outbox.put
        Outbox.put = lambda *arguments: (put(*arguments), os._exit(9))
    device.answer(json.loads(answers), int(wave))
    os._exit(9)
"""


@pytest.mark.parametrize(("moment", "n_waiting"), [("before the commit", 0), ("after the commit", 1)])
def test_a_crash_between_waves_loses_and_repeats_nothing(
    http: FaultServer, state: Path, moment: str, n_waiting: int
) -> None:
    answer(http, state, WORDS, 1)
    http.script = [AWAY] * 100
    process = [sys.executable, "-c", CRASH, http.url, state, "2", json.dumps(WORDS), moment]
    assert subprocess.run(process, timeout=300).returncode == 9
    assert len(rows_of(state, "outbox")) == n_waiting
    with closing(SurveyClient(http.url, "pulse", state=state)) as device:
        receipt = device.answer(WORDS, 2)
        assert device.pending == [receipt.id]
        let_go(device)
        http.script = []
        assert device.flush(30)
    assert answer(http, state, WORDS, 3).epsilon == PULSE_CHARGES[2]
    assert [Decimal(row[5]) for row in rows_of(state, "ledger")] == [sum(PULSE_CHARGES)] * 3
    assert len(http.seen) == 3


def test_a_kiosk_answers_all_waves_from_memory(http: FaultServer, permanents: list[bytes]) -> None:
    with SurveyClient(http.url, "pulse", state=":memory:") as device:
        receipts = [device.answer(WORDS, wave) for wave in (1, 2, 3)]
        assert device.flush(30)
    assert [receipt.epsilon for receipt in receipts] == PULSE_CHARGES
    assert permanents[:3] == permanents[3:6] == permanents[6:]
    with SurveyClient(http.url, "pulse", state=":memory:") as device:  # the next respondent
        device.answer(WORDS)
    assert permanents[9:] != permanents[:3]


CANARY = "kaleidoscope-9317-\u00fcber"


def written(text: str) -> list[bytes]:
    """Return the ways in which a string could lie in a file."""
    plain = [text.encode(), text.encode("utf-16-le"), text.encode("utf-16-be"), text.encode("utf-32-le")]
    escaped = [json.dumps(text).encode(), text.encode("utf-7")]
    coded = [code for raw in plain for code in (raw.hex().encode(), raw.hex().upper().encode(), *base64_of(raw))]
    return plain + escaped + coded


def base64_of(raw: bytes) -> list[bytes]:
    """Return what base64 makes of bytes wherever they begin in a longer text, without what their neighbours change."""
    return [base64.b64encode(bytes(shift) + raw)[4:-4] for shift in range(3)]


def test_a_text_answer_is_never_on_the_disk_not_even_amid_a_transaction(
    http: FaultServer, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    moments: list[bytes] = []
    put = Outbox.put

    def look(outbox: Outbox, *arguments: Any) -> None:
        put(outbox, *arguments)
        moments.append(raw_of(state))

    monkeypatch.setattr(Outbox, "put", look)
    http.script = [AWAY]
    with closing(SurveyClient(http.url, "pulse", state=state)) as device:
        for wave in (1, 2, 3):
            device.answer(WORDS | {"word": CANARY}, wave)
            moments.append(raw_of(state))
        let_go(device)
        assert device.flush(30)
        moments.append(raw_of(state))
    forms = written(CANARY) + [form for form in written("kaleidoscope") if len(form) > 8]
    assert len(moments) == 7
    for raw in moments:
        assert not [form for form in forms if form in raw]
    assert all(form in b"".join(forms) for form in written(CANARY)[:2])
