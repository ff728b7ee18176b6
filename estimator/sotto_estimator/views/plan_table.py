"""The comparison of mechanisms that `sotto plan` prints, as table, JSON and CSV."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from sotto_estimator.intervals.methods import find_method
from sotto_estimator.planning.assurance import EXPECTED
from sotto_estimator.planning.table import PlanRow
from sotto_estimator.results.encode import csv_text, json_text
from sotto_estimator.results.words import method_words
from sotto_protocol.tables import align


def plan_table(rows: Sequence[PlanRow], options: Mapping[str, Any]) -> str:
    """Return an aligned table for people, and under it what a half-width is."""
    has_auto = any(row.is_auto for row in rows)
    cells = [["epsilon", "mechanism", "n", "std. deviation", "half-width", *["taken"] * has_auto]]
    for row in rows:
        epsilon = "-" if row.epsilon is None else f"{row.epsilon:g}"
        widths = map(width_words, (row.standard_deviation, row.half_width))
        taken = ["by auto" if row.is_auto else ""] * has_auto
        cells.append([epsilon, row.mechanism, f"{row.n_reports:,}", *widths, *taken])
    words = half_width_words(options)
    if any(row.mechanism.startswith(("asked-option", "dBitFlip")) for row in rows):
        words += "\nAn option is asked of a part of n: as many as on average."
    if "epsilon_forever" in options:
        words += f" Of one wave; all reports of one answer take epsilon {options['epsilon_forever']:g}."
    if "n_questions" in options:
        words += " Epsilon is that of a whole report, n all respondents: a question has its part of either."
    return f"{align(cells, n_left=2)}\n\n{words}"


def half_width_words(options: Mapping[str, Any]) -> str:
    """Return what a half-width is, and how sure it is that a survey gets it."""
    of_intervals = method_words(**_interval_members(options))
    return f"Half-width of {of_intervals}; true share {options['share']:g}.\n{_assurance_words(options)}"


def _assurance_words(options: Mapping[str, Any]) -> str:
    """Return how sure it is that a survey gets its half-width."""
    if find_method(options["method"]).half_width:
        return "Every survey of that size gets it."
    if options["target"] == "respondents":
        return "It is that of the expected count; a survey's own is a little larger or smaller."
    return (
        f"A survey gets it, or a smaller one, with probability {options['assurance']:g}"
        f"{'; --assurance 0.9 plans for more' if options['assurance'] == EXPECTED else ''}."
    )


def width_words(width: float) -> str:
    """Return a width in per cent, with two decimals, or as many as show its first two digits.

    >>> width_words(0.0217), width_words(1.4142e-6), width_words(0.0)
    ('2.17 %', '0.00014 %', '0.00 %')
    """
    n_decimals = 2 if width == 0 else max(2, 1 - math.floor(math.log10(100 * width)))
    return f"{100 * width:.{n_decimals}f} %"


def plan_json(rows: Sequence[PlanRow], options: Mapping[str, Any]) -> str:
    """Return the plan as a JSON object; shares as fractions."""
    return json_text({**options, "plan": [asdict(row) for row in rows]})


def plan_csv(rows: Sequence[PlanRow], options: Mapping[str, Any]) -> str:
    """Return the plan as CSV, level, method, target and share in every row."""
    return csv_text([asdict(row) | dict(options) for row in rows])


def _interval_members(options: Mapping[str, Any]) -> dict[str, Any]:
    return {key: options[key] for key in ("level", "method", "target")}
