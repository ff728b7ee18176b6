"""How many respondents a survey needs: for people, as members for programs, and as a picture."""

import math
from typing import Any

from sotto_estimator.planning.respondents_plan import RespondentsPlan
from sotto_estimator.results.document import Lines, Part
from sotto_estimator.results.figure import Panel, Point, point_panel
from sotto_estimator.results.view import View
from sotto_estimator.views.plan import reach_members, wanted_line
from sotto_estimator.views.plan_wish_words import say_respondents, wish_members, wish_table
from sotto_protocol.words import epsilon_above


def _parts(plan: RespondentsPlan) -> list[Part]:
    """Return what is wanted, and how many respondents that takes."""
    head = f"{plan.named}: epsilon {epsilon_above(plan.survey.epsilon)} a report"
    said = Lines([say_respondents(plan.wishes)])
    return [Part("What is wanted", [Lines([head, wanted_line(plan.options)], ""), wish_table(plan.wishes), said])]


def _members(plan: RespondentsPlan) -> dict[str, Any]:
    return _options(plan) | {"wishes": [wish_members(wish) for wish in plan.wishes]}


def _records(plan: RespondentsPlan) -> list[dict[str, Any]]:
    return [wish_members(wish) | _options(plan) for wish in plan.wishes]


def _options(plan: RespondentsPlan) -> dict[str, Any]:
    survey = plan.survey
    said = {"survey": survey.id, "epsilon_total": float(survey.epsilon), "draw": survey.n_drawn}
    return said | reach_members(plan.options)


def _panels(plan: RespondentsPlan) -> tuple[str, list[Panel]]:
    """Return a picture: how many respondents each question takes."""
    points = [
        Point(wish.question.id, math.nan if wish.respondents is None else wish.respondents, math.nan, math.nan)
        for wish in plan.wishes
    ]
    return f"{plan}\n{say_respondents(plan.wishes)}", [point_panel(points, "respondents")]


VIEW: View[RespondentsPlan] = View(parts=_parts, members=_members, records=_records, panels=_panels)
