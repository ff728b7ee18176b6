"""Strict JSON: one text for one value, and errors that say where.

Canonical JSON is RFC 8785's: UTF-8, keys sorted, no white space, the shortest escapes; but numbers are integers or
plain decimals, of any size and never with an exponent.
"""

import json
import re
from collections.abc import Callable, Collection, Mapping
from decimal import Decimal, InvalidOperation
from difflib import get_close_matches
from functools import partial
from typing import Any

from sotto_protocol.errors import LocatedError

MAX_DEPTH = 32
"""Documents nested deeper are refused before they are read further."""
MAX_DECIMALS = 12
"""Of an epsilon and of a probability."""

_MOST_TOLD = 3
"""Of the texts of one list that are wrong."""
_DIRECTION_MARKS = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
"""They reorder the text beside them: in a terminal a label could turn its own numbers round."""
_FORBIDDEN = re.compile(f"[\x00-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029{_DIRECTION_MARKS}]")
"""Unicode's categories Cc, Cs, Zl and Zp, which never change, and the marks."""

_encode_leaf = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode  # made once: it is called for every leaf


def load_json(text: str | bytes, error: type[LocatedError]) -> Any:
    """Parse JSON strictly: decimals kept exact, no duplicate key, no NaN, no surrogate, limited depth.

    Raises `error` at `$`. The message never quotes the text.
    """
    try:
        decoded = text.decode("utf-8") if isinstance(text, bytes) else text
        document = json.loads(
            decoded,
            parse_float=parse_decimal,
            parse_constant=_refuse_constant,
            object_pairs_hook=_unique_keys,
        )
        canonical_json(document).decode("utf-8")
    except _DuplicateKeyError as fault:
        raise error("$", str(fault)) from None
    except (ValueError, RecursionError) as fault:
        raise error("$", f"must be JSON in UTF-8 ({_short_reason(fault)}).") from None
    return document


def canonical_json(document: Any) -> bytes:
    """Return the one canonical text of a document of dicts, lists, strings, booleans, integers and Decimals."""
    return _write(document, 0).encode("utf-8")


def _write(value: Any, depth: int) -> str:
    if depth > MAX_DEPTH:
        raise ValueError(f"nested deeper than {MAX_DEPTH}")
    match value:
        case dict():
            members = (f"{_write(key, depth + 1)}:{_write(value[key], depth + 1)}" for key in sorted(value, key=_utf16))
            return "{" + ",".join(members) + "}"
        case list() | tuple():
            return "[" + ",".join(_write(item, depth + 1) for item in value) + "]"
        case Decimal():
            return decimal_text(value)
        case int() if not isinstance(value, bool):
            return format(value, "d")  # the encoder is ten times as slow on a lone number
        case _:
            return _encode_leaf(value)


def parse_decimal(text: str) -> Decimal:
    """Return the exact decimal. Raises ValueError where `decimal` cannot hold it (1e9999999999999999999)."""
    try:
        return Decimal(text)
    except InvalidOperation:
        raise ValueError("a number too large or too small") from None


def decimal_text(value: Decimal) -> str:
    """Return a plain decimal: no exponent, no trailing zero."""
    if not value.is_finite() or abs(value.adjusted()) > 40:
        raise ValueError("a number too large or too small")
    text = format(value, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def _utf16(key: str) -> bytes:
    return key.encode("utf-16-be")  # RFC 8785 sorts by UTF-16 code units


class _DuplicateKeyError(ValueError):
    pass


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise _DuplicateKeyError("must not have the same key twice in one object.")
    return members


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a JSON number")


def _short_reason(fault: Exception) -> str:
    if isinstance(fault, json.JSONDecodeError):
        return f"{fault.msg}, line {fault.lineno} column {fault.colno}"
    if isinstance(fault, UnicodeError):
        return "not Unicode"
    return "nested too deeply" if isinstance(fault, RecursionError) else str(fault)[:80]


_ALIKE = 0.7
"""Of the letters of two names: 'titel' is not 'field', and 'stpe' is 'step'."""


class Fields:
    """The members of one object, each taken once and checked; what is left over is unknown and refused.

    `places`: every name that is right somewhere, and where that is, in words after "belongs to".
    """

    def __init__(
        self, document: Any, where: str, error: type[LocatedError], places: Mapping[str, str] | None = None
    ) -> None:
        if not isinstance(document, dict):
            raise error(where, "must be an object (a table).")
        self._left = dict(document)
        self._names = frozenset(document)
        self._known: set[str] = set()
        self._told: set[str] = set()
        self.where = where
        """Its path."""
        self._error = error
        self._places = places or {}

    def at(self, key: str) -> str:
        """Return the path of a member."""
        return f"{self.where}.{key}"

    def fail(self, key: str, problem: str) -> LocatedError:
        """Return the error for a member, to be raised."""
        return self._error(self.at(key), problem)

    def misplaced(self, key: str) -> LocatedError:
        """Return the error for a member that belongs elsewhere, to be raised."""
        return self.fail(key, f"belongs to {self._places[key]}.")

    def fill(self, usual: Mapping[str, Any]) -> None:
        """Put in the members that are left out, by name."""
        self._left = {**usual, **self._left}

    def has(self, key: str) -> bool:
        """Whether the member is there and not taken yet."""
        self._known.add(key)
        return key in self._left

    def peek(self, key: str) -> Any:
        """Return the member, which stays there; None where it is not."""
        return self._left.get(key)

    def take(
        self, key: str, expected: str, accept: Callable[[Any], bool], say_why: Callable[[Any], str] | None = None
    ) -> Any:
        """Return a required member that `accept` accepts; `say_why`: a sentence of what is wrong of another, or ""."""
        self._known.add(key)
        if key not in self._left:
            raise self.missing(key, expected)
        value = self._left.pop(key)
        if not accept(value):
            raise self.fail(key, f"must be {expected}.{(say_why or _strange_in)(value)}")
        return value

    def missing(self, key: str, expected: str) -> LocatedError:
        """Return the error for a member that is not there, to be raised: say which one may be meant for it."""
        strange = {name.lower(): name for name in self._left if is_short(name) and name not in self._places}
        alike = [strange[one] for one in get_close_matches(key, strange, 1)] if self._places else []  # else it is right
        self._told.update(alike)
        if alike and alike[0].lower() == key:
            return self.unknown(alike[0])
        hint = f" {alike[0]!r} is unknown." if alike else ""
        return self.fail(key, f"is missing; expected {expected}.{hint}")

    def integer(self, key: str, low: int, high: int) -> int:
        """Return an integer member in [low, high]; true and 1.0 are not integers."""
        value: int = self.take(key, f"an integer in [{low}, {high}]", lambda v: type(v) is int and low <= v <= high)
        return value

    def text(self, key: str, max_length: int) -> str:
        """Return a string member of 1 to max_length characters that `is_text` accepts."""
        expected, why = text_expected(max_length), partial(say_length, max_length)
        value: str = self.take(key, expected, lambda v: is_text(v, max_length), why)
        return value

    def one_of(self, key: str, words: Collection[str], say_why: Callable[[Any], str] | None = None) -> str:
        """Return a member that is one of the words."""
        value: str = self.take(key, "one of " + ", ".join(words), lambda v: isinstance(v, str) and v in words, say_why)
        return value

    def finish(self) -> None:
        """Refuse members that nobody took: say where they belong, or what was asked for and looks alike."""
        for key in self._left:
            raise self.misplaced(key) if key in self._places else self.unknown(key)

    def unknown(self, key: str) -> LocatedError:
        """Return the error for a member that nobody took, to be raised: say what was asked for and looks alike."""
        shown = key if is_short(key) else "(a key)"
        alike = self.nearest(shown)
        hint = f"; is it {alike!r}?" if alike else "."
        return self._error(self.where, f"has an unknown member {shown!r}{hint}")

    def nearest(self, key: str) -> str:
        """Return the name of a member that was asked for, is not there and looks like this one; "" without one."""
        alike = get_close_matches(key.lower(), self._known - self._names, 1, _ALIKE)
        alike = alike or get_close_matches(key.lower(), self._places.keys() - self._names, 1, _ALIKE)
        return alike[0] if alike else ""


def text_expected(max_length: int) -> str:
    """Return in words what `is_text` accepts."""
    return f"a text of 1 to {max_length} characters without control characters, line separators or direction marks"


def is_short(key: str) -> bool:
    """Whether a key may be shown in a message."""
    return is_text(key, 40)


def is_text(value: Any, max_length: int) -> bool:
    """Whether value is a string of 1 to max_length characters that only stand for themselves.

    So: no control character, lone surrogate, line or paragraph separator, or mark that changes the direction of
    writing. Joiners (ZWJ, ZWNJ) are fine: scripts and emoji need them.
    """
    return isinstance(value, str) and 1 <= len(value) <= max_length and _FORBIDDEN.search(value) is None


def say_length(max_length: int, value: Any) -> str:
    """Return in a sentence what is wrong of a value that `is_text` refuses."""
    if not isinstance(value, str):
        return ""
    if not value:
        return " It is empty."
    return f" It has {len(value):,} characters." if len(value) > max_length else _strange_in(value)


def say_list(what: str, lengths: range, max_length: int, given: Any) -> str:
    """Return in sentences which of some texts are wrong, the first ones, or alike; "" where no list is given.

    `what`: what one of them is called; `lengths`: how many there may be.
    """
    if not isinstance(given, list):
        return ""
    found = [] if len(given) in lengths else [f" There are {len(given):,}."]
    found += [
        f" {what} {place}:{say_length(max_length, text) or ' it is no text.'}"
        for place, text in enumerate(given, 1)
        if not is_text(text, max_length)
    ]
    first: dict[str, int] = {}
    for place, text in enumerate(given, 1):
        if isinstance(text, str) and text and first.setdefault(text, place) != place:
            found.append(f" {what}s {first[text]} and {place} are the same.")
    rest = len(found) - _MOST_TOLD
    return "".join(found[:_MOST_TOLD]) + (f" And {rest:,} more are wrong." if rest > 0 else "")


def _strange_in(value: Any) -> str:
    """Return in a sentence which character of a text, or of a list of them, stands for more than itself; or nothing."""
    texts = [text for text in (value if isinstance(value, list) else [value]) if isinstance(text, str)]
    found = next((match[0] for text in texts if (match := _FORBIDDEN.search(text))), "")
    return f" It has U+{ord(found):04X} in it." if found else ""


def is_decimal(value: Any, low: Decimal, high: Decimal) -> bool:
    """Whether value is an integer or a Decimal in [low, high], of at most MAX_DECIMALS decimals; true is not."""
    if type(value) is int:
        return low <= value <= high
    if not isinstance(value, Decimal) or not value.is_finite() or not low <= value <= high:
        return False
    exponent = value.as_tuple().exponent
    return isinstance(exponent, int) and exponent >= -MAX_DECIMALS
