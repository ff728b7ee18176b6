"""PostgreSQL brought back to a point in time, by the commands of docs/point-in-time.md; and what its archive tells."""

import re
import shlex
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner

from collecting import SMALL, check_store, count_here, make_reports, publish_here, tally_of, wait_until
from postgres_server import PostgresServer
from sotto_client.cli import main
from sotto_collector.intake.counting import Outcome
from sotto_collector.store import Store
from sotto_collector.store.journaling import keep_journal
from sotto_protocol import Report

PAGE = (Path(__file__).parents[2] / "docs" / "point-in-time.md").read_text()
SETTINGS, BASE_BACKUP, CLEAN_UP, RECOVERY, START, RESTORE = re.findall(r"^```\n(.*?)\n```$", PAGE, re.DOTALL | re.M)


@pytest.fixture
def server() -> Iterator[PostgresServer]:
    """A server that archives its log, as the page says."""
    with tempfile.TemporaryDirectory(prefix="sotto-archive-") as folder:
        made = PostgresServer(Path(folder))
        make_folder(made, "wal")
        add_settings(made, placed(made, SETTINGS))
        made.start()
        try:
            yield made
        finally:
            made.stop("immediate")


def make_folder(server: PostgresServer, name: str) -> None:
    (server.folder / name).mkdir()
    if server.as_user:
        shutil.chown(server.folder / name, server.as_user["user"])


def placed(server: PostgresServer, text: str) -> str:
    """Return what the page says, for this server's folders and port."""
    return text.replace("/srv", str(server.folder)).replace(":5432", f":{server.port}")


def add_settings(server: PostgresServer, settings: str) -> None:
    with (server.data / "postgresql.conf").open("a") as file:
        file.write(f"\n{settings}\n")


def run_page(server: PostgresServer, command: str) -> None:
    """Run one of the page's commands of PostgreSQL's own."""
    program, *arguments = shlex.split(placed(server, command))
    server.run(program, *arguments)


def bring_back(server: PostgresServer, moment: str) -> None:
    """Stop the server, put the base backup in its place, and let it go to a moment."""
    server.stop()
    server.data = server.folder / "base"
    add_settings(server, re.sub(r"2026-.*\+00", moment, placed(server, RECOVERY)))
    signal, start = START.splitlines()
    assert start.startswith("pg_ctl start --wait --pgdata /srv/base")
    Path(placed(server, signal).removeprefix("touch ")).touch()
    server.start()
    wait_until(lambda: ask(server, "SELECT pg_is_in_recovery()") is False)


def ask(server: PostgresServer, statement: str) -> object:
    with psycopg.connect(server.url, autocommit=True) as connection:
        row = connection.execute(statement.encode()).fetchone()
        return row and row[0]


@pytest.mark.thorough
def test_database_goes_back_to_a_moment_and_what_was_done_since_is_done_again(
    server: PostgresServer, tmp_path: Path
) -> None:
    journal = tmp_path / "acts.journal"
    before, between, after = (make_reports(n_reports, SMALL) for n_reports in (300, 200, 100))
    with closing(Store(server.url)) as store:
        stored = publish_here(store, SMALL)
        keep_journal(store, str(journal))
        count_here(store, stored, before)
        run_page(server, BASE_BACKUP)
        count_here(store, stored, between)
        moment = str(ask(server, "SELECT clock_timestamp()"))
        count_here(store, stored, after)
        assert store.erase_report(stored, between[0].id)
    ask(server, "SELECT pg_switch_wal()")
    bring_back(server, moment)
    assert RESTORE.startswith("sotto db restore --in-place --db ")
    asked = ["db", "restore", "--in-place", "--db", server.url, "--journal", str(journal)]
    result = CliRunner().invoke(main, asked)
    assert result.exit_code == 0, result.output
    check_store(server.url)
    with closing(Store(server.url)) as store:
        assert store.read_tally(publish_here(store, SMALL)) == tally_of(SMALL, before + between[1:])
        assert count_here(store, publish_here(store, SMALL), before[:3] + after) == [Outcome(100, 3, 0)]
    assert ask(server, "SELECT restore_mark FROM store") != 0
    archived = sorted((server.folder / "wal").glob("*.backup"))
    run_page(server, CLEAN_UP.replace("000000010000000000000002.00000028.backup", archived[-1].name))
    assert min(path.name for path in (server.folder / "wal").glob("0*[0-9A-F]")) >= archived[-1].name[:24]


@pytest.mark.thorough
def test_archive_tells_the_order_in_which_reports_came(server: PostgresServer) -> None:
    """As the page says; where this fails, the page promises less than is so."""
    reports = make_reports(8, SMALL)
    with closing(Store(server.url)) as store:
        stored = publish_here(store, SMALL)
        for report in reports:
            count_here(store, stored, [report])
    ask(server, "SELECT pg_switch_wal()")
    wait_until(lambda: places(server, reports) != [])
    found = places(server, reports)
    assert found == sorted(found)


def places(server: PostgresServer, reports: list[Report]) -> list[int]:
    """Return where the archive has each report's id first, in the order of arrival; empty until it has all."""
    archive = b"".join(path.read_bytes() for path in sorted((server.folder / "wal").glob("0*[0-9A-F]")))
    found = [archive.find(report.id) for report in reports]
    return [] if -1 in found else found
