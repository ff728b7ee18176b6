"""`sotto test` and `compare`: groups from every source, the same numbers in all outputs, bad input refused."""

import csv
import json
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result
from hypothesis import given, strategies as st
from scipy import stats

from fault_server import Scripted, fault_server
from sotto_client.cli import main
from sotto_estimator import Channel, DomainError, Group, compare_groups, confidence_interval, read_data
from sotto_estimator.comparing.adjusted import HOLM, holm
from sotto_estimator.comparing.bonferroni import difference_from_two_intervals, p_of_two
from sotto_estimator.comparing.compare import CompareOptions
from sotto_estimator.comparing.group_estimates import side_of_group
from sotto_estimator.comparing.tested_shares import ShareTestOptions, shares_tested
from sotto_estimator.comparing.trend import trend_of_sides
from sotto_estimator.intervals.intervals import IntervalOptions
from sotto_protocol import Coins, Survey, Tally, compile_toml

YEARLY = compile_toml("""
id = "yearly"
title = "Yearly"
waves = 3
[[questions]]
id = "paid"
type = "yes-no"
text = "Is it paid?"
epsilon = 2
[[questions]]
id = "hours"
type = "number"
text = "How many hours?"
minimum = 0
maximum = 20
unit = "hours"
epsilon = 2
""")
HALF = Channel.forced_response(1 / 2, 1 / 2)
COUNTS = ("--yes", "120", "--n", "400", "--other-yes", "90", "--other-n", "380", "--truth", "1/2")
EXTENDED = ("--counts", "66,95", "--counts", "59,105")


def sotto(*words: object) -> Result:
    return CliRunner().invoke(main, ["test", *map(str, words)])


def tally_of(survey: Survey, wave: int, n: int, share: float) -> Tally:
    has = (np.arange(n) < n * share).astype(int)
    return Tally.of(
        survey, survey.perturb({"paid": has, "hours": 5 + 5 * has}, Coins(np.random.default_rng(wave).bytes), wave)
    )


def test_counts_give_the_same_numbers_in_every_output() -> None:
    table, document = sotto("groups", *COUNTS), json.loads(sotto("groups", *COUNTS, "--json").stdout)
    (row,) = document["rows"]
    (record,) = csv.DictReader(sotto("groups", *COUNTS, "--csv").stdout.splitlines())
    assert row["difference"] == pytest.approx((90 / 380 - 120 / 400) / 0.5)
    assert float(record["difference_low"]) == row["difference_low"]
    assert f"{100 * row['difference']:+.2f} %" in table.stdout
    assert document["level"] == float(record["level"]) == 0.95
    assert (row["test"], row["interval"], row["ratio_high"]) == ("fisher", "chernoff", None)


def test_respondents_of_drawn_questions_are_those_who_were_asked() -> None:
    drawn = replace(YEARLY, draw=1)
    answers = {"paid": np.arange(600) % 2, "hours": np.full(600, 5)}
    tallies = {name: Tally.of(drawn, drawn.perturb(answers, Coins(np.random.default_rng(1).bytes), 1)) for name in "ab"}
    said = compare_groups(tallies, options=IntervalOptions(target="respondents")).as_table()
    assert "about those respondents who were asked" in said
    assert "about the population" in compare_groups(tallies).as_table()


def test_another_channel_or_target_has_no_fisher_test() -> None:
    groups = {"a": Group(120, 400, HALF), "b": Group(90, 380, Channel(0.8, 0.2))}
    assert compare_groups(groups).rows[0].test == "chernoff"
    same = {"a": Group(120, 400, HALF), "b": Group(90, 380, HALF)}
    assert compare_groups(same, options=IntervalOptions(target="respondents")).rows[0].test == "chernoff"


def test_waves_of_a_survey_may_be_of_the_same_people() -> None:
    waves = {str(wave): tally_of(YEARLY, wave, 3_000, share) for wave, share in ((1, 0.2), (2, 0.5))}
    found, of_others = compare_groups(waves, question="paid"), compare_groups(waves, question="paid", people="other")
    assert found.rows[0].interval == "two intervals"
    assert of_others.rows[0].interval == "chernoff"
    assert found.options["people"] == "same"
    for row in (found.rows[0], of_others.rows[0]):
        assert row.difference_low < 0.3 < row.difference_high
        assert row.verdict == "more"
    assert found.rows[0].difference_low < of_others.rows[0].difference_low
    mean = compare_groups(waves, question="hours").rows[0]
    assert mean.difference_low < 1.5 < mean.difference_high
    assert (mean.unit, mean.ratio_low, mean.answer) == ("hours", None, "")


def test_the_head_says_which_questions_intervals_are_made_in_which_way() -> None:
    groups = {name: tally_of(YEARLY, wave, 3_000, 0.2) for wave, name in enumerate(("a", "b"), 1)}
    assert compare_groups(groups, people="other", options=IntervalOptions(simultaneous=True)).lines == (
        "95 % intervals, guaranteed for any number of reports, all valid together, about the population",
        "intervals of paid: by the Chernoff bound of the difference of two independent groups",
        "intervals of hours: from each group's own interval, at half the error each; valid for related groups, too",
        "P of equality of paid: by Fisher's exact test",
        f"P of equality of hours: by the two intervals{HOLM}",
    )
    (_, made, tested) = compare_groups(groups, people="other", question="paid").lines
    assert made == "intervals: by the Chernoff bound of the difference of two independent groups"
    assert tested == "P of equality: by Fisher's exact test"


def test_two_intervals_hold_however_answers_depend() -> None:
    """Of the same n people, whose noise is kept, all pairs of counts: of equal answers, and of opposite ones."""
    n, channel, level = 9, Channel(0.75, 0.25), 0.8
    sides = [side_of_group(Group(s, n, channel), 1.1, "respondents") for s in range(n + 1)]
    found = {
        (i, j): difference_from_two_intervals(sides[i], sides[j], level) for i, j in product(range(n + 1), repeat=2)
    }
    for k in range(n + 1):
        counts = np.convolve(stats.binom.pmf(range(k + 1), k, 0.75), stats.binom.pmf(range(n - k + 1), n - k, 0.25))
        for second, difference in ((lambda s: s, 0.0), (lambda s: n - s, 1 - 2 * k / n)):
            inside = [counts[s] for s in range(n + 1) if found[s, second(s)][0] <= difference <= found[s, second(s)][1]]
            assert sum(inside) >= level


def test_the_p_value_of_two_intervals_is_where_they_part() -> None:
    sides = [side_of_group(Group(s, 500, HALF), 1.1, "population") for s in (200, 260)]
    p_value = p_of_two(*sides)
    assert (
        difference_from_two_intervals(*sides, 1 - p_value * 1.001)[0]
        > 0
        > difference_from_two_intervals(*sides, 1 - p_value * 0.999)[0]
    )
    assert p_of_two(sides[0], sides[0]) == 1
    assert 0 < p_of_two(side_of_group(Group(0, 9_000, HALF), 1.1, "population"), sides[1]) <= 1e-8


def test_all_rows_hold_together_where_that_is_asked() -> None:
    groups = {name: Group(count, 400, HALF) for name, count in (("a", 120), ("b", 150), ("c", 180))}
    alone, together = compare_groups(groups), compare_groups(groups, options=IntervalOptions(simultaneous=True))
    for one, other in zip(alone.rows, together.rows, strict=True):
        assert other.difference_low < one.difference_low < one.difference_high < other.difference_high
    assert [row.group for row in alone.rows] == ["b", "c"]
    assert [row.p_value for row in together.rows] == holm([row.p_value for row in alone.rows])


@pytest.mark.parametrize("kind", ["share", "trend"])
def test_p_values_of_shares_and_trends_hold_together_by_holms_method(kind: str) -> None:
    def p_values(*, simultaneous: bool) -> list[float]:
        sides = {
            name: [side_of_group(Group(count + 9 * at, 400, HALF), 1, "population", f"q{at}") for at in range(3)]
            for name, count in (("a", 120), ("b", 130), ("c", 150))
        }
        if kind == "share":
            rows = shares_tested("t", {"": sides["b"]}, ShareTestOptions(0.1, simultaneous=simultaneous)).rows
            return [row.p_value or 0 for row in rows]
        return [row.p_value or 0 for row in trend_of_sides("t", sides, CompareOptions(simultaneous=simultaneous)).rows]

    alone, together = p_values(simultaneous=False), p_values(simultaneous=True)
    assert together == holm(alone) != alone


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8), st.floats(0.001, 0.5))
def test_p_values_that_hold_together_find_what_holms_steps_do(p_values: list[float], alpha: float) -> None:
    together, n = holm(p_values), len(p_values)
    found, rising = set(), sorted(range(n), key=lambda place: p_values[place])
    for n_before, place in enumerate(rising):  # step down: the first that is too large ends it
        if min(1.0, (n - n_before) * p_values[place]) > alpha:
            break
        found.add(place)
    assert {place for place, p_value in enumerate(together) if p_value <= alpha} == found
    for one, other in zip(p_values, together, strict=True):
        assert one <= other <= min(1, n * one)


def test_a_comparison_that_holds_at_every_look_is_wider() -> None:
    groups = {"a": Group(120, 400, HALF), "b": Group(190, 400, HALF)}
    once, ever = (
        compare_groups(groups).rows[0],
        compare_groups(groups, options=IntervalOptions(method="anytime")).rows[0],
    )
    assert ever.interval == ever.test == "anytime"
    assert ever.difference_low < once.difference_low
    with pytest.raises(DomainError, match="anytime needs groups of other people"):
        compare_groups(groups, options=IntervalOptions(method="anytime"), people="same")


def test_groups_of_a_csv_are_those_of_its_counts(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    rows = [
        f"{region},{'yes' if row < count else 'no'}"
        for region, count in (("east", 60), ("west", 100))
        for row in range(200)
    ]
    path.write_text("\n".join(["region,cheated", *rows]))
    asked = (path, "--column", "cheated", "--by", "region", "--truth", "1/2")
    (row,) = json.loads(sotto("groups", *asked, "--json").stdout)["rows"]
    expected = compare_groups({"east": Group(60, 200, HALF), "west": Group(100, 200, HALF)}).rows[0]
    assert row["p_value"] == expected.p_value
    assert row["reference"] == "east"
    data = read_data(path, "cheated", "forced(prob_forced_yes=1/4, prob_forced_no=1/4)", by="region")
    assert compare_groups(data).rows[0].difference_low == expected.difference_low
    assert compare_groups(data).to_frame()["group"].tolist() == ["west"]
    assert "<td>west - east</td>" in compare_groups(data)._repr_html_()
    assert sotto("groups", *asked[:3], *asked[5:]).exit_code == 2


def test_waves_of_a_collector_and_tally_files_are_groups(tmp_path: Path) -> None:
    tallies = [tally_of(YEARLY, wave, 900, 0.3) for wave in (1, 2)]
    paths = [tmp_path / name for name in ("one.json", "two.json")]
    for path, tally in zip(paths, tallies, strict=True):
        path.write_bytes(tally.to_json())
    of_files = json.loads(sotto("groups", *paths, "--question", "paid", "--json").stdout)
    assert of_files["people"] == "same"
    assert of_files["rows"][0]["n_group"] == 900
    with fault_server(None) as server:
        for wave, tally in enumerate(tallies, 1):
            server.by_address[f"/v1/surveys/yearly/tally?wave={wave}"] = Scripted(200, tally.to_json())
        words = ("groups", server.url, "yearly", "--token", "t", "--question", "paid", "--json", "--wave", "1")
        of_waves = json.loads(sotto(*words, "--wave", "2").stdout)
        assert sotto(*words).exit_code == 2
        assert sotto(*words, "--wave", "2", "--stratum", "a", "--stratum", "b").exit_code == 2
    assert of_waves["people"] == "same"
    assert (of_waves["rows"][0]["reference"], of_waves["rows"][0]["group"]) == ("wave 1", "wave 2")
    assert of_waves["rows"][0]["difference_low"] == of_files["rows"][0]["difference_low"]
    assert sotto("groups", paths[0]).exit_code == 2


def cochran_armitage(counts: list[int], sizes: list[int]) -> float:
    """Return the two-sided P-value by the textbook's formula, of scores 1, 2, .."""
    n, s, x = np.array(sizes), np.array(counts), np.arange(1, len(counts) + 1)
    mean = s.sum() / n.sum()
    variance = mean * (1 - mean) * ((n * x**2).sum() - (n * x).sum() ** 2 / n.sum())
    return float(2 * stats.norm.sf(abs((x * (s - n * mean)).sum()) / np.sqrt(variance)))


def test_a_trend_of_one_channel_is_cochrans_and_armitages() -> None:
    counts, sizes = [60, 75, 95], [200, 210, 190]
    groups = {
        str(at): [side_of_group(Group(s, n, HALF), 1.1, "population")]
        for at, (s, n) in enumerate(zip(counts, sizes, strict=True))
    }
    (row,) = trend_of_sides("", groups, CompareOptions()).rows
    assert row.p_value == pytest.approx(cochran_armitage(counts, sizes), rel=1e-9)
    assert row.slope == pytest.approx(np.polyfit([1, 2, 3], row.estimates, 1, w=np.sqrt(sizes))[0])
    (same,) = trend_of_sides("", groups, CompareOptions(people="same")).rows
    assert same.standard_error > row.standard_error
    assert same.p_value > row.p_value


@pytest.mark.thorough
def test_a_trends_level_holds_about() -> None:
    """P of the true null below .05 in 5 %: of 4,000 the deviation is .0034, so .03 and .07 are 6 of them off."""
    rng, n_found = np.random.default_rng(5), 0
    channels = (HALF, Channel(0.8, 0.3), HALF)
    for _ in range(4_000):
        groups = {
            str(at): [side_of_group(Group(int(rng.binomial(300, of.reported_share(0.3))), 300, of), 1.1, "population")]
            for at, of in enumerate(channels)
        }
        n_found += trend_of_sides("", groups, CompareOptions()).rows[0].p_value <= 0.05
    assert 0.03 < n_found / 4_000 < 0.07


@pytest.mark.parametrize("target", ["population", "respondents"])
@pytest.mark.parametrize("counts", ["0,10", "10,0", "3,7"])
def test_a_trend_of_equal_groups_is_none_even_without_an_error(counts: str, target: str) -> None:
    words = ["--design", "direct", "--allow-conclusive", "--target", target, *["--counts", counts] * 3]
    (row,) = json.loads(sotto("trend", *words, "--json").stdout)["rows"]
    assert (row["p_value"], row["verdict"], row["slope"]) == (1, "no trend found", 0)


def test_a_trend_of_shares_that_are_known_is_certain() -> None:
    words = ["--design", "direct", "--allow-conclusive", "--target", "respondents"]
    counts = ["--counts", "30,70", "--counts", "40,60", "--counts", "45,55"]
    (row,) = json.loads(sotto("trend", *words, *counts, "--json").stdout)["rows"]
    assert (row["p_value"], row["verdict"]) == (0, "rises")
    assert row["slope_low"] == row["slope"] == row["slope_high"] == pytest.approx(0.075)


def test_a_trend_of_fewer_reports_than_it_asks_for_is_warned_of() -> None:
    """Of 30 reports in a group, 70 of 90 in all, 30 x 20 / 90 = 6.67 are of the rarer kind; of the 45 many more."""
    few = ["--counts", "20,10", "--counts", "20,10", "--counts", "30,0", "--design", "crosswise(prob=1/6)"]
    enough = ["--counts", "20,25", "--counts", "20,25", "--counts", "25,20", "--design", "crosswise(prob=1/6)"]
    (row,) = json.loads(sotto("trend", *few, "--json").stdout)["rows"]
    assert row["warning"].startswith("6.7 reports of the rarer kind are expected in a group")
    assert row["warning"] in " ".join(sotto("trend", *few).stdout.split())
    (record,) = csv.DictReader(sotto("trend", *few, "--csv").stdout.splitlines())
    assert record["warning"] == row["warning"]
    (row,) = json.loads(sotto("trend", *enough, "--json").stdout)["rows"]
    assert row["warning"] == ""


def test_a_trend_is_found_by_the_command_with_its_scores() -> None:
    words = ("trend", "--counts", "60,140", "--counts", "70,130", "--counts", "90,110", "--truth", "1/2", "--json")
    (row,) = json.loads(sotto(*words).stdout)["rows"]
    (scored,) = json.loads(sotto(*words, "--scores", "0,10,20").stdout)["rows"]
    assert scored["slope"] == pytest.approx(row["slope"] / 10)
    assert row["interval"] == "approximate"
    assert row["verdict"] == "rises"


def test_a_share_is_tested_by_the_interval_that_is_shown() -> None:
    words = ("share", "--yes", "400", "--n", "1000", "--truth", "1/2", "--json", "--null")
    low, high = confidence_interval(400, 1000, HALF, method="clopper-pearson")
    for null in np.linspace(0.2, 0.4, 9):
        (row,) = json.loads(sotto(*words, f"{null:.6f}").stdout)["rows"]
        assert (row["p_value"] <= 0.05) == (not low <= round(null, 6) <= high) == (row["verdict"] == "another")
    assert "yes: the share differs from 20 %." in sotto(*words[:-2], "--null", ".2").stdout
    (row,) = json.loads(sotto(*words, "0.2", "--alternative", "greater").stdout)["rows"]
    assert row["verdict"] == "greater"
    assert (
        "yes: the share is greater than 20 %." in sotto(*words[:-2], "--null", ".2", "--alternative", "greater").stdout
    )


def test_an_interval_that_holds_no_share_is_shown_as_none() -> None:
    """220 yes of 1,000, where 250 come of the forced responses alone: rare, though not so rare that it contradicts."""
    words = ("share", "--yes", "220", "--n", "1000", "--truth", "1/2", "--null", "0")
    (row,) = json.loads(sotto(*words, "--json").stdout)["rows"]
    assert (row["low"], row["high"], row["verdict"]) == (None, None, "another")
    assert sotto(*words).stdout.splitlines()[-3].count(" none ") == 1


@pytest.mark.parametrize("how", [(), ("--target", "respondents")])
@pytest.mark.parametrize("swap", [False, True])
def test_an_interval_that_holds_no_difference_is_shown_as_none(how: tuple[str, ...], swap: bool) -> None:
    """127 points apart: no difference that is possible is likely enough, though each count is."""
    (yes, other) = (38, 165) if swap else (165, 38)
    words = ("--yes", f"{yes}", "--n", "200", "--other-yes", f"{other}", "--other-n", "200", "--warner", ".75", *how)
    typed = CliRunner().invoke(main, ["test", "groups", *words])
    (row,) = json.loads(CliRunner().invoke(main, ["test", "groups", *words, "--json"]).stdout)["rows"]
    assert (row["difference_low"], row["difference_high"]) == (None, None)
    assert "none" in typed.stdout
    assert row["verdict"] == ("more" if swap else "less")


def test_a_difference_of_respondents_may_be_all() -> None:
    words = ("--yes", "0", "--n", "40", "--other-yes", "40", "--other-n", "40", "--design", "direct")
    typed = ["test", "groups", *words, "--allow-conclusive", "--people", "same", "--target", "respondents", "--json"]
    (row,) = json.loads(CliRunner().invoke(main, typed).stdout)["rows"]
    assert (row["difference_low"], row["difference_high"]) == (1, 1)


def test_counts_that_contradict_the_design_are_warned_of() -> None:
    asked = ("groups", "--design", "warner(prob=.7)", "--counts", "5,195", "--counts", "100,100")
    found = sotto(*asked, "--json")
    (void,) = json.loads(found.stdout)["contradictions"]
    assert (void["group"], void["support_count"]) == ("group 1", 5)
    assert found.stderr.startswith("Warning: group 1: 5 of 200 reports say yes")
    assert sotto(*asked).stderr == found.stderr
    share = sotto("share", *asked[1:5], "--null", ".1", "--json")
    assert [of["group"] for of in json.loads(share.stdout)["contradictions"]] == [""]
    assert share.stderr.startswith("Warning: 5 of 200 reports")
    honest = sotto("groups", *COUNTS, "--json")
    assert (json.loads(honest.stdout)["contradictions"], honest.stderr) == ([], "")


def test_help_lists_no_option_that_is_refused() -> None:
    for name in ("share", "groups", "trend"):
        said = sotto(name, "--help").stdout
        assert "--by " in said
        assert not any(f"--{of}" in said for of in ("weights", "strata", "clusters", "post-stratify", "margins"))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("groups", *COUNTS[:6], *COUNTS[8:]), "--other-yes and --other-n go together"),
        (("groups", *COUNTS[:4], *COUNTS[8:]), "must be two or more"),
        (("groups", *COUNTS[:5], "500", *COUNTS[6:]), "must be in [0, n]"),
        (("groups", *COUNTS, "--wave", "1"), "--wave and --stratum go with a collector's URL"),
        (("groups", *COUNTS, "--question", "what"), "must be among those with reports"),
        (("groups",), "Give a collector's URL and a survey"),
        (("groups", "a.json", "a.json"), "two or more different files"),
        (("trend", *COUNTS[:4], *COUNTS[8:]), "must be 3 or more"),
        (("trend", "--scores", "1,x", "--yes", "1", "--n", "9", "--truth", "1/2"), "must be numbers"),
        (("groups", "--design", "extended-crosswise(prob=1/5)", *EXTENDED), "with several samples make one group"),
        (("share", "--null", ".2", "--yes", "1", "--n", "9"), "how people were asked"),
        (("share", "--null", "2", *COUNTS[:4], *COUNTS[8:]), "--null"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(words: tuple[str, ...], said: str) -> None:
    found = sotto(*words)
    assert found.exit_code in (1, 2)
    assert said in found.output
    assert "Traceback" not in found.output


def test_compare_in_python_warns_of_the_same_counts_as_the_command(tmp_path: Path) -> None:
    spinner = Channel(0.7, 0.3)
    found = compare_groups({"group 1": Group(100, 200, spinner), "group 2": Group(5, 200, spinner)})
    words = ["test", "groups", "--design", "warner(prob=.7)", "--counts", "100,100", "--counts", "5,195", "--json"]
    members = json.loads(CliRunner().invoke(main, words).stdout)
    assert json.loads(found.as_json())["contradictions"] == members["contradictions"]
    [warning] = found.warnings
    assert warning.startswith("group 2: ")
    assert compare_groups({"a": Group(100, 200, spinner), "b": Group(90, 200, spinner)}).warnings == []
    rows = ["of,said", *["a,1", "a,0"] * 100, *["b,1"] * 5, *["b,0"] * 195, ""]
    (tmp_path / "p.csv").write_text("\n".join(rows))
    [of_file] = compare_groups(read_data(tmp_path / "p.csv", "said", "warner(prob=.7)", by="of")).warnings
    assert of_file.startswith("of b: ")


def test_compare_in_python_warns_of_tallies_of_the_question_that_is_asked() -> None:
    toml = 'id = "s"\ntitle = "S"\n' + "".join(
        f'[[questions]]\nid = "{name}"\ntype = "yes-no"\ntext = "?"\nmechanism = "warner"\nprob_truth = "0.7"\n'
        for name in ("paid", "stay")
    )
    survey = compile_toml(toml)
    honest = {name: np.arange(400) % 2 for name in ("paid", "stay")}
    fine = Tally.of(survey, survey.perturb(honest, Coins(np.random.default_rng(1).bytes)))
    shown = Tally.of(survey, survey.perturb(honest, Coins(lambda n: b"\0" * n)))
    for asked, n_warned in (("", 2), ("paid", 1)):
        found = compare_groups({"north": fine, "south": shown}, question=asked, people="other")
        assert len(found.warnings) == n_warned, found.warnings
        assert all(warning.startswith("south: ") for warning in found.warnings)
