"""Designs by name: their channels against the probabilities of the literature, their epsilon, what is refused."""

import math
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from sotto_estimator.designs.design import Arm, Design, check_arms
from sotto_estimator.designs.registry import DESIGNS
from sotto_estimator.designs.spec import read_design, read_spec
from sotto_estimator.errors import DomainError, SourceError
from sotto_protocol.words import epsilon_above


def played(game: dict[tuple[str, str], Fraction | float], design: Design) -> None:
    """Hold a design to a game: the probability of each (report, answer)."""
    expected = [[float(game.get((report, answer), 0)) for answer in design.answers] for report in design.reports]
    np.testing.assert_allclose(design.matrix, expected, rtol=1e-15, atol=0)


def coin(game: list[tuple[Fraction, str]]) -> dict[str, Fraction]:
    """Add up the probabilities of what is said."""
    said: dict[str, Fraction] = {}
    for prob, report in game:
        said[report] = said.get(report, Fraction(0)) + prob
    return said


def drawn(red: Fraction) -> dict[str, Fraction]:
    """Draw three cards, each put back."""
    draws = product((0, 1), repeat=3)
    return coin([(math.prod(red if is_red else 1 - red for is_red in cards), f"{sum(cards)} red") for cards in draws])


def test_designs_say_what_respondents_would_by_playing_each_game() -> None:
    """Each game is listed outcome by outcome, as its paper describes it, with odd probabilities."""
    p, u = Fraction(3, 7), Fraction(2, 9)
    opposite = {"yes": "no", "no": "yes"}
    games = {
        "warner(prob=3/7)": lambda truth: coin([(p, truth), (1 - p, opposite[truth])]),
        "forced(prob_forced_yes=2/9, prob_forced_no=3/7)": lambda truth: coin(
            [(u, "yes"), (p, "no"), (1 - u - p, truth)]
        ),
        "unrelated(prob_question=3/7, prevalence=2/9)": lambda truth: coin(
            [(p, truth), ((1 - p) * u, "yes"), ((1 - p) * (1 - u), "no")]
        ),
        "crosswise(prob=2/9)": lambda truth: coin(
            [(u, "same" if truth == "yes" else "different"), (1 - u, "same" if truth == "no" else "different")]
        ),
        "triangular(prob=2/9)": lambda truth: coin(
            [(u, "one or both"), (1 - u, "one or both" if truth == "yes" else "neither")]
        ),
        "mangat(prob=3/7)": lambda truth: coin(
            [(Fraction(1), "yes")] if truth == "yes" else [(p, "no"), (1 - p, "yes")]
        ),
        "disguised(prob_card=2/9)": lambda truth: coin([(u, truth), (1 - u, opposite[truth])]),
        "kuk(prob_red_if_yes=3/7, prob_red_if_no=2/9, n_draws=3)": lambda truth: drawn(p if truth == "yes" else u),
    }
    for spec, game in games.items():
        outcome = {(report, truth): prob for truth in ("yes", "no") for report, prob in game(truth).items()}
        played(outcome, read_design(spec))


def test_designs_of_several_answers_are_those_of_their_games() -> None:
    forced = read_design("forced-categories(prob_forced=1/10 1/5 1/20)")
    np.testing.assert_allclose(forced.matrix[:, 1], [0.1, 0.85, 0.05])
    kary = read_design("k-ary(n_answers=5, prob_truth=.6)")
    np.testing.assert_allclose(kary.matrix[2], [0.1, 0.1, 0.6, 0.1, 0.1])
    assert read_design("k-ary(n_answers=2, prob_truth=.6)").answers == ("yes", "no")


def test_nigeria_of_rr_is_forced_response_by_unconditional_probabilities() -> None:
    """Blair, Imai & Zhou (2015): a die says no at 1, yes at 6, else the truth; rr: p = 2/3, p1 = p0 = 1/6."""
    channel = read_design("forced(prob_forced_yes=1/6, prob_forced_no=1/6)").channel
    assert channel.prob_support_if_true == pytest.approx(5 / 6)
    assert channel.prob_support_if_other == pytest.approx(1 / 6)


@pytest.mark.parametrize("name", DESIGNS)
def test_every_row_has_an_example_and_an_epsilon_above_every_ratio(name: str) -> None:
    designs = read_spec(DESIGNS[name].example).samples()
    for design in designs:
        ratios = [
            math.inf if low == 0 else math.log(high / low)
            for row in design.matrix
            for (high, one), (low, other) in product(zip(row, design.answers, strict=True), repeat=2)
            if one != other and high > 0
        ]
        assert max(ratios) <= design.epsilon <= max(ratios) + 1e-12
        assert all(parameter.words for parameter in DESIGNS[name].parameters)


@pytest.mark.parametrize("name", DESIGNS)
def test_the_page_on_designs_has_what_the_registry_says(name: str) -> None:
    page, named = (Path(__file__).parents[3] / "docs" / "designs.md").read_text(), DESIGNS[name]
    epsilon = epsilon_above(max(design.epsilon for design in read_spec(named.example).samples()))
    assert f"| `{name}` | {named.words} | `{named.example}` | {epsilon} | {named.source} |\n" in page
    for parameter in named.parameters:
        assert f"| `{name}` | `{parameter.name}` | {parameter.words} |\n" in page


@pytest.mark.parametrize("name", ["direct", "triangular", "mangat", "cheating-detection"])
def test_designs_of_which_a_report_proves_an_answer_are_conclusive(name: str) -> None:
    assert read_design(DESIGNS[name].example).is_conclusive
    assert read_design("forced(prob_forced_yes=1/4, prob_forced_no=0)").is_conclusive
    assert not read_design("warner(prob=1/6)").is_conclusive


def test_an_unrelated_question_of_unknown_prevalence_is_conclusive() -> None:
    assert read_design("unrelated(prob_question=0.7)").is_conclusive


def test_epsilon_is_an_upper_bound_of_the_exact_ratio() -> None:
    assert Fraction(read_design("warner(prob=3/4)").epsilon) > Fraction("1.0986122886681098")
    assert read_design("crosswise(prob=1/6)").epsilon == pytest.approx(math.log(5), abs=1e-14)


def test_a_yes_of_a_design_that_lies_more_often_than_not_speaks_for_no() -> None:
    lying, honest = read_design("warner(prob=1/6)"), read_design("warner(prob=5/6)")
    assert (lying.is_opposite, honest.is_opposite) == (True, False)
    assert lying.channel == honest.channel


def test_an_unknown_prevalence_makes_columns_of_the_same_answer() -> None:
    design = read_design("unrelated(prob_question=.7)")
    assert (design.labels, len(design.answers)) == (("yes", "no"), 4)
    np.testing.assert_allclose(design.matrix[0], [1, 0.7, 0.3, 0])
    other = read_design("unrelated(prob_question=.3)")
    counts = np.array([40.0, 60])
    assert check_arms([Arm(design, counts), Arm(other, counts)])
    with pytest.raises(DomainError, match="Add a sample"):
        check_arms([Arm(design, counts)])


def test_a_value_may_name_a_column() -> None:
    spec = read_spec("forced(prob_forced_yes=chance of yes, prob_forced_no=1/6)")
    assert spec.columns == {"prob_forced_yes": "chance of yes"}
    assert spec.design({"chance of yes": "1/3"}).matrix[0].tolist() == pytest.approx([5 / 6, 1 / 3])
    with pytest.raises(DomainError, match=r"prob_forced_yes \(1.5\) must be in \[0, 1\]"):
        spec.design({"chance of yes": "1.5"})
    with pytest.raises(DomainError, match="needs a table that has the column"):
        read_design("warner(prob=p)")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("warnr(prob=1/6)", r"the design \(warnr\) must be one of direct, warner"),
        ("warner(prob=1/6", r"warner must be written as NAME\(parameter=value"),
        ("warner", r"warner needs prob_statement, for example warner\(prob_statement=3/4\)"),
        ("warner(1/6)", "must be written as parameter=value"),
        ("warner(prob=1/6, prob_statement=1/6)", "prob_statement is given twice"),
        ("warner(p=1/6)", "warner has no parameter p; it has prob_statement"),
        ("warner(prob=1/2)", "warner: every report is as likely under yes as under no"),
        ("warner(prob=1e999999999)", r"prob_statement \(1e999999999\) must be a decimal or a fraction"),
        ("warner(prob=1/0)", "must be a decimal or a fraction"),
        ("warner(prob=)", "must be a decimal or a fraction"),
        ("warner(prob=-.1)", "must be a decimal or a fraction"),
        ("warner(prob=1.2)", r"prob_statement \(1.2\) must be in \[0, 1\]"),
        ("forced(prob_forced_yes=1/2, prob_forced_no=1/2)", "must add up to less than 1"),
        ("forced(prob=1/6)", "forced has no parameter prob"),
        ("forced-categories(prob_forced=1/2 1/2)", "add up to less than 1"),
        ("k-ary(n_answers=1, prob_truth=1/2)", r"n_answers \(1\) must be >= 2"),
        ("k-ary(n_answers=1000000000, prob_truth=1/2)", r"n_answers \(1000000000\) must be a whole number"),
        ("kuk(prob_red_if_yes=.5, prob_red_if_no=.5)", "as likely under yes as under no"),
        ("matrix(rows=9/10 1/5; 1/10 3/5)", r"add up to 1, not to 1, 0.8"),
        ("matrix(rows=9/10 1/5; 1/10)", "the same number of answers"),
        ("matrix", "its rows or its file"),
        ("unrelated(prob_question=0, prevalence=.2)", "as likely under yes as under no"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(text: str, message: str) -> None:
    with pytest.raises(DomainError, match=message) as caught:
        read_design(text)
    assert "\n" not in str(caught.value)


def test_a_matrix_is_read_from_a_csv(tmp_path: Path) -> None:
    path = tmp_path / "channel.csv"
    path.write_text("report,never,once,often\nlow,.8,.1,.1\nmiddle,.1,.8,.1\nhigh,.1,.1,.8\n", encoding="utf-8")
    design = read_design(f"matrix(file={path})")
    assert (design.answers, design.reports) == (("never", "once", "often"), ("low", "middle", "high"))
    assert design.matrix[2].tolist() == [0.1, 0.1, 0.8]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the header must name"),
        ("report,a,a\nx,1,0\ny,0,1\n", "different answers"),
        ("report,a,b\nx,1,0\n", "2 to 100 different reports"),
        ("report,a,b\nx,1,0\ny,0\n", "line 3: must have a report and 2 probabilities"),
        ("report,a,b\nx,1,0\ny,0,1.5\n", r"line 3, answer b: \(1.5\) must be in"),
    ],
)
def test_a_matrix_that_is_none_is_refused_with_its_place(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "channel.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SourceError, match=message):
        read_design(f"matrix(file={path})")


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ([1.0, 2, 3], r"counts \(3 of them\) must be of the 2 reports of warner: yes, no"),
        ([0.0, 0], "one of them above 0"),
        ([-1.0, 2], "finite and >= 0"),
        ([math.nan, 2], "finite and >= 0"),
    ],
)
def test_counts_that_are_none_are_refused(counts: list[float], message: str) -> None:
    with pytest.raises(DomainError, match=message):
        Arm(read_design("warner(prob=3/4)"), np.array(counts))


def test_a_report_that_the_design_cannot_give_is_refused() -> None:
    design = read_design("matrix(rows=1/2 1/3; 1/2 2/3; 0 0)")
    Arm(design, np.array([5.0, 5, 0]))
    with pytest.raises(DomainError, match="matrix cannot give the report '3', of which there are 1"):
        Arm(design, np.array([5.0, 5, 1]))
