"""A cache of values that are read again after a while: however many threads ask, one reads."""

import threading
import time
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from typing import Generic, TypeVar

Value = TypeVar("Value")

OLD_S = 10.0
"""While a value is read again, others get the last one if it is not older than this, in seconds; else they wait."""


class TimeCache(Generic[Value]):
    """Keeps the last value that was read, by key, for some time. Threads may share it."""

    def __init__(self, known_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        """`known_s`: nothing is read again for so long after a reading has ended, whether it succeeded or failed."""
        self._known_s = known_s
        self._clock = clock
        self._lock = threading.Lock()
        self._last: dict[Hashable, tuple[float, Future[Value]]] = {}
        self._running: dict[Hashable, Future[Value]] = {}

    def get(self, key: Hashable, read: Callable[[], Value]) -> Value:
        """Return what was read at most `known_s` ago, else what the first to ask reads now; raises what that raised."""
        with self._lock:
            reading, is_mine = self._find(key)
        if is_mine:
            self._read(key, read, reading)
        return reading.result()

    def _find(self, key: Hashable) -> "tuple[Future[Value], bool]":
        """Return the reading whose result this caller gets, and whether the caller must do it."""
        ended_at, last = self._last.get(key, (0.0, None))
        age_s = self._clock() - ended_at
        if last is not None and age_s < self._known_s:
            return last, False
        if key not in self._running:
            self._running[key] = Future()
            return self._running[key], True
        has_old = last is not None and age_s < OLD_S and last.exception() is None
        return (last if last is not None and has_old else self._running[key]), False

    def _read(self, key: Hashable, read: Callable[[], Value], running: "Future[Value]") -> None:
        try:
            running.set_result(read())
        except BaseException as fault:  # all who wait must get it; `result` raises it here, too
            running.set_exception(fault)
        with self._lock:
            now = self._clock()  # not that of before: after a long wait for the database it would be read again at once
            del self._running[key]
            self._last = {other: known for other, known in self._last.items() if now - known[0] < OLD_S}
            self._last[key] = now, running
