"""The constraints of an XLSForm that a question can keep: from which number to which, how many choices at most."""

import re
from collections.abc import Iterator
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import Any

from sotto_author.errors import FormError
from sotto_author.forms.xlsform.form import Row

_NUMBER = r"(-?\d{1,9}(?:\.\d{1,6})?)"
_COMPARED = re.compile(rf"\.\s*([<>]=?)\s*{_NUMBER}")
_TURNED = re.compile(rf"{_NUMBER}\s*([<>]=?)\s*\.")
_AT_MOST = re.compile(r"count-selected\(\s*\.\s*\)\s*(<=?)\s*(\d{1,4})")
_SELECTED = re.compile(r"""selected\(\s*\.\s*,\s*(?:'[^']*'|"[^"]*")\s*\)""")
_COUNT = r"count-selected\(\s*\.\s*\)"
_COUNTED = re.compile(rf"{_COUNT}\s*(?:[<>]=?|!?=)\s*\d{{1,4}}|\d{{1,4}}\s*(?:[<>]=?|!?=)\s*{_COUNT}")
_JOINED = re.compile(r"(?:[\s(),]|\b(?:and|or|not|if|true|false)\b)*")
_TOKEN = re.compile(r"""'[^']*'|"[^"]*"|[()]|\b(?:and|or)\b""")
_MIRRORED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
_MAX_CONSTRAINT = 1_000
_FINEST = Decimal("0.01")
"""The steps in which decimals are taken, unless the constraint is finer."""


def _constraint(row: Row) -> str:
    """Return the constraint of a row, which may call its own answer by the row's name: `.` in its place."""
    return row.bind("constraint").replace(f"${{{row.name}}}", ".")


def range_of(row: Row) -> dict[str, Decimal]:
    """Return from which number to which an answer goes, and in what steps. Raises FormError."""
    limits = [_limit(part) for part in _parts(_constraint(row))]
    if row.type == "range":
        return _narrowed(row, limits)
    ends = [number for _, number in limits]
    finest = min([Decimal(1).scaleb(_exponent(number)) for number in ends], default=_FINEST)
    step = Decimal(1) if row.type in ("integer", "int") else min(_FINEST, finest)
    lows = [_first(sign, number, step) for sign, number in limits if sign.startswith(">")]
    highs = [_first(sign, number, step) for sign, number in limits if sign.startswith("<")]
    if not lows or not highs:
        raise FormError("must say from which number to which, in its constraint: such as  . >= 0 and . <= 100")
    return {"minimum": max(lows), "maximum": min(highs), "step": step}


def _narrowed(row: Row, limits: list[tuple[str, Decimal]]) -> dict[str, Decimal]:
    """Return a slider's range, and of that what limits let pass, on its steps."""
    said = row.members.get("parameters", {})
    start, end, step = (Decimal(str(said.get(name, usual))) for name, usual in (("start", 1), ("end", 10), ("step", 1)))
    low, high, step = min(start, end), max(start, end), abs(step)
    firsts = [(sign[0], low + _first(sign, number - low, step)) for sign, number in limits if step]
    lows, highs = ([first for side, first in firsts if side == sign] for sign in "><")
    return {"minimum": max([low, *lows]), "maximum": min([high, *highs]), "step": step}


def most_selected(row: Row, n_choices: int) -> dict[str, Any]:
    """Return how many choices may be selected, {} for all of them."""
    limits = [limit for part in _joined(_constraint(row)) if (limit := _AT_MOST.fullmatch(part))]
    most = min((int(limit[2]) - (limit[1] == "<") for limit in limits), default=n_choices)
    return {"max_selected": most} if most < n_choices else {}


def unchecked(row: Row) -> list[str]:
    """Return the parts of a constraint on choices that say which go together, or how many there must be at least.

    A device can send what they forbid, and no survey checks them: they may be dropped.
    """
    return [part for part in _joined(_constraint(row)) if not _AT_MOST.fullmatch(part) and _is_of_choices(part)]


def unknown(row: Row) -> list[str]:
    """Return the parts of a constraint on choices that say something else."""
    return [part for part in _joined(_constraint(row)) if not _AT_MOST.fullmatch(part) and not _is_of_choices(part)]


def _is_of_choices(part: str) -> bool:
    """Whether a condition is on which choices are selected together, or on how many."""
    n_named, n_counted = len(_SELECTED.findall(part)), len(_COUNTED.findall(part))
    rest = _COUNTED.sub("", _SELECTED.sub("", part))
    return (n_counted > 0 or n_named > 1) and _JOINED.fullmatch(rest) is not None


def _joined(constraint: str) -> list[str]:
    """Return what a constraint joins by "and" outside of brackets and quotes.

    >>> _joined("not(selected(., 'a and b') and count-selected(.) > 1) and (count-selected(.) <= 3)")
    ["not(selected(., 'a and b') and count-selected(.) > 1)", 'count-selected(.) <= 3']
    """
    said = _bare(constraint)
    tokens = list(_top_level(said))
    if any(token[0] == "or" for token in tokens):
        return [said]
    ends = [0, *(place for token in tokens for place in token.span()), len(said)]
    parts = [_bare(said[start:end]) for start, end in zip(ends[::2], ends[1::2], strict=True)]
    return [part for part in parts if part]


def _top_level(said: str) -> Iterator[re.Match[str]]:
    """Yield where "and" and "or" stand outside of brackets and quotes."""
    depth = 0
    for token in _TOKEN.finditer(said):
        depth += (token[0] == "(") - (token[0] == ")")
        if depth == 0 and token[0] in ("and", "or"):
            yield token


def _exponent(number: Decimal) -> int:
    return int(number.as_tuple().exponent)


def _first(sign: str, number: Decimal, step: Decimal) -> Decimal:
    """Return the last number in steps of `step` that a comparison lets pass."""
    in_steps = number / step
    if sign.startswith(">"):
        return step * (_whole(in_steps, ROUND_FLOOR) + 1 if sign == ">" else _whole(in_steps, ROUND_CEILING))
    return step * (_whole(in_steps, ROUND_CEILING) - 1 if sign == "<" else _whole(in_steps, ROUND_FLOOR))


def _whole(number: Decimal, rounding: str) -> Decimal:
    return number.to_integral_value(rounding)


def _limit(part: str) -> tuple[str, Decimal]:
    compared, turned = _COMPARED.fullmatch(part), _TURNED.fullmatch(part)
    if compared:
        return compared[1], Decimal(compared[2])
    if turned:
        return _MIRRORED[turned[2]], Decimal(turned[1])
    raise FormError(f"the constraint {part} is none that a survey checks: such as  . >= 0 and . <= 100  is one.")


def _parts(constraint: str) -> list[str]:
    """Return what a constraint joins by "and".

    >>> _parts("(. >= 0) and (.<120)")
    ['. >= 0', '.<120']
    """
    return [_bare(part) for part in re.split(r"\band\b", _bare(constraint))] if constraint else []


def _bare(expression: str) -> str:
    """Return an expression without brackets around all of it."""
    said = expression.strip()
    if len(said) > _MAX_CONSTRAINT:
        raise FormError(f"the constraint has more than {_MAX_CONSTRAINT:,} characters.")
    while said.startswith("(") and said.endswith(")") and _is_whole(said):
        said = said[1:-1].strip()
    return said


def _is_whole(said: str) -> bool:
    depth = 0
    for index, letter in enumerate(said):
        depth += (letter == "(") - (letter == ")")
        if depth == 0:
            return index == len(said) - 1
    return False
