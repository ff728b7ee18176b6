"""Curves of half-widths: a table, JSON, CSV and a picture."""

from dataclasses import asdict
from typing import Any

from sotto_estimator.planning.options import OF_WIDTHS
from sotto_estimator.planning.share_plan import WidthCurves
from sotto_estimator.planning.width_curves import curve_lines
from sotto_estimator.results.document import Column, Lines, Part, Table, title_lines
from sotto_estimator.results.figure import Panel, curve_panel
from sotto_estimator.results.view import View
from sotto_estimator.views.plan_table import epsilon_words, half_width_words, width_words

_AXES = {"n": "n, respondents", "epsilon": "epsilon", "options": "options"}


def _parts(curves: WidthCurves) -> list[Part]:
    """Return the points, and under them what a half-width is."""
    columns = [Column("epsilon"), Column("mechanism"), Column("options", "word"), Column("n", "count")]
    cells = [
        (
            *(epsilon_words(point.epsilon), point.mechanism, str(point.n_options) if point.n_options else None),
            *(point.n_reports, width_words(point.half_width)),
        )
        for point in curves.points
    ]
    under = Lines(half_width_words(curves.options).split("\n"))
    table = Table([*columns, Column("half-width", "word")], cells)
    return [Part("Half-widths", [title_lines(curves.title), table, under])]


def _members(curves: WidthCurves) -> dict[str, Any]:
    return _options(curves) | {"curve": [asdict(point) for point in curves.points]}


def _records(curves: WidthCurves) -> list[dict[str, Any]]:
    return [asdict(point) | _options(curves) for point in curves.points]


def _options(curves: WidthCurves) -> dict[str, Any]:
    return {"against": curves.against, **curves.options.members(*OF_WIDTHS)}


def _panels(curves: WidthCurves) -> tuple[str, list[Panel]]:
    title = "\n".join([*filter(None, [curves.title]), half_width_words(curves.options)])
    return title, [curve_panel(curve_lines(curves.points, curves.against), _AXES[curves.against], "half-width")]


VIEW: View[WidthCurves] = View(parts=_parts, members=_members, records=_records, panels=_panels)
