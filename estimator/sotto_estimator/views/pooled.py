"""Pooled strata: a table with what may be said of it, members for programs, and points in a picture."""

import math
from collections.abc import Iterator, Sequence
from typing import Any

from sotto_estimator.intervals.pooled_groups import LEAST_GROUPS
from sotto_estimator.results.document import Cell, Column, Lines, Part, Table
from sotto_estimator.results.figure import Panel, Point, point_panel
from sotto_estimator.results.percents import percent_digits
from sotto_estimator.results.words import level_words
from sotto_estimator.shares.by_group import SideBySide
from sotto_estimator.shares.estimates import Estimate, Estimates
from sotto_estimator.shares.pooling import PooledFigure, PooledStratum
from sotto_estimator.shares.verdict.verdict import Finding, mean_finding, share_findings
from sotto_estimator.views.figure_view import view_of_kind

_COLUMNS = [
    Column("question"),
    Column("answer"),
    Column("stratum"),
    Column("n", "count"),
    Column("pooled", "estimate"),
    Column("std. error", "share"),
    Column("low", "share"),
    Column("high", "share"),
    Column("unit", "word"),
    Column("own weight", "share"),
]
_TITLE = "strata pooled, approximate:"
_HOW = "each estimate leans on the other strata, and the more so, the fewer reports its own stratum has"
_WEIGHT = "own weight: how much of the estimate comes from the stratum's own reports"
_NO_RANK = "a difference between two pooled estimates shows nothing: the comparison above uses unpooled intervals"
_TOO_FEW = f"not pooled, because fewer than {LEAST_GROUPS} strata have results: "
MAX_PANELS = 20
"""Of more answers the pooled figures are left out of a picture."""
Key = tuple[str, str, str]


def pooled_parts(of: SideBySide) -> list[Part]:
    """Return the part on pooled strata, if that was asked for."""
    if of.pooled is None:
        return []
    whole = {str(one.stratum): one for one in of.estimates}
    rows = [_row(figure, one, whole[one.stratum]) for figure in of.pooled for one in figure.strata]
    missing = ", ".join(_missing(of))
    left_out = [f"{_TOO_FEW}{missing}"] if missing else []
    if not rows:
        return [Part("Pooled strata", [Lines([_TITLE, *left_out])])]
    lead = [
        _TITLE,
        f"{_HOW}{', whatever their parents' * (of.strata != of.estimates)}",
        coverage_words(of),
        _WEIGHT,
        _NO_RANK,
    ]
    said = [*map(_between, of.pooled), *left_out]
    return [Part("Pooled strata", [Lines(lead), Table(_COLUMNS, rows), Lines(said)])]


def coverage_words(of: SideBySide) -> str:
    """Return what the pooled intervals are worth."""
    level = level_words(of.estimates[0].options.level)
    return f"{level} intervals on average over the strata; they miss more often where a stratum differs most"


def pooled_members(of: SideBySide) -> dict[str, Any]:
    """Return the members of JSON, if pooled figures were asked for."""
    if of.pooled is None:
        return {}
    return {"pooled": [_members(figure) for figure in of.pooled]}


def pooled_records(of: SideBySide, records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows of a CSV with columns for the pooled figures, if these were asked for."""
    if of.pooled is None:
        return records
    known = {key: _numbers(one) for key, one in _by_key(of.pooled)}
    nothing = dict.fromkeys(_NAMES)
    keys = (
        (row["stratum"], row["question"], row.get("answer") or ("" if row.get("mean") is None else "mean"))
        for row in records
    )
    return [
        row | {f"pooled_{name}": value for name, value in known.get(key, nothing).items()}
        for key, row in zip(keys, records, strict=True)
    ]


def pooled_findings(figures: Sequence[Any], unit: str) -> Sequence[Finding]:
    """Return what is likely of one answer's pooled figures; of means in a unit as it is read."""
    if isinstance(figures[0], Estimate):
        return share_findings(figures)
    return [mean_finding(of.answer, of.value, (of.low, of.high), (of.minimum, of.maximum), unit) for of in figures]


def pooled_panels(of: SideBySide) -> list[Panel]:
    """Return a panel of each answer's pooled figures, a row a stratum; of many answers of the first ones."""
    panels = []
    for figure in (of.pooled or ())[:MAX_PANELS]:
        words = ": ".join(filter(None, [figure.question, figure.answer]))
        unit = figure.unit or "%" * _is_share(figure)
        scale = 100 if _is_share(figure) else 1
        points = []
        for one in figure.strata:
            value, low, high = (scale * number for number in (one.figure.value, *_ends(one)))
            points.append(Point(one.stratum, value, low, high, is_faint=True))
        first = figure.strata[0].figure
        ends = scale * first.minimum, scale * first.maximum
        panels.append(point_panel(points, f"{words}, pooled, approximate ({unit})".replace(" ()", ""), ends))
    return panels


def _is_share(figure: PooledFigure) -> bool:
    return isinstance(figure.strata[0].figure, Estimate)


def _ends(one: PooledStratum) -> tuple[float, float]:
    """Return an interval's ends; NaN where it has none."""
    figure = one.figure
    return (figure.low, figure.high) if figure.low < figure.high else (math.nan, math.nan)


def _row(figure: PooledFigure, one: PooledStratum, whole: Estimates) -> list[Cell]:
    words = view_of_kind(one.figure.kind).words(whole, one.figure)
    return [figure.question, figure.answer, one.stratum, one.figure.n_reports, *words, figure.unit, one.own_weight]


def _missing(of: SideBySide) -> list[str]:
    """Return the figures that are told and not pooled, by name."""
    pooled = {(figure.question, figure.answer) for figure in of.pooled or ()}
    told = dict.fromkeys((one.question, one.answer) for each in of.estimates for one in each.main_figures)
    return [", ".join(filter(None, key)) for key in told if key not in pooled]


def _between(figure: PooledFigure) -> str:
    """Return how far the strata are apart."""
    if _is_share(figure):
        mean, most = f"{percent_digits(figure.mean, 1)} %", f"{percent_digits(figure.between_most, 1)} points"
    else:
        mean, most = (f"{number:.4g} {figure.unit}".rstrip() for number in (figure.mean, figure.between_most))
    name = ", ".join(filter(None, [figure.question, figure.answer]))
    return f"{name}: the mean of the strata is about {mean}; their standard deviation is at most {most} (approximate)"


_NAMES = ("value", "standard_error", "low", "high", "own_weight")


def _numbers(one: PooledStratum) -> dict[str, float | None]:
    low, high = (None if math.isnan(end) else end for end in _ends(one))
    return dict(zip(_NAMES, (one.figure.value, one.figure.standard_error, low, high, one.own_weight), strict=True))


def _members(figure: PooledFigure) -> dict[str, Any]:
    names = ("question", "answer", "unit", "mean", "between", "between_most")
    strata = [{"stratum": one.stratum, "n_reports": one.figure.n_reports} | _numbers(one) for one in figure.strata]
    return {name: getattr(figure, name) for name in names} | {"interval": "approximate", "strata": strata}


def _by_key(pooled: tuple[PooledFigure, ...]) -> Iterator[tuple[Key, PooledStratum]]:
    """Yield each stratum's figure by its name, question and answer."""
    for figure in pooled:
        for one in figure.strata:
            yield (one.stratum, figure.question, figure.answer), one
