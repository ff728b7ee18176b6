"""Upgrades wait for one another without a limit, and stand in no collector's way, however old that is."""

import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest
from alembic import command
from sqlalchemy import create_engine, make_url

from old_schemas import make_old
from sotto_collector.errors import StoreError
from sotto_collector.store import postgres, sqlite
from sotto_collector.store.databases import locate
from sotto_collector.store.upgrade import HEAD, _config

MANY_TIMES_S = 0.5
"""Many times as long as an upgrade here waits for a lock."""
TIMEOUT_S = 60


def test_upgrade_waits_for_another_for_longer_than_for_a_lock(empty_db: str, monkeypatch: pytest.MonkeyPatch) -> None:
    make_old(empty_db, 1, {"habits": [], "small": []})
    is_migrating, others = threading.Event(), list[Future[tuple[str, str]]]()

    def migrate(*arguments: Any) -> None:
        is_migrating.set()
        wait(others, timeout=MANY_TIMES_S, return_when="FIRST_COMPLETED")
        real(*arguments)

    real = postgres.migrate
    for module in (sqlite, postgres):
        monkeypatch.setattr(module, "migrate", migrate)
    with ThreadPoolExecutor(3) as pool:
        first = pool.submit(locate(empty_db).upgrade, 50)
        assert is_migrating.wait(TIMEOUT_S)
        others += [pool.submit(locate(empty_db).upgrade, 50) for _ in range(2)]
        done = [each.result(TIMEOUT_S) for each in (first, *others)]
    assert done == [("0001", HEAD), (HEAD, HEAD), (HEAD, HEAD)]


@pytest.fixture
def schema_4(postgres_empty: str) -> str:
    """A PostgreSQL as the program of schema 0004 left it, whose collectors do not look at the schema."""
    engine = create_engine(make_url(postgres_empty).set(drivername="postgresql+psycopg"))
    with engine.begin() as connection:
        command.upgrade(_config(connection), "0004")
    engine.dispose()
    return postgres_empty


@contextmanager
def session(url: str) -> Iterator[psycopg.Connection]:
    with psycopg.connect(url) as connection:
        yield connection


def await_waiting(url: str) -> None:
    """Return once an upgrade waits for a table."""
    asked = "SELECT count(*) FROM pg_locks WHERE NOT granted AND mode = 'AccessExclusiveLock' AND locktype = 'relation'"
    with psycopg.connect(url, autocommit=True) as connection:
        deadline = time.monotonic() + TIMEOUT_S
        while connection.execute(asked).fetchone() == (0,):
            assert time.monotonic() < deadline


@pytest.mark.parametrize(
    ("holds", "wants"),
    [
        pytest.param(
            "SELECT is_open FROM surveys",
            "INSERT INTO inbox VALUES (1, decode(repeat('00', 16), 'hex'), '')",
            id="a collector that counts",
        ),
        pytest.param("SELECT count(*) FROM tallies", "SELECT count(*) FROM surveys", id="a backup that goes on"),
        pytest.param("SELECT count(*) FROM invitations", "DELETE FROM tokens", id="an order that nobody has"),
    ],
)
def test_upgrade_beneath_an_old_collector_ends_neither(schema_4: str, holds: str, wants: str) -> None:
    """It holds one table, and wants another as the upgrade waits: that must not have it."""
    with ThreadPoolExecutor(1) as pool, session(schema_4) as collector:
        collector.execute(holds.encode())
        upgrading = pool.submit(locate(schema_4).upgrade, TIMEOUT_S * 1000)
        await_waiting(schema_4)
        collector.execute(wants.encode())
        collector.commit()
        assert upgrading.result(TIMEOUT_S) == ("0004", HEAD)


def test_upgrade_says_that_a_table_stays_in_use_and_leaves_all_as_it_was(schema_4: str) -> None:
    with session(schema_4) as collector:
        collector.execute("SELECT count(*) FROM inbox")
        with pytest.raises(StoreError, match=r"was not upgraded, and is as it was: .*lock timeout\.$"):
            locate(schema_4).upgrade(50)
        collector.execute("SELECT count(*) FROM surveys")  # nothing is locked now
    assert locate(schema_4).upgrade() == ("0004", HEAD)
