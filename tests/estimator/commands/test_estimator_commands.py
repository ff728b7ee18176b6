"""`sotto estimate` and `sotto plan` as a person types them."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from sotto_client.cli import main
from sotto_protocol import Tally, compile_toml


def sotto(*arguments: str) -> Result:
    return CliRunner().invoke(main, list(arguments))


def test_counts_of_a_paper_survey_give_an_estimate() -> None:
    result = sotto("estimate", "--yes", "831", "--n", "2435", "--truth", "2/3", "--forced-yes", "1/2", "--json")
    assert result.exit_code == 0
    row = json.loads(result.stdout)["estimates"][0]
    assert row["share"] == pytest.approx(0.26191, abs=1e-5)
    assert row["low"] < row["share"] < row["high"]


@pytest.mark.parametrize("spinner", [("--warner", "0.75"), ("--epsilon", "1.09861228866811")])
def test_the_two_ways_to_say_warner_agree_with_two_coins(spinner: tuple[str, str]) -> None:
    coins = sotto("estimate", "--yes", "400", "--n", "1000", "--truth", "0.5")
    said = [line for line in coins.stdout.splitlines() if not line.startswith("design ")]
    warner = sotto("estimate", "--yes", "400", "--n", "1000", *spinner).stdout.splitlines()
    assert [line for line in warner if not line.startswith("design ")] == said
    assert "30.00 %" in coins.stdout


@pytest.mark.parametrize("half", ["1/2", ".5", "0.5", "0.50000000000000000", "05000000000000000/10000000000000000"])
def test_a_probability_is_a_decimal_or_a_fraction(half: str) -> None:
    coins = sotto("estimate", "--yes", "400", "--n", "1000", "--truth", "0.5", "--forced-yes", half)
    assert "30.00 %" in coins.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "Give a collector's URL and a survey"),
        (["--yes", "4", "--n", "10"], "Say how people were asked: add --design, --truth"),
        (["--yes", "4", "--warner", "0.6"], "Counts need both --yes and --n"),
        (["--yes", "11", "--n", "10", "--truth", "1/2"], "--yes: (11) must be in [0, n] (n = 10)"),
        (["--yes", "4", "--n", "10", "--warner", "0.6", "--epsilon", "1"], "give one"),
        (["--yes", "4", "--n", "10", "--forced-yes", "0.6"], "--forced-yes goes with --truth"),
        (["--yes", "4", "--n", "10", "--truth", "2/0"], "must be a decimal or a fraction"),
        (["--yes", "4", "--n", "10", "--truth", "1.5"], "must be in [0, 1]"),
        (
            ["--yes", "4", "--n", "10", "--truth", "1e999999999"],
            "'--truth': (1e999999999) must be a decimal or a fraction",
        ),
        (["--yes", "4", "--n", "10", "--truth", "1e-20"], "'--truth': (1e-20) must be a decimal or a fraction"),
        (["--yes", "4", "--n", "10", "--truth", "."], "'--truth': (.) must be a decimal or a fraction"),
        (
            ["--yes", "4", "--n", "10", "--truth", "0." + 18 * "1"],
            "'--truth': (0.111111111111111111) must be a decimal or a fraction",
        ),
        (["--yes", "4", "--n", "10", "--truth", "0." + 16 * "0" + "1"], "--truth: must be above 0"),
        (["--yes", "4", "--n", "10", "--truth", "0"], "--truth: must be above 0"),
        (["--yes", "4", "--n", "10", "--warner", "0.5"], "--warner: must be above or below 1/2"),
        (["--yes", "4", "--n", "10", "--epsilon", "1e-20"], "--epsilon: must be above 0"),
        (["tally.json", "--yes", "4", "--n", "10", "--truth", "1/2"], "one of the four"),
        (["--yes", "4", "--n", "10", "--warner", ".7", "--prob", ".5"], "--prob goes with --design, and not with"),
        (["--yes", "4", "--n", "10", "--epsilon", "1", "--prob", ".5"], "--prob goes with --design, and not with"),
        (["--yes", "4", "--n", "10", "--warner", ".7", "--wave", "1"], "--wave goes with a collector's URL."),
        (["--yes", "4", "--n", "10", "--warner", ".7", "--stratum", "a"], "--stratum goes with a collector's URL."),
        (["--yes", "4", "--n", "10", "--warner", ".7", "--by-stratum"], "--by-stratum goes with a collector's URL."),
        (
            ["a.csv", "--column", "a", "--warner", ".7", "--save-tally", "t.json"],
            "--save-tally goes with a collector's URL, or with tally files.",
        ),
        (["a.csv", "--column", "a", "--warner", ".7", "--wave", "1"], "--wave goes with a collector's URL."),
        (["http://127.0.0.1:9", "lunch", "extra"], "followed by one survey's id"),
        (["http://127.0.0.1:9", "lunch"], "give --token, or set SOTTO_TOKEN"),
        (["tally.json", "--token", "t"], "--token goes with a collector's URL."),
        (["--yes", "4", "--n", "10", "--truth", "1/2", "--token", "t"], "--token goes with a collector's URL."),
        (["--yes", "4", "--n", "10", "--truth", "1/2", "--json", "--csv"], "Give --json or --csv, one of the two."),
        (["--level", "1", "--yes", "4", "--n", "10", "--truth", "1/2"], "--level"),
    ],
)
def test_a_wrong_call_is_a_usage_error(arguments: list[str], message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SOTTO_TOKEN", raising=False)
    result = sotto("estimate", *arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stdout == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none.json"], "none.json cannot be read"),
        (["http://127.0.0.1:9", "lunch", "--token", "t"], "could not be reached"),
        (["--yes", "4", "--n", "10", "--truth", "1/2", "--plot", "plot.exe"], "must end in .png"),
    ],
)
def test_a_bad_value_is_one_line_and_exit_code_one(arguments: list[str], message: str) -> None:
    result = sotto("estimate", *arguments)
    assert result.exit_code == 1
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_the_same_tally_twice_is_counted_with_a_warning(tmp_path: Path) -> None:
    survey = compile_toml('id = "a"\ntitle = "A"\n[[questions]]\nid = "b"\ntype = "yes-no"\ntext = "?"\nepsilon = 1\n')
    for name in ("monday.json", "copy.json"):
        (tmp_path / name).write_bytes(Tally(survey, {1: 9}, {"b": np.array([5])}).to_json())
    result = sotto("estimate", str(tmp_path / "monday.json"), str(tmp_path / "copy.json"))
    assert result.exit_code == 0
    assert "n = 18 reports" in result.stdout
    assert result.stderr.startswith(f"Warning: {tmp_path}/copy.json has the same tally as {tmp_path}/monday.json. ")


def test_a_plan_for_a_half_width_gives_it(tmp_path: Path) -> None:
    asked = ("plan", "--epsilon", "1", "--options", "5", "--half-width", "0.02", "--method", "hoeffding")
    rows_of = sotto(*asked, "--json").stdout
    rows = {row["mechanism"]: row for row in json.loads(rows_of)["plan"]}
    named = {"k-ary", "geometry", "sue", "oue", "dBitFlip, 4 of 5 bits", "trusted curator, Laplace", "no privacy"}
    assert set(rows) == named
    assert rows["dBitFlip, 4 of 5 bits"]["n_reports"] == -(-rows["sue"]["n_reports"] * 5 // 4)
    for row in rows.values():
        assert row["half_width"] <= 0.02
    assert rows["no privacy"]["n_reports"] == 4612  # ln(40) / (2 * 0.02^2) = 4611.1
    assert rows["no privacy"]["n_reports"] < rows["trusted curator, Laplace"]["n_reports"] < rows["k-ary"]["n_reports"]


def test_a_plan_for_a_million_people_has_the_known_half_width() -> None:
    result = sotto("plan", "--epsilon", "1", "--n", "1000000", "--method", "hoeffding", "--json")
    warner = json.loads(result.stdout)["plan"][0]
    assert warner["half_width"] == pytest.approx(2.164 * 1.358e-3, rel=1e-3)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "with probability 0.5; --assurance 0.9 plans for more."),
        (("--assurance", "0.9"), "A survey gets it, or a smaller one, with probability 0.9."),
        (("--method", "hoeffding"), "Every survey of that size gets it."),
        (
            ("--target", "respondents"),
            "It is that of the expected count; a survey's own is a little larger or smaller.",
        ),
        (("--options", "5"), "An option is asked of a part of n: as many as on average."),
    ],
)
def test_a_plan_says_how_sure_its_half_width_is(arguments: tuple[str, ...], words: str) -> None:
    asked = ("plan", "--epsilon", "1", "--half-width", "0.05", "--share", "0.1")
    assert words in sotto(*asked, *arguments).stdout


def test_a_plan_for_nine_in_ten_surveys_takes_more_respondents() -> None:
    asked = (
        "plan",
        "--epsilon",
        "1",
        "--half-width",
        "0.05",
        "--share",
        "0.1",
        "--method",
        "clopper-pearson",
        "--json",
    )
    half, most = (json.loads(sotto(*asked, "--assurance", of).stdout) for of in ("0.5", "0.9"))
    assert (half["assurance"], most["assurance"]) == (0.5, 0.9)
    assert half["plan"][0]["n_reports"] == 1594
    assert most["plan"][0]["n_reports"] == 1632


def test_a_plan_for_the_respondents_compares_with_a_curator_s_noise() -> None:
    epsilon = "0.405465108108"  # ln 1.5: Warner at .6
    for n, local, curator in (("100", 0.245, 0.035), ("435", 0.1174, 0.008)):
        result = sotto("plan", "--epsilon", epsilon, "--n", n, "--target", "respondents", "--json")
        rows = json.loads(result.stdout)["plan"]
        assert [row["standard_deviation"] for row in rows[:2]] == pytest.approx([local, curator], abs=5e-4)
        assert rows[2]["standard_deviation"] == rows[2]["half_width"] == 0


def test_a_plan_shows_the_digits_of_a_small_deviation() -> None:
    """sqrt(2) / 10^6: Laplace noise in a share of a million people, at epsilon 1."""
    arguments = ("plan", "--epsilon", "1", "--n", "1000000", "--target", "respondents")
    row = json.loads(sotto(*arguments, "--json").stdout)["plan"][1]
    assert row["standard_deviation"] == pytest.approx(math.sqrt(2) * 1e-6, rel=1e-9)
    (shown,) = [line for line in sotto(*arguments).stdout.splitlines() if "Laplace" in line]
    assert shown.split()[-4:-2] == ["0.00014", "%"]
    assert float(shown.split()[-2]) == pytest.approx(100 * row["half_width"], rel=0.05)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--epsilon", "1"], "Give --n or --half-width"),
        (["--epsilon", "1", "--n", "5", "--half-width", "0.1"], "one of the two"),
        (["--epsilon", "30", "--n", "5"], "--epsilon (30.0) must be in [0.001, 20]"),
        (["--epsilon", "nan", "--n", "5"], "must be"),
        (["--epsilon", "1", "--n", "5", "--assurance", "1"], "--assurance"),
        (
            ["--epsilon", "1", "--n", "5", "--assurance", "0.9", "--target", "respondents"],
            "--assurance (0.9) goes with --target population",
        ),
        (["--epsilon", "1", "--n", "5", "--assurance", "0.9", "--questions", "3"], "does not go with --questions"),
        (
            ["--epsilon", "1", "--n", "5", "--assurance", "0.9", "--minimum", "0", "--maximum", "1"],
            "--assurance does not",
        ),
        (["--epsilon", "1", "--n", "5", "--max-selected", "2"], "goes with --options"),
        (
            ["--epsilon", "1", "--n", "5", "--epsilon-forever", "1"],
            "--epsilon-forever (1.0) must be above --epsilon (1.0)",
        ),
    ],
)
def test_an_impossible_plan_is_a_usage_error(arguments: list[str], message: str) -> None:
    result = sotto("plan", *arguments)
    assert result.exit_code == 2
    assert message in result.stderr


def test_a_plan_of_waves_has_the_mechanisms_of_two_stages() -> None:
    """Four options at epsilon 2: L-GRR's variance is a third of two-stage bits', and that of k-ary in one stage."""

    def variances(*arguments: str) -> dict[str, float]:
        result = sotto(
            "plan", "--epsilon", "2", "--n", "1000", "--target", "respondents", "--share", "0.25", *arguments
        )
        rows = json.loads(result.stdout)["plan"]
        return {row["mechanism"]: row["standard_deviation"] ** 2 for row in rows if row["epsilon"]}

    waves = variances("--options", "4", "--epsilon-forever", "4", "--json")
    assert [*waves] == ["k-ary", "basic-rappor", "oue", "trusted curator, Laplace"]
    assert waves["basic-rappor"] / waves["k-ary"] == pytest.approx(2.99, abs=0.01)
    assert waves["k-ary"] == pytest.approx(variances("--options", "4", "--json")["k-ary"], rel=1e-6)
    for more in ((), ("--options", "4", "--max-selected", "2")):
        assert next(iter(variances(*more, "--epsilon-forever", "4", "--json"))) == "basic-rappor"
    shown = sotto("plan", "--epsilon", "2", "--n", "1000", "--epsilon-forever", "4").stdout
    assert "Widths are for one wave. All reports of one answer take epsilon 4.\n" in shown


def test_csv_has_a_header_and_a_row_for_every_mechanism() -> None:
    lines = sotto("plan", "--epsilon", "1", "--epsilon", "2", "--n", "500", "--csv").stdout.splitlines()
    assert lines[0].startswith("epsilon,mechanism,n_reports,standard_deviation,half_width,")
    assert len(lines) == 1 + 2 * 2 + 1
