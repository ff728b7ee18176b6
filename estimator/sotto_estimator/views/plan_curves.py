"""Curves of half-widths, as a table for people and for programs."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from sotto_estimator.planning.width_curves import CurvePoint
from sotto_estimator.results.encode import csv_text, json_text
from sotto_estimator.views.plan_table import half_width_words, width_words
from sotto_protocol.tables import align


def curve_table(points: Sequence[CurvePoint], options: Mapping[str, Any]) -> str:
    """Return the points as an aligned table for people, and under it what a half-width is."""
    cells = [["epsilon", "mechanism", "options", "n", "half-width"]]
    for point in points:
        epsilon = "-" if point.epsilon is None else f"{point.epsilon:g}"
        asked = str(point.n_options) if point.n_options else "-"
        cells.append([epsilon, point.mechanism, asked, f"{point.n_reports:,}", width_words(point.half_width)])
    return f"{align(cells, n_left=2)}\n\n{half_width_words(options)}"


def curve_json(points: Sequence[CurvePoint], options: Mapping[str, Any]) -> str:
    """Return the points as a JSON object; shares as fractions."""
    return json_text({**options, "curve": [asdict(point) for point in points]})


def curve_csv(points: Sequence[CurvePoint], options: Mapping[str, Any]) -> str:
    """Return the points as CSV, level, method, target, share and assurance in every row."""
    return csv_text([asdict(point) | dict(options) for point in points])
