"""A report on a result: one HTML file that needs no other, for who reads, prints or keeps it.

The numbers are those of `--json`, which it holds whole, for programs.
"""

from collections.abc import Sequence
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import Protocol

from sotto_estimator.errors import SourceError
from sotto_estimator.results.document import AskedTexts, Document
from sotto_estimator.results.figure import Panel, RowLabel
from sotto_estimator.results.forms.html import alarms_html, blocks_html, text_html
from sotto_estimator.results.layout import lay_out
from sotto_estimator.results.svg import inline_svg
from sotto_protocol import __version__

_STYLE = """
:root { color-scheme: light dark; --ground: #fff; --ink: #17181a; --quiet: #555a60; --rule: #c9ccd1; --alarm: #b00020; }
@media screen and (prefers-color-scheme: dark) {
:root { --ground: #16191b; --ink: #e9e6df; --quiet: #aab4b9; --rule: #49535a; --alarm: #ff9b8d; }
}
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem;
background: var(--ground); color: var(--ink); }
h1, h2, p, li, figcaption { overflow-wrap: anywhere; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
.wide { overflow-x: auto; }
th, td { text-align: start; padding: .2rem .8rem .2rem 0; border-bottom: 1px solid var(--rule); vertical-align: top; }
.number { text-align: end; white-space: nowrap; }
.warning { border-inline-start: .3rem solid var(--alarm); padding: .3rem .8rem; }
figure { margin: 0; }
figcaption { color: var(--quiet); font-size: .85rem; margin-bottom: .6rem; }
.chart { display: block; overflow: visible; }
.chart text { fill: var(--ink); stroke: var(--ground); }
.chart .faint { fill: var(--quiet); }
.chart .dot { fill: var(--ink); }
.chart .whisker { stroke: var(--ink); }
.chart .grid { stroke: var(--rule); }
.chart .zero { stroke: var(--quiet); }
.chart circle.zero { fill: var(--quiet); }
@media print { body { margin: 0; font-size: 10pt; } section, figure, tr { break-inside: avoid; }
.wide { overflow: visible; } }
"""


class Reportable(Protocol):
    """What a report is on: a result."""

    def document(self, lang: str = "") -> Document: ...
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
    """Return a page: what is wrong, what is known, a picture, the rest, how to cite it, and all as JSON."""
    document = result.document(lang)
    told = [(part.heading, blocks_html(part, document.texts)) for part in document.told(with_background=True)]
    cite = ("How to cite", f"<p>{text_html(_citation(document.title))}</p>")
    parts = [*told[:1], ("In a picture", _picture(result, document.texts)), *told[1:], cite]
    data = result.as_json().replace("<", "\\u003c")  # no text ends the script
    title, line = text_html(document.title), f"<p>{text_html(document.line)}</p>\n" if document.line else ""
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        '<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">'
        f"<style>{_STYLE}</style></head>\n<body><main><h1>{title}</h1>\n{line}"
        f"{alarms_html(document)}"
        f"{''.join(_section(*part) for part in parts)}</main>\n"
        f'<script type="application/json" id="estimates">{data}</script></body></html>\n'
    )


def _section(heading: str, content: str) -> str:
    return f"<section><h2>{escape(heading)}</h2>{content}</section>\n" if content else ""


def _citation(title: str) -> str:
    return (
        f"{title}, estimated with sottovoce {__version__}, https://github.com/sottovoce/sottovoce. "
        "Name n, the epsilon, the method and the level with every number."
    )


def _picture(result: Reportable, texts: AskedTexts | None) -> str:
    title, panels = result.panels()
    panels = [replace(panel, rows=[_named(row, texts) for row in panel.rows]) for panel in panels]
    if not panels:
        return ""
    drawing = lay_out("Estimates with their intervals", "The tables have the same numbers.", panels)
    said = "<br>".join(map(text_html, title.split("\n")))
    return f"<figure><figcaption>{said}</figcaption>{inline_svg(drawing, 'chart')}</figure>"


def _named(row: RowLabel, texts: AskedTexts | None) -> RowLabel:
    """Return a row's label with texts in place of the ids that it begins with: the answer, then the question."""
    key, _, answer = row.label.partition(": ")
    if texts is None or key not in texts.questions:
        return row
    named = texts.answers.get((key, answer), answer)
    return row._replace(label=" · ".join(filter(None, [named, texts.questions[key]])))
