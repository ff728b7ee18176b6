"""A crowd: clients under load, who send again what was not acknowledged, and what must be true of a store then."""

import json
import os
import random
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any

from collecting import SMALL, SOTTO, TIMEOUT_S, Served, make_reports, publish_here, serve
from sotto_collector.store import Store
from sotto_collector.store.recount import check_integrity
from sotto_protocol import Report, Survey, Tally, batch_body, stack_records

FULL = "SOTTO_TEST_FULL" in os.environ
PLANTED = Path(__file__).with_name("planted.py")


def changed(name: str) -> tuple[str | Path, ...]:
    """Return what to start in place of `sotto`, to have a collector with a change of planted.py's, or ""."""
    return (sys.executable, PLANTED, name) if name else (SOTTO,)


class Crowd:
    """Clients of one survey: every report that they sent, and those that were acknowledged.

    `ports` are those of the collectors that they know; who gets no answer from one turns to another. After an answer
    each pauses for `pause_s`: where collectors are started meanwhile, they shall have the processor too.
    """

    def __init__(self, survey: Survey = SMALL, *, n_clients: int = 8, n_batch: int = 10, pause_s: float = 0.0) -> None:
        self.survey = survey
        self.sent: dict[bytes, Report] = {}
        self.acknowledged: set[bytes] = set()
        self.ports: list[int] = []
        self.statuses: Counter[int] = Counter()
        self.n_lost = 0
        """Requests that got no answer: their connection was refused or cut."""
        self.dress: Callable[[list[Report]], list[Report]] = list
        """What is done to new reports before they are sent: they get invitations."""
        self.n_clients = n_clients
        self._n_batch = n_batch
        self._pause_s = pause_s
        self._waiting: dict[bytes, Report] = {}
        self._lock = threading.Lock()
        self._answered = threading.Condition(self._lock)
        self._progress = threading.Semaphore(0)
        self._stopping = threading.Event()

    @contextmanager
    def at_work(self, *served: Served) -> Iterator[None]:
        """Let everybody send until the block ends; raise what went wrong."""
        self.ports = [each.port for each in served]
        self._stopping.clear()
        with ThreadPoolExecutor(self.n_clients) as pool:
            loads = [pool.submit(self._load, number) for number in range(self.n_clients)]
            try:
                yield
            finally:
                self._stopping.set()
            for load in loads:
                load.result(TIMEOUT_S)

    def wait_for(self, n_batches: int) -> None:
        """Wait until so many more batches were acknowledged."""
        while self._progress.acquire(blocking=False):
            pass
        for _ in range(n_batches):
            assert self._progress.acquire(timeout=TIMEOUT_S), f"nobody is served: {self.statuses}, {self.n_lost} lost"

    def wait_for_status(self, status: int, n_answers: int) -> None:
        """Wait until so many more requests were answered with this status."""
        enough = self.statuses[status] + n_answers
        with self._answered:
            assert self._answered.wait_for(lambda: self.statuses[status] >= enough, TIMEOUT_S), self.statuses

    def next_batch(self, chance: random.Random) -> list[Report]:
        """Return reports, half of them new where some still wait for an acknowledgement: these are cut anew."""
        with self._lock:
            again = chance.sample(list(self._waiting.values()), min(len(self._waiting), self._n_batch // 2))
        wave = chance.randint(1, self.survey.waves)
        batch = again + self.dress(make_reports(self._n_batch - len(again), self.survey, wave))
        with self._lock:
            self.sent |= {report.id: report for report in batch}
            self._waiting |= {report.id: report for report in batch if report.id not in self.acknowledged}
        return batch

    def _load(self, seed: int) -> None:
        chance = random.Random(seed)  # noqa: S311  # a choice of batches, no secret
        while not self._stopping.is_set():
            port = chance.choice(self.ports)
            with closing(HTTPConnection("127.0.0.1", port, timeout=TIMEOUT_S)) as connection:
                while not self._stopping.is_set() and port in self.ports:
                    if not self._send(connection, self.next_batch(chance)):
                        self._stopping.wait(0.1)  # a polite client leaves a collector that fails alone
                        break
                    self._stopping.wait(self._pause_s)

    def _send(self, connection: HTTPConnection, batch: list[Report]) -> bool:
        """Send a batch; return whether the connection may be used again."""
        try:
            status, headers, body = post(connection, self.survey, batch)
        except (OSError, HTTPException):
            with self._lock:
                self.n_lost += 1
            return False
        with self._lock:
            self.statuses[status] += 1
            self._answered.notify_all()
            if status == 200:
                self.acknowledged |= {report.id for report in batch}
                for report in batch:
                    self._waiting.pop(report.id, None)
        if status == 200:
            self._progress.release()
            return headers.get("Connection") != "close"
        assert (status, "Retry-After" in headers) == (503, True), (status, body)
        return False

    def check(self, db: str | Path) -> None:
        """Hold that a store has every acknowledged report once, none that was never sent, and its tallies agree."""
        stored = check_stored(db, self.survey)
        lost = self.acknowledged - stored.keys()
        assert not lost, f"{len(lost)} of {len(self.acknowledged)} acknowledged reports are lost"
        if self.survey.keeps_reports:
            assert all(self.sent[key].record == record for key, record in stored.items())
        else:  # the ids alone are there; the tally must be that of their reports
            assert not any(stored.values())
            self._check_tally(db, [self.sent[key] for key in stored])

    def finish(self, db: str | Path, served: Served) -> None:
        """Send everything once more: then all that was ever sent is counted, exactly once."""
        every = list(self.sent.values())
        for start in range(0, len(every), 1000):
            status, _, document = served.send(every[start : start + 1000], self.survey)
            assert status == 200, document
        self.acknowledged |= self.sent.keys()
        self.check(db)
        self._check_tally(db, every)

    def _check_tally(self, db: str | Path, reports: list[Report]) -> None:
        """Hold that the tally is that of exactly these reports; and so is its recount, where they are kept."""
        with closing(Store(db)) as store:
            stored = publish_here(store, self.survey)
            expected = Tally.of(self.survey, stack_records([report.record for report in reports]))
            assert store.read_tally(stored) == expected
            assert not self.survey.keeps_reports or store.recount(stored) == expected


def check_stored(db: str | Path, survey: Survey) -> dict[bytes, bytes]:
    """Hold that a store is sound and that its tallies are those of its reports; return these, by id."""
    with closing(Store(db)) as store:
        check_integrity(store)
        return dict(store.read_reports(publish_here(store, survey)))


def post(connection: HTTPConnection, survey: Survey, reports: Sequence[Report]) -> tuple[int, Any, Any]:
    """Send a batch on a connection that is kept; return (status, headers, document)."""
    path, headers = f"/v1/surveys/{survey.id}/reports", {"Content-Type": "application/json"}
    connection.request("POST", path, batch_body(survey, list(reports)), headers)
    response = connection.getresponse()
    return response.status, response.headers, json.loads(response.read())


@contextmanager
def collectors(
    db: str | Path, n_collectors: int, *flags: str, survey: Survey = SMALL, change: str = ""
) -> Iterator[list[Served]]:
    """Serve one database by several processes at once; yield the list of them."""
    opened = [serve(db, *flags, survey=survey, command=changed(change)) for _ in range(n_collectors)]
    with ExitStack() as stack:
        with ThreadPoolExecutor(n_collectors) as pool:  # they take a second each to start
            entered = list(pool.map(stack.enter_context, opened))
        yield entered
