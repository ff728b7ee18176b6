"""A workbook (.xlsx) as rows of text, within bounds of memory and time. Nothing in it is calculated or run."""

import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO
from typing import Any
from zipfile import BadZipFile, ZipFile, ZipInfo

from sotto_author.errors import FormError

_MAX_BYTES = 2**24
"""Of all that is packed in a workbook."""
MAX_ROWS = 5_000
_LAST_ROW = 2**20
_MAX_COLUMNS = 200
_MAX_TAGS = 600_000
_MAX_CELL = 32_767
"""Characters, as in Excel."""
_MAX_CHARACTERS = 2**22
_NOT_READ = ("xl/styles.xml", "xl/theme/", "docProps/", "xl/media/", "xl/drawings/", "xl/comments")
_CONSTANT = re.compile(r"=\s*(true|false)\s*(?:\(\s*\))?\s*", re.IGNORECASE)
"""How spreadsheets write what is true: a formula that nobody needs to calculate."""
_OLD = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"

Rows = list[dict[str, str]]
"""One for each row below the headers, in order, {} where it is empty: the first is row 2."""


def read_workbook(content: bytes, wanted: Sequence[str]) -> tuple[dict[str, Rows], dict[str, list[str]]]:
    """Return the rows and the headers of the sheets whose lower-case name is `wanted`. Raises FormError."""
    from openpyxl.reader.excel import ExcelReader

    if content.startswith(_OLD):
        raise FormError("is an old workbook (.xls), or one with a password: save it as .xlsx, without a password.")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what openpyxl does not read is of no concern
        try:
            reader = ExcelReader(BytesIO(_checked(content)), read_only=True, data_only=False, keep_links=False)
            reader.read()
            sheets = {name.lower(): reader.wb[name] for name in reader.wb.sheetnames if name.lower() in wanted}
            return _all_rows(sheets)
        except FormError:
            raise
        except Exception as fault:  # openpyxl raises whatever a damaged part comes to
            raise FormError(
                f"is no workbook that can be read ({type(fault).__name__}): save it as .xlsx anew."
            ) from None


def _checked(content: bytes) -> bytes:
    """Return the archive with what is read alone. Raises FormError where it is none, or one that would do harm."""
    try:
        with ZipFile(BytesIO(content)) as archive:
            if sum(part.file_size for part in archive.infolist()) > _MAX_BYTES:
                raise FormError(f"unpacks to more than {_MAX_BYTES:,} bytes: leave out what is no form.")
            names = archive.namelist()
            _refuse(names)
            parts = {part.filename: _unpacked(archive, part) for part in archive.infolist()}
    except (BadZipFile, OSError, EOFError, NotImplementedError, RuntimeError, ValueError) as fault:
        raise FormError("is no .xlsx workbook: it must be a zip archive, whole and without a password.") from fault
    if any(b"<!DOCTYPE" in part or b"\0" in part for name, part in parts.items() if name.endswith((".xml", ".rels"))):
        raise FormError("is no .xlsx workbook: its XML must be UTF-8, and define no entities.")
    if sum(part.count(b"<") for part in parts.values()) > _MAX_TAGS:
        raise FormError(f"is too large: the sheets may have {MAX_ROWS:,} rows each, and a few columns.")
    slim = BytesIO()
    with ZipFile(slim, "w") as archive:
        for name, part in parts.items():
            if part:
                archive.writestr(name, part)
    return slim.getvalue()


def _unpacked(archive: ZipFile, part: ZipInfo) -> bytes:
    """Return a part, b"" where it is not read. Raises BadZipFile where it unpacks to more than it says."""
    if part.filename.startswith(_NOT_READ):
        return b""
    with archive.open(part) as file:
        return file.read(part.file_size + 1)


def _refuse(names: Sequence[str]) -> None:
    if any("vbaProject" in name or "macrosheets" in name for name in names):
        raise FormError("has macros, which are never run: save it as .xlsx.")
    if any(name.startswith("xl/externalLinks/") for name in names):
        raise FormError("has links to other workbooks, which are never followed: break them, and keep the values.")
    if "xl/workbook.bin" in names or "content.xml" in names:
        raise FormError("is a workbook of another kind (.xlsb, .ods): save it as .xlsx.")


def _all_rows(sheets: Mapping[str, Any]) -> tuple[dict[str, Rows], dict[str, list[str]]]:
    problems: list[str] = []
    rows, headers = {}, {}
    for name, sheet in sheets.items():
        headers[name] = _headers(sheet, name)
        rows[name] = list(_rows(sheet, name, headers[name], problems))
        while rows[name] and not rows[name][-1]:
            rows[name].pop()
    if sum(len(text) for listed in rows.values() for row in listed for text in row.values()) > _MAX_CHARACTERS:
        raise FormError(f"has more than {_MAX_CHARACTERS:,} characters in its sheets.")
    if problems:
        raise FormError(*problems)
    return rows, {name: [header for header in given if header] for name, given in headers.items()}


def _headers(sheet: Any, name: str) -> list[str]:
    """Return the texts of a sheet's first row, "" where there is none."""
    first = next(sheet.iter_rows(max_row=1, max_col=_MAX_COLUMNS + 1), ())
    found = [" ".join(str(cell.value or "").split()) for cell in first]
    while found and not found[-1]:
        found.pop()
    if len(found) > _MAX_COLUMNS:
        raise FormError(f"{name}: has more than {_MAX_COLUMNS} columns.")
    twice = [header for index, header in enumerate(found) if header and header in found[:index]]
    if twice:
        raise FormError(f"{name}, row 1: has two columns {twice[0]}.")
    return found


def _rows(sheet: Any, name: str, headers: list[str], problems: list[str]) -> Iterator[dict[str, str]]:
    if not headers:
        return
    n_filled = n_empty = 0
    gap: Any = None  # the cells of rows that are not there, which are always the same: there may be a million of them
    for number, cells in enumerate(sheet.iter_rows(min_row=2, max_col=len(headers)), 2):
        if number > _LAST_ROW:
            raise FormError(f"{name}: has rows below the last that a sheet has, {_LAST_ROW:,}.")
        if cells is gap or all(cell.value is None for cell in cells):
            gap, n_empty = cells, n_empty + 1
            continue
        n_filled += 1
        if n_filled > MAX_ROWS:
            raise FormError(f"{name}: has more than {MAX_ROWS:,} rows.")
        if n_empty > MAX_ROWS:
            raise FormError(f"{name}, row {number}: there are {n_empty:,} empty rows above it, take them away.")
        yield from ({} for _ in range(n_empty))
        n_empty, row = 0, {}
        for header, cell in zip(headers, cells, strict=False):
            text = _text(cell).strip()
            problem = _problem(cell, text) if text else ""
            if header and problem:
                problems.append(f"{name}, row {number}, {header}: {problem}")
            elif header and text:
                row[header] = text
        yield row


def _problem(cell: Any, text: str) -> str:
    if cell.data_type == "f" and not _CONSTANT.fullmatch(str(cell.value)):
        return "is a formula, and formulas are not calculated: paste its value."
    if cell.data_type == "e":
        return "is an error: write a value."
    return f"has more than {_MAX_CELL:,} characters." if len(text) > _MAX_CELL else ""


def _text(cell: Any) -> str:
    value = cell.value
    if cell.data_type == "f" and (constant := _CONSTANT.fullmatch(str(value))):
        return constant[1].upper()
    match value:
        case None:
            return ""
        case bool():
            return "TRUE" if value else "FALSE"
        case float() if value.is_integer():
            return str(int(value))
    return str(value).replace("\xa0", " ")
