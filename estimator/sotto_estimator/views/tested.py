"""What tests say: for people, as members for programs, and as a picture."""

from dataclasses import asdict
from typing import Any

from sotto_estimator.comparing.result import Row, Tested
from sotto_estimator.intervals.group_misfit import lines_of, misfit_members
from sotto_estimator.results.document import Column, Kind, Lines, Part, Table, marks
from sotto_estimator.results.figure import Panel, Point, point_panel
from sotto_estimator.results.view import View

_KINDS: dict[str, Kind] = {"share": "estimate", "estimates": "estimate"}
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
    columns = [Column(name, _KINDS.get(name, "text"), to_left=True) for name in found.rows[0].HEADINGS]
    table = Table(columns, [row.cells for row in found.rows]).without_empty
    how = Lines([found.title, *found.lines, *lines_of(found.contradictions)])
    return [Part("What is known", [Lines(str(found).splitlines())]), Part("All numbers", [how, table, marks([table])])]


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
