"""Rows of text, aligned for a terminal."""

import unicodedata
from collections.abc import Collection, Sequence


def align(rows: Sequence[Sequence[str]], *, n_left: int | None = None, left: Collection[int] | None = None) -> str:
    """Return one row or more as lines: their first n_left cells to the left, the others to the right; None: all left.

    `left`: the places of the cells to the left, where these are not the first.
    Columns are two blanks apart, and no line ends in blanks. Wide letters take two columns each (`width`).

    >>> print(align([["answer", "share"], ["yes", "26 %"]], n_left=1))
    answer  share
    yes      26 %
    """
    rooms = [max(map(width, column)) for column in zip(*rows, strict=True)]
    left = range(len(rooms) if n_left is None else n_left) if left is None else left
    lines = []
    for row in rows:
        cells = []
        for column, (cell, room) in enumerate(zip(row, rooms, strict=True)):
            blanks = " " * (room - width(cell))
            cells.append(cell + blanks if column in left else blanks + cell)
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def width(text: str) -> int:
    """Return how many columns a text takes on a terminal: two for a wide character, none for a mark or a joiner.

    A character behind a zero-width joiner, a skin tone, and the second half of a flag belong to the one before.

    >>> width("abc"), width("é"), width("e\\u0301"), width("語"), width("🍐"), width("👩‍💻"), width("🇳🇱"), width("❤️")
    (3, 1, 1, 2, 2, 2, 2, 2)
    """
    # The package wcwidth says the same of all these. Every device would have to install it, as it has the protocol, and
    # a device shows no tables; terminals differ more from one another than from either.
    columns, previous, is_half_flag = 0, "", False
    for character in text:
        is_flag = "\U0001f1e6" <= character <= "\U0001f1ff"
        if character == "\ufe0f":  # shown as emoji: wide
            columns += 1 if _columns(previous) == 1 else 0
        elif previous != "\u200d" and not "\U0001f3fb" <= character <= "\U0001f3ff":
            columns += (0 if is_half_flag else 2) if is_flag else _columns(character)
        is_half_flag = is_flag and not is_half_flag
        previous = character
    return columns


def _columns(character: str) -> int:
    if not character or unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
