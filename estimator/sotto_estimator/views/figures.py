"""Figures of other programs' reports, as table, JSON, CSV, HTML and picture, of the same numbers."""

import math
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from sotto_estimator.formats.figures import Figures, question_of
from sotto_estimator.results.percents import share_percent
from sotto_estimator.results.view import View
from sotto_estimator.results.words import escaped, interval_words
from sotto_protocol.tables import align
from sotto_protocol.words import epsilon_above

if TYPE_CHECKING:
    from sotto_estimator.results.panels import Panel


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


def _table(found: Figures) -> str:
    """Return what the figures mean, and an aligned table."""
    said = [str(found), interval_words(found.options, found.made), *found.notes, *map(str, found.contradictions)]
    return "\n\n".join(["\n".join(said), align(_cells(found), n_left=3 if found.by else 2)])


def _panels(found: Figures) -> "tuple[str, list[Panel]]":
    """Return a picture: the shares, and below them what has a unit."""
    from sotto_estimator.results.panels import Point, point_panel  # matplotlib takes a second to load

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


def _cells(found: Figures) -> list[list[str]]:
    columns = ["confidence", "figure", "n", "epsilon", "estimate", "std. error", "low", "high", "interval"]
    rows = [[escaped(str(found.by)), *columns] if found.by else ["", *columns]]
    for figure in found.figures:
        numbers = [figure.estimate, figure.standard_error, figure.low, figure.high]
        rows.append(
            [
                escaped(figure.group or ""),
                figure.stratum,
                figure.quantity,
                f"{figure.n_reports:,}",
                epsilon_above(figure.epsilon),
                *(_number(number, figure.unit) for number in numbers),
                "guaranteed" if figure.is_guaranteed else "approximate",
            ]
        )
    return rows if found.by else [row[1:] for row in rows]


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _number(value: float | None, unit: str) -> str:
    if value is None or not math.isfinite(value):
        return "-"
    return share_percent(value) if not unit else f"{value + 0.0:,.1f} {unit}"


VIEW: View[Figures] = View(table=_table, members=_members, records=_records, panels=_panels)
