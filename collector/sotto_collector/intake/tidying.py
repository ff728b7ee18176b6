"""Tidying: every few seconds reports are rewritten in the order of their ids, and traces of another order cleared."""

import time

from sotto_collector.store import Store
from sotto_collector.store.inbox import Inbox

TURN_S, GATHER_S = 5.0, 1.0
"""Least seconds between two turns, and from the first new report to its turn: several reports may share one."""
ALL_S, STALL_BYTES = 60.0, 8 * 2**20
"""A store above STALL_BYTES is rewritten as a whole, and its large tables cleaned, once in ALL_S seconds: all its bytes
are written then, and others wait."""
REST = 10
"""Rewriting takes at most one part in so many of the time, whatever the size."""
LAST_TRIES, LAST_S = 20, 0.1
"""While the collector stops it tries so often, so many seconds apart: another collector may tidy, or somebody read."""


class Tidying:
    """What is left to tidy in a store. For the thread that writes; `note_deletion` may be called by any thread.

    After a turn nothing tells in which order the reports before it came. It rewrites all of a small store, if that is
    due, else the inbox; the inbox of a large store is emptied once it is full.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._inbox = Inbox(store)
        self._undone_since: float | None = time.monotonic()  # when the first report since the last turn came
        self._owes_all = True  # a collector that was killed may have left anything
        self._is_in_the_way = False  # others kept the last cleaning from its end
        self._n_deletions = self._n_deletions_seen = 0
        self._next_at = self._next_all_at = 0.0

    @property
    def is_done(self) -> bool:
        """Whether there is nothing to do."""
        return self._undone_since is None and not self._owes_all and self._n_deletions == self._n_deletions_seen

    def wait_s(self) -> float | None:
        """Return the seconds until the next turn; None where there is nothing to do."""
        if self.is_done:
            return None
        since = self._undone_since
        earliest = self._next_all_at if since is None else since + GATHER_S
        return max(0.0, max(earliest, self._next_at) - time.monotonic())

    def note_arrived(self, n_reports: int) -> None:
        """Note that so many reports were added to the inbox."""
        self._undone_since = self._undone_since or time.monotonic()
        self._inbox.note_arrived(n_reports)

    def note_deletion(self) -> None:
        """Note that something was deleted: its traces are cleared when all is rewritten."""
        self._undone_since = self._undone_since or time.monotonic()
        self._n_deletions += 1

    def step(self) -> bool:
        """Take a turn if one is due, and return whether; else move some reports out of the inbox, if it is full.

        Raises StoreUnavailableError.
        """
        if self.wait_s() == 0:
            self.turn()
            return True
        self._inbox.step()
        return False

    def turn(self) -> None:
        """Rewrite a small store, or the inbox, and clear what was there. Raises StoreUnavailableError."""
        began = time.monotonic()
        try:
            if not self._is_in_the_way or self._clean():  # else old copies would pile up
                self._rewrite(began, is_all=began >= self._next_all_at)
        finally:
            self._next_at = began + max(TURN_S, 2 * (time.monotonic() - began))

    def finish(self) -> None:
        """Do all that is left, as the collector stops, but for what others still use. Raises as a turn does."""
        for is_first in (True, *[False] * LAST_TRIES):
            if self.is_done:
                return
            if not is_first:
                time.sleep(LAST_S)
            if not self._is_in_the_way or self._clean():
                self._rewrite(time.monotonic(), is_all=True)

    def _rewrite(self, began: float, *, is_all: bool) -> None:
        n_deletions, n_bytes = self._n_deletions, self._store.count_bytes()
        is_all = is_all or n_bytes <= STALL_BYTES
        is_whole = is_all and self._store.is_small()
        if is_whole:
            self._inbox.finish()
            is_all = self._store.rewrite()  # False where another collector is doing it
        else:
            self._inbox.settle()
        self._undone_since = None  # this thread writes the reports: none comes meanwhile
        is_deleted = n_deletions > self._n_deletions_seen
        is_clean = self._clean(large_tables=is_all, reports=is_whole or (is_all and is_deleted))
        self._owes_all = not (is_all and is_clean)
        if is_all:
            took = time.monotonic() - began
            self._next_all_at = began + max(REST * took, ALL_S if n_bytes > STALL_BYTES else 0.0)
        if is_all and is_clean:
            self._n_deletions_seen = n_deletions

    def _clean(self, *, large_tables: bool = True, reports: bool = True) -> bool:
        """Clear old copies and deleted rows; return False where others still use them."""
        self._is_in_the_way = True
        try:
            self._is_in_the_way = not self._store.clean(large_tables=large_tables, reports=reports)
        finally:
            if self._is_in_the_way:
                self._undone_since = self._undone_since or time.monotonic()
        return not self._is_in_the_way
