"""Tidying: when all reports are put in the order of their ids, so that a store says nothing of who came when."""

import time

from sotto_collector.store import Store
from sotto_collector.store.shuffle import MOST_REPORTS, Shuffle

TIDY_S, TIDY_SHARE = 10.0, 20
"""A store is tidied when it is idle, at most every 10 s, and for at most a twentieth of the time,"""
NEW_SHARE, FREE_BYTES, LATEST_S = 20, 2**20, 60.0
"""once a twentieth of its reports is new, or something was deleted; a tiny one at once, any after a minute."""


class Tidying:
    """What there is to tidy in a store, for the one thread that writes; `note_deletion` may be called by any.

    A small store is written anew; of a large one the inbox is emptied.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._shuffle = Shuffle(store)
        self._has_arrived = not self._shuffle.is_inbox_empty()  # a collector that was killed leaves reports there
        self._n_deletions = self._n_deletions_tidied = 0
        self._next_at, self._last_at = 0.0, time.monotonic()
        self._n_tidied, self._n_when_idle = 0, -1

    @property
    def is_done(self) -> bool:
        """Whether there is nothing to do."""
        return not self._has_arrived and self._n_deletions == self._n_deletions_tidied

    def note_arrived(self, n_reports: int) -> None:
        """Hear that so many reports came into the inbox."""
        self._has_arrived = True
        self._shuffle.count_arrived(n_reports)

    def note_deletion(self) -> None:
        """Hear that something was deleted: what is left of it goes at the next time."""
        self._n_deletions += 1

    def step(self) -> None:
        """Move some reports out of the inbox, if there are many. Raises StoreUnavailableError."""
        self._shuffle.step()

    def tidy_if_idle(self) -> bool:
        """Tidy, if it is time, no process has counted anything since this was asked last, and there is enough to do.

        Returns whether it has. Raises StoreUnavailableError.
        """
        if time.monotonic() < self._next_at:
            return False
        n_reports, n_before = self._store.count_all(), self._n_when_idle
        self._n_when_idle = n_reports
        if n_reports != n_before:
            return False
        if self._is_worth_it(n_reports):
            self.tidy()
            return True
        self._next_at = time.monotonic() + TIDY_S
        return False

    def _is_worth_it(self, n_reports: int) -> bool:
        """Return whether to tidy: to write everything anew for each of a few reports would wear a disk out."""
        return (
            self._n_deletions > self._n_deletions_tidied
            or n_reports - self._n_tidied >= n_reports / NEW_SHARE
            or time.monotonic() - self._last_at >= LATEST_S
            or self._store.count_bytes() <= FREE_BYTES
        )

    def tidy(self, most: int = MOST_REPORTS) -> None:
        """Put all reports in the order of their ids, if the store is small. Raises StoreUnavailableError."""
        began, n_deletions = time.monotonic(), self._n_deletions
        n_reports = self._store.count_all()
        self._shuffle.finish(most)
        if self._store.is_small():
            self._store.rewrite()
        self._has_arrived, self._n_deletions_tidied, self._n_tidied = False, n_deletions, n_reports
        self._last_at = time.monotonic()
        self._next_at = began + max(TIDY_S, TIDY_SHARE * (self._last_at - began))
