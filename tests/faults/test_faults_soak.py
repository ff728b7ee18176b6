"""A long load, beside backups, erasures, pages and a restart: stored is what was sent; memory and descriptors stay."""

import os
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, closing
from http.client import HTTPConnection, HTTPException
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from collecting import SMALL, TIMEOUT_S, Served, make_reports, publish_here, serve, tally_of, wait_until
from crowd import FULL, changed, post
from sotto_collector.store import Store
from sotto_collector.store.copy import copy_store
from sotto_collector.store.recount import check_integrity
from sotto_collector.store.sqlite_engine import CACHE_KIB
from sotto_protocol import Report, Tally

N_CLIENTS = 4
N_BATCH = 100
WARM_UP_S = 60.0
SOAK_S = float(os.environ.get("SOTTO_TEST_SOAK_S", 3600))
"""How long the long soak takes, half of it before and half after a restart."""
N_BOUNDED = 150
"""Requests of a part of the bounded soak: as many as come through, not half as many."""
CHORE_S, BACKUP_S = (1.0, 300.0) if FULL else (0.1, 0.0)
"""How long the operator rests between two chores, and at least between two backups."""
MAX_GROWTH_BYTES = 24 * 2**20
MAX_NEW_DESCRIPTORS = 20
"""Connections to the database are opened as they are needed, up to so many."""
CACHE_BYTES = 1024 * CACHE_KIB if FULL else 0
"""Besides, in the long soak, SQLite's cache of pages fills; in the bounded one the database stays far smaller."""
PAGES = ("/", f"/s/{SMALL.id}", f"/v1/surveys/{SMALL.id}", "/healthz")


def memory_bytes(served: Served) -> int:
    """Return how much memory of its own the collector has, without files and memory that it shares."""
    status = Path(f"/proc/{served.process.pid}/status").read_text()
    return 1024 * next(int(line.split()[1]) for line in status.splitlines() if line.startswith("RssAnon"))


def n_descriptors(served: Served) -> int:
    return sum(1 for _ in Path(f"/proc/{served.process.pid}/fd").iterdir())


class Soak:
    """Clients who send until each batch is acknowledged, and an operator beside them; what they sent, and erased."""

    def __init__(self, served: Served, folder: Path) -> None:
        self.served = served
        self.sent = Tally.empty(SMALL)
        self.erased: list[Report] = []
        self.n_batches = self.n_backups = 0
        self._folder = folder
        self._known: deque[Report] = deque(maxlen=1000)
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._next_backup = 0.0
        self._going: Report | None = None

    def run(
        self, n_requests: int, seconds: float, *, pace_s: float = 0.0, between: Callable[[], None] | None = None
    ) -> list[float]:
        """Let all work for so long, or for so many batches; do something half-way; return the batches' latencies."""
        self._stopping.clear()
        with ThreadPoolExecutor(N_CLIENTS + 1) as pool:
            operating = pool.submit(self._operate)
            sending = [pool.submit(self._send, pace_s) for _ in range(N_CLIENTS)]
            try:
                self._wait(n_requests // 2, seconds / 2, [operating, *sending])
                if between:
                    between()
                self._wait(n_requests // 2, seconds / 2, [operating, *sending])
            finally:
                self._stopping.set()
            operating.result()
            return [latency for each in sending for latency in each.result()]

    def _wait(self, n_requests: int, seconds: float, working: list[Future[Any]]) -> None:
        enough, ends = self.n_batches + n_requests, time.monotonic() + seconds
        while not any(each.done() for each in working):
            if (time.monotonic() >= ends) if seconds else (self.n_batches >= enough):
                return
            time.sleep(0.01)

    def _send(self, pace_s: float) -> list[float]:
        latencies: list[float] = []
        begun = time.monotonic()
        for index in count():
            self._stopping.wait(max(0.0, begun + index * pace_s - time.monotonic()))
            if self._stopping.is_set():
                break
            reports, asked = make_reports(N_BATCH, SMALL), time.monotonic()
            self._deliver(reports)
            latencies.append(time.monotonic() - asked)
            with self._lock:
                self.sent += tally_of(SMALL, reports)
                self.n_batches += 1
                self._known.append(reports[0])
        return latencies

    def _deliver(self, reports: list[Report]) -> None:
        """Send a batch until it is acknowledged: it counts once."""
        ends = time.monotonic() + TIMEOUT_S
        while time.monotonic() < ends:
            try:
                with closing(HTTPConnection("127.0.0.1", self.served.port, timeout=TIMEOUT_S)) as connection:
                    status, _, document = post(connection, SMALL, reports)
            except (OSError, HTTPException):
                time.sleep(0.05)  # it is restarted
                continue
            assert status in (200, 503), document
            if status == 200:
                return
        raise AssertionError("nobody is served")

    def _operate(self) -> None:
        """Read pages, erase a report, make a backup, again and again; what is refused or cut is done again."""
        for number in count():
            try:
                self._ask("GET", PAGES[number % len(PAGES)])
                self._ask("GET", f"/v1/surveys/{SMALL.id}/tally", token=self.served.analyst)
                self._erase()
            except (OSError, HTTPException):
                self._stopping.wait(0.05)
            if time.monotonic() >= self._next_backup:
                self._back_up()
            if self._stopping.wait(CHORE_S):
                return

    def _ask(self, method: str, path: str, body: bytes = b"", token: str = "") -> bool:
        """Return whether it was done: a collector may be busy."""
        status, _, said = self.served.fetch(method, path, body, token)
        assert status in (200, 503), said
        return status == 200

    def _erase(self) -> None:
        """Erase a report that is counted; the same one again where nobody answered."""
        if not self._known:
            return
        self._going = self._going or self._known[-1]
        body = f'{{"receipt": "{self._going.id.hex()}"}}'.encode()
        if self._ask("POST", f"/v1/surveys/{SMALL.id}/erase", body):
            self.erased += [self._going] if self._going not in self.erased else []
            self._going = None

    def _back_up(self) -> None:
        """Copy the store; hold that the copy is whole."""
        target = self._folder / f"{self.n_backups}.db"
        with closing(Store(self.served.db)) as store:
            copy_store(store, str(target))
        check(target)
        target.unlink()
        self.n_backups += 1
        self._next_backup = time.monotonic() + BACKUP_S


def check(db: str | Path) -> Tally:
    """Hold that a store is sound and that its tally is that of its reports; return it."""
    with closing(Store(db)) as store:
        check_integrity(store)
        stored = publish_here(store, SMALL)
        tally = store.read_tally(stored)
        assert tally == store.recount(stored)
        return tally


def soak(db: str, folder: Path, change: str = "") -> tuple[int, int]:
    """Load a collector, and its successor; return by how much memory and descriptors grew, of that which grew most."""
    is_long = FULL and not change
    warm_up_s, soak_s = (WARM_UP_S, SOAK_S / 2) if is_long else (0.0, 0.0)
    n_bounded = N_BOUNDED if change else N_BOUNDED // 2
    grown: list[tuple[int, int]] = []
    with ExitStack() as stack:

        def begin() -> Served:
            return stack.enter_context(serve(db, survey=SMALL, command=changed(change)))

        def restart() -> None:
            assert crowd.served.stop()[0] == 0  # it may say that a backup keeps it from clearing what it can
            crowd.served = begin()

        crowd = Soak(begin(), folder)
        for between in (None, restart):
            warm = crowd.run(n_bounded, warm_up_s, between=between)
            before, descriptors = memory_bytes(crowd.served), n_descriptors(crowd.served)
            later = crowd.run(n_bounded, soak_s, pace_s=2 * warm_up_s * N_CLIENTS / len(warm))
            if change:
                return memory_bytes(crowd.served) - before, n_descriptors(crowd.served) - descriptors
            wait_until(lambda most=descriptors + MAX_NEW_DESCRIPTORS: n_descriptors(crowd.served) <= most)
            grown.append((memory_bytes(crowd.served) - before, n_descriptors(crowd.served) - descriptors))
            describe(crowd, grown[-1], warm, later)
        assert crowd.served.stop() == (0, "", "")
    assert check(db) + tally_of(SMALL, crowd.erased) == crowd.sent
    assert crowd.erased
    assert crowd.n_backups
    return max(memory for memory, _ in grown), max(new for _, new in grown)


def describe(crowd: Soak, grown: tuple[int, int], *latencies: list[float]) -> None:
    slow_ms = [1000 * float(np.quantile(each, 0.99)) for each in latencies]
    print(
        f"{crowd.sent.n_reports:,} reports sent, {len(crowd.erased):,} erased, {crowd.n_backups} backups; "
        f"memory {grown[0] / 2**20:+.1f} MiB, {grown[1]:+} descriptors, p99 {slow_ms[0]:.0f} then {slow_ms[1]:.0f} ms"
    )


@pytest.mark.slow
@pytest.mark.later("postgres", "rare")
def test_soak_stores_what_was_sent_in_flat_memory_and_with_as_many_descriptors_as_before(
    db: str, tmp_path: Path
) -> None:
    memory, descriptors = soak(db, tmp_path)
    assert memory < MAX_GROWTH_BYTES + (0 if db.startswith("postgresql") else CACHE_BYTES)
    assert descriptors <= MAX_NEW_DESCRIPTORS


@pytest.mark.rare
def test_collector_that_hoards_is_found_out(tmp_path: Path) -> None:
    memory, descriptors = soak(str(tmp_path / "survey.db"), tmp_path, "hoard")
    assert memory > MAX_GROWTH_BYTES
    assert descriptors > MAX_NEW_DESCRIPTORS
