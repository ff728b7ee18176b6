"""The tally as a document: canonical JSON that holds the survey too, read strictly, in this format or the first."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from sotto_protocol.counted import Counted
from sotto_protocol.documents import Fields, canonical_json, load_json
from sotto_protocol.errors import SurveyError, TallyError
from sotto_protocol.mechanisms.mechanism import Counts
from sotto_protocol.questions.question import Question
from sotto_protocol.survey import Survey

FORMAT = "sottovoce-tally-2"
FIRST_FORMAT = "sottovoce-tally-1"
"""Of several waves it says which they are, and not how many reports each has. It is read, and not written."""
MAX_REPORTS = 2**53 - 1
"""The largest integer that every JSON reader keeps exact."""


class TallyMembers(NamedTuple):
    """What a tally is made of."""

    survey: Survey
    counted: Counted
    support_counts: Mapping[str, Counts]
    implausible: Mapping[str, int]
    behind: Mapping[str, Counted]


def write_tally(tally: TallyMembers) -> bytes:
    """Return a tally as canonical JSON."""
    document = {
        "format": FORMAT,
        "implausible": dict(tally.implausible),
        "support_counts": {key: values.tolist() for key, values in tally.support_counts.items()},
        "survey": load_json(tally.survey.canonical, SurveyError),
    }
    behind = {key: _write_counted(of, tally.survey) for key, of in tally.behind.items()}
    document |= {"behind": behind} if behind else {}
    return canonical_json(document | _write_counted(tally.counted, tally.survey))


def _write_counted(counted: Counted, survey: Survey) -> dict[str, Any]:
    members: dict[str, Any] = {"n_reports": counted.n_reports}
    if survey.waves > 1:
        # An object: JSON refuses the same wave twice by itself, and a reader finds a wave by its number.
        members["reports_by_wave"] = {str(wave): n for wave, n in counted.by_wave.items()}
    return members | ({"n_unsplit": counted.n_unsplit} if counted.n_unsplit else {})


def read_tally(text: str | bytes) -> TallyMembers:
    """Read a tally, strictly. Raises TallyError or SurveyError with the place."""
    fields = Fields(load_json(text, TallyError), "$", TallyError)
    is_first = fields.one_of("format", [FORMAT, FIRST_FORMAT]) == FIRST_FORMAT
    n_reports = fields.integer("n_reports", 0, MAX_REPORTS)
    stated = fields.take("survey", "an object", lambda v: isinstance(v, dict))
    survey = Survey.from_canonical(canonical_json(stated))
    counts = Fields(
        fields.take("support_counts", "an object", lambda v: isinstance(v, dict)), "$.support_counts", TallyError
    )
    counted = _take_counted(fields, survey, n_reports, is_first=is_first)
    implausible = _take_implausible(fields, survey, n_reports)
    behind = _take_behind(fields, survey, n_reports, is_first=is_first)
    fields.finish()
    support_counts = {question.id: _take_counts(counts, question, n_reports) for question in survey.questions}
    counts.finish()
    return TallyMembers(survey, counted, support_counts, implausible, behind)


def with_cohorts(survey: Survey) -> list[str]:
    """Return the ids of the questions whose counts are kept by cohort."""
    return [question.id for question in survey.questions if question.mechanism.has_cohorts]


def may_be_behind(survey: Survey) -> list[str]:
    """Return the ids of the questions that may have fewer reports than a tally: with `draw`, any."""
    return [question.id for question in survey.questions] if survey.draw else with_cohorts(survey)


def most_implausible(question: Question, n_reports: int) -> int:
    """Return how many of so many reports to a question can be implausible: none where all are plausible."""
    return n_reports if question.mechanism.prob_implausible else 0


def _take_counted(fields: Fields, survey: Survey, n_reports: int, *, is_first: bool) -> Counted:
    """Return how many reports of each wave there are; in the first format that is known of one wave alone."""
    if survey.waves == 1:
        return Counted({1: n_reports})
    if is_first:
        return Counted.unsplit(n_reports, _take_waves(fields, survey, n_reports))
    by_wave = _take_by_wave(fields, survey, n_reports)
    n_unsplit = fields.integer("n_unsplit", 1, n_reports) if fields.has("n_unsplit") else 0
    if sum(by_wave.values()) + n_unsplit != n_reports or (n_unsplit and len(by_wave) < 2):
        raise fields.fail("reports_by_wave", f"must add up, with n_unsplit, to n_reports ({n_reports}).")
    return Counted(by_wave, n_unsplit)


def _take_by_wave(fields: Fields, survey: Survey, n_reports: int) -> dict[int, int]:
    members = fields.take("reports_by_wave", "an object", lambda v: isinstance(v, dict))
    known = {str(wave): wave for wave in range(1, survey.waves + 1)}
    least = 0 if fields.has("n_unsplit") else 1
    if not all(key in known and type(n) is int and least <= n <= n_reports for key, n in members.items()):
        where = f"the numbers of waves in [1, {survey.waves}], each with an integer in [{least}, {n_reports}]"
        raise fields.fail("reports_by_wave", f"must have as members {where}.")
    return {known[key]: n for key, n in members.items()}


def _take_waves(fields: Fields, survey: Survey, n_reports: int) -> tuple[int, ...]:
    expected = f"the waves that are counted, different integers in [1, {survey.waves}], ascending"
    return tuple(fields.take("waves", expected, lambda v: _are_waves(v, survey, n_reports)))


def _are_waves(value: Any, survey: Survey, n_reports: int) -> bool:
    return (
        isinstance(value, list)
        and all(type(wave) is int and 1 <= wave <= survey.waves for wave in value)
        and value == sorted(set(value))
        and (len(value) > 0 or n_reports == 0)
    )


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
    taken = {q.id: members.integer(q.id, 0, most_implausible(q, n_reports)) for q in survey.questions}
    members.finish()
    return taken


def _take_behind(fields: Fields, survey: Survey, n_reports: int, *, is_first: bool) -> dict[str, Counted]:
    """Return what is counted of the questions that not all reports count for; none where it is not said."""
    if not fields.has("behind"):
        return {}
    members = Fields(fields.take("behind", "an object", lambda v: isinstance(v, dict)), "$.behind", TallyError)
    taken = {}
    for key in filter(members.has, may_be_behind(survey)):
        stated = members.take(key, "an object", lambda v: isinstance(v, dict))
        of = Fields(stated, f"$.behind.{key}", TallyError)
        taken[key] = _take_counted(of, survey, of.integer("n_reports", 0, n_reports), is_first=is_first)
        of.finish()
    members.finish()
    return taken


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
