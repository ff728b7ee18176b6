"""Tidying: every few seconds reports are put in the order of their ids, and what told more is let go of."""

import time

from sotto_collector.store import Store
from sotto_collector.store.shuffle import Shuffle

TURN_S, GATHER_S = 5.0, 1.0
"""A turn comes at most so often, and so long after the first report since the last one: several may share it."""
REST, LATEST_S = 10, 60.0
"""Everything is written anew at most for a tenth of the time; while many reports come, once a minute."""
CALM_REPORTS, STALL_BYTES = 500, 8 * 2**20
"""Many: more than this since the last turn, which would have to wait. A store of this size holds nobody up."""


class Tidying:
    """What there is to tidy in a store, for the one thread that writes; `note_deletion` may be called by any.

    After a turn nothing that is stored tells in which order the reports before it came, nor which invitations they used
    up. A small store is written anew as a whole; of a large one only the inbox is, which is emptied once it is full.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._shuffle = Shuffle(store)
        self._undone_since: float | None = time.monotonic()  # a collector that was killed leaves a log
        self._n_arrived = self._n_deletions = self._n_deletions_seen = 0
        self._is_in_the_way = False  # somebody, of what should have been let go of
        self._owes_whole = False  # of a small store only the inbox was written anew
        self._next_at = self._next_whole_at = 0.0
        self._last_whole_at = time.monotonic()
        self._has_arrived = not self._shuffle.is_inbox_empty()

    @property
    def is_done(self) -> bool:
        """Whether there is nothing to do."""
        return self._undone_since is None and self._n_deletions == self._n_deletions_seen and not self._owes_whole

    def wait_s(self) -> float | None:
        """Return how long the next turn is still off; None if there is nothing to do."""
        if self.is_done:
            return None
        since = self._undone_since
        earliest = self._next_whole_at if since is None else since + GATHER_S
        return max(0.0, max(earliest, self._next_at) - time.monotonic())

    def note_arrived(self, n_reports: int) -> None:
        """Hear that so many reports came into the inbox."""
        self._has_arrived = True
        self._n_arrived += n_reports
        self._undone_since = self._undone_since or time.monotonic()
        self._shuffle.count_arrived(n_reports)

    def note_deletion(self) -> None:
        """Hear that something was deleted: what is left of it goes at the next turn."""
        self._undone_since = self._undone_since or time.monotonic()
        self._n_deletions += 1

    def step(self) -> None:
        """Take a turn if one is due; else move some reports out of the inbox, if there are many.

        Raises StoreUnavailableError.
        """
        if self.wait_s() == 0:
            self.turn()
        else:
            self._shuffle.step()

    def turn(self, *, is_last: bool = False) -> None:
        """Write a small store anew, or else the inbox, and let go of what was there before.

        The last turn of a collector spares nobody. Raises StoreUnavailableError.
        """
        began = time.monotonic()
        try:
            if not self._is_in_the_way or self._clean():  # else what is written anew would pile up
                self._write_anew(is_last=is_last)
        finally:
            self._next_at = began + max(TURN_S, 2 * (time.monotonic() - began))

    def _write_anew(self, *, is_last: bool) -> None:
        began, n_deletions = time.monotonic(), self._n_deletions
        is_deleted = n_deletions > self._n_deletions_seen
        has_changed = self._has_arrived or self._owes_whole or is_deleted
        is_small = self._store.is_small()
        is_whole = is_small and has_changed and (is_last or self._is_time_for_all(began))
        if is_whole:
            self._shuffle.finish()
            self._store.rewrite()
        elif has_changed:
            self._shuffle.settle()
        self._undone_since, self._has_arrived, self._n_arrived = None, False, 0  # nothing comes while this thread works
        self._owes_whole = has_changed and is_small and not is_whole
        if is_whole:
            self._last_whole_at = time.monotonic()
            self._next_whole_at = began + REST * (self._last_whole_at - began)
        if self._clean(thoroughly=is_whole or is_deleted):
            self._n_deletions_seen = n_deletions

    def _is_time_for_all(self, now: float) -> bool:
        return now >= self._next_whole_at and (
            self._n_arrived <= CALM_REPORTS
            or now - self._last_whole_at >= LATEST_S
            or self._store.count_bytes() <= STALL_BYTES
        )

    def _clean(self, *, thoroughly: bool = True) -> bool:
        """Let go of what was written anew or deleted; return whether nobody was in the way."""
        self._is_in_the_way = True
        self._undone_since = self._undone_since or time.monotonic()
        if self._store.clean(thoroughly=thoroughly):
            self._is_in_the_way, self._undone_since = False, None
        return not self._is_in_the_way
