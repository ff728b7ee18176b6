"""A million stored reports, or ten, against none; PostgreSQL against its own bare COPY, and with two collectors."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import numpy as np
import psycopg
import requests
from bars import Bar, compare
from ingest import SOTTO, make_bodies, server, small_survey
from load import send_all

from sotto_client import os_coins

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "support"))
from postgres_server import database_of, postgres_server  # the path comes first
from sotto_collector.intake.counting import Batch, count_batches, prepare_batches
from sotto_collector.store import Store
from sotto_collector.store.inbox import Inbox
from sotto_collector.store.postgres_rows import copy_rows
from sotto_protocol import Survey

N_STORED, N_STORED_MORE = 10**6, 10**7
N_FILLED = 10**6  # at a time
N_ROUNDS, N_READS = 3, 500
N_BATCHES, N_LARGE, N_SHARED = 2000, 200, 1000
"""Some seconds of ingest: the inbox is emptied several times meanwhile, and the store tidied."""
PATH = "/v1/surveys/bench/reports"
MAKE_BARE = """
CREATE TABLE IF NOT EXISTS bare (survey_key int, report_id bytea, packed bytea, PRIMARY KEY (survey_key, report_id));
CREATE TEMP TABLE staging (part int, report_id bytea, packed bytea) ON COMMIT DELETE ROWS
"""
INSERT_BARE = "INSERT INTO bare SELECT 1, report_id, packed FROM staging ON CONFLICT DO NOTHING"


def fill(database: Path, survey: Survey, n_reports: int) -> None:
    """Store reports by the collector's own code, past HTTP."""
    with closing(Store(database)) as store:
        store.add_survey(survey)
        stored = store.find_survey(survey.id)
        assert stored
        for start in range(0, n_reports, N_FILLED):
            n = min(N_FILLED, n_reports - start)
            answers = {"affair": np.zeros(n, int), "rating": np.zeros(n, int), "facts": np.zeros((n, 3), int)}
            batch = Batch(stored, os.urandom(16 * n), survey.perturb(answers, os_coins()))
            store.run(lambda transaction, batch=batch: count_batches(transaction, prepare_batches([batch])))
            Inbox(store).finish()


def make_token(database: object, role: str) -> str:
    command = [SOTTO, "token", "create", "--db", str(database), "--role", role]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


@contextmanager
def collectors(database: object, survey: Survey, n_collectors: int = 1) -> Iterator[list[str]]:
    """Serve a database, by one process or several, made where there is none; yield their URLs."""
    Store(str(database)).close()
    headers = {"Authorization": f"Bearer {make_token(database, 'admin')}", "Content-Type": "application/json"}
    with ExitStack() as running:
        command = [SOTTO, "serve", "--db", str(database), "--port", "0"]
        urls = [running.enter_context(server(command)) for _ in range(n_collectors)]
        requests.post(f"{urls[0]}/v1/surveys", survey.canonical, headers=headers, timeout=60).raise_for_status()
        yield urls


def ingest(urls: Sequence[str], bodies: Sequence[bytes], n_reports: int) -> float:
    """Return reports a second that collectors take together, each from eight connections of a load of its own."""
    shares = [bodies[index :: len(urls)] for index in range(len(urls))]
    started = time.perf_counter()
    with ThreadPoolExecutor(len(urls)) as pool:
        list(pool.map(lambda url, share: send_all(url, PATH, share, 8), urls, shares))
    return len(bodies) * n_reports / (time.perf_counter() - started)


def into_sqlite(database: Path, survey: Survey, bodies: Sequence[bytes], n_reports: int) -> float:
    with collectors(database, survey) as urls:
        return ingest(urls, bodies, n_reports)


def with_stored(survey: Survey, n_stored: int) -> list[Bar]:
    """Compare a full SQLite with a new one: reading the tally, and ingest."""
    bodies = make_bodies(survey, N_BATCHES, 100)
    with tempfile.TemporaryDirectory() as folder:
        full, empty = Path(folder, "full.db"), Path(folder, "empty.db")
        fill(full, survey, n_stored)
        with tally_reader(full, survey) as of_full, tally_reader(empty, survey) as of_empty:
            tally = compare(
                f"tally of {n_stored:,} reports",
                of_full,
                of_empty,
                least=0.5,
                reference="of none",
                unit="ms",
                rounds=N_READS,
            )

        def into_new() -> float:
            with tempfile.TemporaryDirectory() as new:
                return into_sqlite(Path(new, "new.db"), survey, bodies, 100)

        ingested = compare(
            f"ingest at {n_stored:,} stored reports",
            lambda: into_sqlite(full, survey, make_bodies(survey, N_BATCHES, 100), 100),
            into_new,
            least=0.4,
            reference="at none",
            rounds=N_ROUNDS,
        )
        return [tally, ingested]


@contextmanager
def tally_reader(database: Path, survey: Survey) -> Iterator[Callable[[], float]]:
    """Serve a database; yield what gets the tally over one connection and returns the milliseconds."""
    with collectors(database, survey) as (url,), requests.Session() as session:
        session.headers["Authorization"] = f"Bearer {make_token(database, 'analyst')}"

        def read_ms() -> float:
            started = time.perf_counter()
            session.get(f"{url}/v1/surveys/bench/tally", timeout=60).raise_for_status()
            return 1000 * (time.perf_counter() - started)

        yield read_ms


def bare_copy(url: str, n_commits: int, n_reports: int, width: int) -> float:
    """Return rows a second of COPY into a staging table and INSERT .. SELECT, over one connection; nothing else."""
    records = np.zeros((n_reports, width), np.uint8)
    with psycopg.connect(url) as connection:
        connection.execute(MAKE_BARE)
        connection.commit()
        started = time.perf_counter()
        for _ in range(n_commits):
            ids = np.frombuffer(os.urandom(16 * n_reports), "V16")
            with connection.cursor() as cursor:
                with cursor.copy("COPY staging FROM STDIN (FORMAT BINARY)") as copy:
                    copy.write(copy_rows(1, ids, records))
                cursor.execute(INSERT_BARE)
            connection.commit()
        return n_commits * n_reports / (time.perf_counter() - started)


def on_postgres(survey: Survey) -> list[Bar]:
    with postgres_server() as server_of_ours, database_of(server_of_ours.url) as url:

        def through(n_collectors: int, n_bodies: int, n_reports: int) -> float:
            bodies = make_bodies(survey, n_bodies, n_reports)
            with collectors(url, survey, n_collectors) as urls:
                return ingest(urls, bodies, n_reports)

        return [
            compare(
                "PostgreSQL, batches of 1,000 over HTTP",
                lambda: through(1, N_LARGE, 1000),
                lambda: bare_copy(url, N_LARGE, 1000, survey.layout.n_bytes),
                least=0.5,
                reference="bare COPY + INSERT .. SELECT",
                rounds=N_ROUNDS,
            ),
            compare(
                "two collectors on one PostgreSQL, batches of 100",
                lambda: through(2, N_SHARED, 100),
                lambda: through(1, N_SHARED, 100),
                least=1,
                reference="one collector",
                rounds=N_ROUNDS,
            ),
        ]


def measure() -> list[Bar]:
    survey = small_survey()
    return with_stored(survey, N_STORED) + on_postgres(survey)


def measure_more() -> list[Bar]:
    """Ten million stored reports: minutes."""
    return with_stored(small_survey(), N_STORED_MORE)
