"""`asked_in` on a device: waves are drawn once and for good; it reports in these alone, with noise of their own."""

import json
import os
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from devices import MONTHLY, TWICE, rows_of, sent
from fault_server import FaultServer, fault_server
from sotto_client import (
    AlreadyAnswered,
    AnswerError,
    BudgetExceeded,
    NotAsked,
    ParticipationEnded,
    StateError,
    SurveyClient,
    SurveyRefused,
)
from sotto_client.cli import main
from sotto_client.inventory import take_inventory
from sotto_client.permanent import wave_coins
from sotto_client.state import State
from sotto_protocol import Survey
from sotto_protocol.drawn import draw_waves

MOOD: dict[str, Any] = {"low": True, "sleep": "secret"}
OTHER: dict[str, Any] = {"low": False, "sleep": "well"}


@pytest.fixture
def http() -> Iterator[FaultServer]:
    with fault_server(MONTHLY) as server:
        yield server


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "device.db"


def client(http: FaultServer, state: Path | str, survey: Survey = MONTHLY, **settings: Any) -> SurveyClient:
    return SurveyClient(http.url, survey.id, state=state, **settings)


def other_wave(device: SurveyClient, survey: Survey = MONTHLY) -> int:
    return next(wave for wave in range(1, survey.waves + 1) if wave not in device.waves)


def test_a_device_is_asked_in_the_same_wave_for_good_and_reports_once(http: FaultServer, state: Path) -> None:
    with closing(client(http, state)) as device:
        [wave] = device.waves
        assert device.waves == (wave,)
    code = (
        "import sys; from sotto_client import SurveyClient\n"
        "with SurveyClient(sys.argv[1], 'monthly', state=sys.argv[2]) as d: print(*d.waves)"
    )
    done = subprocess.run([sys.executable, "-c", code, http.url, state], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [str(wave)], "after a restart too"
    with closing(client(http, state)) as device:
        receipt = device.answer(MOOD, wave)
        assert device.flush(5)
        assert device.waves == (wave,), "and once it is delivered"
    [report] = sent(http)
    assert report["wave"] == receipt.wave == wave
    assert receipt.epsilon == MONTHLY.epsilon == MONTHLY.epsilon_forever == Decimal("1.5")


def test_the_wave_is_what_the_published_coins_of_the_kept_seed_say(http: FaultServer, state: Path) -> None:
    with closing(client(http, state)) as device:
        waves = device.waves
    [(fingerprint, survey_id, seed)] = rows_of(state, "draws")
    assert (fingerprint, survey_id, len(seed)) == (MONTHLY.fingerprint, "monthly", 32)
    (row,) = draw_waves(12, 1, wave_coins(seed, MONTHLY.fingerprint))
    assert [place + 1 for place, has in enumerate(row) if has] == [*waves]


def test_devices_draw_all_waves(http: FaultServer) -> None:
    found: Counter[int] = Counter()
    for _ in range(60):
        with closing(client(http, ":memory:")) as device:
            found.update(device.waves)
    assert len(found) > 6  # of 12; fewer with a probability below 1e-12


@pytest.mark.parametrize("answers", [MOOD, OTHER, {}, {"low": "?"}], ids=["one", "another", "none", "wrong"])
def test_in_another_wave_nothing_is_sent_charged_or_looked_at(
    http: FaultServer, state: Path, answers: dict[str, Any]
) -> None:
    with closing(client(http, state)) as device:
        for _ in range(2):
            with pytest.raises(NotAsked, match=r"'monthly' does not ask this device in wave \d+, but in \d+\."):
                device.answer(answers, other_wave(device))
        assert device.flush(5)
        assert device.pending == []
    assert sent(http) == []
    assert rows_of(state, "ledger") == []


def test_not_asked_says_when_the_device_is(http: FaultServer) -> None:
    with closing(client(http, ":memory:")) as device:
        wave = other_wave(device)
        with pytest.raises(NotAsked) as caught:
            device.answer(MOOD, wave)
        assert (caught.value.wave, caught.value.waves) == (wave, device.waves)
        with pytest.raises(ValueError, match="wave"):
            device.answer(MOOD, 13)


def test_what_is_refused_does_not_draw_anew(http: FaultServer, state: Path) -> None:
    seeds = []
    for settings, answers, error in [
        ({}, {}, AnswerError),
        ({}, MOOD | {"q9": "x"}, AnswerError),
        ({"max_period_epsilon": 0.1}, MOOD, BudgetExceeded),
        ({}, None, AnswerError),
    ]:
        with closing(client(http, state, **settings)) as device:
            with pytest.raises(error):
                device.answer(answers, *device.waves)
            with pytest.raises(NotAsked):
                device.answer(MOOD, other_wave(device))
        seeds += rows_of(state, "draws")
    assert len(seeds) == 4
    assert len(set(seeds)) == 1


def test_a_fork_that_is_first_to_ask_and_its_parent_draw_the_same(http: FaultServer, state: Path) -> None:
    with closing(client(http, state)) as device:
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            os.write(write, json.dumps(device.waves).encode())
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        assert json.loads(os.read(read, 99)) == [*device.waves]
    assert len(rows_of(state, "draws")) == 1


def test_the_secret_goes_with_the_one_report_and_the_wave_stays(http: FaultServer, state: Path) -> None:
    with closing(client(http, state)) as device:
        [wave] = device.waves
        receipt = device.answer(MOOD, wave)
        assert device.answer(MOOD, wave) == receipt, "the same answers"
        assert device.flush(5)
    [row] = rows_of(state, "ledger")
    assert [column for column in row if isinstance(column, bytes) and any(column)] == []
    with closing(client(http, state)) as device:
        with pytest.raises(AlreadyAnswered):
            device.answer(MOOD, wave)
        with pytest.raises(NotAsked):
            device.answer(MOOD, other_wave(device))
    assert len(sent(http)) == 1


@pytest.mark.thorough
def test_each_of_two_reports_has_noise_of_its_own_and_takes_all_of_its_epsilon(state: Path) -> None:
    different = 0
    with fault_server(TWICE) as http:
        for number in range(40):
            with closing(client(http, f"{state}{number}", TWICE)) as device:
                first, second = device.waves
                receipts = [device.answer(MOOD, wave) for wave in (second, first)]
                assert [receipt.epsilon for receipt in receipts] == [TWICE.epsilon] * 2
                assert device.flush(5)
        reports = sent(http)
    assert TWICE.epsilon_forever == 2 * TWICE.epsilon == 3
    for number in range(40):
        one, other = (report["answers"] for report in reports[2 * number : 2 * number + 2])
        different += one != other
    assert different > 10  # lasting noise makes none differ; fresh noise fewer than this with a probability below 1e-9


def test_a_device_must_have_enough_for_all_waves_that_it_is_asked_in() -> None:
    with fault_server(TWICE) as http:
        poor = closing(client(http, ":memory:", TWICE, max_epsilon=2.9))
        with poor as device, pytest.raises(SurveyRefused, match=r"takes epsilon 3.* in 2 waves"):
            device.answer(MOOD)
        with closing(client(http, ":memory:", TWICE, max_period_epsilon=2.9)) as device:
            first, second = device.waves
            device.answer(MOOD, first)
            with pytest.raises(BudgetExceeded):
                device.answer(MOOD, second)


def test_a_device_that_forgets_answers_in_no_further_wave(state: Path) -> None:
    with fault_server(TWICE) as http, closing(client(http, state, TWICE)) as device:
        first, second = device.waves
        device.answer(MOOD, first)
        device.forget()
        with pytest.raises(ParticipationEnded):
            device.answer(MOOD, second)


def test_a_survey_without_asked_in_asks_in_all_waves_and_keeps_no_seed(tmp_path: Path) -> None:
    document = json.loads(TWICE.canonical)
    del document["asked_in"]
    plain = Survey.from_canonical(json.dumps(document, sort_keys=True, separators=(",", ":")).encode())
    with fault_server(plain) as http, closing(client(http, tmp_path / "d.db", plain)) as device:
        assert device.waves == (1, 2, 3, 4)
        device.answer(MOOD, 3)
    assert rows_of(tmp_path / "d.db", "draws") == []


def test_a_damaged_seed_is_refused(http: FaultServer, state: Path) -> None:
    with closing(client(http, state)) as device:
        assert device.waves
    with closing(sqlite3.connect(state)) as connection:
        connection.execute("UPDATE draws SET seed = ?", (os.urandom(31),))
        connection.commit()
    with closing(client(http, state)) as device, pytest.raises(StateError, match="its draws is damaged"):
        _ = device.waves


def test_check_explain_and_outbox_say_when_a_device_is_asked(http: FaultServer, state: Path, tmp_path: Path) -> None:
    file = tmp_path / "monthly.json"
    file.write_bytes(MONTHLY.canonical)
    said = CliRunner().invoke(main, ["check", str(file)]).output
    assert "asked_in 1 of 12 waves on every device; its one report takes epsilon 1.5. Each wave gets 1 of 12" in said
    explained = " ".join(CliRunner().invoke(main, ["explain", str(file)]).output.split())
    assert "Your device asks you in only 1 of the 12 waves" in explained
    assert "if your answers stay the same" not in explained
    with closing(client(http, state)) as device, closing(State.open(state)) as opened:
        waves = device.waves
        [asked] = take_inventory(opened).drawn
    assert (asked.questions, asked.waves) == (("low", "sleep"), waves)
    assert f"asked: monthly  low, sleep  in wave {waves[0]}" in CliRunner().invoke(main, ["outbox", str(state)]).output
