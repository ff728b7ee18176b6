"""What a regression says in sentences: the sign of each column that stands alone, beside what, and nothing more."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from sotto_estimator import regress
from sotto_estimator.regression.result import Coefficient, FitQuality, Regression
from sotto_estimator.views.regression_words import known_words

CAUTION = "This is approximate, and does not show what causes what."


def coefficient(name: str, estimate: float, p_value: float = 0.001, equation: str = "paid = yes") -> Coefficient:
    return Coefficient(equation, name, estimate, 0.1, estimate / 0.1, p_value, estimate - 0.2, estimate + 0.2)


def said_of(found: Regression, *coefficients: Coefficient) -> list[str]:
    every = (coefficient("Intercept", 1.0), *coefficients)
    return known_words(replace(found, coefficients=every, references={"region": "north", "smokes": "no"}))


@pytest.fixture(scope="module")
def found() -> Regression:
    return Regression(
        "paid ~ x", "", (), 1.0, 100, 0.95, (), (), FitQuality(-1, -2, 0.5, 1, 1, 3, converged=True), np.eye(1)
    )


@pytest.mark.parametrize(
    ("coefficients", "said"),
    [
        ([coefficient("age", -0.1)], ["With higher age, paid = yes is less likely."]),
        (
            [coefficient("age", 0.1), coefficient("region[T.south]", 0.6), coefficient("smokes[yes]", -0.6)],
            [
                "With higher age, paid = yes is more likely, for the same region and smokes.",
                "paid = yes is more likely for region = south than for region = north, for the same age and smokes.",
                "paid = yes is less likely for smokes = yes than for smokes = no, for the same age and region.",
            ],
        ),
        (
            [coefficient("C(half)[T.2]", 0.6, equation="income"), coefficient("age", 0.1, 0.2, "income")],
            [
                "income is higher for half = 2 than for the reference category of half, for the same age.",
                "No effect of age on income is shown, for the same half.",
            ],
        ),
        (
            [coefficient("age", 0.1, equation="dish = fish"), coefficient("age", 0.1, equation="dish = soup")],
            [
                "With higher age, dish = fish is more likely, compared with the reference answer.",
                "With higher age, dish = soup is more likely, compared with the reference answer.",
            ],
        ),
        (
            [coefficient("age", 0.1), coefficient("bmi", 0.1), coefficient("age:bmi", 0.1)],
            [],  # what either does depends on the other
        ),
        ([coefficient("np.log(age)", 0.1), coefficient("age", 0.1, math.nan)], []),
        (
            [coefficient("hidden(paid) = yes", 0.6, equation="income")],
            ["income is higher for paid = yes than for the reference category of paid."],
        ),
    ],
)
def test_each_column_that_stands_alone_is_said_beside_the_others(
    found: Regression, coefficients: list[Coefficient], said: list[str]
) -> None:
    assert said_of(found, *coefficients) == [*said, *[CAUTION] * bool(said)]


def test_nothing_is_said_of_a_fit_that_did_not_converge(found: Regression) -> None:
    stopped = replace(found, quality=replace(found.quality, converged=False))
    assert said_of(stopped, coefficient("age", 1)) == []


def test_the_category_that_others_are_compared_with_is_that_without_a_coefficient() -> None:
    data = pd.DataFrame(
        {"paid": ["yes", "no"] * 60, "region": ["south", "north", "west"] * 40, "half": [1, 2, 2, 1] * 30}
    )
    found = regress(data, "paid ~ region + C(half)", design="warner(prob=.8)")
    assert found.references == {"region": "north", "half": "1"}
