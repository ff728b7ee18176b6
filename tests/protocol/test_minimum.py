"""How many reports a question needs before it is shown: never too few to be likely, nor many more than that."""

import math
from dataclasses import replace
from fractions import Fraction
from itertools import product

import pytest
from scipy import stats

from published import TEXT, YES_NO, survey_of
from sotto_protocol import compile_toml
from sotto_protocol.minimum import needs_of, say_needs

STAFF = compile_toml("""
id = "staff"
title = "Staff"
min_reports = 50
invited = true
[[questions]]
id = "harassed"
type = "yes-no"
text = "Were you harassed?"
epsilon = 1
[[questions]]
id = "workload"
type = "yes-no"
text = "Too much work?"
epsilon = 1
[[questions]]
id = "wish"
type = "text"
mechanism = "rappor"
text = "What should change?"
epsilon = 1
""")


def likely(n_cohorts: int, min_reports: int) -> int:
    survey = replace(survey_of(TEXT | {"n_cohorts": n_cohorts, "n_bits": 8}), min_reports=min_reports)
    (need,) = needs_of(survey).values()
    assert need.least == n_cohorts * min_reports
    return need.likely


@pytest.mark.parametrize(("n_cohorts", "min_reports"), list(product([2, 8, 64, 1024], [2, 10, 50, 1000])))
def test_every_cohort_has_enough_in_19_cases_of_20_and_not_for_many_more_reports(
    n_cohorts: int, min_reports: int
) -> None:
    def prob_short(n: int) -> float:
        return n_cohorts * float(stats.binom.cdf(min_reports - 1, n, 1 / n_cohorts))

    n = likely(n_cohorts, min_reports)
    assert prob_short(n) <= 0.05
    assert prob_short(round((0.7 if min_reports < 10 else 6 / 7) * n - 1)) > 0.05


@pytest.mark.parametrize(("n_cohorts", "min_reports"), [(2, 2), (3, 2), (2, 5)])
def test_the_chance_that_a_cohort_has_too_few_is_enumerated(n_cohorts: int, min_reports: int) -> None:
    n, fewest = likely(n_cohorts, min_reports), min_reports
    short = Fraction(0)
    for counts in product(range(n + 1), repeat=n_cohorts - 1):
        sizes = (*counts, n - sum(counts))
        if sizes[-1] >= 0 and min(sizes) < fewest:
            short += Fraction(math.factorial(n), math.prod(map(math.factorial, sizes)))
    assert short / n_cohorts**n <= Fraction(1, 20)


def test_question_without_cohorts_needs_the_least_number() -> None:
    need = needs_of(replace(survey_of(YES_NO), min_reports=7))["q0"]
    assert (need.n_cohorts, need.least, need.likely) == (1, 7, 7)


def test_needs_are_said_of_each_question() -> None:
    first, second = say_needs(STAFF)
    assert first == "shown from 50 reports: harassed, workload"
    assert second == (
        "shown from 3,200 reports at the earliest: wish needs 50 in each of its 64 cohorts. 5,133 reports are "
        "enough in 19 of 20 surveys"
    )
    assert say_needs(replace(STAFF, min_reports=1)) == []
    assert "50 reports of a wave" in say_needs(replace(STAFF, waves=2))[0]
