"""What a file is, told by its content and not by its name; and what to say of one that is not what was asked for."""

import json
import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from zipfile import BadZipFile, ZipFile

from sotto_estimator.errors import SourceError
from sotto_protocol.archive import MANIFEST

_MAX_JSON_BYTES = 2**22
"""Of JSON so much is read to tell what it is: a survey file is no larger."""
_BEGINNING_BYTES = 2**16


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of file, in words. `gives`: what can be read of it. `hint`: what to do with it instead."""

    words: str
    gives: tuple[str, ...] = ()
    hint: str = ""


TALLY, REPORTS, ROWS, SURVEY, ARCHIVE = "tally", "reports", "rows", "survey", "archive"
NO_REPORTS, PLAIN = "no reports", "plain"
"""What a survey in a line of its own may be too, packed reports without any; a text whose reader says what is wrong."""
KINDS = {
    "tally": Kind("a tally", (TALLY,)),
    "reports": Kind("a file of packed reports", (REPORTS,)),
    "archive": Kind("the folder of an archive", (REPORTS, ARCHIVE)),
    "manifest": Kind("the list of an archive's files", hint="Give the folder that it is in."),
    "survey": Kind("a survey file", (SURVEY,)),
    "canonical": Kind("a survey file", (SURVEY, NO_REPORTS)),
    "parquet": Kind("a Parquet file", (ROWS,)),
    "arrow": Kind("an Arrow file", (ROWS,)),
    "sav": Kind("an SPSS file", (ROWS,)),
    "dta": Kind("a Stata file", (ROWS,)),
    "xlsx": Kind("an Excel workbook", (ROWS,)),
    "text": Kind("a text file", (ROWS, PLAIN)),
    "lines": Kind("a file of JSON lines", (PLAIN,), "Reports of other programs go with --format."),
    "json": Kind("a JSON file", (PLAIN,)),
    "html": Kind("a web page"),
    "excel": Kind("an old Excel or ODS workbook, or a zip file", hint="Save the sheet as .xlsx or CSV."),
    "feather": Kind("a Feather file of version 1", hint="Write it again as version 2."),
    "por": Kind("a portable SPSS file", hint="Save it as .sav."),
    "sas": Kind("a SAS file", hint="Save it as CSV, or give a data frame in Python."),
    "gzip": Kind("a compressed file", hint="Unpack it first."),
    "sqlite": Kind("a database", hint="Give the URL of the collector, and the survey's id."),
    "folder": Kind("a folder", hint=f"An archive's folder has {MANIFEST}."),
    "empty": Kind("empty"),
    "other": Kind("no file of a known kind", (ROWS, PLAIN)),  # a CSV with a NUL byte, whose reader says where
}
"""By name. To read another kind, add a row here, its beginning below, and its reader in `table/`."""

TABLES = [name for name, kind in KINDS.items() if ROWS in kind.gives]

WANTED = {
    TALLY: (
        "a tally",
        "Give a tally, packed reports, an archive's folder, or a collector's URL and a survey. "
        "A table with one row per person needs --column and --design.",
    ),
    REPORTS: (
        "packed reports",
        "Give a file of `sotto associate --save-records`, a folder of `sotto export`, or a collector's URL and a "
        "survey.",
    ),
    ROWS: (
        "a table with one row per person",
        "Give CSV, Excel, Parquet, Arrow, SPSS or Stata. "
        "A survey's tallies and reports go without --column and --design.",
    ),
    PLAIN: ("a list in plain text", "Give lines of text, CSV or JSON lines."),
    ARCHIVE: ("the folder of an archive", "`sotto export` writes one."),
    SURVEY: ("a survey file", "Give TOML or JSON (docs/survey-file.md)."),
}
"""What a command asks for: its words, and what to give."""

_BEGINNINGS = (
    (rb'\s*\{\s*"format"\s*:\s*"[^"]*"\s*,\s*"n_parts"', "manifest"),
    (rb'\s*\{\s*"(behind|format)"\s*:', "tally"),  # which no survey has, with which packed reports begin
    (rb"PAR1", "parquet"),
    (rb"(?s)ARROW1\0\0|\xff{4}...\0", "arrow"),  # a file, a stream
    (rb"\$FL[23]", "sav"),
    (rb"<stata_dta>|[\x69\x6c\x6e-\x73][\x01\x02]\x01\0", "dta"),
    (rb"FEA1", "feather"),
    (rb"(?s).{0,200}SPSS PORT FILE", "por"),
    (rb"\0{12}\xc2\xea\x81\x60|HEADER RECORD\*{7}LIBRARY", "sas"),
    (rb"PK\x03\x04|\xd0\xcf\x11\xe0", "excel"),
    (rb"\x1f\x8b|BZh[1-9]1AY&SY|\xfd7zXZ|\x28\xb5\x2f\xfd", "gzip"),
    (rb"SQLite format 3\0", "sqlite"),
    (rb"(?i)\s*<(!doctype html|html)", "html"),
    (rb"(?sm).*^\s*\[\[\s*questions\s*\]\]", "survey"),
)
"""How each kind begins, in the order in which they are tried."""


def kind_of(path: Path) -> str:
    """Return what a file or folder is, one of `KINDS`. Raises OSError for one that cannot be read."""
    if path.is_dir():
        return "archive" if (path / MANIFEST).exists() else "folder"
    with path.open("rb") as file:
        start = file.read(_BEGINNING_BYTES)
        if not start:
            return "empty"
        for beginning, kind in _BEGINNINGS:
            if re.match(beginning, start):
                return "xlsx" if kind == "excel" and _is_workbook(path) else kind
        if start.lstrip(b" \t\r\n\xef\xbb\xbf").startswith(b"{"):
            return _kind_of_json(start + file.read(_MAX_JSON_BYTES))
    return "other" if b"\0" in start else "text"


def _is_workbook(path: Path) -> bool:
    """Return whether a zip file is an Excel workbook (ECMA-376)."""
    try:
        with ZipFile(path) as file:
            return "xl/workbook.xml" in file.namelist()
    except (BadZipFile, OSError):
        return False


def gives(path: Path, what: str) -> bool:
    """Return whether this is read of a file; False where it cannot be read at all: its reader then says why."""
    try:
        return what in KINDS[kind_of(path)].gives
    except OSError:
        return False


def check_kind(path: Path, *wanted: str) -> str:
    """Return the file's kind. Raises SourceError, which says what it is, unless it gives what is wanted; OSError."""
    kind = kind_of(path)
    found = KINDS[kind]
    if {*wanted} & {*found.gives}:
        return kind
    if kind == "empty":
        raise SourceError(f"{path} is empty: there is nothing to read.")
    words = " or ".join(WANTED[one][0] for one in wanted if one in WANTED)
    raise SourceError(f"{path} is {found.words}, not {words}. {found.hint or WANTED[wanted[0]][1]}")


def check_plain(path: Path) -> None:
    """Raise SourceError for a file that is known, and no plain text. One that cannot be read is its reader's to say."""
    with suppress(OSError):
        if kind_of(path) != "empty":
            check_kind(path, PLAIN)


def check_replaceable(path: Path, *wanted: str) -> None:
    """Raise SourceError unless a file may be written in this place: it is not there, or of this kind. OSError too."""
    if path.exists() and not {*wanted, "empty"} & {kind := kind_of(path), *KINDS[kind].gives}:
        raise SourceError(f"{path} is {KINDS[kind].words}, and will not be replaced. Choose another name.")


def unreadable(path: Path, fault: OSError) -> SourceError:
    """Return the error for a file that cannot be read, to be raised."""
    hint = " A collector's URL begins with http:// or https://." if isinstance(fault, FileNotFoundError) else ""
    return SourceError(f"{path} cannot be read: {fault.strerror}.{hint}")


def _kind_of_json(content: bytes) -> str:
    """Return what a file is that begins with a JSON object."""
    first, _, rest = content.partition(b"\n")
    if (line := _members(first)) is not None:
        if "questions" in line:
            return "reports" if rest else "canonical"
        return "lines" if rest.strip() else "json"
    whole = _members(content)
    return "survey" if whole is not None and "questions" in whole else "json"


def _members(content: bytes) -> dict[str, object] | None:
    try:
        found = json.loads(content)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
