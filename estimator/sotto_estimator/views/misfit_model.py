"""A model's estimate: for people, as members for programs, and as a picture."""

import math
from dataclasses import asdict
from typing import Any

from sotto_estimator.designs.asked import words_of
from sotto_estimator.designs.fit import ShareFit
from sotto_estimator.misfit.estimate import ModelEstimate, ToldPart
from sotto_estimator.misfit.model import MODELS
from sotto_estimator.results.document import Cell, Column, Lines, Part, Table
from sotto_estimator.results.figure import Bar, Panel, bar_panels
from sotto_estimator.results.view import View
from sotto_estimator.results.words import level_words
from sotto_protocol.words import counted, epsilon_above

INTERVALS = "intervals by the profile likelihood, approximate, about the population, each valid on its own"
_COLUMNS = [
    Column("part of people"),
    *(Column(name, "share") for name in ("share", "std. error", "low", "high")),
]


def parts(estimate: ModelEstimate) -> list[Part]:
    """Return what the model says, how well it fits, and a table of the parts."""
    unknown = [f"no signal: any {part.name} fits these counts" for part in estimate.told_parts if part.is_unknown]
    return [Part("What was found", [Lines(_caption(estimate)), Table(_COLUMNS, _cells(estimate)), Lines(unknown)])]


def _caption(estimate: ModelEstimate) -> list[str]:
    """Return what the numbers mean, a line for each thing to know."""
    control = f", and {estimate.n_control:,} of control questions" if estimate.n_control else ""
    epsilon = epsilon_above(estimate.epsilon)
    return [
        f"{estimate.model}: {MODELS[estimate.model].words}",
        f"{estimate.title}: n = {counted(estimate.n_reports, 'report')}{control}, epsilon {epsilon} a report",
        *words_of(estimate.designs),
        f"{level_words(estimate.level)} {INTERVALS}",
        *_fit_lines(estimate),
        *map(str, estimate.contradictions),
    ]


def _fit_lines(estimate: ModelEstimate) -> list[str]:
    """Return how well the model fits, and how well it would if all followed the design."""
    return [str(estimate.fit), f"if all followed the design: {_said_of(estimate.without)}"]


def _said_of(without: ShareFit) -> str:
    if math.isinf(without.g_squared):
        return "impossible, some of these answers could not be"
    return f"G² {without.g_squared:.2f} more, P about {without.p_value:.2g}"


def members(estimate: ModelEstimate) -> dict[str, Any]:
    """Return the members of its JSON object."""
    found = {name: getattr(estimate, name) for name in ("model", "n_reports", "n_control", "epsilon", "level")}
    fits = {"fit": estimate.fit.members, "all_follow": estimate.without.members}
    found |= {"title": estimate.title, "designs": [asdict(of) for of in estimate.designs]}
    found |= {"contradictions": [asdict(of) for of in estimate.contradictions]}
    return found | {"interval": "approximate"} | fits | {"parts": [asdict(part) for part in estimate.parts]}


def records(estimate: ModelEstimate) -> list[dict[str, Any]]:
    """Return the rows of its CSV: a part of people each, with n, epsilon, level and fit."""
    beside = {name: getattr(estimate, name) for name in ("model", "n_reports", "n_control", "epsilon", "level")}
    fit = {"interval": "approximate", "g_squared": estimate.fit.g_squared, "df": estimate.fit.df}
    fit |= {"p_value": estimate.fit.p_value, "p_value_all_follow": estimate.without.p_value}
    fit |= {"contradiction_p_value": next((of.p_value for of in estimate.contradictions), None)}
    return [asdict(part) | beside | fit for part in estimate.parts]


def panels(estimate: ModelEstimate) -> tuple[str, list[Panel]]:
    """Return a picture: a bar with its interval for every part."""
    bars = [Bar(part.name, part.value, part.low, part.high) for part in estimate.told_parts]
    title = "\n".join(_caption(estimate))
    return bar_panels(bars, title) if bars else (title, [])


def _cells(estimate: ModelEstimate) -> list[list[Cell]]:
    return [
        [
            f"{part.name}: {part.words}",
            part.value if isinstance(part, ToldPart) and not part.is_unknown else None,
            *(part.standard_error, part.low, part.high),
        ]
        for part in estimate.parts
    ]


VIEW: View[ModelEstimate] = View(parts=parts, members=members, records=records, panels=panels)
