"""Joint tables of items that were asked together: against the truth, by many crowds, and the table of cells."""

import numpy as np
import pytest

from sotto_client import os_coins
from sotto_estimator.association.associate import associate
from sotto_estimator.errors import DomainError
from sotto_estimator.regression.hidden_covariates import regress_reports
from sotto_protocol import Survey, compile_toml

SMOKES = '[[questions]]\nid = "smokes"\ntype = "yes-no"\ntext = "Do you smoke?"\n'
REGION = '[[questions]]\nid = "region"\ntype = "one-of"\ntext = "Where?"\noptions = ["north", "south"]\n'
ALONE = '[[questions]]\nid = "age"\ntype = "yes-no"\ntext = "Are you old?"\nepsilon = 2\n'
DEPENDENT = (0.56, 0.14, 0.12, 0.18)
"""Of no and yes to two questions: P(yes) = .3, then P(yes | yes) = .6 and P(yes | no) = .2."""
INDEPENDENT = (0.28, 0.42, 0.12, 0.18)


def ask(mechanism: str = "auto", epsilon: str = "1") -> Survey:
    """Return a survey that asks two questions together, and one alone."""
    group = f'[[together]]\nquestions = ["smokes", "region"]\nepsilon = {epsilon}\nmechanism = "{mechanism}"\n'
    return compile_toml(f'id = "health"\ntitle = "Health"\n{group}{SMOKES}{REGION}{ALONE}')


def reports_of(survey: Survey, shares: tuple[float, ...], n: int, seed: int) -> np.ndarray:
    """Return packed reports of n people."""
    rng = np.random.default_rng(seed)
    cells = rng.choice(4, n, p=shares)
    return survey.perturb({"smokes-region": cells, "age": cells % 2}, os_coins())


@pytest.mark.parametrize("mechanism", ["k-ary", "subset", "oue"])
def test_a_table_of_items_is_that_of_their_combinations(mechanism: str) -> None:
    survey = ask(mechanism, "4")
    found = associate(survey, reports_of(survey, DEPENDENT, 40_000, 1), ["smokes", "region"])
    assert found.epsilon == 4
    told = {cell.answers: cell for cell in found.cells}
    truth = dict(zip([("no", "north"), ("no", "south"), ("yes", "north"), ("yes", "south")], DEPENDENT, strict=True))
    assert max(abs(told[key].share - share) / told[key].standard_error for key, share in truth.items()) < 4
    (yes, _), (north, _) = found.marginals
    assert abs(yes.share - 0.3) < 4 * yes.standard_error
    assert abs(north.share - 0.68) < 4 * north.standard_error
    assert found.independence.degrees_of_freedom == 1
    assert found.independence.p_value < 1e-6


def test_items_stand_in_the_order_that_is_asked_for_beside_other_questions() -> None:
    survey = ask(epsilon="4")
    records = reports_of(survey, DEPENDENT, 20_000, 2)
    found = associate(survey, records, ["region", "age", "smokes"])
    assert found.questions == ("region", "age", "smokes")
    assert found.epsilon == 6
    likely = max(found.cells, key=lambda cell: cell.share)
    assert likely.answers == ("north", "no", "no")
    assert found.independence.degrees_of_freedom == 4


@pytest.mark.thorough
def test_the_test_of_independence_is_right_under_it_and_strong_against_it() -> None:
    """At n = 1,000 and epsilon 1 together: power at least .8, where half of epsilon each has .07."""
    survey = ask()
    rejected = {
        shares: np.mean(
            [
                associate(survey, reports_of(survey, shares, 1000, seed), ["smokes", "region"]).independence.p_value
                < 0.05
                for seed in range(60)
            ]
        )
        for shares in (DEPENDENT, INDEPENDENT)
    }
    assert rejected[DEPENDENT] >= 0.7  # .85, less three deviations of 60 crowds
    assert rejected[INDEPENDENT] <= 0.14  # .05 and three deviations


def test_an_item_of_several_pairs_is_asked_for_with_its_other_half() -> None:
    asked = [f'[[questions]]\nid = "q{i}"\ntype = "yes-no"\ntext = "Q{i}?"\nepsilon = 4\n' for i in range(3)]
    survey = compile_toml(f'id = "p"\ntitle = "P"\ntogether = "pairs"\n{"".join(asked)}')
    rng = np.random.default_rng(3)
    same = rng.integers(0, 2, 6000)
    records = survey.perturb({question.id: 3 * same for question in survey.questions}, os_coins())
    found = associate(survey, records, ["q0", "q2"])
    assert found.independence.p_value < 1e-6
    assert sum(cell.share for cell in found.cells if len({*cell.answers}) == 1) > 0.9
    with pytest.raises(DomainError, match="asked together with one question of several"):
        associate(survey, records, ["q0", "q0--q1"])


def test_asked_together_a_cell_takes_a_tenth_of_the_noise_that_two_halves_take() -> None:
    """The exact variance of a cell's unbiased share by noise: of two halves n^2 + n at shares of one half."""
    together = ask().questions[0].mechanism.report_variance
    (half, _) = (ask_alone().questions[place].mechanism.report_variance for place in range(2))
    assert (half**2 + half) / together == pytest.approx(10.3, rel=0.05)


def ask_alone() -> Survey:
    """Return a survey that asks the two questions at half of epsilon 1 each."""
    return compile_toml(f'id = "x"\ntitle = "X"\n{SMOKES}epsilon = 0.5\n{REGION}epsilon = 0.5\n')


@pytest.mark.thorough
@pytest.mark.parametrize("mechanism", ["k-ary", "subset", "oue"])
def test_conditional_shares_and_their_differences_hold_the_truth(mechanism: str) -> None:
    """In 20 crowds the intervals miss no more than they may, at 95 % each, and tell most differences from nothing."""
    survey = ask(mechanism, "3")
    truth = {("smokes", "north", ""): 0.12 / 0.68, ("smokes", "south", ""): 0.18 / 0.32}
    truth |= {("region", "yes", ""): 0.12 / 0.3, ("region", "no", ""): 0.56 / 0.7}
    truth |= {("smokes", "north", "south"): 0.12 / 0.68 - 0.18 / 0.32, ("region", "yes", "no"): 0.12 / 0.3 - 0.56 / 0.7}
    missed, below = 0, 0
    for seed in range(20):
        found = associate(survey, reports_of(survey, DEPENDENT, 3000, seed), ["smokes", "region"]).conditionals
        told = {(one.question, one.given, one.less): one for one in found}
        assert told.keys() == truth.keys()
        missed += sum(not told[key].low <= share <= told[key].high for key, share in truth.items())
        below += told["smokes", "north", "south"].high < 0
    assert missed <= 9  # of 120, 5 % and more by chance: Chernoff's miss less
    assert below > 10


def test_conditional_shares_are_shown_and_are_members() -> None:
    survey = ask(epsilon="3")
    found = associate(survey, reports_of(survey, DEPENDENT, 3000, 1), ["smokes", "region"])
    assert "Conditional shares" in [part.heading for part in found.document().parts]
    assert {"question": "smokes", "given": "north"}.items() <= found.to_dict()["conditionals"][0].items()
    alone = associate(survey, reports_of(survey, DEPENDENT, 300, 1), ["smokes", "age"])
    assert "conditionals" not in alone.to_dict()


def test_a_regression_takes_items_of_one_question_on_either_side() -> None:
    survey = ask(epsilon="5")
    records = reports_of(survey, DEPENDENT, 8000, 1)
    log_odds = np.log((0.18 / 0.14) / (0.12 / 0.56))
    (_, slope) = regress_reports(survey, records, "smokes ~ region").coefficients
    assert abs(slope.estimate - log_odds) < 4 * slope.standard_error
    both = {one.name: one for one in regress_reports(survey, records, "age ~ smokes + region").coefficients}
    assert both["region[south]"].estimate > 4
    assert abs(both["smokes[yes]"].estimate) < 4 * both["smokes[yes]"].standard_error
