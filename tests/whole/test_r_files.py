"""R's haven reads what we write: every value, label of a variable, and label of a value."""

import json
from pathlib import Path
from typing import Any

import pyreadstat
import pytest
from test_export_labelled import LUNCH

from archiving import Heap
from made_reports import people
from r import run_r
from sotto_collector.archive import labelled
from sotto_estimator import estimate
from sotto_protocol import Tally, compile_toml

pytestmark = pytest.mark.thorough  # R takes seconds to start; pyreadstat reads the same files in quick tests

READ = """
library(haven)
read <- function(path) {
  frame <- if (grepl("dta$", path)) read_dta(path) else read_sav(path)
  lapply(frame, function(column) list(
    values = I(as.vector(zap_labels(column))), label = attr(column, "label"),
    codes = as.list(unname(attr(column, "labels"))), words = as.list(names(attr(column, "labels")))))
}
paths <- c("reports.dta", "reports.sav", "shares.dta", "shares.sav")
cat(jsonlite::toJSON(lapply(setNames(paths, paths), read), digits = NA, na = "null", null = "null", auto_unbox = TRUE))
"""


def plain(value: Any) -> Any:
    """Return a value as R has it: an empty text and NaN are missing."""
    return None if value in ("", None) or value != value else value


def test_haven_reads_values_and_labels_as_pyreadstat_does(tmp_path: Path) -> None:
    survey = compile_toml(LUNCH)
    records = people(survey, 60)
    found = estimate(Tally.of(survey, records))
    for ending in (".dta", ".sav"):
        labelled.export_labelled(Heap(survey, records), tmp_path / f"reports{ending}")
        found.save(tmp_path / f"shares{ending}")
    of_r = json.loads(run_r(READ, tmp_path))
    for name, columns in of_r.items():
        frame, about = {"dta": pyreadstat.read_dta, "sav": pyreadstat.read_sav}[name[-3:]](tmp_path / name)
        assert [*columns] == [*frame.columns]
        for column, of in columns.items():
            assert [plain(value) for value in of["values"]] == [
                pytest.approx(plain(value), rel=1e-14, nan_ok=True)
                if isinstance(value, float) and value == value
                else plain(value)
                for value in frame[column].tolist()
            ]
            assert of["label"] == about.column_names_to_labels[column]
            words = dict(zip(of["codes"], of["words"], strict=True))
            assert words == about.variable_value_labels.get(column, {})
    dish = of_r["reports.sav"]["reported_dish"]
    assert (dish["label"], dish["codes"], dish["words"]) == ("Noisy: Which dish?", [1, 2], ["=1+1", "köfte"])
    assert of_r["reports.dta"]["reported_dish"]["words"] == ["=1+1", "köfte"]
    assert of_r["shares.dta"]["share"]["label"] == "Unbiased share, may lie outside 0 and 1"
