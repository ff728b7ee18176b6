"""A survey or a draft as it is stored: its definition, and what its operator has set."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sotto_collector.day import is_over
from sotto_collector.errors import NotKeptError
from sotto_protocol import Survey

STATES = OPEN, CLOSED, DRAFT = "open", "closed", "draft"


@dataclass(frozen=True, slots=True)
class StoredSurvey:
    """A survey, its key in the store, and what its operator has set. The first two never change once it is published.

    `is_open`: whether it took reports as it was read; not once it was closed, nor after its last day, nor as a draft.
    `preview`: of a draft alone, what the address of its page ends with. `is_erased`: its reports went, or were to be
    gone by the day on which it was read; counts are left.
    """

    key: int
    survey: Survey
    is_open: bool = field(default=True, compare=False)
    cors_origins: tuple[str, ...] = field(default=(), compare=False)
    reports_per_minute: int | None = field(default=None, compare=False)
    preview: str | None = field(default=None, compare=False)
    is_erased: bool = field(default=False, compare=False)

    @property
    def is_draft(self) -> bool:
        """Whether it is not published yet: then it takes no reports, and may be replaced."""
        return self.preview is not None

    @property
    def state(self) -> str:
        """In a word, whether it takes reports: one of STATES."""
        return DRAFT if self.is_draft else OPEN if self.is_open else CLOSED

    @property
    def has_reports(self) -> bool:
        """Whether there are reports to be read: not where counts alone are kept, nor once all were erased."""
        return self.survey.keeps_reports and not self.is_erased

    def shows_to(self, preview: str) -> bool:
        """Whether it is a draft, and this what the address of its page ends with."""
        return self.preview is not None and secrets.compare_digest(self.preview.encode(), preview.encode())

    def require_reports(self) -> None:
        """Raise NotKeptError where the store has this survey's counts, and none of its reports."""
        if self.is_erased:
            raise NotKeptError(
                f"the reports of survey {self.survey.id} were erased, as the survey promised for "
                f"{self.survey.erase_on}. Its counts stay."
            )
        if not self.survey.keeps_reports:
            raise NotKeptError(
                f"survey {self.survey.id} keeps only counts. It has no reports to erase, recount, export or associate."
            )


def read_row(row: Sequence[Any], today: str) -> StoredSurvey:
    """Return a survey from its row, as it is on a day."""
    key, text, is_open, origins, per_minute, preview, erase_on, n_erased = row
    survey = Survey.from_canonical(bytes(text))
    takes_reports = is_open == 1 and not is_over(survey, today)
    is_erased = n_erased is not None or (erase_on is not None and preview is None and erase_on <= today)
    return StoredSurvey(key, survey, takes_reports, tuple(origins.split()), per_minute, preview, is_erased)
