"""Records of a file of other programs, one after another: JSON a line (NDJSON), or CSV with a header."""

import json
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from sotto_estimator.errors import SourceError
from sotto_estimator.sources.kinds import check_plain
from sotto_estimator.table.lines import read_csv_lines, read_lines
from sotto_protocol.words import escaped

Progress = Callable[[int], object]
MAX_NAME = 200


def ignore(n_bytes: int) -> None:
    """Hear of bytes, and do nothing."""


class Record(NamedTuple):
    """One record: its members by name, and where it stands. Members of a CSV are texts."""

    path: Path
    line: int
    members: dict[str, Any]

    def refuse(self, fault: str) -> NoReturn:
        """Raise SourceError that says which line is at fault."""
        raise SourceError(f"{self.path}, line {self.line}: {fault}")

    def find(self, *names: str) -> Any:
        """Return the first member there is of these names; `a.b` is the member b of a too. Refuses where none is."""
        for name in names:
            outer, _, inner = name.partition(".")
            if name in self.members:
                return self.members[name]
            if inner and isinstance(found := self.members.get(outer), dict) and inner in found:
                return found[inner]
        return self.refuse(f"{names[0]} is missing.")

    def number(self, *names: str) -> float:
        """Return the member of one of these names as a finite float."""
        value = self.find(*names)
        try:
            number = math.nan if isinstance(value, bool) else float(value)
        except (TypeError, ValueError, OverflowError):
            number = math.nan
        if not math.isfinite(number):
            self.refuse(f"{names[0]} ({value!r:.60}) must be a finite number.")
        return number

    def group(self, name: str) -> str:
        """Return the member of this name as a text of at most 200 characters, which a terminal shows as it stands."""
        value = self.find(name)
        text = value if isinstance(value, str) else json.dumps(value)
        if isinstance(value, dict | list) or value is None or len(text) > MAX_NAME:
            self.refuse(f"{name} must be a text of at most {MAX_NAME} characters, or a number: it is a name.")
        return escaped(text)


def read_records(paths: Sequence[Path], progress: Progress = ignore) -> Iterator[Record]:
    """Yield the records of files, one after another; a file whose name ends in .csv is CSV, others are NDJSON.

    `progress` hears of bytes. Raises SourceError, which names file and line, for what is no record, and for a file
    without any.
    """
    for path in paths:
        check_plain(path)
        is_empty = True
        for record in (_read_csv if path.suffix.lower() == ".csv" else _read_json)(path, read_lines(path, progress)):
            is_empty = False
            yield record
        if is_empty:
            raise SourceError(f"{path}: holds no records.")


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def _read_json(path: Path, lines: Iterable[str]) -> Iterator[Record]:
    decode = json.JSONDecoder(parse_constant=_refuse_constant).decode
    for line, text in enumerate(lines, start=1):
        if text.isspace():
            continue
        try:
            members = decode(text)
        except (ValueError, RecursionError):
            members = None
        if not isinstance(members, dict):
            cut = "" if text.endswith("\n") else "; the file ends in it"
            raise SourceError(f"{path}, line {line}: must be a whole JSON object{cut}.")
        yield Record(path, line, members)


def _read_csv(path: Path, lines: Iterable[str]) -> Iterator[Record]:
    rows = read_csv_lines(path, lines)
    _, header = next(rows, (1, []))
    if len(set(header)) < len(header):
        raise SourceError(f"{path}, line 1: names a column twice.")
    for line, row in rows:
        if row and len(row) != len(header):
            raise SourceError(f"{path}, line {line}: has {len(row)} cells, the header has {len(header)}.")
        if row:
            yield Record(path, line, dict(zip(header, row, strict=True)))
