"""The store's file: made once, recognised, refused when foreign, and true to its reports."""

import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from collecting import SMALL, SURVEY, make_batch, make_reports, publish_here
from sotto_collector.errors import StoreError, StoreUnavailableError, SurveyExistsError
from sotto_collector.store import Store, StoredToken
from sotto_collector.writer import Batch, count_batches
from sotto_protocol import Report, Tally, compile_toml


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with closing(Store(tmp_path / "survey.db")) as opened:
        yield opened


def add_reports(store: Store, reports: list[Report]) -> None:
    batch = make_batch(publish_here(store), reports)
    with store.transaction() as transaction:
        count_batches(transaction, [batch])


def count_and_fail(store: Store, batch: Batch) -> None:
    with store.transaction() as transaction:
        count_batches(transaction, [batch])
        transaction._connection.execute("SELECT no_such_function()")


def read_pragma(store: Store, name: str) -> object:
    with store.transaction() as transaction:
        return transaction._connection.execute(f"PRAGMA {name}").fetchone()[0]


def test_file_is_readable_by_its_owner_alone(store: Store) -> None:
    store.add_survey(SURVEY)
    for path in store.path.parent.glob("survey.db*"):  # the log and its index too
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("name", "value"),
    [("synchronous", 2), ("journal_mode", "wal"), ("secure_delete", 1), ("foreign_keys", 1), ("temp_store", 2)],
)
def test_writing_connection_is_durable_and_forgets(store: Store, name: str, value: object) -> None:
    assert read_pragma(store, name) == value


def test_reopened_file_has_what_was_stored(store: Store) -> None:
    reports = make_reports(50)
    add_reports(store, reports)
    with closing(Store(store.path)) as again:
        stored = publish_here(again)
        assert stored.survey.canonical == SURVEY.canonical
        assert dict(again.read_reports(stored)) == {report.id: report.record for report in reports}


def test_newer_schema_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "survey.db"
    Store(path).close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 2")
    with pytest.raises(StoreError, match="must have schema 1; it has 2, which a newer sottovoce wrote"):
        Store(path)


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


def test_same_survey_is_stored_once(store: Store) -> None:
    assert store.add_survey(SURVEY) is True
    assert store.add_survey(SURVEY) is False
    assert [found.survey.id for found in store.list_surveys()] == ["habits"]


def test_other_survey_of_the_same_id_is_refused(store: Store) -> None:
    store.add_survey(SURVEY)
    other = compile_toml(
        'id = "habits"\ntitle = "x"\nquestions = [{id = "a", type = "yes-no", text = "?", epsilon = 1}]'
    )
    with pytest.raises(SurveyExistsError):
        store.add_survey(other)
    assert publish_here(store).survey.fingerprint == SURVEY.fingerprint


def test_tally_is_the_sum_of_all_transactions(store: Store) -> None:
    store.add_survey(SMALL)
    every = make_reports(700)
    for start in range(0, 700, 70):
        add_reports(store, every[start : start + 70])
    stored = publish_here(store)
    expected = Tally.of(SURVEY, make_batch(stored, every).records)
    assert store.read_tally(stored) == expected == store.recount(stored)
    assert store.read_tally(publish_here(store, SMALL)).n_reports == 0


def test_integrity_check_finds_a_tally_that_differs_from_its_reports(store: Store) -> None:
    add_reports(store, make_reports(20))
    store.check_integrity()
    with store.transaction() as transaction:
        transaction._connection.execute("DELETE FROM reports WHERE report_id = (SELECT min(report_id) FROM reports)")
    with pytest.raises(StoreError, match="tally of habits differs"):
        store.check_integrity()


def test_error_inside_a_transaction_leaves_nothing_behind_and_the_next_one_works(store: Store) -> None:
    reports = make_reports(10)
    add_reports(store, reports)
    stored = publish_here(store)
    batch = make_batch(stored, make_reports(5))
    with pytest.raises(StoreUnavailableError):
        count_and_fail(store, batch)
    assert len(store.read_reports(stored)) == store.read_tally(stored).n_reports == 10
    add_reports(store, make_reports(5))
    assert store.recount(stored).n_reports == store.read_tally(stored).n_reports == 15


def test_closing_folds_the_log_into_the_file(tmp_path: Path) -> None:
    store = Store(tmp_path / "survey.db")
    add_reports(store, make_reports(100))
    assert (tmp_path / "survey.db-wal").stat().st_size > 0
    store.close()
    assert [path.name for path in tmp_path.iterdir()] == ["survey.db"]


def leaf_offsets(path: Path, reports: list[Report]) -> list[list[int]]:
    """Return, of each leaf of the file that holds reports, where its cells lie, in the order of their keys.

    Of SQLite's file format: a leaf's type is 10, its cells' number is at byte 3, their offsets follow from byte 8.
    """
    content = path.read_bytes()
    size = int.from_bytes(content[16:18], "big")
    pages = [content[start : start + size] for start in range(size, len(content), size)]
    leaves = [page for page in pages if page[0] == 10 and any(report.id in page for report in reports)]
    n_cells = [int.from_bytes(leaf[3:5], "big") for leaf in leaves]
    return [
        [int.from_bytes(leaf[8 + 2 * cell : 10 + 2 * cell], "big") for cell in range(n)]
        for leaf, n in zip(leaves, n_cells, strict=True)
    ]


def lies_by_key(offsets: list[int]) -> bool:
    """Return whether a page is filled in the order of its keys, from its end on; of 4 rows 1 in 24 does by chance."""
    return len(offsets) > 3 and offsets == sorted(offsets, reverse=True)


def test_rewritten_file_holds_rows_where_their_ids_say_and_not_where_they_came(tmp_path: Path) -> None:
    path, reports = tmp_path / "survey.db", make_reports(300)
    with closing(Store(path)) as store:
        for report in reports:
            add_reports(store, [report])
    before = leaf_offsets(path, reports)
    assert not any(map(lies_by_key, before))  # without the rewriting each page shows the order of arrival
    with closing(Store(path)) as store:
        store.rewrite()
        store.check_integrity()
    after = leaf_offsets(path, reports)
    assert all(map(lies_by_key, after))
    assert len(after) > 1


def test_file_too_large_to_be_rewritten_in_time_is_left_as_it_is(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sotto_collector.store.MAX_REWRITE_BYTES", 4096)
    for report in make_reports(20):
        add_reports(store, [report])
    assert store.fold_log()
    before = store.path.read_bytes()
    store.rewrite()
    assert store.fold_log()
    assert store.path.read_bytes() == before


def test_file_that_cannot_be_rewritten_is_said_so_and_is_as_it_was(tmp_path: Path) -> None:
    path, reports = tmp_path / "survey.db", make_reports(20)
    with closing(Store(path, busy_timeout_ms=0)) as store:
        add_reports(store, reports)
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(
                StoreUnavailableError, match="not rewritten in the order of its keys: database is locked"
            ):
                store.rewrite()
        store.check_integrity()
        assert store.read_tally(publish_here(store)).n_reports == 20


def test_log_is_emptied_but_never_waits_for_a_reader_or_a_writer(store: Store) -> None:
    log = Path(f"{store.path}-wal")
    add_reports(store, make_reports(5))
    with closing(sqlite3.connect(store.path, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM reports").fetchall()
        add_reports(store, make_reports(5))
        assert store.fold_log() is False
    with store.transaction():
        assert store.fold_log() is False
    assert log.stat().st_size > 0
    assert store.fold_log() is True
    assert log.stat().st_size == 0
    assert read_pragma(store, "busy_timeout") == 5000


def test_path_must_not_be_empty() -> None:
    with pytest.raises(StoreError, match=r"^db must be the path of a file; it is empty\.$"):
        Store("")


def test_two_stores_may_write_to_one_file(store: Store) -> None:
    with closing(Store(store.path)) as other:
        for _ in range(5):
            add_reports(store, make_reports(3))
            add_reports(other, make_reports(3))
    store.check_integrity()
    assert store.read_tally(publish_here(store)).n_reports == 30


def test_tokens_are_kept_as_hashes_until_removed(store: Store) -> None:
    token = StoredToken(b"h" * 32, "analyst", "bob")
    store.add_token(token)
    assert (store.find_role(b"h" * 32), store.find_role(b"x" * 32)) == ("analyst", None)
    assert store.list_tokens() == [token]
    store.remove_token(b"h" * 32)
    assert store.list_tokens() == []


def test_disk_with_too_little_room_is_said_not_to_be_writable(store: Store) -> None:
    store.check_writable(0)
    with pytest.raises(StoreUnavailableError, match="free disk space"):
        store.check_writable(2**60)
