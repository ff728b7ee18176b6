"""Regression of an unrelated question whose prevalence nobody knows: two samples, and the prevalence fitted with it."""

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize
from test_regression import check_derivatives, matrix_of, people

from sotto_estimator.errors import DomainError
from sotto_estimator.regression.mixture import Rows
from sotto_estimator.regression.regress import regress
from sotto_estimator.regression.unrelated_answer import UnrelatedAnswer

Floats = NDArray[np.float64]
PROBS = {"a": 0.7, "b": 0.25}
ARMS = {arm: f"unrelated(prob_question={prob})" for arm, prob in PROBS.items()}


def asked(n: int, seed: int, prevalence: float = 0.3) -> pd.DataFrame:
    """Return people of two samples; a question is drawn by chance, the sensitive or an unrelated one."""
    frame, random = people(n, seed), np.random.default_rng(seed + 1)
    frame["half"] = random.choice(["a", "b"], n)
    is_sensitive = random.random(n) < frame["half"].map(PROBS)
    frame["cheated"] = np.where(np.where(is_sensitive, frame["answer"], random.random(n) < prevalence), "yes", "no")
    return frame


def logs_of(frame: pd.DataFrame, place: Floats) -> Floats:
    """Return the log-likelihoods of the reports: three coefficients, then the log odds of the prevalence."""
    share, prevalence = 1 / (1 + np.exp(-matrix_of(frame) @ place[:3])), 1 / (1 + np.exp(-place[3]))
    prob = frame["half"].map(PROBS).to_numpy()
    yes = prob * share + (1 - prob) * prevalence
    return np.log(np.where(frame["cheated"] == "yes", yes, 1 - yes))


@pytest.mark.thorough
def test_the_fit_is_that_of_a_naive_climb_from_anywhere() -> None:
    frame = asked(1500, 21)
    found = regress(frame, "cheated ~ age + region", design=ARMS, arm="half", predict=[{"age": 1, "region": "south"}])
    place = np.array([of.estimate for of in found.coefficients])
    climbs = [
        minimize(lambda at: -logs_of(frame, at).sum(), start, method="BFGS", options={"gtol": 1e-6})
        for start in np.random.default_rng(1).normal(size=(4, 4))
    ]
    best = min(climbs, key=lambda of: of.fun)
    assert place == pytest.approx(best.x, abs=1e-4)
    assert found.quality.log_likelihood == pytest.approx(-best.fun, abs=1e-6)
    assert found.quality.aic == pytest.approx(8 + 2 * best.fun, abs=1e-5)
    step = 1e-3
    bends = np.array(
        [
            [
                -sum(i * j * logs_of(frame, place + step * (i * one + j * two)).sum() for i in (1, -1) for j in (1, -1))
                / (4 * step**2)
                for two in np.eye(4)
            ]
            for one in np.eye(4)
        ]
    )
    assert found.covariance == pytest.approx(np.linalg.inv(bends), rel=1e-3)
    assert found.predictions[0].share == pytest.approx(1 / (1 + np.exp(-place[:3].sum())))
    assert [(of.equation, of.name) for of in found.coefficients][3:] == [("unrelated = yes", "Intercept")]
    assert np.isnan(found.coefficients[3].p_value)
    assert found.measures == {}
    assert f"is estimated with it, as {100 / (1 + np.exp(-place[3])):.2f} %" in found.notes[0]
    without = regress(frame, "cheated ~ age", design=ARMS, arm="half")
    ratio = next(of for of in found.tests if of.terms == "region")
    assert ratio.statistic == pytest.approx(2 * (found.quality.log_likelihood - without.quality.log_likelihood))


def test_the_truth_is_found_within_its_errors_and_another_prevalence_is_not() -> None:
    """Of 4 coefficients none is more than 7 errors off: a false alarm in 1e-11."""
    found = regress(asked(60_000, 5), "cheated ~ age + region", design=ARMS, arm="half")
    truth = [-1, 0.5, 0.8, np.log(3 / 7)]
    apart = [(of.estimate - true) / of.standard_error for of, true in zip(found.coefficients, truth, strict=True)]
    assert np.abs(apart).max() < 7
    prevalence = found.coefficients[3]
    assert abs(prevalence.estimate - np.log(2 / 3)) > 7 * prevalence.standard_error


def test_score_and_information_are_derivatives() -> None:
    random = np.random.default_rng(7)
    channel = np.log(random.dirichlet([1, 1], (30, 4))[:, :, 0])
    rows = Rows(UnrelatedAnswer(channel), [random.normal(size=(30, 2)), np.ones((30, 1))], np.ones(30))
    check_derivatives(rows.at, random.normal(size=3))


def test_an_unrelated_question_that_cannot_be_told_is_refused() -> None:
    frame = asked(200, 3).assign(votes="yes")
    with pytest.raises(DomainError, match="Add a sample that was asked with other probabilities"):
        regress(frame, "cheated ~ age", design=ARMS["a"])
    for formula, cluster in (("votes ~ hidden(cheated)", ""), ("cheated ~ age", "region")):
        with pytest.raises(DomainError, match="need the prevalence of the unrelated question"):
            regress(frame, formula, design=ARMS, arm="half", random_intercept=cluster)
