"""Every file is known by its content, and one of the wrong kind is named as what it is, by every command."""

import gzip
import re
import sqlite3
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from click.testing import CliRunner

from sotto_client.cli import main
from sotto_estimator import SourceError, associate, compare_groups, decode, estimate, plan, regress
from sotto_estimator.sources.kinds import KINDS, kind_of
from sotto_estimator.sources.records import save_records
from sotto_estimator.sources.source import source_of
from sotto_protocol import Tally, compile_toml
from sotto_protocol.extras import MissingExtra
from workbooks import workbook

TOML = """
id = "lunch"
title = "Lunch"
[[questions]]
id = "paid"
type = "yes-no"
text = "Did you pay?"
epsilon = 2.0
"""
SURVEY = compile_toml(TOML)
FRAME = pd.DataFrame({"cheated": ["yes", "no"] * 20, "age": range(40)})


def packed(path: Path) -> None:
    save_records(SURVEY, np.zeros((40, SURVEY.layout.n_bytes), np.uint8), path)


def database(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE a (b)")
    connection.close()


def ods(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("content.xml", "")


def stream(path: Path) -> None:
    table = pa.Table.from_pandas(FRAME)
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_stream(file, table.schema) as writer:
        writer.write_table(table)


def sav(path: Path) -> None:
    import pyreadstat

    pyreadstat.write_sav(FRAME, str(path))


FILES: dict[str, tuple[str, Callable[[Path], Any]]] = {
    "tally": ("tally", lambda path: path.write_bytes(Tally.empty(SURVEY).to_json())),
    "reports": ("reports", packed),
    "survey": ("survey", lambda path: path.write_text(TOML)),
    "survey with a mistake": ("survey", lambda path: path.write_text(TOML + "epsilon =")),
    "canonical": ("canonical", lambda path: path.write_bytes(SURVEY.canonical)),
    "survey in JSON": ("survey", lambda path: path.write_text('{\n "id": "a",\n "questions": []\n}')),
    "csv": ("text", lambda path: FRAME.to_csv(path, index=False)),
    "parquet": ("parquet", lambda path: FRAME.to_parquet(path)),
    "feather": ("arrow", lambda path: FRAME.to_feather(path)),
    "arrow stream": ("arrow", stream),
    "sav": ("sav", sav),
    "dta": ("dta", lambda path: FRAME.to_stata(path, version=118)),
    "old dta": ("dta", lambda path: FRAME.to_stata(path)),
    "json lines": ("lines", lambda path: path.write_text('{"a": 1}\n{"a": 2}\n')),
    "json": ("json", lambda path: path.write_text('{"a": 1}')),
    "web page": ("html", lambda path: path.write_text("<!DOCTYPE html>\n<title>Lunch</title>")),
    "xlsx": ("xlsx", lambda path: path.write_bytes(workbook(people=[[*FRAME], *FRAME.to_numpy().tolist()]))),
    "excel": ("excel", ods),
    "gzip": ("gzip", lambda path: path.write_bytes(gzip.compress(b"a,b\n"))),
    "sqlite": ("sqlite", database),
    "sas": ("sas", lambda path: path.write_bytes(b"\0" * 12 + b"\xc2\xea\x81\x60" + b"\0" * 99)),
    "portable SPSS": ("por", lambda path: path.write_bytes(b"ASCII SPSS PORT FILE" + b" " * 99)),
    "folder": ("folder", lambda path: path.mkdir()),
    "empty": ("empty", lambda path: path.touch()),
    "bytes": ("other", lambda path: path.write_bytes(b"a,b\0\n")),
}


@pytest.fixture(params=FILES)
def file(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, Path]:
    """A file of each kind, under a name that says nothing of it, or a lie."""
    kind, write = FILES[request.param]
    path = tmp_path / "file.json"
    write(path)
    return kind, path


def test_a_file_is_known_by_its_content(file: tuple[str, Path]) -> None:
    kind, path = file
    assert kind_of(path) == kind


COMMANDS = {
    "estimate FILE": "tally reports",
    "estimate FILE --column cheated --design direct": "rows",
    "decode FILE liked --candidates LIST": "tally reports",
    "decode FILE liked --unknown": "tally reports canonical",
    "associate FILE paid ill": "reports canonical",
    "regress FILE paid~ill": "reports rows canonical",
    "regress FILE cheated~age --design direct": "rows",
    "test share FILE --null .5": "tally reports",
    "test share FILE --null .5 --column cheated --design direct": "rows",
    "test groups FILE OTHER": "tally reports",
    "test trend FILE --column cheated --design direct --by age": "rows",
    "plan FILE --n 100": "survey plain",
    "simulate FILE --n 10": "survey plain",
    "compare FILE --n 10": "survey plain",
    "audit FILE": "survey plain",
    "associate TALLY paid ill --candidates paid=FILE": "plain empty",
    "estimate --format navigation-timing FILE": "plain empty",
}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("name", ["tally", "reports", "canonical", "csv", "sav", "excel", "folder", "empty"])
def test_each_command_names_a_file_of_the_wrong_kind_as_what_it_is(command: str, name: str, tmp_path: Path) -> None:
    kind, write = FILES[name]
    path = tmp_path / "file.json"
    write(path)
    takes = COMMANDS[command]
    if kind in takes.split() or {*KINDS[kind].gives} & {*takes.split()}:
        return
    (path.parent / "list.txt").write_text("oak\n")
    other = path.parent / "other.json"
    other.write_bytes(Tally.empty(SURVEY).to_json())
    places = {"FILE": str(path), "OTHER": str(other), "LIST": str(path.parent / "list.txt"), "TALLY": str(other)}
    words = [re.sub("FILE|OTHER|LIST|TALLY", lambda found: places[found.group()], word) for word in command.split()]
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 1, result.output
    assert not result.stdout
    [line] = result.stderr.splitlines()
    said = "is empty: " if kind == "empty" else f"is {KINDS[kind].words}, not "
    assert line.startswith(f"Error: {path} {said}")


CALLS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "estimate": ("tally reports", estimate),
    "estimate of a column": ("rows", lambda of: estimate(of, column="cheated", design="direct")),
    "decode": ("tally reports", lambda of: decode(of, question="paid", candidates=["a"])),
    "associate": ("reports", lambda of: associate(of, questions=["paid", "ill"])),
    "regress": ("rows", lambda of: regress(of, "cheated ~ age", design="direct")),
    "compare": ("tally reports", lambda of: compare_groups({"a": of, "b": of})),
    "plan": ("survey plain", lambda of: plan(of, 100)),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("name", ["tally", "reports", "survey", "parquet", "excel", "empty"])
def test_each_function_does_too(call: str, name: str, tmp_path: Path) -> None:
    kind, write = FILES[name]
    path = tmp_path / "file.csv"
    write(path)
    takes, run = CALLS[call]
    if {*KINDS[kind].gives} & {*takes.split()}:
        return
    with pytest.raises(SourceError, match=f"file.csv is {KINDS[kind].words}"):
        run(path)


def test_what_was_read_before_is_named_too() -> None:
    tally = Tally.empty(SURVEY)
    with pytest.raises(SourceError, match=r"^this is a tally, not packed reports\. Give a file of `sotto associate"):
        associate(tally, questions=["paid", "ill"])
    with pytest.raises(SourceError, match=r"^this is a tally, not a table with one row per person\. Give CSV, Excel"):
        regress(tally, "paid ~ age", design="direct")
    with pytest.raises(SourceError, match=r"^a data frame is a table with one row per person, not packed reports"):
        associate(FRAME, questions=["paid", "ill"])
    with pytest.raises(
        SourceError, match=r"^a collector's survey is noisy reports, not a table with one row per person"
    ):
        source_of("http://127.0.0.1:9", "lunch", "t").table(["a"])


@pytest.mark.parametrize(
    ("name", "module", "words"),
    [
        (
            "sav",
            "pyreadstat",
            r"file, an SPSS file, needs: pip install 'sottovoce\[spss\]' \(pyreadstat is",
        ),
        ("dta", "pyreadstat", r"file, a Stata file, needs: pip install 'sottovoce\[spss\]' \(pyreadstat is not"),
        ("xlsx", "openpyxl", r"file, an Excel workbook, needs: pip install 'sottovoce\[excel\]' \(openpyxl is not"),
        (
            "parquet",
            "pyarrow",
            r"file, a Parquet file, needs: pip install 'sottovoce\[frames\]' \(pyarrow is",
        ),
    ],
)
def test_what_must_be_installed_for_a_file_is_named(
    name: str, module: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    FILES[name][1](tmp_path / "file")
    for where in ("table.labelled", "table.workbook", "results.data_frames"):
        monkeypatch.setattr(f"sotto_estimator.{where}.find_spec", lambda of: None if of == module else object())
    with pytest.raises(MissingExtra, match=words):
        regress(tmp_path / "file", "cheated ~ age", design="direct")
