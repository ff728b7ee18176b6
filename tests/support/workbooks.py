"""Workbooks as authors of XLSForms save them, and such as nobody should open."""

from collections.abc import Sequence
from io import BytesIO
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

from openpyxl import Workbook

CHOICES = [
    ("list_name", "name", "label"),
    ("yn", "yes", "Yes"),
    ("yn", "no", "No"),
    ("drink", "tea", "Tea"),
    ("drink", "coffee", "Coffee"),
    ("drink", "water", "Water"),
]


def workbook(**sheets: Sequence[Sequence[Any]]) -> bytes:
    """Return an .xlsx with the rows of each sheet."""
    book = Workbook()
    for sheet in book.worksheets:
        book.remove(sheet)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(list(row))
    file = BytesIO()
    book.save(file)
    return file.getvalue()


def form(*rows: dict[str, Any], choices: Sequence[Sequence[Any]] = CHOICES, **sheets: Any) -> bytes:
    """Return an XLSForm whose rows have the columns given; the first is row 2."""
    columns = list(dict.fromkeys(["type", "name", "label", *(column for row in rows for column in row)]))
    survey = [columns, *([row.get(column) for column in columns] for row in rows)]
    return workbook(survey=survey, choices=choices, **sheets)


def with_part(content: bytes, name: str, part: bytes) -> bytes:
    """Return an archive with one part written anew, or more."""
    changed = BytesIO()
    with ZipFile(BytesIO(content)) as old, ZipFile(changed, "w", ZIP_DEFLATED) as archive:
        for each in old.namelist():
            if each != name:
                archive.writestr(each, old.read(each))
        archive.writestr(name, part)
    return changed.getvalue()
