"""A tally: how many noisy reports there are, and how many support each value. It is a sum: it merges in any order."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from math import prod
from operator import add, sub
from typing import Any

import numpy as np

from sotto_protocol.documents import Fields, canonical_json, load_json
from sotto_protocol.errors import SurveyError, TallyError
from sotto_protocol.mechanisms.mechanism import Bytes, Counts
from sotto_protocol.questions.question import Question
from sotto_protocol.survey import Survey

FORMAT = "sottovoce-tally-1"
MAX_REPORTS = 2**53 - 1
"""The largest integer that every JSON reader keeps exact."""


@dataclass(frozen=True, slots=True)
class Counted:
    """Whose reports a question's counts hold: how many, and of which waves."""

    n_reports: int
    waves: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Tally:
    """Counts of noisy reports of one survey: `support_counts[question id]`, int64, of the mechanism's counts_shape.

    `waves`: those whose reports are counted, ascending. A device sends at most one report a wave, so reports are
    independent in a tally of one wave; in one of several, at most so many are of one device. `implausible[question
    id]`: how many of the reports honest devices hardly produce (`Mechanism.count_implausible`); zeros where not given.
    `behind`: what is counted of questions of which some reports are withheld, which only one with cohorts can be.
    """

    survey: Survey
    n_reports: int
    support_counts: Mapping[str, Counts]
    waves: tuple[int, ...] = (1,)
    implausible: Mapping[str, int] = field(default_factory=dict)
    behind: Mapping[str, Counted] = field(default_factory=dict)

    def __post_init__(self) -> None:
        whole = Counted(self.n_reports, self.waves)
        object.__setattr__(self, "behind", {key: of for key, of in self.behind.items() if of != whole})
        zeros = dict.fromkeys((question.id for question in self.survey.questions), 0)
        object.__setattr__(self, "implausible", zeros | dict(self.implausible))
        if not 0 <= self.n_reports <= MAX_REPORTS:
            raise TallyError("$.n_reports", f"must be an integer in [0, {MAX_REPORTS}].")
        if not _are_waves(list(self.waves), self.survey, self.n_reports):
            raise TallyError("$.waves", f"must be {_waves_expected(self.survey)}.")
        self._check_behind()
        if self.support_counts.keys() != {question.id for question in self.survey.questions}:
            raise TallyError("$.support_counts", "must have the survey's questions as members.")
        for question in self.survey.questions:
            try:
                _check_counts(question, self.support_counts[question.id], self.counted(question.id).n_reports)
            except ValueError as fault:
                raise TallyError(f"$.support_counts.{question.id}", str(fault)) from None
        if self.implausible.keys() != zeros.keys():
            raise TallyError("$.implausible", "must have questions of the survey as members.")
        for question in self.survey.questions:
            most = _most_implausible(question, self.counted(question.id).n_reports)
            if not 0 <= self.implausible[question.id] <= most:
                raise TallyError(f"$.implausible.{question.id}", f"must be an integer in [0, {most}].")

    def _check_behind(self) -> None:
        for key, of in self.behind.items():
            if key not in with_cohorts(self.survey):
                raise TallyError("$.behind", "must have questions with cohorts as members.")
            if not 0 <= of.n_reports <= self.n_reports:
                raise TallyError(f"$.behind.{key}.n_reports", f"must be an integer in [0, {self.n_reports}].")
            if not _are_waves(list(of.waves), self.survey, of.n_reports) or not {*of.waves} <= {*self.waves}:
                raise TallyError(f"$.behind.{key}.waves", "must be waves of the tally, different, ascending.")

    def counted(self, question_id: str) -> Counted:
        """Return whose reports a question's counts hold: the tally's, unless some of them are withheld."""
        return self.behind.get(question_id, Counted(self.n_reports, self.waves))

    def hold_back(self, question_ids: Collection[str], given: "Tally") -> "Tally":
        """Return this tally with the counts of these questions as `given` has them, a tally of fewer reports."""
        counts = {key: (given if key in question_ids else self).support_counts[key] for key in self.support_counts}
        implausible = {key: (given if key in question_ids else self).implausible[key] for key in self.implausible}
        behind = {**self.behind, **{key: given.counted(key) for key in question_ids}}
        return Tally(self.survey, self.n_reports, counts, self.waves, implausible, behind)

    @staticmethod
    def empty(survey: Survey) -> "Tally":
        """Return the tally of no reports."""
        return Tally.of(survey, np.empty((0, survey.record_bytes), np.uint8))

    @staticmethod
    def of(survey: Survey, records: Bytes) -> "Tally":
        """Count packed reports, shape (n, record_bytes), of whatever waves."""
        columns = survey.columns(records)
        counts = {question.id: question.mechanism.count_support(part) for question, part in columns}
        implausible = {question.id: question.mechanism.count_implausible(part) for question, part in columns}
        waves = (1,) if survey.waves == 1 else tuple(np.unique(survey.waves_of(records)).tolist())
        return Tally(survey, len(records), counts, waves, implausible)

    def __add__(self, other: "Tally") -> "Tally":
        """Return the tally of both sets of reports. Raises TallyError where the surveys differ."""
        waves = tuple(sorted({*self.waves, *other.waves}))
        return self._merge(other, add, waves)

    def __sub__(self, other: "Tally") -> "Tally":
        """Return the tally without reports that are in it, as erasure takes them out; the waves stay.

        Raises TallyError where the surveys differ, and where the reports cannot all be in it.
        """
        return self._merge(other, sub, self.waves)

    def _merge(self, other: "Tally", work: Callable[[Any, Any], Any], waves: tuple[int, ...]) -> "Tally":
        if self.survey.fingerprint != other.survey.fingerprint:
            raise TallyError("$.survey", "must be the same in tallies that are merged.")
        counts = {key: work(mine, other.support_counts[key]) for key, mine in self.support_counts.items()}
        implausible = {key: work(mine, other.implausible[key]) for key, mine in self.implausible.items()}
        behind = {}
        for key in {**self.behind, **other.behind}:
            mine, others = self.counted(key), other.counted(key)
            of_waves = tuple(sorted({*mine.waves, *others.waves})) if work is add else mine.waves
            behind[key] = Counted(work(mine.n_reports, others.n_reports), of_waves)
        return Tally(self.survey, work(self.n_reports, other.n_reports), counts, waves, implausible, behind)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tally) and self.to_json() == other.to_json()

    def __hash__(self) -> int:
        return hash(self.to_json())

    def pack(self) -> Counts:
        """Return all questions' counts, one behind the other, then each question's number of implausible reports.

        Where a question's counts have rows, a row stands behind the other. Packed tallies add up, and subtract.
        """
        ids = [question.id for question in self.survey.questions]
        implausible = np.array([self.implausible[key] for key in ids], np.int64)
        return np.concatenate([*(self.support_counts[key].ravel() for key in ids), implausible])

    @staticmethod
    def unpack(
        survey: Survey, n_reports: int, packed: Counts, waves: tuple[int, ...], *, may_be_behind: bool = False
    ) -> "Tally":
        """Return the tally whose counts `pack` gave. Raises TallyError.

        `may_be_behind`: of a question with cohorts as many reports are taken to be counted as its cohorts have, which
        must else be all.
        """
        shapes = [question.mechanism.counts_shape for question in survey.questions]
        ends = np.cumsum([*map(prod, shapes)])
        if packed.shape != (ends[-1] + len(shapes),):
            raise TallyError("$", f"packed counts must be {ends[-1] + len(shapes)} integers.")
        *parts, implausible = np.split(packed.astype(np.int64), ends)
        ids = [question.id for question in survey.questions]
        counts = {key: part.reshape(shape) for key, part, shape in zip(ids, parts, shapes, strict=True)}
        behind = {key: _counted_in(survey, counts[key], waves) for key in with_cohorts(survey) if may_be_behind}
        return Tally(survey, n_reports, counts, waves, dict(zip(ids, implausible.tolist(), strict=True)), behind)

    def to_json(self) -> bytes:
        """Return canonical JSON that holds the survey too: everything that an estimate needs."""
        counts = {key: values.tolist() for key, values in self.support_counts.items()}
        document = {
            "format": FORMAT,
            "implausible": dict(self.implausible),
            "n_reports": self.n_reports,
            "support_counts": counts,
            "survey": load_json(self.survey.canonical, SurveyError),
        }
        has_waves = self.survey.waves > 1
        behind = {
            key: {"n_reports": of.n_reports} | ({"waves": list(of.waves)} if has_waves else {})
            for key, of in self.behind.items()
        }
        document |= {"behind": behind} if behind else {}
        return canonical_json(document | ({"waves": list(self.waves)} if has_waves else {}))

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
        waves = (1,) if survey.waves == 1 else _take_waves(fields, survey, n_reports)
        implausible = _take_implausible(fields, survey, n_reports)
        behind = _take_behind(fields, survey, n_reports)
        fields.finish()
        support_counts = {q.id: _take_counts(counts, q, n_reports) for q in survey.questions}
        counts.finish()
        return Tally(survey, n_reports, support_counts, waves, implausible, behind)


def with_cohorts(survey: Survey) -> list[str]:
    """Return the ids of the questions whose counts are kept by cohort."""
    return [question.id for question in survey.questions if len(question.mechanism.counts_shape) > 1]


def _counted_in(survey: Survey, counts: Counts, waves: tuple[int, ...]) -> Counted:
    """Return whose reports counts by cohort hold, of one wave: as many as the cohorts' totals, their first column."""
    n_reports = sum(counts[:, 0].tolist())
    return Counted(n_reports, waves if n_reports or survey.waves == 1 else ())


def _check_counts(question: Question, counts: Counts, n_reports: int) -> None:
    mechanism = question.mechanism
    if counts.shape != mechanism.counts_shape or counts.dtype != np.int64:
        raise ValueError(f"must be {_shape_words(question)}.")
    if counts.min() < 0 or counts.max() > n_reports:
        raise ValueError(f"must be counts in [0, n_reports = {n_reports}].")
    mechanism.check_counts(counts, n_reports)


def _shape_words(question: Question) -> str:
    *n_rows, n_counts = question.mechanism.counts_shape
    return "".join(f"{n} lists of " for n in n_rows) + f"{n_counts} counts"


def _take_counts(fields: Fields, question: Question, n_reports: int) -> Counts:
    expected = f"a list of integers in [0, {n_reports}]"
    if len(question.mechanism.counts_shape) == 1:
        return np.array(fields.take(question.id, expected, lambda v: _are_counts(v, n_reports)), np.int64)
    rows = fields.take(
        question.id, f"a list of lists of integers in [0, {n_reports}]", lambda v: _are_rows(v, n_reports)
    )
    return np.array(rows, np.int64)


def _take_implausible(fields: Fields, survey: Survey, n_reports: int) -> dict[str, int]:
    """Return the numbers of implausible reports; none where the tally was written before they were counted."""
    if not fields.has("implausible"):
        return {}
    stated = fields.take("implausible", "an object", lambda v: isinstance(v, dict))
    members = Fields(stated, "$.implausible", TallyError)
    taken = {q.id: members.integer(q.id, 0, _most_implausible(q, n_reports)) for q in survey.questions}
    members.finish()
    return taken


def _take_behind(fields: Fields, survey: Survey, n_reports: int) -> dict[str, Counted]:
    """Return what is counted of the questions of which some reports are withheld; none where it is not said."""
    if not fields.has("behind"):
        return {}
    members = Fields(fields.take("behind", "an object", lambda v: isinstance(v, dict)), "$.behind", TallyError)
    taken = {}
    for key in filter(members.has, with_cohorts(survey)):
        stated = members.take(key, "an object", lambda v: isinstance(v, dict))
        of = Fields(stated, f"$.behind.{key}", TallyError)
        n_counted = of.integer("n_reports", 0, n_reports)
        taken[key] = Counted(n_counted, (1,) if survey.waves == 1 else _take_waves(of, survey, n_counted))
        of.finish()
    members.finish()
    return taken


def _most_implausible(question: Question, n_reports: int) -> int:
    return n_reports if question.mechanism.prob_implausible else 0


def _are_rows(value: Any, n_reports: int) -> bool:
    return (
        isinstance(value, list)
        and all(_are_counts(row, n_reports) for row in value)
        and len({len(row) for row in value}) == 1
    )


def _are_counts(value: Any, n_reports: int) -> bool:
    return (
        isinstance(value, list)
        and len(value) > 0
        and all(type(count) is int and 0 <= count <= n_reports for count in value)
    )


def _take_waves(fields: Fields, survey: Survey, n_reports: int) -> tuple[int, ...]:
    return tuple(fields.take("waves", _waves_expected(survey), lambda v: _are_waves(v, survey, n_reports)))


def _waves_expected(survey: Survey) -> str:
    return f"the waves that are counted, different integers in [1, {survey.waves}], ascending"


def _are_waves(value: Any, survey: Survey, n_reports: int) -> bool:
    return (
        isinstance(value, list)
        and all(type(wave) is int and 1 <= wave <= survey.waves for wave in value)
        and value == sorted(set(value))
        and (len(value) > 0 or n_reports == 0)
    )
