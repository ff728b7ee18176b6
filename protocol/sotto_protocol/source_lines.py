"""On which line of a survey file each of its members stands: of TOML and of JSON, both of which say the same things.

Nothing is checked here. Where the text is neither, the reading ends, and what was found before stays found.
"""

import re
import tomllib
from bisect import bisect_left
from contextlib import suppress

_BETWEEN = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_SPACE = re.compile(r"[ \t\r\n]*")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_STRING = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*"{3,5}' + r"|'''(?:[^']|'(?!''))*'{3,5}" + r'|"(?:[^"\\\n]|\\.)*"' + r"|'[^'\n]*'",
    re.DOTALL,
)
_SCALAR = re.compile(r"[^,\]}#\r\n]+")
_LAST = re.compile(r"(?:\.[^.\[\]]*|\[\d+\])\Z")


class SourceLines:
    """Where the members of a text stand, by path such as `$.questions[7].epsilon`, and which are given twice."""

    def __init__(self, text: str, *, is_json: bool) -> None:
        self._text = text
        self._at = 0
        self._breaks = [match.start() for match in re.finditer("\n", text)]
        self._n_tables: dict[str, int] = {}
        self.places: dict[str, int] = {}
        """By path, how many characters stand before it."""
        self.twice: dict[str, int] = {}
        """Of what is given again, the line where it is."""
        with suppress(_NoSuchTextError, RecursionError):
            self._read_json() if is_json else self._read_toml()

    def line_of(self, path: str) -> int | None:
        """Return the line of a member, or of what it should stand in; None where that is the whole file."""
        while path not in self.places and (last := _LAST.search(path)):
            path = path[: last.start()]
        return self._line(self.places[path]) if path in self.places else None

    def _line(self, place: int) -> int:
        return bisect_left(self._breaks, place) + 1

    def _read_json(self) -> None:
        self._skip(_SPACE)
        self._read_value("$")

    def _read_toml(self) -> None:
        table = "$"
        while self._skip(_BETWEEN) < len(self._text):
            if self._text[self._at] == "[":
                table = self._read_heading()
            else:
                self._read_member(table)

    def _read_heading(self) -> str:
        """Return the path of the table that begins: [a.b], or [[a.b]] for the next of a list."""
        start = self._at
        is_listed = self._text.startswith("[[", start)
        self._at += 2 if is_listed else 1
        *parents, last = self._read_key()
        table = self._enter("$", parents, start)
        path = f"{table}.{last}"
        if is_listed:
            number = self._n_tables.get(path, 0)
            self._n_tables[path] = number + 1
            self._note(path, start, is_new=number == 0)
            path = f"{path}[{number}]"
        self._note(path, start, is_new=False)
        self._skip(_SPACE)
        self._at += 2 if is_listed else 1
        return path

    def _enter(self, table: str, keys: list[str], start: int) -> str:
        """Return the path of a table in a table: in the last one where it is a list of them."""
        for key in keys:
            table = f"{table}.{key}"
            self._note(table, start, is_new=False)
            if table in self._n_tables:
                table = f"{table}[{self._n_tables[table] - 1}]"
        return table

    def _note(self, path: str, start: int, *, is_new: bool) -> None:
        if is_new and path in self.places:
            self.twice.setdefault(path, self._line(start))
        self.places.setdefault(path, start)

    def _read_member(self, table: str) -> None:
        start = self._at
        *parents, last = self._read_key()
        path = f"{self._enter(table, parents, start)}.{last}"
        self._note(path, start, is_new=True)
        self._take("=:")
        self._skip(_SPACE)
        self._read_value(path)

    def _read_key(self) -> list[str]:
        """Return the parts of a key: one, or several with dots between them."""
        parts: list[str] = []
        while True:
            self._skip(_SPACE)
            parts.append(_plain(self._match(_STRING) or self._need(_BARE_KEY)))
            self._skip(_SPACE)
            if not self._text.startswith(".", self._at):
                return parts
            self._at += 1

    def _read_value(self, path: str) -> None:
        opening = self._text[self._at : self._at + 1]
        if opening == "{":
            self._read_items("}", path)
        elif opening == "[":
            self._read_items("]", path)
        elif self._match(_STRING) is None:
            self._need(_SCALAR)

    def _read_items(self, closing: str, path: str) -> None:
        """Read the members of a table, or the items of a list, up to the bracket that closes it."""
        self._at += 1
        number = 0
        while self._skip(_BETWEEN) < len(self._text) and self._text[self._at] != closing:
            if closing == "}":
                self._read_member(path)
            else:
                self.places.setdefault(f"{path}[{number}]", self._at)
                self._read_value(f"{path}[{number}]")
            number += 1
            self._skip(_BETWEEN)
            if self._text[self._at : self._at + 1] != closing:
                self._take(",")
        self._take(closing)

    def _skip(self, blank: re.Pattern[str]) -> int:
        """Step over what is blank; return where that ends."""
        found = blank.match(self._text, self._at)
        self._at = found.end() if found else self._at
        return self._at

    def _match(self, pattern: re.Pattern[str]) -> str | None:
        found = pattern.match(self._text, self._at)
        if found is None:
            return None
        self._at = found.end()
        return found[0]

    def _need(self, pattern: re.Pattern[str]) -> str:
        found = self._match(pattern)
        if found is None:
            raise _NoSuchTextError
        return found

    def _take(self, letters: str) -> None:
        if self._text[self._at : self._at + 1] not in tuple(letters):
            raise _NoSuchTextError
        self._at += 1


class _NoSuchTextError(Exception):
    """What stands here is neither TOML nor JSON."""


def _plain(key: str) -> str:
    """Return a key without its quotes. JSON's are TOML's, but for some escapes that no member's name has."""
    if key[0] not in "\"'":
        return key
    try:
        return str(tomllib.loads(f"key = {key}")["key"])
    except ValueError:
        return key[1:-1]
