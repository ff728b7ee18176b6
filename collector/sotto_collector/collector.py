"""A collector at work: its settings, its store, its writer, and the surveys it has read."""

from sotto_collector.settings import Settings
from sotto_collector.store import Store, StoredSurvey
from sotto_collector.writer import Writer


class Collector:
    """The parts that requests share. Closing it commits what is queued."""

    def __init__(self, settings: Settings) -> None:
        """Open the store. Raises StoreError where the file cannot be used."""
        self.settings = settings
        self.store = Store(settings.db, busy_timeout_ms=settings.busy_timeout_ms)
        self.writer = Writer(self.store, max_queued_reports=settings.max_queued_reports)
        self._surveys: dict[str, StoredSurvey] = {}

    def find_survey(self, survey_id: str) -> StoredSurvey | None:
        """Return the survey of this id, if there is one. Read once: a survey never changes."""
        known = self._surveys.get(survey_id)
        if known is None:
            known = self.store.find_survey(survey_id)
            if known is not None:
                self._surveys[survey_id] = known
        return known

    def close(self) -> None:
        """Commit what is queued, rewrite the file in the order of its keys, fold in its log, close it.

        Raises StoreUnavailableError where the file could not be rewritten or folded; what was committed stays.
        """
        self.writer.close()
        try:
            self.store.rewrite()
        finally:
            self.store.close()
