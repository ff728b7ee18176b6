"""Of a survey that keeps counts alone no report gets anywhere: no file, no log, and nothing that a database is told.

Every search is made once more of a survey that keeps reports, where it must find them.
"""

import base64
import json
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import psycopg
import pytest

from collecting import TIMEOUT_S, Served, make_reports, serve, tally_of
from postgres_server import PostgresServer, database_of, postgres_server
from sotto_collector.store import Store
from sotto_collector.store.copy import copy_store
from sotto_collector.store.transaction import pack_counts
from sotto_protocol import Report, Survey, compile_toml
from wire import wire_to

OPTIONS = ", ".join(f'"{number}"' for number in range(128))
WIDE = compile_toml(f"""
id = "wide"
title = "Wide: no two reports are alike, and a row of its tally is stored as it is"
[[questions]]
id = "town"
type = "one-of"
text = "Where?"
options = [{OPTIONS}]
mechanism = "sue"
epsilon = 1.0
""")
N_REPORTS = 10
KEEPS = pytest.mark.parametrize("keep", ["reports", "counts"])


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    """A server of these tests' own: its files are read."""
    with postgres_server("log_min_messages=info") as started:
        yield started


def spell(survey: Survey, reports: list[Report]) -> list[bytes]:
    """Return the forms in which somebody might write reports down: bits, digits, base64, what was sent."""
    sent = [survey.layout.to_wire(np.frombuffer(report.record, np.uint8))["answers"] for report in reports]
    texts = [json.dumps(answers["town"], separators=(",", ":")).encode() for answers in sent]
    bits = [report.record for report in reports]
    return [*bits, *(b.hex().encode() for b in bits), *(base64.b64encode(b).rstrip(b"=") for b in bits), *texts]


def read_files(*folders: Path) -> bytes:
    """Return every byte of every file below; one that goes meanwhile has gone."""
    found = []
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            try:
                found.append(path.read_bytes() if path.is_file() else b"")
            except FileNotFoundError:
                continue
    return b"\0".join(found)


def hold(content: bytes, survey: Survey, reports: list[Report]) -> None:
    """Hold that none of the reports is there, and all their ids are; or reports, too, of a survey that keeps them."""
    found = [form for form in spell(survey, reports) if form in content]
    assert bool(found) is survey.keeps_reports
    assert all(report.id in content for report in reports)


def send(served: Served, survey: Survey, reports: list[Report]) -> None:
    """Send the first four one by one, the others together, and all of them once more."""
    for batch in (*([report] for report in reports[:4]), reports[4:], reports):
        assert served.send(batch, survey)[0] == 200


@pytest.mark.thorough
@KEEPS
def test_no_file_of_sqlite_holds_a_report_while_it_serves_when_killed_and_afterwards(tmp_path: Path, keep: str) -> None:
    survey, folder = replace(WIDE, keep=keep), tmp_path / "store"
    reports, more = make_reports(N_REPORTS, survey), make_reports(N_REPORTS, survey)
    folder.mkdir()
    with serve(folder / "survey.db", survey=survey) as served:
        send(served, survey, reports)
        hold(read_files(folder), survey, reports)
        served.kill()
        hold(read_files(folder), survey, reports)
    with serve(folder / "survey.db", survey=survey) as served:
        send(served, survey, more)
        with closing(Store(served.db)) as store:
            copy_store(store, str(tmp_path / "backup.db"))
        assert served.stop() == (0, "", "")
    hold(read_files(folder), survey, reports + more)
    hold((tmp_path / "backup.db").read_bytes(), survey, reports + more)


@pytest.mark.thorough
@KEEPS
def test_no_file_of_postgresqls_holds_a_report_and_nothing_tells_it_one(server: PostgresServer, keep: str) -> None:
    """Not even its log, its write-ahead log, a temporary table: what goes over the wire to it holds none."""
    survey = replace(WIDE, keep=keep)
    reports = make_reports(N_REPORTS, survey)
    with database_of(server.url) as url, wire_to(server.port) as wire:
        through = url.replace(f":{server.port}/", f":{wire.server_address[1]}/")
        with serve(through, survey=survey) as served:
            send(served, survey, reports)
            hold(read_files(server.data) + (server.folder / "server.log").read_bytes(), survey, reports)
            assert served.stop() == (0, "", "")
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("CHECKPOINT")
        hold(read_files(server.data), survey, reports)
        hold(b"\0".join(wire.received()), survey, reports)


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[str, list[Path]]]:
    """A database, and the folders of its files; without PostgreSQL's own log, which it recycles by itself."""
    if request.param == "sqlite":
        yield str(tmp_path / "survey.db"), [tmp_path]
        return
    server = request.getfixturevalue("server")
    with database_of(server.url) as url:
        yield url, [server.data / "base", server.data / "global"]


@pytest.mark.later("postgres", "thorough")
def test_no_earlier_tally_stays_the_difference_to_which_would_be_a_report(place: tuple[str, list[Path]]) -> None:
    """Each is there for seconds, with the last commits; the collector need not stop for it to go."""
    survey, (db, folders) = replace(WIDE, keep="counts"), place
    reports = make_reports(6, survey)
    states = [pack_counts(tally_of(survey, reports[: n + 1]).pack().counts) for n in range(6)]

    def look() -> list[bool]:
        checkpoint(db)
        content = read_files(*folders)
        return [state in content for state in states]

    def wait_for(is_so: Callable[[list[bool]], bool]) -> None:
        deadline = time.monotonic() + TIMEOUT_S
        while not is_so(look()):  # polled, for nothing announces it
            assert time.monotonic() < deadline
            time.sleep(0.2)

    with serve(db, survey=survey) as served:
        for number, report in enumerate(reports):
            assert served.send([report], survey)[0] == 200
            wait_for(lambda found, number=number: found[number])  # not where a file was just being written anew
        wait_for(lambda found: found == [False] * 5 + [True])
        assert served.stop() == (0, "", "")
    assert look() == [False] * 5 + [True]


def checkpoint(db: str) -> None:
    if db.startswith("postgresql:"):
        with psycopg.connect(db, autocommit=True) as connection:
            connection.execute("CHECKPOINT")
