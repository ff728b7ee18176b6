"""`draw` on a device: asked once, kept for good, charged for what is answered; what was not drawn is never kept."""

import json
import os
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from devices import AWAY, FIVE, ROTATED, rows_of, sent
from fault_server import FaultServer, fault_server
from sotto_client import AlreadyAnswered, AnswerError, BudgetExceeded, StateError, SurveyClient, SurveyRefused
from sotto_client.cli import main
from sotto_client.inventory import take_inventory
from sotto_client.permanent import draw_coins
from sotto_client.state import State
from sotto_protocol import Survey
from sotto_protocol.drawn import draw_questions

ALL: dict[str, Any] = {f"q{number}": f"secret{number}" for number in range(5)}


@pytest.fixture
def http() -> Iterator[FaultServer]:
    with fault_server(FIVE) as server:
        yield server


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "device.db"


def client(http: FaultServer, state: Path | str, **settings: Any) -> SurveyClient:
    return SurveyClient(http.url, "five", state=state, **settings)


def ids_of(device: SurveyClient) -> list[str]:
    return [question.id for question in device.questions]


def test_a_device_is_asked_the_same_questions_for_good_and_reports_exactly_those(
    http: FaultServer, state: Path
) -> None:
    with closing(client(http, state)) as device:
        asked = ids_of(device)
        assert len(asked) == 2
        assert ids_of(device) == asked
    code = (
        "import sys; from sotto_client import SurveyClient\n"
        "with SurveyClient(sys.argv[1], 'five', state=sys.argv[2]) as d: print(*[q.id for q in d.questions])"
    )
    done = subprocess.run([sys.executable, "-c", code, http.url, state], capture_output=True, text=True, check=True)
    assert done.stdout.split() == asked, "after a restart too"
    with closing(client(http, state)) as device:
        receipt = device.answer({key: ALL[key] for key in asked})
        assert device.flush(5)
        assert ids_of(device) == asked, "and once it is delivered"
    [report] = sent(http)
    assert [*report["answers"]] == sorted(asked)
    assert receipt.epsilon == sum(question.epsilon for question in FIVE.questions if question.id in asked)


def test_what_was_drawn_is_what_the_published_coins_of_the_kept_seed_say(http: FaultServer, state: Path) -> None:
    with closing(client(http, state)) as device:
        asked = ids_of(device)
    [(fingerprint, survey_id, seed)] = rows_of(state, "draws")
    assert (fingerprint, survey_id, len(seed)) == (FIVE.fingerprint, "five", 32)
    (row,) = draw_questions(5, 2, draw_coins(seed, FIVE.fingerprint))
    assert [f"q{place}" for place, has in enumerate(row) if has] == asked


def test_devices_draw_differently(http: FaultServer) -> None:
    found: Counter[str] = Counter()
    for _ in range(30):
        with closing(client(http, ":memory:")) as device:
            found.update(ids_of(device))
    assert len(found) == 5  # missing one has a probability of 1e-6


def test_a_refused_answer_does_not_draw_anew(http: FaultServer, state: Path) -> None:
    seeds = []
    for settings, answers, error in [
        ({}, {}, AnswerError),
        ({}, ALL | {"q9": "x"}, AnswerError),
        ({"max_period_epsilon": 0.1}, ALL, BudgetExceeded),
        ({}, None, AnswerError),
    ]:
        with closing(client(http, state, **settings)) as device, pytest.raises(error):
            device.answer(answers)
        seeds += rows_of(state, "draws")
    assert len(seeds) == 4
    assert len(set(seeds)) == 1


def test_answers_to_questions_that_were_not_drawn_are_checked_and_dropped(http: FaultServer, state: Path) -> None:
    with closing(client(http, state)) as device:
        asked = ids_of(device)
        other = next(key for key in ALL if key not in asked)
        with pytest.raises(AnswerError, match=f"{other}: the answer must be one of"):
            device.answer(ALL | {other: "soup"})
        receipt = device.answer(ALL)
        assert device.answer({key: ALL[key] for key in asked} | {other: None}) == receipt, "the same answers"
        assert device.flush(5)
    assert [[*report["answers"]] for report in sent(http)] == [asked]
    kept = repr([rows_of(state, table) for table in ("ledger", "outbox", "draws")])
    assert not any(answer in kept for answer in ALL.values())


def test_a_missing_answer_is_named_only_where_it_was_drawn(http: FaultServer, state: Path) -> None:
    with closing(client(http, state)) as device:
        asked = ids_of(device)
        with pytest.raises(AnswerError, match=f"Missing: {', '.join(asked)}"):
            device.answer({})


def test_whether_a_device_takes_part_does_not_depend_on_what_it_drew(http: FaultServer) -> None:
    """Two questions take between 1.5 and 3.5: a device that could not pay 3.5 pays nothing, whatever it drew."""
    for _ in range(12):
        with closing(client(http, ":memory:", max_period_epsilon=3.4)) as device:
            with pytest.raises(BudgetExceeded) as caught:
                device.answer(ALL)
            assert (caught.value.needed, caught.value.limit) == (Decimal("3.5"), "max_period_epsilon")
    with closing(client(http, ":memory:", max_epsilon=3.4)) as device, pytest.raises(SurveyRefused, match=r"3\.5"):
        device.answer(ALL)


def test_every_wave_asks_the_same_questions_and_a_constant_answer_costs_what_it_takes(tmp_path: Path) -> None:
    with fault_server(ROTATED) as http, closing(SurveyClient(http.url, "rotated", state=tmp_path / "d.db")) as device:
        answers = {f"q{number}": True for number in range(4)}
        receipts = [device.answer(answers, wave) for wave in (1, 2, 3)]
        taken = [ROTATED.questions[0].epsilon_of(n_reports) for n_reports in (0, 1, 2, 3)]
        assert [receipt.epsilon for receipt in receipts] == [after - before for before, after in pairwise(taken)]
        assert device.flush(5)
        assert {tuple(report["answers"]) for report in sent(http)} == {tuple(ids_of(device))}
        with pytest.raises(AlreadyAnswered):
            device.answer(answers | {device.questions[0].id: False}, 2)


def test_a_survey_without_draw_asks_all_and_keeps_no_seed(tmp_path: Path) -> None:
    plain: Survey = replace(FIVE, draw=0)
    with fault_server(plain) as http, closing(client(http, tmp_path / "d.db")) as device:
        assert device.questions == plain.questions
        device.answer(ALL)
    assert rows_of(tmp_path / "d.db", "draws") == []


def test_the_inventory_says_what_was_drawn_and_what_a_report_says_of_it(http: FaultServer, state: Path) -> None:
    http.script = [AWAY] * 9
    with closing(State.open(state)) as opened, closing(client(http, state)) as device:
        asked = ids_of(device)
        device.answer(ALL)
        inventory = take_inventory(opened)
    assert [(of.survey_id, of.fingerprint, [*of.questions]) for of in inventory.drawn] == [
        ("five", FIVE.fingerprint, asked)
    ]
    assert [[*report.reported] for report in inventory.waiting] == [asked]


def test_a_damaged_seed_is_refused(http: FaultServer, state: Path) -> None:
    with closing(client(http, state)) as device:
        ids_of(device)
    with closing(sqlite3.connect(state)) as connection:
        connection.execute("UPDATE draws SET seed = ?", (os.urandom(31),))
        connection.commit()
    with closing(client(http, state)) as device, pytest.raises(StateError, match="its draws is damaged"):
        ids_of(device)


def test_a_client_that_does_not_know_draw_refuses_the_survey() -> None:
    document = json.loads(FIVE.canonical)
    document["pick"] = document.pop("draw")  # what an older client makes of an unknown member, whatever its name
    with pytest.raises(Exception, match="has an unknown member 'pick'"):
        Survey.from_canonical(json.dumps(document).encode())


def test_check_explain_and_outbox_say_what_is_drawn(http: FaultServer, state: Path, tmp_path: Path) -> None:
    file = tmp_path / "five.json"
    file.write_bytes(FIVE.canonical)
    said = CliRunner().invoke(main, ["check", str(file)]).output
    assert "draw 2 of 5 questions on every device, the total is that of the largest 2; each question gets 2 of" in said
    assert "1.58 times as wide as with all reports" in said
    assert json.loads(CliRunner().invoke(main, ["check", str(file), "--json"]).stdout)["draw"] == 2
    assert "Your device asks you only 2 of these 5 questions" in " ".join(
        CliRunner().invoke(main, ["explain", str(file)]).output.split()
    )
    with closing(client(http, state)) as device:
        asked = ids_of(device)
    assert f"asked: five  {', '.join(asked)}" in CliRunner().invoke(main, ["outbox", str(state)]).output
