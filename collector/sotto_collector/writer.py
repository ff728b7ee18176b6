"""The writer: one thread that commits what concurrent requests bring, together, and answers each after the commit."""

import logging
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sotto_collector.errors import (
    BusyError,
    CollectorError,
    InvitationError,
    StoreUnavailableError,
    SurveyClosedError,
)
from sotto_collector.metrics import Metrics
from sotto_collector.store import Store, StoredSurvey
from sotto_collector.store.shuffle import MOST_REPORTS
from sotto_collector.store.transaction import Transaction
from sotto_collector.tidying import Tidying
from sotto_protocol import Survey, Tally
from sotto_protocol.report import REPORT_ID_BYTES

IDLE_S = 1.0
"""After so long without a report the write-ahead log, which is in the order of the commits, is emptied."""
ANSWER_S = 15.0
"""A request waits so long for its commit, whatever the database does."""

log = logging.getLogger("sotto_collector")


@dataclass(frozen=True, slots=True)
class Batch:
    """Checked reports of one request: `ids`, 16 bytes each, joined; `records`, shape (n, record_bytes).

    `invitations`: the hash of each report's, in an invited survey.
    """

    stored: StoredSurvey
    ids: bytes
    records: NDArray[np.uint8]
    invitations: tuple[bytes, ...] = ()

    def __len__(self) -> int:
        return len(self.records)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a batch: `n_counted` are new, `n_duplicates` were counted before (or stand in it twice).

    `n_conflicting` of the duplicates came with other bits than the first, which stays.
    """

    n_counted: int
    n_duplicates: int
    n_conflicting: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class _Waiting:
    batch: Batch
    reply: "Future[Outcome]" = field(default_factory=Future)


class Writer:
    """Counts batches in groups: whatever waits while a transaction commits goes together into the next. No timer.

    Once nothing came for IDLE_S it empties the write-ahead log.
    """

    def __init__(
        self,
        store: Store,
        metrics: Metrics | None = None,
        *,
        max_queued_reports: int,
        answer_s: float = ANSWER_S,
    ) -> None:
        self._store = store
        self._metrics = metrics or Metrics()
        self._max_queued_reports = max_queued_reports
        self._answer_s = answer_s
        self._changed = threading.Condition()
        self._queue: list[_Waiting] = []
        self._n_queued = 0
        self._closing = False
        self._is_log_empty = False  # a collector that was killed leaves one
        self._tidying = Tidying(store)
        self._has_failed = False
        self._thread = threading.Thread(target=self._run, name="sotto-writer")
        self._thread.start()

    def count(self, batch: Batch) -> Outcome:
        """Wait until the batch is committed, and return what became of it.

        Raises BusyError, SurveyClosedError, StoreUnavailableError; nothing of the batch is stored then. But where the
        database has not answered for so long it may have stored it: a report that is sent again is counted once.
        """
        waiting = _Waiting(batch)
        with self._changed:
            if self._closing:
                raise StoreUnavailableError("the collector is stopping.")
            if self._queue and self._n_queued + len(batch) > self._max_queued_reports:
                raise BusyError(f"reports that wait must be at most {self._max_queued_reports}.")
            self._queue.append(waiting)
            self._n_queued += len(batch)
            self._metrics.set_queued(self._n_queued)
            self._changed.notify_all()
        try:
            return waiting.reply.result(self._answer_s)
        except TimeoutError:
            self._withdraw(waiting)
            raise StoreUnavailableError("the store does not answer.") from None

    def _withdraw(self, waiting: _Waiting) -> None:
        """Take a batch out of the queue again, if it is still there: nobody waits for it."""
        with self._changed:
            if waiting in self._queue:
                self._queue.remove(waiting)
                self._n_queued -= len(waiting.batch)
                self._metrics.set_queued(self._n_queued)

    def note_change(self) -> None:
        """Hear that something was deleted past the writer: what is left of it goes when nothing comes."""
        with self._changed:
            self._is_log_empty = False
            self._tidying.note_deletion()
            self._changed.notify_all()

    def close(self) -> None:
        """Commit what is queued, answer it, and end the thread."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        self._thread.join()

    def tidy(self, most: int = MOST_REPORTS) -> None:
        """Put all reports in the order of their ids, if the store is small; it says nothing of who came when then.

        For the writer's thread, or once that has ended. Raises StoreUnavailableError; all is as it was then.
        """
        self._tidying.tidy(most)
        self._is_log_empty = False

    def _run(self) -> None:
        while (group := self._take_group()) or not self._closing:
            if group:
                self._is_log_empty = False
                _answer(group, self._commit(group))
                if not self._closing:
                    self._keep_house(self._tidying.step)
            elif not self._is_log_empty:
                self._keep_house(self._clean)
            else:
                self._keep_house(self._tidy_if_idle)

    def _tidy_if_idle(self) -> None:
        if self._tidying.tidy_if_idle():
            self._is_log_empty = False

    def _take_group(self) -> list[_Waiting]:
        """Return all that waits; an empty list once the writer is closed, or idle while there is something to tidy."""
        with self._changed:
            is_done = self._is_log_empty and self._tidying.is_done
            self._changed.wait_for(
                lambda: self._queue or self._closing or (is_done and not self._tidying.is_done),
                None if is_done else IDLE_S,
            )
            group, self._queue, self._n_queued = self._queue, [], 0
            self._metrics.set_queued(0)
        return group

    def _clean(self) -> None:
        self._is_log_empty = self._store.clean()

    def _keep_house(self, work: Callable[[], None]) -> None:
        """Do what can wait; where it fails now it is tried again later."""
        try:
            work()
            self._has_failed = False
        except Exception as fault:  # the thread must outlive any fault
            if not self._has_failed:  # once, not every second
                reason = fault if isinstance(fault, CollectorError) else type(fault).__name__
                log.error("the store is not tidied now, and holds the order of commits: %s", reason)
            self._has_failed = True

    def _commit(self, group: list[_Waiting]) -> list[Outcome | Exception]:
        """Count a group in one transaction; when this returns it is on the disk, or nothing of it is stored."""
        batches = [waiting.batch for waiting in group]
        n_reports, began = sum(map(len, batches)), time.perf_counter()
        try:
            results = self._store.run(lambda transaction: count_batches(transaction, batches))
            self._tidying.note_arrived(n_reports)
            self._metrics.observe_commit(time.perf_counter() - began, n_reports)
            return results
        except Exception as fault:  # the thread must outlive any fault: each request is told, and fails by itself
            self._tidying.note_arrived(0)  # or more: the answer of a commit may have been lost
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
    for key, indices in sorted(by_survey.items()):
        of_survey = [batches[index] for index in indices]
        is_invited = of_survey[0].stored.survey.invited
        # Alone: each batch by itself is all or nothing, so the group's rows cannot be taken in one order for all.
        if not transaction.lock_survey(key, alone=is_invited):
            outcomes = [_acknowledge(transaction, batch) for batch in of_survey]
        elif is_invited:
            outcomes = [_count_invited(transaction, batch) for batch in of_survey]
        else:
            outcomes = [*_count_open(transaction, of_survey)]
        for index, outcome in zip(indices, outcomes, strict=True):
            results[index] = outcome
    return results


def _acknowledge(transaction: Transaction, batch: Batch) -> Outcome | Exception:
    """Answer a closed survey's batch: a repeat of what was counted before is acknowledged even then."""
    ids = np.frombuffer(batch.ids, f"V{REPORT_ID_BYTES}")
    known = transaction.find(batch.stored.key, ids)
    if len(known) == len(batch):
        sent = [record.tobytes() for record in batch.records]
        n_conflicting = sum(packed not in (b"", sent[index]) for index, packed in known.items())
        return Outcome(0, len(batch), n_conflicting)
    return SurveyClosedError("the survey takes no more reports.")


def _count_open(transaction: Transaction, batches: list[Batch]) -> list[Outcome]:
    """Count batches of one survey together."""
    merged = merge(batches)
    inserted, n_conflicting = merged.insert(transaction)
    _add_to_tallies(transaction, merged.stored, merged.records[inserted])
    n_counted = np.bincount(merged.owner[inserted], minlength=len(batches)).tolist()
    return [
        Outcome(counted, len(batch) - counted, conflicting)
        for batch, counted, conflicting in zip(batches, n_counted, n_conflicting, strict=True)
    ]


def _count_invited(transaction: Transaction, batch: Batch) -> Outcome | Exception:
    """Count a batch whose new reports each use up an invitation; all of it or nothing."""
    merged = merge([batch])
    with transaction.connection.begin_nested() as whole:
        inserted, n_conflicting = merged.insert(transaction)
        waves = batch.stored.survey.waves_of(batch.records).tolist()
        for index in inserted.tolist():
            if not transaction.redeem(batch.stored.key, batch.invitations[index], waves[index]):
                whole.rollback()
                return InvitationError(index)
        _add_to_tallies(transaction, batch.stored, batch.records[inserted])
    return Outcome(len(inserted), len(batch) - len(inserted), n_conflicting[0])


def _add_to_tallies(transaction: Transaction, stored: StoredSurvey, records: NDArray[np.uint8]) -> None:
    for wave, of_wave in _split_waves(stored.survey, records):
        transaction.add_to_tally(stored.key, wave, len(of_wave), Tally.of(stored.survey, of_wave).pack())


@dataclass(frozen=True, slots=True)
class Merged:
    """Batches of one survey, joined: `owner` says which batch a report is of."""

    stored: StoredSurvey
    ids: bytes
    records: NDArray[np.uint8]
    owner: NDArray[np.intp]

    def insert(self, transaction: Transaction) -> tuple[NDArray[np.intp], list[int]]:
        """Insert what is new; return where it stands, and how many reports of each batch differ from their first."""
        first = _sort_unique(self.ids)
        ids = np.frombuffer(self.ids, f"V{REPORT_ID_BYTES}")
        is_new = transaction.insert_new(self.stored.key, ids[first], self.records[first])
        inserted = first[is_new]
        n_conflicting = [0] * (int(self.owner.max()) + 1)
        if len(inserted) < len(ids):
            for index in self._conflicting(transaction, first, is_new):
                n_conflicting[self.owner[index]] += 1
        return inserted, n_conflicting

    def _conflicting(
        self, transaction: Transaction, first: NDArray[np.intp], is_new: NDArray[np.bool_]
    ) -> Iterator[int]:
        """Yield the reports whose id is stored with other bits; of an erased one nobody knows."""
        ids = np.frombuffer(self.ids, f"V{REPORT_ID_BYTES}")
        known = transaction.find(self.stored.key, ids[first[~is_new]])
        stays = {ids[first[~is_new][place]].tobytes(): packed for place, packed in known.items()}
        stays |= {ids[place].tobytes(): self.records[place].tobytes() for place in first[is_new].tolist()}
        for index, report_id in enumerate(map(bytes, ids)):
            if stays[report_id] not in (b"", self.records[index].tobytes()):
                yield index


def merge(batches: list[Batch]) -> Merged:
    """Join batches of one survey."""
    owner = np.repeat(np.arange(len(batches)), [len(batch) for batch in batches])
    joined = b"".join(batch.ids for batch in batches)
    return Merged(batches[0].stored, joined, np.concatenate([batch.records for batch in batches]), owner)


def _split_waves(survey: Survey, records: NDArray[np.uint8]) -> list[tuple[int, NDArray[np.uint8]]]:
    """Return the waves among packed reports, and each one's reports."""
    if survey.waves == 1:
        return [(1, records)] if len(records) else []
    waves = survey.waves_of(records)
    return [(wave, records[waves == wave]) for wave in np.unique(waves).tolist()]


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
