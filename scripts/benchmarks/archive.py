"""Recounting an archive: digests checked, against the bare prototype that reads and counts and checks nothing.

Reports of 128 bits in 64 cohorts; one process, and the peak of its memory; then one process a core, then Dask.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
from bars import Bar, compare

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "support"))
from archiving import LARGE, export_noise  # the path comes first
from sotto_collector.archive.cluster import recount_on_cluster
from sotto_collector.archive.files import ROWS_PER_GROUP
from sotto_collector.archive.folders import LocalFolder
from sotto_collector.archive.manifest import read_manifest
from sotto_collector.archive.recount import recount

N_REPORTS = 10**7
N_FILES = 11
N_COHORTS, N_BYTES = 64, 16
_BITS = np.unpackbits(np.arange(256, dtype=np.uint8).reshape(-1, 1), axis=1, bitorder="little").astype(float)
_PEAK = """
import re, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from archive import prototype, recount
def kib(what):
    return int(re.search(what + r":\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1])
folder, before = Path(sys.argv[2]), kib("VmRSS")
prototype(folder) if sys.argv[3] == "prototype" else recount(folder, n_workers=1)
print(kib("VmHWM") - before)
"""


def prototype(folder: Path) -> np.ndarray:
    """Count bytes by histogram, file by file, as the peers' figure was measured; no digest, no limits, no tally."""
    counts = np.zeros((N_COHORTS, 8 * N_BYTES))
    for file in read_manifest(LocalFolder(folder)).files:
        for batch in pq.ParquetFile(folder / file.name).iter_batches(ROWS_PER_GROUP, use_threads=False):
            cohorts = batch.column(0).to_numpy().astype(np.intp) << 8
            rows = np.frombuffer(batch.column(1).buffers()[1], np.uint8).reshape(-1, N_BYTES)
            for byte in range(N_BYTES):
                found = np.bincount(cohorts + rows[:, byte], minlength=N_COHORTS << 8).reshape(N_COHORTS, 256)
                counts[:, 8 * byte : 8 * byte + 8] += found.astype(float) @ _BITS
    return counts


def rate(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return N_REPORTS / (time.perf_counter() - started)


def peak_mb(folder: Path, what: str) -> float:
    """Return by how much the memory of a fresh process grows at most that runs the one or the other."""
    command = [sys.executable, "-c", _PEAK, Path(__file__).parent, folder, what]
    return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout) * 1024 / 1e6


def measure() -> list[Bar]:
    assert LARGE.layout.n_bytes == 2 + N_BYTES
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name, "archive")
        expected = export_noise(folder, N_REPORTS, N_FILES).tally
        assert prototype(folder).tolist() == expected.support_counts["page"][:, 1:].tolist()
        assert recount(folder) == expected
        reference = "prototype without digests"
        bars = [
            compare(
                "recount of an archive, one process",
                lambda: rate(lambda: recount(folder, n_workers=1)),
                lambda: rate(lambda: prototype(folder)),
                least=0.6,
                reference=reference,
            ),
            compare(
                "its memory, at most",
                lambda: peak_mb(folder, "recount"),
                lambda: peak_mb(folder, "prototype"),
                least=0.8,
                reference=reference,
                unit="MB",
                rounds=1,
            ),
        ]
        n_cores = len(os.sched_getaffinity(0))
        print(f"        {n_cores} processes, started for it: {rate(lambda: recount(folder)) / 1e6:.1f} M reports/s")
        per_s = rate(lambda: recount_on_cluster(folder, "local", n_workers=n_cores))
        print(f"        Dask, {n_cores} workers, started for it: {per_s / 1e6:.1f} M reports/s")
        print(f"        {sum(path.stat().st_size for path in folder.iterdir()) / N_REPORTS:.1f} bytes a report on disk")
    return bars
