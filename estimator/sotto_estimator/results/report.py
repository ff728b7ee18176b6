"""A report on a result: one HTML file that needs no other, for who reads, prints or keeps it.

The numbers are those of `--json`, which it holds whole, for programs.
"""

from collections.abc import Sequence
from html import escape
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from sotto_estimator.errors import SourceError
from sotto_estimator.results.document import Document
from sotto_estimator.results.forms.html import alarms_html, blocks_html
from sotto_protocol import __version__

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from sotto_estimator.results.panels import Panel

_STYLE = """
:root { color-scheme: light; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1a1a1a; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
.wide { overflow-x: auto; }
th, td { text-align: start; padding: .2rem .8rem .2rem 0; border-bottom: 1px solid #ccc; vertical-align: top; }
.number { text-align: end; white-space: nowrap; }
.warning { border-inline-start: .3rem solid #b00020; padding: .3rem .8rem; }
svg { max-width: 100%; height: auto; }
@media print { body { margin: 0; font-size: 10pt; } section, svg { break-inside: avoid; } }
"""


class Reportable(Protocol):
    """What a report is on: a result."""

    def document(self) -> Document: ...
    def panels(self) -> "tuple[str, Sequence[Panel]]": ...
    def plot(self) -> "Figure": ...
    def as_json(self) -> str: ...


def write_report(result: Reportable, path: Path) -> None:
    """Write a report on a result into an HTML file. Raises SourceError where it cannot be written."""
    check_report(path)
    try:
        path.write_text(report_html(result), encoding="utf-8")
    except OSError as fault:
        raise SourceError(f"report ({path}) cannot be written: {fault.strerror}.") from fault


def check_report(path: Path) -> None:
    """Raise SourceError unless a report can have this name, as far as that shows before."""
    if path.suffix.lower() not in (".html", ".htm"):
        raise SourceError(f"report ({path.name}) must end in .html.")


def report_html(result: Reportable) -> str:
    """Return a page: what is wrong, what is known, a picture, the rest, how to cite it, and all as JSON."""
    document = result.document()
    told = [(part.heading, blocks_html(part)) for part in document.told(with_background=True)]
    cite = ("How to cite", f"<p>{escape(_citation(document.title))}</p>")
    parts = [*told[:1], ("In a picture", _picture(result)), *told[1:], cite]
    data = result.as_json().replace("<", "\\u003c")  # no text ends the script
    title, line = escape(document.title), f"<p>{escape(document.line)}</p>\n" if document.line else ""
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


def _picture(result: Reportable) -> str:
    if not result.panels()[1]:
        return ""
    from matplotlib import rc_context

    drawn = BytesIO()
    with rc_context({"svg.hashsalt": "sottovoce", "svg.fonttype": "none"}):
        result.plot().savefig(drawn, format="svg", metadata={"Date": None, "Creator": None})
    svg = drawn.getvalue().decode()
    label = "Estimates with their intervals; the tables have the same numbers."
    return svg[svg.index("<svg") :].replace("<svg", f'<svg role="img" aria-label="{label}"', 1)
