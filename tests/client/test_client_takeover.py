"""States of earlier versions are taken over whole, and no copy of what is to be forgotten stays behind.

Version 1 knew no waves, version 2 no invitations and no delays; version 3 kept for good what each wave took.
"""

import secrets
import sqlite3
import subprocess
import sys
from contextlib import closing
from decimal import Decimal
from pathlib import Path

import pytest

from devices import CHOSEN, WIDE, raw_of, rows_of
from fault_server import Scripted, fault_server
from sotto_client import StateError, SurveyClient
from sotto_client.ledger import Ledger
from sotto_client.reporting import check_answers, mark_answers
from sotto_client.state import _UPGRADES, State
from sotto_protocol import Report, batch_body


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "device.db"


LEDGERS = {
    1: """
CREATE TABLE ledger (
    id INTEGER PRIMARY KEY, fingerprint TEXT NOT NULL UNIQUE, survey_id TEXT NOT NULL, epsilon TEXT NOT NULL,
    day TEXT NOT NULL, receipt TEXT NOT NULL, secret BLOB NOT NULL, record BLOB NOT NULL
);
""",
    2: """
CREATE TABLE ledger (
    id INTEGER PRIMARY KEY, fingerprint TEXT NOT NULL, wave INTEGER NOT NULL DEFAULT 1,
    waves INTEGER NOT NULL DEFAULT 1, survey_id TEXT NOT NULL, epsilon TEXT NOT NULL, day TEXT NOT NULL,
    receipt TEXT NOT NULL, secret BLOB NOT NULL, marks BLOB NOT NULL, UNIQUE (fingerprint, wave)
);
""",
    3: """
CREATE TABLE ledger (
    id INTEGER PRIMARY KEY, fingerprint TEXT NOT NULL, wave INTEGER NOT NULL DEFAULT 1,
    waves INTEGER NOT NULL DEFAULT 1, survey_id TEXT NOT NULL, epsilon TEXT NOT NULL, day TEXT NOT NULL,
    receipt TEXT NOT NULL, secret BLOB NOT NULL, marks BLOB NOT NULL, invitation BLOB NOT NULL DEFAULT x'',
    UNIQUE (fingerprint, wave)
);
""",
}
BESIDE_THE_LEDGER = """
CREATE TABLE surveys (
    url TEXT NOT NULL, survey_id TEXT NOT NULL, canonical BLOB NOT NULL, PRIMARY KEY (url, survey_id)
) WITHOUT ROWID;
CREATE TABLE outbox (
    receipt TEXT PRIMARY KEY, url TEXT NOT NULL, survey_id TEXT NOT NULL, body BLOB NOT NULL,
    n_attempts INTEGER NOT NULL DEFAULT 0, not_before REAL NOT NULL DEFAULT 0, is_held INTEGER NOT NULL DEFAULT 0,
    rejected TEXT
) WITHOUT ROWID;
PRAGMA application_id=1936684148;
PRAGMA secure_delete=ON;
"""


def old_state(path: Path, version: int, url: str, n_delivered: int = 0) -> Report:
    """Make a state as an earlier version did, with a report of WIDE that waits, and others that were delivered."""
    secret = secrets.token_bytes(32)
    report = Report(secrets.token_bytes(16), mark_answers(WIDE, check_answers(WIDE, CHOSEN), secret))
    marks = "record" if version == 1 else "marks"
    insert = f"INSERT INTO ledger (fingerprint, survey_id, epsilon, day, receipt, secret, {marks}) "
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(LEDGERS[version] + BESIDE_THE_LEDGER + f"PRAGMA user_version={version};")
        if version == 3:
            connection.execute("ALTER TABLE outbox ADD COLUMN delay_until REAL NOT NULL DEFAULT 0")
        for number in range(n_delivered):
            row = (f"f{number}", "old", "0.01", "2026-01-01", f"r{number}", bytes(32), bytes(16))
            connection.execute(f"{insert} VALUES (?, ?, ?, ?, ?, ?, ?)", row)
        row = (WIDE.fingerprint, "wide", "16", "2026-01-02", report.receipt, secret, report.record)
        connection.execute(f"{insert} VALUES (?, ?, ?, ?, ?, ?, ?)", row)
        body = batch_body(WIDE, [report])
        connection.execute(
            "INSERT INTO outbox (receipt, url, survey_id, body, n_attempts) VALUES (?, ?, 'wide', ?, 3)",
            (report.receipt, url, body),
        )
        connection.execute("INSERT INTO surveys VALUES (?, 'wide', ?)", (url, WIDE.canonical))
        connection.commit()
    path.chmod(0o600)
    return report


@pytest.mark.parametrize("version", [1, 2, 3])
@pytest.mark.parametrize("n_delivered", [0, 200])  # one page, and many
def test_an_earlier_state_is_taken_over_whole_and_leaves_no_copy_of_a_secret(
    path: Path, version: int, n_delivered: int
) -> None:
    with fault_server(WIDE) as http:
        http.script = [Scripted(503)] * 1000
        report = old_state(path, version, http.url, n_delivered)
        before = {table: rows_of(path, table) for table in ("surveys", "ledger", "outbox")}
        with closing(SurveyClient(http.url, "wide", state=path, max_epsilon=50)) as device:
            assert device.answer(CHOSEN).id == report.receipt  # known by its record, as ever
        with closing(sqlite3.connect(path)) as connection:
            assert connection.execute("PRAGMA user_version").fetchone() == (10,)
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            names = {name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
        assert names == {"surveys", "ledger", "outbox", "doubts", "draws", "sent", "gateways", "tokens"}
        ledger = [(row[0], row[1], row[4], Decimal(row[5]), *row[6:-1]) for row in rows_of(path, "ledger")]
        told = [row[:-1] if version == 3 else row for row in before["ledger"]]
        assert ledger == [(row[0], row[1], row[-6], Decimal(row[-5]), *row[-4:]) for row in told]
        assert {len(row[5]) for row in rows_of(path, "ledger")} == {30}
        assert {(*row[2:4], row[-1]) for row in rows_of(path, "ledger")} == {(1, 1, b"")}
        assert rows_of(path, "surveys") == [(*row, 0) for row in before["surveys"]]
        assert [row[:4] for row in rows_of(path, "outbox")] == [row[:4] for row in before["outbox"]]
        assert {row[8:] for row in rows_of(path, "outbox")} == {
            (0, 0, 0, 0, 0, None, "")
        }  # no delay, no doubt, nothing kept, no relay
        secret = told[-1][-2]
        assert raw_of(path).count(secret) == 1
        http.script = []
        with SurveyClient(http.url, "wide", state=path) as device:
            assert device.flush(30)
        assert http.seen == {report.receipt}
    raw = raw_of(path)
    assert not [part for part in (secret[:8], secret[12:20], secret[24:], report.record) if part in raw]


@pytest.mark.parametrize("version", [1, 2, 3])
def test_many_processes_that_take_over_one_state_at_once_share_it(path: Path, version: int) -> None:
    report = old_state(path, version, "http://127.0.0.1:1", 20)
    script = "import sys; from sotto_client.state import State; State.open(sys.argv[1]).close()"
    started = [subprocess.Popen([sys.executable, "-W", "error", "-c", script, str(path)]) for _ in range(4)]
    assert [process.wait(timeout=300) for process in started] == [0] * 4
    assert len(rows_of(path, "ledger")) == 21
    assert rows_of(path, "ledger")[-1][7] == report.receipt


@pytest.mark.parametrize("version", [1, 2, 3])
def test_a_takeover_that_fails_leaves_the_state_as_it_was(
    path: Path, version: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    old_state(path, version, "http://127.0.0.1:1", 3)
    before = path.read_bytes()
    steps = (*_UPGRADES[version], "SELECT 1 FROM nowhere")
    monkeypatch.setitem(_UPGRADES, version, steps)
    with pytest.raises(StateError, match="no such table"):
        State.open(path)
    assert path.read_bytes() == before


def test_a_takeover_leaves_no_trace_of_the_wave_in_which_a_forgotten_answer_changed(path: Path) -> None:
    """Two devices of version 3: the one changed its answer in the second wave of four, the other in the third."""
    files = path.with_name("second.db"), path.with_name("third.db")
    for file, charges in zip(files, (["2.5", "2.5", "1.1", "0"], ["2.5", "1.1", "2.5", "0"]), strict=True):
        with closing(sqlite3.connect(file)) as connection:
            connection.executescript(LEDGERS[3] + BESIDE_THE_LEDGER + "PRAGMA user_version=3;")
            connection.execute("ALTER TABLE outbox ADD COLUMN delay_until REAL NOT NULL DEFAULT 0")
            insert = "INSERT INTO ledger VALUES (NULL, ?, ?, 4, 's', ?, '2026-01-01', ?, ?, ?, x'')"
            for wave, epsilon in enumerate(charges, 1):
                connection.execute(insert, ("f", wave, epsilon, f"r{wave}", bytes(32), bytes(64)))
            connection.execute(insert, ("g", 1, "2.25", "r9", b"s" * 32, b"m" * 64))
            connection.commit()
        with closing(State.open(file)) as state, state.read() as connection:
            entries = Ledger(connection).entries()
            assert [str(entry.epsilon) for entry in entries] == ["6.1"] * 4 + ["2.25"]
            assert [entry.is_summed for entry in entries] == [True] * 4 + [False]
    assert raw_of(files[0]) == raw_of(files[1])


def test_a_sum_is_not_summed_again_when_a_state_of_version_4_is_taken_over(path: Path) -> None:
    old_state(path, 3, "http://127.0.0.1:1", 3)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE ledger SET waves = 3, secret = zeroblob(32), marks = zeroblob(64)")
        connection.execute(
            "INSERT INTO ledger SELECT NULL, fingerprint, 2, 3, survey_id, epsilon, day, 'second', secret, marks, x'' "
            "FROM ledger WHERE survey_id = 'wide'"
        )
        connection.commit()
    State.open(path).close()
    with closing(sqlite3.connect(path)) as connection:  # as version 4 had it
        for column in ("unknown_s", "unknown_at", "days_left", "restored", "seen", "via"):
            connection.execute(f"ALTER TABLE outbox DROP COLUMN {column}")
        connection.execute("ALTER TABLE surveys DROP COLUMN restored")
        connection.executescript(
            "DROP TABLE doubts; DROP TABLE draws; DROP TABLE sent; DROP TABLE gateways; DROP TABLE tokens; "
            "PRAGMA user_version=4;"
        )
    before = rows_of(path, "ledger")
    assert [Decimal(row[5]) for row in before if row[4] == "wide"] == [32, 32]
    with closing(State.open(path)), closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (10,)
    assert rows_of(path, "ledger") == before
