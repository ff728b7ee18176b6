"""Tables: chosen columns of a CSV as they stand; every file that is none is refused with its row, in bounded memory."""

import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

from sotto_estimator.errors import SourceError
from sotto_estimator.table.lines import read_lines
from sotto_estimator.table.reading import read_table
from sotto_estimator.table.table import DataColumn, DataTable


def table_of(folder: Path, text: str | bytes, *names: str, **options: object) -> DataTable:
    path = folder / "data.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_table(path, names, **options)  # type: ignore[arg-type]


def texts(column: DataColumn) -> list[str]:
    return [column.labels[code] for code in column.codes]


def test_columns_are_those_of_the_names_whatever_their_order(tmp_path: Path) -> None:
    table = table_of(tmp_path, "a,b,c\n1,x,yes\n2,y,no\n1,x,no\n", "c", "a", "c")
    assert [*table.columns] == ["c", "a"]
    assert texts(table.columns["c"]) == ["yes", "no", "no"]
    assert table.columns["a"].numbers().tolist() == [1, 2, 1]
    assert table.columns["a"].labels == ("1", "2")
    assert table.columns["c"].rows == (2, 3)
    assert (table.n_rows, table.left_out) == (3, "")


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_programs_write_csv_in_their_ways(tmp_path: Path, delimiter: str, end: str, mark: bytes) -> None:
    rows = [["name", "text"], ["é", f'"a{delimiter} ""b""{end}c"'], ["f", "g"]]
    text = end.join(delimiter.join(row) for row in rows)
    table = table_of(tmp_path, mark + text.encode(), "text", "name")
    assert texts(table.columns["text"]) == [f'a{delimiter} "b"{end}c', "g"]
    assert texts(table.columns["name"]) == ["é", "f"]


def test_a_name_may_hold_another_delimiter(tmp_path: Path) -> None:
    assert texts(table_of(tmp_path, "a;b,c,d\n1,2,3\n", "a;b").columns["a;b"]) == ["1"]


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_a_header_is_read_that_would_be_too_long_a_name_by_another_delimiter(tmp_path: Path, delimiter: str) -> None:
    header = delimiter.join(f"column {place:05}" for place in range(12_000))
    rows = f"{header}{delimiter}a\n" + delimiter.join("x" * 12_000) + f"{delimiter}yes\n"
    assert texts(table_of(tmp_path, rows, "a").columns["a"]) == ["yes"]


def test_a_name_that_is_too_long_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"line 1 is not CSV \(field larger than field limit"):
        table_of(tmp_path, f"{'x' * 200_000},a\n1,2\n", "a")


def test_rows_that_miss_a_chosen_value_are_left_out_and_counted(tmp_path: Path) -> None:
    table = table_of(tmp_path, "a,b,c\n1,x,\n,x,1\nNA,odd,1\n2,,1\n3,y,1\n", "a", "b")
    assert texts(table.columns["a"]) == ["1", "3"]
    assert texts(table.columns["b"]) == ["x", "y"]
    assert (table.columns["b"].labels, table.columns["b"].rows) == (("x", "y"), (2, 6))
    assert table.left_out == "3 of 5 rows are left out because a value is missing: a in 2, b in 1"


@pytest.mark.parametrize("cell", ["", "NA", "NaN", "nan"])
def test_nothing_is_missing_where_it_must_not_be(tmp_path: Path, cell: str) -> None:
    with pytest.raises(SourceError, match=r"row 3: column w must have a value"):
        table_of(tmp_path, f"a,w\nyes,1\nno,{cell}\n", "a", "w", complete=["w"])


BAD = {
    "no column": ("a,b\n1,2\n", r"has no column 'w'; it has 'a', 'b'\."),
    "no header": ("", r"has no column 'w'; it has none\."),
    "twice": ("w,w\n1,2\n", r"has 2 columns named 'w'\."),
    "no rows": ("w,a\n", r"has no rows\."),
    "only missing": ("w,a\nNA,1\n", r"has no rows that miss no value\."),
    "short": ("a,w\n1,2\n3\n", r"row 3: has 1 cells, where the header has 2\."),
    "long": ("a,w\n1,2,3\n", r"row 2: has 3 cells, where the header has 2\."),
    "open quote": ('a,w\n1,2\n"3,4\n', r"line 3 is not CSV \(unexpected end of data\)\."),
    "text after a quote": ('a,w\n"1"2,3\n', r"line 2 is not CSV \(',' expected after '\"'\)\."),
    "latin-1": ("a,w\n1,caf\xe9,\n".encode("latin-1"), r"line 2, byte 6: 0xe9 is not UTF-8\. Save"),
    "mixed": ("a,w\né,1\n".encode() + "ö,2\n".encode("latin-1"), r"line 3, byte 1: 0xf6 is not UTF-8"),
    "cut": ("a,w\n1,é".encode()[:-1], r"line 2, byte 3: 0xc3 is not UTF-8"),
    "utf-16": ("a,w\n1,2\n".encode("utf-16-le"), r"line 1, byte 2: 0x00 is not UTF-8"),
    "NUL": ("a,w\n1,2\n3,é\0\n", r"line 3, byte 5: 0x00 is not UTF-8"),
}


@pytest.mark.parametrize("of", BAD)
def test_what_is_no_table_is_refused(tmp_path: Path, of: str) -> None:
    text, words = BAD[of]
    with pytest.raises(SourceError, match=words):
        table_of(tmp_path, text, "w")


def test_no_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"none\.csv: No such file"):
        read_table(tmp_path / "none.csv", ["a"])
    with pytest.raises(SourceError, match="Is a directory"):
        read_table(tmp_path, ["a"])


@pytest.mark.parametrize("cell", ["1,5", "inf", "1_0", "ten", "1e999"])
def test_what_is_no_number_is_named_with_its_row(tmp_path: Path, cell: str) -> None:
    column = table_of(tmp_path, f"a;w\n1;1\n2;2\n3;{cell}\n", "w").columns["w"]
    assert not column.is_number
    with pytest.raises(SourceError, match=rf"^column w, row 4: '{cell}' must be a number with a decimal point\.$"):
        column.numbers()


def test_a_fault_is_found_beyond_the_first_block(tmp_path: Path) -> None:
    good = "".join(f"{row % 7},é\n" for row in range(70_000))
    with pytest.raises(SourceError, match=r"row 70002: has 1 cells"):
        table_of(tmp_path, f"a,w\n{good}1\n", "a")
    with pytest.raises(SourceError, match=r"line 70002, byte 3: 0xff is"):
        table_of(tmp_path, f"a,w\n{good}1,".encode() + b"\xff\n", "a")
    column = table_of(tmp_path, f"a,w\n{good}ten,1\n", "a").columns["a"]
    assert (column.labels[-1], column.rows[-1]) == ("ten", 70_002)


@pytest.mark.thorough
def test_more_than_a_table_may_take_is_refused_early(tmp_path: Path) -> None:
    heard: list[int] = []
    rows = "".join(f"{row % 7},{row}\n" for row in range(400_000))
    with pytest.raises(SourceError, match=r"may take 1 MiB\. It has about 5\d\d,\d\d\d rows of 2 columns, "):
        table_of(tmp_path, f"a,w\n{rows}", "a", "w", max_bytes=2**20, progress=heard.append)
    assert sum(heard) < len(rows) / 2
    with pytest.raises(SourceError, match="with 8,192 different texts by row 8,193"):
        table_of(tmp_path, f"a,w\n{rows}", "w", max_bytes=2**21)
    assert table_of(tmp_path, f"a,w\n{rows}", "a", max_bytes=2**21).n_rows == 400_000


def test_a_line_without_end_is_refused_before_it_is_read(tmp_path: Path) -> None:
    heard: list[int] = []
    with pytest.raises(SourceError, match="line 2: the line has more than"):
        table_of(tmp_path, "a\n" + "x" * 2**23, "a", progress=heard.append)
    assert sum(heard) < 2**22


@pytest.mark.thorough
def test_a_large_file_is_read_in_little_memory(tmp_path: Path) -> None:
    """Of 30 MB of rows one column is kept: at no moment more than a block of rows, and four bytes a row, are held."""
    path = tmp_path / "large.csv"
    with path.open("w") as file:
        file.write("a,note\n")
        file.writelines(f"{row % 3},{'some words of a note ' * 5}\n" for row in range(280_000))
    tracemalloc.start()
    table = read_table(path, ["a"])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert table.n_rows == 280_000
    assert peak < path.stat().st_size / 2


@given(st.lists(st.text(alphabet="aé\r\n,\u2028\U0001f600", max_size=9), max_size=9), st.integers(1, 9))
def test_lines_are_whole_whatever_the_chunks(
    tmp_path_factory: pytest.TempPathFactory, parts: list[str], n: int
) -> None:
    path = tmp_path_factory.mktemp("lines") / "data.csv"
    path.write_bytes("".join(parts).encode())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sotto_estimator.table.lines._CHUNK_BYTES", n)
        found = [*read_lines(path)]
    assert "".join(found) == "".join(parts)
    assert all("\n" not in line[:-1] for line in found)


def test_codes_are_integers_that_labels_are_found_by(tmp_path: Path) -> None:
    column = table_of(tmp_path, "a\nx\ny\nx\n", "a").columns["a"]
    assert column.codes.dtype == np.int32
    assert column.codes.tolist() == [0, 1, 0]
