"""A document as a part of a LaTeX document, by what LaTeX has without packages; every text is escaped."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from sotto_estimator.results.document import ITEM, Block, Document, Lines, Part, Table
from sotto_protocol.words import escaped

_MOST_ROWS = 40
"""A `tabular` does not break over pages: one of more rows is written as several."""
_HEAD = "% A part of a document: \\input it. Letters that pdfLaTeX lacks take XeLaTeX or LuaLaTeX, and a font."
_SIGNS = {
    "\\": "\\textbackslash{}",
    "~": "\\textasciitilde{}",
    "^": "\\textasciicircum{}",
    "<": "\\textless{}",
    ">": "\\textgreater{}",
    "|": "\\textbar{}",
    '"': "\\char34{}",
    **{sign: f"\\{sign}" for sign in "{}$&#_%"},
    **{sign: f"{{{sign}}}" for sign in "[]*`"},
}
"""What is a command to LaTeX, an option of the end of the row before, or another sign in its letters."""
_SPECIAL = re.compile(r"[\\~^<>|\"{}$&#_%\[\]*`]|(?<!\w)-(?=\d)|([-'])(?=\1)")


def latex_of(document: Document) -> str:
    """Return the title, what is wrong, and the parts that people read on a terminal, each below its heading."""
    blocks = [_HEAD, f"\\section*{{{_said(document.title)}}}", *([_said(document.line)] if document.line else [])]
    blocks += [f"\\textbf{{Warning: {_said(alarm)}}}" for alarm in document.alarms]
    blocks += [block for part in document.told() for block in _part(part)]
    return "\n\n".join(blocks)


def _part(part: Part) -> Iterator[str]:
    yield f"\\subsection*{{{_said(part.heading)}}}"
    for block in part.blocks:
        yield from _block(block)


def _block(block: Block) -> Iterator[str]:
    if isinstance(block, Table):
        cells = block.cells
        for first in range(0, max(len(cells), 1), _MOST_ROWS):
            yield _tabular(block, cells[first : first + _MOST_ROWS])
    elif isinstance(block, Lines):
        for are_items, lines in groupby(block.lines, key=block.is_item):
            said = [*map(_said, lines)]
            yield from [_items(said)] if are_items else said
    else:
        typed = (_said(line).replace(" ", "\\ ") or "\\strut" for line in block.text.split("\n"))
        yield "\\begin{flushleft}\\ttfamily\n" + "\\\\\n".join(typed) + "\n\\end{flushleft}"


def _items(said: Iterable[str]) -> str:
    items = "".join(f"\\item {line.removeprefix(ITEM)}\n" for line in said)
    return f"\\begin{{itemize}}\n{items}\\end{{itemize}}"


def _tabular(table: Table, rows: Sequence[Sequence[str]]) -> str:
    sides = "".join("l" if column.is_left else "r" for column in table.columns)
    body = "".join(_row(cells) for cells in rows)
    return (
        f"\\noindent\\begin{{tabular}}{{{sides}}}\n\\hline\n{_row(table.head)}\\hline\n{body}\\hline\n\\end{{tabular}}"
    )


def _row(cells: Sequence[str]) -> str:
    return f"{' & '.join(map(_said, cells))} \\\\\n"


def _said(text: str) -> str:
    """Return a text of which nothing is a command.

    >>> _said("50 % & -1.2"), _said("a_b -- {x}"), _said("[1]")
    ('50 \\\\% \\\\& $-$1.2', 'a\\\\_b -{}- \\\\{x\\\\}', '{[}1{]}')
    """
    return _SPECIAL.sub(
        lambda found: _SIGNS.get(found[0]) or ("$-$" if not found[1] else f"{found[0]}{{}}"), escaped(text)
    )
