"""Recount: an archive's tally, file by file, in as many processes as there are cores. It merges in any order."""

import os
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import reduce
from itertools import islice
from multiprocessing import get_context
from operator import add

from sotto_collector.archive.files import read_file
from sotto_collector.archive.folders import Folder, Given, folder_of
from sotto_collector.archive.manifest import read_manifest
from sotto_collector.errors import ArchiveError
from sotto_protocol import Tally
from sotto_protocol.archive import ArchiveFile, Manifest
from sotto_protocol.counted import PackedTally
from sotto_protocol.record import WAVE

_WAITING_PER_WORKER = 2
"""So many files are given to a worker ahead, and so few results wait to be added up: a tally can be large."""


@dataclass(frozen=True, eq=False)
class CountedFile:
    """What one file's reports come to, by wave: as tallies, but small enough to be sent from anywhere."""

    file: ArchiveFile
    fingerprint: str
    packed: Mapping[int, PackedTally]


Progress = Callable[[int, int], None]
"""Told how many files are counted, and of how many."""


def count_file(folder: Folder, file: ArchiveFile, wave: int | None = None) -> CountedFile:
    """Count one file, of one wave or of all: a pure function of the file. Raises ArchiveError, which names it."""
    fingerprint, n_read, total = "", 0, dict[int, PackedTally]()
    for survey, records in read_file(folder, file):
        chosen = records if wave is None else records[survey.layout.numbers(records, WAVE) == wave]
        fingerprint, n_read = survey.fingerprint, n_read + len(records)
        _add(total, {wave: tally.pack() for wave, tally in Tally.by_wave(survey, chosen).items()})
    if n_read != file.n_reports:
        raise ArchiveError(f"{folder.place(file.name)} must hold {file.n_reports} reports; it holds {n_read}.")
    return CountedFile(file, fingerprint, total)


def open_archive(folder: Folder, wave: int | None = None) -> Manifest:
    """Return the manifest of a finished archive, to count a wave, or all.

    Raises ArchiveError where its export was cut short, or its survey has no such wave.
    """
    manifest = read_manifest(folder)
    if wave is not None and not 1 <= wave <= manifest.survey.waves:
        raise ArchiveError(f"wave ({wave}) must be in [1, {manifest.survey.waves}], the survey's.")
    if manifest.missing:
        n_there = manifest.n_parts - len(manifest.missing)
        raise ArchiveError(
            f"{folder} has {n_there} of {manifest.n_parts} parts: its export was cut short. Export again to the same "
            "folder, and it goes on from there."
        )
    return manifest


def recount(
    given: Given, wave: int | None = None, *, n_workers: int | None = None, progress: Progress = lambda *_: None
) -> Tally:
    """Count an archive, of one wave or all, in `n_workers` processes; by default one a core. Raises ArchiveError."""
    folder = folder_of(given)
    manifest = open_archive(folder, wave)
    n_workers = min(n_workers or len(os.sched_getaffinity(0)), len(manifest.files))
    total = Sum(manifest, progress)
    if n_workers <= 1:
        for file in manifest.files:
            total.add(count_file(folder, file, wave))
        return total.tally()
    try:
        # spawned, not forked: Arrow has threads, which a fork would not take along
        with ProcessPoolExecutor(n_workers, mp_context=get_context("spawn")) as pool:
            for counted in _count_in_pool(pool, n_workers, folder, manifest.files, wave):
                total.add(counted)
    except BrokenProcessPool as fault:
        raise ArchiveError(
            "a process that counted was killed. Check that there is enough memory, and count again."
        ) from fault
    return total.tally()


class Sum:
    """The sum of an archive's files' counts: of each file once, however often it was counted."""

    def __init__(self, manifest: Manifest, progress: Progress) -> None:
        """Start at nothing. Raises ArchiveError if the archive names a file twice."""
        self._survey, self._progress, self._n_files = manifest.survey, progress, len(manifest.files)
        self._left = {file.digest: file for file in manifest.files}
        if len(self._left) < self._n_files:
            raise ArchiveError("two files of the archive are the same.")
        self._packed: dict[int, PackedTally] = {}

    def add(self, counted: CountedFile) -> None:
        """Add a file's counts, unless they are in. Raises ArchiveError if its reports are another survey's."""
        if self._left.pop(counted.file.digest, None) is None:
            return
        if counted.fingerprint != self._survey.fingerprint:
            raise ArchiveError(f"{counted.file.name} holds reports of another survey.")
        _add(self._packed, counted.packed)
        self._progress(self._n_files - len(self._left), self._n_files)

    def tally(self) -> Tally:
        """Return the archive's tally. Raises ArchiveError if a file is missing."""
        if self._left:
            raise ArchiveError(f"{next(iter(self._left.values())).name} was not counted.")
        tallies = (Tally.unpack(self._survey, packed) for packed in self._packed.values())
        return reduce(add, tallies, Tally.empty(self._survey))


def _add(total: dict[int, PackedTally], packed: Mapping[int, PackedTally]) -> None:
    """Add tallies by wave to those that are there."""
    for wave, tally in packed.items():
        total[wave] = total[wave] + tally if wave in total else tally


def _count_in_pool(
    pool: ProcessPoolExecutor, n_workers: int, folder: Folder, files: list[ArchiveFile], wave: int | None
) -> Iterator[CountedFile]:
    """Yield the files' counts as they come, with few of them under way."""
    tasks = iter(files)
    running: set[Future[CountedFile]] = set()
    while True:
        ahead = islice(tasks, _WAITING_PER_WORKER * n_workers - len(running))
        running |= {pool.submit(count_file, folder, file, wave) for file in ahead}
        if not running:
            return
        done, running = wait(running, return_when=FIRST_COMPLETED)
        yield from (future.result() for future in done)
