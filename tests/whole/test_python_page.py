"""docs/python.md and its notebook are true: every line of them runs, and prints what it says."""

import ast
import csv
import io
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib import pyplot
from statsmodels.api import Logit, add_constant

from archiving import Heap
from console import DOCUMENTED_URL, blocks
from fault_server import Scripted, fault_server
from sotto_collector.archive.export import export
from sotto_estimator import (
    Channel,
    Estimates,
    Group,
    arm,
    associate,
    compare_groups,
    decode,
    estimate,
    estimate_model,
    plan,
    read_data,
    regress,
    what_if,
)
from sotto_estimator.results.result import Result
from sotto_estimator.sources.records import save_records
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

WORDS = """
id = "words"
title = "Words"
[[questions]]
id = "word"
type = "text"
text = "?"
mechanism = "rappor"
n_bits = 32
n_cohorts = 4
unknown = true
max_length = 4
gram_length = 2
epsilon = 20
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
    Path("truth.toml").write_text("[questions.home]\nstrings = {berlin = 1}\n")
    rows = [f"{place % 3},{place % 40},{place % 2 + 1},.{place % 2 + 1},{place % 5 < 3:d}" for place in range(400)]
    Path("people.csv").write_text("\n".join(["region,school,weight,p,cheated", *rows, ""]))
    save_records(survey, records, Path("reports.bin"))
    words = compile_toml(WORDS)
    answers = {"word": ["abba", "cab"] * 400}
    save_records(words, words.perturb(answers, Coins(np.random.default_rng(4).bytes)), Path("words.bin"))
    Path("params.csv").write_text("k,h,m,p,q,f\n8,1,2,0.25,0.75,0\n")
    Path("counts.csv").write_text("1000,700,300,300,300,300,300,300,300\n1000,700,300,300,300,300,300,300,300\n")
    Path("map.csv").write_text("berlin,1,9\nbonn,6,12\n")
    export(Heap(survey, records), Path("archive"), 2)
    pyplot.switch_backend("agg")
    yield tally
    pyplot.close("all")


@pytest.mark.thorough
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
    assert known["by_region"]["group"].tolist() == ["0", "1", "2"]
    assert known["coefficients"]["estimate"].tolist()[1] == known["found"]["weight"].estimate
    assert [case.part for case in known["curve"].cases] == [0, 0.1, 0.2]
    assert [row.string for row in (*known["words"].rows, *known["pages"].rows)] == ["abba", "cab", "berlin"]
    assert Path("sites.png").stat().st_size
    assert Path("curve.svg").stat().st_size


@pytest.mark.thorough
def test_every_result_has_the_same_numbers_in_every_form(files: Tally) -> None:
    spinner = Channel.forced_response(2 / 3, 1 / 2)
    doping = [arm("crosswise(prob=1/5)", [66, 95]), arm("crosswise(prob=4/5)", [105, 59])]
    results: list[Result] = [
        estimate(files),
        compare_groups({"north": Group(180, 400, spinner), "south": Group(115, 380, spinner)}),
        regress("people.csv", "cheated ~ weight", design="crosswise(prob=1/6)"),
        decode("tally.json", question="home", candidates=["berlin", "bonn"]),
        associate("reports.bin", questions=["harassed", "stay"]),
        plan("survey.toml", 300),
        estimate_model("one-sayers", doping),
        what_if("one-sayers", [0, 0.1], doping),
        read_data("people.csv", "cheated", "crosswise(prob=p)", by="region").estimate_groups(),
    ]
    for result in results:
        assert "\n" not in str(result)
        assert len(result.to_frame()) == len([*csv.DictReader(io.StringIO(result.as_csv()))]) == len(result.records())
        assert json.loads(result.as_json()).keys() == result.to_dict().keys()
        assert result.as_style("") == result.as_table()
        assert result._repr_html_().startswith("<div")
        assert result.plot("result.svg").axes
        assert result.plot(ax=pyplot.subplots()[1]).axes[0].get_yticklabels()


def test_the_page_has_every_call_and_is_found() -> None:
    page = (DOCS / "python.md").read_text()
    for name in (
        "estimate",
        "decode",
        "associate",
        "compare_groups",
        "share_test",
        "trend_test",
        "decode_unknown",
        "decode_rappor",
        "read_format",
        "regress",
        "estimate_model",
        "what_if",
        "plan",
        ".plot",
        "read_archive",
        "read_data",
        "estimate_counts",
        "debias",
    ):
        assert f"{name}(" in page
    assert "examples/estimates.ipynb" in page
    assert "[Estimates in Python](python.md)" in (DOCS / "README.md").read_text()


def run_cell(source: str, known: dict[str, Any]) -> Any:
    """Run a cell as a notebook does; return what it would show: the value of its last expression."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, str(NOTEBOOK), "exec"), known)  # noqa: S102
    return eval(compile(ast.Expression(last.value), str(NOTEBOOK), "eval"), known) if last else None  # type: ignore[attr-defined]  # noqa: S307


@pytest.mark.thorough
def test_every_cell_of_the_notebook_runs_and_none_has_an_output(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(NOTEBOOK.parent)  # as Jupyter does
    monkeypatch.setattr("sys.path", [*sys.path])
    document = json.loads(NOTEBOOK.read_text())
    assert (document["nbformat"], document["nbformat_minor"]) == (4, 5)
    assert len({cell["id"] for cell in document["cells"]}) == len(document["cells"])
    code = [cell for cell in document["cells"] if cell["cell_type"] == "code"]
    assert len(code) > 5
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code)
    known: dict[str, Any] = {}
    shown = [run_cell("".join(cell["source"]), known) for cell in code]
    [estimates] = [value for value in shown if isinstance(value, Estimates)]
    assert "best estimate" in estimates._repr_html_()
    people, found = known["people"], known["found"]["years"]
    for row, true in ((known["row"], people["affair"].mean()), (known["years"], people["years"].mean())):
        assert row.low < true < row.high  # by a fixed seed, as is what follows
        assert row.n_reports == len(people) == 6366
    truth = Logit(people["affair"], add_constant(people[["years"]])).fit(disp=False).params["years"]
    assert found.low < truth < found.high
    assert found.low > 0
    assert known["table"].independence.p_value < 0.01
    assert known["difference"].difference_high < 0
    assert known["emoji"].rows[0].string == people["emoji"].mode()[0]
    assert known["page"].startswith("<!doctype html>")


def test_a_cell_that_fails_is_seen() -> None:
    with pytest.raises(NameError):
        run_cell("known = 1\nunknown", {})
    assert run_cell("known = 1\nknown + 1", {}) == 2
