"""Retention at work: the writer's thread looks whether a survey's day has come, and erases its reports bit by bit.

So it does with the gateway's private keys.
"""

import logging
import time
from collections import deque

from sotto_collector.intake.clock_guard import ClockGuard
from sotto_collector.logs import OURS
from sotto_collector.store import Store
from sotto_collector.store.gateway import erase_keys, has_due
from sotto_collector.store.retention import Due, erase_slice, find_due, finish_erasure, plan_erasure

LOOK_S = 60.0
"""Seconds from one look for surveys whose day has come to the next, and from a fault to the next try."""
LOOK_IN_DOUBT_S = 10.0
"""The same while the clock is in doubt: a collector that is killed loses no more of what it has waited."""
KEYS_ERASED = "the gateway's oldest keys were erased: nobody can read what was encrypted with them any more"
ERASED = "survey %s: %d reports were erased on the day that the survey promised; their counts stay"

log = logging.getLogger(OURS)


class Retention:
    """Erases what is due, a slice between two of the writer's own transactions. For the thread that writes."""

    def __init__(self, store: Store, clock_wait_s: float = 0.0) -> None:
        """`clock_wait_s`: how long it waits where the clock is in doubt (`ClockGuard`)."""
        self._store = store
        self._clock = ClockGuard(store, clock_wait_s)
        self._due: deque[Due] = deque()
        self._slices: deque[tuple[int, bytes, bytes]] = deque()
        self._next_at = 0.0  # as the collector starts: it may have slept over a day

    def wait_s(self) -> float:
        """Return the seconds until the next step."""
        return max(0.0, self._next_at - time.monotonic())

    def step(self) -> bool:
        """Take a step if it is time to; return whether it was the last of a survey or of keys: they are gone then.

        Raises StoreUnavailableError; what was erased stays so, and the rest is tried again later.
        """
        if self.wait_s():
            return False
        self._next_at = time.monotonic() + LOOK_S
        if not self._due:
            due = find_due(self._store)
            if self._clock.allows(due):
                self._due.extend(due)
                self._plan()
                return self._erase_keys()
            self._next_at = time.monotonic() + LOOK_IN_DOUBT_S
            return False
        if self._slices:
            key, low, high = self._slices[0]
            self._store.run(lambda transaction: erase_slice(transaction, key, low, high))
            self._slices.popleft()
            self._next_at = 0.0
            return False
        return self._finish()

    def _plan(self) -> None:
        """Cut the reports of the next survey into slices, and go on at once; where there is none, later."""
        if self._due:
            self._slices.extend(plan_erasure(self._store, self._due[0]))
            self._next_at = 0.0

    def _erase_keys(self) -> bool:
        """Erase the gateway's keys whose day has come; return whether there were any."""
        is_due = has_due(self._store)
        if is_due and self._store.run(erase_keys):
            log.warning(KEYS_ERASED)
        return is_due

    def _finish(self) -> bool:
        """Erase what is left of a survey, and log it, unless another collector or worker has done so."""
        due = self._due[0]
        n_erased = self._store.run(lambda transaction: finish_erasure(transaction, due.key))
        if n_erased is not None:
            log.warning(ERASED, due.survey_id, n_erased)
        self._due.popleft()
        self._plan()
        return True
