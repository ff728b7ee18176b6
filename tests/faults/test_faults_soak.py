"""A long load: stored is what was sent, and neither memory nor descriptors grow."""

import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from http.client import HTTPConnection
from itertools import count
from pathlib import Path

import numpy as np
import pytest

from collecting import SMALL, TIMEOUT_S, Served, make_reports, serve, wait_until
from crowd import FULL, changed, check_stored, post
from sotto_collector.store.sqlite_engine import CACHE_KIB

N_CLIENTS = 4
N_BATCH = 100
WARM_UP_S = 60.0
SOAK_S = 600.0
N_BOUNDED = 150
"""Requests of the bounded soak, and before it to warm up: as many as come through, not half as many."""
MAX_GROWTH_BYTES = 24 * 2**20
MAX_NEW_DESCRIPTORS = 20
"""Connections to the database are opened as they are needed, up to so many."""
CACHE_BYTES = 1024 * CACHE_KIB if FULL else 0
"""Besides, in the long soak, SQLite's cache of pages fills; in the bounded one the database stays far smaller."""


def memory_bytes(served: Served) -> int:
    """Return how much memory of its own the collector has, without files and memory that it shares."""
    status = Path(f"/proc/{served.process.pid}/status").read_text()
    return 1024 * next(int(line.split()[1]) for line in status.splitlines() if line.startswith("RssAnon"))


def n_descriptors(served: Served) -> int:
    return sum(1 for _ in Path(f"/proc/{served.process.pid}/fd").iterdir())


def load(served: Served, *, n_requests: int = 0, seconds: float = 0.0, pace_s: float = 0.0) -> list[float]:
    """Send so many requests or for so long, one every `pace_s` from each client; return their latencies."""
    ends = time.monotonic() + seconds

    def send(number: int) -> list[float]:
        latencies: list[float] = []
        begun = time.monotonic()
        with closing(HTTPConnection("127.0.0.1", served.port, timeout=TIMEOUT_S)) as connection:
            for index in count():
                if (index >= n_requests / N_CLIENTS) if n_requests else time.monotonic() >= ends:
                    return latencies
                time.sleep(max(0.0, begun + index * pace_s - time.monotonic()))
                reports, asked = make_reports(N_BATCH, SMALL), time.monotonic()
                status, _, document = post(connection, SMALL, reports)
                assert (status, document["counted"]) == (200, N_BATCH)
                latencies.append(time.monotonic() - asked)
        raise AssertionError("a count has no end")

    with ThreadPoolExecutor(N_CLIENTS) as pool:
        return [latency for latencies in pool.map(send, range(N_CLIENTS)) for latency in latencies]


def soak(db: str, change: str = "") -> tuple[int, int]:
    """Load a collector; return by how much its memory and the number of its descriptors have grown since the start."""
    is_long = FULL and not change
    with serve(db, survey=SMALL, command=changed(change)) as served:
        began = time.monotonic()
        warm = load(served, seconds=WARM_UP_S) if is_long else load(served, n_requests=N_BOUNDED)
        pace_s = 2 * (time.monotonic() - began) / (len(warm) / N_CLIENTS)
        before, descriptors = memory_bytes(served), n_descriptors(served)
        later = load(served, seconds=SOAK_S, pace_s=pace_s) if is_long else load(served, n_requests=N_BOUNDED)
        if not change:
            wait_until(lambda: n_descriptors(served) <= descriptors + MAX_NEW_DESCRIPTORS)
        grown = memory_bytes(served) - before, n_descriptors(served) - descriptors
        served.stop()
    n_reports = N_BATCH * (len(warm) + len(later))
    assert len(check_stored(db, SMALL)) == n_reports
    slow_ms = [1000 * float(np.quantile(latencies, 0.99)) for latencies in (warm, later)]
    print(f"{n_reports:,} reports, memory {grown[0] / 2**20:+.1f} MiB, p99 {slow_ms[0]:.0f} then {slow_ms[1]:.0f} ms")
    return grown


@pytest.mark.slow
def test_soak_stores_what_was_sent_in_flat_memory_and_with_as_many_descriptors_as_before(db: str) -> None:
    memory, descriptors = soak(db)
    assert memory < MAX_GROWTH_BYTES + (0 if db.startswith("postgresql") else CACHE_BYTES)
    assert descriptors <= MAX_NEW_DESCRIPTORS


def test_collector_that_hoards_is_found_out(tmp_path: Path) -> None:
    memory, descriptors = soak(str(tmp_path / "survey.db"), "hoard")
    assert memory > MAX_GROWTH_BYTES
    assert descriptors > MAX_NEW_DESCRIPTORS
