"""The plan of a question of shares, mechanism by mechanism: a table, JSON, CSV and a picture."""

import math
from dataclasses import asdict
from typing import Any

from sotto_estimator.intervals.methods import find_method
from sotto_estimator.planning.assurance import EXPECTED
from sotto_estimator.planning.options import OF_WIDTHS, PlanOptions
from sotto_estimator.planning.share_plan import SharePlan
from sotto_estimator.results.document import Column, Lines, Part, Table, title_lines
from sotto_estimator.results.figure import Panel, Point, point_panel
from sotto_estimator.results.view import View
from sotto_estimator.results.words import method_words

_OF_NOISE = "Noise: how far its variance is above the least that any mechanism can have, if"
_IS_LEAST = 1.0005
"""What is above is more than the rounding of thresholds."""
_TENTHS = 10
"""Up to so many per cent, noise has a decimal."""


def _parts(plan: SharePlan) -> list[Part]:
    """Return a table, and under it what a half-width is."""
    has_auto = any(row.is_auto for row in plan.rows)
    is_known = any(row.of_least_noise for row in plan.rows)
    names = ["std. deviation", "half-width", *["noise"] * is_known, *["taken"] * has_auto]
    columns = [Column("epsilon"), Column("mechanism"), Column("n", "count"), *(Column(name, "word") for name in names)]
    cells = [
        [
            *(epsilon_words(row.epsilon), row.mechanism, row.n_reports),
            *(width_words(row.standard_deviation), width_words(row.half_width)),
            *[noise_words(row.of_least_noise)] * is_known,
            *["by auto" if row.is_auto else ""] * has_auto,
        ]
        for row in plan.rows
    ]
    under = Lines(_width_lines(plan))
    return [Part("Mechanisms", [title_lines(plan.title), Table(columns, cells), under])]


def _width_lines(plan: SharePlan) -> list[str]:
    words = half_width_words(plan.options)
    if any(row.mechanism.startswith(("asked-option", "dBitFlip")) for row in plan.rows):
        words += "\nAn option is asked of a part of n: as many as on average."
    if plan.epsilon_forever is not None:
        words += f" Widths are for one wave. All reports of one answer take epsilon {float(plan.epsilon_forever):g}."
    if any(row.of_least_noise for row in plan.rows):
        most = plan.design.max_selected
        crowd = f"people select 0 to {most} options, each number equally often"
        words += f"\n{_OF_NOISE} {crowd if most else 'all answers are equally common'}."
    if plan.n_questions is not None:
        words += " Epsilon is that of a whole report, n all respondents: a question has its part of either."
    return words.split("\n")


def epsilon_words(epsilon: float | None) -> str | None:
    """Return an epsilon that was asked for as it was; None without privacy."""
    return None if epsilon is None else f"{epsilon:g}"


def noise_words(of_least: float | None) -> str:
    """Return how near noise is to the least that is possible.

    >>> noise_words(1.00001), noise_words(1.0312), noise_words(2.074), noise_words(None)
    ('least', '+3.2 %', '+108 %', '')
    """
    if of_least is None:
        return ""
    if of_least < _IS_LEAST:
        return "least"
    more = 100 * (of_least - 1)
    return f"+{math.ceil(10 * more) / 10:g} %" if more < _TENTHS else f"+{math.ceil(more)} %"


def half_width_words(options: PlanOptions) -> str:
    """Return what a half-width is, and how sure it is that a survey gets it."""
    of_intervals = method_words(options.level, options.method, options.about)
    return f"Half-width of {of_intervals}; true share {options.share:g}.\n{_assurance_words(options)}"


def _assurance_words(options: PlanOptions) -> str:
    """Return how sure it is that a survey gets its half-width."""
    if find_method(options.method).half_width:
        return "Every survey of that size gets it."
    if options.about == "respondents":
        return "It is that of the expected count; a survey's own is a little larger or smaller."
    return (
        f"A survey gets it, or a smaller one, with probability {options.assurance:g}"
        f"{'; --assurance 0.9 plans for more' if options.assurance == EXPECTED else ''}."
    )


def width_words(width: float) -> str:
    """Return a width in per cent, with two decimals, or as many as show its first two digits.

    >>> width_words(0.0217), width_words(1.4142e-6), width_words(0.0)
    ('2.17 %', '0.00014 %', '0.00 %')
    """
    n_decimals = 2 if width == 0 else max(2, 1 - math.floor(math.log10(100 * width)))
    return f"{100 * width:.{n_decimals}f} %"


def _members(plan: SharePlan) -> dict[str, Any]:
    return _options(plan) | {"plan": [asdict(row) for row in plan.rows]}


def _records(plan: SharePlan) -> list[dict[str, Any]]:
    return [asdict(row) | _options(plan) for row in plan.rows]


def _options(plan: SharePlan) -> dict[str, Any]:
    forever = None if plan.epsilon_forever is None else float(plan.epsilon_forever)
    more = {"epsilon_forever": forever, "n_questions": plan.n_questions}
    return {**plan.options.members(*OF_WIDTHS)} | {name: value for name, value in more.items() if value is not None}


def _panels(plan: SharePlan) -> tuple[str, list[Panel]]:
    """Return a picture: how far the interval of each mechanism reaches, or how many respondents each takes."""
    names = [(row, f"{'' if row.epsilon is None else f'{row.epsilon:g}, '}{row.mechanism}") for row in plan.rows]
    if plan.n is not None:
        reach = [Point(name, 0, -100 * row.half_width, 100 * row.half_width) for row, name in names]
        panel = point_panel(reach, "points to both sides of the estimated share (%)")
    else:
        panel = point_panel([Point(name, row.n_reports, math.nan, math.nan) for row, name in names], "respondents")
    return f"{plan}\n{half_width_words(plan.options)}", [panel]


VIEW: View[SharePlan] = View(parts=_parts, members=_members, records=_records, panels=_panels)
