"""What is special to PostgreSQL: stores that share it, hidden columns, faults that pass, passwords."""

import random
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from typing import Any
from urllib.parse import unquote

import psycopg
import pytest
from sqlalchemy import make_url

from collecting import (
    INVITED,
    SMALL,
    SURVEY,
    TIMEOUT_S,
    count_here,
    invite_reports,
    make_batch,
    make_reports,
    publish_here,
    tally_of,
)
from postgres_server import postgres_server
from raw_database import correlate_ranks, read_hidden
from sotto_collector.errors import StoreError, StoreUnavailableError
from sotto_collector.intake.counting import Outcome, count_batches, prepare_batches
from sotto_collector.intake.writer import Writer
from sotto_collector.store import Store
from sotto_collector.store.postgres_statements import REWRITE
from sotto_collector.store.recount import check_integrity
from sotto_collector.store.timeouts import SilentServerError, Timeouts
from sotto_protocol import Report


@pytest.fixture
def store(postgres_db: str) -> Iterator[Store]:
    with closing(Store(postgres_db)) as opened:
        yield opened


@pytest.fixture
def other(postgres_db: str, store: Store) -> Iterator[Store]:
    with closing(Store(postgres_db)) as opened:
        yield opened


def ask(url: str, statement: str) -> list[tuple[Any, ...]]:
    with psycopg.connect(url, autocommit=True) as connection:
        return connection.execute(statement.encode()).fetchall()


def random_reports(n_reports: int, seed: int) -> list[Report]:
    """Return reports whose ids are the same in every run: so is what a test of their order finds."""
    chance = random.Random(seed)  # noqa: S311  # an order, no secret
    return [Report(chance.randbytes(16), report.record) for report in make_reports(n_reports, SMALL)]


@pytest.mark.parametrize(
    ("name", "value"), [("synchronous_commit", "on"), ("lock_timeout", "5s"), ("statement_timeout", "8s")]
)
def test_writing_session_is_durable_whatever_the_servers_default(
    postgres_db: str, store: Store, name: str, value: str
) -> None:
    ask_for = f"SHOW {name}"
    database = make_url(postgres_db).database
    with psycopg.connect(postgres_db, autocommit=True) as connection:
        connection.execute(f"ALTER DATABASE {database} SET synchronous_commit = off".encode())
    with closing(Store(postgres_db)) as opened, opened.transaction() as transaction:
        assert transaction.connection.exec_driver_sql(ask_for).scalar_one() == value
    assert ask(postgres_db, "SHOW synchronous_commit") == [("off",)]  # the default that it was against


def test_statement_that_takes_too_long_is_ended_by_the_server_unless_it_may_take_its_time(
    postgres_db: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sotto_collector.store.postgres.WORK_MS", 100)
    monkeypatch.setattr("sotto_collector.store.postgres.SILENCE_S", 0.1)
    nap = "SELECT pg_sleep(0.5)"
    with closing(Store(postgres_db, busy_timeout_ms=100)) as store:
        for _ in range(2):
            with store.transaction() as transaction:
                transaction.take_time()
                transaction.connection.exec_driver_sql(nap)
            with pytest.raises(StoreUnavailableError, match="statement timeout"), store.transaction() as transaction:
                transaction.connection.exec_driver_sql(nap)
        with store.snapshot() as connection:
            connection.exec_driver_sql(nap)


def test_collector_that_stops_waits_no_longer_for_a_server_that_says_nothing(
    postgres_db: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HURRIED_S", "HURRIED_LONG_S"):
        monkeypatch.setattr(f"sotto_collector.store.timeouts.{name}", 0.2)
    with closing(Store(postgres_db)) as store, ThreadPoolExecutor(1) as pool:

        def nap() -> None:
            with store.transaction() as transaction:
                transaction.take_time()
                transaction.connection.exec_driver_sql("SELECT pg_sleep(60)")

        napping = pool.submit(nap)
        deadline = time.monotonic() + TIMEOUT_S
        while not ask(postgres_db, "SELECT 1 FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep(60%'"):
            assert time.monotonic() < deadline
        assert not napping.done()
        store.hurry()
        with pytest.raises(StoreUnavailableError, match="no response in time"):
            napping.result(TIMEOUT_S)


def test_rewritten_tables_hold_rows_by_their_ids_and_of_one_transaction(postgres_db: str, store: Store) -> None:
    """Correlation of the ranks of arrival and place, of 600 fixed ids; the order of arrival is seen before."""
    stored, reports = publish_here(store, SMALL), random_reports(600, 1)
    for start in range(0, 600, 20):
        count_here(store, stored, reports[start : start + 20])
    arrival = {report.id: number for number, report in enumerate(reports)}
    before = [row for table in ("inbox", "reports") for row in read_hidden(postgres_db, table, "report_id")]
    assert correlate_ranks([arrival[key] for key, _, _ in before], list(range(600))) > 0.9  # the check can fail
    assert len({xmin for _, xmin, _ in before}) == 30
    with closing(Writer(store, max_queued_reports=1000)) as writer:
        writer.tidy()
    assert read_hidden(postgres_db, "inbox", "report_id") == []
    after = read_hidden(postgres_db, "reports", "report_id")
    assert [key for key, _, _ in after] == sorted(arrival)
    assert len({xmin for _, xmin, _ in after}) == 1
    assert abs(correlate_ranks([arrival[key] for key, _, _ in after], list(range(600)))) < 0.1
    check_integrity(store)


@pytest.mark.thorough
def test_two_stores_that_rewrite_while_a_third_counts_lose_nothing(postgres_db: str, store: Store) -> None:
    stored, reports = publish_here(store, SMALL), make_reports(2000, SMALL)
    count_here(store, stored, reports[:1000])
    done = threading.Event()

    def rewrite(mine: Store) -> int:
        n_rewritten = 0
        while not done.is_set():
            try:
                mine.rewrite()
                n_rewritten += 1
            except StoreUnavailableError:  # the other was in the way; it is tried again when it is idle
                continue
        return n_rewritten

    with closing(Store(postgres_db)) as second, closing(Store(postgres_db)) as third, ThreadPoolExecutor(2) as pool:
        rewriting = [pool.submit(rewrite, mine) for mine in (second, third)]
        try:
            for start in range(0, 2000, 40):  # the first half again
                assert sum(outcome.n_counted for outcome in count_all(store, reports[start : start + 40])) in (0, 40)
                assert third.erase_report(stored, reports[start].id)
        finally:
            done.set()
        assert sum(task.result(TIMEOUT_S) for task in rewriting) > 0
    erased = {reports[start].id for start in range(0, 2000, 40)}
    assert store.read_tally(stored) == tally_of(SMALL, [report for report in reports if report.id not in erased])
    check_integrity(store)


def count_all(store: Store, reports: list[Report]) -> list[Outcome]:
    outcomes = count_here(store, publish_here(store, SMALL), reports)
    assert all(isinstance(outcome, Outcome) for outcome in outcomes)
    return [outcome for outcome in outcomes if isinstance(outcome, Outcome)]


def test_reports_that_are_moved_out_of_the_inbox_while_they_are_sent_again_count_once(
    store: Store, other: Store
) -> None:
    stored, reports = publish_here(store, SMALL), make_reports(100, SMALL)
    count_here(store, stored, reports)
    with ThreadPoolExecutor(1) as pool:
        with store.transaction() as transaction:
            transaction.move(stored.key, b"", b"\xff" * 17)
            again = pool.submit(count_here, other, stored, [*reports, *make_reports(5, SMALL)])
            wait_for_lock(other)
        assert again.result(TIMEOUT_S) == [Outcome(5, 100, 0)]
    check_integrity(store)
    assert len(store.read_reports(stored)) == 105


def test_report_that_is_erased_while_all_are_written_anew_is_erased(postgres_db: str, store: Store) -> None:
    stored, (report, *others) = publish_here(store, SMALL), make_reports(10, SMALL)
    count_here(store, stored, [report, *others])
    with closing(Writer(store, max_queued_reports=1000)) as writer:
        writer.tidy()
    with psycopg.connect(postgres_db) as rewriting, ThreadPoolExecutor(1) as pool:
        rewriting.execute(REWRITE)
        erasing = pool.submit(store.erase_report, stored, report.id)
        wait_for_lock(store)
        rewriting.commit()
        assert erasing.result(TIMEOUT_S) is True
    assert store.read_tally(stored) == tally_of(SMALL, others)
    check_integrity(store)


def wait_for_lock(store: Store) -> None:
    """Return once a session of this database waits for another's; polled, for PostgreSQL announces nothing."""
    statement = "SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid) "
    statement += "WHERE NOT granted AND datname = current_database()"
    for _ in range(100_000):
        with store.reader() as connection:
            if connection.exec_driver_sql(statement).scalar_one():
                return
    raise AssertionError("nobody waits")


def test_shards_of_a_tally_are_as_many_as_there_are_processes_and_sum_up(
    postgres_db: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(Store(postgres_db)) as store:
        publish_here(store, SMALL)
    shards = iter([3, 9, 3])
    monkeypatch.setattr("sotto_collector.store.store.secrets.randbelow", lambda _: next(shards))
    reports = make_reports(30, SMALL)
    for number in range(3):
        with closing(Store(postgres_db)) as store:
            stored = publish_here(store, SMALL)
            count_here(store, stored, reports[10 * number : 10 * number + 10])
            assert store.read_tally(stored) == tally_of(SMALL, reports[: 10 * number + 10])
    assert ask(postgres_db, "SELECT shard, n_reports FROM tallies ORDER BY shard") == [(3, 20), (9, 10)]


def test_two_that_are_the_first_to_write_a_shard_both_count(postgres_db: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sotto_collector.store.store.secrets.randbelow", lambda _: 3)
    reports = make_reports(20, SMALL)
    with closing(Store(postgres_db)) as store, closing(Store(postgres_db)) as other, ThreadPoolExecutor(1) as pool:
        stored = publish_here(store, SMALL)
        with store.transaction() as transaction:
            count_batches(transaction, prepare_batches([make_batch(stored, reports[:10])]))
            second = pool.submit(count_here, other, stored, reports[10:])
            wait_for_lock(store)
        assert second.result(TIMEOUT_S) == [Outcome(10, 0, 0)]
        assert store.read_tally(stored) == tally_of(SMALL, reports)


@contextmanager
def meeting(store: Store, other: Store, stored: Any, reports: list[Report]) -> Iterator[list[Any]]:
    """Let two transactions insert reports against each other's order: each waits for what the other has."""
    both_have_one = threading.Barrier(2)
    store._shard, other._shard = 0, 1  # in each other's way with the reports, and not before

    def insert(mine: Store, order: list[Report]) -> None:
        is_first = [True]

        def work(transaction: Any) -> None:
            count_batches(transaction, prepare_batches([make_batch(stored, order[:1])]))
            if is_first.pop() if is_first else False:
                both_have_one.wait(TIMEOUT_S)
            count_batches(transaction, prepare_batches([make_batch(stored, order[1:])]))

        mine.run(work)

    with ThreadPoolExecutor(2) as pool:
        yield [pool.submit(insert, store, reports), pool.submit(insert, other, reports[::-1])]


def test_deadlock_is_tried_again_and_everything_counts_once(store: Store, other: Store) -> None:
    stored, reports = publish_here(store, SMALL), make_reports(2, SMALL)
    with meeting(store, other, stored, reports) as tasks:
        for task in tasks:
            task.result(TIMEOUT_S)
    assert store.read_tally(stored) == tally_of(SMALL, reports)
    check_integrity(store)


@pytest.mark.thorough
def test_collectors_that_move_and_settle_one_inbox_at_once_do_not_deadlock(
    postgres_db: str, store: Store, other: Store
) -> None:
    """Two to six of 30 rounds would, if they did not wait for one another."""
    stored, first = publish_here(store, SMALL), [bytes([place]) for place in range(0, 256, 24)]

    def settle() -> None:
        for _ in range(2):
            store.run(lambda transaction: transaction.settle())

    def move() -> None:
        for low, high in zip(first, [*first[1:], b"\xff" * 17], strict=True):
            other.run(lambda transaction, low=low, high=high: transaction.move(stored.key, low, high))

    with ThreadPoolExecutor(2) as pool:
        for _ in range(30):
            for _ in range(10):
                count_here(store, stored, make_reports(60, SMALL))
            for tidying in [pool.submit(settle), pool.submit(move)]:
                tidying.result(TIMEOUT_S)
    assert ask(postgres_db, "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()") == [(0,)]
    check_integrity(store)


def end_sessions(url: str) -> int:
    """End every other session of a database; return how many those were."""
    statement = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
    return len(ask(url, statement + "WHERE datname = current_database() AND pid <> pg_backend_pid()"))


def test_groups_of_invited_batches_are_not_in_each_others_way(store: Store, other: Store) -> None:
    """Two collectors get the same batches in opposite orders: neither has to be ended for the other."""
    stored, n_works = publish_here(store, INVITED), []
    reports = invite_reports(store, stored, make_reports(400, INVITED))
    batches = [make_batch(stored, reports[start : start + 10]) for start in range(0, 400, 10)]

    def count_all(mine: Store, order: list[Any]) -> None:
        def work(transaction: Any) -> None:
            n_works.append(1)
            count_batches(transaction, prepare_batches(order))

        mine.run(work)

    with ThreadPoolExecutor(2) as pool:
        for start in range(0, 40, 8):
            group = batches[start : start + 8]
            both = [pool.submit(count_all, store, group), pool.submit(count_all, other, group[::-1])]
            for counting in both:
                counting.result(TIMEOUT_S)
    assert len(n_works) == 10
    assert store.read_tally(stored) == tally_of(INVITED, reports)


def test_connection_that_was_lost_between_requests_is_made_anew(postgres_db: str, store: Store) -> None:
    stored, reports = publish_here(store), make_reports(20)
    count_here(store, stored, reports[:10])
    assert end_sessions(postgres_db) >= 2  # a writing and a reading one
    assert count_here(store, stored, reports) == [Outcome(10, 10, 0)]
    assert end_sessions(postgres_db) >= 1
    assert store.read_tally(stored) == tally_of(SURVEY, reports)


def test_dead_connections_are_made_anew_before_a_clean_and_a_rewriting(postgres_db: str, store: Store) -> None:
    for work in (store.clean, store.rewrite):
        assert store.clean()
        assert end_sessions(postgres_db) >= 1
        work()


def test_connection_that_is_lost_in_a_transaction_is_made_anew_and_nothing_counts_twice(
    postgres_db: str, store: Store
) -> None:
    stored, reports, n_tries = publish_here(store), make_reports(10), []

    def work(transaction: Any) -> list[Any]:
        outcomes = count_batches(transaction, prepare_batches([make_batch(stored, reports)]))
        n_tries.append(1)
        if len(n_tries) < 3:
            end_sessions(postgres_db)
        return outcomes

    assert store.run(work) == [Outcome(10, 0, 0)]
    assert len(n_tries) == 3
    assert store.read_tally(stored) == tally_of(SURVEY, reports)


@pytest.mark.thorough
def test_server_that_is_away_is_an_error_and_then_over() -> None:
    with postgres_server("fsync=off") as server, closing(Store(server.url)) as store:
        stored, reports = publish_here(store), make_reports(10)
        count_here(store, stored, reports[:5])
        server.stop("immediate")  # a crash
        for _ in range(2):
            with pytest.raises(StoreUnavailableError, match="cannot write now"):
                count_here(store, stored, reports)
            with pytest.raises(StoreUnavailableError, match="cannot be read now"):
                store.read_tally(stored)
        with pytest.raises(StoreError, match="must be a PostgreSQL that responds"):
            Store(server.url)
        server.start("fsync=off")
        assert count_here(store, stored, reports) == [Outcome(5, 5, 0)]
        check_integrity(store)


def test_lock_that_is_held_too_long_is_an_error_and_then_over(postgres_db: str, store: Store) -> None:
    stored = publish_here(store)
    with closing(Store(postgres_db, busy_timeout_ms=20)) as impatient:
        with store.transaction() as transaction:
            transaction.lock_survey(stored.key, alone=True)
            with pytest.raises(StoreUnavailableError, match="lock timeout"):
                count_here(impatient, stored, make_reports(5))
        assert count_here(impatient, stored, make_reports(5)) == [Outcome(5, 0, 0)]


def test_pool_that_is_exhausted_is_an_error_and_then_over(postgres_db: str, store: Store) -> None:
    stored = publish_here(store)
    with closing(Store(postgres_db, busy_timeout_ms=20)) as small:
        held = [small.open_records(stored) for _ in range(16)]
        with pytest.raises(StoreUnavailableError, match="cannot be read now"):
            small.read_tally(stored)
        for records in held:
            records.close()
        assert small.read_tally(stored).n_reports == 0


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://sotto:c4n4ry@127.0.0.1:1/nobody",
        "postgresql://sotto:c4n4ry@127.0.0.1:1/nobody?password=c4n4ry",
        "postgresql://sotto:c4n4ry/more@127.0.0.1/x",
        "postgresql://sotto:c4n4ry@127.0.0.1:port/x",
        "postgresql://sotto:c4n4ry",
        "postgresql:c4n4ry",
        "postgresql://127.0.0.1:1/x?c4n4ry=1",
        "postgres://sotto:c4n4ry@127.0.0.1:1/x",
    ],
)
def test_database_that_does_not_answer_is_named_without_its_password(url: str) -> None:
    with pytest.raises(StoreError, match=r"^db .* must be|^db must be") as caught:
        Store(url)
    assert "c4n4ry" not in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("query", ["host=127.0.0.1&port=1", "host=/c/no-such-folder"])
def test_database_whose_host_is_in_the_query_is_named_with_it(query: str) -> None:
    with pytest.raises(StoreError) as caught:
        Store(f"postgresql://sotto:c4n4ry@/name?{query}&password=c4n4ry")
    assert unquote(str(caught.value)).startswith(f"db (postgresql://sotto:***@/name?{query}) must be")
    assert "c4n4ry" not in str(caught.value)


def lose_connection(url: str, store: Store) -> None:
    with store.transaction() as transaction:
        end_sessions(url)
        transaction.connection.exec_driver_sql("SELECT 'c4n4ry'")


def test_faults_of_the_database_are_said_without_password_statement_or_values(postgres_db: str) -> None:
    url = make_url(postgres_db).set(password="c4n4ry").render_as_string(hide_password=False)  # noqa: S106  # none
    with closing(Store(url)) as store:
        assert "c4n4ry" not in store.dialect.name
        with pytest.raises(StoreUnavailableError) as caught, store.transaction() as transaction:
            transaction.connection.exec_driver_sql("SELECT 'c4n4ry'::int")
        assert str(caught.value).startswith("the store cannot write now: invalid input syntax")
        end_sessions(postgres_db)
        with pytest.raises(StoreUnavailableError) as lost:
            lose_connection(postgres_db, store)
        assert "c4n4ry" not in str(lost.value)
        with pytest.raises(StoreUnavailableError, match=r"terminat|the server closed the connection"):
            lose_connection(postgres_db, store)


def test_another_programs_tables_are_refused_untouched(postgres_empty: str) -> None:
    with psycopg.connect(postgres_empty, autocommit=True) as connection:
        connection.execute("CREATE TABLE reports (entry text)")
    with pytest.raises(StoreError, match="another program's"):
        Store(postgres_empty)
    assert ask(postgres_empty, "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'") == [
        ("reports",)
    ]


def test_a_server_that_goes_on_answering_is_waited_for_and_a_silent_one_is_not(postgres_db: str) -> None:
    """Rows that come every quarter of a second, for two seconds; then nothing for as long."""
    timeouts = Timeouts(statement_s=1.0)
    with closing(timeouts.connect(postgres_db)) as connection:
        rows = connection.execute("SELECT repeat('x', 100000), pg_sleep(.25) FROM generate_series(1, 8)").fetchall()
        assert len(rows) == 8
        with pytest.raises(SilentServerError):
            connection.execute("SELECT pg_sleep(2)")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"database": "nosuch"}, "the database does not exist"),
        ({"username": "nosuch"}, "the role does not exist"),
        ({"port": 1}, "Connection refused"),
    ],
)
def test_what_keeps_a_store_from_being_opened_is_named(postgres_db: str, change: dict[str, Any], said: str) -> None:
    url = make_url(postgres_db).set(**change).render_as_string(hide_password=False)
    with pytest.raises(StoreError, match=said):
        Store(url)
