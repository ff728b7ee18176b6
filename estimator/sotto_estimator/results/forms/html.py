"""A document as pieces of HTML, every text escaped: for a notebook, and for a report."""

from collections.abc import Iterable
from html import escape
from itertools import groupby

from sotto_estimator.results.document import ITEM, Block, Document, Lines, Part, Table


def notebook_html(document: Document) -> str:
    """Return what a notebook shows: the title, what is wrong, and what people read on a terminal."""
    title = f"<p><b>{escape(document.line or document.title)}</b></p>"
    parts = "".join(blocks_html(part) for part in document.told())
    return f"<div>{title}{alarms_html(document)}{parts}</div>"


def alarms_html(document: Document) -> str:
    """Return what is wrong with the data, which stands before all else."""
    return "".join(f'<p class="warning">{escape(alarm)}</p>' for alarm in document.alarms)


def blocks_html(part: Part) -> str:
    """Return a part without its heading."""
    return "".join(map(_block, part.blocks))


def _block(block: Block) -> str:
    if isinstance(block, Table):
        return _table(block)
    if isinstance(block, Lines):
        groups = groupby(block.lines, key=block.is_item)
        return "".join(_items(lines) if are_items else "".join(map(_line, lines)) for are_items, lines in groups)
    return f"<pre>{escape(block.text)}</pre>"


def _line(line: str) -> str:
    return f"<p>{escape(line)}</p>"


def _items(lines: Iterable[str]) -> str:
    items = "".join(f"<li>{escape(line.removeprefix(ITEM))}</li>" for line in lines)
    return f"<ul>{items}</ul>"


def _table(table: Table) -> str:
    header = _row("th", table.head, table)
    body = "".join(_row("td", cells, table) for cells in table.cells)
    return f'<div class="wide"><table><thead>{header}</thead><tbody>{body}</tbody></table></div>'


def _row(tag: str, cells: Iterable[str], table: Table) -> str:
    scope = ' scope="col"' if tag == "th" else ""
    kinds = ["" if column.is_left else ' class="number"' for column in table.columns]
    listed = (f"<{tag}{scope}{kind}>{escape(cell)}</{tag}>" for cell, kind in zip(cells, kinds, strict=True))
    return f"<tr>{''.join(listed)}</tr>"
