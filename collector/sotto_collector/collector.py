"""A collector at work: its settings, its store, its writer, and the surveys it has read."""

import logging
import time

from prometheus_client import Metric

from sotto_collector.errors import InvitationError, RequestError, StoreError, refuse
from sotto_collector.gateway import Gateway
from sotto_collector.gauges import Gauges
from sotto_collector.intake.counting import Outcome
from sotto_collector.intake.limits import RateLimits
from sotto_collector.intake.parsing import parse_batch, refuse_invitation
from sotto_collector.intake.writer import Writer
from sotto_collector.logs import OURS
from sotto_collector.metrics import Metrics
from sotto_collector.settings import Settings
from sotto_collector.store import Store, StoredSurvey, TokenTable
from sotto_collector.store.journaling import keep_journal
from sotto_protocol.members import ID_PATTERN
from sotto_protocol.problem import NO_SUCH_SURVEY

WORK_S = 10.0
"""A request waits this long for its commit, in seconds, plus the busy timeout."""
KNOWN_S = 1.0
"""A survey read longer ago, in seconds, is read again: another process may have closed it or changed its settings."""
IF_OLD = "If the database was brought back or is a backup, run sotto db restore --in-place: then devices send again"
RESTORED_BENEATH = (
    "the database was restored while this collector ran. From now on devices learn of it. Restart the collector: it "
    "reads its journal only when it starts"
)

log = logging.getLogger(OURS)


class Collector:
    """The parts that requests share. Closing it commits what is queued."""

    def __init__(self, settings: Settings, metrics: Metrics | None = None, n_workers: int = 1) -> None:
        """Open the store. Raises StoreError where there is no database, or it cannot be used."""
        self.settings = settings
        self.metrics = metrics or Metrics()
        self.limits = RateLimits(n_workers)
        self.checks = RateLimits(n_workers)
        self.store = Store(settings.db, busy_timeout_ms=settings.busy_timeout_ms, create=False)
        if n_acts := keep_journal(self.store, settings.journal):
            log.warning("the journal had %d more acts than the database, which were done again. %s", n_acts, IF_OLD)
        with self.store.reader():
            self._restore_mark = self.store.restore_mark
        self.tokens = TokenTable(self.store)
        self.gateway = Gateway(self.store)
        self.gauges = Gauges(self.store, by_survey=settings.metrics_labels == "survey", folder=self.metrics.folder)
        self.writer = Writer(
            self.store,
            self.metrics,
            max_queued_reports=settings.max_queued_reports,
            commit_timeout_s=settings.busy_timeout_ms / 1000 + WORK_S,
            clock_wait_s=settings.clock_wait_s,
        )
        self._surveys: dict[str, tuple[float, StoredSurvey]] = {}

    @property
    def restore_mark(self) -> int:
        """What devices are told of restores, also of one that was done while this collector ran."""
        if self._restore_mark != (mark := self.store.restore_mark):
            self._restore_mark = mark
            log.warning(RESTORED_BENEATH)
        return mark

    def find_survey(self, survey_id: str) -> StoredSurvey | None:
        """Return the survey or draft of this id, if there is one, as it was at most KNOWN_S ago."""
        if not ID_PATTERN.fullmatch(survey_id):
            return None
        now = time.monotonic()
        read_at, known = self._surveys.get(survey_id, (-KNOWN_S, None))
        if known is None or now - read_at >= KNOWN_S:
            known = self.store.find_survey(survey_id)
            self.forget_survey(survey_id)
            if known is not None:
                self._surveys[survey_id] = now, known
        return known

    def require_survey(self, survey_id: str) -> StoredSurvey:
        """Return the published survey of this id. Raises RequestError 404: a draft is none to who has no token."""
        if (stored := self.require_any(survey_id)).is_draft:
            raise _refuse_unknown()
        return stored

    def require_any(self, survey_id: str) -> StoredSurvey:
        """Return the survey or draft of this id. Raises RequestError 404."""
        if (stored := self.find_survey(survey_id)) is None:
            raise _refuse_unknown()
        return stored

    def require_draft(self, survey_id: str, preview: str) -> StoredSurvey:
        """Return the draft of this id, to who knows what its page's address ends with. Raises RequestError 404."""
        if not (stored := self.require_any(survey_id)).shows_to(preview):
            raise _refuse_unknown()
        return stored

    def take(self, stored: StoredSurvey, body: bytes) -> Outcome:
        """Count the reports of a request's body, and return what became of them once that is committed.

        Raises RequestError, RateLimitError, and what the writer raises: nothing was counted then.
        """
        batch = parse_batch(body, stored, self.settings.max_batch_reports)
        per_minute = stored.reports_per_minute or self.settings.max_reports_per_minute
        try:
            with self.limits.hold(stored.key, len(batch), per_minute):
                outcome = self.writer.write(batch)
        except InvitationError as fault:
            raise refuse_invitation(fault.index) from None
        self.metrics.count_outcome(stored.survey.id, outcome.n_counted, outcome.n_duplicates, outcome.n_conflicting)
        return outcome

    def note_change(self, survey_id: str) -> None:
        """Note that a survey was changed, or something of it erased: it is read again, and traces of it are cleared."""
        self.forget_survey(survey_id)
        self.writer.note_change()

    def forget_survey(self, survey_id: str) -> None:
        """Drop what is known of a survey: it is read again when it is next asked for."""
        self._surveys.pop(survey_id, None)

    def collect_metrics(self) -> list[Metric]:
        """Return what was counted, by all workers, and what the store says of itself, unless it cannot be read."""
        counted = list(self.metrics.collect())
        try:
            return counted + self.gauges.collect()
        except (StoreError, OSError):
            return counted

    def hurry(self) -> None:
        """Use short timeouts for the database from now on: the collector stops. Safe in a signal handler."""
        self.store.hurry()

    def close(self, *, is_last: bool = True) -> None:
        """Commit what is queued, rewrite a small store in the order of its keys, close the store.

        `is_last`: of several workers only the last, which is alone then, rewrites, and logs what is left behind.

        Raises StoreUnavailableError where that could not be done; what was committed stays.
        """
        self.writer.close()
        try:
            if is_last:
                self.writer.tidy()
        finally:
            if not self.store.close() and is_last:
                log.error("another program uses the database, so traces of the order of commits cannot be removed")


def _refuse_unknown() -> RequestError:
    return refuse(404, NO_SUCH_SURVEY, "no survey has this id.")
