"""An upgrade from the first schema against its limit; ingest while a backup is made against ingest alone."""

import os
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

import numpy as np
from bars import PER_SECOND, Bar, of_pairs
from ingest import SOTTO, make_bodies, small_survey
from stores import N_ROUNDS, N_STORED, collectors, fill, ingest

from sotto_client import os_coins

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "support"))
from collecting import SMALL  # the path comes first
from old_schemas import Reports, make_old
from postgres_server import database_of, postgres_server
from sotto_collector.store import Store
from sotto_collector.store.copy import copy_store
from sotto_protocol import Report, Survey

LIMIT_S = 120.0
NICE = ("nice", "-n", "19")
"""As docs/database.md says: a backup then takes what the collector leaves of the processor."""
N_PIECES, N_ALONE, N_BODIES = 60, 10, 100
"""Ingest goes on piece by piece, of so many batches of 100, until the backup is done; N_ALONE pieces are sent alone."""


def old_reports(n_reports: int) -> Reports:
    records = SMALL.perturb({"affair": np.zeros(n_reports, int), "rating": np.zeros(n_reports, int)}, os_coins())
    return {"habits": [], SMALL.id: [Report(os.urandom(16), record.tobytes()) for record in records]}


def upgrading(name: str, db: str, n_reports: int) -> Bar:
    """Upgrade a database of schema 0001 by the command; it counts all reports again."""
    make_old(db, 1, old_reports(n_reports))
    began = time.perf_counter()
    subprocess.run([SOTTO, "db", "upgrade", "--db", db], check=True, stdout=subprocess.DEVNULL)
    taken = [(time.perf_counter() - began, LIMIT_S)]
    return of_pairs(
        f"upgrade of {n_reports:,} reports from schema 0001, {name}", taken, least=1, reference="limit", unit="s"
    )


def ingest_during(url: str, survey: Survey, command: list[str]) -> tuple[float, float]:
    """Return reports a second while a command runs, and as many alone, half of these before it and half after."""
    pieces = [make_bodies(survey, N_BODIES, 100) for _ in range(N_PIECES)]
    before, after, pieces = pieces[: N_ALONE // 2], pieces[-N_ALONE // 2 :], pieces[N_ALONE // 2 : -N_ALONE // 2]
    seconds_alone = send(url, before)
    n_sent, began = 0, time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as running:
        for piece in pieces:
            ingest([url], piece, 100)
            n_sent += 100 * len(piece)
            if running.poll() is not None:
                break
        rate = n_sent / (time.perf_counter() - began)
    assert running.returncode == 0
    seconds_alone += send(url, after)
    return rate, N_ALONE * N_BODIES * 100 / seconds_alone


def send(url: str, pieces: list[list[bytes]]) -> float:
    """Return how many seconds a collector takes for all of these."""
    began = time.perf_counter()
    for piece in pieces:
        ingest([url], piece, 100)
    return time.perf_counter() - began


def backing_up(name: str, db: str, survey: Survey, folder: str) -> Bar:
    pairs = []
    with collectors(db, survey) as (url,):
        for _ in range(N_ROUNDS):
            copy = Path(folder, f"{len(pairs)}.{name}")
            pairs.append(ingest_during(url, survey, [*NICE, str(SOTTO), "backup", "--db", db, "--to", str(copy)]))
    what = f"ingest during a backup of {N_STORED:,} reports, {name}"
    return of_pairs(what, pairs, least=0.8, reference="ingest alone", unit=PER_SECOND)


def measure() -> list[Bar]:
    survey = small_survey()
    with tempfile.TemporaryDirectory() as folder, postgres_server() as server:
        full, old = Path(folder, "full.db"), Path(folder, "old.db")
        fill(full, survey, N_STORED)
        with database_of(server.url) as old_url, database_of(server.url) as full_url:
            with closing(Store(full)) as source:
                copy_store(source, full_url)
            return [
                upgrading("SQLite", str(old), N_STORED),
                upgrading("PostgreSQL", old_url, N_STORED),
                backing_up("SQLite", str(full), survey, folder),
                backing_up("PostgreSQL", full_url, survey, folder),
            ]
