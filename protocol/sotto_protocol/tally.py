"""A tally: how many noisy reports there are, and how many support each value. It is a sum: it merges in any order."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property, reduce
from math import prod
from operator import add, sub
from typing import Any

import numpy as np

from sotto_protocol.counted import Counted, PackedTally
from sotto_protocol.errors import TallyError
from sotto_protocol.mechanisms.mechanism import Bytes, Counts
from sotto_protocol.questions.question import Question
from sotto_protocol.record import WAVE
from sotto_protocol.survey import Survey
from sotto_protocol.tally_document import (
    MAX_REPORTS,
    TallyMembers,
    may_be_behind,
    most_implausible,
    read_tally,
    with_cohorts,
    write_tally,
)


@dataclass(frozen=True, eq=False)
class Tally:
    """Counts of noisy reports of one survey: `support_counts[question id]`, int64, of the mechanism's counts_shape.

    `reports_by_wave` has the number of reports of each wave with reports, ascending. In a survey of one wave it is
    {1: n}. A device sends at most one report a wave, so the reports of one wave are independent. In a tally of k waves
    up to k reports may come from one device. `n_unsplit` more reports are of these waves, but nobody knows of which
    ones (see `Counted`). `implausible[question id]` counts the reports that honest devices hardly ever produce
    (`Mechanism.count_implausible`). It is 0 if not given. `behind` has the questions for which only some of the reports
    count. With `draw` the other reports answer other questions; or some counts are withheld.
    """

    survey: Survey
    reports_by_wave: Mapping[int, int]
    support_counts: Mapping[str, Counts]
    implausible: Mapping[str, int] = field(default_factory=dict)
    behind: Mapping[str, Counted] = field(default_factory=dict)
    n_unsplit: int = 0

    def __post_init__(self) -> None:
        whole = Counted(self.reports_by_wave, self.n_unsplit)
        object.__setattr__(self, "reports_by_wave", whole.by_wave)
        object.__setattr__(self, "n_unsplit", whole.n_unsplit)
        object.__setattr__(self, "behind", {key: of for key, of in self.behind.items() if of != whole})
        zeros = dict.fromkeys((question.id for question in self.survey.questions), 0)
        object.__setattr__(self, "implausible", zeros | dict(self.implausible))
        self._check_reports()
        if self.support_counts.keys() != zeros.keys():
            raise TallyError("$.support_counts", "must have the survey's questions as members.")
        n_counted = dict.fromkeys(zeros, self.n_reports) | {key: of.n_reports for key, of in self.behind.items()}
        for question in self.survey.questions:
            try:
                _check_counts(question, self.support_counts[question.id], n_counted[question.id])
            except ValueError as fault:
                raise TallyError(f"$.support_counts.{question.id}", str(fault)) from None
        if self.implausible.keys() != zeros.keys():
            raise TallyError("$.implausible", "must have questions of the survey as members.")
        for question in self.survey.questions:
            most = most_implausible(question, n_counted[question.id])
            if not 0 <= self.implausible[question.id] <= most:
                raise TallyError(f"$.implausible.{question.id}", f"must be an integer in [0, {most}].")

    def _check_reports(self) -> None:
        if not 0 <= self.n_reports <= MAX_REPORTS:
            raise TallyError("$.n_reports", f"must be an integer in [0, {MAX_REPORTS}].")
        _check_counted(self.whole, self.survey, "$")
        for key, of in self.behind.items():
            if key not in may_be_behind(self.survey):
                raise TallyError("$.behind", "must have questions with cohorts as members.")
            _check_counted(of, self.survey, f"$.behind.{key}")
            if not self.whole.may_hold(of):
                raise TallyError(f"$.behind.{key}", "must be reports that are among the tally's, wave by wave.")
        if self.survey.draw:
            self._check_drawn()

    def _check_drawn(self) -> None:
        """Raise TallyError unless so many reports answer `draw` questions each.

        Where some may be withheld nothing adds up: a question's counts are then of reports that others have lost since.
        """
        if self.survey.min_reports > 1:
            return
        answered = [self.counted(question.id) for question in self.survey.questions]
        is_known = not any(counted.n_unsplit for counted in [self.whole, *answered])
        pairs = [(sum(counted.n_reports for counted in answered), self.n_reports)]
        if is_known:
            pairs += [(sum(of.by_wave.get(wave, 0) for of in answered), n) for wave, n in self.whole.by_wave.items()]
        if any(n != self.survey.draw * reports for n, reports in pairs):
            raise TallyError("$.behind", f"must add up to {self.survey.draw} answers a report, of a wave too.")

    @cached_property
    def whole(self) -> Counted:
        """The number of reports in the tally, by wave."""
        return Counted(self.reports_by_wave, self.n_unsplit)

    @property
    def n_reports(self) -> int:
        """How many reports are counted, of all waves."""
        return sum(self.reports_by_wave.values()) + self.n_unsplit

    @property
    def waves(self) -> tuple[int, ...]:
        """The waves whose reports are counted, ascending."""
        return tuple(self.reports_by_wave)

    def counted(self, question_id: str) -> Counted:
        """Return how many reports a question's counts hold: the tally's, without those withheld or of other questions.

        It is the denominator of every result for the question.
        """
        return self.behind.get(question_id, self.whole)

    def hold_back(self, question_ids: Collection[str], given: "Tally") -> "Tally":
        """Return this tally with the counts of these questions taken from `given`, a tally of fewer reports."""
        counts = {key: (given if key in question_ids else self).support_counts[key] for key in self.support_counts}
        implausible = {key: (given if key in question_ids else self).implausible[key] for key in self.implausible}
        behind = {**self.behind, **{key: given.counted(key) for key in question_ids}}
        return Tally(self.survey, self.reports_by_wave, counts, implausible, behind, self.n_unsplit)

    @staticmethod
    def empty(survey: Survey) -> "Tally":
        """Return the tally of no reports."""
        return Tally.of(survey, np.empty((0, survey.layout.n_bytes), np.uint8))

    @staticmethod
    def of(survey: Survey, records: Bytes) -> "Tally":
        """Count packed reports, shape (n, layout.n_bytes), of any waves."""
        reports_by_wave = _count_waves(survey, records)
        if survey.draw and len(reports_by_wave) > 1:  # each wave's answers are counted by themselves
            return reduce(add, Tally.by_wave(survey, records).values())
        return _count(survey, records, reports_by_wave)

    @staticmethod
    def by_wave(survey: Survey, records: Bytes) -> dict[int, "Tally"]:
        """Count packed reports, shape (n, layout.n_bytes), wave by wave, without waves that have no reports."""
        reports_by_wave = _count_waves(survey, records)
        if len(reports_by_wave) == 1:
            return dict.fromkeys(reports_by_wave, _count(survey, records, reports_by_wave))
        waves = survey.layout.numbers(records, WAVE)
        return {wave: _count(survey, records[waves == wave], {wave: n}) for wave, n in reports_by_wave.items()}

    @staticmethod
    def by_cell(survey: Survey, records: Bytes) -> dict[int, "Tally"]:
        """Count packed reports, shape (n, layout.n_bytes), cell by cell (`Survey.cells`), without empty cells."""
        if not survey.strata:
            return Tally.by_wave(survey, records)
        cells = survey.layout.cells(records)
        return {cell: Tally.of(survey, records[cells == cell]) for cell in np.unique(cells).tolist()}

    def __add__(self, other: "Tally") -> "Tally":
        """Return the tally of both sets of reports. Raises TallyError if the surveys differ."""
        return self._merge(other, add)

    def __sub__(self, other: "Tally") -> "Tally":
        """Return the tally without some of its reports, as erasure removes them.

        Raises TallyError if the surveys differ, or if the reports cannot all be in the tally.
        """
        return self._merge(other, sub)

    def _merge(self, other: "Tally", work: Callable[[Any, Any], Any]) -> "Tally":
        if self.survey.fingerprint != other.survey.fingerprint:
            raise TallyError("$.survey", "must be the same in tallies that are merged.")
        counts = {key: work(mine, other.support_counts[key]) for key, mine in self.support_counts.items()}
        implausible = {key: work(mine, other.implausible[key]) for key, mine in self.implausible.items()}
        behind = {key: work(self.counted(key), other.counted(key)) for key in {**self.behind, **other.behind}}
        whole = work(self.whole, other.whole)
        return Tally(self.survey, whole.by_wave, counts, implausible, behind, whole.n_unsplit)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tally) and self.to_json() == other.to_json()

    def __hash__(self) -> int:
        return hash(self.to_json())

    def pack(self) -> PackedTally:
        """Return all questions' counts, one after the other, then each question's number of implausible reports.

        If a question's counts have rows, they follow each other. In a survey with `draw` each question's number of
        reports comes last. If the tally has several waves, the packed form no longer has that number by wave. Packed
        tallies can be added and subtracted.
        """
        ids = [question.id for question in self.survey.questions]
        implausible = np.array([self.implausible[key] for key in ids], np.int64)
        answered = [self.counted(key).n_reports for key in ids if self.survey.draw]
        parts = [*(self.support_counts[key].ravel() for key in ids), implausible, np.array(answered, np.int64)]
        return PackedTally(self.whole, np.concatenate(parts))

    @staticmethod
    def unpack(survey: Survey, packed: PackedTally, *, is_released: bool = False) -> "Tally":
        """Return the tally that `pack` packed. Raises TallyError.

        Without `is_released`, all reports must be in the cohorts of a question with cohorts. With it, the number of
        reports of such a question is the sum over its cohorts.
        """
        shapes = [question.mechanism.counts_shape for question in survey.questions]
        ends = np.cumsum([*map(prod, shapes), len(shapes)])
        n_integers = int(ends[-1]) + len(shapes) * bool(survey.draw)
        if packed.counts.shape != (n_integers,):
            raise TallyError("$", f"packed counts must be {n_integers} integers.")
        *parts, last, answered = np.split(packed.counts.astype(np.int64), ends)
        ids, whole = [question.id for question in survey.questions], packed.counted
        counts = {key: part.reshape(shape) for key, part, shape in zip(ids, parts, shapes, strict=True)}
        implausible = dict(zip(ids, last.tolist(), strict=True))
        if survey.draw:
            behind = {key: _part_of(whole, n) for key, n in zip(ids, answered.tolist(), strict=True)}
        else:
            totals = {key: sum(counts[key][:, 0].tolist()) for key in with_cohorts(survey) if is_released}
            behind = {key: _part_of(whole, n) for key, n in totals.items()}
        return Tally(survey, whole.by_wave, counts, implausible, behind, whole.n_unsplit)

    def to_json(self) -> bytes:
        """Return canonical JSON with everything that an estimate needs, the survey included."""
        return write_tally(TallyMembers(self.survey, self.whole, self.support_counts, self.implausible, self.behind))

    @staticmethod
    def from_json(text: str | bytes) -> "Tally":
        """Read a tally, strictly, in this format or the first. Raises TallyError or SurveyError with the place.

        The first format does not say how many reports are of each of several waves: they become `n_unsplit`.
        """
        survey, whole, counts, implausible, behind = read_tally(text)
        return Tally(survey, whole.by_wave, counts, implausible, behind, whole.n_unsplit)


def _count(survey: Survey, records: Bytes, reports_by_wave: Mapping[int, int]) -> Tally:
    """Count packed reports, which are so many of each wave; with `draw`, of one wave."""
    columns = survey.layout.cut(records)
    counts = {question.id: question.mechanism.count_support(part) for question, part in columns}
    implausible = {question.id: question.mechanism.count_implausible(part) for question, part in columns}
    answered = {question.id: _part_of(Counted(reports_by_wave), len(part)) for question, part in columns if survey.draw}
    return Tally(survey, reports_by_wave, counts, implausible, answered)


def _count_waves(survey: Survey, records: Bytes) -> dict[int, int]:
    """Return how many packed reports are of each wave, ascending; waves without reports are left out."""
    if survey.waves == 1:
        return {1: len(records)} if len(records) else {}
    numbers = np.bincount(survey.layout.numbers(records, WAVE))  # a wave's number is at most 1,000
    return {wave: int(numbers[wave]) for wave in np.flatnonzero(numbers).tolist()}


def _part_of(whole: Counted, n_reports: int) -> Counted:
    """Return so many of these reports: of several waves it is not known of which they are."""
    return whole if n_reports == whole.n_reports else Counted.unsplit(n_reports, whole.waves)


def _check_counted(counted: Counted, survey: Survey, where: str) -> None:
    if not all(type(wave) is int and 1 <= wave <= survey.waves for wave in counted.by_wave):
        raise TallyError(f"{where}.reports_by_wave", f"must be of waves in [1, {survey.waves}].")
    if min(counted.n_unsplit, *counted.by_wave.values(), 0) < 0 or (counted.n_unsplit and not counted.by_wave):
        raise TallyError(f"{where}.reports_by_wave", "must have numbers of reports, none below 0.")


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
