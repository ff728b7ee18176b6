"""View: how a kind of result is shown; and which module has the view of each kind, a row a kind."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Generic, TypeVar

from sotto_estimator.results.document import Part, SurveyDocument
from sotto_estimator.results.figure import Panel

Found = TypeVar("Found")
VIEWS = {
    "Estimates": "sotto_estimator.views.estimates",
    "SideBySide": "sotto_estimator.views.by_group",
    "Association": "sotto_estimator.views.association",
    "Decoded": "sotto_estimator.views.decoded",
    "Regression": "sotto_estimator.views.regression",
    "ModelEstimate": "sotto_estimator.views.misfit_model",
    "WhatIf": "sotto_estimator.views.what_if",
    "Tested": "sotto_estimator.views.tested",
    "SurveyPlan": "sotto_estimator.views.plan",
    "RespondentsPlan": "sotto_estimator.views.plan_respondents",
    "SharePlan": "sotto_estimator.views.plan_table",
    "WidthCurves": "sotto_estimator.views.plan_curves",
    "NumberPlan": "sotto_estimator.views.plan_numbers",
    "TextPlan": "sotto_estimator.views.plan_text",
    "PowerPlan": "sotto_estimator.views.power",
    "FormatShares": "sotto_estimator.views.format_shares",
    "Figures": "sotto_estimator.views.figures",
    "AutofillTexts": "sotto_estimator.views.autofill",
}
"""The modules whose `VIEW` shows the results of a class, by the class's name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class View(Generic[Found]):
    """What makes each form of one kind of result.

    `parts`: what people read, which every form writes. `members`: those of its JSON object. `records`: the rows of its
    CSV, all of the same members; `columns`: these members' names, of a kind whose result may have no row; `about`: what
    a column is, for files of statistics programs. `panels`: a picture's title, and its parts from top to bottom.
    `survey_document`: what a survey's readers read in a language of it, "" for its own; None where no survey was asked.
    """

    parts: Callable[[Found], Sequence[Part]]
    members: Callable[[Found], dict[str, Any]]
    records: Callable[[Found], list[dict[str, Any]]]
    panels: Callable[[Found], tuple[str, Sequence[Panel]]]
    about: Mapping[str, str] = field(default_factory=dict)
    columns: Callable[[Found], Sequence[str]] | None = None
    survey_document: Callable[[Found, str], SurveyDocument | None] = lambda *_: None


def view_of(result: Found) -> View[Found]:
    """Return the view of a result; its module is loaded now."""
    view: View[Found] = import_module(VIEWS[type(result).__name__]).VIEW
    return view
