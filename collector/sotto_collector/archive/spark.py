"""Recount on Spark: its executors count the files, which all of them must see under the same path or address."""

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from sotto_collector.archive.folders import Folder, Given, folder_of
from sotto_collector.archive.recount import CountedFile, Progress, Sum, count_file, open_archive
from sotto_collector.errors import ArchiveError
from sotto_protocol import Tally
from sotto_protocol.archive import ArchiveFile

_FILES_PER_CORE = 16
"""A job has so many: its counts are in memory together, and its last files leave cores without work."""
_OURS = re.compile(r"^sotto_\w+(?:\.\w+)+: (.+)$", re.MULTILINE)
_LOCAL = {"spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1"}


def recount_on_spark(
    given: Given, master: str | None = None, wave: int | None = None, *, progress: Progress = lambda *_: None
) -> Tally:
    """Count an archive, of one wave or all, on the executors of a Spark session: the one there is, or a new one.

    `master`: as Spark has it, such as `local[2]` or `spark://host:7077`; by default what Spark is set to. Spark may
    run a task twice: a file that is counted twice counts once. Raises ArchiveError.
    """
    folder = folder_of(given).anywhere()
    manifest = open_archive(folder, wave)
    total = Sum(manifest, progress)
    if files := manifest.files:
        with _in_words(), _session(master) as session:
            context = session.sparkContext
            n_at_once = _FILES_PER_CORE * context.defaultParallelism
            for start in range(0, len(files), n_at_once):
                chosen = files[start : start + n_at_once]
                for counted in context.parallelize(chosen, len(chosen)).map(partial(_count, folder, wave)).collect():
                    total.add(counted)
    return total.tally()


def _count(folder: Folder, wave: int | None, file: ArchiveFile) -> CountedFile:
    return count_file(folder, file, wave)


@contextmanager
def _session(master: str | None) -> Iterator[Any]:
    """Yield the session that there is, or one that ends with the block."""
    if (there := SparkSession.getActiveSession()) is not None:
        yield there
        return
    builder = SparkSession.builder.appName("sotto tally").config("spark.ui.enabled", "false")
    if master:
        builder = builder.master(master)
    if (master or "").startswith("local"):  # else executors run what `python3` is, and the network reaches the driver
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        builder = builder.config(map=_LOCAL)
    session = builder.getOrCreate()
    try:
        yield session
    finally:
        session.stop()


@contextmanager
def _in_words() -> Iterator[None]:
    try:
        yield
    except (PySparkException, Py4JError, OSError) as fault:
        if found := _OURS.search(str(fault)):  # raised by an executor; says which file
            raise ArchiveError(found[1]) from None
        lines = [line for line in str(fault).strip().splitlines() if "Exception: " in line] or [type(fault).__name__]
        raise ArchiveError(f"Spark could not count: {lines[0].rpartition('Exception: ')[2][:200]}") from fault
