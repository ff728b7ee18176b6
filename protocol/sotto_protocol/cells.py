"""Cells of CSV files that somebody may open in a spreadsheet."""

import re
from collections.abc import Iterable

_FORMULA = re.compile(r"[=+\-@\t\r\n＝＋－＠]")
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?")


def without_formulas(cells: Iterable[object]) -> list[object]:
    """Return a row's cells; a text that a spreadsheet could compute gets a single quote before it.

    So OWASP ("CSV injection"). Numbers are left alone, texts that are nothing but a number too.

    >>> without_formulas(["=HYPERLINK(1)", "-1-1", "-0.5", -0.5, "a = b", None])
    ["'=HYPERLINK(1)", "'-1-1", '-0.5', -0.5, 'a = b', None]
    """
    return [f"'{cell}" if _could_compute(cell) else cell for cell in cells]


def _could_compute(cell: object) -> bool:
    return isinstance(cell, str) and _FORMULA.match(cell) is not None and _NUMBER.fullmatch(cell) is None
