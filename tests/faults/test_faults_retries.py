"""Retries: the same reports again, to several collectors at once, cut anew, and after replies that were lost."""

import json
import random
import threading
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from http.client import HTTPConnection
from itertools import cycle
from pathlib import Path

import psycopg
import pytest

from collecting import COUNTED, SMALL, TIMEOUT_S, Served, make_reports, publish_here, tally_of
from crowd import FULL, check_stored, collectors, post
from devices import PULSE, WORDS
from fault_server import FaultServer, Request, Scripted
from sotto_client import SurveyClient
from sotto_collector.errors import StoreError
from sotto_collector.store import Store
from sotto_protocol import Report, Survey

N_REPORTS = 2000 if FULL else 600
N_THREADS = 16
N_DEVICES = 340 if FULL else 5
SURVEYS = pytest.mark.parametrize(
    "survey", [pytest.param(SMALL, id="reports", marks=pytest.mark.rare), pytest.param(COUNTED, id="counts")]
)


def storm(served: list[Served], survey: Survey, reports: list[Report]) -> int:
    """Send batches of ten from 16 threads, each to every collector, and a third cut anew; return how many counted."""
    whole = [reports[start : start + 10] for start in range(0, len(reports), 10)]
    anew = [reports[start : start + 10] for start in range(5, len(reports) - 10, 30)]
    sendings = [(batch, each.port) for batch in whole + anew for each in (served * 2)[:2]]
    random.Random(6).shuffle(sendings)  # noqa: S311  # an order, no secret
    mine = threading.local()

    with ExitStack() as opened, ThreadPoolExecutor(N_THREADS) as pool:

        def send(sending: tuple[list[Report], int]) -> int:
            connections = mine.__dict__.setdefault("connections", {})
            batch, port = sending
            if port not in connections:
                connections[port] = opened.enter_context(closing(HTTPConnection("127.0.0.1", port, timeout=TIMEOUT_S)))
            status, _, document = post(connections[port], survey, batch)
            assert status == 200, document
            assert document["counted"] + document["duplicates"] == len(batch)
            return int(document["counted"])

        return sum(pool.map(send, sendings))


@SURVEYS
def test_storm_of_retries_counts_every_report_once(db: str, survey: Survey) -> None:
    reports = make_reports(N_REPORTS, survey)
    with collectors(db, 2, survey=survey, change="move-often") as served:
        assert storm(served, survey, reports) == N_REPORTS
        for each in served:
            assert each.stop() == (0, "", "")
    assert check_stored(db, survey) == {r.id: r.record if survey.keeps_reports else b"" for r in reports}
    with closing(Store(db)) as store:
        assert store.read_tally(publish_here(store, survey)) == tally_of(survey, reports)
    if db.startswith("postgresql"):
        with psycopg.connect(db) as connection:
            statement = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"
            assert connection.execute(statement).fetchone() == (0,)


@SURVEYS
def test_collector_that_counts_repeats_is_found_out(tmp_path: Path, survey: Survey) -> None:
    reports = make_reports(200, survey)
    with collectors(tmp_path / "survey.db", 1, survey=survey, change="count-repeats") as served:
        assert storm(served, survey, reports) > 200
    with pytest.raises(StoreError, match=f"the tally of {survey.id} differs from its reports"):
        check_stored(tmp_path / "survey.db", survey)


class CuttingProxy(FaultServer):
    """Passes each report on, waits for the collector's reply, and lets that be lost, once or twice for each report."""

    def __init__(self, served: list[Served]) -> None:
        super().__init__(PULSE)
        self.n_cut: dict[str, int] = defaultdict(int)
        self.bodies: dict[str, list[bytes]] = defaultdict(list)
        self._ports = cycle(each.port for each in served)

    def next_reply(self, request: Request) -> Scripted:
        with self.lock:
            port = next(self._ports)
        with closing(HTTPConnection("127.0.0.1", port, timeout=TIMEOUT_S)) as connection:
            connection.request("POST", request.path, request.body, {"Content-Type": "application/json"})
            response = connection.getresponse()
            reply = Scripted(response.status, response.read())
        assert reply.status == 200, reply.body
        report_id = json.loads(request.body)["reports"][0]["id"]
        with self.lock:
            self.bodies[report_id].append(request.body)
            if self.n_cut[report_id] == 1 + int(report_id[0], 16) % 2:
                return reply
            self.n_cut[report_id] += 1
            is_half = self.n_cut[report_id] == 2
        return Scripted(200, reply.body[:7], {"Content-Length": "99"}) if is_half else Scripted(drop=True)


@contextmanager
def cutting_proxy(served: list[Served]) -> Iterator[CuttingProxy]:
    """Stand between devices and collectors until the block ends."""
    proxy = CuttingProxy(served)
    thread = threading.Thread(target=proxy.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield proxy
    finally:
        proxy.shutdown()
        thread.join()
        proxy.server_close()


def answer_all_waves(url: str, state: Path) -> list[str]:
    """Answer every wave as a device does, until all is delivered; return the receipts."""
    with SurveyClient(url, PULSE.id, state=state) as device:
        receipts = [device.answer(WORDS, wave).id for wave in (1, 2, 3)]
        while not device.flush(1.0):  # every one is another attempt
            continue
        assert not device.rejected
    return receipts


@pytest.mark.later("postgres", "rare")
def test_replies_lost_after_the_commit_are_made_up_for_by_the_real_client(db: str, tmp_path: Path) -> None:
    with collectors(db, 2, survey=PULSE) as served, cutting_proxy(served) as proxy, ThreadPoolExecutor(8) as pool:
        states = [tmp_path / f"device-{number}" for number in range(N_DEVICES)]
        receipts = [
            receipt for each in pool.map(lambda state: answer_all_waves(proxy.url, state), states) for receipt in each
        ]
        for each in served:
            assert each.stop() == (0, "", "")
    assert len(set(receipts)) == 3 * N_DEVICES
    stored = check_stored(db, PULSE)
    assert {report_id.hex() for report_id in stored} == set(receipts) == proxy.bodies.keys()
    for report_id, bodies in proxy.bodies.items():
        assert len(set(bodies)) == 1
        assert len(bodies) == proxy.n_cut[report_id] + 1
    with closing(Store(db)) as store:
        survey = store.list_surveys()[0]
        assert store.read_tally(survey) == tally_of(PULSE, [Report(*row) for row in stored.items()])
    print(f"{len(receipts)} reports, {sum(proxy.n_cut.values())} replies lost")
