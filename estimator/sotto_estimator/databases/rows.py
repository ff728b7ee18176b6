"""Estimates as rows: a figure of a question, answer, wave, stratum and look is one, also where nothing is told."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, replace
from hashlib import sha256
from typing import Any, Literal

from sotto_estimator.errors import SourceError
from sotto_estimator.inference.marginal import estimated_of
from sotto_estimator.inference.registry import FIGURES, figure_of, is_text, scores_of
from sotto_estimator.numbers.scored import name_of_scores
from sotto_estimator.shares.by_group import SideBySide
from sotto_estimator.shares.estimates import Estimates
from sotto_protocol import Question, Survey
from sotto_protocol.strata import parents_of

Status = Literal["estimated", "no interval", "contradicted", "withheld"]
SCORE = "score"
ALL = ""
"""The stratum of estimates that are of all people."""
SEVERAL = 0
"""The wave of estimates that are of several waves together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EstimateRow:
    """A row. `estimate`, `standard_error`, `low` and `high` are None where nothing is told, and `note` says why.

    `look` is the same for all rows of one result: it is a digest of the survey, the wave, the counts and how intervals
    are made. So the same counts, estimated again in the same way, are the same look. `place` is where a row stands.
    """

    look: str
    survey: str
    fingerprint: str
    title: str
    wave: int
    stratum: str
    is_parent: bool
    place: int
    question: str
    kind: str
    answer: str
    n_reports: int | None = None
    epsilon: float | None = None
    estimate: float | None = None
    standard_error: float | None = None
    low: float | None = None
    high: float | None = None
    unit: str = ""
    level: float
    method: str
    about: str
    simultaneous: bool
    population_size: int | None = None
    status: Status = "withheld"
    note: str | None = None


def rows_of(found: Estimates | SideBySide) -> list[EstimateRow]:
    """Return the rows of a survey's estimates, or of those of its strata. Raises SourceError where there is no survey.

    They are of shares, means and mean scores: not of what else stands beside shares and means, as distributions,
    covariances or pooled figures.
    """
    several = found.estimates if isinstance(found, SideBySide) else (found,)
    survey = several[0].survey
    if survey is None:
        raise SourceError("a database takes estimates of a survey. These are of a table, or of counts without one.")
    rows = [row for one in several for row in _rows(one, survey)]
    if isinstance(found, SideBySide):
        rows += _rows_of_hidden(found, survey, several[0])
    look = _look_of(rows, several)
    return [replace(row, look=look, place=place) for place, row in enumerate(rows)]


def _rows(one: Estimates, survey: Survey) -> Iterator[EstimateRow]:
    """Yield the rows of all people's estimates, or of one stratum's, in the survey's order."""
    blank, figures = _blank(one, survey), dict[str, list[Any]]()
    for figure in _written(one):
        figures.setdefault(figure.question, []).append(figure)
    why = {of.question: str(of) for of in one.withheld}
    void = one.why_void
    missing = str(one.parent) if one.parent and one.parent.missing else None
    for question in _asked(survey):
        if question.id not in figures:
            note = why.get(question.id, "no report answers it")
            yield from (replace(blank, **of, note=note) for of in _names_of(question))
        for figure in figures.get(question.id, ()):
            counted = {name: getattr(figure, name) for name in ("kind", "question", "answer", "n_reports", "epsilon")}
            row = replace(blank, **counted, unit=figure.unit, note=why.get(question.id, missing))
            void_row = replace(row, status="contradicted", note=void.get(question.id))
            yield _told(row, one, figure) if figure.is_told else void_row


def _written(one: Estimates) -> Sequence[Any]:
    """Return the figures that are written, with mean scores."""
    return (*one.main_figures, *one.of_kind(SCORE))


def _told(row: EstimateRow, one: Estimates, figure: Any) -> EstimateRow:
    value = figure.mean if figure.kind == SCORE else figure.value  # of scores there may be no mean
    row = replace(row, status="estimated", estimate=value, standard_error=figure.standard_error)
    has_ends = figure.has_interval if hasattr(figure, "has_interval") else one.has_interval(figure)
    return replace(row, low=figure.low, high=figure.high) if has_ends else replace(row, status="no interval")


def _rows_of_hidden(found: SideBySide, survey: Survey, like: Estimates) -> Iterator[EstimateRow]:
    """Yield the rows of strata, and of parents, of which nothing is shown."""
    parents = parents_of(survey.strata)
    for name, why in found.hidden.items():
        blank = replace(_blank(like, survey), stratum=name, is_parent=name in parents, note=why)
        yield from (replace(blank, **of) for question in _asked(survey) for of in _names_of(question))


def _blank(one: Estimates, survey: Survey) -> EstimateRow:
    """Return what all rows have alike, of a figure that is not told."""
    waves = one.waves or ((1,) if survey.waves == 1 else ())
    return EstimateRow(
        look="",
        survey=survey.id,
        fingerprint=survey.fingerprint,
        title=one.title,
        wave=waves[0] if len(waves) == 1 else SEVERAL,
        stratum=ALL if one.stratum is None else one.stratum,
        is_parent=one.parent is not None,
        place=0,
        question="",
        kind="",
        answer="",
        level=one.options.level,
        method=one.options.method,
        about=one.options.about,
        simultaneous=one.options.simultaneous,
        population_size=one.options.population_size,
    )


def _asked(survey: Survey) -> Iterator[Question]:
    """Yield the questions that have estimates; texts are decoded."""
    return (question for question in estimated_of(survey) if not is_text(question))


def _names_of(question: Question) -> Iterator[dict[str, Any]]:
    """Yield what names each figure of a question, of which there may be no reports."""
    kind = figure_of(question)
    answers = question.labels if FIGURES[kind].is_by_answer else (kind,)
    yield from ({"question": question.id, "kind": kind, "answer": answer} for answer in answers)
    if scores := scores_of(question):
        yield {"question": question.id, "kind": SCORE, "answer": name_of_scores(scores)}


def _look_of(rows: list[EstimateRow], several: tuple[Estimates, ...]) -> str:
    """Return a digest of what is estimated, and how: never of what was found, which another version may narrow.

    A mean's counts are not known here: the mean and its error are in the digest, by 9 digits.
    """
    unknown: dict[str, Any] = {"estimate": None, "standard_error": None, "low": None, "high": None, "note": None}
    asked = [astuple(replace(row, **unknown, status="withheld")) for row in rows]
    figures = [figure for one in several for figure in one.main_figures]  # scores are of the same counts
    counts = [
        f"{figure.value:.9g} {figure.standard_error:.9g}" if count is None and figure.is_told else count
        for figure in figures
        for count in [getattr(figure, "support_count", None)]
    ]
    return sha256(json.dumps([several[0].waves, asked, counts]).encode()).hexdigest()[:16]
