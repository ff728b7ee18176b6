"""kill -9 under load: what was acknowledged is there, once, and nothing that was never sent."""

import random
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from http.client import HTTPConnection, HTTPException
from pathlib import Path

from collecting import SMALL, TIMEOUT_S, Served, make_reports, publish_here, serve
from sotto_collector.store import Store
from sotto_protocol import Report, Tally, batch_body, stack_records

ROUNDS = 20
CLIENTS = 6
BATCH = 10


class Sender:
    """What clients know: every report they sent, and those that were acknowledged. What was not is sent again."""

    def __init__(self) -> None:
        self.sent: dict[bytes, Report] = {}
        self.acknowledged: set[bytes] = set()
        self._lock = threading.Lock()
        self._progress = threading.Semaphore(0)

    def next_batch(self, chance: random.Random) -> list[Report]:
        """Return reports, half of them new, half of those that still wait for an acknowledgement, cut anew."""
        with self._lock:
            waiting = [report for key, report in self.sent.items() if key not in self.acknowledged]
            batch = chance.sample(waiting, min(len(waiting), BATCH // 2))
            batch += make_reports(BATCH - len(batch), SMALL)
            self.sent |= {report.id: report for report in batch}
        return batch

    def load(self, served: Served, seed: int) -> None:
        """Send batches until the server is gone."""
        chance = random.Random(seed)  # noqa: S311  # a choice of batches, no secret
        with closing(HTTPConnection("127.0.0.1", served.port, timeout=TIMEOUT_S)) as connection:
            while self._send(connection, self.next_batch(chance)):
                self._progress.release()

    def _send(self, connection: HTTPConnection, batch: list[Report]) -> bool:
        headers = {"Content-Type": "application/json"}
        try:
            connection.request("POST", "/v1/surveys/small/reports", batch_body(SMALL, batch), headers)
            response = connection.getresponse()
            answer = response.read()
        except (OSError, HTTPException):  # killed
            return False
        assert response.status == 200, answer
        with self._lock:
            self.acknowledged |= {report.id for report in batch}
        return True

    def wait_for_progress(self, n_batches: int) -> None:
        for _ in range(n_batches):
            assert self._progress.acquire(timeout=TIMEOUT_S)


def check_round(db: Path, sender: Sender) -> None:
    """Hold what must be true of a file whose writer was killed."""
    with closing(Store(db)) as store:
        store.check_integrity()
        stored_survey = publish_here(store, SMALL)
        stored = dict(store.read_reports(stored_survey))
        lost = sender.acknowledged - stored.keys()
        assert not lost, f"{len(lost)} of {len(sender.acknowledged)} acknowledged reports are lost"
        assert all(sender.sent[key].record == record for key, record in stored.items())
        assert store.read_tally(stored_survey).n_reports == len(stored)


def test_kill_9_under_load_loses_nothing_and_counts_nothing_twice(tmp_path: Path) -> None:
    sender = Sender()
    chance = random.Random(9)  # noqa: S311  # when to kill, no secret
    for number in range(ROUNDS):
        with serve(tmp_path / "survey.db", survey=SMALL) as served, ThreadPoolExecutor(CLIENTS) as pool:
            loads = [pool.submit(sender.load, served, CLIENTS * number + index) for index in range(CLIENTS)]
            sender.wait_for_progress(chance.randint(5, 60))
            served.kill()
            for load in loads:
                load.result(TIMEOUT_S)
        check_round(tmp_path / "survey.db", sender)
    assert len(sender.acknowledged) > 100 * ROUNDS / 2
    finish(tmp_path / "survey.db", sender)


def finish(db: Path, sender: Sender) -> None:
    """Send everything once more: then all that was ever sent is counted exactly once."""
    every = list(sender.sent.values())
    with serve(db, survey=SMALL) as served:
        for start in range(0, len(every), 1000):
            assert served.send(every[start : start + 1000], SMALL)[0] == 200
        assert served.stop() == (0, "", "")
    with closing(Store(db)) as store:
        stored_survey = publish_here(store, SMALL)
        assert store.read_tally(stored_survey).n_reports == len(every)
        expected = Tally.of(SMALL, stack_records([report.record for report in every]))
        assert store.read_tally(stored_survey) == expected == store.recount(stored_survey)
