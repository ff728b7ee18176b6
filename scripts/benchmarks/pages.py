"""The pages at a million reports against their time limit, and the JavaScript client against its size limit."""

import gzip
import itertools
import statistics
import sys
import tempfile
import time
from pathlib import Path

import requests
from bars import Bar
from stores import collectors, fill, make_token

from collecting import small_survey

N_STORED = 10**6
N_READS = 20
MOST_MS = 100
MOST_BYTES = 15_000
BUNDLE = Path(__file__).parents[2] / "client" / "js" / "sottovoce.min.js"
METHODS = ("chernoff", "hoeffding", "clopper-pearson", "wilson")
LEVELS = ("0.9", "0.95", "0.99")


def read_ms(session: requests.Session, address: str) -> float:
    started = time.perf_counter()
    session.get(address, timeout=60).raise_for_status()
    return 1000 * (time.perf_counter() - started)


def at_most(name: str, ours: float, most: float, unit: str) -> Bar:
    """Print and return a bar that is a limit."""
    print(f"{'clears' if ours <= most else 'MISSES'}  {name}: {ours:,.1f} {unit} (bar {most:,} {unit})", flush=True)
    return Bar(name, 1 / ours, 1 / most, most / ours, 1, "limit")


def of_results() -> list[Bar]:
    """Read the results page: the first of a new process, and what nobody has asked for before."""
    survey = small_survey()
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder, "pages.db")
        fill(database, survey, N_STORED)
        with collectors(database, survey) as (url,), requests.Session() as session:
            session.headers["Authorization"] = f"Bearer {make_token(database, 'analyst')}"
            results = f"{url}/s/bench/results"
            first_ms = read_ms(session, results)
            choices = itertools.product(METHODS, LEVELS, ("population", "respondents"))
            new_ms = [
                read_ms(session, f"{results}?method={method}&level={level}&target={target}")
                for method, level, target in itertools.islice(choices, N_READS)
            ]
            page_ms = statistics.median(read_ms(session, f"{url}/s/bench") for _ in range(N_READS))
    return [
        at_most(f"results page of {N_STORED:,} reports, first of a process", first_ms, MOST_MS, "ms"),
        at_most("the same, of new choices, the slowest", max(new_ms), MOST_MS, "ms"),
        at_most("survey page", page_ms, MOST_MS, "ms"),
    ]


def of_client() -> list[Bar]:
    n_bytes = len(gzip.compress(BUNDLE.read_bytes(), 9))
    return [at_most("JavaScript client, gzip -9", n_bytes, MOST_BYTES, "bytes")]


def main() -> int:
    bars = of_results() + of_client()
    return int(any(bar.ratio < bar.least for bar in bars))


if __name__ == "__main__":
    sys.exit(main())
