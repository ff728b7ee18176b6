"""Recounting an archive: digests checked, against the bare prototype that reads and counts and checks nothing.

Reports of 128 bits in 64 cohorts; one process, then one a core, then Dask. Each process's peak of memory is printed.
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
from sotto_collector.archive.manifest import Manifest
from sotto_collector.archive.recount import recount

N_REPORTS = 10**7
N_FILES = 11
N_COHORTS, N_BYTES = 64, 16
LEAST_PER_S = 10e6
MOST_BYTES = 200 * 10**6
_BITS = np.unpackbits(np.arange(256, dtype=np.uint8).reshape(-1, 1), axis=1, bitorder="little").astype(float)
_ALONE = """
import re, sys, time
from pathlib import Path
from sotto_collector.archive.recount import recount
started = time.process_time()
recount(Path(sys.argv[1]), n_workers=1)
print(time.process_time() - started, re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1])
"""


def prototype(folder: Path) -> np.ndarray:
    """Count bytes by histogram, file by file, as the peers' figure was measured; no digest, no limits, no tally."""
    counts = np.zeros((N_COHORTS, 8 * N_BYTES))
    for file in Manifest.read(folder).files:
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


def alone(folder: Path) -> tuple[float, int]:
    """Return reports a second of processor time of one fresh process, and its peak of memory in bytes."""
    ended = subprocess.run([sys.executable, "-c", _ALONE, folder], check=True, capture_output=True, text=True)
    seconds, kib = ended.stdout.split()
    return N_REPORTS / float(seconds), 1024 * int(kib)


def absolute(folder: Path) -> bool:
    """Print one process's rate and its memory, which has a bar; return whether that is cleared."""
    per_s, n_bytes = max(alone(folder) for _ in range(5))
    clears = n_bytes <= MOST_BYTES
    print(
        f"{'clears' if clears else 'MISSES'}  one process's memory: {n_bytes / 1e6:.0f} MB (bar "
        f"{MOST_BYTES / 1e6:.0f} MB)\n        one core, of its own time: {per_s / 1e6:.1f} M reports/s "
        f"({LEAST_PER_S / 1e6:.0f} M on a quiet machine)",
        flush=True,
    )
    return clears


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name, "archive")
        expected = export_noise(folder, N_REPORTS, N_FILES).tally
        assert prototype(folder).tolist() == expected.support_counts["page"][:, 1:].tolist()
        assert recount(folder) == expected
        bars: list[Bar] = [
            compare(
                "recount of an archive, one process",
                lambda: rate(lambda: recount(folder, n_workers=1)),
                lambda: rate(lambda: prototype(folder)),
                least=0.6,
                reference="prototype without digests",
            )
        ]
        clears = absolute(folder)
        n_cores = len(os.sched_getaffinity(0))
        print(f"        {n_cores} processes, started for it: {rate(lambda: recount(folder)) / 1e6:.1f} M reports/s")
        per_s = rate(lambda: recount_on_cluster(folder, "local", n_workers=n_cores))
        print(f"        Dask, {n_cores} workers, started for it: {per_s / 1e6:.1f} M reports/s")
        print(f"        {sum(path.stat().st_size for path in folder.iterdir()) / N_REPORTS:.1f} bytes a report on disk")
    return any(bar.ratio < bar.least for bar in bars) or not clears


if __name__ == "__main__":
    assert LARGE.layout.n_bytes == 2 + N_BYTES
    sys.exit(main())
