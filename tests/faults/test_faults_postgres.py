"""PostgreSQL fails under load: sessions killed, connections refused, locks held, a crash. 503, then as before."""

import os
import re
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random

import psycopg
import pytest

from collecting import SMALL, TIMEOUT_S, Served, make_reports, serve, wait_until
from crowd import FULL, Crowd, changed, collectors
from postgres_server import PostgresServer, database_of, postgres_server
from sotto_protocol import Report

pytestmark = pytest.mark.thorough

N_CLIENTS = 40
"""More than a collector has connections to read with: they have to wait for one another."""
TERMINATE = """
SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid()
"""


AWAY = re.compile(
    r"(the store cannot be tidied now, and still shows the order of commits: )?"
    r"the store (does not respond|cannot (write|be read) now: (?!\w*Error)[\w, ]+)\."
)
"""What a collector says of a server that is away, to a request or of a turn that comes then: what the server said."""


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    """A server of these tests' own: it is stopped and crashed."""
    with postgres_server() as started:
        yield started


@dataclass
class House:
    """Two collectors on one database, and their crowd."""

    server: PostgresServer
    db: str
    served: list[Served]
    crowd: Crowd

    @contextmanager
    def under_load(self) -> Iterator[None]:
        """Let the crowd send until the block ends, which it does well; then nothing is lost, nor counted twice."""
        with self.crowd.at_work(*self.served):
            self.crowd.wait_for(20)
            yield
            self.crowd.wait_for(20)
        self.crowd.finish(self.db, self.served[0])
        assert self.crowd.statuses.keys() <= {200, 503}
        assert self.crowd.n_lost == 0  # every request had an answer

    def ask(self, statement: str) -> None:
        with psycopg.connect(self.db, autocommit=True) as connection:
            connection.execute(statement.encode())

    def ask_outside(self, statement: str) -> None:
        """Ask from another database of the server's; {} stands for the name of this one."""
        with psycopg.connect(self.server.url, autocommit=True) as connection:
            connection.execute(statement.format(self.db.rpartition("/")[2]).encode())


@pytest.fixture(scope="module")
def house(server: PostgresServer) -> Iterator[House]:
    with database_of(server.url) as db, collectors(db, 2, "--busy-timeout-ms", "500", change="move-often") as served:
        crowd = Crowd(n_clients=N_CLIENTS)
        yield House(server, db, served, crowd)
        for each in served:
            code, _, err = each.stop()
            assert code == 0, err
            said = {line.partition("sotto_collector: ")[2] for line in err.splitlines()}
            assert [line for line in said if not AWAY.fullmatch(line)] == []
        crowd.check(db)
        print(f"{len(crowd.acknowledged):,} reports, answers {dict(crowd.statuses)}")


@pytest.mark.slow
def test_sessions_that_are_killed_under_load_lose_nothing(house: House) -> None:
    with house.under_load():
        for _ in range(200 if FULL else 10):
            house.ask(TERMINATE)
            house.crowd.wait_for(5)


def test_server_that_refuses_connections_is_503_until_it_takes_them_again(house: House) -> None:
    with house.under_load():
        house.ask_outside("ALTER DATABASE {} ALLOW_CONNECTIONS false")
        house.ask_outside("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{}'")
        house.crowd.wait_for_status(503, 50)
        house.ask_outside("ALTER DATABASE {} ALLOW_CONNECTIONS true")


def test_requests_that_find_no_free_connection_are_503_until_there_is_one(house: House) -> None:
    """Somebody holds a table that every request reads: connections run out, waiting for it ends, nothing hangs."""
    with house.under_load():
        with psycopg.connect(house.db) as holder:
            holder.execute("LOCK TABLE surveys IN ACCESS EXCLUSIVE MODE")
            house.crowd.wait_for_status(503, 50)
        house.crowd.wait_for(5)


@pytest.mark.slow
def test_server_that_crashes_and_is_started_again_loses_nothing_acknowledged(house: House) -> None:
    with house.under_load():
        for _ in range(20 if FULL else 2):
            house.server.stop("immediate")
            house.crowd.wait_for_status(503, 20)
            house.server.start()
            house.crowd.wait_for(20)


@contextmanager
def halted(server: PostgresServer) -> Iterator[None]:
    """Stop a server's processes until the block ends: its kernel takes what is sent, and nothing answers."""
    postmaster = int((server.data / "postmaster.pid").read_text().split()[0])
    os.kill(postmaster, signal.SIGSTOP)  # first: it starts no more of the others then
    others = [int(pid) for pid in Path(f"/proc/{postmaster}/task/{postmaster}/children").read_text().split()]
    try:
        for pid in others:
            os.kill(pid, signal.SIGSTOP)
        yield
    finally:
        for pid in (*others, postmaster):
            os.kill(pid, signal.SIGCONT)


def test_server_that_hangs_is_503_in_time_and_afterwards_everything_counts_once(house: House) -> None:
    """In time: while the server hangs, which it does until it was said. A collector without limits waits for ever."""
    with house.under_load(), ThreadPoolExecutor(2) as pool:
        with halted(house.server):
            house.crowd.wait_for_status(503, 20)
            batches = [house.crowd.next_batch(Random(1)) for _ in house.served]  # noqa: S311  # a choice, no secret
            sent = [pool.submit(each.send, batch, SMALL) for each, batch in zip(house.served, batches, strict=True)]
            for reply in sent:
                status, headers, _ = reply.result(TIMEOUT_S)
                assert (status, "Retry-After" in headers) == (503, True)
        house.crowd.wait_for(20)


@pytest.mark.parametrize("workers", ["1", pytest.param("2", marks=pytest.mark.rare)])
def test_collector_whose_server_hangs_ends_while_it_does(server: PostgresServer, workers: str) -> None:
    """One without limits waits for ever. Where a worker gets no processor it is killed, which is an end, too."""
    crowd = Crowd()
    with database_of(server.url) as db:
        with serve(db, "--workers", workers, survey=SMALL) as served, crowd.at_work(served):
            crowd.wait_for(20)
            with halted(server):
                served.process.send_signal(signal.SIGTERM)
                _, err = served.process.communicate(timeout=TIMEOUT_S)
            assert served.process.returncode == 1  # it could not be left tidy, and that is said
            assert "no response in time" in err or "was killed" in err
            assert "Traceback" not in err
        with serve(db, survey=SMALL) as served:
            crowd.finish(db, served)
        assert crowd.statuses.keys() <= {200, 503}


def test_deadlock_with_somebody_else_ends_and_the_reports_are_counted(house: House) -> None:
    """Another session has the second report and wants the first: the database ends one of the two, we try again."""
    first, second = sorted(make_reports(2, SMALL), key=lambda report: report.id)
    house.crowd.sent |= {report.id: report for report in (first, second)}
    with psycopg.connect(house.db) as other, ThreadPoolExecutor(1) as pool:
        other.execute("SET deadlock_timeout = '1h'")  # so that it is the collector's session that finds the deadlock
        other.execute("SET lock_timeout = 0")
        insert_raw(other, second)
        reply = pool.submit(house.served[0].send, [second, first], SMALL)
        wait_until(lambda: is_waiting(house.db))
        insert_raw(other, first)
        other.rollback()
        status, _, document = reply.result(TIMEOUT_S)
    assert (status, document["counted"]) == (200, 2)
    house.crowd.check(house.db)


def insert_raw(connection: "psycopg.Connection[tuple[object, ...]]", report: Report) -> None:
    statement = "INSERT INTO inbox SELECT survey_key, %s, %s FROM surveys WHERE survey_id = %s"
    assert connection.execute(statement, [report.id, report.record, SMALL.id]).rowcount == 1


def is_waiting(db: str) -> bool:
    """Return whether a collector's session waits for another's transaction to end."""
    with psycopg.connect(db) as connection:
        statement = "SELECT count(*) FROM pg_locks WHERE NOT granted AND locktype = 'transactionid'"
        return connection.execute(statement).fetchone() == (1,)


@pytest.mark.parametrize("change", ["", pytest.param("commit-asynchronously", marks=pytest.mark.rare)])
def test_acknowledged_reports_survive_a_crash_of_a_server_that_is_set_to_commit_late(
    server: PostgresServer, change: str
) -> None:
    """The collector's connections commit synchronously, whatever the server's default; one whose do not is found."""
    crowd = Crowd()
    with database_of(server.url) as db:
        with psycopg.connect(db, autocommit=True) as connection:
            connection.execute(f"ALTER DATABASE {db.rpartition('/')[2]} SET synchronous_commit = off".encode())
            connection.execute("ALTER SYSTEM SET wal_writer_delay = '10s'")
            connection.execute("ALTER SYSTEM SET wal_writer_flush_after = '1GB'")
            connection.execute("SELECT pg_reload_conf()")
        if not change:
            crash(server, db, crowd, n_times=2)
        else:
            with pytest.raises(AssertionError, match="acknowledged reports are lost"):
                crash(server, db, crowd, change, n_times=10)  # now and then all has just been written all the same


def crash(server: PostgresServer, db: str, crowd: Crowd, change: str = "", *, n_times: int) -> None:
    """Let the server crash under load, start it again, and see what is there."""
    for _ in range(n_times):
        with serve(db, survey=SMALL, command=changed(change)) as served, crowd.at_work(served):
            crowd.wait_for(20)
            server.stop("immediate")
            crowd.wait_for_status(503, 1)
            served.kill()
        server.start()
        crowd.check(db)
