"""Pages and metrics at a million reports against the same at a thousand: they read counts, however many there are."""

import itertools
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import requests
from bars import Bar, compare
from ingest import small_survey
from stores import collectors, fill, make_token

from sotto_estimator.intervals.methods import METHODS

N_STORED, N_FEW = 10**6, 10**3
N_STARTS, N_READS = 5, 20
PAGE = "/s/bench"
LEVELS = ("0.9", "0.95", "0.99")
TARGETS = ("population", "respondents")


def make_database(folder: Path, n_stored: int) -> Path:
    database = folder / f"{n_stored}.db"
    fill(database, small_survey(), n_stored)
    return database


@contextmanager
def reader(database: Path) -> Iterator[Callable[[str], float]]:
    """Serve a database by a new process; yield what reads a page of its survey and returns the milliseconds."""
    with collectors(database, small_survey()) as (url,), requests.Session() as session:
        session.headers["Authorization"] = f"Bearer {make_token(database, 'analyst')}"

        def read_ms(path: str) -> float:
            started = time.perf_counter()
            session.get(f"{url}{path}", timeout=60).raise_for_status()
            return 1000 * (time.perf_counter() - started)

        yield read_ms


def first_ms(database: Path) -> float:
    with reader(database) as read_ms:
        return read_ms(f"{PAGE}/results")


def new_choices() -> Iterator[str]:
    """Yield addresses of results that nobody has asked for before."""
    for method, level, target in itertools.product(METHODS, LEVELS, TARGETS):
        yield f"{PAGE}/results?method={method}&level={level}&target={target}"


def measure() -> list[Bar]:
    name, like = f"page of {N_STORED:,} reports", {"least": 0.5, "reference": f"the same of {N_FEW:,}", "unit": "ms"}
    with tempfile.TemporaryDirectory() as folder:
        many, few = (make_database(Path(folder), n_stored) for n_stored in (N_STORED, N_FEW))
        first = compare(
            f"results {name}, first of a process",
            lambda: first_ms(many),
            lambda: first_ms(few),
            rounds=N_STARTS,
            **like,
        )
        with reader(many) as of_many, reader(few) as of_few:
            ours, theirs = new_choices(), new_choices()
            return [
                first,
                compare(
                    f"results {name}, of new choices",
                    lambda: of_many(next(ours)),
                    lambda: of_few(next(theirs)),
                    rounds=N_READS,
                    **like,
                ),
                compare(f"survey {name}", lambda: of_many(PAGE), lambda: of_few(PAGE), rounds=N_READS, **like),
                compare(
                    f"metrics {name}", lambda: of_many("/metrics"), lambda: of_few("/metrics"), rounds=N_READS, **like
                ),
            ]
