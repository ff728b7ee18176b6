"""`sotto export --labels`: the reports of an archive, once each, in the survey's words, and said to be noise."""

import csv
import io
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pyreadstat
import pytest
from pyarrow import feather

from archiving import Heap
from made_reports import DRAWN, EVERYTHING, ONCE, TOGETHER, people
from sotto_collector.archive import labelled, labelled_forms
from sotto_collector.archive.export import export
from sotto_collector.errors import ArchiveError
from sotto_estimator import read_archive
from sotto_protocol import Survey, compile_toml, program_table
from sotto_protocol.extras import MissingExtra
from sotto_protocol.program_table import PROGRAMS
from sotto_protocol.record import STRATUM


def rows_of(table: pa.Table) -> Counter[str]:
    return Counter(repr([*row.values()]) for row in table.to_pylist())


def written(survey: Survey, records: np.ndarray, path: Path) -> pa.Table:
    assert labelled.export_labelled(Heap(survey, records), path) == len(records)
    return pq.read_table(path)


@pytest.mark.few(2)
@pytest.mark.parametrize("toml", [ONCE, DRAWN, EVERYTHING, TOGETHER], ids=["once", "drawn", "waves", "together"])
def test_the_file_holds_the_reports_that_an_archive_holds(
    toml: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In several parts, row groups and slices, of which each is written, and none twice."""
    survey = compile_toml(toml)
    records = people(survey, 130)
    export(Heap(survey, records), tmp_path / "archive")
    frame = read_archive(tmp_path / "archive")
    monkeypatch.setattr(labelled, "count_parts", lambda source: 3)
    monkeypatch.setattr(labelled, "_ROWS_PER_GROUP", 20)
    monkeypatch.setattr(labelled, "_CELLS_AT_ONCE", 8 * len(frame.columns))
    found = written(survey, records, tmp_path / "reports.parquet")
    noiseless = {"wave", "stratum"}
    assert found.column_names == [name if name in noiseless else f"reported_{name}" for name in frame.columns]
    assert rows_of(found) == rows_of(pa.Table.from_pandas(frame, preserve_index=False))
    assert len({*rows_of(found)}) > 3
    assert pq.ParquetFile(tmp_path / "reports.parquet").num_row_groups == 9
    assert (tmp_path / "reports.parquet").stat().st_mode & 0o777 == 0o600


def test_columns_have_types_and_say_that_they_are_noise(tmp_path: Path) -> None:
    survey = compile_toml(ONCE.replace('title = "Once"', 'title = "Once"\ninvited = true\nstrata = ["north", "south"]'))
    placed = survey.layout.put(people(survey, 30), STRATUM, [2] * 30)
    schema = written(survey, placed, tmp_path / "reports.parquet").schema
    kinds = {name: str(schema.field(name).type).split("<")[0] for name in schema.names}
    assert (
        kinds.items()
        >= {
            "stratum": "dictionary",
            "reported_paid": "dictionary",
            "reported_set:a": "bool",
            "reported_ill.option": "dictionary",
            "reported_hours": "double",
            "reported_home.cohort": "uint16",
            "reported_home.bits": "fixed_size_binary[16]",
        }.items()
    )
    frame = pd.read_parquet(tmp_path / "reports.parquet")
    assert [*frame["stratum"].cat.categories] == ["north", "south"]
    assert {*frame["stratum"]} == {"south"}
    about: dict[bytes, bytes] = schema.field("reported_paid").metadata
    assert about[b"description"] == b"Noisy reports, each true only with some probability, to the question: ?"
    assert about[b"epsilon"] == b"2"
    assert b"no estimate" in schema.metadata[b"sottovoce.noise"]
    assert schema.metadata[b"sottovoce.survey"] == survey.canonical
    assert schema.field("stratum").metadata is None


def in_csv(value: Any) -> str:
    """Return a value as it stands in a file of CSV."""
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, bytes):
        return value.hex()
    return str(value).lower().removesuffix(".0")


@pytest.mark.few(2)
@pytest.mark.parametrize("ending", [".arrow", ".feather", ".CSV"])
@pytest.mark.parametrize("toml", [DRAWN, EVERYTHING], ids=["drawn", "waves"])
def test_the_names_ending_says_the_form(
    toml: str, ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each form holds the rows of the same survey's Parquet file, whatever the batches."""
    survey = compile_toml(toml)
    records = people(survey, 60)
    monkeypatch.setattr(labelled, "_ROWS_PER_GROUP", 20)
    monkeypatch.setattr(labelled, "_CELLS_AT_ONCE", 1000)
    expected = written(survey, records, tmp_path / "reports.parquet")
    path = tmp_path / f"reports{ending}"
    assert labelled.export_labelled(Heap(survey, records), path) == 60
    if ending != ".CSV":
        assert rows_of(feather.read_table(path)) == rows_of(expected)
        return
    names, *rows = csv.reader(io.StringIO(path.read_bytes().decode(), newline=""))
    assert names == expected.column_names
    assert Counter(map(tuple, rows)) == Counter(tuple(map(in_csv, row.values())) for row in expected.to_pylist())


LUNCH = """
id = "lunch"
title = "Lunch"
draw = 2
questions = [
  {id = "paid", type = "yes-no", text = "Paid?", epsilon = 1},
  {id = "dish", type = "one-of", text = "Which dish?", options = ["=1+1", "köfte"], epsilon = 1},
  {id = "set", type = "one-of", text = "?", options = ["a", "b", "c", "d", "e", "f", "g", "h"], epsilon = 1},
  {id = "hours", type = "number", text = "Hours?", minimum = 0, maximum = 30, epsilon = 2},
  {id = "home", type = "text", text = "Where?", mechanism = "rappor", epsilon = 4},
]
"""


@pytest.mark.parametrize("ending", [".dta", ".sav", ".xlsx"])
def test_statistics_programs_get_the_same_rows_with_labels(ending: str, tmp_path: Path) -> None:
    survey = compile_toml(LUNCH)
    records, said = people(survey, 60), list[str]()
    expected = written(survey, records, tmp_path / "reports.parquet")
    path = tmp_path / f"reports{ending}"
    assert labelled.export_labelled(Heap(survey, records), path, note=said.append) == 60
    assert path.stat().st_mode & 0o777 == 0o600
    wanted = [[*row.values()] for row in expected.to_pylist()]
    if ending == ".xlsx":  # which has 16 digits
        cells = [*openpyxl.load_workbook(path)["noisy reports"].rows]
        assert "f" not in {cell.data_type for row in cells for cell in row}  # a formula
        sheet = [[cell.value for cell in row] for row in cells]
        assert sheet[0] == expected.column_names
        found, wanted = (
            [[f"{cell:.14g}" if isinstance(cell, float) else cell for cell in row] for row in rows]
            for rows in (sheet[1:], wanted)
        )
        assert Counter(tuple(map(in_csv, row)) for row in found) == Counter(tuple(map(in_csv, row)) for row in wanted)
        return
    rows = Counter(tuple(map(in_csv, row)) for row in wanted)
    read = {".dta": pyreadstat.read_dta, ".sav": pyreadstat.read_sav}[ending]
    frame, about = read(path, apply_value_formats=True)
    as_booleans = frame.astype(object).where(frame.notna(), None)
    for name in (f"reported_set_{option}" for option in "abcdefgh"):
        as_booleans[name] = as_booleans[name].map({"yes": True, "no": False, None: None})
    assert Counter(tuple(map(in_csv, row)) for row in as_booleans.to_numpy().tolist()) == rows
    assert about.column_names_to_labels["reported_dish"] == "Noisy: Which dish?"
    assert about.column_names_to_labels["reported_set_a"] == "reported_set:a: Noisy: ?"
    assert about.variable_value_labels["reported_dish"] == {1: "=1+1", 2: "köfte"}
    assert about.variable_value_labels["reported_set_a"] == {0: "no", 1: "yes"}
    assert "Noisy reports" in about.file_label
    assert [line.partition(":")[0] for line in said] == [f"{PROGRAMS[ending]} allows no such names of columns"]


def test_a_program_that_cannot_hold_it_gets_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    survey = compile_toml(LUNCH)
    monkeypatch.setattr(labelled_forms, "find_spec", lambda _: None)
    with pytest.raises(MissingExtra, match=r"a\.sav, a file of SPSS, needs: pip install 'sottovoce\[spss\]'"):
        labelled.export_labelled(Heap(survey, people(survey, 20)), tmp_path / "a.sav")
    monkeypatch.undo()
    monkeypatch.setitem(program_table._MAX_EXCEL, "rows", 19)
    with pytest.raises(ArchiveError, match=r"Excel: a sheet of Excel holds at most 19 rows .* Export \.parquet"):
        labelled.export_labelled(Heap(survey, people(survey, 20)), tmp_path / "a.xlsx")
    assert [*tmp_path.iterdir()] == []


def test_a_combination_of_answers_is_named_by_each_of_them(tmp_path: Path) -> None:
    survey = compile_toml(TOGETHER)
    found = written(survey, people(survey, 300), tmp_path / "reports.parquet")
    (values,) = found.to_pydict().values()
    assert {*values} == {f"{smokes}, {region}" for smokes in ("yes", "no") for region in ("north", "south", "east")}


def test_no_option_in_csv_is_a_formula(tmp_path: Path) -> None:
    survey = compile_toml(
        'id = "s"\ntitle = "S"\n'
        'questions = [{id = "a", type = "one-of", text = "?", options = ["=1+1", "b"], epsilon = 1}]'
    )
    labelled.export_labelled(Heap(survey, people(survey, 40)), tmp_path / "reports.csv")
    assert {*(tmp_path / "reports.csv").read_text().split("\n")} == {'"reported_a"', '"\'=1+1"', '"b"', ""}


@pytest.mark.parametrize("name", ["reports", "reports.xls", "reports.csv.gz"])
def test_a_form_that_is_not_written_is_refused(name: str, tmp_path: Path) -> None:
    survey = compile_toml(ONCE)
    with pytest.raises(ArchiveError, match=rf"{name} must end in \.parquet, \.csv, \.arrow, .* or \.xlsx, which"):
        labelled.export_labelled(Heap(survey, people(survey, 30)), tmp_path / name)
    assert [*tmp_path.iterdir()] == []


def test_the_order_of_rows_says_nothing_of_what_is_stored(tmp_path: Path) -> None:
    survey = compile_toml(ONCE)
    records = people(survey, 200)
    first, second = (
        written(survey, records, tmp_path / f"{name}.parquet").column("reported_hours").to_pylist() for name in "ab"
    )
    assert sorted(first) == sorted(second)
    assert first != second


class Breaking(Heap):
    """A source that ends in the middle of a report, or holds what no device reports."""

    def read(self, part: Any) -> Any:
        yield from super().read(part)
        yield b"\x07"


def test_what_fails_leaves_no_file(tmp_path: Path) -> None:
    survey = compile_toml(ONCE)
    impossible = people(survey, 30)
    with pytest.raises(ArchiveError, match=r"must be of .* bytes each"):
        labelled.export_labelled(Breaking(survey, impossible), tmp_path / "reports.parquet")
    impossible[:, 0] = 7
    with pytest.raises(ArchiveError, match=r"has a report that no device sends: .*must be 0 or 1"):
        labelled.export_labelled(Heap(survey, impossible), tmp_path / "reports.parquet")
    with pytest.raises(ArchiveError, match=r"no/such\.parquet cannot be written: No such file"):
        labelled.export_labelled(Heap(survey, impossible), tmp_path / "no" / "such.parquet")
    assert [*tmp_path.iterdir()] == []


def test_a_survey_without_reports_gives_columns_without_rows(tmp_path: Path) -> None:
    survey = compile_toml(ONCE)
    table = written(survey, people(survey, 0), tmp_path / "reports.parquet")
    assert (table.num_rows, table.column_names[0]) == (0, "reported_paid")
