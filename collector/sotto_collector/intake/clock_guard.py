"""The clock, held to what was seen of it before: what is erased on a wrong day is gone for good."""

import logging
import time
from datetime import date

from sotto_collector import clock
from sotto_collector.logs import OURS
from sotto_collector.store import Store
from sotto_collector.store.retention import Due, believe_day, read_days

MOST_DAYS = 3
"""A day that comes so many days after the last one that was seen, or fewer, is believed."""
WAITS = (
    "survey %s: by the clock it is %s, and its reports are to be erased; but %s. They are erased in %d minutes unless "
    "the clock is set right before: look at it (timedatectl)"
)

log = logging.getLogger(OURS)


class ClockGuard:
    """Waits before anything is erased, while the clock is in doubt. For the thread that writes.

    It is where the day is more than MOST_DAYS after the last one that was seen, or where the host says that nothing
    keeps its clock. After `wait_s` the day is believed: what was promised to be gone must go. 0: it is at once.
    """

    def __init__(self, store: Store, wait_s: float) -> None:
        self._store = store
        self._wait_s = wait_s
        self._since: float | None = None
        self._has_said = False

    def allows(self, due: list[Due]) -> bool:
        """Return whether what is due may be erased; note the day where it is believed, also where nothing is due.

        Raises StoreUnavailableError.
        """
        with self._store.reader() as connection:
            last_day, is_pending = read_days(connection)
        today = self._store.today()
        doubt = self._doubt(today, last_day, due)
        if doubt is None or self._wait_s == 0:
            self._since, self._has_said = None, False
        else:
            self._since = time.monotonic() if self._since is None else self._since
            left_s = self._since + self._wait_s - time.monotonic()
            if left_s > 0:
                self._say(due, today, doubt, left_s)
                return False
        if last_day != (today if is_pending else None):
            self._store.run(believe_day)
        return True

    def _doubt(self, today: str, last_day: str | None, due: list[Due]) -> str | None:
        """Return why the clock is in doubt; None where it is not."""
        n_days = 0 if last_day is None else (date.fromisoformat(today) - date.fromisoformat(last_day)).days
        if n_days > MOST_DAYS:
            return f"the last day that was seen is {last_day}, {n_days} days before"
        if due and clock.is_synchronized() is False:
            return "the host says that its clock is not synchronized"
        return None

    def _say(self, due: list[Due], today: str, doubt: str, left_s: float) -> None:
        if due and not self._has_said:
            self._has_said = True
            log.warning(WAITS, due[0].survey_id, today, doubt, -(-left_s // 60))
