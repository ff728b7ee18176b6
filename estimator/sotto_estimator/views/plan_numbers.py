"""The plan of a question for numbers: a table, JSON, CSV and a picture."""

from dataclasses import asdict
from typing import Any

from sotto_estimator.planning.number_plan import NumberPlan
from sotto_estimator.results.document import Column, Lines, Part, Table, title_lines
from sotto_estimator.results.figure import Panel, Point, point_panel
from sotto_estimator.results.view import View
from sotto_estimator.results.words import method_words
from sotto_estimator.views.numbers import value_words
from sotto_estimator.views.plan_table import epsilon_words, noise_words

_MIDDLE = [
    "Half-widths are of people one standard deviation to each side of the range's middle, deviations of the number",
    "with the most noise. Where a distribution's half-width is smaller, it has less noise there, and more elsewhere.",
]
_OF_NOISE = "Noise: about how far the worst report's variance is above the least that any mechanism can have."
_FIGURES = [Column(name, "word") for name in ("worst report", "std. deviation", "half-width", "noise")]


def _parts(plan: NumberPlan) -> list[Part]:
    columns = [Column("epsilon"), Column("mechanism"), Column("n", "count"), *_FIGURES]
    cells = [
        (
            *(epsilon_words(row.epsilon), row.mechanism, row.n_reports),
            *map(_figure, (row.worst_deviation, row.standard_deviation, row.half_width)),
            noise_words(row.of_least_noise),
        )
        for row in plan.rows
    ]
    low, high = plan.ends
    under = [
        f"Means of numbers from {low:,.12g} to {high:,.12g}; the standard deviation of people's numbers is "
        f"{plan.study.deviation:,.4g}.",
        "Worst report: the standard deviation of one report's noise, of the number where it is largest.",
        *[_OF_NOISE] * any(row.of_least_noise for row in plan.rows),
        *_widths(plan),
        *_MIDDLE * any(row.mechanism.startswith("distribution") for row in plan.rows),
        "Rows without a half-width are not in this program. They take as many respondents as the first row of their "
        "epsilon.",
    ]
    return [Part("Mechanisms", [title_lines(plan.title), Table(columns, cells), Lines(under)])]


def _figure(figure: float | None) -> str | None:
    return None if figure is None else value_words(figure, figure)


def _widths(plan: NumberPlan) -> list[str]:
    """Return how each mechanism's interval is made, in the order of the rows, each once."""
    names: dict[str, dict[str, None]] = {}
    for row in plan.rows:
        if row.interval:
            names.setdefault(row.interval, {})[row.mechanism] = None
    how = plan.options
    return [
        f"Half-width of {', '.join(of)}: {method_words(how.level, how.method, how.about, made)}."
        for made, of in names.items()
    ]


def _members(plan: NumberPlan) -> dict[str, Any]:
    return _options(plan) | {"plan": [asdict(row) for row in plan.rows]}


def _records(plan: NumberPlan) -> list[dict[str, Any]]:
    return [asdict(row) | _options(plan) for row in plan.rows]


def _options(plan: NumberPlan) -> dict[str, Any]:
    (low, high), how = plan.ends, plan.options
    said: dict[str, Any] = {"minimum": low, "maximum": high, "deviation": plan.study.deviation}
    said |= {"level": how.level, "method": how.method, "target": how.about}
    return said | ({} if plan.epsilon_forever is None else {"epsilon_forever": float(plan.epsilon_forever)})


def _panels(plan: NumberPlan) -> tuple[str, list[Panel]]:
    """Return a picture: how far the interval of each mechanism of this program reaches."""
    reach = [
        Point(f"{row.epsilon:g}, {row.mechanism}, n = {row.n_reports:,}", 0, -row.half_width, row.half_width)
        for row in plan.rows
        if row.half_width is not None
    ]
    return "\n".join([str(plan), *_widths(plan)]), [point_panel(reach, "to both sides of the estimated mean")]


VIEW: View[NumberPlan] = View(parts=_parts, members=_members, records=_records, panels=_panels)
