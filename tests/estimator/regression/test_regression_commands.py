"""`sotto regress`: the same numbers as table, JSON, CSV and HTML; what is wrong is said on stderr, in a line."""

import csv
import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from test_regression import FORCED, asked

from sotto_client.cli import main
from sotto_estimator.errors import SourceError
from sotto_estimator.regression.regress import regress


@pytest.fixture
def data(tmp_path: Path) -> Path:
    frame = asked(FORCED, 600)
    frame.drop(columns="answer").to_csv(tmp_path / "data.csv", index=False)
    return tmp_path / "data.csv"


def run(data: Path, *words: str, formula: str = "cheated ~ age + region", design: str = FORCED) -> Result:
    return CliRunner().invoke(main, ["regress", str(data), formula, "--design", design, *words])


def test_table_json_csv_html_and_frame_say_the_same_numbers(data: Path) -> None:
    cells = {"age": "0.5", "region": "south"}
    pair = ({"region": "south"}, {"region": "north"})
    found = regress(data, "cheated ~ age + region", design=FORCED, predict=[cells], margins=True, contrasts=[pair])
    words = ("--predict", "age=0.5, region=south", "--margins", "--contrast", "region=south vs region=north")
    assert json.loads(run(data, "--json", *words).stdout) == json.loads(json.dumps(found.to_dict()))
    assert run(data, *words).stdout == f"{found.as_table()}\n"
    rows = [*csv.DictReader(io.StringIO(run(data, "--csv", *words).stdout))]
    tested = {"term": found.coefficients, "margin": found.margins, "contrast": found.contrasts}
    for kind, expected in tested.items():
        own = [row for row in rows if row["row"] == kind]
        for member in ("estimate", "standard_error", "z", "p_value", "low", "high"):
            assert [float(row[member]) for row in own] == [getattr(of, member) for of in expected]
        assert [(row["equation"], row["name"]) for row in own] == [(of.equation, of.name) for of in expected]
    predicted = [row for row in rows if row["row"] == "prediction"]
    assert [row["equation"] for row in predicted] == ["cheated = yes", "cheated = no"]
    for row, of in zip(predicted, found.predictions, strict=True):
        ends = [float(row[member]) for member in ("estimate", "standard_error", "low", "high")]
        assert (row["name"], ends) == (of.cells, [of.share, of.standard_error, of.low, of.high])
        assert (row["z"], row["p_value"], row["level"]) == ("", "", "0.95")
    assert len(rows) == 3 + 2 + 1 + 2
    assert found.to_frame()["estimate"].tolist() == [float(row["estimate"]) for row in rows]
    slope = found["age"]
    assert str(found).startswith("cheated ~ age + region: ")
    for text in (found.as_table(), found._repr_html_()):
        for value in (slope.estimate, slope.standard_error, slope.low, slope.high):
            assert f"{value:.4f}" in text
        assert f"{100 * found.predictions[0].share:.2f} %" in text
        assert "n = 600 reports, epsilon 1.6095 a report" in text
    assert "<td>region[T.south]</td>" in found._repr_html_()


def test_the_picture_has_a_point_for_every_coefficient_and_their_names(data: Path, tmp_path: Path) -> None:
    found = regress(data, "cheated ~ age + region", design=FORCED)
    (axes,) = found.plot(tmp_path / "found.svg").axes
    assert [label.get_text() for label in axes.get_yticklabels()][1] == "cheated = yes: age"
    assert [line.get_xdata()[0] for line in axes.lines if line.get_marker() == "o"] == [
        of.estimate for of in found.coefficients
    ]
    assert (tmp_path / "found.svg").read_text().startswith("<?xml")
    with pytest.raises(SourceError, match="png"):
        found.plot(tmp_path / "found.txt")


def test_a_wider_level_gives_wider_intervals(data: Path) -> None:
    narrow, wide = (
        json.loads(run(data, "--json", "--level", level).stdout)["coefficients"] for level in ("0.9", "0.99")
    )
    assert all(a["low"] > b["low"] and a["high"] < b["high"] for a, b in zip(narrow, wide, strict=True))


def test_arms_texts_of_reports_and_clusters_are_options(data: Path) -> None:
    frame = asked(FORCED, 600)
    frame["cheated"] = frame["cheated"].map({"yes": "A", "no": "B"})
    frame["arm"] = ["left", "right"] * 300
    frame.to_csv(data, index=False)
    arms = ("--arm", "arm", "--design", f"right={FORCED}")
    both = run(data, *arms, "--reports", "A,B", "--json", design=f"left={FORCED}")
    alone = run(data, "--yes-is", "A", "--json")
    first, second = (json.loads(of.stdout)["coefficients"][1]["estimate"] for of in (both, alone))
    assert first == pytest.approx(second, abs=1e-9)
    assert "region" in run(data, "--yes-is", "A", "--random-intercept", "region", formula="cheated ~ age").stdout


USAGE = [
    (("--reports", "a,b", "--yes-is", "a"), "one of the two"),
    (("--predict", "age"), "must be COLUMN=VALUE"),
    (("--design", "direct"), "Several designs need --arm"),
    (("--arm", "region"), "for each text in its column"),
    (("--outcome", "probit"), "is not one of"),
]


@pytest.mark.parametrize(("words", "message"), USAGE)
def test_wrong_usage_is_said_with_exit_code_2(data: Path, words: tuple[str, ...], message: str) -> None:
    result = run(data, *words)
    assert result.exit_code == 2
    assert message in result.stderr


@pytest.mark.parametrize(
    ("formula", "design", "code", "message"),
    [
        ("cheated", FORCED, 2, "must be written as COLUMN ~ TERMS"),
        ("cheated ~ age", "crosswise(prob=2)", 2, "prob"),
        ("cheated ~ age", "direct", 2, "conclusive"),
        ("cheated ~ income", FORCED, 1, "has no column 'income'"),
        ("cheated ~ age + I(2*age)", FORCED, 1, "collinear"),
        ("region ~ age", FORCED, 1, "column region, row"),
    ],
)
def test_what_cannot_be_fitted_is_one_line(data: Path, formula: str, design: str, code: int, message: str) -> None:
    result = run(data, formula=formula, design=design)
    assert result.exit_code == code
    assert message in result.stderr
    assert result.stdout == ""
    assert code == 2 or result.stderr.count("\n") == 1


def test_a_warning_stands_beside_the_result(data: Path) -> None:
    frame = asked(FORCED, 600)
    frame["region"] = frame["region"].where(frame.index % 4 > 0, "west")
    frame.loc[frame["region"] == "west", "cheated"] = "no"
    frame.loc[frame.index % 28 == 0, "cheated"] = "yes"  # of the west a seventh, where chance makes a sixth
    frame.to_csv(data, index=False)
    result = run(data)
    assert result.exit_code == 0
    assert "region[T.west]" in result.stdout
    assert result.stderr.startswith("Warning: separation: ")
    row = next(line for line in result.stdout.splitlines() if line.startswith("region[T.west]"))
    assert row.split()[-2:] == ["-", "-"]


def test_an_offset_is_that_of_python(data: Path) -> None:
    found = regress(data, "cheated ~ region", design=FORCED, offset="age", predict=[{"region": "south", "age": 0.5}])
    ran = run(data, "--offset", "age", "--predict", "region=south, age=0.5", formula="cheated ~ region")
    assert ran.stdout == f"{found.as_table()}\n"


def test_the_old_spelling_of_a_random_intercept_works_with_a_line_on_stderr(data: Path) -> None:
    new, old = (run(data, of, "region", formula="cheated ~ age") for of in ("--random-intercept", "--cluster"))
    assert (old.stdout, new.stderr) == (new.stdout, "")
    assert old.stderr.startswith("Warning: --cluster is now called --random-intercept. The next version")
    both = run(data, "--random-intercept", "region", "--cluster", "region", formula="cheated ~ age")
    assert (both.exit_code, "give one of the two" in both.stderr) == (2, True)
    assert "--cluster " not in CliRunner().invoke(main, ["regress", "--help"]).stdout
