"""A lesson: what a room has reported so far, and what was seen of it. Looks are in memory alone, and end with it."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass

from sotto_author.errors import AuthorError
from sotto_collector.collector import Collector
from sotto_collector.errors import BelowMinimumError
from sotto_collector.store import Store, StoredSurvey
from sotto_collector.store.releases import read_released
from sotto_estimator import Estimates, IntervalOptions, estimate_tally
from sotto_estimator.inference.registry import is_text
from sotto_estimator.shares.verdict.judge import with_verdicts
from sotto_protocol import Survey, Tally

ANYTIME = IntervalOptions(method="anytime")
MAX_LOOKS = 60
"""So many are drawn at most. Of more every other one is forgotten."""


def check_lesson(survey: Survey) -> None:
    """Raise AuthorError for a survey that a room cannot answer from a QR code, or see on the wall."""
    reasons = {
        "asks for invitations": survey.invited,
        "has strata": bool(survey.strata),
        "is delivered through a relay": survey.is_oblivious,
        "has text questions only": all(map(is_text, survey.questions)),
    }
    if why := next((reason for reason, holds in reasons.items() if holds), ""):
        raise AuthorError(f"survey {survey.id} {why}. A classroom needs a question with a share or a mean, for all.")


@dataclass(frozen=True, slots=True)
class Seen:
    """What is seen now: how many reports came, and every look, the last one at the end."""

    survey: Survey
    n_reports: int
    looks: Sequence[Estimates]
    is_open: bool


class Lesson:
    """The survey at its collector, and the looks at it. Threads may share it."""

    def __init__(self, collector: Collector, survey: Survey) -> None:
        self._collector = collector
        self._id = survey.id
        self._lock = threading.Lock()
        self._looks: list[Estimates] = []

    def look(self) -> Seen:
        """Look once more. A look is kept if there are new reports to see."""
        store, stored = self._collector.store, self._collector.require_survey(self._id)
        with self._lock:
            tally = read_lesson(store, stored)
            if tally and (not self._looks or tally.n_reports != self._looks[-1].n_reports):
                self._looks = [*thinned(self._looks), estimate_lesson(tally)]
            looks = tuple(self._looks)
        return Seen(stored.survey, store.count_tallied(stored.key), looks, stored.is_open)

    def end(self) -> None:
        """Accept no more reports."""
        self._collector.store.close_survey(self._collector.require_survey(self._id).key)
        self._collector.note_change(self._id)


def read_lesson(store: Store, stored: StoredSurvey) -> Tally | None:
    """Return the counts that may be seen, of the first wave; None where there are too few."""
    try:
        tally = read_released(store, stored, 1)
    except BelowMinimumError:
        return None
    return tally if tally.n_reports else None


def estimate_lesson(tally: Tally) -> Estimates:
    """Return the estimates, with intervals that are valid at every look, and what they mean."""
    return with_verdicts(estimate_tally(tally, ANYTIME), tally)


def thinned(looks: list[Estimates]) -> list[Estimates]:
    """Return fewer looks where there are many, the first and the last among them."""
    return looks if len(looks) < MAX_LOOKS else [*looks[:-1:2], looks[-1]]
