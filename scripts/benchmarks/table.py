"""A table with a row a person: reading columns against the csv module alone, and in memory beside the file's size."""

import csv
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pandas as pd
from bars import Bar, compare, of_pairs, rate

from sotto_estimator.sources.source import source_of
from sotto_estimator.table.reading import read_table

N_ROWS = 400_000
COLUMNS = ["cheated", "region", "weight"]
READ = """
import sys
from pathlib import Path
from sotto_estimator.table.reading import read_table
def peak():  # not ru_maxrss, which begins with the parent's
    return int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]) / 1024
before = peak()
read_table(Path(sys.argv[1]), sys.argv[2:])
print(peak() - before)
"""


def write(path: Path) -> None:
    rows = (
        f"{row},{('yes', 'no')[row % 3 > 0]},r{row % 12},{row % 151 / 100},{'a note of words ' * 8}\n"
        for row in range(N_ROWS)
    )
    with path.open("w") as file:
        file.write("id,cheated,region,weight,note\n")
        file.writelines(rows)


def read_bare(path: Path) -> None:
    """Read every row, and keep nothing."""
    with path.open(encoding="utf-8", newline="") as file:
        for _ in csv.reader(file):
            pass


def peak_mib(path: Path) -> float:
    """Return what a process that reads the table takes beyond what it took before."""
    command = [sys.executable, "-c", READ, str(path), *COLUMNS]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def cpu_rate(work: Callable[[], object]) -> float:
    """Return rows per second of processor time."""
    before = resource.getrusage(resource.RUSAGE_SELF)
    rate(work, N_ROWS)
    after = resource.getrusage(resource.RUSAGE_SELF)
    return N_ROWS / (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def measure() -> list[Bar]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "people.csv"
        write(path)
        size = path.stat().st_size / 2**20
        speed = compare(
            "three columns of a CSV",
            lambda: cpu_rate(lambda: read_table(path, COLUMNS)),
            lambda: cpu_rate(lambda: read_bare(path)),
            least=0.3,
            reference="the csv module alone",
            rounds=3,
        )
        parquet = path.with_suffix(".parquet")
        pd.read_csv(path).to_parquet(parquet)
        faster = compare(
            "three columns of a Parquet file",
            lambda: cpu_rate(lambda: source_of(parquet).table(COLUMNS)),
            lambda: cpu_rate(lambda: read_table(path, COLUMNS)),
            least=2,
            reference="the same of a CSV",
            rounds=3,
        )
        memory = of_pairs(
            "memory of three columns of a CSV",
            [(peak_mib(path), size) for _ in range(3)],
            least=1.5,
            reference="the file's size",
            unit="MiB",
        )
    return [speed, faster, memory]
