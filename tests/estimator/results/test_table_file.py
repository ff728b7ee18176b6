"""A result saved by a name's ending has the rows of its CSV, whatever the form."""

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pandas as pd
import pyarrow.feather
import pyreadstat
import pytest
from click.testing import CliRunner

from sotto_client.cli import main
from sotto_estimator import estimate_counts
from sotto_estimator.channel.channel import Channel
from sotto_estimator.errors import SourceError
from sotto_estimator.results.table_file import FORMS, write_table_file
from sotto_protocol.extras import MissingExtra

READERS: dict[str, Callable[[Path], pd.DataFrame]] = {
    ".csv": pd.read_csv,
    ".xlsx": pd.read_excel,
    ".parquet": pd.read_parquet,
    ".arrow": pyarrow.feather.read_feather,
    ".feather": pyarrow.feather.read_feather,
    ".dta": lambda path: pyreadstat.read_dta(path)[0],
    ".sav": lambda path: pyreadstat.read_sav(path)[0],
}
COUNTS = ["estimate", "--yes", "30", "--n", "100", "--truth", "2/3", "--forced-yes", "1/2"]
RECORDS: list[dict[str, Any]] = [
    {"question": "=1+1", "share": 0.1, "n": 3, "many": None, "low": float("-inf"), "is_all": True, "set.a": 2},
    {"question": None, "share": None, "n": 2**40, "many": None, "low": 0.5, "is_all": False, "set.a": None},
]


def plain(frame: pd.DataFrame) -> list[list[Any]]:
    """Return cells alike in all forms: a missing one and an empty text None, a truth 0 or 1."""
    rows = frame.astype(object).to_numpy().tolist()
    return [[None if pd.isna(cell) or cell == "" else cell * 1 for cell in row] for row in rows]


@pytest.mark.parametrize("ending", FORMS)
def test_a_saved_file_has_the_rows_of_csv(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"shares{ending.upper()}"
    done = CliRunner().invoke(main, [*COUNTS, "--csv", "--save", str(path)])
    assert (done.exit_code, done.stderr) == (0, "")
    found, expected = READERS[ending](path), pd.read_csv(io.StringIO(done.stdout))
    assert [*found.columns] == [*expected.columns]
    for row, of_csv in zip(plain(found), plain(expected), strict=True):
        for cell, other in zip(row, of_csv, strict=True):
            is_rounded = ending == ".xlsx" and isinstance(other, float)  # to 16 digits
            assert cell == (pytest.approx(other, rel=1e-15) if is_rounded else other)


@pytest.mark.parametrize("ending", [".dta", ".sav", ".xlsx"])
def test_missing_values_stay_so_and_what_changes_is_returned(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"rows{ending}"
    notes = write_table_file(RECORDS, path, about={"share": "Share"})
    assert plain(READERS[ending](path)) == [["=1+1", 0.1, 3, None, None, 1, 2], [None, None, 2**40, None, 0.5, 0, None]]
    infinite = "empty cells" if ending == ".xlsx" else "missing values"
    assert f"low: 1 infinite numbers are {infinite}." in notes
    if ending == ".xlsx":
        assert openpyxl.load_workbook(path).active["A2"].data_type == "s"
        return
    assert "set.a is set_a" in notes[0]
    about = {".dta": pyreadstat.read_dta, ".sav": pyreadstat.read_sav}[ending](path)[1]
    assert (about.column_names_to_labels["share"], about.column_names_to_labels["set_a"]) == ("Share", "set.a")
    assert about.variable_value_labels == {"is_all": {0: "no", 1: "yes"}}


def test_a_file_that_cannot_be_written_is_refused_before_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = CliRunner().invoke(main, [*COUNTS, "--save", "shares.xls"])
    assert (done.exit_code, done.stdout) == (1, "")
    assert "shares.xls must end in .csv, .parquet, .arrow, .feather, .dta, .sav or .xlsx, which says" in done.stderr
    found = estimate_counts(30, 100, Channel(0.75, 0.25))
    with pytest.raises(SourceError, match=r"cannot be written: No such file"):
        found.save(tmp_path / "no" / "shares.csv")
    with pytest.raises(SourceError, match=r"column n has a whole number of more than 64 bits\. Excel cannot hold it"):
        write_table_file([{"n": 2**64}], tmp_path / "n.xlsx")
    monkeypatch.setattr("sotto_estimator.results.data_frames.find_spec", lambda _: None)
    with pytest.raises(MissingExtra, match=r"shares\.sav, by its ending, needs: pip install 'sottovoce\[spss\]'"):
        found.save(tmp_path / "shares.sav")
    assert [*tmp_path.iterdir()] == []
