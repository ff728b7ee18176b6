"""The inbox: reports that came last wait in its table, and are moved to `reports`, many at a time, ordered by id."""

from collections import deque

from sqlalchemy import func, select

from sotto_collector.store.schema import inbox
from sotto_collector.store.store import Store

LEAST_REPORTS, MOST_REPORTS = 50_000, 100_000
SHARE = 32
"""The inbox is emptied once it has a 32nd as many reports as there are in all: then most pages get several at once. But
it is rewritten every few seconds, so it has a limit."""
SLICE_REPORTS = 4096
"""About so many are moved in one transaction: others wait a few hundredths of a second for it."""

END = b"\xff" * 17
"""Above every id."""


class Inbox:
    """Empties an inbox slice by slice, between the writer's own transactions."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._slices: deque[tuple[int, bytes, bytes]] = deque()
        self._n_arrived = 0
        self._limit = 0  # as the collector starts: it does not know yet what the inbox holds

    def note_arrived(self, n_reports: int) -> None:
        """Note that so many reports were added to the inbox."""
        self._n_arrived += n_reports

    def is_empty(self) -> bool:
        """Return whether no report is in the inbox. Raises StoreUnavailableError."""
        with self._store.reader() as connection:
            return connection.execute(select(inbox.c.survey_key).limit(1)).first() is None

    def step(self) -> None:
        """Move a slice, if the inbox is full enough. Raises StoreUnavailableError."""
        if not self._slices and self._n_arrived >= self._limit:
            self._plan()
        if self._slices:
            key, low, high = self._slices.popleft()
            self._store.run(lambda transaction: transaction.move(key, low, high))

    def finish(self) -> None:
        """Move all reports. Raises StoreUnavailableError."""
        self._plan(at_least=0)
        while self._slices:
            self.step()

    def settle(self) -> None:
        """Rewrite the inbox in the order of the ids. Raises StoreUnavailableError."""
        self._store.run(lambda transaction: transaction.settle())

    def _plan(self, at_least: int | None = None) -> None:
        with self._store.reader() as connection:
            waiting = connection.execute(select(inbox.c.survey_key, func.count()).group_by(inbox.c.survey_key)).all()
        n_stored = self._store.count_all()
        n_waiting = sum(n_reports for _, n_reports in waiting)
        self._limit = count_held(n_stored)
        self._n_arrived = n_waiting
        if n_waiting >= (self._limit if at_least is None else at_least):
            self._slices.extend(part for key, n_reports in waiting for part in cut(key, n_reports))
            self._n_arrived = 0


def count_held(n_stored: int) -> int:
    """Return how many reports an inbox holds before it is emptied, of so many in all."""
    return min(MOST_REPORTS, max(LEAST_REPORTS, n_stored // SHARE))


def cut(key: int, n_reports: int) -> list[tuple[int, bytes, bytes]]:
    """Return ranges of ids, as (key, from, before), that hold about SLICE_REPORTS of a survey's each.

    >>> [(key, low.hex()) for key, low, _ in cut(1, 10_000)]
    [(1, '0000'), (1, '5555'), (1, 'aaaa')]
    """
    n_slices = min(4096, -(-n_reports // SLICE_REPORTS))
    bounds = [(65536 * index // n_slices).to_bytes(3, "big")[1:] for index in range(n_slices)]
    return [(key, low, high) for low, high in zip(bounds, [*bounds[1:], END], strict=True)]
