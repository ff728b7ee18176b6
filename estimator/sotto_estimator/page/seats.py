"""Seats: one of a kind of work is done at a time, and of one survey a few wait for it."""

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from sotto_estimator.page.errors import CrowdedError


class Seats:
    """What many may ask for and takes long. Each survey has its own: its readers take none of another's."""

    def __init__(self, work: str, n_of_survey: int) -> None:
        """`work`: what is made, in the plural. One of a survey's seats works, the others wait."""
        self._work = work
        self._n_of_survey = n_of_survey
        self._lock = threading.Lock()
        self._turn = threading.Lock()
        self._taken: Counter[str] = Counter()

    @contextmanager
    def take(self, survey_id: str) -> Iterator[None]:
        """Wait for the turn, and have it until the block ends. Raises CrowdedError."""
        with self._lock:
            if self._taken[survey_id] >= self._n_of_survey:
                raise CrowdedError(f"other {self._work} of this survey are being made; ask again in a moment.")
            self._taken[survey_id] += 1
        try:
            with self._turn:
                yield
        finally:
            with self._lock:
                self._taken[survey_id] -= 1
                self._taken += Counter()  # forgets those of whom there are none
