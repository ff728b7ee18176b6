"""Plans of whole surveys come true: real reports of made-up crowds, counted and estimated, beside what was planned.

Coins and crowds are drawn from seeds, so a test that passes once always does. With other seeds, RUNS crowds make a
frequency that is off its probability by OFF with at most 1e-9 (twice exp(-2 RUNS OFF^2), Hoeffding 1963). Who is asked
an option is chance as well, of which a plan takes the average: that adds less than ASKED.
"""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from sotto_estimator.channel.channel import Target
from sotto_estimator.intervals.intervals import IntervalOptions
from sotto_estimator.planning.needed import respondents_for
from sotto_estimator.planning.options import PlanOptions
from sotto_estimator.planning.survey import QuestionPlan, part_drawn, plan_survey
from sotto_estimator.shares.estimates import Estimates
from sotto_estimator.shares.of_tally import estimate_tally
from sotto_estimator.strings.plan import POWER
from sotto_protocol import Coins, Survey, Tally, compile_toml

RUNS = 400
OFF = 0.17
ASKED = 0.04
FORMS = {
    "yes-no": 'type = "yes-no"\nepsilon = 1',
    "k-ary": 'type = "one-of"\noptions = ["a", "b", "c", "d"]\nepsilon = 2.5',
    "subset": 'type = "one-of"\noptions = ["a", "b", "c", "d", "e", "f", "g", "h"]\nepsilon = 1.5',
    "flips": 'type = "any-of"\nmechanism = "bit-flips"\nmax_selected = 1\noptions = ["a", "b", "c"]\nepsilon = 2',
    "asked": 'type = "any-of"\noptions = ["a", "b", "c"]\nepsilon = 2',
    "waves": 'type = "one-of"\noptions = ["a", "b", "c", "d"]\nepsilon = 2\nepsilon_forever = 5',
    "number": 'type = "number"\nminimum = 0\nmaximum = 16\nepsilon = 1',
    "window": 'type = "number"\nminimum = 0\nmaximum = 16\nepsilon = 4',
}
SHARES = [form for form in FORMS if form not in ("number", "window")]

pytestmark = pytest.mark.rare


def survey_of(form: str, draw: int = 0) -> Survey:
    head = 'id = "s"\ntitle = "S"\n' + (f"draw = {draw}\n" if draw else "")
    more = f'[[questions]]\nid = "other"\ntext = "?"\n{FORMS["yes-no"]}\n' if draw else ""
    return compile_toml(f'{head}[[questions]]\nid = "q"\ntext = "?"\n{FORMS[form]}\n{more}')


def answers_of(survey: Survey, n: int, share: float, target: Target, seed: int) -> Any:
    """Return n RUNS people's answers: a share of each crowd has the first value, or so many on average."""
    chance, question = np.random.default_rng(seed), survey.questions[0]
    if target == "population":
        says = chance.random((RUNS, n)) < share
    else:
        says = np.broadcast_to(np.arange(n) < round(share * n), (RUNS, n))
    flat = says.ravel().astype(np.int64)
    if question.type == "any-of":
        return np.stack([flat, *[np.zeros_like(flat)] * (len(question.options) - 1)], axis=1)
    if question.type == "number":
        return np.where(flat == 1, 12, 4)  # a quarter of the range to each side of its middle
    return flat if question.type == "yes-no" else 1 - flat  # yes is 1, the first option 0


def estimates_of(survey: Survey, n: int, share: float, target: Target, seed: int) -> Iterator[Estimates]:
    """Yield the estimates of RUNS crowds of n people, intervals one at a time."""
    answers = {question.id: answers_of(survey, n, share, target, seed) for question in survey.questions[:1]}
    answers |= {question.id: np.zeros(n * RUNS, np.int64) for question in survey.questions[1:]}
    records = survey.perturb(answers, Coins(np.random.default_rng(seed + 1).bytes))
    for start in range(0, n * RUNS, n):
        yield estimate_tally(Tally.of(survey, records[start : start + n]), IntervalOptions(target=target))


def first_intervals(survey: Survey, n: int, share: float, target: Target, seed: int = 1) -> tuple[Any, Any]:
    """Return the ends of the first value's interval, or the mean's, in every crowd, as they are cut to what can be.

    NaN where counts contradict the design, as they do by chance in fewer than one of a thousand crowds.
    """
    ends = []
    for estimates in estimates_of(survey, n, share, target, seed):
        one = estimates.means[0] if estimates.means else estimates.rows[0]
        ends.append((one.low, one.high))
    low, high = np.array(ends, np.float64).T
    return low, high


def planned(survey: Survey, n: int, target: Target = "population") -> QuestionPlan:
    return plan_survey(survey, n, PlanOptions(target=target)).questions[0]


@pytest.mark.parametrize(
    ("form", "target"),
    [*((form, "population") for form in FORMS), *((form, "respondents") for form in SHARES)],
)
def test_every_second_interval_is_as_narrow_as_planned_and_none_is_much_narrower(form: str, target: Target) -> None:
    """About the respondents the width is that of the expected count, which rounding is off by at most 2 %."""
    survey, n = survey_of(form), 400
    width = planned(survey, n, target).width
    low, high = first_intervals(survey, n, 0.5, target)
    widths = (high - low) / 2
    assert np.mean(widths <= width * 1.02 + 1e-9) >= 0.5 - OFF
    assert np.mean(widths <= 0.95 * width) <= OFF


@pytest.mark.parametrize(
    ("form", "draw"), [("yes-no", 0), ("yes-no", 1), ("k-ary", 0), ("asked", 0), ("number", 0), ("number", 1)]
)
def test_as_many_respondents_as_are_planned_give_the_width(form: str, draw: int) -> None:
    survey = survey_of(form, draw)
    question, want = survey.questions[0], 0.12 * (16 if form == "number" else 1)
    n = respondents_for(question, want, PlanOptions(), part_drawn(survey))
    assert n is not None
    for size, is_enough in ((n, True), (round(0.85 * n), False)):
        low, high = first_intervals(survey, size, 0.5, "population")
        share = np.mean((high - low) / 2 <= want)
        assert share >= 0.5 - OFF if is_enough else share <= OFF


@pytest.mark.parametrize("target", ["population", "respondents"])
@pytest.mark.parametrize("form", SHARES)
def test_the_smallest_share_is_told_from_none_as_often_as_is_said_and_a_smaller_one_less(
    form: str, target: Target
) -> None:
    survey, n = survey_of(form), 300
    least = planned(survey, n, target).of(target).smallest_share
    assert least is not None
    slack = OFF + ASKED * (form == "asked")
    low, _ = first_intervals(survey, n, least, target)
    assert np.mean(low > 0) == pytest.approx(POWER, abs=slack)
    low, _ = first_intervals(survey, n, 0.7 * least, target)
    assert np.mean(low > 0) < POWER - slack


@pytest.mark.parametrize("form", ["yes-no", "k-ary", "subset", "number"])
def test_two_groups_are_told_apart_about_as_often_as_is_said(form: str) -> None:
    """Their intervals hold together: each at half of what both may miss by."""
    survey, n = survey_of(form), 800
    plan = planned(survey, n)
    difference = plan.of("population").smallest_difference
    assert difference is not None
    apart = difference / plan.size
    if form == "number":  # numbers are 4 or 12: half of the range
        apart *= 2
    told = {}
    for part in (1.0, 0.75):
        ends = []
        for sign in (-1, 1):
            crowds = estimates_at(survey, n // 2, 0.5 + sign * part * apart / 2, seed=7 + sign)
            ends.append(np.array(crowds))
        told[part] = float(np.mean(ends[1][:, 0] > ends[0][:, 1]))
    assert told[1.0] == pytest.approx(POWER, abs=OFF)
    assert told[0.75] < POWER - OFF


def estimates_at(survey: Survey, n: int, share: float, seed: int) -> list[tuple[float, float]]:
    """Return the first interval of RUNS groups, of which two hold together."""
    answers = {"q": answers_of(survey, n, share, "population", seed)}
    records = survey.perturb(answers, Coins(np.random.default_rng(seed + 1).bytes))
    options, ends = IntervalOptions(level=0.975), []
    for start in range(0, n * RUNS, n):
        estimates = estimate_tally(Tally.of(survey, records[start : start + n]), options)
        one = estimates.means[0] if estimates.means else estimates.rows[0]
        ends.append((one.low, one.high))
    return ends


def test_the_false_alarm_is_as_small_as_is_said() -> None:
    assert 2 * math.exp(-2 * RUNS * OFF**2) < 1e-9
