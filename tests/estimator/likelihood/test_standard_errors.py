"""Standard errors of joint shares, and the test of independence: exact where they can be, else by simulation."""

import os

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binom, chi2

from sotto_estimator import SourceError
from sotto_estimator.association.independence import check_independence
from sotto_estimator.likelihood.em import MixtureFit, fit
from sotto_estimator.likelihood.latent_classes import Mixture
from sotto_estimator.likelihood.standard_errors import information_errors, invert, product_errors, standard_errors

Floats = NDArray[np.float64]
FULL = bool(os.environ.get("SOTTO_TEST_FULL"))
TRUTH = np.array([[0.3, 0.1, 0.1], [0.1, 0.3, 0.1]])
NOISE = (np.array([[0.8, 0.2], [0.2, 0.8]]), np.full((3, 3), 0.15) + 0.55 * np.eye(3))  # [category, report]


def of_reports(table: NDArray[np.integer]) -> Mixture:
    """Return the mixture of a table of how many reports there are of each combination."""
    groups = [np.array(place) for place in np.nonzero(table)]
    likelihoods = tuple(noise.T[place] for noise, place in zip(NOISE, groups, strict=True))
    return Mixture(likelihoods, table[tuple(groups)])


def simulate(truth: Floats, n_reports: int, seed: int) -> Mixture:
    reported = NOISE[0].T @ truth @ NOISE[1]
    return of_reports(np.random.default_rng(seed).multinomial(n_reports, reported.ravel()).reshape(reported.shape))


def alone(mixture: Mixture) -> list[MixtureFit]:
    return [fit(mixture.marginal(question)) for question in range(len(mixture.likelihoods))]


def test_in_the_interior_shares_and_errors_are_those_of_inverting_the_noise() -> None:
    table = np.array([[750, 500, 600], [500, 900, 550]])
    mixture = of_reports(table)
    found = fit(mixture, tolerance=1e-9)
    inverse = np.kron(np.linalg.inv(NOISE[0].T), np.linalg.inv(NOISE[1].T))
    rates = table.ravel() / table.sum()
    assert found.shares.ravel() == pytest.approx(inverse @ rates, abs=1e-7)
    covariance = inverse @ (np.diag(rates) - np.outer(rates, rates)) @ inverse.T / table.sum()
    errors = np.sqrt(np.diag(covariance)).reshape(table.shape)
    assert information_errors(mixture, found) == pytest.approx(errors, rel=1e-6)
    assert product_errors(mixture, alone(mixture)) == pytest.approx(errors, rel=1e-6)


def test_the_information_is_the_hessian_of_the_log_likelihood() -> None:
    generator = np.random.default_rng(2)
    mixture = Mixture(tuple(generator.gamma(1, size=(400, 2)) + 0.1 for _ in range(2)), generator.integers(1, 4, 400))
    shares = np.full((2, 2), 0.25)
    information = mixture.information(mixture.densities(shares), np.arange(4))
    step = 1e-5
    for cell in range(4):
        change = np.zeros(4)
        change[cell] = step
        ends = [mixture.gradient(mixture.densities(shares + sign * change.reshape(2, 2))) for sign in (1, -1)]
        assert (ends[0] - ends[1]).ravel() / (-2 * step) == pytest.approx(information[:, cell], rel=1e-6)


@pytest.mark.thorough
def test_errors_are_the_deviations_of_simulated_shares() -> None:
    """600 simulations: a deviation is known to 3 %; both errors are within 15 %, 5 deviations (p < 1e-6 each)."""
    mixtures = [simulate(TRUTH, 8000, seed) for seed in range(600)]
    fits = [fit(mixture) for mixture in mixtures]
    deviations = np.std([found.shares for found in fits], axis=0)
    by_information = np.mean([information_errors(m, f) for m, f in zip(mixtures[:50], fits, strict=False)], axis=0)
    by_products = np.mean([product_errors(mixture, alone(mixture)) for mixture in mixtures[:50]], axis=0)
    assert by_information / deviations == pytest.approx(1, rel=0.15)
    assert by_products / deviations == pytest.approx(1, rel=0.15)
    assert deviations * 1.2 / deviations != pytest.approx(1, rel=0.15), "the comparison can fail"


def test_a_cell_at_the_edge_has_the_error_of_the_estimate_that_may_be_negative() -> None:
    mixture = of_reports(np.array([[2400, 80, 460], [420, 140, 500]]))
    found = fit(mixture)
    assert (found.shares == 0).any()
    errors = information_errors(mixture, found)
    assert (errors > 0).all()
    kept = np.flatnonzero(found.shares)
    inverse = np.linalg.inv(mixture.information(found.densities, kept))
    narrow = np.sqrt((np.diag(inverse) - found.shares.ravel()[kept] ** 2) / mixture.n_reports)
    assert (errors.ravel()[kept] >= narrow).all()


def test_a_large_table_takes_the_errors_of_products(monkeypatch: pytest.MonkeyPatch) -> None:
    mixture = simulate(TRUTH, 500, 1)
    found = fit(mixture)
    whole = standard_errors(mixture, found, alone(mixture))
    assert whole == pytest.approx(information_errors(mixture, found))
    monkeypatch.setattr("sotto_estimator.likelihood.standard_errors.MAX_INFORMATION_CELLS", 5)
    large = standard_errors(mixture, found, alone(mixture))
    assert large == pytest.approx(product_errors(mixture, alone(mixture)))


def test_categories_that_reports_do_not_tell_apart_are_refused() -> None:
    with pytest.raises(SourceError, match="cannot distinguish the 2 categories or cells"):
        invert(np.ones((2, 2)))
    with pytest.raises(SourceError, match="cannot distinguish the 3"):
        invert(np.zeros((3, 3)))
    twins = np.array([[0.2, 0.7, 0.7], [0.8, 0.3, 0.3]])
    mixture = Mixture((twins,), np.array([30, 70]))
    with pytest.raises(SourceError, match="cannot distinguish"):
        information_errors(mixture, fit(mixture))


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.parametrize("truth", [TRUTH, np.array([[0.5, 0.02, 0], [0, 0.01, 0.47]])], ids=["interior", "edge"])
def test_intervals_of_95_per_cent_cover_in_95_of_100_simulations(truth: Floats) -> None:
    """False alarm of any cell below 1e-6: the bound is the binomial's lower tail at a coverage of .94."""
    n_runs = 4000 if FULL else 300
    hits = np.zeros(truth.shape, np.int64)
    for seed in range(n_runs):
        mixture = simulate(truth, 2000, seed)
        found = fit(mixture)
        errors = information_errors(mixture, found)
        hits += np.abs(found.shares - truth) <= 1.96 * errors
    least = binom.ppf(1e-7, n_runs, 0.94)
    assert hits.min() >= least
    assert n_runs * 0.80 < least, "intervals of half the width would fail"


def independence(truth: Floats, n_reports: int, seed: int) -> tuple[float, float]:
    mixture = simulate(truth, n_reports, seed)
    test = check_independence(mixture, fit(mixture), alone(mixture))
    assert test.degrees_of_freedom == 2
    assert test.log_likelihood_ratio >= -1e-6
    return test.p_value, test.log_likelihood_ratio


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.parametrize(
    "truth",
    [
        pytest.param(np.outer([0.4, 0.6], [0.2, 0.3, 0.5]), marks=pytest.mark.rare),
        np.outer([0.98, 0.02], [0.9, 0.1, 0]),
    ],
    ids=["interior", "edge"],
)
def test_independence_is_rejected_in_5_of_100_simulations_at_most_also_at_the_edge(truth: Floats) -> None:
    """False alarm below 1e-6: the binomial's tails at a size of .05."""
    n_runs = 4000 if FULL else 400
    rejected = sum(independence(truth, 2000, seed)[0] < 0.05 for seed in range(n_runs))
    assert rejected <= binom.ppf(1 - 1e-6, n_runs, 0.05)
    assert rejected >= binom.ppf(1e-6, n_runs, 0.05), "the score test is not conservative"


def test_dependence_is_found() -> None:
    p_values = [independence(TRUTH, 2000, seed)[0] for seed in range(50)]
    assert np.mean(np.array(p_values) < 0.05) > 0.9


def test_in_the_interior_both_statistics_of_independence_agree() -> None:
    pairs = [independence(np.outer([0.4, 0.6], [0.2, 0.3, 0.5]), 50_000, seed) for seed in range(20)]
    for p_value, ratio in pairs:
        assert chi2.isf(p_value, 2) == pytest.approx(ratio, abs=0.3 + 0.05 * ratio)


def test_a_dependence_of_three_that_no_pair_shows_is_found() -> None:
    """The third answer says whether the first two are equal; any two are independent."""
    generator = np.random.default_rng(3)
    first, second = generator.integers(0, 2, (2, 20_000))
    answers = np.stack([first, second, (first == second).astype(int)])
    reports = np.where(generator.random(answers.shape) < 0.8, answers, 1 - answers)
    keys, counts = np.unique(reports, axis=1, return_counts=True)
    mixture = Mixture(tuple(NOISE[0].T[row] for row in keys), counts)
    test = check_independence(mixture, fit(mixture), alone(mixture))
    assert test.degrees_of_freedom == 4
    assert test.p_value < 1e-9
    two = mixture.marginal(0, 2)
    assert check_independence(two, fit(two), alone(two)).p_value > 1e-6
