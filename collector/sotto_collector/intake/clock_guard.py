"""The clock, held to what was seen of it before: what is erased on a wrong day is gone for good."""

import logging
import time

from sotto_collector.logs import OURS
from sotto_collector.store import Store
from sotto_collector.store.retention import Due, believe_day, find_doubt, note_wait, read_seen

WAITS = (
    "survey %s: the clock says %s, so its reports are due to be erased, but %s. They are erased in %s unless "
    "somebody corrects the clock first: check it with timedatectl"
)

log = logging.getLogger(OURS)


class ClockGuard:
    """Waits before anything is erased, while the clock is in doubt. For the thread that writes.

    `find_doubt` says when it is. After `wait_s` the day is believed: what was promised to be gone must go. 0: it is at
    once.

    Seconds count while a collector runs, and are kept in the store: one that is started again and again goes on
    waiting where it was. They are those of a clock that only goes on, as nobody can set it. Of several collectors each
    counts on from what is stored as it begins: together they count no faster than one.
    """

    def __init__(self, store: Store, wait_s: float) -> None:
        self._store = store
        self._wait_s = wait_s
        self._began: float | None = None
        self._has_said = False

    def allows(self, due: list[Due]) -> bool:
        """Return whether what is due may be erased; note the day where it is believed, also where nothing is due.

        Raises StoreUnavailableError.
        """
        with self._store.reader() as connection:
            seen = read_seen(connection)
        today = self._store.today()
        doubt = find_doubt(today, seen.last_day, due) if self._wait_s else None
        waited_s = 0 if doubt is None else self._count(seen.waited_s)
        if waited_s != seen.waited_s:
            self._store.run(lambda transaction: note_wait(transaction, waited_s))
        if doubt is None:
            self._began, self._has_said = None, False
        elif waited_s < self._wait_s:
            self._say(due, today, doubt, self._wait_s - waited_s)
            return False
        if seen.last_day != (today if seen.is_pending else None):
            self._store.run(believe_day)
        return True

    def _count(self, stored_s: int) -> int:
        """Return how many seconds were waited, this collector's added to those that were stored as it began."""
        now = time.monotonic()
        self._began = now - stored_s if self._began is None else min(self._began, now - stored_s)
        return int(now - self._began)

    def _say(self, due: list[Due], today: str, doubt: str, left_s: float) -> None:
        if due and not self._has_said:
            self._has_said = True
            minutes = -int(-left_s // 60)
            log.warning(WAITS, due[0].survey_id, today, doubt, "1 minute" if minutes == 1 else f"{minutes} minutes")
