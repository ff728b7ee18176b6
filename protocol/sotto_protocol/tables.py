"""Rows of text, aligned for a terminal."""

from collections.abc import Callable, Sequence


def align(rows: Sequence[Sequence[str]], *, n_left: int | None = None, width: Callable[[str], int] = len) -> str:
    """Return one row or more as lines: their first n_left cells to the left, the others to the right; None: all left.

    Columns are two blanks apart, and no line ends in blanks. `width`: how many columns a text takes.

    >>> print(align([["answer", "share"], ["yes", "26 %"]], n_left=1))
    answer  share
    yes      26 %
    """
    rooms = [max(map(width, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = []
        for column, (cell, room) in enumerate(zip(row, rooms, strict=True)):
            blanks = " " * (room - width(cell))
            cells.append(cell + blanks if n_left is None or column < n_left else blanks + cell)
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)
