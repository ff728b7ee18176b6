"""docs/engines.md: its SQL counts what the product counts, in DuckDB and in ClickHouse's engine."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from archiving import Heap
from collecting import make_reports
from sotto_collector.archive.export import export
from sotto_protocol import Tally, compile_toml

PAGE = (Path(__file__).parents[2] / "docs/engines.md").read_text()
BLOCKS = re.findall(r"```(sql|python)\n(.*?)```", PAGE, re.DOTALL)
DUCKDB, CLICKHOUSE = (code for language, code in BLOCKS if language == "sql")
[PYTHON] = (code for language, code in BLOCKS if language == "python")
SURVEY = compile_toml("""
id = "work"
title = "Work"
[[questions]]
id = "harassed"
type = "yes-no"
text = "Were you harassed?"
epsilon = 1
[[questions]]
id = "stay"
type = "one-of"
text = "Will you stay?"
options = ["yes", "no", "unsure"]
epsilon = 1
[[questions]]
id = "tools"
type = "any-of"
mechanism = "asked-option"
text = "Which tools do you use?"
options = ["a", "b", "c", "d"]
epsilon = 2
[[questions]]
id = "hobbies"
type = "any-of"
mechanism = "bit-flips"
text = "Which hobbies do you have?"
options = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"]
epsilon = 8
""")


@pytest.fixture
def expected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Tally]:
    """The tally of an archive in the working folder."""
    records = np.stack([np.frombuffer(report.record, np.uint8) for report in make_reports(500, SURVEY)])
    export(Heap(SURVEY, records), tmp_path / "archive", 3)
    monkeypatch.chdir(tmp_path)
    return Tally.of(SURVEY, records)


def tally_of(rows: list[tuple[Any, ...]], capsys: pytest.CaptureFixture[str]) -> Tally:
    """Run the page's Python on rows; return the tally that it made."""
    names: dict[str, Any] = {"rows": rows}
    exec(PYTHON, names)  # noqa: S102  # the page's own
    assert "n = 500 reports" in capsys.readouterr().out
    tally = names["tally"]
    assert isinstance(tally, Tally)
    return tally


def test_sql_of_duckdb_counts_what_the_product_counts(expected: Tally, capsys: pytest.CaptureFixture[str]) -> None:
    import duckdb

    assert tally_of(duckdb.sql(DUCKDB).fetchall(), capsys) == expected


@pytest.mark.rare
def test_sql_of_clickhouse_counts_what_the_product_counts(expected: Tally, capsys: pytest.CaptureFixture[str]) -> None:
    chdb = pytest.importorskip("chdb", reason="chdb is not in dev: 0.5 GB")
    found = chdb.query(CLICKHOUSE, "ArrowTable").to_pylist()
    assert tally_of([tuple(row.values()) for row in found], capsys) == expected
