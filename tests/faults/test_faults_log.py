"""SQLite's write-ahead log, torn or garbled anywhere: what stays is what was acknowledged up to there, exactly."""

import random
import shutil
import struct
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from collecting import SMALL, make_batch, make_reports, publish_here
from crowd import FULL, Crowd, check_stored
from sotto_collector.errors import StoreError
from sotto_collector.intake import counting
from sotto_collector.intake.writer import Writer
from sotto_collector.store import Store
from sotto_collector.store.transaction import Transaction
from sotto_protocol import Report

N_COMMITS = 40
N_PLACES = 1000 if FULL else 50
HEADER_BYTES, FRAME_HEADER_BYTES = 32, 24


@dataclass(frozen=True)
class Crashed:
    """A database as a crash leaves it: its file, its log, what each commit of the log stored, where each ends."""

    file: bytes
    log: bytes
    commits: list[list[Report]]
    ends: list[int]

    def stored_before(self, place: int) -> dict[bytes, bytes]:
        """Return what the commits stored that lie whole before a byte of the log."""
        whole = self.commits[: sum(end <= place for end in self.ends)]
        return {report.id: report.record for commit in whole for report in commit}


def crash(folder: Path) -> Crashed:
    """Let a writer commit, and take the files from under it."""
    path = folder / "survey.db"
    with closing(Store(path)) as store:
        publish_here(store, SMALL)
    commits = [make_reports(1 + number % 20, SMALL) for number in range(N_COMMITS)]
    with closing(Store(path)) as store, closing(Writer(store, max_queued_reports=100_000)) as busy:
        stored = publish_here(store, SMALL)
        busy._tidying.step = lambda: False  # type: ignore[method-assign]  # it empties no log, however long this takes
        for commit in commits:
            busy.write(make_batch(stored, commit))
        file, log = path.read_bytes(), Path(f"{path}-wal").read_bytes()
    return Crashed(file, log, commits, commit_ends(log))


def commit_ends(log: bytes) -> list[int]:
    """Return where each commit ends in a write-ahead log (https://www.sqlite.org/fileformat2.html#walformat)."""
    (page_bytes,) = struct.unpack_from(">I", log, 8)
    salt, ends = log[16:24], []
    for start in range(HEADER_BYTES, len(log), FRAME_HEADER_BYTES + page_bytes):
        _, n_pages = struct.unpack_from(">II", log, start)
        if n_pages and log[start + 8 : start + 16] == salt:
            ends.append(start + FRAME_HEADER_BYTES + page_bytes)
    return ends


def damage(log: bytes, chance: random.Random) -> tuple[bytes, int]:
    """Return a log that is torn, or garbled in up to 64 bytes, and where the damage begins."""
    place = chance.randrange(len(log))
    if chance.random() < 0.5:
        return log[:place], place
    garbled = bytearray(log)
    for index in range(place, min(place + chance.randint(1, 64), len(log))):
        garbled[index] ^= chance.randint(1, 255)
    return bytes(garbled), place


def open_damaged(folder: Path, crashed: Crashed, log: bytes) -> Path:
    folder.mkdir()
    (folder / "survey.db").write_bytes(crashed.file)
    (folder / "survey.db-wal").write_bytes(log)
    return folder / "survey.db"


def test_damaged_log_leaves_exactly_the_commits_before_the_damage(tmp_path: Path) -> None:
    crashed, chance = crash(tmp_path), random.Random(3)  # noqa: S311  # places, no secret
    assert len(crashed.ends) == N_COMMITS
    lengths = set()
    for number in range(N_PLACES):
        log, place = damage(crashed.log, chance)
        path = open_damaged(tmp_path / str(number), crashed, log)
        expected = crashed.stored_before(place)
        assert check_stored(path, SMALL) == expected, f"{number}: damage at {place} of {len(crashed.log)}"
        lengths.add(len(expected))
        shutil.rmtree(path.parent)
    assert len(lengths) > N_COMMITS / 4  # it was damaged everywhere
    # What is lost there was never acknowledged, if the disk is honest; sent again, it is counted, once.
    crowd = Crowd()
    crowd.sent = {report.id: report for commit in crashed.commits for report in commit}
    path = open_damaged(tmp_path / "again", crashed, crashed.log[: crashed.ends[N_COMMITS // 2]])
    with closing(Store(path)) as store, closing(Writer(store, max_queued_reports=100_000)) as recovered:
        outcome = recovered.write(make_batch(publish_here(store, SMALL), list(crowd.sent.values())))
    assert outcome.n_counted + outcome.n_duplicates == len(crowd.sent)
    crowd.acknowledged |= crowd.sent.keys()
    crowd.check(path)


def test_tally_that_is_committed_after_its_reports_is_found_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add = counting._add_to_tallies

    def add_later(transaction: Transaction, *counted: Any) -> None:
        transaction.connection.connection.driver_connection.execute("COMMIT")
        transaction.connection.connection.driver_connection.execute("BEGIN IMMEDIATE")
        add(transaction, *counted)

    monkeypatch.setattr(counting, "_add_to_tallies", add_later)
    crashed = crash(tmp_path)
    assert len(crashed.ends) == 2 * N_COMMITS
    path = open_damaged(tmp_path / "torn", crashed, crashed.log[: crashed.ends[2]])
    with pytest.raises(StoreError, match="the tally of small differs from its reports"):
        check_stored(path, SMALL)
