"""Damaged state files: whatever bits are flipped, a client says so with a documented error, or works."""

import os
import random
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from devices import ANSWERS, AWAY, INVITATION, INVITED, PULSE, WORDS, rows_of, yes_no
from fault_server import FaultServer, Scripted, fault_server
from sotto_client import (
    AlreadyAnswered,
    BudgetExceeded,
    ParticipationEnded,
    StateError,
    SurveyClient,
    SurveyRefused,
)
from sotto_client.inventory import take_inventory
from sotto_client.state import State
from sotto_protocol import Problem

N_FILES = 2000 if os.environ.get("SOTTO_TEST_FULL") else 200
N_FEW = 25
N_BITS = 20
PAGE_BYTES = 4096  # SQLite's
DOCUMENTED = (StateError, AlreadyAnswered, BudgetExceeded, ParticipationEnded, SurveyRefused)
UNKNOWN = Scripted(404, Problem(404, "no_such_survey", "No.").to_json())
REFUSED = Scripted(422, Problem(422, "bad_report", "No.").to_json())


@dataclass
class Lived:
    """A state with all that there can be in it, and the collectors that it knows, by survey."""

    path: Path
    collectors: dict[str, FaultServer]

    def live(self, state: Path) -> Iterator[bool]:
        """Go through a client's whole life with each survey; says of every step whether it worked."""
        yield attempt(lambda: show(state))
        for survey_id, collector in self.collectors.items():
            answers = {"lunch": ANSWERS, "pulse": WORDS, "done": {"q": True}}[survey_id]
            try:
                device = SurveyClient(collector.url, survey_id, state=state, invitation=invitation_of(survey_id))
            except StateError:
                yield False
                continue
            yield attempt(lambda device=device: device.survey)
            for wave in (1, 2, 3) if survey_id == "pulse" else (1,):
                yield attempt(lambda device=device, wave=wave, answers=answers: device.answer(answers, wave))
            yield attempt(lambda device=device: (device.pending, device.rejected))
            yield attempt(device.resend)
            yield attempt(lambda device=device: device.resend(INVITATION))
            yield attempt(lambda device=device: device.flush(0.02, skip_delay=True))
            yield attempt(device.forget)
            device.close()
        yield attempt(lambda: show(state))


def invitation_of(survey_id: str) -> str | None:
    return INVITATION if survey_id == "lunch" else None


def show(state: Path) -> None:
    """As `sotto outbox` does."""
    with closing(State.open(state, create=False)) as opened:
        take_inventory(opened)


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lived]:
    """What waits under an invitation; what was refused, is doubted, and waits, in three waves; what was delivered."""
    path = tmp_path_factory.mktemp("lived") / "device.db"
    with ExitStack() as opened:
        surveys = (INVITED, PULSE, yes_no("done"))
        collectors = {survey.id: opened.enter_context(fault_server(survey)) for survey in surveys}
        with closing(SurveyClient(collectors["done"].url, "done", state=path)) as device:
            device.answer({"q": True})
            assert device.flush(30)
        collectors["lunch"].script = [AWAY]
        with closing(SurveyClient(collectors["lunch"].url, "lunch", state=path, invitation=INVITATION)) as device:
            device.answer(ANSWERS)
            device.flush(30)
        collectors["pulse"].script = [REFUSED]
        with closing(SurveyClient(collectors["pulse"].url, "pulse", state=path)) as device:
            device.answer(WORDS, 1)
            while not device.rejected:
                device.flush(0.1)
            collectors["pulse"].script = [UNKNOWN] * 100
            device.answer(WORDS, 2)
            while not any(row[10] for row in rows_of(path, "outbox")):
                device.flush(0.1)
        served = collectors["pulse"].survey_reply
        collectors["pulse"].survey_reply = UNKNOWN
        with closing(SurveyClient(collectors["pulse"].url, "pulse", state=path)) as late:
            assert late.survey.id == "pulse"
        collectors["pulse"].survey_reply = served
        assert all(rows_of(path, table) for table in ("surveys", "ledger", "outbox", "doubts"))
        yield Lived(path, collectors)


def attempt(step: Callable[[], object]) -> bool:
    """Take a step; return whether it worked. Whatever is not documented is raised."""
    try:
        step()
    except DOCUMENTED:
        return False
    return True


def damage(path: Path, chance: random.Random, where: str) -> None:
    """Flip bits anywhere, or, of which SQLite itself sees less, only in what the rows hold."""
    content = bytearray(path.read_bytes())
    rows = [at for at, byte in enumerate(content) if byte and at > PAGE_BYTES and at % PAGE_BYTES > 100]
    for _ in range(N_BITS):
        at = chance.choice(rows) if where == "rows" else chance.randrange(len(content))
        content[at] ^= 1 << chance.randrange(8)
    path.write_bytes(content)


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.parametrize("n_files", [N_FEW, pytest.param(N_FILES, marks=pytest.mark.rare)])
@pytest.mark.parametrize("where", ["file", "rows"])
def test_a_state_with_flipped_bits_works_or_is_an_error_that_is_documented(
    lived: Lived, tmp_path: Path, where: str, n_files: int, caplog: pytest.LogCaptureFixture
) -> None:
    n_broken = 0
    for number in range(n_files):
        state = tmp_path / f"{number}.db"
        shutil.copy(lived.path, state)
        damage(state, random.Random(f"{where} {number}"), where)  # noqa: S311  # flipped bits, no secret
        for collector in lived.collectors.values():
            collector.script = []
        steps = list(lived.live(state))
        n_broken += not all(steps)
        state.unlink()
    failed = {record.getMessage() for record in caplog.records if "delivery failed" in record.getMessage()}
    assert failed <= {"Reports wait: delivery failed (StateError)."}
    assert n_broken > n_files / 10  # it does damage


def test_the_same_life_with_nothing_damaged_works(lived: Lived, tmp_path: Path) -> None:
    state = tmp_path / "device.db"
    shutil.copy(lived.path, state)
    steps = list(lived.live(state))
    assert steps.count(False) <= 2  # the answers of what was delivered are forgotten


DAMAGES = [
    ("UPDATE ledger SET epsilon = 'NaN'", "its ledger is damaged"),
    ("UPDATE ledger SET epsilon = '-1'", "its ledger is damaged"),
    ("UPDATE ledger SET epsilon = '1e99999999'", "its ledger is damaged"),
    ("UPDATE ledger SET epsilon = 'one'", "its ledger is damaged"),
    ("UPDATE ledger SET day = '2026-13-01'", "its ledger is damaged"),
    ("UPDATE ledger SET wave = 7 WHERE wave = 1 AND survey_id = 'done'", "its ledger is damaged"),
    ("UPDATE ledger SET secret = 'text'", "its ledger is damaged"),
    ("UPDATE ledger SET wave = 'first' WHERE wave = 1 AND survey_id = 'done'", "its ledger is damaged"),
    ("UPDATE outbox SET body = x'7b'", "its outbox is damaged"),
    ("UPDATE outbox SET body = 'text'", "its outbox is damaged"),
    ("UPDATE outbox SET not_before = 'never'", "its outbox is damaged"),
    ("UPDATE outbox SET n_attempts = x'00'", "its outbox is damaged"),
    ("UPDATE outbox SET rejected = '{}'", "its outbox is damaged"),
    ("UPDATE outbox SET rejected = 'no'", "its outbox is damaged"),
    ("UPDATE outbox SET url = CAST(x'ff' AS TEXT)", "UTF-8"),
]


@pytest.mark.parametrize(("change", "message"), DAMAGES)
def test_a_value_that_cannot_be_is_a_state_error_that_names_the_file(
    lived: Lived, tmp_path: Path, change: str, message: str
) -> None:
    state = tmp_path / "device.db"
    shutil.copy(lived.path, state)
    with closing(sqlite3.connect(state)) as connection:
        connection.execute(change)
        connection.commit()
    with pytest.raises(StateError, match=message) as caught:
        show(state)
    assert str(state) in str(caught.value)


@pytest.mark.parametrize("change", ["wave = 7, waves = 9", "waves = 9, marks = zeroblob(32)", "marks = zeroblob(31)"])
@pytest.mark.parametrize("survey_id", ["pulse", "lunch"])
def test_a_ledger_that_does_not_fit_its_survey_is_charged_nothing(
    lived: Lived, tmp_path: Path, change: str, survey_id: str
) -> None:
    state = tmp_path / "device.db"
    shutil.copy(lived.path, state)
    with closing(sqlite3.connect(state)) as connection:
        connection.execute(f"UPDATE ledger SET {change} WHERE wave = 1 AND survey_id = ?", (survey_id,))  # noqa: S608
        connection.commit()
    before = rows_of(state, "ledger")
    collector = lived.collectors[survey_id]
    wave, answers = (3, WORDS) if survey_id == "pulse" else (1, ANSWERS)
    with closing(SurveyClient(collector.url, survey_id, state=state, invitation=invitation_of(survey_id))) as device:
        attempt(lambda: device.answer(answers, wave))
    assert rows_of(state, "ledger") == before
