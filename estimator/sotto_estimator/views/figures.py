"""Figures of other programs' reports: for people, as members for programs, and as a picture."""

import math
from dataclasses import asdict
from typing import Any

from sotto_estimator.formats.figures import Figure, Figures, question_of
from sotto_estimator.results.document import Cell, Column, Lines, Part, Table, marks
from sotto_estimator.results.figure import Panel, Point, point_panel
from sotto_estimator.results.view import View
from sotto_estimator.results.words import interval_words

MILLISECONDS, _MANY = "ms", 100
_COLUMNS = [
    Column("figure"),
    Column("n", "count"),
    Column("epsilon", "epsilon"),
    *(Column(name, "estimate") for name in ("estimate", "std. error", "low", "high")),
    Column("interval", "word"),
]


def _members(found: Figures) -> dict[str, Any]:
    heading = {"title": found.title, "format": found.format, "n_reports": found.n_reports, "epsilon": found.epsilon}
    listed = {
        "notes": list(found.notes),
        "contradictions": [asdict(contradiction) for contradiction in found.contradictions],
        "figures": [asdict(figure) for figure in found.figures],
    }
    return heading | _option_members(found) | {"by": found.by} | listed


def _records(found: Figures) -> list[dict[str, Any]]:
    """Return a row for each figure, with level, target and its contradiction; what is infinite is None."""
    p_values = {one.question: one.p_value for one in found.contradictions}
    return [
        {name: _finite(value) for name, value in asdict(figure).items()}
        | _option_members(found)
        | {"p_contradiction": p_values.get(question_of(figure.group))}
        for figure in found.figures
    ]


def _parts(found: Figures) -> list[Part]:
    """Return what the figures mean, and a table of them."""
    said = [str(found), interval_words(found.options, found.made), *found.notes, *map(str, found.contradictions)]
    columns = [*([Column(found.by)] if found.by else []), Column(found.label), *_COLUMNS]
    rows: list[list[Cell]] = [
        [figure.group or "", *_cells(figure)] if found.by else _cells(figure) for figure in found.figures
    ]
    table = Table(columns, rows)
    return [Part("All figures", [Lines(said), table, marks([table])])]


def _panels(found: Figures) -> tuple[str, list[Panel]]:
    """Return a picture: the shares, and below them what has a unit."""
    drawn: dict[str, list[Point]] = {}
    for of in found.figures:
        if of.estimate is not None:
            scale, named = (1 if of.unit else 100), filter(None, [of.group, of.stratum, of.quantity])
            low, high = (scale * end if math.isfinite(end) else math.nan for end in (of.low, of.high))
            drawn.setdefault(of.unit or "%", []).append(Point(" ".join(named), scale * of.estimate, low, high))
    title = f"{found}\n{interval_words(found.options, found.made)}"
    return title, [point_panel(points, unit) for unit, points in drawn.items()]


def _option_members(found: Figures) -> dict[str, Any]:
    options = found.options
    return {"level": options.level, "simultaneous": options.simultaneous, "target": options.about}


def _cells(figure: Figure) -> list[Cell]:
    numbers = [figure.estimate, figure.standard_error, figure.low, figure.high]
    known: list[Cell] = [figure.stratum, figure.quantity, figure.n_reports, figure.epsilon]
    known += [_number(number, figure.unit) for number in numbers]
    has_end = math.isfinite(figure.low) or math.isfinite(figure.high)
    return [*known, ("guaranteed" if figure.is_guaranteed else "approximate") if has_end else None]


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _number(value: float | None, unit: str) -> Cell:
    if value is None or not unit or not math.isfinite(value):
        return value
    digits = 1 if unit == MILLISECONDS or abs(value) >= _MANY else 3
    return f"{value + 0.0:,.{digits}f} {unit}"


VIEW: View[Figures] = View(parts=_parts, members=_members, records=_records, panels=_panels)
