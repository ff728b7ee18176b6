"""Pieces of HTML that results are shown by, every text escaped: a table, and lines."""

from collections.abc import Iterable, Sequence
from html import escape


def table_html(rows: Sequence[Sequence[str]], *, n_texts: int | None = None) -> str:
    """Return a table whose first row are headings.

    Its first `n_texts` columns are texts, the others numbers, and marked so; None: no column is marked.
    """
    header, *body = (_row("td" if place else "th", row, n_texts) for place, row in enumerate(rows))
    return f"<table><thead>{header}</thead><tbody>{''.join(body)}</tbody></table>"


def said_html(lines: Iterable[str]) -> str:
    """Return lines as one paragraph; nothing of no line."""
    said = "<br>".join(map(escape, lines))
    return f"<p>{said}</p>" if said else ""


def heading_html(line: str) -> str:
    """Return a line that stands above all."""
    return f"<p><b>{escape(line)}</b></p>"


def typed_html(text: str) -> str:
    """Return a text in a typewriter's letters, its lines as they are."""
    return f"<pre>{escape(text)}</pre>"


def _row(tag: str, cells: Sequence[str], n_texts: int | None) -> str:
    scope = ' scope="col"' if tag == "th" else ""
    kinds = ["" if n_texts is None or place < n_texts else ' class="number"' for place in range(len(cells))]
    listed = (f"<{tag}{scope}{kind}>{escape(cell)}</{tag}>" for cell, kind in zip(cells, kinds, strict=True))
    return f"<tr>{''.join(listed)}</tr>"
