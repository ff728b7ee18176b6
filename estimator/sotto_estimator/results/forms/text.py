"""A document as text for a terminal: aligned tables, and lines; what could move a cursor stands escaped."""

import re
from collections.abc import Iterable
from textwrap import fill

from sotto_estimator.results.document import Block, Lines, Part, Table, Typed
from sotto_protocol.tables import align
from sotto_protocol.words import escaped, escaped_lines

_COLUMNS = 100
_KEPT = re.compile(r"(?<=\+-) | (?=%)")  # a blank at which no line ends


def text_of(parts: Iterable[Part]) -> str:
    """Return the parts, without headings; the title and alarms are the command's to say."""
    said = [
        ("\n" if part.is_tight else "\n\n").join(filter(None, map(_block, part.blocks)))
        for part in parts
        if not part.is_background
    ]
    return "\n\n".join(filter(None, said))


def _block(block: Block) -> str:
    if isinstance(block, Table):
        return _table(block)
    if isinstance(block, Typed):
        return escaped_lines(block.text)
    return "\n".join(_line(line, block) for line in block.lines)


def _line(line: str, of: Lines) -> str:
    said = escaped(line)
    if of.is_item(line):
        return wrapped(f"  {said}", "    ")
    return said if of.indent is None else wrapped(said, of.indent)


def _table(table: Table) -> str:
    rows = [*([] if table.is_plain else [table.head]), *table.cells]
    left = [place for place, column in enumerate(table.columns) if column.is_left]
    return align([[escaped(cell) for cell in row] for row in rows], left=left) if rows else ""


def wrapped(text: str, indent: str = "  ") -> str:
    """Return a paragraph as lines of a terminal, those after the first indented."""
    kept = _KEPT.sub("\N{NO-BREAK SPACE}", text)
    lines = fill(kept, _COLUMNS, subsequent_indent=indent, break_on_hyphens=False, break_long_words=False)
    return lines.replace("\N{NO-BREAK SPACE}", " ")
