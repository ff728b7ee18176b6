"""What is special to SQLite: a private file, durable and forgetful, folded when closed, in the order of its keys."""

import os
import random
import sqlite3
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

import starting
from collecting import INVITED, STRINGS, SURVEY, TIMEOUT_S, count_here, make_batch, make_reports, publish_here
from raw_database import leaf_offsets, lies_by_key
from sotto_collector.errors import StoreError, StoreUnavailableError
from sotto_collector.intake.counting import Outcome, count_batches, prepare_batches
from sotto_collector.invitations import make_invitations, revoke_invitations
from sotto_collector.store import Store
from sotto_collector.store.recount import check_integrity
from sotto_collector.store.transaction import Transaction
from sotto_protocol import Report


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "survey.db"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    with closing(Store(path)) as opened:
        yield opened


def add_reports(store: Store, reports: list[Report]) -> None:
    count_here(store, publish_here(store), reports)


def read_pragma(store: Store, name: str) -> object:
    with store.transaction() as transaction:
        return transaction.connection.exec_driver_sql(f"PRAGMA {name}").scalar_one()


def test_file_is_readable_by_its_owner_alone(path: Path, store: Store) -> None:
    store.add_survey(SURVEY)
    found = list(path.parent.glob("survey.db*"))
    assert len(found) == 3  # the log and its index too
    assert {stat.S_IMODE(file.stat().st_mode) for file in found} == {0o600}


def test_empty_file_that_was_there_is_made_readable_by_its_owner_alone(path: Path) -> None:
    path.touch(0o644)
    Store(path).close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("name", "value"),
    [("synchronous", 2), ("journal_mode", "wal"), ("secure_delete", 1), ("foreign_keys", 1), ("temp_store", 2)],
)
def test_writing_connection_is_durable_and_forgets(store: Store, name: str, value: object) -> None:
    assert read_pragma(store, name) == value
    with pytest.raises(StoreUnavailableError), store.transaction() as transaction:
        transaction.connection.exec_driver_sql("SELECT no_such_function()")
    assert read_pragma(store, name) == value  # of the connection that takes the broken one's place too


def test_another_programs_database_is_refused_untouched(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE diary (entry TEXT)")
    before = path.read_bytes()
    with pytest.raises(StoreError, match="another program's"):
        Store(path)
    assert path.read_bytes() == before
    assert [found.name for found in tmp_path.iterdir()] == ["other.db"]


def test_file_that_is_no_database_is_refused_untouched(tmp_path: Path) -> None:
    path = tmp_path / "letter.txt"
    path.write_text("Dear diary, " * 100)
    with pytest.raises(StoreError, match="must be a sottovoce database"):
        Store(path)
    assert path.read_text() == "Dear diary, " * 100


@pytest.mark.parametrize("name", ["", "missing/survey.db"])
def test_path_that_cannot_be_a_file_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(StoreError, match="must be"):
        Store(tmp_path / name)


def test_path_must_not_be_empty() -> None:
    with pytest.raises(StoreError, match=r"^db must be the path of a file or postgresql://\.\.; it is empty\.$"):
        Store("")


def test_closing_folds_the_log_into_the_file(tmp_path: Path) -> None:
    store = Store(tmp_path / "survey.db")
    add_reports(store, make_reports(100))
    assert (tmp_path / "survey.db-wal").stat().st_size > 0
    store.close()
    assert [path.name for path in tmp_path.iterdir()] == ["survey.db"]


@pytest.mark.thorough
def test_rewritten_file_holds_rows_where_their_ids_say_and_not_where_they_came(path: Path) -> None:
    chance = random.Random(5)  # noqa: S311  # an order of arrival, no secret
    reports = [Report(chance.randbytes(16), report.record) for report in make_reports(300)]
    with closing(Store(path)) as store:
        for report in reports:
            add_reports(store, [report])
    before = leaf_offsets(path, reports)
    # Without the rewriting each page shows the order of arrival; of random ids 1 in 1,000 would leave one that was
    # just split, and shows none.
    assert not any(map(lies_by_key, before))
    with closing(Store(path)) as store:
        store.rewrite()
        check_integrity(store)
    after = leaf_offsets(path, reports)
    assert all(map(lies_by_key, after))
    assert len(after) > 1


def test_file_too_large_to_be_rewritten_in_time_is_said_to_be(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    assert store.is_small()
    monkeypatch.setattr("sotto_collector.store.store.MAX_REWRITE_BYTES", 4096)
    add_reports(store, make_reports(20))
    assert not store.is_small()


def test_file_that_cannot_be_rewritten_is_said_so_and_is_as_it_was(path: Path) -> None:
    with closing(Store(path, busy_timeout_ms=0)) as store:
        add_reports(store, make_reports(20))
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(StoreUnavailableError, match="cannot write now: database is locked"):
                store.rewrite()
        check_integrity(store)
        assert store.read_tally(publish_here(store)).n_reports == 20


def test_log_is_emptied_but_never_waits_for_a_reader_or_a_writer(path: Path, store: Store) -> None:
    log = Path(f"{path}-wal")
    add_reports(store, make_reports(5))
    with closing(sqlite3.connect(path, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM reports").fetchall()
        add_reports(store, make_reports(5))
        assert store.clean() is False
    with store.transaction():
        assert store.clean() is False
    assert log.stat().st_size > 0
    assert store.clean() is True
    assert log.stat().st_size == 0
    assert read_pragma(store, "busy_timeout") == 5000


def test_deleted_rows_leave_no_bytes_in_the_file(path: Path) -> None:
    with closing(Store(path)) as store:
        stored, reports = publish_here(store, STRINGS), make_reports(50, STRINGS)  # no two of whose reports are alike
        count_here(store, stored, reports)
        store.clean()
        assert reports[7].record in path.read_bytes()  # the search does find what is there
        assert store.erase_report(stored, reports[7].id)
        store.close_survey(stored.key)
        store.clean()
        assert reports[7].record not in path.read_bytes()
        store.erase_survey(stored.key)
    content = path.read_bytes()
    assert not any(report.id in content or report.record in content for report in reports)


def test_disk_with_too_little_room_is_said_not_to_be_writable(store: Store) -> None:
    store.check_writable(0)
    with pytest.raises(StoreUnavailableError, match="free disk space"):
        store.check_writable(2**60)


OPEN_AS_NOBODY = """
import os, sys
from pathlib import Path
import sotto_collector.store.sqlite
from sotto_collector.store import Store, TokenTable
if os.getuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
Store(Path(sys.argv[1]))
"""


def test_file_that_cannot_be_written_is_refused_at_once() -> None:
    """Not at the first report: SQLite itself would begin a transaction on it."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o777)
        db = Path(folder) / "survey.db"
        with closing(Store(db)) as store:
            publish_here(store)
        db.chmod(0o400)
        if os.getuid() == 0:  # whom no mode stops
            os.chown(db, 65534, 65534)
        command = [sys.executable, "-c", OPEN_AS_NOBODY, db]
        done = starting.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    assert f"db ({db}) must be a sottovoce database that can be written" in done.stderr


def test_what_is_committed_into_a_file_that_was_moved_meanwhile_is_not_acknowledged(tmp_path: Path) -> None:
    """A look before the transaction is too early, and the next one too late: that was answered by then."""
    db, kept = tmp_path / "survey.db", tmp_path / "kept.db"
    store = Store(db)
    stored = publish_here(store)
    reports = make_reports(10)

    def count(transaction: Transaction) -> None:
        count_batches(transaction, prepare_batches([make_batch(stored, reports)]))
        db.rename(kept)

    with pytest.raises(StoreUnavailableError, match="moved, removed or replaced"):
        store.run(count)
    kept.rename(db)
    assert count_here(store, stored, reports) == [Outcome(0, 10)]  # it went where the file was
    store.close()


def test_file_that_another_process_wrote_anew_and_shorter_is_no_fault(tmp_path: Path) -> None:
    """One that was cut short is, which nothing but the version of the schema tells apart."""
    db = tmp_path / "survey.db"
    with closing(Store(db)) as store, closing(Store(db)) as other:
        stored = publish_here(store)
        count_here(store, stored, make_reports(3000))
        assert store.clean()
        n_bytes = db.stat().st_size
        store.check_writable(0)
        other.close_survey(stored.key)
        other.erase_survey(stored.key)
        other.rewrite()
        assert other.clean()
        assert db.stat().st_size < n_bytes
        store.check_writable(0)
        assert store.list_surveys() == []


def test_file_is_as_large_as_what_is_in_it_and_is_small_again_once_that_was_deleted(store: Store) -> None:
    stored = publish_here(store, INVITED)
    before = store.count_bytes()
    make_invitations(store, stored, 20_000)
    assert store.count_bytes() > before + 20_000 * 32
    revoke_invitations(store, stored, None)
    assert store.count_bytes() < before + 2**16
