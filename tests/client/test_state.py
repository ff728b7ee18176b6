"""The device's state file: private, small, shared safely, and with nothing true in it."""

import errno
import os
import random
import secrets
import sqlite3
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from datetime import date
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from devices import ANSWERS, CHOSEN, LUNCH, WIDE, raw_of, rows_of, yes_no
from fault_server import FaultServer, Scripted, fault_server
from sotto_client import StateError, SurveyClient
from sotto_client.ledger import Entry, Ledger, Limits
from sotto_client.outbox import Outbox
from sotto_client.reporting import check_answers, mark_answers
from sotto_client.state import State, _make_file, default_path
from sotto_protocol import Problem


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "device.db"


@pytest.fixture
def any_mode() -> Iterator[None]:
    """A process whose umask lets everybody read its files."""
    before = os.umask(0)
    yield
    os.umask(before)


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.usefixtures("any_mode")
def test_only_the_owner_can_read_the_file_its_folder_and_its_journal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "home"))
    path = tmp_path / "home" / "sottovoce" / "device.db"
    with closing(State.open()) as state, state.write() as connection:
        connection.execute("INSERT INTO surveys VALUES ('u', 's', x'00', 0)")
        [journal] = path.parent.glob("device.db-*")
        assert journal.stat().st_size > 0
        assert mode_of(journal) == 0o600
    assert (mode_of(path), mode_of(path.parent)) == (0o600, 0o700)
    assert {file.name: file.stat().st_size for file in path.parent.iterdir() if file != path} == {journal.name: 0}


def test_a_path_that_is_given_makes_no_folder(tmp_path: Path) -> None:
    """A mistyped one would begin a new device, with all of its budget left, and answer once more."""
    with pytest.raises(StateError, match=r"a/b/device\.db cannot be created: there is no folder .*a/b\.$"):
        State.open(tmp_path / "a" / "b" / "device.db")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("any_mode")
def test_a_file_that_others_could_read_is_made_private(path: Path) -> None:
    path.touch(0o666)
    for _ in range(2):  # an empty file, and a state
        State.open(path).close()
        assert mode_of(path) == 0o600
        path.chmod(0o644)


@pytest.mark.usefixtures("any_mode")
def test_a_file_is_never_open_to_others_not_even_while_it_is_empty(path: Path) -> None:
    assert mode_of(_make_file(path, create=True)) == 0o600
    assert path.read_bytes() == b""


def test_whoever_comes_second_in_making_a_state_keeps_the_firsts(path: Path) -> None:
    with closing(State.open(path)) as state:
        with state.write() as connection:
            connection.execute("INSERT INTO surveys VALUES ('u', 's', x'00', 0)")
        with closing(sqlite3.connect(path, isolation_level=None)) as late:
            state._upgrade(late)  # as one does who saw the file empty, and then had to wait for the other
    assert rows_of(path, "surveys") == [("u", "s", b"\0", 0)]


def test_a_state_is_synced_and_forgets_what_is_deleted(path: Path) -> None:
    with closing(State.open(path)) as state, state.read() as connection:
        settings = [connection.execute(f"PRAGMA {name}").fetchone()[0] for name in SETTINGS]
    assert dict(zip(SETTINGS, settings, strict=True)) == SETTINGS


SETTINGS = {"synchronous": 2, "secure_delete": 1, "journal_mode": "truncate", "temp_store": 2}


def foreign_database(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE theirs (x)")


def text_file(path: Path) -> None:
    path.write_text("dear diary, " * 100)


def newer_state(path: Path) -> None:
    State.open(path).close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version=11")


def torn_state(path: Path) -> None:
    State.open(path).close()
    path.write_bytes(path.read_bytes()[:5000])


def folder_in_the_way(path: Path) -> None:
    path.mkdir()


def pipe_in_the_way(path: Path) -> None:
    os.mkfifo(path)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (foreign_database, "another program"),
        (text_file, "not a database"),
        (newer_state, "version 11; this sottovoce knows 1 to 10"),
        (torn_state, "cannot be used"),
        (folder_in_the_way, "must be a file"),
        (pipe_in_the_way, "must be a file"),
    ],
)
def test_what_is_not_a_state_of_ours_is_refused_by_name_and_left_alone(path: Path, make: Any, message: str) -> None:
    make(path)
    path.chmod(0o755)
    before = path.read_bytes() if path.is_file() else b""
    with pytest.raises(StateError, match=message) as caught:
        State.open(path)
    assert str(path) in str(caught.value)
    assert mode_of(path) == 0o755
    assert (path.read_bytes() if path.is_file() else b"") == before


def test_a_state_that_cannot_be_made_is_an_error_that_names_it(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for path in (tmp_path / "file" / "device.db", tmp_path / ("x" * 300)):
        with pytest.raises(StateError, match="cannot be created"):
            State.open(path)
    with pytest.raises(StateError, match="must be a file that is there"):
        State.open(tmp_path / "none.db", create=False)
    assert [file.name for file in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize(("create", "problem"), [(True, "created"), (False, "read")])
def test_a_state_in_a_closed_folder_is_an_error_that_names_it(
    path: Path, create: bool, problem: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the system refuses it; an administrator is not refused, whatever the folder's mode."""
    usual = Path.stat

    def stat(asked: Path, **options: Any) -> os.stat_result:
        if asked == path:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        return usual(asked, **options)

    monkeypatch.setattr(Path, "stat", stat)
    with pytest.raises(StateError, match=rf"device\.db cannot be {problem} \(Permission denied\)\."):
        State.open(path, create=create)


def test_the_default_place_follows_the_xdg_specification(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "xdg"))
    assert default_path() == tmp_path / "xdg" / "sottovoce" / "device.db"
    monkeypatch.setenv("XDG_STATE_HOME", "relative")
    assert default_path() == tmp_path / ".local" / "state" / "sottovoce" / "device.db"
    monkeypatch.delenv("XDG_STATE_HOME")
    with closing(State.open()) as state:
        assert state.name == str(default_path())
    assert default_path().is_file()


def test_a_block_that_raises_changes_nothing(path: Path) -> None:
    for state in (State.open(path), State.open(":memory:")):
        with pytest.raises(StateError, match="no such table"), state.write() as connection:
            connection.execute("INSERT INTO surveys VALUES ('u', 's', x'00', 0)").execute("SELECT 1 FROM nowhere")
        with state.read() as connection:
            assert connection.execute("SELECT count(*) FROM surveys").fetchone() == (0,)
        state.close()


def test_many_processes_that_create_one_state_at_once_share_it(path: Path) -> None:
    script = """if True:
        import os, sys
        from sotto_client.state import State
        with State.open(sys.argv[1]).write() as connection:
            connection.execute("INSERT INTO surveys VALUES ('u', ?, x'00', 0)", (str(os.getpid()),))
    """
    started = [subprocess.Popen([sys.executable, "-W", "error", "-c", script, str(path)]) for _ in range(6)]
    assert [process.wait(timeout=300) for process in started] == [0] * 6
    assert len(rows_of(path, "surveys")) == 6


@pytest.mark.parametrize("kind", ["file", ":memory:"])
def test_threads_take_turns(path: Path, kind: str) -> None:
    state = State.open(path if kind == "file" else kind)

    def add() -> None:
        for _ in range(20):
            with state.write() as connection:
                [(count,)] = connection.execute("SELECT count(*) FROM surveys")
                connection.execute("INSERT INTO surveys VALUES ('u', ?, x'00', 0)", (str(count),))

    threads = [threading.Thread(target=add) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with state.read() as connection:
        assert connection.execute("SELECT count(*) FROM surveys").fetchone() == (80,)
    state.close()


def test_a_closed_state_says_so_and_closing_again_does_no_harm(path: Path) -> None:
    for state in (State.open(path), State.open(":memory:")):
        state.close()
        state.close()
        with pytest.raises(StateError, match="is closed"), state.read():
            pass


FORK = """if True:
    import os, sys, threading
    from sotto_client import StateError
    from sotto_client.state import State

    def put(state, name):
        with state.write() as connection:
            connection.execute("INSERT INTO surveys VALUES ('u', ?, x'00', 0)", (name,))

    def put_all(state):
        for number in range(50):
            put(state, f"thread {number}")

    shared, unused, memory = State.open(sys.argv[1]), State.open(sys.argv[1]), State.open(":memory:")
    thread = threading.Thread(target=put_all, args=(shared,))
    thread.start()
    for number in range(10):
        if os.fork() == 0:
            put(shared, f"child {number}")
            try:
                put(memory, "x")
            except StateError as fault:
                assert "left to the process" in str(fault)
                memory.close()
                sys.exit(0)  # lets Python finalise what was inherited, used or not
            sys.exit(1)
    thread.join()
    put(memory, "x")
    assert all(os.wait()[1] == 0 for _ in range(10))
"""


def test_children_forked_amid_transactions_share_a_file_but_no_connection(path: Path) -> None:
    subprocess.run([sys.executable, "-W", "error", "-c", FORK, str(path)], check=True, timeout=300)
    names = {name for _, name, _, _ in rows_of(path, "surveys")}
    assert names == {f"thread {number}" for number in range(50)} | {f"child {number}" for number in range(10)}
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


# Promise P1: no true answer is on disk.


def first_of(drawn: bytes, n_bytes: int) -> bytes:
    return drawn[:n_bytes]


def marks_of(path: Path) -> bytes:
    [(*_, marks, _invitation)] = rows_of(path, "ledger")
    return bytes(marks)


def answer(http: FaultServer, path: Path, answers: dict[str, Any]) -> None:
    """Answer with the collector away."""
    with closing(SurveyClient(http.url, "q", state=path)) as device:
        device.answer(answers)


def test_two_devices_with_one_secret_and_one_noise_hold_the_same_whatever_the_truth_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Secrets are drawn until yes and no give the same noise: 3 of 8 do, so 60 all fail with probability 1e-12."""
    monkeypatch.setattr("sotto_client.answering.today", lambda: date(2026, 1, 1))  # also where midnight lies between
    with fault_server(yes_no("q", "0.1")) as http:
        http.script = [Scripted(503)] * 1000
        for number in range(60):
            monkeypatch.setattr(os, "urandom", partial(first_of, secrets.token_bytes(32)))
            yes, no = tmp_path / f"{number}-yes.db", tmp_path / f"{number}-no.db"
            answer(http, yes, {"q": True})
            answer(http, no, {"q": False})
            if marks_of(yes) == marks_of(no):
                break
        else:
            raise AssertionError("no device had the same noise for yes and no")
    for table in ("surveys", "ledger"):
        assert rows_of(yes, table) == rows_of(no, table)
    # How often it was attempted, and when next, is in the outbox too: that depends on the clock, not on the answer.
    as_yes, as_no = ([(*row[:4], *row[6:]) for row in rows_of(path, "outbox")] for path in (yes, no))
    assert as_yes == as_no


def test_a_chosen_option_is_nowhere_but_in_the_cached_survey(path: Path) -> None:
    chosen = WIDE.questions[0].options[17]
    encoded = WIDE.questions[0].encode([chosen])
    with fault_server(WIDE) as http:
        http.script = [Scripted(503)] * 100
        with closing(SurveyClient(http.url, "wide", state=path, max_epsilon=50)) as device:
            device.answer({"which": [chosen]})
        raw = path.read_bytes()
    assert raw.count(chosen.encode()) <= WIDE.canonical.count(chosen.encode()) == 1
    assert chosen in repr(rows_of(path, "surveys"))
    assert chosen not in repr([rows_of(path, table) for table in ("ledger", "outbox")])
    for written in (encoded.tobytes(), encoded.astype(">u2").tobytes(), np.packbits(encoded).tobytes()):
        assert written not in raw


def test_an_acknowledged_report_is_wiped_from_the_outbox(path: Path) -> None:
    with fault_server(LUNCH) as http:
        with SurveyClient(http.url, "lunch", state=path) as device:
            device.answer(ANSWERS)
            assert device.flush(30)
        [post] = http.posts
    assert rows_of(path, "outbox") == []
    assert post.body not in path.read_bytes()
    assert b'"reports":[' not in path.read_bytes()


# Promise P1 in substance: what is delivered is forgotten.


def fitting_secrets(raw: bytes, record: bytes) -> set[bytes]:
    """Try everything in a file as the secret, as one does who guesses the answers; return what gives the record."""
    encoded = check_answers(WIDE, CHOSEN)
    candidates = {raw[start : start + 32] for start in range(len(raw) - 31)}
    return {
        candidate
        for candidate in candidates
        if len(set(candidate)) >= 20  # 32 random bytes have fewer different ones with a probability below 1e-11
        and mark_answers(WIDE, encoded, candidate) == record
    }


@pytest.mark.parametrize("status", [200, 409])
def test_a_state_tells_who_guesses_the_answers_nothing_once_the_report_is_settled(path: Path, status: int) -> None:
    with fault_server(WIDE) as http:
        http.script = [Scripted(503)] * 1000
        with closing(SurveyClient(http.url, "wide", state=path, max_epsilon=50)) as device:
            device.answer(CHOSEN)
            [made] = device._answering.made.values()
        assert made.secret is not None
        assert made.marks is not None
        assert fitting_secrets(raw_of(path), made.marks) == {made.secret}  # a device that waits can be asked
        refusal = Scripted(409, Problem(409, "survey_closed", "Closed.").to_json())
        http.script = [refusal] if status == 409 else []
        with SurveyClient(http.url, "wide", state=path) as device:
            assert device.flush(30)
            assert len(device.rejected) == (status == 409)
    raw = raw_of(path)
    assert fitting_secrets(raw, made.marks) == set()
    assert made.secret not in raw
    assert made.marks not in raw
    [(_, fingerprint, _, _, survey_id, epsilon, _, receipt, secret, record, _)] = rows_of(path, "ledger")
    assert (fingerprint, survey_id, Decimal(epsilon), receipt) == (WIDE.fingerprint, "wide", 16, made.receipt)
    assert (secret, record) == (bytes(32), bytes(len(made.marks)))


def test_no_copy_of_a_forgotten_secret_or_mark_stays_behind_in_a_file_that_grows(path: Path) -> None:
    chance = random.Random(48)  # noqa: S311  # an order of events, no secret
    waiting: dict[str, bytes] = {}
    forgotten: list[bytes] = []
    with closing(State.open(path)) as state:
        for number in range(150):
            secret = secrets.token_bytes(32)
            marks = secrets.token_bytes(32 * chance.choice([1, 2, 40, 400]))  # some are longer than a page
            numbers = chance.choice([(1, 1), (2, 2), (2, 3)])
            made = Entry(f"f{number}", *numbers, "s", Decimal(1), date(2026, 1, 1), f"r{number}", secret, marks)
            with state.write() as connection:
                Ledger(connection).charge(made, Limits.of(1000, 1000, 1))
                Outbox(connection).put(made.receipt, "u", "s", b"x" * chance.randint(20, 3000))
            is_last = numbers != (2, 3)
            if is_last:
                waiting[made.receipt] = secret + marks
            if waiting and chance.random() < 0.7:
                receipt = chance.choice(list(waiting))
                forgotten.append(waiting.pop(receipt))
                with state.write() as connection:
                    Ledger(connection).settle(receipt)
                    Outbox(connection).acknowledge(receipt)
    raw = raw_of(path)
    assert len(forgotten) > 50
    assert all(known[:32] in raw for known in waiting.values())
    parts = {known[at : at + 8] for known in forgotten for at in range(0, len(known) - 7, 12)}
    assert not [at for at in range(len(raw)) if raw[at : at + 8] in parts]


def test_showing_a_state_makes_none_of_an_empty_file(tmp_path: Path) -> None:
    empty = tmp_path / "device.db-journal"
    empty.touch()
    with pytest.raises(StateError, match="is empty"):
        State.open(empty, create=False)
    assert empty.read_bytes() == b""
