"""The device's state file: private, small, shared safely, and with nothing true in it."""

import os
import shutil
import sqlite3
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from devices import ANSWERS, LUNCH, WIDE, rows_of, yes_no
from fault_server import FaultServer, Scripted, fault_server
from sotto_client import Receipt, StateError, SurveyClient
from sotto_client.state import State, _make_file, default_path

TABLES = ("device", "surveys", "ledger", "outbox")


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
def test_only_the_owner_can_read_the_file_its_folder_and_its_journal(tmp_path: Path) -> None:
    path = tmp_path / "new" / "device.db"
    state = State.open(path)
    with state.write() as connection:
        connection.execute("INSERT INTO surveys VALUES ('u', 's', x'00')")
        [journal] = path.parent.glob("device.db-*")
        assert mode_of(journal) == 0o600
    assert (mode_of(path), mode_of(path.parent)) == (0o600, 0o700)
    assert [file.name for file in path.parent.iterdir()] == ["device.db"]


@pytest.mark.usefixtures("any_mode")
def test_a_file_that_others_could_read_is_made_private(path: Path) -> None:
    path.touch(0o666)
    secret = State.open(path).secret
    assert mode_of(path) == 0o600
    path.chmod(0o644)
    assert State.open(path).secret == secret
    assert mode_of(path) == 0o600


@pytest.mark.usefixtures("any_mode")
def test_a_file_is_never_open_to_others_not_even_while_it_is_empty(path: Path) -> None:
    assert mode_of(_make_file(path, create=True)) == 0o600
    assert path.read_bytes() == b""


def test_whoever_comes_second_in_making_a_state_keeps_the_firsts_secret(path: Path) -> None:
    state = State.open(path)
    state._initialise()  # as one does who saw the file empty, and then had to wait for the other's transaction
    assert State.open(path).secret == state.secret


def test_the_secret_is_drawn_once_and_differs_between_devices(path: Path, tmp_path: Path) -> None:
    first = State.open(path)
    assert len(first.secret) == 32
    assert State.open(path).secret == first.secret
    assert State.open(tmp_path / "other.db").secret != first.secret
    assert State.open(":memory:").secret != State.open(":memory:").secret


def test_a_state_is_synced_and_forgets_what_is_deleted(path: Path) -> None:
    with State.open(path).read() as connection:
        settings = [connection.execute(f"PRAGMA {name}").fetchone()[0] for name in SETTINGS]
    assert dict(zip(SETTINGS, settings, strict=True)) == SETTINGS


SETTINGS = {"synchronous": 2, "secure_delete": 1, "journal_mode": "delete", "temp_store": 2}


def foreign_database(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE theirs (x)")


def text_file(path: Path) -> None:
    path.write_text("dear diary, " * 100)


def newer_state(path: Path) -> None:
    State.open(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version=2")


def torn_state(path: Path) -> None:
    State.open(path)
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
        (newer_state, "version 2; this sottovoce knows version 1"),
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


def test_the_default_place_follows_the_xdg_specification(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "xdg"))
    assert default_path() == tmp_path / "xdg" / "sottovoce" / "device.db"
    monkeypatch.setenv("XDG_STATE_HOME", "relative")
    assert default_path() == tmp_path / ".local" / "state" / "sottovoce" / "device.db"
    monkeypatch.delenv("XDG_STATE_HOME")
    assert State.open().name == str(default_path())
    assert default_path().is_file()


def test_a_block_that_raises_changes_nothing(path: Path) -> None:
    for state in (State.open(path), State.open(":memory:")):
        with pytest.raises(StateError, match="no such table"), state.write() as connection:
            connection.execute("INSERT INTO surveys VALUES ('u', 's', x'00')").execute("SELECT 1 FROM nowhere")
        with state.read() as connection:
            assert connection.execute("SELECT count(*) FROM surveys").fetchone() == (0,)
        state.close()


def test_many_processes_that_create_one_state_at_once_agree_on_its_secret(path: Path) -> None:
    script = f"from sotto_client.state import State; print(State.open({str(path)!r}).secret.hex())"
    started = [subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) for _ in range(6)]
    secrets = {process.communicate(timeout=60)[0] for process in started}
    assert all(process.returncode == 0 for process in started)
    assert len(secrets) == 1
    assert len(secrets.pop()) == 65


@pytest.mark.parametrize("kind", ["file", ":memory:"])
def test_threads_take_turns(path: Path, kind: str) -> None:
    state = State.open(path if kind == "file" else kind)

    def add() -> None:
        for _ in range(20):
            with state.write() as connection:
                [(count,)] = connection.execute("SELECT count(*) FROM surveys")
                connection.execute("INSERT INTO surveys VALUES ('u', ?, x'00')", (str(count),))

    threads = [threading.Thread(target=add) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with state.read() as connection:
        assert connection.execute("SELECT count(*) FROM surveys").fetchone() == (80,)
    state.close()


# Promise P1: no true answer is on disk.


def answer(http: FaultServer, path: Path, answers: dict[str, Any]) -> tuple[Receipt, bytes]:
    """Answer with the collector away; return the receipt and the file's bytes."""
    with closing(SurveyClient(http.url, "q", state=path)) as device:
        receipt = device.answer(answers)
    return receipt, path.read_bytes()


def test_two_devices_with_one_secret_and_one_noise_hold_the_same_whatever_the_truth_was(tmp_path: Path) -> None:
    """Devices are drawn until yes and no give the same noise: 3 of 8 do, so 60 all fail with probability 1e-12."""
    with fault_server(yes_no("q", "0.1")) as http:
        http.script = [Scripted(503, headers={"Retry-After": "0"})] * 1000
        for number in range(60):
            yes, no = tmp_path / f"{number}-yes.db", tmp_path / f"{number}-no.db"
            State.open(yes)
            shutil.copy(yes, no)
            (yes_receipt, _), (no_receipt, _) = answer(http, yes, {"q": True}), answer(http, no, {"q": False})
            if rows_of(yes, "ledger")[0][-1] == rows_of(no, "ledger")[0][-1]:
                break
        else:
            raise AssertionError("no device had the same noise for yes and no")
    for table in TABLES:
        as_yes = repr(rows_of(yes, table)).replace(yes_receipt.id, no_receipt.id)
        # A failed attempt's own moment is in the outbox: it depends on the clock, not on the answer.
        as_no = repr(rows_of(no, table))
        if table == "outbox":
            as_yes, as_no = as_yes.partition("}]}'")[0], as_no.partition("}]}'")[0]
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
    assert chosen not in repr([rows_of(path, table) for table in ("device", "ledger", "outbox")])
    for written in (encoded.tobytes(), encoded.astype(">u2").tobytes(), np.packbits(encoded).tobytes()):
        assert written not in raw


def test_an_acknowledged_report_is_wiped_from_the_outbox(path: Path) -> None:
    with fault_server(LUNCH) as http:
        with SurveyClient(http.url, "lunch", state=path) as device:
            device.answer(ANSWERS)
        [post] = http.posts
    assert rows_of(path, "outbox") == []
    assert post.body not in path.read_bytes()
    assert b'"reports":[' not in path.read_bytes()
