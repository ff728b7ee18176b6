"""Texts and tables in Markdown and HTML: a survey's texts become no markup, and a line of ours may have code."""

import re
from collections.abc import Iterable, Sequence
from html import escape

from sotto_protocol.words import printable

STYLE = """
@page { size: A4; margin: 10mm }
body { font: 9pt/1.3 sans-serif; max-width: 190mm; margin: 1em auto; padding: 0 1em; color: #111; background: #fff }
h1 { font-size: 15pt; margin: 0 } h2 { font-size: 10.5pt; margin: .8em 0 .2em }
.columns { columns: 2; column-gap: 8mm } section { break-inside: avoid-column; padding-bottom: .6em }
section h2 { margin-top: 0 }
table { border-collapse: collapse; width: 100%; margin: .5em 0 }
th, td { text-align: start; vertical-align: top; padding-block: .15em; padding-inline: 0 .5em }
th, td { border-bottom: 1px solid #bbb }
ul { margin: 0; padding-inline-start: 1.2em } p { margin: .3em 0 } code { overflow-wrap: anywhere }
.blanks { list-style: none; padding: 0 }
.blanks li { break-inside: avoid; padding-bottom: 1.4em; border-bottom: 1px solid #555 }
@media (max-width: 40em) { .columns { columns: 1 } }
@media print { body { font-size: 7.5pt; line-height: 1.2; margin: 0; padding: 0; max-width: none } }
"""
_MARKS = re.compile(r"([\\`*_{}\[\]<>#|~&])")


def one_line(words: str) -> str:
    """Return words with a blank for each character that could break a document."""
    return printable(words, " ")


def mark(words: str) -> str:
    """Return a text for Markdown, in which none of its characters is markup."""
    return _MARKS.sub(r"\\\1", one_line(words))


def mark_line(line: str) -> str:
    """Return a sentence of this program for Markdown, whose backticks are meant."""
    return "".join(part if part.startswith("`") else mark(part) for part in re.split("(`[^`]*`)", line))


def tag_line(line: str) -> str:
    """Return the same for HTML."""
    return re.sub("`([^`]*)`", r"<code>\1</code>", escape(one_line(line)))


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return the lines of a table in Markdown, and an empty one after it."""
    lines = [heads, ["---"] * len(heads), *[[mark(cell) for cell in row] for row in rows]]
    return [*(f"| {' | '.join(cells)} |" for cells in lines), ""]


def tagged_table(heads: Sequence[str], rows: Iterable[Sequence[str]], first: str = "") -> str:
    """Return a table in HTML, its first column of headings, with the attributes `first`."""
    head = "".join(f'<th scope="col">{escape(each)}</th>' for each in heads)
    body = "".join(
        f'<tr><th scope="row"{first}>{escape(one_line(row[0]))}</th>'
        + "".join(f"<td>{escape(one_line(cell))}</td>" for cell in row[1:])
        + "</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def tagged_list(lines: Iterable[str], kind: str = "") -> str:
    """Return sentences of this program as a list in HTML."""
    return f"<ul{kind}>{''.join(f'<li>{tag_line(line)}</li>' for line in lines)}</ul>"


def document(title: str, body: str, *, lang: str = "en", direction: str = "ltr") -> str:
    """Return one HTML document that loads nothing, for paper of A4."""
    return (
        f'<!doctype html>\n<html lang="{lang}" dir="{direction}">\n<head><meta charset="utf-8">'
        f"<title>{escape(one_line(title))}</title>\n"
        f'<meta name="viewport" content="width=device-width"><style>{STYLE}</style></head>\n'
        f"<body><main>\n{body}</main></body>\n</html>\n"
    )
