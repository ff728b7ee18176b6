"""Rehearsals of questions that are asked together: their truth, what is told of it, and how much noise there is."""

from math import comb, prod

import numpy as np
import pytest

from sotto_client import os_coins
from sotto_estimator.inference.registry import share_channel
from sotto_estimator.intervals.intervals import IntervalOptions
from sotto_protocol import Question, Survey, compile_toml
from sotto_rehearsal.simulation.errors import TruthError
from sotto_rehearsal.simulation.summary import Simulation
from sotto_rehearsal.simulation.survey import simulate
from sotto_rehearsal.simulation.truth import assume_truth, read_truth

SMOKES = '[[questions]]\nid = "smokes"\ntype = "yes-no"\ntext = "Do you smoke?"\n'
REGION = '[[questions]]\nid = "region"\ntype = "one-of"\ntext = "Where?"\noptions = ["north", "south", "east"]\n'
DEPENDENT = (
    '[questions.smokes-region]\nshares = {"yes, north" = 0.3, "no, north" = 0.1, "yes, south" = 0.1, "no, east" = 0.5}'
)
N_REPORTS = 200_000


def health(epsilon: str = "2", mechanism: str = "auto", more: str = "", head: str = "", last: str = "") -> Survey:
    """Return a survey that asks two questions together; `more` is said of them, `head` of the survey."""
    group = f'[[together]]\nquestions = ["smokes", "region"]\nepsilon = {epsilon}\nmechanism = "{mechanism}"\n{more}'
    return compile_toml(f'id = "health"\ntitle = "Health"\n{head}{group}{SMOKES}{REGION}{last}')


def yes_no(n: int, epsilon: str, head: str = "", *, are_pairs: bool = True) -> Survey:
    """Return a survey of n yes-no questions."""
    own = f"epsilon = {epsilon}\n" if are_pairs else ""
    asked = [f'[[questions]]\nid = "q{i}"\ntype = "yes-no"\ntext = "Q{i}?"\n{own}' for i in range(n)]
    return compile_toml(f'id = "s"\ntitle = "S"\n{head}\n{"".join(asked)}')


def told(simulation: Simulation) -> dict[tuple[str, str], float]:
    """Return what is true, by question and answer."""
    return {(row.question, row.answer): row.truth or 0.0 for row in simulation.rows}


def test_shares_of_questions_are_those_of_independent_combinations() -> None:
    text = "[questions.smokes]\nshare = 0.3\n[questions.region]\nshares = {north = 0.5, south = 0.5}"
    truth = read_truth(text, health())
    (joint,) = truth.questions
    shares = dict(zip(joint.labels, joint.answers.expected.tolist(), strict=True))
    assert shares["yes, south"] == pytest.approx(0.15)
    assert shares["no, east"] == 0
    assert [of.question.id for of in truth.figures] == ["smokes-region", "smokes", "region"]
    assert truth.items[0].answers.expected == pytest.approx([0.3])


def test_shares_of_combinations_add_up_to_those_of_each_question() -> None:
    smokes, region = read_truth(DEPENDENT, health()).items
    assert smokes.answers.expected == pytest.approx([0.4])
    assert region.answers.expected == pytest.approx([0.4, 0.1, 0.5])


def test_questions_of_which_nothing_is_said_are_named_by_their_own_ids() -> None:
    assert assume_truth(health()).assumed == ("smokes", "region")
    assert read_truth("[questions.smokes]\nshare = 0.3", health()).assumed == ("region",)
    assert read_truth(DEPENDENT, health()).assumed == ()


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (f"{DEPENDENT}\n[questions.smokes]\nshare = 0.4", r"\$\.questions\.smokes: is said by"),
        ("[questions.smokes]\nshare = 0.4\nfake = 'yes'", r"\$\.questions\.smokes\.fake: belongs to"),
        ('[questions.smokes-region]\nshares = {"yes, west" = 1}', "has an unknown member 'yes, west'"),
    ],
)
def test_what_is_said_twice_or_of_nothing_is_refused(text: str, problem: str) -> None:
    with pytest.raises(TruthError, match=problem):
        read_truth(text, health())


def test_pairs_must_say_the_same_of_the_question_that_they_share() -> None:
    survey = yes_no(3, "1", 'together = "pairs"')
    with pytest.raises(TruthError, match=r"q0--q2: must give q0 the same shares as q0--q1"):
        read_truth('[questions.q0--q1]\nshares = {"yes, yes" = 0.3, "no, no" = 0.7}', survey)


def test_who_lies_or_leaves_does_so_for_an_answer_to_one_question() -> None:
    text = "[questions.smokes]\nshare = 0.5\ndesired = false\nleave = {yes = 0.5}\n"
    (joint,) = read_truth(text, health()).questions
    assert joint.leaving is not None
    assert {name for name, chance in joint.leaving.items() if chance} == {"yes, north", "yes, south", "yes, east"}
    assert joint.lies is not None
    assert joint.lies.expected.tolist() == pytest.approx([1 / 3] * 3 + [0] * 3)


@pytest.mark.few(2)
@pytest.mark.parametrize("target", ["population", "respondents"])
@pytest.mark.parametrize("mechanism", ["k-ary", "subset", "oue"])
def test_intervals_of_combinations_and_of_each_question_hold_the_truth(mechanism: str, target: str) -> None:
    options = IntervalOptions(target=target)
    survey = health("2", mechanism)
    simulation = simulate(survey, 400, truth=read_truth(DEPENDENT, survey), runs=30, seed=4, options=options)
    assert {question for question, _ in told(simulation)} == {"smokes-region", "smokes", "region"}
    assert told(simulation)["smokes", "yes"] == pytest.approx(0.4, abs=1e-9 if target == "population" else 0.02)
    assert simulation.missing == ()
    assert not any(row.is_off for row in simulation.rows)
    (smokes,) = (row for row in simulation.rows if row.question == "smokes")
    assert smokes.planned_half_width == pytest.approx(smokes.mean_half_width, rel=0.05)


@pytest.mark.parametrize("target", ["population", "respondents"])
def test_pairs_are_rehearsed_with_each_question_known_of_all_pairs_that_have_it(target: str) -> None:
    survey = yes_no(3, "3", 'together = "pairs"')
    text = "".join(f"[questions.q{i}]\nshare = 0.{i + 2}\n" for i in range(3))
    options = IntervalOptions(target=target)
    simulation = simulate(survey, 900, truth=read_truth(text, survey), runs=15, seed=5, options=options)
    rows = {row.question: row for row in simulation.rows if row.answer == "yes"}
    assert rows["q2"].truth == pytest.approx(0.4, abs=0.02)
    assert rows["q2"].n_reports == pytest.approx(600, rel=0.05)
    assert simulation.missing == ()


def test_people_who_do_not_tell_the_truth_are_seen_in_the_question_that_they_lie_about() -> None:
    text = (
        "[questions.smokes]\nshare = 0.5\ndesired = false\n[questions.region]\nshares = {north = 1}\ndesired = 'north'"
    )
    survey = health("4")
    simulation = simulate(survey, 20_000, truth=read_truth(text, survey), runs=20, seed=6, liars=0.2)
    assert {row.question for row in simulation.rows if row.is_off} == {"smokes-region", "smokes"}


@pytest.mark.thorough
@pytest.mark.few(1)
@pytest.mark.parametrize("target", ["population", "respondents"])
@pytest.mark.parametrize("mechanism", ["k-ary", "oue"])
def test_pooled_waves_hold_the_truth_of_combinations_and_of_each_question(mechanism: str, target: str) -> None:
    survey = health("2", mechanism, "epsilon_forever = 4\n", "waves = 3\n")
    options = IntervalOptions(target=target)
    simulation = simulate(survey, 300, truth=read_truth(DEPENDENT, survey), runs=20, seed=7, options=options)
    assert {row.n_reports for row in simulation.rows} == {900}
    assert simulation.missing == ()
    assert not any(row.is_off for row in simulation.rows)


def test_a_group_is_drawn_as_one_question_in_strata_above_a_least_number() -> None:
    age = '[[questions]]\nid = "age"\ntype = "yes-no"\ntext = "Are you old?"\nepsilon = 2\n'
    head = 'draw = 1\nmin_reports = 20\ninvited = true\nstrata = ["a", "b"]\n'
    survey = health("2", "subset", head=head, last=age)
    simulation = simulate(survey, 600, truth=read_truth(DEPENDENT, survey), runs=10, seed=8)
    n_reports = {row.question: row.n_reports for row in simulation.rows}
    assert n_reports["smokes"] == n_reports["region"] == n_reports["smokes-region"] == 600 - n_reports["age"]
    assert n_reports["age"] == pytest.approx(300, abs=40)
    assert simulation.missing == ()


# How much noise there is. A cell: one combination, estimated by each report's unbiased indicator, at equal shares.


def indicators(question: Question, answers: np.ndarray, value: int) -> np.ndarray:
    """Return what n reports of these answers tell of one value, unbiased, shape (n,)."""
    channel = share_channel(question.mechanism)
    reports = question.mechanism.perturb(answers, os_coins())
    supports = question.mechanism.supports(reports)[:, value]
    return (supports - channel.prob_support_if_other) / (channel.prob_support_if_true - channel.prob_support_if_other)


def noise_together(n_questions: int, epsilon: str) -> float:
    """Return the variance of the noise of a cell, measured: of what reports tell beyond the answers."""
    ids = [f"q{i}" for i in range(n_questions)]
    head = f"[[together]]\nquestions = {ids}\nepsilon = {epsilon}\n".replace("'", '"')
    (question,) = yes_no(n_questions, epsilon, head, are_pairs=False).questions
    answers = np.arange(N_REPORTS) % 2**n_questions
    return float(np.var(indicators(question, answers, 0) - (answers == 0)))


def square_apart(n_questions: int, epsilon: float) -> float:
    """Return the mean square of a cell's product of indicators, each at so much epsilon, measured."""
    question = yes_no(1, f"{epsilon:.9f}").questions[0]
    answers = [np.arange(N_REPORTS) // 2**i % 2 for i in range(n_questions)]
    return float(np.mean(prod(indicators(question, of, 0) for of in answers) ** 2))


@pytest.mark.parametrize(
    ("n_questions", "epsilon", "ratio"),
    [(2, 1, 10.3), (2, 2, 6.3), (2, 4, 13.8), (3, 1, 307), (3, 2, 43), (3, 4, 27)],
)
def test_a_combination_has_so_much_less_noise_than_by_separate_parts_of_epsilon(
    n_questions: int, epsilon: int, ratio: float
) -> None:
    """Variance of a cell by separate answers of random people, over that of the noise of one joint answer."""
    apart = square_apart(n_questions, epsilon / n_questions) - 4.0**-n_questions
    assert apart / noise_together(n_questions, str(epsilon)) == pytest.approx(ratio, rel=0.05)


def test_pairs_drawn_have_less_noise_than_two_questions_drawn_and_those_less_than_all() -> None:
    pairs = comb(10, 2)
    assert square_apart(2, 0.1) == pytest.approx(10_083, rel=0.05)
    assert pairs * square_apart(2, 0.5) == pytest.approx(878, rel=0.05)
    assert pairs * noise_together(2, "1") == pytest.approx(85, rel=0.05)
