"""Tidying: every few seconds reports are put in the order of their ids, and what told more is let go of."""

import time

from sotto_collector.store import Store
from sotto_collector.store.inbox import Inbox

TURN_S, GATHER_S = 5.0, 1.0
"""A turn comes at most so often, and so long after the first report since the last one: several may share it."""
ALL_S, STALL_BYTES = 60.0, 8 * 2**20
"""A store above this size is written anew as a whole, and its large tables cleaned, once a minute: it costs as many
bytes as there are, and others wait for it."""
REST = 10
"""And at most for a tenth of the time, whatever the size."""
LAST_TRIES, LAST_S = 20, 0.1
"""The last turn waits two seconds for who is in the way: another collector that tidies, somebody who reads."""


class Tidying:
    """What there is to tidy in a store, for the one thread that writes; `note_deletion` may be called by any.

    A turn leaves nothing that tells in which order the reports before it came. Of a small store it writes all anew, if
    it is time for that, else the inbox; a large store's inbox is emptied once it is full.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._inbox = Inbox(store)
        self._undone_since: float | None = time.monotonic()  # when the first report since the last turn came
        self._owes_all = True  # of a collector that was killed nobody knows what it has left
        self._is_in_the_way = False  # somebody, of what should have been let go of
        self._n_deletions = self._n_deletions_seen = 0
        self._next_at = self._next_all_at = 0.0

    @property
    def is_done(self) -> bool:
        """Whether there is nothing to do."""
        return self._undone_since is None and not self._owes_all and self._n_deletions == self._n_deletions_seen

    def wait_s(self) -> float | None:
        """Return how long the next turn is still off; None if there is nothing to do."""
        if self.is_done:
            return None
        since = self._undone_since
        earliest = self._next_all_at if since is None else since + GATHER_S
        return max(0.0, max(earliest, self._next_at) - time.monotonic())

    def note_arrived(self, n_reports: int) -> None:
        """Hear that so many reports came into the inbox."""
        self._undone_since = self._undone_since or time.monotonic()
        self._inbox.note_arrived(n_reports)

    def note_deletion(self) -> None:
        """Hear that something was deleted: what is left of it goes when all is written anew."""
        self._undone_since = self._undone_since or time.monotonic()
        self._n_deletions += 1

    def step(self) -> None:
        """Take a turn if one is due; else move some reports out of the inbox, if there are many.

        Raises StoreUnavailableError.
        """
        if self.wait_s() == 0:
            self.turn()
        else:
            self._inbox.step()

    def turn(self) -> None:
        """Write a small store anew, or the inbox, and let go of what was there. Raises StoreUnavailableError."""
        began = time.monotonic()
        try:
            if not self._is_in_the_way or self._clean():  # else what is written anew would pile up
                self._write_anew(began, is_all=began >= self._next_all_at)
        finally:
            self._next_at = began + max(TURN_S, 2 * (time.monotonic() - began))

    def finish(self) -> None:
        """Leave nothing to do, for the collector stops; or what somebody is in the way of. Raises as a turn does."""
        for is_first in (True, *[False] * LAST_TRIES):
            if self.is_done:
                return
            if not is_first:
                time.sleep(LAST_S)
            if not self._is_in_the_way or self._clean():
                self._write_anew(time.monotonic(), is_all=True)

    def _write_anew(self, began: float, *, is_all: bool) -> None:
        n_deletions, n_bytes = self._n_deletions, self._store.count_bytes()
        is_all = is_all or n_bytes <= STALL_BYTES
        is_whole = is_all and self._store.is_small()
        if is_whole:
            self._inbox.finish()
            is_all = self._store.rewrite()  # not where another collector does it now
        else:
            self._inbox.settle()
        self._undone_since = None  # nothing comes while this thread works
        is_deleted = n_deletions > self._n_deletions_seen
        is_clean = self._clean(large_tables=is_all, reports=is_whole or (is_all and is_deleted))
        self._owes_all = not (is_all and is_clean)
        if is_all:
            took = time.monotonic() - began
            self._next_all_at = began + max(REST * took, ALL_S if n_bytes > STALL_BYTES else 0.0)
        if is_all and is_clean:
            self._n_deletions_seen = n_deletions

    def _clean(self, *, large_tables: bool = True, reports: bool = True) -> bool:
        """Let go of what was written anew or deleted; return whether nobody was in the way."""
        self._is_in_the_way = True
        try:
            self._is_in_the_way = not self._store.clean(large_tables=large_tables, reports=reports)
        finally:
            if self._is_in_the_way:
                self._undone_since = self._undone_since or time.monotonic()
        return not self._is_in_the_way
