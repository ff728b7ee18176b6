"""Forgotten: who has the raw files of a store can order and join no reports but the last few, at no moment.

Small and large, busy and idle, one report at a time, after a kill -9: docs/privacy.md has the table.
"""

import os
import random
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import psycopg
import pytest
from click.testing import CliRunner

from blind import RFC_KEY, Wish, publish_blind
from collecting import (
    INVITED,
    SMALL,
    TIMEOUT_S,
    Served,
    count_here,
    invite_reports,
    make_reports,
    publish_here,
    serve,
    wait_until,
)
from crowd import FULL, changed
from old_schemas import BEFORE_STRATA
from postgres_server import PostgresServer, database_of, postgres_server
from raw_database import read_hidden
from raw_files import PostgresFiles, RawFiles, SqliteFiles, copied, count_joined
from sotto_client.cli import main
from sotto_collector.intake import tidying
from sotto_collector.intake.counting import Batch, count_batches, prepare_batches
from sotto_collector.intake.tidying import Tidying
from sotto_collector.intake.writer import Writer
from sotto_collector.invitations import hash_invitation, make_invitations, trade_invitation
from sotto_collector.store import Store
from sotto_collector.store.recount import check_integrity
from sotto_collector.store.upgrade import HEAD
from sotto_protocol import Report, compile_toml
from sotto_protocol.invitation import parse_invitation

N_BEFORE, N_SINGLE = 300, 12


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    """A server whose files can be read, and which vacuums nothing by itself."""
    with postgres_server("fsync=off", "autovacuum=off") as running:
        yield running


@pytest.fixture(params=["sqlite", "postgres"])
def files(request: pytest.FixtureRequest, server: PostgresServer, tmp_path: Path) -> Iterator[RawFiles]:
    """The files of an empty store."""
    if request.param == "sqlite":
        yield SqliteFiles(os.fspath(tmp_path / "survey.db"))
        return
    with database_of(server.url) as url:
        yield PostgresFiles(url, server)


@pytest.fixture(params=["small", pytest.param("middle", marks=pytest.mark.rare), "large"])
def regime(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is written anew: everything; everything once a minute, and else the inbox; the inbox."""
    if request.param != "small":
        monkeypatch.setattr(tidying, "STALL_BYTES", 0)
    if request.param == "large":
        monkeypatch.setattr("sotto_collector.store.store.MAX_REWRITE_BYTES", 0)


def come_singly(store: Store, mine: Tidying, n_reports: int) -> list[Report]:
    """Let invited reports come one by one."""
    stored = publish_here(store, INVITED)
    reports = invite_reports(store, stored, make_reports(n_reports, INVITED))
    for report in reports:
        count_here(store, stored, [report])
        mine.note_arrived(1)
    return reports


def hashes_of(reports: list[Report]) -> list[bytes]:
    return [hash_invitation(parse_invitation(report.invitation), INVITED) for report in reports]


def ids_of(reports: list[Report]) -> list[bytes]:
    return [report.id for report in reports]


@pytest.mark.usefixtures("regime")
def test_after_a_turn_nothing_orders_reports_or_joins_them_to_invitations(files: RawFiles) -> None:
    with closing(Store(files.db)) as store:
        count_here(store, publish_here(store, SMALL), make_reports(N_BEFORE, SMALL))
        mine = Tidying(store)
        mine.turn()
        came: list[Report] = []
        for _ in range(3):
            singles = come_singly(store, mine, N_SINGLE)
            assert files.list_in_order(ids_of(singles)) == ids_of(singles)  # the thief is able to
            assert any(files.count(hashes_of(singles)))
            came += singles
            mine.turn()
            assert files.list_in_order(ids_of(came)) == []
            assert files.count(ids_of(came)) == [files.n_copies] * len(came)
            assert not any(files.count(hashes_of(came)))
        check_integrity(store)
        if isinstance(files, PostgresFiles):
            check_rows_lie_by_key(files.db, came)


def check_rows_lie_by_key(db: str, reports: list[Report]) -> None:
    """Hold that rows lie in the order of their ids, under one transaction's number, and there is one of each tally."""
    numbers = set()
    for table in ("inbox", "reports"):
        rows = [row for row in read_hidden(db, table, "report_id") if row[0] in ids_of(reports)]
        assert rows == sorted(rows, key=lambda row: row[0])
        numbers |= {xmin for _, xmin, _ in rows}
    assert len(numbers) == 1
    with psycopg.connect(db) as connection:
        pages = "SELECT pg_relation_size('tallies') / 8192, max((ctid::text::point)[1]), count(*) FROM tallies"
        (n_pages, last, n_rows) = connection.execute(pages.encode()).fetchone()
    assert (n_pages, last) == (1, n_rows)


@pytest.mark.parametrize("is_large", [False, True], ids=["small", "large"])
def test_two_histories_of_the_same_reports_leave_the_same_pages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_large: bool
) -> None:
    """Of SQLite's file; but for the counters of its changes, which are in the header."""
    monkeypatch.setattr("secrets.randbelow", lambda _: 7)  # the survey's key, which both have
    monkeypatch.setattr("secrets.token_bytes", bytes)  # and the store's identity
    monkeypatch.setattr("sotto_collector.store.store.MAX_REWRITE_BYTES", 0 if is_large else 2**26)
    reports, contents = make_reports(2000, SMALL), []
    for name, size in (("first.db", 5), ("second.db", 23)):
        chance = random.Random(name)  # noqa: S311  # an order of arrival, no secret
        chance.shuffle(reports)
        with closing(Store(tmp_path / name)) as store:
            stored, mine = publish_here(store, SMALL), Tidying(store)
            for start in range(0, 2000, size):
                count_here(store, stored, reports[start : start + size])
                mine.note_arrived(size)
                if chance.random() < size / 500:
                    mine.turn()
            mine.finish()
        content = bytearray((tmp_path / name).read_bytes())
        assert content.count(reports[0].id) == 1
        for field in (24, 40, 92):
            content[field : field + 4] = bytes(4)
        contents.append([bytes(content[start : start + 4096]) for start in range(0, len(content), 4096)])
    first, second = contents
    if is_large:  # pages that were let go of come back in another order
        leaves = [sorted(page for page in pages if page[0] == 10) for pages in contents]
        assert len(leaves[0]) > 10
        assert leaves[0] == leaves[1]
    else:
        assert first == second


def test_pages_of_two_histories_differ_before_the_turn(tmp_path: Path) -> None:
    """The comparison above can fail."""
    reports, contents = make_reports(50, SMALL), []
    for name in ("first.db", "second.db"):
        random.Random(name).shuffle(reports)  # noqa: S311  # an order of arrival, no secret
        with closing(Store(tmp_path / name)) as store:
            for report in reports:
                count_here(store, publish_here(store, SMALL), [report])
        content = (tmp_path / name).read_bytes()
        contents.append([content.index(report.id) % 4096 for report in sorted(reports, key=lambda each: each.id)])
    assert contents[0] != contents[1]


def test_killed_collector_leaves_the_last_reports_and_the_next_one_lets_go_of_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tidying, "GATHER_S", 0.0)
    files = SqliteFiles(os.fspath(tmp_path / "survey.db"))
    with closing(Store(files.db)) as store:
        mine = Tidying(store)
        before = come_singly(store, mine, N_SINGLE)
        mine.turn()
        last = come_singly(store, mine, N_SINGLE)
        with copied(files, tmp_path / "stolen") as stolen:
            assert stolen.list_in_order(ids_of(before + last)) == ids_of(last)
            assert count_joined(stolen, hashes_of(before + last), ids_of(before + last)) > N_SINGLE / 2
    with closing(Store(stolen.db)) as store, closing(Writer(store, max_queued_reports=100)):
        wait_until(lambda: stolen.list_in_order(ids_of(last)) == [])
        assert stolen.count(ids_of(before + last)) == [1] * 2 * N_SINGLE


def test_reports_that_never_stop_coming_are_forgotten_meanwhile(files: RawFiles) -> None:
    """By a collector's own process, which tidies twice a second here; a report comes each 30 ms, by itself."""
    with serve(files.db, survey=INVITED, command=changed("tidy-often")) as served:
        reports = [
            replace(r, invitation=code)
            for r, code in zip(make_reports(1500, INVITED), invite(served, 1500), strict=True)
        ]
        came: list[Report] = []
        deadline = time.monotonic() + TIMEOUT_S
        for report in reports:
            assert served.send([report], INVITED)[0] == 200
            came.append(report)
            time.sleep(0.03)
            first = came[:10]
            if len(came) % 10 == 0 and is_forgotten(files, first):
                break
            assert time.monotonic() < deadline
        assert len(came) < len(reports)
        served.kill()
    ordered = files.list_in_order(ids_of(came))
    assert ordered == ids_of(came)[len(came) - len(ordered) :]  # the last, if any


def is_forgotten(files: RawFiles, reports: list[Report]) -> bool:
    return files.list_in_order(ids_of(reports)) == [] and not any(files.count(hashes_of(reports)))


def invite(served: Served, n_invitations: int) -> list[str]:
    body = f'{{"count":{n_invitations}}}'.encode()
    return served.fetch("POST", f"/v1/surveys/{INVITED.id}/invitations", body, served.admin)[2].decode().split()[1:]


@pytest.mark.slow
@pytest.mark.skipif(not FULL, reason="80 s of real time for each: scripts/test --full")
@pytest.mark.parametrize("pause_s", [0.8, 2.4])
def test_trickle_is_forgotten_within_ten_seconds(files: RawFiles, pause_s: float) -> None:
    """As the collector is run, for 80 s, with the files read after each report."""
    with serve(files.db, survey=INVITED) as served:
        codes, came = invite(served, 100), list[tuple[float, Report]]()
        for report, code in zip(make_reports(int(80 / pause_s), INVITED), codes, strict=False):
            sent = replace(report, invitation=code)
            assert served.send([sent], INVITED)[0] == 200
            came.append((time.monotonic(), sent))
            old = [report for moment, report in came if moment < time.monotonic() - 10]
            assert is_forgotten(files, old)
            time.sleep(pause_s)


@pytest.mark.slow
@pytest.mark.skipif(not FULL, reason="80 MB of reports: scripts/test --full")
def test_large_store_keeps_no_order_of_single_reports(files: RawFiles) -> None:
    """125,000 reports, then six, more than a turn apart, then a clean stop."""
    options = ", ".join(f'"{number}"' for number in range(4096))
    question = f'[[questions]]\nid = "town"\ntype = "one-of"\ntext = "?"\noptions = [{options}]\nmechanism = "sue"'
    wide = compile_toml(f'id = "wide"\ntitle = "Wide"\n{question}\nepsilon = 1.0')
    with closing(Store(files.db)) as store:
        stored = publish_here(store, wide)
        for _ in range(25):
            bits = np.frombuffer(os.urandom(5000 * wide.layout.n_bytes), np.uint8).reshape(5000, -1)
            batch = Batch(stored, os.urandom(16 * 5000), bits)
            store.run(lambda transaction, batch=batch: count_batches(transaction, prepare_batches([batch])))
        mine = Tidying(store)
        assert not store.is_small()
        singles = []
        for _ in range(6):
            mine.turn()
            singles += come_singly(store, mine, 1)
        mine.finish()
        assert files.list_in_order(ids_of(singles)) == []
        if isinstance(files, PostgresFiles):
            assert len({xmin for _, xmin, _ in read_hidden(files.db, "inbox", "report_id")}) == 1
            check_rows_lie_by_key(files.db, singles)


def test_server_keeps_no_sample_of_reports_and_invitations(server: PostgresServer) -> None:
    with database_of(server.url) as url:
        files = PostgresFiles(url, server)
        with closing(Store(url)) as store:
            mine = Tidying(store)
            reports = come_singly(store, mine, 60)
            execute(url, "ANALYZE")
            mine.turn()
            stored = publish_here(store, INVITED)
            store.close_survey(stored.key)
            store.erase_survey(stored.key)
            mine.note_deletion()
            mine.turn()
            execute(url, "ANALYZE")
        secrets = [*ids_of(reports), *hashes_of(reports)]
        assert not any(files.count(secrets + [secret.hex().encode() for secret in secrets]))


def test_after_a_turn_nothing_orders_the_trades_of_blind_invitations(files: RawFiles) -> None:
    with closing(Store(files.db)) as store:
        mine, stored = Tidying(store), publish_blind(store)
        mine.turn()
        traded = []
        for code in make_invitations(store, stored, N_SINGLE):
            issued = trade_invitation(store, stored, code, 1, Wish.of(stored.survey).blinded)
            assert issued is not None
            traded.append(issued)
            mine.note_deletion()
        hashes = [issued.code_hash for issued in traded]
        if isinstance(files, PostgresFiles):
            execute(files.db, "ANALYZE")
        else:
            assert files.list_in_order(hashes) == hashes  # the thief is able to
        mine.turn()
        if isinstance(files, PostgresFiles):
            rows = read_hidden(files.db, "issued_tokens", "code_hash")
            assert [row[0] for row in rows] == sorted(hashes)
            assert len({xmin for _, xmin, _ in rows}) == 1
        else:
            assert files.list_in_order(hashes) == []
        store.close_survey(stored.key)
        store.erase_survey(stored.key)
        mine.note_deletion()
        mine.turn()
        secrets = [part for issued in traded for part in (issued.code_hash, issued.blinded_hash, issued.signature)]
        assert not any(files.count([secret or b"?" for secret in secrets] + [RFC_KEY.primes]))


def test_samples_of_before_the_upgrade_are_cleared(server: PostgresServer) -> None:
    with database_of(server.url) as url:
        files = PostgresFiles(url, server)
        with closing(Store(url)) as store:
            execute(url, *(f"ALTER TABLE {table} ALTER COLUMN {column} SET STATISTICS -1" for table, column in SAMPLED))
            stored = publish_here(store, INVITED)
            reports = invite_reports(store, stored, make_reports(60, INVITED))
            execute(url, "ANALYZE")
            count_here(store, stored, reports)
            execute(url, "ANALYZE")  # another: the first is a dead row by now
            store.close_survey(stored.key)
            store.erase_survey(stored.key)
            Tidying(store).finish()
        execute(url, *BEFORE_STRATA)
        execute(url, "VACUUM (FULL) inbox, reports, invitations", "UPDATE alembic_version SET version_num = '0004'")
        secrets = [*ids_of(reports), *hashes_of(reports)]
        assert sum(map(bool, files.count(secrets))) > 60  # the thief is able to
        done = CliRunner().invoke(main, ["db", "upgrade", "--db", url])
        assert done.output == f"schema 0004 -> {HEAD}\n"
        assert not any(files.count(secrets))
        execute(url, "ANALYZE")
        assert not any(files.count(secrets))


SAMPLED = [("inbox", "report_id"), ("reports", "report_id"), ("invitations", "code_hash")]


def execute(url: str, *statements: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement.encode())
