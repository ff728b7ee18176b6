"""The writer: one thread that commits the batches of concurrent requests together, then tells each its outcome."""

import logging
import threading
import time

from sotto_collector.errors import BusyError, CollectorError, StoreUnavailableError
from sotto_collector.intake.counting import Batch, Outcome, count_batches, prepare_batches
from sotto_collector.intake.retention import Retention
from sotto_collector.intake.tidying import Tidying
from sotto_collector.metrics import Metrics
from sotto_collector.store import Store

COMMIT_TIMEOUT_S = 15.0
"""A request waits at most this long for its commit, in seconds, whatever the database does."""

log = logging.getLogger("sotto_collector")


class _Waiting:
    """A queued batch and its outcome. A lock wakes the thread of its request, at a fifth of the cost of a Future."""

    __slots__ = ("_is_finished", "batch", "result")

    def __init__(self, batch: Batch) -> None:
        self.batch = batch
        self.result: Outcome | Exception | None = None
        self._is_finished = threading.Lock()
        self._is_finished.acquire()

    def finish(self, result: Outcome | Exception) -> None:
        """Set the outcome, and let the request go on. Call it once."""
        self.result = result
        self._is_finished.release()

    def wait(self, timeout_s: float) -> Outcome | None:
        """Return the outcome, or raise it if it is an error; None if it does not come in time."""
        if not self._is_finished.acquire(timeout=timeout_s):
            return None
        if isinstance(self.result, Exception):
            raise self.result
        return self.result


class Writer:
    """Writes batches in groups: all that are queued while a transaction commits go into the next. There is no timer.

    Between groups, every few seconds, it tidies the store; on the day that a survey promises it erases its reports.
    """

    def __init__(
        self,
        store: Store,
        metrics: Metrics | None = None,
        *,
        max_queued_reports: int,
        commit_timeout_s: float = COMMIT_TIMEOUT_S,
        clock_wait_s: float = 0.0,
    ) -> None:
        """`clock_wait_s`: how long nothing is erased on its day while the clock is in doubt."""
        self._store = store
        self._metrics = metrics or Metrics()
        self._max_queued_reports = max_queued_reports
        self._commit_timeout_s = commit_timeout_s
        self._changed = threading.Condition()
        self._queue: list[_Waiting] = []
        self._n_queued = 0
        self._closing = False
        self._tidying = Tidying(store)
        self._retention = Retention(store, clock_wait_s)
        self._has_failed = False
        self._thread = threading.Thread(target=self._run, name="sotto-writer")
        self._thread.start()

    def write(self, batch: Batch) -> Outcome:
        """Return the outcome of a batch once it is committed.

        Raises BusyError, SurveyClosedError, StoreUnavailableError; nothing of the batch is stored then. But where the
        database did not respond in time it may have stored it: a report that is sent again is counted once.
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
        outcome = waiting.wait(self._commit_timeout_s)
        if outcome is None:
            self._withdraw(waiting)
            raise StoreUnavailableError("the store does not respond.")
        return outcome

    def _withdraw(self, waiting: _Waiting) -> None:
        """Take a batch out of the queue, if it is still there: its request has given up."""
        with self._changed:
            if waiting in self._queue:
                self._queue.remove(waiting)
                self._n_queued -= len(waiting.batch)
                self._metrics.set_queued(self._n_queued)

    def note_change(self) -> None:
        """Note a deletion that the writer did not make itself: the next turn of tidying clears its traces."""
        with self._changed:
            self._tidying.note_deletion()
            self._changed.notify_all()

    def close(self) -> None:
        """Commit what is queued, let its requests go on, and end the thread."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        self._thread.join()

    def tidy(self) -> None:
        """Clear what tells the order of arrival, as the collector stops; what others still use is left.

        Call it after `close`. Raises StoreUnavailableError; nothing has changed then.
        """
        self._tidying.finish()

    def _run(self) -> None:
        while (group := self._take_group()) or not self._closing:
            if group:
                _finish(group, self._commit(group))
            if not self._closing:
                self._tidy_if_due()

    def _take_group(self) -> list[_Waiting]:
        """Return all that is queued; an empty list once the writer is closed, or when it is time to tidy."""
        with self._changed:
            was_done = self._tidying.is_done
            self._changed.wait_for(
                lambda: self._queue or self._closing or (was_done and not self._tidying.is_done),
                self._wait_s(),
            )
            group, self._queue, self._n_queued = self._queue, [], 0
            self._metrics.set_queued(0)
        return group

    def _wait_s(self) -> float:
        tidying_s, retention_s = self._tidying.wait_s(), self._retention.wait_s()
        return retention_s if tidying_s is None else min(tidying_s, retention_s)

    def _tidy_if_due(self) -> None:
        """Tidy, and erase, if it is time to. What fails is logged once, and tried again later."""
        try:
            if self._retention.step():
                self._tidying.note_deletion()
            if self._tidying.step():
                self._has_failed = False
        except Exception as fault:  # the thread must survive any fault
            if not self._has_failed:  # once, not every second
                reason = fault if isinstance(fault, CollectorError) else type(fault).__name__
                log.error("the store cannot be tidied now, and still shows the order of commits: %s", reason)
            self._has_failed = True

    def _commit(self, group: list[_Waiting]) -> list[Outcome | Exception]:
        """Count a group in one transaction: once this returns all of it is on the disk, or nothing."""
        batches = [waiting.batch for waiting in group]
        n_reports, began = sum(map(len, batches)), time.perf_counter()
        try:
            prepared = prepare_batches(batches)  # takes a while, so not in the transaction: others wait for that
            results = self._store.run(lambda transaction: count_batches(transaction, prepared))
        except Exception as fault:  # the thread must survive any fault: each request raises it
            self._tidying.note_arrived(0)  # or more: the confirmation of a commit may have been lost
            return [fault] * len(group)
        self._tidying.note_arrived(n_reports)
        self._metrics.observe_commit(time.perf_counter() - began, n_reports)
        return results


def _finish(group: list[_Waiting], results: list[Outcome | Exception]) -> None:
    for waiting, result in zip(group, results, strict=True):
        waiting.finish(result if isinstance(result, Outcome) else _own_copy(result))


def _own_copy(fault: Exception) -> Exception:
    """Return a copy for one thread alone to raise: raising adds to an exception's traceback."""
    if not isinstance(fault, CollectorError):
        return fault
    copy = type(fault)(*fault.args)
    copy.__cause__ = fault.__cause__
    return copy
