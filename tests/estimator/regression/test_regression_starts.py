"""Fits from any start, of any small survey; how often intervals hold, and tests of fit find what is not there."""

import os

import numpy as np
import pytest
from numpy.typing import NDArray
from test_regression import CROSSWISE, FORCED, Floats, people, reports_of, sample_of_reports

from sotto_estimator.designs.spec import read_design
from sotto_estimator.regression.answer_model import fit_columns
from sotto_estimator.regression.formula import Terms
from sotto_estimator.regression.lack_of_fit import lack_of_fit
from sotto_estimator.regression.regress import regress
from sotto_estimator.regression.sample import Sample


@pytest.mark.parametrize("n_starts", [20, pytest.param(200, marks=pytest.mark.rare)])
def test_every_start_leads_to_the_same_maximum(n_starts: int) -> None:
    sample = sample_of_reports(FORCED, 500, 2)
    best = fit_columns(sample, range(3))
    for start in np.random.default_rng(9).normal(scale=5, size=(n_starts, 3)):
        found = fit_columns(sample, range(3), start)
        assert found.maximum.converged
        assert found.coefficients == pytest.approx(best.coefficients, abs=1e-6)


@pytest.mark.parametrize("n_surveys", [20, pytest.param(150, marks=pytest.mark.rare)])
def test_small_surveys_of_any_design_are_fitted_without_a_fault(n_surveys: int) -> None:
    """Where nothing is separated the fit is where its score is 0."""
    random, n_plain = np.random.default_rng(5), 0
    for number in range(n_surveys):
        text = [FORCED, "direct", "warner(prob=0.6)", "mangat(prob=3/4)", CROSSWISE][number % 5]
        sample = sample_of_reports(text, int(random.integers(25, 200)), number)
        fitted = fit_columns(sample, range(3))
        if fitted.maximum.converged and not len(fitted.separated):
            n_plain += 1
            assert np.abs(fitted.maximum.local.score).max() < 1e-4
            assert np.linalg.eigvalsh(fitted.covariance).min() > 0
        assert np.isfinite(fitted.coefficients).all()
    assert n_plain > n_surveys / 2


@pytest.mark.parametrize("n_starts", [3, pytest.param(100, marks=pytest.mark.rare)])
def test_far_starts_on_the_flat_lead_back(n_starts: int) -> None:
    """Of whom all are taken to say yes, or all no, beyond doubt: e^-40."""
    sample = sample_of_reports("warner(prob=0.7)", 400, 6)
    best = fit_columns(sample, range(3))
    for start in np.random.default_rng(1).choice([-40.0, 40.0], n_starts):
        found = fit_columns(sample, range(3), np.array([start, 0, 0]))
        assert found.coefficients == pytest.approx(best.coefficients, abs=1e-6)


@pytest.mark.rare
@pytest.mark.thorough
def test_lack_of_fit_has_the_level_that_it_says_and_finds_a_square() -> None:
    """Of 400 surveys P is below 1/2 in .5 +- .025, and in .15 more with a probability below 1e-9."""
    p_values = []
    for seed in range(400):
        sample = sample_of_reports(FORCED, 500, seed)
        p_values.append(lack_of_fit(sample, fit_columns(sample, range(3)))["P"])
    assert 0.33 < np.mean(np.array(p_values) < 0.5) < 0.67
    assert np.mean(np.array(p_values) < 0.01) < 0.07
    frame, random = people(3000, 3), np.random.default_rng(4)
    answers = random.random(3000) < 1 / (1 + np.exp(1 - 1.5 * frame["age"] ** 2))
    frame["cheated"] = reports_of(read_design(FORCED), 1 - answers.astype(int), 5)
    without, found = (regress(frame, f"cheated ~ {terms}", design=FORCED) for terms in ("age", "age + I(age**2)"))
    assert without.measures["P"] < 1e-6
    assert found.measures["P"] > 1e-6


COVERED = 0.95
N_SIMULATED, OFF = (30_000, 0.015) if os.environ.get("SOTTO_TEST_FULL") else (1_000, 0.035)


@pytest.mark.slow
@pytest.mark.rare
def test_intervals_of_1000_reports_hold_as_often_as_they_say() -> None:
    """Within 1.5 points, by a fixed seed; those that take reports for answers do not.

    They hold in .953 to .957, and a share of 30,000 has an error of .0013: in full another seed would fail once in
    10^11. Of 1,000 (.007) they are held to 3.5 points, once in 10^5: errors a sixth too small are still found out.
    """
    design, truth = read_design(FORCED), np.array([-1.0, 0.5, 0.8])
    random, held, held_plain = np.random.default_rng(12), np.zeros(3), np.zeros(3)
    for number in range(N_SIMULATED):
        matrix = np.column_stack([np.ones(1000), random.normal(size=1000), random.integers(0, 2, 1000)])
        is_yes = random.random(1000) < 1 / (1 + np.exp(-matrix @ truth))
        said_no = random.random(1000) > np.where(is_yes, design.matrix[0, 0], design.matrix[0, 1])
        held += holds(matrix, design.matrix[said_no.astype(int)], truth)
        if number < N_SIMULATED / 100:
            held_plain += holds(matrix, np.eye(2)[said_no.astype(int)], truth)
    assert np.abs(held / N_SIMULATED - COVERED).max() < OFF
    assert (held_plain / (N_SIMULATED / 100)).min() < 0.9


def holds(matrix: Floats, channel: Floats, truth: Floats) -> NDArray[np.bool_]:
    """Return which 95 % intervals hold the truth."""
    names = ("Intercept", "age", "region")
    with np.errstate(divide="ignore"):
        log_channel = np.log(np.asfortranarray(channel))
    terms = Terms(matrix, names, {}, lambda _: np.zeros((1, 3)))
    fitted = fit_columns(Sample(("yes", "no"), log_channel, np.ones(1000), terms, np.arange(1000)), range(3))
    found: NDArray[np.bool_] = np.abs(fitted.coefficients - truth) < 1.959964 * np.sqrt(np.diag(fitted.covariance))
    return found
