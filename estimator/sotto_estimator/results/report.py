"""A report on a result: one HTML file that needs no other, for who reads, prints or keeps it.

The numbers are those of `--json`, which it holds whole, for programs.
"""

from collections.abc import Sequence
from dataclasses import replace
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Protocol

from sotto_estimator.errors import SourceError
from sotto_estimator.results.document import AskedTexts, Document, Lines, Picture, SurveyDocument
from sotto_estimator.results.figure import Panel, RowLabel
from sotto_estimator.results.forms.html import (
    alarms_html,
    alarms_of,
    asked_heading,
    asked_html,
    attributes_html,
    blocks_html,
    text_html,
)
from sotto_estimator.results.layout import lay_out
from sotto_protocol import __version__
from sotto_protocol.language import ENGLISH, Language

_STYLE = """
:root { color-scheme: light dark; --sheet: #fff; --ink: #17181a; --quiet: #555a60; --line: #c9ccd1; --edge: #8a6116;
--serif: ui-serif, Georgia, serif; --sans: system-ui, sans-serif; }
@media screen and (prefers-color-scheme: dark) {
:root { --sheet: #16191b; --ink: #e9e6df; --quiet: #aab4b9; --line: #49535a; --edge: #d9b567; }
}
body { font: 16px/1.5 var(--sans); max-width: 60rem; margin: 2rem auto; padding: 0 1rem;
background: var(--sheet); color: var(--ink); }
h1, h2, p, li, caption, figcaption { overflow-wrap: anywhere; }
h1, h2 { font-family: var(--serif); font-weight: 600; }
section { margin-top: 2.5rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
caption { color: var(--quiet); padding-bottom: .4rem; text-align: start; }
.wide, .scroll { overflow-x: auto; margin-bottom: 1rem; }
th, td { text-align: start; padding: .2rem .8rem .2rem 0; border-bottom: 1px solid var(--line); vertical-align: top;
font-weight: 400; }
thead th { color: var(--quiet); }
.number { text-align: end; white-space: nowrap; }
.notice { border-inline-start: .3rem solid var(--edge); padding: .3rem .8rem; }
.small { color: var(--quiet); font-size: .95rem; }
@media print { body { margin: 0; font-size: 10pt; } figure, tr, caption { break-inside: avoid; }
h2, h3 { break-after: avoid; } .wide, .scroll { overflow: visible; } }
"""
"""What stands here stands in a look of its own on the results page; what both have is in `results.css`."""


class Reportable(Protocol):
    """What a report is on: a result."""

    def document(self, lang: str = "") -> Document: ...
    def survey_document(self, lang: str = "") -> SurveyDocument | None: ...
    def panels(self) -> tuple[str, Sequence[Panel]]: ...
    def as_json(self) -> str: ...


def write_report(result: Reportable, path: Path, lang: str = "") -> None:
    """Write a report on a result into an HTML file. Raises SourceError where it cannot be written."""
    check_report(path)
    try:
        path.write_text(report_html(result, lang), encoding="utf-8")
    except OSError as fault:
        raise SourceError(f"report ({path}) cannot be written: {fault.strerror}.") from fault


def check_report(path: Path) -> None:
    """Raise SourceError unless a report can have this name, as far as that shows before."""
    if path.suffix.lower() not in (".html", ".htm"):
        raise SourceError(f"report ({path.name}) must end in .html.")


def report_html(result: Reportable, lang: str = "") -> str:
    """Return a page: what is wrong, what is known, a picture, the rest, how to cite it, and all as JSON.

    Of a survey it is what the results page shows, in a language of the survey.
    """
    of_survey = result.survey_document(lang)
    say, title, body = _read(of_survey) if of_survey else _told(result, result.document(lang))
    cite = say.gettext(
        "%(title)s, estimated with sottovoce %(version)s, %(address)s. Name n, the epsilon, the method and the level "
        "with every number.",
        title=title,
        version=__version__,
        address="https://github.com/sottovoce/sottovoce",
    )
    body += _section(say.gettext("How to cite"), f"<p>{text_html(cite)}</p>")
    data = result.as_json().replace("<", "\\u003c")  # no text ends the script
    style = files(__package__).joinpath("results.css").read_text(encoding="utf-8")
    return (
        f'<!doctype html>\n<html lang="{say.tag}" dir="{say.direction}"><head><meta charset="utf-8">'
        f'<title>{text_html(title)}</title><meta name="viewport" content="width=device-width">'
        f'<link rel="icon" href="data:,"><style>{_STYLE}{style}</style></head>\n<body><main>{body}</main>\n'
        f'<script type="application/json" id="estimates">{data}</script></body></html>\n'
    )


def _read(of_survey: SurveyDocument) -> tuple[Language, str, str]:
    """Return the language, the title and the content of a report on a survey."""
    say, texts = of_survey.say, attributes_html(of_survey.texts)
    head = f"<h1{texts}>{text_html(of_survey.title)}</h1><p>{text_html(of_survey.lead)}</p>\n"
    parts = [
        f'<section aria-labelledby="q{at}"><h2 id="q{at}"{texts}>{asked_heading(one)}</h2>'
        f"{asked_html(one, of_survey, f'q{at}')}</section>\n"
        for at, one in enumerate(of_survey.questions, 1)
    ]
    made = _section(say.gettext("How the numbers were made"), blocks_html([Lines(of_survey.made)]))
    return (
        say,
        of_survey.title,
        "".join([head, alarms_html(alarms_of(of_survey)), blocks_html(of_survey.overview), *parts, made]),
    )


def _told(result: Reportable, document: Document) -> tuple[Language, str, str]:
    """Return the same of any other result."""
    told = [
        _section(part.heading, blocks_html(part.blocks, texts=document.texts))
        for part in document.told(with_background=True)
    ]
    line = f"<p>{text_html(document.line)}</p>\n" if document.line else ""
    head = f"<h1>{text_html(document.title)}</h1>\n{line}{alarms_html(document.alarms)}"
    picture = _section("In a picture", blocks_html(_pictures(result, document.texts), "chart"))
    return ENGLISH, document.title, "".join([head, *told[:1], picture, *told[1:]])


def _section(heading: str, content: str) -> str:
    return f"<section><h2>{escape(heading)}</h2>{content}</section>\n" if content else ""


def _pictures(result: Reportable, texts: AskedTexts | None) -> list[Picture]:
    title, panels = result.panels()
    panels = [replace(panel, rows=[_named(row, texts) for row in panel.rows]) for panel in panels]
    if not panels:
        return []
    drawing = lay_out("Estimates with their intervals", "The tables have the same numbers.", panels)
    return [Picture("all", drawing, title.split("\n"))]


def _named(row: RowLabel, texts: AskedTexts | None) -> RowLabel:
    """Return a row's label with a question's text in place of the id that it begins with, behind the rest."""
    key, _, rest = row.label.partition(": ")
    known = texts.questions.get(key, "") if texts else ""
    return row._replace(label=" · ".join(filter(None, [rest, known]))) if known else row
