"""Estimates as people read them."""

from collections.abc import Sequence

from sotto_estimator.results.document import Lines, Part, Table, marks
from sotto_estimator.results.figure import Panel
from sotto_estimator.results.view import View
from sotto_estimator.shares.estimates import Estimates
from sotto_estimator.shares.exact_gain import EXACT
from sotto_estimator.views.column_words import ABOUT
from sotto_estimator.views.estimates_members import csv_records, json_members
from sotto_estimator.views.estimates_words import caption
from sotto_estimator.views.figure_view import drawn, views_of
from sotto_estimator.views.survey_document import METHOD, survey_document
from sotto_estimator.views.verdict import verdict_part
from sotto_estimator.views.verdict_words import quote_words
from sotto_protocol.language import ENGLISH


def parts(estimates: Estimates) -> list[Part]:
    """Return what it means, and tables with n, epsilon, method and level."""
    views = [*views_of(estimates)]
    blocks = [block for view in views for block in view.blocks(estimates)]
    tables = [block for block in blocks if isinstance(block, Table)]
    return [
        verdict_part(estimates.verdicts),
        Part(
            "All numbers",
            [
                Lines([*caption(estimates), *(line for view in views for line in view.lead(estimates))]),
                *blocks,
                Lines(_remarks(estimates, tables)),
            ],
        ),
        Part("How they were made", [Lines([METHOD])], is_background=True),
    ]


def _remarks(estimates: Estimates, tables: list[Table]) -> list[str]:
    part = estimates.narrower_by
    narrower = (
        f"--method {EXACT} would make these intervals {100 * (part or 0):.0f} % narrower, with the same guarantee"
    )
    cut = [line for view in views_of(estimates) for line in view.remarks(estimates)]
    marked = marks(tables).lines
    quote = [quote_words(ENGLISH)] if marked and any(verdict.findings for verdict in estimates.verdicts) else []
    said = [*map(str, estimates.quality), *cut, *marked, *quote]
    return said if part is None else [*said, narrower]


def _panels(estimates: Estimates) -> tuple[str, Sequence[Panel]]:
    """Return a title, and the panels of each kind of figure."""
    said, panels = drawn([view.panels(estimates) for view in views_of(estimates)])
    return "\n".join([*caption(estimates), *said]), panels


VIEW: View[Estimates] = View(
    parts=parts,
    members=json_members,
    records=lambda estimates: csv_records([estimates]),
    panels=_panels,
    about=ABOUT,
    survey_document=survey_document,
)
