"""The shares of a joint table by maximum likelihood: right, certified, and told when they are not final."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import LinearConstraint, minimize

from sotto_estimator import DomainError
from sotto_estimator.likelihood import em
from sotto_estimator.likelihood.em import fit
from sotto_estimator.likelihood.latent_classes import Mixture, mean_products

Floats = NDArray[np.float64]


def random_mixture(seed: int, shape: tuple[int, ...], n_groups: int = 300) -> Mixture:
    generator = np.random.default_rng(seed)
    likelihoods = tuple(generator.gamma(0.5, size=(n_groups, width)) + 0.01 for width in shape)
    return Mixture(likelihoods, generator.integers(1, 5, n_groups))


def dense(mixture: Mixture) -> Floats:
    """Return the table that the mixture never makes: every group's likelihood under every cell."""
    table = np.ones((len(mixture.counts), 1))
    for part in mixture.likelihoods:
        table = np.einsum("ij,ik->ijk", table, part).reshape(len(table), -1)
    return table


def log_likelihood(table: Floats, counts: NDArray[np.number], shares: Floats) -> float:
    return float(counts @ np.log(table @ shares.ravel()))


def independent_optimum(mixture: Mixture) -> Floats:
    table, n_cells = dense(mixture), int(np.prod(mixture.shape))
    weights = mixture.weights
    found = minimize(
        lambda x: -weights @ np.log(table @ x),
        np.full(n_cells, 1 / n_cells),
        jac=lambda x: -table.T @ (weights / (table @ x)),
        bounds=[(0, 1)] * n_cells,
        constraints=LinearConstraint(np.ones(n_cells), 1, 1),
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 1000},
    )
    return np.asarray(found.x).reshape(mixture.shape)


@pytest.mark.parametrize(("seed", "shape"), [(1, (4,)), (2, (2, 3)), (3, (4, 3)), (4, (2, 3, 2)), (5, (6, 2))])
def test_the_shares_are_those_of_an_independent_optimiser(seed: int, shape: tuple[int, ...]) -> None:
    mixture = random_mixture(seed, shape)
    found = fit(mixture, tolerance=1e-9)
    assert found.converged
    assert found.shares == pytest.approx(independent_optimum(mixture), abs=1e-6)
    assert found.shares.sum() == pytest.approx(1)
    assert found.log_likelihood == pytest.approx(log_likelihood(dense(mixture), mixture.counts, found.shares))


def test_the_shares_at_the_edge_are_exactly_0_and_their_gradient_is_below_1() -> None:
    found = fit(random_mixture(6, (5, 5)), tolerance=1e-9)
    at_edge = found.shares == 0
    assert 0 < at_edge.sum() < 25
    gradient = random_mixture(6, (5, 5)).gradient(found.densities)
    assert gradient[at_edge].max() < 1
    assert gradient[~at_edge] == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_no_shares_are_likelier_than_the_gap_allows_at_any_iteration(seed: int) -> None:
    mixture = random_mixture(seed, (3, 4))
    table, best = dense(mixture), independent_optimum(mixture)
    most = log_likelihood(table, mixture.counts, best)
    values = []
    for n_iterations in range(16):
        found = fit(mixture, max_iterations=n_iterations)
        values.append(found.log_likelihood)
        assert most - found.log_likelihood <= found.gap + 1e-7
        assert not (found.converged and most - found.log_likelihood > em.TOLERANCE + 1e-7)
    assert np.diff(values).min() >= -1e-9, "the likelihood never falls"


def test_a_fit_that_is_stopped_says_that_it_did_not_converge() -> None:
    found = fit(random_mixture(7, (3, 3)), max_iterations=1)
    assert not found.converged
    assert found.n_iterations == 1
    assert found.gap > em.TOLERANCE


def test_many_cells_are_fitted_through_a_part_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    mixture = random_mixture(8, (12, 10))
    whole = fit(mixture, tolerance=1e-9)
    monkeypatch.setattr(em, "_N_KEPT", 8)
    monkeypatch.setattr(em, "_N_ADDED", 5)
    part = fit(mixture, tolerance=1e-9)
    assert part.converged
    assert part.log_likelihood == pytest.approx(whole.log_likelihood, abs=1e-8)


def test_where_newtons_steps_are_too_large_em_goes_on_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    mixture = random_mixture(9, (2, 2))
    quick = fit(mixture)
    monkeypatch.setattr(em, "_MAX_CELLS", 0)
    slow = fit(mixture, max_iterations=20_000, tolerance=1e-6)
    assert slow.converged
    assert slow.n_iterations > quick.n_iterations
    assert slow.shares == pytest.approx(quick.shares, abs=1e-3)


def test_grouped_reports_give_what_single_ones_give() -> None:
    mixture = random_mixture(10, (3, 3), n_groups=60)
    single = Mixture(
        tuple(np.repeat(part, mixture.counts, axis=0) for part in mixture.likelihoods),
        np.ones(int(mixture.counts.sum())),
    )
    assert fit(single, tolerance=1e-9).shares == pytest.approx(fit(mixture, tolerance=1e-9).shares, abs=1e-9)


def test_a_factor_of_a_report_changes_no_share() -> None:
    mixture = random_mixture(11, (3, 3))
    scaled = Mixture(
        (mixture.likelihoods[0] * np.linspace(0.1, 9, 300)[:, None], mixture.likelihoods[1]), mixture.counts
    )
    assert fit(scaled, tolerance=1e-9).shares == pytest.approx(fit(mixture, tolerance=1e-9).shares, abs=1e-7)


@pytest.mark.parametrize("shape", [(3,), (2, 5), (2, 5, 3), (2, 2, 9)])
def test_products_of_matrices_are_the_sums_that_they_stand_for(shape: tuple[int, ...]) -> None:
    mixture = random_mixture(12, shape, n_groups=700)
    table, shares = dense(mixture), np.random.default_rng(1).dirichlet(np.ones(int(np.prod(shape)))).reshape(shape)
    densities = mixture.densities(shares)
    assert densities == pytest.approx(table @ shares.ravel())
    scores = table / densities[:, None]
    assert mixture.gradient(densities).ravel() == pytest.approx(mixture.weights @ scores)
    cells = np.arange(shares.size)[::2]
    expected = (scores[:, cells] * mixture.weights[:, None]).T @ scores[:, cells]
    assert mixture.information(densities, cells) == pytest.approx(expected)
    signed = [part - 0.3 for part in mixture.likelihoods]
    expected = np.einsum("i,ij->j", mixture.weights, dense_of(signed)).reshape(shape)
    assert mean_products(signed, mixture.weights) == pytest.approx(expected)


def dense_of(parts: list[Floats]) -> Floats:
    table = np.ones((len(parts[0]), 1))
    for part in parts:
        table = np.einsum("ij,ik->ijk", table, part).reshape(len(table), -1)
    return table


@pytest.mark.parametrize(
    ("likelihood", "counts", "message"),
    [
        (np.ones((2, 2)), np.zeros(2), "counts must be above 0"),
        (np.ones((0, 2)), np.ones(0), "n_groups >= 1"),
        (np.ones((3, 2)), np.ones(2), r"likelihoods\[0\] must have shape"),
        (np.zeros((2, 2)), np.ones(2), "with one above 0 in every row"),
        (np.array([[1, -1], [1, 1]]), np.ones(2), ">= 0"),
        (np.array([[1, np.nan], [1, 1]]), np.ones(2), "finite"),
    ],
)
def test_what_is_no_mixture_is_refused(likelihood: Floats, counts: Floats, message: str) -> None:
    with pytest.raises(DomainError, match=message):
        Mixture((likelihood,), counts)
