"""A tally: how many noisy reports there are, and how many support each value. It is a sum: it merges in any order."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from sotto_protocol.documents import Fields, canonical_json, load_json
from sotto_protocol.errors import SurveyError, TallyError
from sotto_protocol.kary import KaryResponse
from sotto_protocol.mechanism import Bytes, Counts
from sotto_protocol.survey import Survey

FORMAT = "sottovoce-tally-1"
MAX_REPORTS = 2**53 - 1
"""The largest integer that every JSON reader keeps exact."""


@dataclass(frozen=True, eq=False)
class Tally:
    """Counts of noisy reports of one survey: `support_counts[question id]`, int64, shape (n_values,)."""

    survey: Survey
    n_reports: int
    support_counts: Mapping[str, Counts]

    def __post_init__(self) -> None:
        if not 0 <= self.n_reports <= MAX_REPORTS:
            raise TallyError("$.n_reports", f"must be an integer in [0, {MAX_REPORTS}].")
        if self.support_counts.keys() != {question.id for question in self.survey.questions}:
            raise TallyError("$.support_counts", "must have the survey's questions as members.")
        for question in self.survey.questions:
            counts = self.support_counts[question.id]
            where = f"$.support_counts.{question.id}"
            if counts.shape != (question.mechanism.n_values,) or counts.dtype != np.int64:
                raise TallyError(where, f"must be {question.mechanism.n_values} counts.")
            if counts.min() < 0 or counts.max() > self.n_reports:
                raise TallyError(where, f"must be counts in [0, n_reports = {self.n_reports}].")
            # Added up as Python's integers: 4096 counts of 2**53 overflow 64 bits.
            if isinstance(question.mechanism, KaryResponse) and sum(counts.tolist()) != self.n_reports:
                raise TallyError(where, f"must add up to n_reports ({self.n_reports}).")

    @staticmethod
    def empty(survey: Survey) -> "Tally":
        """Return the tally of no reports."""
        return Tally.of(survey, np.empty((0, survey.record_bytes), np.uint8))

    @staticmethod
    def of(survey: Survey, records: Bytes) -> "Tally":
        """Count packed reports, shape (n, record_bytes)."""
        counts = {q.id: q.mechanism.count_support(part) for q, part in survey.columns(records)}
        return Tally(survey, len(records), counts)

    def __add__(self, other: "Tally") -> "Tally":
        """Return the tally of both sets of reports. Raises TallyError where the surveys differ."""
        if self.survey.fingerprint != other.survey.fingerprint:
            raise TallyError("$.survey", "must be the same in tallies that are merged.")
        counts = {key: mine + other.support_counts[key] for key, mine in self.support_counts.items()}
        return Tally(self.survey, self.n_reports + other.n_reports, counts)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tally) and self.to_json() == other.to_json()

    def __hash__(self) -> int:
        return hash(self.to_json())

    def to_json(self) -> bytes:
        """Return canonical JSON that holds the survey too: everything that an estimate needs."""
        counts = {key: values.tolist() for key, values in self.support_counts.items()}
        document = {
            "format": FORMAT,
            "n_reports": self.n_reports,
            "support_counts": counts,
            "survey": load_json(self.survey.canonical, SurveyError),
        }
        return canonical_json(document)

    @staticmethod
    def from_json(text: str | bytes) -> "Tally":
        """Read a tally, strictly. Raises TallyError or SurveyError with the place."""
        fields = Fields(load_json(text, TallyError), "$", TallyError)
        fields.one_of("format", [FORMAT])
        n_reports = fields.integer("n_reports", 0, MAX_REPORTS)
        stated = fields.take("survey", "an object", lambda v: isinstance(v, dict))
        survey = Survey.from_canonical(canonical_json(stated))
        counts = Fields(
            fields.take("support_counts", "an object", lambda v: isinstance(v, dict)),
            "$.support_counts",
            TallyError,
        )
        fields.finish()
        support_counts = {q.id: _read_counts(counts, q.id, n_reports) for q in survey.questions}
        counts.finish()
        return Tally(survey, n_reports, support_counts)


def _read_counts(fields: Fields, key: str, n_reports: int) -> Counts:
    counts: list[int] = fields.take(key, f"a list of integers in [0, {n_reports}]", lambda v: _are_counts(v, n_reports))
    return np.array(counts, np.int64)


def _are_counts(value: Any, n_reports: int) -> bool:
    return (
        isinstance(value, list)
        and len(value) > 0
        and all(type(count) is int and 0 <= count <= n_reports for count in value)
    )
