"""`sotto estimate TABLE`: the estimates of a file are those of its counts, in all outputs; bad files are refused."""

import csv
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner, Result

from sotto_client.cli import main
from sotto_estimator import SamplingColumns, estimate, read_data
from sotto_estimator.designs.design import Arm
from sotto_estimator.designs.spec import read_design
from sotto_estimator.errors import DomainError, NoReportsError, SourceError
from sotto_estimator.intervals.intervals import IntervalOptions
from sotto_estimator.shares.estimates import Estimates
from sotto_estimator.shares.of_arms import estimate_arms

CROSSWISE = ("--column", "cheated", "--design", "crosswise", "--prob", "1/6")
N_SAME = {"east": 60, "north": 40, "south": 130}
N = 200


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file of 600 people: of each region 200, so many of which reported the same; weights, schools and an arm."""
    rows = ["region,school,weight,half,p,cheated"]
    for region, n_same in N_SAME.items():
        for row in range(N):
            report = "same" if row < n_same else "different"
            rows.append(f"{region},{region}{row % 10},{1 + row % 3},{'ab'[row % 2]},{['1/6', '.2'][row % 2]},{report}")
    path = tmp_path / "people.csv"
    path.write_text("\n".join([*rows, ""]))
    return path


def sotto(path: Path, *options: str) -> Result:
    return CliRunner().invoke(main, ["estimate", str(path), *options])


def printed(path: Path, *options: str) -> str:
    result = sotto(path, *options)
    assert result.exit_code == 0, result.output
    return result.stdout


def loaded(path: Path, *options: str) -> dict[str, list[dict[str, float]]]:
    found: dict[str, list[dict[str, float]]] = json.loads(printed(path, *options, "--json"))
    return found


def of_counts(*counts: int, design: str = "crosswise(prob=1/6)", options: IntervalOptions | None = None) -> Estimates:
    return estimate_arms([Arm(read_design(design), np.array(counts, np.float64))], options)


def test_a_file_is_estimated_as_its_counts_are(path: Path) -> None:
    (row,) = loaded(path, *CROSSWISE)["estimates"]
    (expected,) = of_counts(230, 370).rows
    assert row["question"] == "cheated"
    assert [row[name] for name in ("share", "low", "high", "n_reports")] == [
        expected.share,
        expected.low,
        expected.high,
        600,
    ]


def test_all_outputs_have_the_same_numbers(path: Path) -> None:
    for options in ((), ("--weights", "weight", "--clusters", "school", "--strata", "region")):
        (row,) = loaded(path, *CROSSWISE, *options)["estimates"]
        (cells,) = csv.DictReader(printed(path, *CROSSWISE, *options, "--csv").splitlines())
        assert {name: float(cells[name]) for name in ("share", "standard_error", "low", "high")} == {
            name: row[name] for name in ("share", "standard_error", "low", "high")
        }
        table = printed(path, *CROSSWISE, *options)
        assert all(f"{100 * row[name]:.2f} %" in table for name in ("share", "standard_error", "low", "high"))


@pytest.mark.parametrize("options", [(), ("--weights", "weight", "--clusters", "school", "--strata", "region")])
def test_groups_stand_beside_one_another(path: Path, options: tuple[str, ...]) -> None:
    found = loaded(path, *CROSSWISE, "--by", "region", *options)["groups"]
    assert [(one["by"], one["group"], one["n_reports"]) for one in found] == [("region", name, N) for name in N_SAME]
    shares = [one["estimates"][0]["share"] for one in found]  # type: ignore[index]
    if not options:
        assert shares == [of_counts(n_same, N - n_same).rows[0].share for n_same in N_SAME.values()]
    rows = [*csv.DictReader(printed(path, *CROSSWISE, "--by", "region", *options, "--csv").splitlines())]
    assert [(row["by"], row["group"], float(row["share"])) for row in rows] == [
        ("region", name, share) for name, share in zip(N_SAME, shares, strict=True)
    ]
    table = printed(path, *CROSSWISE, "--by", "region", *options)
    assert "n by region: east 200, north 200, south 200 reports" in table
    assert "ranking of groups by region from the highest: " in table
    assert all(f"{100 * share:.2f} %" in table for share in shares)


def test_the_page_shows_what_is_printed(path: Path) -> None:
    text = printed(path, *CROSSWISE, "--by", "region").replace(str(path), "people.csv")
    assert text in (Path(__file__).parents[3] / "docs" / "data.md").read_text()


def test_a_name_of_a_group_moves_no_terminal(path: Path) -> None:
    text = path.read_text()
    path.write_text(text.replace("\nsouth,", '\n"\x1b[2J\nsouth",'))
    table = printed(path, *CROSSWISE, "--by", "region")
    assert "\x1b" not in table
    assert "\\x1b[2J\\nsouth  " in table
    path.write_text(text.replace("\neast,", f"\n{'e' * 201},"))
    result = sotto(path, *CROSSWISE, "--by", "region")
    assert (result.exit_code, "at most 200 characters" in result.stderr) == (1, True)


def test_groups_are_compared_by_intervals_that_hold_together(path: Path, tmp_path: Path) -> None:
    (order,) = [one["order"] for one in loaded(path, *CROSSWISE, "--by", "region")["comparisons"]]
    east, north, south = (of_counts(n, N - n, options=IntervalOptions(1 - 0.05 / 3)).rows[0] for n in N_SAME.values())
    assert south.high < east.low < north.low < east.high
    assert order == [["north", "east"], ["south"]]
    close = tmp_path / "close.csv"  # told apart by intervals that hold each by itself
    n_same = {"a": 60, "b": 98}
    rows = [f"{name},{report}\n" * n for name, k in n_same.items() for report, n in (("same", k), ("different", N - k))]
    close.write_text("region,cheated\n" + "".join(rows))
    alone, other = (of_counts(n_same[name], N - n_same[name]).rows[0] for name in "ab")
    assert other.high < alone.low
    assert [one["order"] for one in loaded(close, *CROSSWISE, "--by", "region")["comparisons"]] == [[["a", "b"]]]


def test_arms_and_channels_by_record_are_pooled(path: Path) -> None:
    by_arm = loaded(
        path,
        "--column",
        "cheated",
        "--arm",
        "half",
        "--design",
        "a=crosswise(prob=1/6)",
        "--design",
        "b=crosswise(prob=.2)",
    )
    by_record = loaded(path, "--column", "cheated", "--design", "crosswise(prob=p)")
    assert by_arm["estimates"] == by_record["estimates"]
    assert len(by_record["designs"]) == 2


def test_samples_that_are_not_simple_say_that_they_are_approximate(path: Path) -> None:
    table = printed(path, *CROSSWISE, "--weights", "weight", "--clusters", "school", "--strata", "region")
    assert "95 % intervals by linearization with Student's t (approximate), about the population" in table
    assert "approximate, with 27 degrees of freedom; weights differ: as much as" in table
    found = loaded(path, *CROSSWISE, "--strata", "region")
    assert (found["method"], found["interval"], found["degrees_of_freedom"]) == ("linearised", "approximate", 597)


def test_weights_of_a_population_of_known_size_are_horvitz_and_thompsons(path: Path) -> None:
    """Against Deville's variance and the noise's, written apart as R's RRTCS has them."""
    rows = [*csv.DictReader(path.read_text().splitlines())]
    pi = [1 / (3 * float(row["weight"])) for row in rows]
    text = path.read_text().splitlines()
    path.write_text(
        "\n".join([text[0] + ",w", *(f"{line},{1 / p!r}" for line, p in zip(text[1:], pi, strict=True)), ""])
    )
    r = [((row["cheated"] == "same") - 5 / 6) / (1 / 6 - 5 / 6) for row in rows]
    size, part = 3650, [(1 - p) / (600 - sum(pi)) for p in pi]
    centre = sum(a * value / p for a, value, p in zip(part, r, pi, strict=True))
    spread = sum((1 - p) * (value / p - centre) ** 2 for value, p in zip(r, pi, strict=True))
    variance = spread / (1 - sum(a * a for a in part)) + sum(z * (z - 1) / p for z, p in zip(r, pi, strict=True))
    found = loaded(path, *CROSSWISE, "--weights", "w", "--population-size", str(size))
    (row,) = found["estimates"]
    assert row["share"] == pytest.approx(sum(z / p for z, p in zip(r, pi, strict=True)) / size, rel=1e-9)
    assert row["standard_error"] ** 2 == pytest.approx(variance / size**2, rel=1e-9)
    assert (found["interval"], found["population_size"]) == ("approximate", size)


def test_a_group_in_one_cluster_alone_has_no_error_and_says_nothing(path: Path) -> None:
    path.write_text(path.read_text() + "west,west0,1,a,.2,same\nwest,west0,1,a,.2,different\n")
    groups = loaded(path, *CROSSWISE, "--by", "region", "--clusters", "school")["groups"]
    west = groups[-1]["estimates"][0]  # type: ignore[index]
    assert (groups[-1]["group"], groups[-1]["degrees_of_freedom"], west["low"], west["high"]) == ("west", 0, 0, 1)
    assert groups[0]["estimates"][0]["low"] > 0  # type: ignore[index]


@pytest.mark.parametrize("design", [("crosswise", "--prob", "1/6"), ("direct", "--allow-conclusive")])
def test_groups_of_equal_reports_are_too_few_to_say_and_have_no_order(path: Path, design: tuple[str, ...]) -> None:
    path.write_text("r,w,g\nsame,1,a\nsame,2,a\ndifferent,1,b\ndifferent,3,b\n")
    options = ("--column", "r", "--reports", "same,different", "--design", *design, "--weights", "w", "--by", "g")
    table = printed(path, *options)
    assert table.count("too few reports to say") == 2
    assert "r, yes: the groups by g are too close to rank." in table
    groups = loaded(path, *options)["groups"]
    rows = [row for one in groups for row in one["estimates"]]  # type: ignore[attr-defined]
    assert [(row["low"], row["high"]) for row in rows] == [(0, 1)] * 2


def test_post_stratified_shares_are_those_of_the_groups_in_their_proportions(path: Path, tmp_path: Path) -> None:
    sizes = {"east": 100, "north": 300, "south": 600}
    shares = [of_counts(n, N - n).rows[0].share for n in N_SAME.values()]
    typed = ("--margins", ",".join(f"{name}={size}" for name, size in sizes.items()))
    file = tmp_path / "margins.csv"
    file.write_text("region,population\n" + "".join(f"{name},{size}\n" for name, size in sizes.items()))
    for margins in (typed, ("--margins", str(file))):
        (row,) = loaded(path, *CROSSWISE, "--post-stratify", "region", *margins)["estimates"]
        assert row["share"] == pytest.approx(np.dot(shares, [0.1, 0.3, 0.6]))


def test_rows_that_miss_an_answer_are_left_out_and_said(path: Path) -> None:
    path.write_text(path.read_text() + "east,x,1,a,.2,\neast,x,1,a,.2,NA\n")
    said = "2 of 602 rows are left out because a value is missing: cheated in 2"
    assert said in printed(path, *CROSSWISE)
    assert loaded(path, *CROSSWISE)["left_out"] == said
    assert said in printed(path, *CROSSWISE, "--csv")
    assert said in printed(path, *CROSSWISE, "--by", "region")


def test_more_categories_than_two(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("often\n" + "never\n" * 50 + "once\n" * 30 + "daily\n" * 20)
    options = ("--column", "often", "--design", "k-ary(n_answers=3, prob_truth=.8)", "--reports", "never,once,daily")
    found = loaded(path, *options)
    expected = of_counts(50, 30, 20, design="k-ary(n_answers=3, prob_truth=.8)")
    assert [row["share"] for row in found["estimates"]] == [row.share for row in expected.rows]


def test_reports_that_contradict_the_design_are_warned_of(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("a,w\n" + "yes,1\nyes,2\n" * 1000)
    for options in ((), ("--weights", "w")):
        result = sotto(path, "--column", "a", "--design", "warner", "--prob", ".6", *options)
        assert "2,000 reports" in result.stderr
        assert "shares and intervals mean nothing" in result.stderr


USAGE = {
    "two files": (("--column", "a", "b.csv"), "--column goes with one file"),
    "no design": (("--column", "cheated"), "Say how the people in the table were asked"),
    "no arm": ((*CROSSWISE[:2], "--design", "a=direct"), "need --arm"),
    "no label": ((*CROSSWISE, "--arm", "half"), "--arm needs a design for each text in its column"),
    "no column": (("--by", "region"), "--by goes with a table"),
    "weights alone": (("--weights", "weight"), "--weights goes with a table"),
    "counts too": ((*CROSSWISE, "--yes", "1", "--n", "2"), "one of the four"),
    "no margins": ((*CROSSWISE, "--post-stratify", "region"), "--post-stratify and --margins go together"),
    "bad margins": ((*CROSSWISE, "--post-stratify", "region", "--margins", "a=b"), "must be TEXT=N with commas"),
    "two texts": ((*CROSSWISE, "--yes-is", "1", "--reports", "1,2"), "--yes-is or --reports"),
    "conclusive": ((*CROSSWISE[:2], "--design", "direct", "--reports", "same,different"), "--allow-conclusive"),
}


@pytest.mark.parametrize("of", USAGE)
def test_a_wrong_call_is_a_usage_error(path: Path, of: str) -> None:
    options, words = USAGE[of]
    result = sotto(path, *options)
    assert (result.exit_code, result.stdout) == (2, "")
    assert words in result.stderr


WRONG = {
    "no column": (("--column", "age", *CROSSWISE[2:]), "has no column 'age'"),
    "no group": ((*CROSSWISE, "--by", "age"), "has no column 'age'"),
    "no report": (("--column", "half", *CROSSWISE[2:]), "column half, row 2: 'a' must be one of the reports"),
    "no weight": ((*CROSSWISE, "--weights", "school"), "column school, row 2: 'east0' must be a number"),
    "respondents": (
        (*CROSSWISE, "--weights", "weight", "--target", "respondents"),
        "--target (respondents) does not go with --weights",
    ),
    "a method": ((*CROSSWISE, "--weights", "weight", "--method", "hoeffding"), "method (hoeffding) does not go with"),
    "no person": ((*CROSSWISE, "--strata", "school", "--clusters", "school"), "only one was drawn"),
}


@pytest.mark.parametrize("of", WRONG)
def test_what_a_file_does_not_say_is_an_error_of_one_line(path: Path, of: str) -> None:
    options, words = WRONG[of]
    result = sotto(path, *options)
    assert (result.exit_code, result.stdout) == (1, "")
    assert words in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_programs_estimate_files(path: Path) -> None:
    found = estimate(path, column="cheated", design="crosswise(prob=1/6)")
    assert found["cheated"][0].share == of_counts(230, 370).rows[0].share  # type: ignore[union-attr]
    arms = estimate(path, column="cheated", arm="half", design={"a": "crosswise(prob=1/6)", "b": "crosswise(prob=.2)"})
    assert len(arms.designs) == 2
    weighted = estimate(path, column="cheated", design="crosswise(prob=p)", sampling=SamplingColumns(weights="weight"))
    assert weighted.options.method == "linearised"


def test_groups_are_for_programs_too(path: Path) -> None:
    groups = read_data(path, "cheated", "crosswise(prob=1/6)", by="region").estimate_groups()
    assert groups.to_frame()["group"].tolist() == [*N_SAME]
    assert groups.to_dict() == json.loads(printed(path, *CROSSWISE, "--by", "region", "--json"))
    assert '<th scope="col">region</th>' in groups._repr_html_()
    assert str(groups).endswith("n by region: east 200, north 200, south 200 reports")


def test_a_wrong_call_of_a_program_is_an_error(path: Path) -> None:
    with pytest.raises(SourceError, match="a table is of one file, and 2 are named"):
        estimate([path, path], column="cheated", design="direct")
    frame = pd.read_csv(path)
    with pytest.raises(SourceError, match="a data frame has one row per person: name the column"):
        estimate(frame)
    with pytest.raises(SourceError, match="column goes with one file, or one data frame"):
        estimate(frame, column="cheated", design="direct", wave=1)
    with pytest.raises(SourceError, match="must be a URL, paths of files, a tally or a data frame, not dict"):
        read_data({"cheated": [1]}, "cheated", "direct")  # type: ignore[arg-type]
    with pytest.raises(SourceError, match="go with a table's column"):
        estimate(path, design="direct")
    with pytest.raises(DomainError, match="arm and several designs go together"):
        estimate(path, column="cheated", design={"a": "direct"})
    with pytest.raises(NoReportsError, match="name a column of groups"):
        read_data(path, "cheated", "crosswise(prob=1/6)").estimate_groups()


def test_a_data_frame_is_what_its_csv_is(path: Path) -> None:
    frame = pd.read_csv(path)
    by_file, by_frame = (read_data(of, "cheated", "crosswise(prob=1/6)", by="region") for of in (path, frame))
    shares = ["group", "share", "low", "high"]
    assert by_frame.estimate_groups().to_frame()[shares].equals(by_file.estimate_groups().to_frame()[shares])
    weights = SamplingColumns(weights="weight", clusters="school")
    said = [estimate(of, column="cheated", design="crosswise(prob=p)", sampling=weights).rows for of in (path, frame)]
    assert said[0] == said[1]
    frame.loc[0, "cheated"] = None
    found = estimate(frame, column="cheated", design="crosswise(prob=1/6)")
    assert (found.n_reports, found.title) == (599, "the data frame")
    assert found.file_rows is not None
    assert "1 of 600 rows are left out" in found.file_rows.left_out
