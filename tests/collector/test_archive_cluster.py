"""Counting on a cluster: real workers, some of them killed; the tally is equal to the bit."""

import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from distributed import Client, LocalCluster

from archiving import export_noise, export_store
from collecting import STRINGS, TIMEOUT_S, count_here, make_reports, publish_here
from sotto_collector.archive.cluster import recount_on_cluster
from sotto_collector.errors import ArchiveError
from sotto_collector.store import Store

pytestmark = pytest.mark.thorough  # a cluster of processes; test_archive.py holds what they count

N_ROUNDS = 20 if "SOTTO_TEST_FULL" in os.environ else 2
N_FILES = 24


class Cluster:
    """A scheduler in this process, and workers that are processes of their own, with nobody to start them again."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.workers: list[subprocess.Popen[bytes]] = []

    def wait_for_workers(self, n_workers: int) -> None:
        """Start as many as are missing, and wait until they are there."""
        self.workers = [worker for worker in self.workers if worker.poll() is None]
        command = [sys.executable, "-m", "distributed.cli.dask_worker", self.address]
        for _ in range(n_workers - len(self.workers)):
            flags = ["--no-nanny", "--nthreads", "1", "--no-dashboard"]
            self.workers.append(subprocess.Popen([*command, *flags], stderr=subprocess.DEVNULL))
        with Client(self.address, set_as_default=False) as client:
            client.wait_for_workers(n_workers, timeout=TIMEOUT_S)

    def kill(self, worker: "subprocess.Popen[bytes]") -> None:
        worker.kill()
        worker.wait(TIMEOUT_S)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with LocalCluster(n_workers=0, dashboard_address="127.0.0.1:0", host="127.0.0.1") as scheduler:
        started = Cluster(scheduler.scheduler_address)
        try:
            yield started
        finally:
            for worker in started.workers:
                started.kill(worker)


@pytest.fixture
def scheduler(cluster: Cluster) -> str:
    """The address of a scheduler with two workers."""
    cluster.wait_for_workers(2)
    return cluster.address


def test_cluster_counts_what_the_database_counts(scheduler: str, tmp_path: Path) -> None:
    with closing(Store(tmp_path / "survey.db")) as store:
        stored = publish_here(store, STRINGS)
        for wave in (1, 2):
            count_here(store, stored, make_reports(400, STRINGS, wave))
        export_store(tmp_path / "survey.db", STRINGS.id, tmp_path / "archive", 6)
        assert recount_on_cluster(tmp_path / "archive", scheduler) == store.recount(stored)
        assert recount_on_cluster(tmp_path / "archive", scheduler, 2) == store.recount(stored, 2)


def test_worker_that_is_killed_midway_changes_nothing(cluster: Cluster, tmp_path: Path) -> None:
    expected = export_noise(tmp_path / "archive", 240_000, N_FILES).tally
    chance = random.Random(31)  # noqa: S311  # when to kill, no secret
    for _ in range(N_ROUNDS):
        cluster.wait_for_workers(2)
        victim, n_before = chance.choice(cluster.workers), chance.randrange(1, N_FILES // 2)

        def kill(
            n_done: int, n_files: int, victim: "subprocess.Popen[bytes]" = victim, n_before: int = n_before
        ) -> None:
            if n_done == n_before:
                cluster.kill(victim)

        assert recount_on_cluster(tmp_path / "archive", cluster.address, progress=kill) == expected
        assert victim.poll() == -signal.SIGKILL


def test_scheduler_without_workers_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sotto_collector.archive.cluster._CONNECT_S", 1)
    export_noise(tmp_path / "archive", 40, 4)
    with (
        LocalCluster(n_workers=0, dashboard_address="127.0.0.1:0", host="127.0.0.1") as empty,
        pytest.raises(ArchiveError, match="has no workers"),
    ):
        recount_on_cluster(tmp_path / "archive", empty.scheduler_address)


def test_damaged_file_is_named_by_the_worker_that_reads_it(scheduler: str, tmp_path: Path) -> None:
    export_noise(tmp_path / "archive", 400, 4)
    path = tmp_path / "archive" / "part-0002-of-0004-0.parquet"
    damaged = bytearray(path.read_bytes())
    damaged[100] ^= 1
    path.write_bytes(damaged)
    with pytest.raises(ArchiveError, match=r"part-0002-of-0004-0\.parquet is not what was exported"):
        recount_on_cluster(tmp_path / "archive", scheduler)


@pytest.mark.rare
def test_local_cluster_is_started_by_itself(tmp_path: Path) -> None:
    expected = export_noise(tmp_path / "archive", 4000, 4).tally
    assert recount_on_cluster(tmp_path / "archive", "local", n_workers=2) == expected


@pytest.mark.parametrize(
    "address",
    [pytest.param("tcp://127.0.0.1:1", marks=pytest.mark.rare), "nonsense", pytest.param("", marks=pytest.mark.rare)],
)
def test_scheduler_that_is_not_there_is_named(tmp_path: Path, address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sotto_collector.archive.cluster._CONNECT_S", 1)
    export_noise(tmp_path / "archive", 40, 4)
    with pytest.raises(ArchiveError, match=f"the scheduler at {address} could not be reached"):
        recount_on_cluster(tmp_path / "archive", address)
