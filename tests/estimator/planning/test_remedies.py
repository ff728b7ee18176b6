"""What would help a question that shows too little: every figure is that of the survey that it speaks of."""

import json
import math
from decimal import Decimal
from functools import cache
from pathlib import Path

import pytest

from planned import LUNCH, plan_file
from sotto_estimator.planning.draft import Draft
from sotto_estimator.planning.options import PlanOptions
from sotto_estimator.planning.outlook import width_of
from sotto_estimator.planning.remedies import Remedy, helps_of
from sotto_estimator.planning.survey import plan_survey
from sotto_estimator.views.plan_help_words import help_lines
from sotto_protocol import compile_toml

N = 300


def draft_of(folder: Path, text: str = LUNCH, name: str = "survey.toml") -> Draft:
    path = folder / name
    path.write_text(text)
    return Draft.read(path)


def helps_by_id(draft: Draft, n: int = N) -> dict[str, Remedy]:
    return {
        one.question.id: of
        for of in helps_of(draft, plan_survey(draft.survey, n, PlanOptions()))
        for one in of.questions
    }


@pytest.fixture(scope="module")
def lunch(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Remedy]:
    """Return what would help the questions of LUNCH."""
    return helps_by_id(draft_of(tmp_path_factory.mktemp("lunch")))


@cache
def width_in(text: str, question: str, n: int = N) -> float:
    (one,) = [one for one in plan_survey(compile_toml(text), n, PlanOptions()).questions if one.question.id == question]
    return one.width


def test_only_questions_that_show_too_little_are_helped(lunch: dict[str, Remedy], tmp_path: Path) -> None:
    assert set(lunch) == {"paid", "cuisine", "habits", "hours", "dish"}
    assert helps_by_id(draft_of(tmp_path), 1_000_000) == {}


@pytest.mark.few(2)
@pytest.mark.parametrize("question", ["paid", "cuisine", "habits", "hours", "dish"])
def test_a_larger_crowd_is_enough_and_one_fewer_is_not(question: str, lunch: dict[str, Remedy]) -> None:
    of = lunch[question]
    assert of.respondents is not None
    goal = of.questions[0].goal
    assert width_in(LUNCH, question, of.respondents) <= goal < width_in(LUNCH, question, of.respondents - 1)


@pytest.mark.parametrize(
    ("question", "epsilon"), [("paid", "1"), ("cuisine", "2"), ("habits", "0.3"), ("hours", "1"), ("dish", "3")]
)
def test_more_epsilon_is_enough_and_a_step_less_is_not(
    question: str, epsilon: str, lunch: dict[str, Remedy], tmp_path: Path
) -> None:
    of = lunch[question]
    goal = of.questions[0].goal
    assert of.epsilon is not None
    draft, index = draft_of(tmp_path), ["paid", "cuisine", "habits", "hours", "dish"].index(question)
    for tried, is_enough in ((of.epsilon, True), (of.epsilon - Decimal("0.001"), False)):
        asked = draft.ask(index, tried)
        assert asked is not None
        n = 75 if question == "habits" and asked.mechanism.has_cohorts else N
        assert (width_of(asked, n, PlanOptions()) <= goal) is is_enough


def test_fewer_options_are_as_many_as_reach_it_or_two(lunch: dict[str, Remedy], tmp_path: Path) -> None:
    of = lunch["cuisine"]
    two = LUNCH.replace('"sandwich", "salad", "leftovers", "canteen", "no answer"', '"sandwich", "salad"')
    assert (of.n_options, of.width_of_options) == (2, width_in(two, "cuisine"))
    text = LUNCH.replace("epsilon = 2", "epsilon = 2\nwant = 0.12")
    of = helps_by_id(draft_of(tmp_path, text))["cuisine"]
    assert of.n_options is not None
    options = ["sandwich", "salad", "leftovers", "canteen", "no answer"]
    for n_options, is_enough in ((of.n_options, True), (of.n_options + 1, False)):
        fewer = text.replace(
            ", ".join(f'"{one}"' for one in options), ", ".join(f'"{one}"' for one in options[:n_options])
        )
        assert (width_in(fewer, "cuisine") <= 0.12) is is_enough


def any_of(n_options: int, epsilon: str, more: str = "") -> str:
    options = ", ".join(f'"o{place}"' for place in range(n_options))
    return (
        f'id = "s"\ntitle = "S"\n[[questions]]\nid = "q"\ntype = "any-of"\ntext = "?"\noptions = [{options}]\n'
        f"want = 0.001\nepsilon = {epsilon}\n{more}"
    )


@pytest.mark.parametrize(("n_options", "epsilon", "noise"), [(2, "3", 3.11), (3, "4", 4.94)])
def test_options_asked_as_yes_no_questions_together_are_those_of_such_a_survey(
    n_options: int, epsilon: str, noise: float, tmp_path: Path
) -> None:
    """Their noise is that of k-ary response over all selections."""
    (of,) = helps_of(
        draft_of(tmp_path, any_of(n_options, epsilon)),
        plan_survey(compile_toml(any_of(n_options, epsilon)), N, PlanOptions()),
    )
    asked = [f'[[questions]]\nid = "o{n}"\ntype = "yes-no"\ntext = "?"\n' for n in range(n_options)]
    ids = ", ".join(f'"o{n}"' for n in range(n_options))
    text = 'id = "s"\ntitle = "S"\n' + "".join(asked) + f"[[together]]\nquestions = [{ids}]\nepsilon = {epsilon}\n"
    items = [one for one in plan_survey(compile_toml(text), N, PlanOptions()).items if one.question.id == "o1"]
    assert of.width_together == items[0].width
    n_sets, odds = 2**n_options, math.exp(float(epsilon))
    true, other = odds / (odds + n_sets - 1), 1 / (odds + n_sets - 1)
    a, b = true + (n_sets / 2 - 1) * other, n_sets / 2 * other
    share = 0.5
    variance = (share * a * (1 - a) + (1 - share) * b * (1 - b)) / (a - b) ** 2
    assert of.questions[0].question.mechanism.report_variance / variance == pytest.approx(noise, abs=0.01)
    said = " ".join(plan_file(tmp_path, any_of(n_options, epsilon), "--n", "300").output.split())
    assert "- a yes-no question for each option, asked [[together]]: +- " in said


@pytest.mark.parametrize("text", [any_of(2, "0.5"), any_of(4, "4"), any_of(3, "4", "max_selected = 1\n")])
def test_options_are_not_asked_together_where_it_does_not_help_or_other_answers_would_be_allowed(
    text: str, tmp_path: Path
) -> None:
    assert helps_by_id(draft_of(tmp_path, text))["q"].width_together is None


def test_a_draw_is_of_the_same_total(tmp_path: Path) -> None:
    six = [f'[[questions]]\nid = "q{n}"\ntype = "yes-no"\ntext = "?"\nepsilon = 0.2\n' for n in range(6)]
    text = 'id = "s"\ntitle = "S"\n' + "".join(six)
    (of,) = helps_of(draft_of(tmp_path, text), plan_survey(compile_toml(text), N, PlanOptions()))
    assert [one.question.id for one in of.questions] == [f"q{n}" for n in range(6)]  # alike, so said once
    assert of.n_drawn == 1
    drawn = text.replace('title = "S"', 'title = "S"\ndraw = 1').replace("epsilon = 0.2", "epsilon = 1.2")
    assert compile_toml(drawn).epsilon == compile_toml(text).epsilon
    assert of.width_drawn == width_in(drawn, "q0") < width_in(text, "q0")
    assert of.epsilon_drawn == Decimal("1.2")


@pytest.mark.parametrize("strata", [False, True])
def test_a_draw_says_what_it_takes(tmp_path: Path, strata: bool) -> None:
    """One answer then has the epsilon of all, and a group of a survey with min_reports sees too few of them."""
    head = 'id = "s"\ntitle = "S"\n'
    if strata:
        head += 'invited = true\nstrata = ["north", "south"]\nmin_reports = 20\n'
    asked = [f'[[questions]]\nid = "q{n}"\ntype = "yes-no"\ntext = "?"\nepsilon = 1\n' for n in range(3)]
    text = head + "".join(asked)
    plan = plan_survey(compile_toml(text), 150, PlanOptions())
    [line] = [line for line in help_lines(helps_of(draft_of(tmp_path, text), plan), plan) if "draw = 1" in line]
    assert "draw = 1 of the 3 questions" in line
    assert "This question then has epsilon 3 instead of 1. Someone who is 10 % sure" in line
    assert "can then become 70 % sure; now 24 %" in line  # .1 e^3 / (.1 e^3 + .9) = .6906; .1 e / (.1 e + .9) = .232
    assert ("A stratum of fewer than about 60 people then has no result" in line) == strata


@pytest.mark.parametrize("forever", ["", 'mechanism = "basic-rappor"\nepsilon_forever = 4\n'])
def test_waves_of_the_same_people_help_where_noise_is_drawn_anew(tmp_path: Path, forever: str) -> None:
    text = (
        'id = "s"\ntitle = "S"\nwaves = 4\n'
        + LUNCH.split('title = "Lunch"\n')[1].split('[[questions]]\nid = "cuisine"')[0]
        + forever
    )
    of = helps_by_id(draft_of(tmp_path, text))["paid"]
    assert of.width_of_waves is not None
    assert of.width_of_others is not None
    one = width_in(text, "paid")
    if forever:
        assert of.width_of_others < of.width_of_waves < 0.7 * one
    else:
        assert of.width_of_waves == pytest.approx(one, rel=0.01)
    assert of.width_of_others == width_in(text, "paid", 4 * N)
    assert "waves: all 4 pooled. If the same people answer, +- " in plan_file(tmp_path, text, "--n", str(N)).output


def test_what_is_published_or_given_by_probabilities_is_not_changed(tmp_path: Path) -> None:
    final = helps_by_id(draft_of(tmp_path, compile_toml(LUNCH).canonical.decode(), "survey.json"))
    assert all(of.epsilon is of.n_options is of.n_drawn is None and not of.is_free for of in final.values())
    spinner = LUNCH.replace(
        'epsilon = 1\n[[questions]]\nid = "cuisine"', 'prob_truth = 0.7\n[[questions]]\nid = "cuisine"'
    )
    of = helps_by_id(draft_of(tmp_path, spinner))["paid"]
    assert (of.is_free, of.epsilon) == (False, None)


def test_the_words_have_a_figure_for_each_way_and_what_becomes_of_a_suspicion(tmp_path: Path) -> None:
    words = " ".join(plan_file(tmp_path, LUNCH, "--n", "300").output.split())
    assert "paid: how to reach or approach +- 10 points, which would be useful: - ask about these people alone" in words
    assert "- fewer options: 2 of 5 give +- 10.2 points" in words
    assert "habits: how to reach or approach +- 10 points, which would be useful: - more respondents:" in words
    assert "more epsilon: 2.885 instead of 2. Someone who is 10 % sure of an answer can then become 67 %" in words
    assert "dish: how to reach or approach strings of 10.00 %" in words
    document = json.loads(plan_file(tmp_path, LUNCH, "--n", "300", "--json").output)
    assert [of["questions"] for of in document["helps"]] == [["paid"], ["cuisine"], ["habits"], ["hours"], ["dish"]]
    assert document["helps"][1]["least_epsilon"] == 2.885


def test_the_most_epsilon_is_named_where_it_is_not_enough(tmp_path: Path) -> None:
    words = " ".join(plan_file(tmp_path, LUNCH, "--n", "4").output.split())
    assert "more epsilon: even 20, the most that a question may have, is not enough" in words
