"""Limits of how many reports a survey takes a minute: counted in memory by survey, so no address is needed."""

import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from sotto_collector.errors import RateLimitError, refuse

WINDOW_S = 60


class RateLimits:
    """Counts each survey's reports within a minute, which begins with its first report.

    Each of `n_workers` that share a listening socket grants its share of a limit, and at least one report.
    """

    def __init__(self, n_workers: int = 1, clock: Callable[[], float] = time.monotonic) -> None:
        self._n_workers = n_workers
        self._clock = clock
        self._lock = threading.Lock()
        self._windows: dict[int, tuple[float, int]] = {}

    def take(self, survey_key: int, n_reports: int, per_minute: int | None) -> float:
        """Count reports against the limit, and return when their minute began. `per_minute` None or 0: no limit.

        Raises RateLimitError, which says when to try again; RequestError 422 where the batch alone is above the limit.
        """
        if not per_minute:
            return -math.inf
        share = max(1, per_minute // self._n_workers)
        if n_reports > share:
            raise refuse(422, "batch_over_rate", f"must be at most {share} reports at once.", "$.reports")
        with self._lock:
            now = self._clock()
            began, taken = self._windows.get(survey_key, (-math.inf, 0))
            if now - began >= WINDOW_S:
                began, taken = now, 0
            if taken + n_reports > share:
                raise RateLimitError(math.ceil(began + WINDOW_S - now))
            self._windows[survey_key] = began, taken + n_reports
        return began

    @contextmanager
    def hold(self, survey_key: int, n_reports: int, per_minute: int | None) -> Iterator[None]:
        """Count reports against the limit, but not if the block fails: then none of them was stored."""
        began = self.take(survey_key, n_reports, per_minute)
        try:
            yield
        except BaseException:
            self._give_back(survey_key, n_reports, began)
            raise

    def _give_back(self, survey_key: int, n_reports: int, began: float) -> None:
        with self._lock:
            window, taken = self._windows.get(survey_key, (math.inf, 0))
            if window == began:
                self._windows[survey_key] = began, taken - n_reports
