"""What tests say: for people, as members for programs, and as a picture."""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

from sotto_estimator.comparing.compare import Difference
from sotto_estimator.comparing.result import Row, Tested
from sotto_estimator.comparing.tested_shares import ShareTested
from sotto_estimator.comparing.trend import Trend
from sotto_estimator.intervals.group_misfit import lines_of, misfit_members
from sotto_estimator.results.document import Cell, Column, Kind, Lines, Part, Table, marks
from sotto_estimator.results.figure import Panel, Point, point_panel
from sotto_estimator.results.view import View
from sotto_estimator.results.words import NO_INTERVAL

_KINDS: dict[str, Kind] = {
    "n": "count",
    "epsilon": "epsilon",
    "share": "estimate",
    "estimates": "estimate",
    "std. error": "share",
    "difference": "points",
    "slope": "points",
    "P": "p",
}
_QUANTITIES = {"share": "", "groups": "difference: ", "trend": "slope: "}


def _members(found: Tested[Row]) -> dict[str, Any]:
    void = misfit_members(found.contradictions)
    heading = {"test": found.kind, "title": found.title} | found.options | {"contradictions": void}
    return heading | {"rows": [asdict(row) for row in found.rows]}


def _records(found: Tested[Row]) -> list[dict[str, Any]]:
    """Return a row of CSV for each row, with the options in it."""
    return [asdict(row) | found.options for row in found.rows]


def _parts(found: Tested[Row]) -> list[Part]:
    """Return what is known, a sentence a row; and how, with all numbers."""
    names, cells = _SHOWN[found.kind]
    columns = [Column(name, _KINDS.get(name, "text"), to_left=True) for name in names]
    table = Table(columns, [cells(row) for row in found.rows]).without_empty
    how = Lines([found.title, *found.lines, *lines_of(found.contradictions)])
    return [Part("What is known", [Lines(str(found).splitlines())]), Part("All numbers", [how, table, marks([table])])]


def _share_cells(row: ShareTested) -> list[Cell]:
    known: list[Cell] = [row.question, row.answer, row.n, row.epsilon, row.share, row.standard_error]
    return [*known, _interval(row, row.low, row.high), row.p_value, row.verdict]


def _difference_cells(row: Difference) -> list[Cell]:
    unit, counts = row.unit, f"{row.n_group:,}, {row.n_reference:,}"
    known: list[Cell] = [row.question, row.answer, f"{row.group} - {row.reference}", counts, row.epsilon]
    known += [_estimates([row.group_estimate, row.reference_estimate], unit), _number(row.difference, unit, "points")]
    high = "unbounded" if row.ratio_high is None else f"{row.ratio_high:.3g}"
    ratio = None if row.ratio_low is None else f"{row.ratio_low:.3g} to {high}"
    interval = _interval(row, row.difference_low, row.difference_high, unit, "points")
    return [*known, interval, ratio, row.p_value, row.verdict]


def _trend_cells(row: Trend) -> list[Cell]:
    unit = row.unit
    known: list[Cell] = [row.question, row.answer, ", ".join(row.groups), sum(row.n), row.epsilon]
    known += [_estimates(row.estimates, unit), _number(row.slope, unit, "points")]
    known += [_number(row.standard_error, unit, "share"), _interval(row, row.slope_low, row.slope_high, unit, "points")]
    return [*known, row.p_value, row.verdict]


_GROUPS = ("question", "answer", "groups", "n", "epsilon", "estimates")
_SHOWN: dict[str, tuple[tuple[str, ...], Callable[[Any], list[Cell]]]] = {
    "share": (
        ("question", "answer", "n", "epsilon", "share", "std. error", "interval", "P", "verdict"),
        _share_cells,
    ),
    "groups": ((*_GROUPS, "difference", "its interval", "ratio is", "P", "verdict"), _difference_cells),
    "trend": ((*_GROUPS, "slope", "std. error", "its interval", "P", "verdict"), _trend_cells),
}
"""The columns of each kind of test, and what makes a row of them."""


def _number(value: float | None, unit: str | None, kind: Kind) -> str:
    """Return a share as its kind is written, or a mean in its unit."""
    if unit is None or value is None:
        return Column("", kind).words(value)
    return f"{value + 0.0:{'+' * (kind == 'points')},.4g} {unit}".rstrip()


def _estimates(estimates: Sequence[float | None], unit: str | None) -> str:
    return ", ".join(_number(one, unit, "estimate") for one in estimates)


def _interval(row: Row, low: float | None, high: float | None, unit: str | None = None, kind: Kind = "share") -> Cell:
    if low is None or high is None:
        return None if row.is_void or isinstance(row, Trend) else NO_INTERVAL
    return f"{_number(low, unit, kind)} to {_number(high, unit, kind)}"


def _panels(found: Tested[Row]) -> tuple[str, list[Panel]]:
    """Return a picture of every row's difference, slope or share with its interval, a panel a unit."""
    spans: dict[str, list[Point]] = {}
    for row in found.rows:
        if row.is_void:
            continue
        span = row.span
        scale, unit = (100, "share (%)") if span.unit is None else (1, span.unit)
        point = Point(span.label, scale * span.value, scale * span.low, scale * span.high)
        spans.setdefault(unit, []).append(point)
    title = "\n".join([found.title, *found.lines])
    return title, [point_panel(points, f"{_QUANTITIES[found.kind]}{unit}") for unit, points in spans.items()]


VIEW: View[Tested[Row]] = View(parts=_parts, members=_members, records=_records, panels=_panels)
