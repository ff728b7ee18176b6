"""Tests of questions that were asked together: a share against a number, two groups, and a trend, by their own ids."""

from collections.abc import Sequence

import numpy as np
import pytest

from sotto_client import os_coins
from sotto_estimator import DomainError, compare_groups, estimate, share_test, trend_test
from sotto_estimator.channel.sums import SumGroup
from sotto_estimator.intervals.exact_sums import exact_sum_bounds
from sotto_estimator.intervals.intervals import IntervalOptions
from sotto_protocol import Survey, Tally, compile_toml

SAME = (0.56, 0.14, 0.12, 0.18)
MORE = (0.26, 0.14, 0.42, 0.18)
"""Of no and yes to smokes, north and south: the second has twice as many who smoke, and as many in the north."""


def health(mechanism: str) -> Survey:
    """Return a survey that asks two questions together."""
    smokes = '[[questions]]\nid = "smokes"\ntype = "yes-no"\ntext = "Do you smoke?"\n'
    region = '[[questions]]\nid = "region"\ntype = "one-of"\ntext = "Where?"\noptions = ["north", "south"]\n'
    weight = "weight = 2\n" if mechanism == "subset" else ""
    group = f'[[together]]\nquestions = ["smokes", "region"]\nepsilon = 4\nmechanism = "{mechanism}"\n{weight}'
    return compile_toml(f'id = "health"\ntitle = "Health"\n{group}{smokes}{region}')


def tally(survey: Survey, shares: Sequence[float]) -> Tally:
    """Return the tally of 3,000 people, as many of each combination as these shares say."""
    cells = np.repeat(np.arange(4), np.rint(3000 * np.array(shares)).astype(int))
    return Tally.of(survey, survey.perturb({"smokes-region": cells}, os_coins()))


@pytest.mark.parametrize("mechanism", ["k-ary", "subset", "oue"])
def test_groups_differ_in_the_question_that_differs_and_not_in_the_other(mechanism: str) -> None:
    survey = health(mechanism)
    groups = {"then": tally(survey, SAME), "now": tally(survey, MORE)}
    (smokes,) = compare_groups(groups, question="smokes").rows
    assert 0 < smokes.difference_low < 0.3 < smokes.difference_high
    north, _ = compare_groups(groups, question="region").rows
    assert north.difference_low < 0 < north.difference_high


@pytest.mark.parametrize("method", ["clopper-pearson", "blaker"])
@pytest.mark.parametrize("mechanism", ["subset", "oue"])
def test_exact_methods_are_exact_for_one_question_and_narrower_than_the_bound(mechanism: str, method: str) -> None:
    survey = health(mechanism)
    counted = tally(survey, SAME)
    found, wide = (
        next(row for row in estimate(counted, options=IntervalOptions(method=of)).rows if row.question == "smokes")
        for of in (method, "chernoff")
    )
    if_true, if_other = survey.questions[0].mechanism.union_chances(2)  # type: ignore[attr-defined]
    ends = exact_sum_bounds(found.support_count, SumGroup(3000, 1, if_true, if_other), "population", 0.025)
    assert (found.low, found.high) == pytest.approx(ends)
    assert found.interval == "exact method (Clopper-Pearson) for sums of counts"
    assert wide.low < found.low < found.high < wide.high


@pytest.mark.parametrize("mechanism", ["k-ary", "subset", "oue"])
def test_a_trend_is_tested_of_one_question(mechanism: str) -> None:
    survey = health(mechanism)
    first, last = tally(survey, SAME), tally(survey, MORE)
    (trend,) = trend_test({"1": first, "2": first, "3": last}, question="smokes").rows
    assert trend.p_value < 1e-6


def test_a_share_of_one_question_is_tested_where_a_report_is_for_one_answer() -> None:
    (row,) = share_test(tally(health("k-ary"), SAME), null=0.6, question="smokes").rows
    assert row.p_value < 1e-9


@pytest.mark.parametrize("mechanism", ["subset", "oue"])
def test_where_a_report_is_for_several_answers_the_combinations_are_tested_and_the_rest_is_named(
    mechanism: str,
) -> None:
    counted = tally(health(mechanism), SAME)
    found = share_test(counted, null=0.6)
    assert {row.question for row in found.rows} == {"smokes-region"}
    assert "no exact test of smokes, region: one report can be for several of its answers" in found.lines
    with pytest.raises(DomainError, match="each for one answer"):
        share_test(counted, null=0.6, question="smokes")
