"""A copy that is taken while others write is an exact prefix; between SQLite and PostgreSQL nothing is lost."""

import shutil
import stat
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import select

from collecting import (
    INVITED,
    SMALL,
    STRINGS,
    SURVEY,
    TIMEOUT_S,
    check_store,
    count_here,
    invite_reports,
    make_reports,
    publish_here,
    tally_of,
)
from sotto_collector.errors import StoreError
from sotto_collector.intake.counting import Outcome
from sotto_collector.intake.writer import Writer
from sotto_collector.invitations import make_invitations
from sotto_collector.store import Store, TokenTable
from sotto_collector.store.copy import copy_store
from sotto_collector.store.schema import metadata
from sotto_collector.tokens import create_token


@pytest.fixture(params=["sqlite", "postgres"])
def target(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "postgres":
        return str(request.getfixturevalue("postgres_empty"))
    return str(tmp_path / "copy.db")


def fill(store: Store) -> None:
    """Store something of everything."""
    for survey in (SURVEY, STRINGS, SMALL):
        stored = publish_here(store, survey)
        count_here(store, stored, make_reports(40, survey, survey.waves))
    gone = publish_here(store)
    store.erase_report(gone, store.read_reports(gone)[0][0])
    stored = publish_here(store, INVITED)
    count_here(store, stored, invite_reports(store, stored, make_reports(10, INVITED)))
    make_invitations(store, stored, 7)
    store.set_survey(stored.key, cors_origins="https://a.example", reports_per_minute=7)
    store.close_survey(publish_here(store, SMALL).key)
    create_token(TokenTable(store), "analyst", "bob", survey_id="habits", expires_in_s=60)


def read_all(store: Store) -> dict[str, list[tuple[object, ...]]]:
    """Return every row of every table, in the order of the keys."""
    with store.reader() as connection:
        return {
            table.name: [tuple(row) for row in connection.execute(select(table).order_by(*table.primary_key.columns))]
            for table in metadata.sorted_tables
        }


@pytest.mark.later("postgres", "thorough")
def test_copy_has_every_row_and_is_a_store_of_its_own(store: Store, target: str) -> None:
    fill(store)
    told: list[int] = []
    n_rows = copy_store(store, target, told.append)
    with closing(Store(target)) as copy:
        content = read_all(copy)
        assert content == read_all(store)
        assert n_rows == sum(map(len, content.values())) == told[-1]
        stored = publish_here(copy, INVITED)
        assert count_here(copy, stored, invite_reports(copy, stored, make_reports(3, INVITED)))
        other = publish_here(copy, type(SMALL)("new", "New", SMALL.questions))  # its key is none that is taken
        assert count_here(copy, other, make_reports(3, other.survey)) == [Outcome(3, 0, 0)]
    check_store(target)


def test_copy_from_sqlite_to_postgresql_and_back_is_equal(file_made: Path, postgres_empty: str, tmp_path: Path) -> None:
    with closing(Store(tmp_path / "first.db")) as first:
        fill(first)
        before = read_all(first)
        copy_store(first, postgres_empty)
    with closing(Store(postgres_empty)) as second:
        assert read_all(second) == before
        copy_store(second, str(tmp_path / "third.db"))
    with closing(Store(tmp_path / "third.db")) as third:
        assert read_all(third) == before
    check_store(tmp_path / "third.db")


@pytest.mark.later("postgres", "thorough")
def test_copy_under_load_is_an_exact_prefix_of_what_each_client_sent(db: str, store: Store, target: str) -> None:
    stored = publish_here(store, SMALL)
    clients = [make_reports(2000, SMALL) for _ in range(3)]
    n_acknowledged, half_way, done = [0] * 3, threading.Semaphore(0), threading.Event()

    def send(number: int) -> None:
        with closing(Store(db)) as mine:
            for start in range(0, 2000, 10):
                count_here(mine, stored, clients[number][start : start + 10])
                n_acknowledged[number] = start + 10
                half_way.release()
                if done.is_set() and start > 200:
                    return

    with ThreadPoolExecutor(3) as pool:
        sending = [pool.submit(send, number) for number in range(3)]
        for _ in range(30):
            assert half_way.acquire(timeout=TIMEOUT_S)
        before = [*n_acknowledged]
        copy_store(store, target)
        after = [*n_acknowledged]
        done.set()
        for task in sending:
            task.result(TIMEOUT_S)
    with closing(Store(target)) as copy:
        copied = dict(copy.read_reports(publish_here(copy, SMALL)))
        prefixes = []
        for number, reports in enumerate(clients):
            n_copied = sum(report.id in copied for report in reports)
            assert before[number] <= n_copied <= after[number] + 10
            assert n_copied % 10 == 0
            prefixes += reports[:n_copied]
        assert copied == {report.id: report.record for report in prefixes}
        assert copy.read_tally(publish_here(copy, SMALL)) == tally_of(SMALL, prefixes)
    check_store(target)


def test_copied_file_is_private_and_tells_nothing_of_the_order_of_arrival(
    tmp_path: Path, file_made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same reports in another order, in other batches, by way of the inbox or not, make the same bytes."""
    monkeypatch.setattr("sotto_collector.store.transaction.secrets.randbelow", lambda _: 6)  # the survey's key
    reports, gone = make_reports(300, STRINGS), make_reports(1, STRINGS)[0]
    for name, arriving, n_batch in (("one", reports, 1), ("other", reports[::-1], 50)):
        with closing(Store(shutil.copy(file_made, tmp_path / f"{name}.db"))) as store:  # of one identity
            stored = publish_here(store, STRINGS)
            count_here(store, stored, [gone])
            for start in range(0, 300, n_batch):
                count_here(store, stored, arriving[start : start + n_batch])
            with closing(Writer(store, max_queued_reports=1000)) as writer:
                writer.tidy()
            store.erase_report(stored, gone.id)
            copy_store(store, str(tmp_path / f"{name}.copy"))
    one, other = tmp_path / "one.copy", tmp_path / "other.copy"
    assert one.read_bytes() == other.read_bytes()
    assert gone.record not in one.read_bytes()
    assert stat.S_IMODE(one.stat().st_mode) == 0o600
    assert len([*tmp_path.glob("*.copy*")]) == 2


@pytest.mark.later("postgres", "thorough")
def test_copy_into_what_is_there_is_refused(store: Store, target: str, tmp_path: Path) -> None:
    fill(store)
    with closing(Store(target)) as taken:
        publish_here(taken)
    with pytest.raises(StoreError, match=r"must be a new file; there is one|it is not empty"):
        copy_store(store, target)
    with closing(Store(target)) as taken:
        assert [stored.survey.id for stored in taken.list_surveys()] == ["habits"]
        assert TokenTable(taken).list() == []


def test_copy_that_was_interrupted_leaves_no_file_and_can_be_taken_again(store: Store, tmp_path: Path) -> None:
    fill(store)
    path = tmp_path / "copy.db"

    def interrupt(n_rows: int) -> None:
        if n_rows > 50:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        copy_store(store, str(path), interrupt)
    assert not path.exists()
    assert copy_store(store, str(path)) > 50
    check_store(path)
    assert sorted(found.name for found in tmp_path.iterdir() if found.name.startswith("copy")) == ["copy.db"]
