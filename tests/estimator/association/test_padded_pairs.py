"""Options that are reported as one set: how they go together, with noise that they have in common."""

from decimal import Decimal
from itertools import product
from typing import Any

import numpy as np
import pytest

from published import survey_of
from sotto_estimator.association.associate import associate
from sotto_estimator.association.axes import MemberAxis, read_sides
from sotto_estimator.association.merged import Merged, interaction
from sotto_estimator.errors import DomainError
from sotto_estimator.regression.hidden_covariates import regress_reports
from sotto_estimator.shares.covariance import share_covariance
from sotto_protocol import Coins, Tally, hmac_bytes
from sotto_protocol.mechanisms.padded_subset import PaddedSubset

MEMBERS = {"type": "any-of", "options": [*"abcdefghijklmnop"], "max_selected": 3, "mechanism": "subset"}
MEMBERS |= {"weight": 2, "epsilon": Decimal(3)}
YES_NO = {"type": "yes-no", "epsilon": Decimal(2)}
SURVEY = survey_of(MEMBERS, YES_NO)
SIDES = read_sides(SURVEY, ["q0:a", "q0:c"], {})
DEPENDENT = np.array([[0.3, 0.1], [0.1, 0.5]])


def crowd(n: int, joint: Any, seed: int) -> Any:
    """Return packed reports: of options a and c by a joint table (yes first), and a yes-no that goes with a."""
    drawn = np.random.default_rng(seed)
    cells = drawn.choice(4, n, p=np.ravel(joint))
    answers = np.zeros((n, 16), np.intp)
    answers[:, 0], answers[:, 2] = cells < 2, cells % 2 == 0
    answers[:, 4] = drawn.random(n) < 0.5
    coins = Coins(hmac_bytes(bytes(32), f"pairs {seed}".encode()))
    first, second = (question.mechanism for question in SURVEY.questions)
    return SURVEY.layout.join([first.perturb(answers, coins), second.perturb(answers[:, 0], coins)], {})


def expected_reports(joint: Any, n: int) -> tuple[list[Any], Any]:
    """Return what sets have of the two options, and how often n people report just that on average."""
    first, second = SIDES
    assert isinstance(first, MemberAxis)
    assert isinstance(second, MemberAxis)
    bits = np.array([*product((1, 0), repeat=2)], np.uint8)
    parts = [bits[:, :1], bits[:, 1:]]
    return parts, n * first.likelihood_with(parts, [second]) @ np.ravel(joint)


def test_what_sets_have_of_two_options_is_what_all_sets_say() -> None:
    """Each pattern's probability adds up to 1, and one option's own is that of the question's channel."""
    first, second = SIDES
    assert isinstance(first, MemberAxis)
    mechanism = first.mechanism
    assert isinstance(mechanism, PaddedSubset)
    channel = first.likelihood_with(expected_reports(DEPENDENT, 1)[0], [second])  # type: ignore[list-item]  # as read
    assert channel.sum(axis=0) == pytest.approx(np.ones(4))
    true, other = mechanism.prob_support_if_true, mechanism.prob_support_if_other
    assert channel[:2].sum(axis=0) == pytest.approx([true, true, other, other])
    assert channel[[0, 2]].sum(axis=0) == pytest.approx([true, other, true, other])
    assert abs(channel[0, 0] - true**2) > 0.01, "the noise of two options is not independent"


def test_unbiased_cells_are_the_true_ones_on_average_and_independence_has_no_interaction() -> None:
    first, second = SIDES
    assert isinstance(first, MemberAxis)
    for joint in (DEPENDENT, np.outer([0.4, 0.6], [0.3, 0.7])):
        parts, counts = expected_reports(joint, 200_000)
        assert first.unbiased_cells(parts, counts, [second]) == pytest.approx(joint.ravel())  # type: ignore[list-item]  # as read
        statistic, freedom = interaction([first, second], parts, counts)  # type: ignore[list-item]  # as read
        assert freedom == 1
        assert statistic > 50 if joint is DEPENDENT else statistic == pytest.approx(0, abs=1e-6)


def test_two_options_of_one_question_are_associated_and_noise_in_common_is_taken_for_none() -> None:
    """Shares lie within 4.5 errors; of independent ones a test at 1e-6 does not reject."""
    found = associate(SURVEY, crowd(80_000, DEPENDENT, 1), ["q0:a", "q0:c"])
    for cell, share in zip(found.cells, DEPENDENT.ravel(), strict=True):
        assert cell.share == pytest.approx(share, abs=4.5 * (cell.standard_error or 0))
        assert 0.001 < (cell.standard_error or 0) < 0.05
    assert (found.independence.p_value or 0) < 1e-3
    alone = associate(SURVEY, crowd(20_000, np.outer([0.4, 0.6], [0.3, 0.7]), 2), ["q0:a", "q0:c"])
    assert (alone.independence.p_value or 0) > 1e-6


def test_tables_of_three_have_options_with_other_questions_in_any_order() -> None:
    records = crowd(20_000, DEPENDENT, 3)
    found = associate(SURVEY, records, ["q0:a", "q1", "q0:c"])
    shares = np.array([cell.share for cell in found.cells], np.float64).reshape(2, 2, 2)
    errors = np.array([cell.standard_error for cell in found.cells], np.float64).reshape(2, 2, 2)
    truth = np.zeros((2, 2, 2))
    truth[0, 0], truth[1, 1] = DEPENDENT  # the yes-no is yes where a is
    assert (np.abs(shares - truth) < 4.5 * errors).all()
    assert found.independence.degrees_of_freedom == 4


def test_a_regression_has_options_of_one_set_on_both_sides() -> None:
    found = regress_reports(SURVEY, crowd(20_000, DEPENDENT, 4), "q0:a ~ q0:c")
    slope = found.coefficients[1]
    log_odds = np.log(0.3 * 0.5 / (0.1 * 0.1))
    assert slope.estimate == pytest.approx(log_odds, abs=4.5 * slope.standard_error)


def test_more_options_than_may_be_selected_make_no_table_and_a_tally_has_no_covariances() -> None:
    few = survey_of(MEMBERS | {"max_selected": 2, "weight": 3})
    mechanism = few.questions[0].mechanism
    records = few.layout.join([mechanism.perturb(np.zeros((50, 16), int), Coins(hmac_bytes(bytes(32), b"few")))], {})
    with pytest.raises(DomainError, match="q0 lets people select at most 2 options, so nobody has all 3 of these"):
        associate(few, records, ["q0:a", "q0:b", "q0:c"])
    with pytest.raises(DomainError, match=r"reports its options as one set.*`sotto associate` finds that"):
        share_covariance(Tally.of(few, records), "q0")
    assert Merged.of(read_sides(few, ["q0:a", "q0:b"], {})).has_merged
    one = survey_of(MEMBERS | {"weight": 1}, YES_NO)
    with pytest.raises(DomainError, match=r"has 1 of its options and blanks, so no report shows how 2 options go"):
        Merged.of(read_sides(one, ["q0:a", "q0:b"], {}))
    assert not Merged.of(read_sides(one, ["q0:a", "q1"], {})).has_merged
