"""Rows of every kind of file, and of data frames, are those of the CSV with the same values."""

from collections.abc import Callable
from datetime import date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pyreadstat
import pytest

from sotto_estimator import SamplingColumns, estimate, read_data, regress
from sotto_estimator.errors import SourceError
from sotto_estimator.sources.source import source_of
from sotto_estimator.table.arrow import open_frame, open_parquet
from sotto_estimator.table.labelled import open_labelled
from sotto_estimator.table.rows import read_rows
from sotto_estimator.table.table import DataTable

N = 240
FRAME = pd.DataFrame(
    {
        "cheated": ["same" if row % 3 else "different" for row in range(N)],
        "region": [["north", "south", ""][row % 7 % 3] for row in range(N)],
        "weight": [1 + row % 4 / 4 for row in range(N)],
        "school": [row // 12 for row in range(N)],
        "notes": ["never asked for"] * N,
    }
)
LABELS = {"cheated": {1: "same", 2: "different"}, "region": {1: "north", 2: "south"}}


def write_sav(path: Path) -> None:
    """As SPSS has it: codes with labels; of the region 9 is missing, as its author says."""
    coded = FRAME.assign(
        cheated=FRAME["cheated"].map({"same": 1.0, "different": 2.0}),
        region=FRAME["region"].map({"north": 1.0, "south": 2.0, "": 9.0}),
    )
    missing = {"region": [9]}
    pyreadstat.write_sav(coded, str(path), variable_value_labels=LABELS, missing_ranges=missing)


def write_dta(path: Path, version: int = 118) -> None:
    """As Stata has it: codes with labels; a missing region is ."""
    region = pd.Categorical(FRAME["region"].replace("", None), categories=["south", "unused", "north"])
    FRAME.assign(cheated=FRAME["cheated"].astype("category"), region=region).to_stata(
        path, write_index=False, version=version
    )


def polars() -> pl.DataFrame:
    region = pl.Series("region", [text or None for text in FRAME["region"]], dtype=pl.Categorical)
    return pl.from_pandas(FRAME).with_columns(region)


WRITERS: dict[str, Callable[[Path], Any]] = {
    "csv": lambda path: FRAME.to_csv(path, index=False),
    "parquet": lambda path: FRAME.to_parquet(path),
    "parquet of polars": lambda path: polars().write_parquet(path),
    "arrow": lambda path: polars().write_ipc(path, compression="zstd"),
    "arrow stream": lambda path: polars().write_ipc_stream(path),
    "feather": lambda path: FRAME.to_feather(path),
    "sav": write_sav,
    "zsav": lambda path: pyreadstat.write_sav(FRAME, str(path), compress=True),
    "dta": write_dta,
    "dta of Stata 10": lambda path: write_dta(path, 114),
    "xlsx": lambda path: (
        FRAME.to_excel(path.with_suffix(".xlsx"), index=False) or path.with_suffix(".xlsx").rename(path)
    ),
}
FRAMES: dict[str, Callable[[], Any]] = {
    "pandas": lambda: FRAME,
    "pandas, categories": lambda: FRAME.astype({"cheated": "category", "region": "category"}),
    "polars": polars,
    "pyarrow": lambda: pa.Table.from_pandas(FRAME),
}


@pytest.fixture(params=[*WRITERS, *FRAMES])
def given(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    """The same rows as a file whose name says nothing of its kind, or as a data frame."""
    if request.param in FRAMES:
        return FRAMES[request.param]()
    path = tmp_path / "people.data"
    WRITERS[request.param](path)
    return path


@pytest.fixture
def csv(tmp_path: Path) -> Path:
    FRAME.to_csv(tmp_path / "people.csv", index=False)
    return tmp_path / "people.csv"


DESIGN = "crosswise(prob=1/6)"


@pytest.mark.few(5)
def test_estimates_of_the_same_rows_are_the_same(given: Any, csv: Path) -> None:
    sampling = SamplingColumns(weights="weight", clusters="school")
    for how in ({}, {"sampling": sampling}):
        found, expected = (estimate(of, column="cheated", design=DESIGN, **how) for of in (given, csv))
        assert found.rows == expected.rows


@pytest.mark.few(5)
def test_groups_and_rows_that_are_left_out_are_the_same(given: Any, csv: Path) -> None:
    found, expected = (read_data(of, "cheated", DESIGN, by="region").estimate_groups() for of in (given, csv))
    assert [one.rows for one in found.estimates] == [one.rows for one in expected.estimates]
    assert [one.stratum for one in found.estimates] == ["north", "south"]
    assert "are left out because a value is missing: region in" in str(found.estimates[0].file_rows)
    assert [one.file_rows for one in found.estimates] == [one.file_rows for one in expected.estimates]


def test_regressions_of_the_same_rows_are_the_same(given: Any, csv: Path) -> None:
    found, expected = (regress(of, "cheated ~ weight", design=DESIGN) for of in (given, csv))
    assert found["weight"].estimate == expected["weight"].estimate


def texts(table: DataTable, name: str) -> list[str]:
    column = table.columns[name]
    return [column.labels[code] for code in column.codes]


VALUES: dict[str, tuple[list[Any], list[str]]] = {
    "numbers of which one is missing": ([1.0, None, 3.0], ["1", "3"]),
    "decimal places": ([0.5, 2.0, float("nan")], ["0.5", "2"]),
    "booleans": ([True, None, False], ["True", "False"]),
    "dates": ([date(2024, 5, 31), None, date(2024, 6, 1)], ["2024-05-31", "2024-06-01"]),
    "moments": (
        [datetime(2024, 5, 31), datetime(2024, 5, 31, 12, 0, 0, 250_000), None],
        ["2024-05-31", "2024-05-31 12:00:00.25"],
    ),
    "times": ([time(7, 30), None, time(0)], ["07:30:00", "00:00:00"]),
    "decimals": ([Decimal("1.50"), None], ["1.50"]),
    "texts that say that they are missing": (["a", "NA", "", "nan", None], ["a"]),
}


@pytest.mark.parametrize("of", VALUES)
@pytest.mark.parametrize("kind", ["pandas", "polars", "parquet"])
def test_values_are_read_as_people_write_them(of: str, kind: str, tmp_path: Path) -> None:
    values, expected = VALUES[of]
    array = pa.array(values)
    if kind == "parquet":
        pq.write_table(pa.table({"a": array}), tmp_path / "a")
        rows = open_parquet(tmp_path / "a")
    else:
        rows = open_frame(pd.DataFrame({"a": array.to_pandas()}) if kind == "pandas" else pl.DataFrame({"a": array}))
    assert texts(read_rows(rows, ["a"]), "a") == expected


def test_a_pandas_column_of_several_types_is_read_as_its_texts() -> None:
    frame = pd.DataFrame(
        {"a": pd.Series([1, "x", True, 2.0, None], dtype=object), 7: pd.array([1, None, 2, 3, 4], "Int64")}
    )
    table = read_rows(open_frame(frame), ["a", "7"])
    assert (texts(table, "a"), texts(table, "7")) == (["1", "True", "2"], ["1", "2", "3"])


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([[1], [2, 3]], r"values of type .*list<.*>\. A column may have texts, numbers, booleans, dates and times"),
        ([b"a"], "values of type .*binary"),
        ([{"a": 1}], "values of type struct"),
    ],
)
def test_values_that_no_answer_is_are_refused(values: list[Any], words: str) -> None:
    for frame in (pd.DataFrame({"a": values}), pl.DataFrame({"a": values})):
        with pytest.raises(SourceError, match=f"^the data frame: column a has {words}"):
            read_rows(open_frame(frame), ["a"])
    with pytest.raises(SourceError, match=r"^the data frame, row 3: column a has a list, where one value can be\.$"):
        read_rows(open_frame(pd.DataFrame({"a": ["x", [1]]})), ["a"])


@pytest.mark.parametrize("kind", ["parquet", "arrow", "sav", "dta"])
def test_a_column_that_is_not_there_is_said_with_the_one_that_may_be_meant(kind: str, tmp_path: Path) -> None:
    WRITERS[kind](tmp_path / "a")
    with pytest.raises(SourceError, match=r"a: has no column 'Regoin'\. Did you mean region\?$"):
        source_of(tmp_path / "a").table(["Regoin"])
    with pytest.raises(SourceError, match=r"has no column 'age'; it has 'cheated', 'region', 'weight', 'school', "):
        source_of(tmp_path / "a").table(["age"])


def test_a_column_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    pq.write_table(pa.table([[1], [2]], names=["a", "a"]), tmp_path / "a")
    for given in (tmp_path / "a", pd.DataFrame([[1, 2]], columns=["a", "a"])):
        with pytest.raises(SourceError, match=r"has 2 columns named 'a'\."):
            source_of(given).table(["a"])


@pytest.mark.parametrize("kind", ["parquet", "arrow", "feather", "sav", "dta"])
@pytest.mark.parametrize("part", [0.1, 0.6, 0.98])
def test_a_file_that_was_cut_short_is_refused_by_name_in_one_line(kind: str, part: float, tmp_path: Path) -> None:
    path = tmp_path / "cut"
    WRITERS[kind](path)
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * part)])
    with pytest.raises(SourceError, match=r"cut is an? \w+ file that cannot be read: [^\n]+\.$"):
        source_of(path).table(["cheated", "weight"])


def test_a_file_without_rows_says_so(tmp_path: Path) -> None:
    FRAME[:0].to_parquet(tmp_path / "a")
    with pytest.raises(SourceError, match=r"a: has no rows\.$"):
        source_of(tmp_path / "a").table(["cheated"])


def test_a_value_that_must_not_miss_is_named_with_its_row(tmp_path: Path) -> None:
    FRAME.assign(weight=[1.0] * 100 + [None] + [1.0] * (N - 101)).to_parquet(tmp_path / "a")
    for given in (tmp_path / "a", pd.read_parquet(tmp_path / "a"), pl.read_parquet(tmp_path / "a")):
        with pytest.raises(SourceError, match=r"row 102: column weight must have a value"):
            source_of(given).table(["weight"], complete=["weight"])


def test_more_rows_than_a_table_may_take_are_refused_before_they_are_read(tmp_path: Path) -> None:
    pd.DataFrame({"a": np.zeros(600_000, np.int8)}).to_parquet(tmp_path / "a")
    rows = open_parquet(tmp_path / "a")
    with pytest.raises(SourceError, match="about 600,000 rows of 1 columns, with 0 different texts by row 1"):
        read_rows(rows, ["a"], max_bytes=2**20)
    assert read_rows(rows, ["a"], max_bytes=2**22).n_rows == 600_000


def test_only_the_columns_that_are_asked_for_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A column whose pages are damaged stops nobody who does not ask for it."""
    values = np.random.default_rng(1).integers(0, 2**62, 50_000)
    table = pa.table({"a": ["yes", "no"] * 25_000, "b": values})
    pq.write_table(table, tmp_path / "a", use_dictionary=["a"], compression="none")
    content = bytearray((tmp_path / "a").read_bytes())
    place = pq.ParquetFile(tmp_path / "a").metadata.row_group(0).column(1).data_page_offset
    content[place : place + 16] = b"\xff" * 16
    (tmp_path / "a").write_bytes(content)
    assert source_of(tmp_path / "a").table(["a"]).n_rows == 50_000
    with pytest.raises(SourceError, match="is a Parquet file that cannot be read"):
        source_of(tmp_path / "a").table(["b"])


def test_labels_of_several_values_are_told_apart(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0, 5.0], "t": ["n", "s", "n", "x", "s"]})
    labels = {"a": {1: "yes", 2: "no", 3: "no", 4: " "}, "t": {"n": "north", "s": "south"}}
    pyreadstat.write_sav(frame, str(tmp_path / "a"), variable_value_labels=labels)
    table = read_rows(open_labelled(tmp_path / "a", "sav"), ["a", "t"])
    assert texts(table, "a") == ["yes", "no (2)", "no (3)", "4", "5"]
    assert texts(table, "t") == ["north", "south", "north", "x", "south"]


def test_dates_and_missing_values_of_spss_and_stata_are_read(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {"d": [date(2024, 5, 31), date(2024, 6, 1), None], "a": [1.0, 97.0, 98.0], "t": ["x", "", "no"]}
    )
    missing = {"a": [{"lo": 97, "hi": 99}], "t": ["no"]}
    pyreadstat.write_sav(frame, str(tmp_path / "sav"), missing_ranges=missing)
    table = read_rows(open_labelled(tmp_path / "sav", "sav"), ["d"])
    assert texts(table, "d") == ["2024-05-31", "2024-06-01"]
    assert texts(read_rows(open_labelled(tmp_path / "sav", "sav"), ["a"]), "a") == ["1"]
    assert texts(read_rows(open_labelled(tmp_path / "sav", "sav"), ["t"]), "t") == ["x"]
    moments = pd.DataFrame({"d": pd.to_datetime(["2024-05-31 00:00", None, "2024-06-01 12:00"]), "a": [1.0, 2.0, None]})
    moments.to_stata(tmp_path / "dta", write_index=False, convert_dates={"d": "tc"})
    table = read_rows(open_labelled(tmp_path / "dta", "dta"), ["d"])
    assert texts(table, "d") == ["2024-05-31", "2024-06-01 12:00:00"]


def test_a_file_in_many_chunks_is_read_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sotto_estimator.table.labelled._CHUNK_ROWS", 32)
    monkeypatch.setattr("sotto_estimator.table.rows._BLOCK_ROWS", 7)
    for kind in ("sav", "dta", "parquet", "arrow"):
        heard: list[int] = []
        WRITERS[kind](tmp_path / kind)
        table = source_of(tmp_path / kind).table(["school", "cheated"], progress=heard.append)
        assert texts(table, "school") == [str(row // 12) for row in range(N)]
        assert texts(table, "cheated") == [*FRAME["cheated"]]
        assert kind == "arrow" or 0 < sum(heard) <= (tmp_path / kind).stat().st_size
