"""docs/python.md and its notebook are true: every line of them runs, and prints what it says."""

import ast
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib import pyplot

from archiving import Heap
from console import DOCUMENTED_URL, blocks
from fault_server import Scripted, fault_server
from sotto_collector.archive.export import export
from sotto_estimator import Estimates
from sotto_estimator.records import save_records
from sotto_protocol import Coins, Tally, compile_toml

DOCS = Path(__file__).parents[2] / "docs"
NOTEBOOK = DOCS / "examples" / "estimates.ipynb"
SURVEY = """
id = "staff"
title = "Staff"
[[questions]]
id = "harassed"
type = "yes-no"
text = "?"
epsilon = 2
[[questions]]
id = "stay"
type = "one-of"
text = "?"
options = ["pay", "work", "nothing"]
epsilon = 2
[[questions]]
id = "home"
type = "text"
text = "?"
epsilon = 4
"""


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Tally]:
    """Put what the page reads into the current folder."""
    survey, people = compile_toml(SURVEY), np.arange(900)
    answers = {"harassed": people % 2, "stay": people % 3, "home": ["berlin"] * 900}
    records = survey.perturb(answers, Coins(np.random.default_rng(3).bytes))
    tally = Tally.of(survey, records)
    monkeypatch.chdir(tmp_path)
    Path("survey.toml").write_text(SURVEY)
    Path("tally.json").write_bytes(tally.to_json())
    save_records(survey, records, Path("reports.bin"))
    export(Heap(survey, records), Path("archive"), 2)
    pyplot.switch_backend("agg")
    yield tally
    pyplot.close("all")


def test_the_page_on_python_works(files: Tally, capsys: pytest.CaptureFixture[str]) -> None:
    code = "".join(text for language, text in blocks(DOCS / "python.md") if language == "python")
    known: dict[str, Any] = {}
    with fault_server(None) as server:
        server.survey_reply = Scripted(200, files.to_json())
        exec(code.replace(DOCUMENTED_URL, server.url), known)  # noqa: S102
    printed = capsys.readouterr().out
    assert printed.startswith("Staff: 2 questions, n = 900 reports, epsilon ")
    assert "berlin" in printed
    assert known["strict"].rows[0].low < known["estimates"].rows[0].low
    assert Path("labelled.parquet").stat().st_size
    assert len(known["reports"]) == 900


def test_the_page_has_every_call_and_is_found() -> None:
    page = (DOCS / "python.md").read_text()
    for name in ("estimate", "decode", "associate", "plan", "plot", "read_archive", "estimate_counts", "debias"):
        assert f"{name}(" in page
    assert "examples/estimates.ipynb" in page
    assert "[Estimates in Python](python.md)" in (DOCS / "README.md").read_text()


def run_cell(source: str, known: dict[str, Any]) -> Any:
    """Run a cell as a notebook does; return what it would show: the value of its last expression."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, str(NOTEBOOK), "exec"), known)  # noqa: S102
    return eval(compile(ast.Expression(last.value), str(NOTEBOOK), "eval"), known) if last else None  # type: ignore[attr-defined]  # noqa: S307


def test_every_cell_of_the_notebook_runs_and_none_has_an_output() -> None:
    document = json.loads(NOTEBOOK.read_text())
    assert (document["nbformat"], document["nbformat_minor"]) == (4, 5)
    assert len({cell["id"] for cell in document["cells"]}) == len(document["cells"])
    code = [cell for cell in document["cells"] if cell["cell_type"] == "code"]
    assert len(code) > 5
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code)
    known: dict[str, Any] = {}
    shown = [run_cell("".join(cell["source"]), known) for cell in code]
    [estimates] = [value for value in shown if isinstance(value, Estimates)]
    assert "most likely" in estimates._repr_html_()
    assert known["row"].low < 0.3 < known["row"].high  # by a fixed seed, as is what follows
    assert known["row"].n_reports == 1000
    assert known["table"].independence.p_value < 0.01


def test_a_cell_that_fails_is_seen() -> None:
    with pytest.raises(NameError):
        run_cell("known = 1\nunknown", {})
    assert run_cell("known = 1\nknown + 1", {}) == 2
