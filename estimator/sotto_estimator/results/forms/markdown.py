"""A document as Markdown (CommonMark, and GitHub's tables), in which no text is HTML, a link or a table's end."""

import re
from collections.abc import Iterable

from sotto_estimator.results.document import ITEM, Block, Document, Lines, Part, Table
from sotto_protocol.words import escaped, escaped_lines

_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_SPECIAL = re.compile(r"[&<>]|[\\`*_\[\]|~$#@]|(?<=www)\.|:(?=//)")
_FIRST = re.compile(r"^([+=-]|\d+(?=[.)]))")
"""What a line could begin a list, or a heading, with."""


def markdown_of(document: Document) -> str:
    """Return the title, what is wrong, and the parts that people read on a terminal, each below its heading."""
    blocks = [f"# {_said(document.title)}", *([_said(document.line)] if document.line else [])]
    blocks += [f"> **Warning:** {_said(alarm)}" for alarm in document.alarms]
    blocks += [block for part in document.told() for block in _part(part)]
    return "\n\n".join(filter(None, blocks))


def _part(part: Part) -> list[str]:
    return [f"## {_said(part.heading)}", *map(_block, part.blocks)]


def _block(block: Block) -> str:
    if isinstance(block, Table):
        return _table(block)
    if isinstance(block, Lines):
        return "\n\n".join(_item(line) if block.is_item(line) else _line(line) for line in block.lines)
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", block.text)), default=0))
    return f"{fence}\n{escaped_lines(block.text)}\n{fence}"


def _table(table: Table) -> str:
    rules = [":--" if column.is_left else "--:" for column in table.columns]
    return "\n".join(map(_row, [list(map(_said, table.head)), rules, *(map(_said, cells) for cells in table.cells)]))


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _item(text: str) -> str:
    return f"- {_line(text.removeprefix(ITEM))}"


def _line(text: str) -> str:
    """Return a paragraph of one line, which begins no list."""
    return _FIRST.sub(_first, _said(text))


def _first(found: re.Match[str]) -> str:
    return f"\\{found[0]}" if not found[0].isdigit() else f"{found[0]}&#8203;"


def _said(text: str) -> str:
    """Return a text of which nothing is markup, and that is one line."""
    return _SPECIAL.sub(lambda found: _ENTITIES.get(found[0], f"\\{found[0]}"), escaped(text).strip())
