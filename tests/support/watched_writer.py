"""A writer whose groups can be waited for, and a survey that is held meanwhile."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager

from collecting import TIMEOUT_S, make_batch, make_reports
from sotto_collector.intake.counting import Outcome
from sotto_collector.intake.writer import COMMIT_TIMEOUT_S, Writer, _Waiting
from sotto_collector.store import Store, StoredSurvey


class WatchedWriter(Writer):
    """A writer whose groups can be waited for: `groups` are their sizes, in batches."""

    def __init__(self, store: Store, *, max_queued_reports: int, commit_timeout_s: float = COMMIT_TIMEOUT_S) -> None:
        self.groups: list[int] = []
        super().__init__(store, max_queued_reports=max_queued_reports, commit_timeout_s=commit_timeout_s)

    def _commit(self, group: list[_Waiting]) -> list[Outcome | Exception]:
        with self._changed:
            self.groups.append(len(group))
            self._changed.notify_all()
        return super()._commit(group)


@contextmanager
def held(store: Store, stored: StoredSurvey) -> Iterator[None]:
    """Hold a survey: the writer waits with its reports."""
    with store.transaction() as transaction:
        transaction.lock_survey(stored.key, alone=True)
        yield


def wait_until(writer: WatchedWriter, happened: Callable[[], bool]) -> None:
    """Return once the writer's queue looks like that; every change to it is announced."""
    with writer._changed:
        assert writer._changed.wait_for(happened, timeout=TIMEOUT_S)


def queue_behind_lock(
    writer: WatchedWriter, pool: ThreadPoolExecutor, stored: StoredSurvey, n_reports: int
) -> list["Future[Outcome]"]:
    """Let the writer wait for the held survey with one report, and n_reports queue behind it."""
    n_before = len(writer.groups)
    first = pool.submit(writer.write, make_batch(stored, make_reports(1)))
    wait_until(writer, lambda: len(writer.groups) > n_before)
    second = pool.submit(writer.write, make_batch(stored, make_reports(n_reports)))
    wait_until(writer, lambda: writer._n_queued >= n_reports)
    return [first, second]
