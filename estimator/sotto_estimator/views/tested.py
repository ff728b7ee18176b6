"""What tests say, as a table, JSON, CSV, HTML and a picture, of the same numbers."""

import re
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from sotto_estimator.comparing.result import Row, Tested
from sotto_estimator.intervals.group_misfit import lines_of, misfit_members
from sotto_estimator.results.html import said_html, table_html
from sotto_estimator.results.percents import OUTSIDE, OUTSIDE_WORDS
from sotto_estimator.results.view import View
from sotto_estimator.results.words import escaped
from sotto_protocol.tables import align

if TYPE_CHECKING:
    from sotto_estimator.results.panels import Panel

_MARKED = re.compile(rf"{re.escape(OUTSIDE)}-?[0-9.]+ %$")
_QUANTITIES = {"share": "", "groups": "difference: ", "trend": "slope: "}


def _members(found: Tested[Row]) -> dict[str, Any]:
    void = misfit_members(found.contradictions)
    heading = {"test": found.kind, "title": found.title} | found.options | {"contradictions": void}
    return heading | {"rows": [asdict(row) for row in found.rows]}


def _records(found: Tested[Row]) -> list[dict[str, Any]]:
    """Return a row of CSV for each row, with the options in it."""
    return [asdict(row) | found.options for row in found.rows]


def _table(found: Tested[Row]) -> str:
    """Return what is known, how, and an aligned table."""
    said = [escaped(line) for line in str(found).splitlines()]
    heading = "\n".join([escaped(found.title), *found.lines, *map(escaped, lines_of(found.contradictions))])
    rows = [list(found.rows[0].HEADINGS), *([escaped(cell) for cell in row.cells] for row in found.rows)]
    return "\n\n".join(["\n".join(said), heading, align(_without_empty(rows)), *_marked(found)])


def _html_parts(found: Tested[Row]) -> list[str]:
    cells = _without_empty([list(found.rows[0].HEADINGS), *(list(row.cells) for row in found.rows)])
    how = [found.title, *found.lines, *lines_of(found.contradictions), *_marked(found)]
    return [said_html(str(found).splitlines()), table_html(cells), said_html(how)]


def _marked(found: Tested[Row]) -> list[str]:
    """Return what the mark of an estimate means, where there is one."""
    is_marked = any(re.match(_MARKED, part) for row in found.rows for cell in row.cells for part in cell.split(", "))
    return [OUTSIDE_WORDS] * is_marked


def _panels(found: Tested[Row]) -> "tuple[str, list[Panel]]":
    """Return a picture of every row's difference, slope or share with its interval, a panel a unit."""
    from sotto_estimator.results.panels import Point, point_panel  # matplotlib takes a second to load

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


def _without_empty(rows: list[list[str]]) -> list[list[str]]:
    """Return rows without the columns that are empty below their heading."""
    kept = [any(column[1:]) for column in zip(*rows, strict=True)]
    return [[cell for cell, is_kept in zip(row, kept, strict=True) if is_kept] for row in rows]


VIEW: View[Tested[Row]] = View(table=_table, members=_members, records=_records, panels=_panels, html_parts=_html_parts)
