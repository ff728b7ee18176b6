"""`sotto plan --plot`: curves of half-widths, and their points."""

import csv
import io
import json
from decimal import Decimal
from itertools import pairwise
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from sotto_client.cli import main
from sotto_estimator.planning.spacing import N_POINTS, decimal_steps, whole_steps
from sotto_estimator.planning.table import QuestionShape, plan_rows
from sotto_estimator.planning.width_curves import curve_lines, curve_points

EPSILONS = [Decimal(1), Decimal(3)]


def plan(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["plan", *arguments])


def auto_width(design: QuestionShape, epsilon: str, n: int) -> float:
    """The half-width of what `auto` takes, in the plan of this one point."""
    rows = plan_rows(design, [Decimal(epsilon)], n, None)
    [row] = [row for row in rows if row.is_auto or row.mechanism == "warner"]
    return row.half_width


def test_steps_are_ends_and_even_parts_between() -> None:
    for low, high in ((2, 3), (7, 10**12), (100, 25_000)):
        steps = whole_steps(low, high)
        assert (steps[0], steps[-1]) == (low, high)
        assert len(steps) <= N_POINTS
        assert steps == sorted(set(steps))
    steps = [float(step) for step in decimal_steps(Decimal("0.1"), Decimal(8))]
    ratios = [later / step for step, later in pairwise(steps)]
    assert max(ratios) / min(ratios) == pytest.approx(1, abs=0.02)


@pytest.mark.thorough
def test_against_n_each_epsilon_has_a_curve_and_no_privacy_too() -> None:
    lines = curve_lines(curve_points("n", QuestionShape(5), EPSILONS, 2000, None), "n")
    assert [*lines] == ["epsilon 1", "epsilon 3", "no privacy"]
    for name, line in lines.items():
        assert [x for x, _ in line] == whole_steps(200, 20_000)
        widths = [width for _, width in line]
        assert widths == sorted(widths, reverse=True), name
    assert lines["epsilon 3"][4][1] == auto_width(QuestionShape(5), "3", int(lines["epsilon 3"][4][0]))


def test_against_n_of_a_half_width_the_curve_passes_it() -> None:
    line = curve_lines(curve_points("n", QuestionShape(), [Decimal(1)], None, 0.05), "n")["epsilon 1"]
    assert line[0][1] > 3 * 0.05 > 0.05 > 0.05 / 3 > line[-1][1]


def test_against_epsilon_is_one_curve_between_the_ends_that_are_given() -> None:
    points = curve_points("epsilon", QuestionShape(5), EPSILONS, 2000, None)
    [(name, line)] = curve_lines(points, "epsilon").items()
    assert (name, line[0][0], line[-1][0]) == ("n = 2,000", 1, 3)
    assert [width for _, width in line] == sorted((width for _, width in line), reverse=True)
    assert line[7][1] == auto_width(QuestionShape(5), str(line[7][0]), 2000)


def test_against_options_each_epsilon_has_a_curve_up_to_as_many_as_are_given() -> None:
    lines = curve_lines(curve_points("options", QuestionShape(12), EPSILONS, 2000, None), "options")
    assert [*lines] == ["epsilon 1", "epsilon 3"]
    assert [x for x, _ in lines["epsilon 1"]] == list(range(2, 13))
    assert lines["epsilon 1"][5][1] == auto_width(QuestionShape(7), "1", 2000)


@pytest.mark.thorough
@pytest.mark.parametrize(
    "against",
    ["options", pytest.param("epsilon", marks=pytest.mark.thorough), pytest.param("n", marks=pytest.mark.rare)],
)
def test_picture_table_json_and_csv_have_the_same_points(against: str, tmp_path: Path) -> None:
    picture = tmp_path / "curve.svg"
    asked = ["--epsilon", "1", "--epsilon", "2", "--n", "800", "--options", "4", "--plot", str(picture)]
    asked += ["--against", against, "--assurance", "0.9"]
    document = json.loads(plan(*asked, "--json").stdout)
    assert (document["against"], document["assurance"]) == (against, 0.9)
    assert "half-width" in picture.read_text()
    rows = list(csv.DictReader(io.StringIO(plan(*asked, "--csv").stdout)))
    assert [float(row["half_width"]) for row in rows] == [point["half_width"] for point in document["curve"]]
    shown = plan(*asked).stdout
    assert "with probability 0.9." in shown
    assert len(shown.splitlines()) == 1 + len(rows) + 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--n", "9", "--against", "n"], "--against goes with --plot,"),
        (["--n", "9", "--plot", "a.svg", "--against", "epsilon"], "needs --epsilon twice"),
        (["--half-width", ".1", "--plot", "a.svg", "--against", "epsilon"], "--against epsilon needs --n"),
        (["--n", "9", "--plot", "a.svg", "--against", "options"], "needs a one-of question with --options 3 or more"),
        (
            ["--n", "9", "--options", "2", "--plot", "a.svg", "--against", "options"],
            "needs a one-of question with --options 3 or more",
        ),
        (["--n", "9", "--plot", "a.svg", "--against", "n", "--questions", "3"], "and not with --questions"),
        (["--n", "9", "--plot", "a.svg", "--against", "n", "--minimum", "0", "--maximum", "1"], "--minimum"),
        (["--n", "9", "--plot", "a.svg", "--against", "n", "--text", "--candidates-n", "9"], "--text"),
        (["--n", "9", "--plot", "a.svg", "--against", "n", "--epsilon-forever", "2"], "or --epsilon-forever."),
        (["--plot", "a.svg"], "Give --n or --half-width"),
    ],
)
def test_what_has_no_curve_is_a_usage_error(arguments: list[str], message: str) -> None:
    result = plan("--epsilon", "1", *arguments)
    assert result.exit_code == 2
    assert message in result.stderr


@pytest.mark.parametrize("place", ["curve.gif", "missing/curve.png"])
def test_a_picture_that_cannot_be_written_is_an_error(place: str, tmp_path: Path) -> None:
    result = plan("--epsilon", "1", "--n", "100", "--plot", str(tmp_path / place))
    assert result.exit_code == 1
    assert "plot (" in result.stderr
    assert "Traceback" not in result.output
