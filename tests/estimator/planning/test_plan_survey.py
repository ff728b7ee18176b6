"""`sotto plan SURVEY_FILE`: what a whole survey will show of a crowd, and what it will not."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import stats

from console import Console
from planned import LUNCH, plan_file, survey_of
from sotto_client.cli import main
from sotto_estimator.channel.channel import TARGETS, Channel, Target
from sotto_estimator.inference.registry import channel_of
from sotto_estimator.intervals.intervals import share_bounds
from sotto_estimator.intervals.methods import METHODS
from sotto_estimator.planning.options import PlanOptions
from sotto_estimator.planning.outlook import width_of
from sotto_estimator.planning.share_outlook import told_from_zero
from sotto_estimator.planning.survey import answers_of, part_drawn, plan_survey, respondents_of
from sotto_estimator.planning.widths import half_width
from sotto_estimator.strings.plan import POWER
from sotto_protocol import compile_toml


def test_widths_are_those_of_estimates_for_both_targets_by_themselves_and_together() -> None:
    survey = survey_of()
    plan = plan_survey(survey, 300, PlanOptions())
    assert plan.n_intervals == 1 + 5 + 4 + 1
    (paid, cuisine, habits, hours, dish) = plan.questions
    for target in TARGETS:
        for is_together, n_intervals in ((False, 1), (True, 11)):
            options = PlanOptions(method="chernoff", target=target)
            for one, n in ((paid, 300), (cuisine, 300), (habits, 75)):
                expected = half_width(n, channel_of(one.question), options, n_intervals=n_intervals)
                assert one.of(target, is_together=is_together).half_width == expected
    assert habits.n_answers == 75  # of four options each device is asked one
    assert hours.of("population").half_width == width_of(hours.question, 300, PlanOptions())
    assert dish.of("population").half_width is None
    assert dish.width == dish.of("respondents").smallest_share


def test_a_drawn_question_has_its_part_of_the_answers_and_respondents_are_never_one_too_few() -> None:
    survey = survey_of(draw=2)
    paid, habits = survey.questions[0], survey.questions[2]
    part = part_drawn(survey)
    assert [answers_of(paid, n, part) for n in (300, 299, 1)] == [120, 119, 1]
    assert answers_of(habits, 300, part) == 30
    for question in (paid, habits):
        for needed in range(1, 200):
            n = respondents_of(question, needed, part)
            assert answers_of(question, n, part) == needed
            assert needed == 1 or answers_of(question, n - 1, part) == needed - 1


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("n", [17, 60])
def test_the_smallest_share_is_told_from_none_with_the_power_by_enumeration(
    method: str, target: Target, n: int
) -> None:
    channel = Channel.warner_of_epsilon(2.0)
    counts = np.arange(n + 1)
    low, _ = share_bounds(counts, n, channel, level=0.95, method=method, target=target)
    share = told_from_zero(n, channel, PlanOptions(method=method), target)
    assert share is not None

    def power(at: float) -> float:
        if target == "population":
            pmf = stats.binom.pmf(counts, n, channel.reported_share(at))
        else:
            people = round(at * n)
            true = stats.binom.pmf(np.arange(people + 1), people, channel.prob_support_if_true)
            other = stats.binom.pmf(np.arange(n - people + 1), n - people, channel.prob_support_if_other)
            pmf = np.convolve(true, other)
        return float(pmf[low > 0].sum())

    assert power(share) >= POWER - 1e-6
    below = share - 1e-4 if target == "population" else share - 1 / n
    assert power(below) < POWER


@pytest.mark.parametrize("share", [0.0, 0.02, 0.5])
def test_groups_are_told_apart_as_often_as_said_whatever_share_is_expected(share: float) -> None:
    survey = compile_toml(LUNCH.split('[[questions]]\nid = "cuisine"')[0].replace("epsilon = 1", "epsilon = 8"))
    (paid,) = plan_survey(survey, 1000, PlanOptions(share=share)).questions
    difference = paid.of("population").smallest_difference
    assert difference is not None
    channel, counts = channel_of(paid.question), np.arange(501)
    low, high = share_bounds(counts, 500, channel, level=0.95, method="chernoff", target="population", n_intervals=2)
    least = 0.5 - difference / 2 if share == 0.5 else share
    of_less, of_more = (stats.binom.pmf(counts, 500, channel.reported_share(at)) for at in (least, least + difference))
    found = float(of_less @ (high[:, None] < low[None, :]) @ of_more)
    assert found >= POWER - 0.02
    assert share != 0.5 or found <= POWER + 0.02


@pytest.mark.thorough
def test_an_assurance_says_that_the_number_of_answers_is_chance(tmp_path: Path) -> None:
    words = ("--n", "300", "--assurance", "0.9")
    said = "in 90 of 100 surveys, if as many are asked it as expected"
    alone = LUNCH.split('[[questions]]\nid = "cuisine"')[0]
    assert said not in " ".join(plan_file(tmp_path, alone, *words).output.split())
    assert said in " ".join(plan_file(tmp_path, LUNCH, *words).output.split())


def test_where_no_share_is_told_from_none_there_is_none() -> None:
    assert told_from_zero(20, Channel.warner_of_epsilon(0.1), PlanOptions(), "population") is None


def test_the_command_says_in_words_what_is_known_and_what_is_not(tmp_path: Path) -> None:
    shown = plan_file(tmp_path, LUNCH, "--n", "300")
    assert shown.exit_code == 0, shown.output
    words = " ".join(shown.output.split())
    assert "95 % intervals by the Chernoff bound (relative entropy), at a true share of 50 %" in words
    assert "Lunch: n = 300 respondents, epsilon 7.3 a report" in words
    assert "cuisine: with 300 answers the share will be known to +- 13.4 points" in words
    assert "A true share below 11.55 % may look like zero. Two halves of the respondents may look alike" in words
    assert (
        "may look alike if they differ by less than 49.3 points. A test shows smaller differences (sotto power)."
        in words
    )
    assert "habits: you will learn nothing. With 75 answers to each option an interval is +- 50 points or more" in words
    assert "hours: with 300 answers the mean will be known to +- 1.9 hours" in words
    assert "dish: with 300 answers and 100 strings to look for, a string is found if" in words
    assert "or more answer it. Rarer strings are found less often." in words


def test_a_plan_names_the_beginnings_by_which_strings_on_no_list_are_found(tmp_path: Path) -> None:
    asked = 'id = "a"\ntitle = "A"\n[[questions]]\nid = "dish"\ntype = "text"\ntext = "Which?"\nepsilon = 4\n'
    said = {more: " ".join(plan_file(tmp_path, asked + more, "--n", "20000").output.split()) for more in MORE}
    assert "characters." not in said[""]
    assert "Strings on no list are found by their first 4 or 6 characters." in said["unknown = true\n"]


MORE = ("", "unknown = true\n")


@pytest.mark.thorough
def test_no_line_of_words_is_long_or_breaks_a_figure_and_no_width_is_said_twice(tmp_path: Path) -> None:
    said = plan_file(tmp_path, LUNCH, "--n", "300", "--half-width", "0.1").stdout.splitlines()
    assert max(map(len, said)) <= 100
    assert not [line for line in said if line.endswith("+-") or line.lstrip().startswith("%")]
    assert "known to +- 1.9 hours (+- 2.1 hours for these respondents alone, +- 2.8 hours if all 11" in " ".join(
        " ".join(said).split()
    )


def test_json_and_csv_have_the_same_numbers(tmp_path: Path) -> None:
    document = json.loads(plan_file(tmp_path, LUNCH, "--n", "300", "--json").output)
    assert (document["n"], document["method"], document["level"], document["n_intervals"]) == (
        300,
        "chernoff",
        0.95,
        11,
    )
    rows = list(csv.DictReader(plan_file(tmp_path, LUNCH, "--n", "300", "--csv").output.splitlines()))
    figures = [(one["question"], of) for one in document["questions"] for of in one["figures"]]
    assert len(rows) == len(figures) == 5 * 4
    for row, (question, of) in zip(rows, figures, strict=True):
        assert (row["question"], row["target"], row["n"], row["method"]) == (question, of["target"], "300", "chernoff")
        assert row["half_width"] == ("" if of["half_width"] is None else str(of["half_width"]))
    noise = {one["question"]: one["of_least_noise"] for one in document["questions"]}
    assert noise["paid"] == pytest.approx(1, abs=1e-6)
    assert noise["habits"] == pytest.approx(1, abs=1e-3)  # asked-option, of four that all may be selected
    assert noise["hours"] is not None
    assert noise["dish"] is None
    assert [row["of_least_noise"] for row in rows[::4]] == ["" if of is None else str(of) for of in noise.values()]


def test_a_published_survey_has_the_figures_of_its_file(tmp_path: Path) -> None:
    canonical = survey_of().canonical.decode()
    of_author = plan_file(tmp_path, LUNCH, "--n", "300", "--csv")
    assert plan_file(tmp_path, canonical, "--n", "300", "--csv", name="survey.json").output == of_author.output
    shown = plan_file(tmp_path, canonical, "--n", "300", name="survey.json").output
    assert "more respondents: 543 instead of 300" in shown
    assert "more epsilon" not in shown  # it cannot be changed any more


@pytest.mark.thorough
def test_a_survey_that_shows_nothing_of_so_few_reports_says_so(tmp_path: Path) -> None:
    shown = plan_file(tmp_path, "min_reports = 200\n" + LUNCH, "--n", "100")
    assert "paid: with 100 reports its results stay hidden. They need 200 reports." in shown.output


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "A plan without --n needs a target"),
        (["--n", "0"], "--n"),
        (["--n", "1"], "n (1) must be in [2, 10^12]"),
        (["--n", "300", "--epsilon", "1"], "--epsilon does not go with a survey file"),
        (["--n", "300", "--options", "4"], "--options does not go with a survey file"),
        (["--n", "300", "--json", "--csv"], "one of the two"),
    ],
)
def test_bad_usage_is_refused_in_a_line(tmp_path: Path, words: list[str], said: str) -> None:
    refused = plan_file(tmp_path, LUNCH, *words)
    assert refused.exit_code == 2
    assert said in refused.output


def test_a_file_that_is_no_survey_is_named(tmp_path: Path) -> None:
    refused = plan_file(tmp_path, "id = 3", "--n", "300")
    assert refused.exit_code == 1
    assert "survey.toml: line 1, $.id: must be" in refused.output
    missing = CliRunner().invoke(main, ["plan", str(tmp_path / "none.toml"), "--n", "300"])
    assert (missing.exit_code, "none.toml: No such file or directory" in missing.output) == (1, True)


def test_the_page_on_planning_works_from_its_first_command_to_its_last(tmp_path: Path) -> None:
    Console(tmp_path).run_document(Path(__file__).parents[3] / "docs" / "plan.md")
    survey = compile_toml((tmp_path / "lunch.toml").read_text())
    assert survey.draw == 1
    assert all(one.width <= 0.1 for one in plan_survey(survey, 1000, PlanOptions()).questions)
