"""What a planned test says: a table, JSON, CSV, and a picture of its curve."""

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from sotto_estimator.planning.power import LEAST_EXPECTED
from sotto_estimator.planning.power_groups import MOST_ENUMERATED
from sotto_estimator.planning.power_margin import MOST_ENUMERATED as MOST_OF_MARGIN
from sotto_estimator.planning.power_plan import PowerPlan
from sotto_estimator.results.document import Column, Lines, Part, Table, title_lines
from sotto_estimator.results.figure import Panel, curve_panel
from sotto_estimator.results.view import View
from sotto_estimator.results.words import level_words
from sotto_estimator.views.plan_table import epsilon_words

_APPROXIMATE = (
    "Level and power are approximate, by the normal distribution.\n"
    f"Where fewer than {LEAST_EXPECTED} reports of the rarest kind would be expected, a larger n is planned."
)
_FISHER = (
    f"Fisher's exact test of the two noisy counts. Powers are exact up to n = 4,000 and while\n"
    f"fewer than {MOST_ENUMERATED:,} reports are of the rarer kind. Beyond that, they are approximate."
)
_LEAST_SHOWN = 1e-9
"""Of an interval that misses with less than that the level in per cent is nines only, or rounds to 100."""
_OF_PEOPLE = {
    "other": f"Other people in each wave: {_FISHER}",
    "same": "The same people, whose devices keep the noise of an answer that stays; as few as can change theirs.\n"
    + _APPROXIMATE,
    "anew": "The same people, with noise drawn anew (two surveys); as few as can change their answer.\n" + _APPROXIMATE,
}
_ASKED = {
    "share": "Is the share {null:g}, where it is {share:g}?",
    "groups": "Are the shares of two groups equal, where they are {share:g} and {other_share:g}?",
    "change": "Has the share changed, where it goes from {share:g} to {later_share:g}?",
    "trend": "Is there a trend, where the share goes from {share:g} to {last_share:g} in {n_waves} waves?",
    "association": (
        "Are two questions independent, where {share_if_yes:g} and {share_if_no:g} say yes to the other one?"
    ),
    "regression": "Is the slope 0, where it is {slope:g} and the share at 0 is {share:g}?",
}
_ASKED_OF_MARGIN = {
    "within": "Do two groups differ by less than {within:g} points, where they are {share:g} and {other_share:g}?",
    "not_lower_by": (
        "Is the other group's share, {other_share:g}, not lower than {share:g} by {not_lower_by:g} points or more?"
    ),
    "not_higher_by": (
        "Is the other group's share, {other_share:g}, not higher than {share:g} by {not_higher_by:g} points or more?"
    ),
}
_SHARE_WITHIN = "Is the share within {within:g} points of {null:g}, where it is {share:g}?"
_OF_N = {"groups": "in each group", "change": "in each wave", "trend": "in each wave"}


def _how_share(plan: PowerPlan) -> str:
    missed = 2 * plan.errors.tail
    level = level_words(1 - missed) if missed > _LEAST_SHOWN else f"a level of 1 - {missed:g}"
    finds, lies = ("a difference", "beyond the tested share") if plan.margin is None else ("it", "within the margin")
    return (
        f"Exact: n and power too. The test finds {finds} if the whole Clopper-Pearson interval\nat {level} lies {lies}."
    )


def _how_groups(plan: PowerPlan) -> str:
    if plan.margin is None:
        return _FISHER
    return (
        "The test of `sotto test groups`, by Chernoff's bound: its level is valid for any shares and n.\n"
        f"Powers are exact while fewer than {MOST_OF_MARGIN:,} reports are of the rarer kind. Beyond, within .001."
    )


def _how_regression(plan: PowerPlan) -> str:
    share = plan.given["covariate_share"]
    of_covariate = "standard normal" if share is None else f"1 of a share of {share:g}, else 0"
    return f"Wald's test of a logistic regression through the channel; the covariate is {of_covariate}.\n{_APPROXIMATE}"


_HOW: Mapping[str, Callable[[PowerPlan], str]] = {
    "share": _how_share,
    "groups": _how_groups,
    "change": lambda plan: _OF_PEOPLE[plan.given["people"]],
    "trend": lambda _: f"Cochran-Armitage test, other people in each wave. {_APPROXIMATE}",
    "association": lambda _: f"The score test of `sotto associate`. {_APPROXIMATE}",
    "regression": _how_regression,
}


def _parts(plan: PowerPlan) -> list[Part]:
    """Return a table, and under it what is tested, how, and what n counts."""
    columns = [Column("epsilon"), Column("mechanism"), Column("n", "count"), Column("power", "share")]
    cells = [
        (epsilon_words(row.epsilon), row.mechanism, row.n, "too few" if row.power is None else row.power)
        for row in plan.rows
    ]
    sides = "Two-sided" if plan.errors.n_sides == 2 else "One-sided"
    sides = "Two one-sided tests" if plan.margin == "within" else sides
    heading = f"{_asked(plan)} {sides}, alpha {plan.errors.alpha:g}; n {_of_n(plan)}."
    under = Lines([heading, *_HOW[plan.test](plan).split("\n")])
    return [Part("Power", [title_lines(plan.title), Table(columns, cells), under])]


def _asked(plan: PowerPlan) -> str:
    asked = _ASKED[plan.test] if plan.margin is None else _ASKED_OF_MARGIN[plan.margin]
    return (_SHARE_WITHIN if plan.test == "share" and plan.margin else asked).format(**plan.given)


def _of_n(plan: PowerPlan) -> str:
    return _OF_N.get(plan.test, "respondents")


def _options(plan: PowerPlan) -> dict[str, Any]:
    return {"test": plan.test, **plan.given} | asdict(plan.errors)


def _members(plan: PowerPlan) -> dict[str, Any]:
    return _options(plan) | {"plan": [asdict(row) for row in plan.rows]}


def _records(plan: PowerPlan) -> list[dict[str, Any]]:
    return [asdict(row) | _options(plan) for row in plan.rows]


def _panels(plan: PowerPlan) -> tuple[str, list[Panel]]:
    """Return a picture: power against n, a line an epsilon."""
    lines: dict[str, list[tuple[float, float]]] = {}
    for row in plan.curve().rows:
        name = row.mechanism if row.epsilon is None else f"epsilon {row.epsilon:g}, {row.mechanism}"
        line = lines.setdefault(name, [])
        if row.power is not None:
            line.append((row.n, row.power))
    title = "\n".join([*filter(None, [plan.title]), _asked(plan), _HOW[plan.test](plan)])
    return title, [curve_panel(lines, f"n, {_of_n(plan)}", "power")]


VIEW: View[PowerPlan] = View(parts=_parts, members=_members, records=_records, panels=_panels)
