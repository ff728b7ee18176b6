"""Excel workbooks: values as they are seen, one sheet, and nothing that would be taken for a missing value."""

import re
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from sotto_estimator.errors import SourceError
from sotto_estimator.sources.source import source_of
from sotto_estimator.table.table import DataTable
from workbooks import workbook


def read(path: Path, content: bytes, *names: str) -> DataTable:
    path.write_bytes(content)
    return source_of(path).table(list(names))


def texts(table: DataTable, name: str) -> list[str]:
    return [table.columns[name].labels[code] for code in table.columns[name].codes]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "people.data"


def test_cells_are_read_as_texts_of_a_csv_and_empty_rows_are_none(path: Path) -> None:
    rows: list[list[Any]] = [["mixed", "whole", "odd"], ["a", 1, "007"], [2, 2.5, "x"], [None], [3.0, 4, True]]
    table = read(path, workbook(people=rows, empty=[]), "mixed", "whole", "odd")
    assert [texts(table, name) for name in ("mixed", "whole", "odd")] == [
        ["a", "2", "3"],
        ["1", "2.5", "4"],
        ["007", "x", "True"],
    ]


def with_stored(content: bytes, value: str) -> bytes:
    """Return a workbook whose formulas have a value, as a spreadsheet program saves them."""
    out = BytesIO()
    with ZipFile(BytesIO(content)) as old, ZipFile(out, "w") as new:
        for name in old.namelist():
            sheet = old.read(name).decode()
            stored = re.sub(
                r'<c r="(\w+)"><f>(.*?)</f><v ?/?>(</v>)?', rf'<c r="\1" t="str"><f>\2</f><v>{value}</v>', sheet
            )
            new.writestr(name, stored)
    return out.getvalue()


def test_a_formula_has_its_stored_value_and_is_refused_without_one(path: Path) -> None:
    content = workbook(people=[["a"], ['=IF(1,"same","different")'], ["different"]])
    assert texts(read(path, with_stored(content, "same"), "a"), "a") == ["same", "different"]
    with pytest.raises(SourceError, match=r"row 2: A2 has a formula without a stored value\. Open and save"):
        read(path, content, "a")


@pytest.mark.parametrize(
    ("sheets", "problem"),
    [
        ({"people": [["a"], ["#N/A"]]}, "row 2: A2 has the error #N/A"),
        (
            {"one": [["a"], [1]], "two": [["b"], [2]]},
            r"only one sheet may have cells in its first row \('one', 'two'\)",
        ),
        ({"people": []}, "may have cells in its first row .none"),
        ({"people": [["b"], [1]]}, "has no column 'a'"),
        ({"people": [["a", "a"], [1, 2]]}, "has 2 columns named 'a'"),
    ],
)
def test_what_would_be_guessed_is_refused(sheets: Any, problem: str, path: Path) -> None:
    with pytest.raises(SourceError, match=problem):
        read(path, workbook(**sheets), "a")


def test_a_damaged_workbook_is_said_to_be_so(path: Path) -> None:
    out = BytesIO()
    with ZipFile(out, "w") as file:
        file.writestr("xl/workbook.xml", "<")
    with pytest.raises(SourceError, match="is an Excel workbook that cannot be read"):
        read(path, out.getvalue(), "a")
