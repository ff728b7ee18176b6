"""The writer: one thread that commits what concurrent requests bring, together, and answers each after the commit."""

import logging
import threading
from collections import defaultdict
from concurrent.futures import Future
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sotto_collector.errors import BusyError, CollectorError, StoreUnavailableError, SurveyClosedError
from sotto_collector.store import Store, StoredSurvey
from sotto_collector.transaction import Transaction, pack_counts
from sotto_protocol import Tally
from sotto_protocol.report import REPORT_ID_BYTES

IDLE_S = 1.0
"""After so long without a report the write-ahead log, which is in the order of the commits, is emptied."""

log = logging.getLogger("sotto_collector")


@dataclass(frozen=True, slots=True)
class Batch:
    """Checked reports of one request: `ids`, 16 bytes each, joined; `records`, shape (n, record_bytes)."""

    stored: StoredSurvey
    ids: bytes
    records: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.records)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a batch: `n_counted` are new, `n_duplicates` were counted before (or stand in it twice)."""

    n_counted: int
    n_duplicates: int


@dataclass(frozen=True, slots=True)
class _Waiting:
    batch: Batch
    reply: "Future[Outcome]" = field(default_factory=Future)


class Writer:
    """Counts batches in groups: whatever waits while a transaction commits goes together into the next. No timer.

    Once nothing came for IDLE_S it empties the write-ahead log.
    """

    def __init__(self, store: Store, *, max_queued_reports: int) -> None:
        self._store = store
        self._max_queued_reports = max_queued_reports
        self._changed = threading.Condition()
        self._queue: list[_Waiting] = []
        self._n_queued = 0
        self._closing = False
        self._is_log_empty = False  # a collector that was killed leaves one
        self._has_fold_failed = False
        self._thread = threading.Thread(target=self._run, name="sotto-writer")
        self._thread.start()

    def count(self, batch: Batch) -> Outcome:
        """Wait until the batch is committed, and return what became of it.

        Raises BusyError, SurveyClosedError, StoreUnavailableError; nothing of the batch is stored then.
        """
        waiting = _Waiting(batch)
        with self._changed:
            if self._closing:
                raise StoreUnavailableError("the collector is stopping.")
            if self._queue and self._n_queued + len(batch) > self._max_queued_reports:
                raise BusyError(f"reports that wait must be at most {self._max_queued_reports}.")
            self._queue.append(waiting)
            self._n_queued += len(batch)
            self._changed.notify_all()
        return waiting.reply.result()

    def close(self) -> None:
        """Commit what is queued, answer it, and end the thread."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        self._thread.join()

    def _run(self) -> None:
        while (group := self._take_group()) or not self._closing:
            if group:
                self._is_log_empty = False
                _answer(group, self._commit(group))
            else:
                self._fold_log()

    def _take_group(self) -> list[_Waiting]:
        """Return all that waits; an empty list once the writer is closed, or idle while the log is not empty."""
        with self._changed:
            timeout_s = None if self._is_log_empty else IDLE_S
            self._changed.wait_for(lambda: self._queue or self._closing, timeout_s)
            group, self._queue, self._n_queued = self._queue, [], 0
        return group

    def _fold_log(self) -> None:
        """Empty the write-ahead log; where that cannot be done now it is tried again when the writer is idle again."""
        try:
            self._is_log_empty = self._store.fold_log()
            self._has_fold_failed = False
        except Exception as fault:  # the thread must outlive any fault
            if not self._has_fold_failed:  # once, not every second
                reason = fault if isinstance(fault, CollectorError) else type(fault).__name__
                log.error("the write-ahead log is not emptied now, and holds the order of commits: %s", reason)
            self._has_fold_failed = True

    def _commit(self, group: list[_Waiting]) -> list[Outcome | Exception]:
        """Count a group in one transaction; when this returns it is on the disk, or nothing of it is stored."""
        try:
            with self._store.transaction() as transaction:
                return count_batches(transaction, [waiting.batch for waiting in group])
        except Exception as fault:  # the thread must outlive any fault: each request is told, and fails by itself
            return [fault] * len(group)


def _answer(group: list[_Waiting], results: list[Outcome | Exception]) -> None:
    for waiting, result in zip(group, results, strict=True):
        if isinstance(result, Outcome):
            waiting.reply.set_result(result)
        else:
            waiting.reply.set_exception(_own_copy(result))


def _own_copy(fault: Exception) -> Exception:
    """Return an exception that one thread alone raises: a traceback grows where it is raised."""
    if not isinstance(fault, CollectorError):
        return fault
    copy = type(fault)(*fault.args)
    copy.__cause__ = fault.__cause__
    return copy


def count_batches(transaction: Transaction, batches: list[Batch]) -> list[Outcome | Exception]:
    """Insert new reports and add them to their tallies; return what becomes of each batch if this commits."""
    results: list[Outcome | Exception] = [Outcome(0, len(batch)) for batch in batches]
    by_survey: dict[int, list[int]] = defaultdict(list)
    for index, batch in enumerate(batches):
        by_survey[batch.stored.key].append(index)
    for key, indices in by_survey.items():
        if transaction.is_open(key):
            n_counted = _count_survey(transaction, [batches[index] for index in indices])
            for index, counted in zip(indices, n_counted.tolist(), strict=True):
                results[index] = Outcome(counted, len(batches[index]) - counted)
        else:
            for index in indices:
                if not _is_known(transaction, batches[index]):
                    results[index] = SurveyClosedError("the survey takes no more reports.")
    return results


def _is_known(transaction: Transaction, batch: Batch) -> bool:
    """Return whether all of a batch was counted before: a repeat is acknowledged even after the survey was closed."""
    return bool(transaction.find_known(batch.stored.key, np.frombuffer(batch.ids, f"V{REPORT_ID_BYTES}")).all())


def _count_survey(transaction: Transaction, batches: list[Batch]) -> NDArray[np.int64]:
    """Count one survey's batches; return how many reports of each are new. Of two with one id the first stays."""
    stored = batches[0].stored
    joined = b"".join(batch.ids for batch in batches)
    records = np.concatenate([batch.records for batch in batches])
    owner = np.repeat(np.arange(len(batches)), [len(batch) for batch in batches])
    order = _sort_unique(joined)
    ids = np.frombuffer(joined, f"V{REPORT_ID_BYTES}")[order]
    is_new = transaction.insert_new(stored.key, ids, records[order])
    inserted = order[is_new]
    if len(inserted):
        counts = Tally.of(stored.survey, records[inserted]).support_counts
        transaction.add_to_tally(stored.key, len(inserted), pack_counts(counts, stored.survey))
    return np.bincount(owner[inserted], minlength=len(batches))


def _sort_unique(joined_ids: bytes) -> NDArray[np.intp]:
    """Return the positions of the different ids, in the ids' order; of equal ones the first.

    >>> _sort_unique(b"b" * 16 + b"a" * 16 + b"b" * 16)
    array([1, 0])
    """
    halves = np.frombuffer(joined_ids, ">u8").reshape(-1, 2).astype(np.uint64)
    order = np.lexsort((halves[:, 1], halves[:, 0]))  # stable
    ordered = halves[order]
    is_first = np.ones(len(order), np.bool_)
    is_first[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    return order[is_first]
