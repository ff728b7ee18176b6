"""Where a SQLite file lies and how long it is: said only where it is so, however many look while it grows."""

import os
import sqlite3
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from collecting import count_here, make_reports, publish_here
from sotto_collector.errors import StoreUnavailableError
from sotto_collector.store import Store, place as place_module
from sotto_collector.store.place import Place, count_bytes
from sotto_collector.store.sqlite_engine import connect


@pytest.fixture
def store_file(tmp_path: Path, file_made: Path) -> Path:
    db = tmp_path / "survey.db"
    db.write_bytes(file_made.read_bytes())
    return db


@contextmanager
def looking(db: Path) -> Iterator[sqlite3.Connection]:
    """A connection with an open transaction, as one that checks the length must have."""
    with closing(connect(db, 5)) as connection:
        connection.execute("BEGIN")
        yield connection


def grow_log(db: Path) -> sqlite3.Connection:
    """Write pages that are in the log and not yet in the file; return the connection, which keeps the log there."""
    writer = connect(db, 5)
    writer.execute("PRAGMA wal_autocheckpoint = 0")
    writer.execute("CREATE TABLE IF NOT EXISTS filler (content BLOB)")
    writer.execute("INSERT INTO filler VALUES (zeroblob(100000))")
    return writer


def test_file_that_grows_while_one_looks_and_another_has_looked_was_not_cut(
    tmp_path: Path, file_made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first has measured; then the log goes into the file, and another thread sees how long that is now."""
    db = tmp_path / "survey.db"
    db.write_bytes(file_made.read_bytes())
    place, is_first = Place(db), [True]

    def measure(path: str) -> int:
        found = count_bytes(path)
        if path == str(db) and is_first.pop():
            is_first.append(False)
            assert writer.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()[0] == 0
            with looking(db) as other:
                place.check_length(other)
            assert count_bytes(path) > found
        else:
            is_first.append(False)
        return found

    with closing(grow_log(db)) as writer, looking(db) as one:
        monkeypatch.setattr(place_module, "count_bytes", measure)
        place.check_length(one)
        assert not place.is_shorter()


@pytest.mark.thorough
def test_many_readers_beside_a_writer_whose_log_is_folded_see_no_fault(store_file: Path) -> None:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with closing(Store(store_file)) as store, ThreadPoolExecutor(6) as pool:
            stored, is_over = publish_here(store), []

            def read() -> None:
                while not is_over:
                    store.find_survey("habits")

            reading = [pool.submit(read) for _ in range(5)]
            try:
                for _ in range(15):
                    count_here(store, stored, make_reports(300))
                    store.clean()
                store.rewrite()
            finally:
                is_over.append(True)
            for each in reading:
                each.result()
    finally:
        sys.setswitchinterval(before)


def test_file_that_was_cut_is_said_with_what_to_look_at_and_nothing_to_destroy(store_file: Path) -> None:
    with closing(Store(store_file)) as store:
        count_here(store, publish_here(store), make_reports(300))
        assert store.clean()
        store.check_writable(0)
        whole = store_file.read_bytes()
        n_bytes = len(whole)
        os.truncate(store_file, n_bytes // 2)
        with pytest.raises(StoreUnavailableError) as refused:
            store.check_writable(0)
        assert f"db ({store_file}) has {n_bytes // 2} bytes, but had {n_bytes}. " in str(refused.value)
        assert "Delete and restore nothing yet. Look at the file" in str(refused.value)
        assert "db restore" not in str(refused.value)
        store_file.write_bytes(whole)


def test_file_that_is_moved_while_its_length_is_asked_for_is_said_to_be_moved(
    store_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def measure(path: str) -> int:
        if store_file.exists():
            store_file.rename(store_file.with_name("kept.db"))
        return count_bytes(path)

    place = Place(store_file)
    with looking(store_file) as one:
        monkeypatch.setattr(place_module, "count_bytes", measure)
        with pytest.raises(StoreUnavailableError, match="was moved, removed or replaced; put the file back"):
            place.check_length(one)
