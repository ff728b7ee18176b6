"""Candidates about as many as cells, estimated all at once: against explicit models without each, and crowds."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import ndtr

from rappor_cases import Setting, score
from sotto_estimator.strings import dense, models
from sotto_estimator.strings.candidates import CandidateMap
from sotto_estimator.strings.columns import Columns, HashMoments
from sotto_estimator.strings.counts import BitRates
from sotto_estimator.strings.decode import decode
from sotto_estimator.strings.dense import DenseEstimates, dense_estimates, is_dense
from sotto_estimator.strings.regression import BloomCells
from sotto_protocol.mechanisms.bloom.hash import BloomDesign

RATES = BitRates.from_rappor(0, 0.225, 0.775)


class Exponential(Setting):
    """Shares fall by e five times over all strings: most are there, and few of them are clear."""

    def shares(self) -> np.ndarray:
        weights = np.exp(-5 * np.arange(self.n_true) / self.n_true)
        return weights / weights.sum()


SMALL = Exponential(1_000_000, BloomDesign(8, 2, 40), RATES, n_extra=50, n_missing=20, n_true=220)
"""320 cells, 250 candidates."""
NONE_TRUE = replace(SMALL, n_extra=250, n_missing=220)


def estimated(setting: Setting, seed: int = 0) -> tuple[BloomCells, Columns, DenseEstimates]:
    counts, candidates, _ = setting.draw(seed)
    columns = Columns(candidates)
    cells = BloomCells.of(counts, setting.rates, columns.moments)
    found = dense_estimates(cells, columns, np.arange(columns.n), np.inf)
    assert found is not None
    return cells, columns, found


def test_a_candidate_is_estimated_and_tested_by_a_model_of_all_others(monkeypatch: Any) -> None:
    """In the first round: generalised least squares without it, whose residuals a random column is held against."""
    monkeypatch.setattr(dense, "_MAX_ROUNDS", 1)
    monkeypatch.setattr(HashMoments, "skewness", lambda *_: 0.0)
    cells, columns, found = estimated(SMALL)
    centred = columns.dense(np.arange(columns.n)) - cells.moments.density
    noise = np.diag(cells.variances(np.full(columns.n_cells, cells.moments.density)))
    for number in (0, 7, 249):
        others = np.delete(centred, number, axis=1)
        root = np.linalg.inv(np.linalg.cholesky(noise + others @ others.T / columns.n**2))
        system = root @ np.column_stack([centred[:, number], np.ones(columns.n_cells)])
        share = np.linalg.lstsq(system, root @ cells.excess, rcond=None)[0][0]
        assert found.shares[number] == pytest.approx(share, rel=1e-6)
        assert found.errors[number] == pytest.approx(np.linalg.inv(system.T @ system)[0, 0] ** 0.5, rel=1e-6)
        constant = root.sum(1)
        left = root @ cells.excess
        residuals = root.T @ (left - constant * (constant @ left) / (constant @ constant))
        deviation = cells.moments.quadratic(residuals.reshape(cells.shape)).sum() ** 0.5
        assert found.p_values[number] == pytest.approx(ndtr(-centred[:, number] @ residuals / deviation), rel=1e-4)


def test_weights_are_those_of_unbiased_estimates_whatever_the_rates_are() -> None:
    _, columns, found = estimated(SMALL)
    assert (found.weights * columns.dense(found.candidates).T).sum(1) == pytest.approx(np.ones(columns.n))
    assert found.weights.sum(1) == pytest.approx(np.zeros(columns.n), abs=1e-9)


def test_means_given_an_exponential_prior_are_those_of_numerical_integration() -> None:
    shares, errors = np.array([-0.002, 0.001, 0.004, 0.03]), np.array([0.001, 0.002, 0.001, 0.002])
    means, variances, mean = dense._given_prior(shares, errors, 0.002)
    assert mean == pytest.approx(means.mean(), rel=0.02)  # EM has settled
    before = dense._given_prior(shares, errors, mean)
    for number, (share, error) in enumerate(zip(shares, errors, strict=True)):

        def density(at: float, share: float = share, error: float = error) -> float:
            return float(np.exp(-((at - share) ** 2) / (2 * error**2) - at / before[2]))

        total, first, second = (
            quad(lambda at, power=power: at**power * density(at), 0, 0.06, points=[max(share, 0)], limit=200)[0]
            for power in range(3)
        )
        assert before[0][number] == pytest.approx(first / total, rel=0.02)
        assert before[1][number] == pytest.approx(second / total - (first / total) ** 2, rel=0.05)
    assert (variances < errors**2).all()


def test_far_more_is_found_on_a_dense_map_and_what_is_found_is_true(monkeypatch: Any) -> None:
    """Of four crowds, beside a model that grows; shares come closer too."""
    scores = {}
    for is_on in (True, False):
        monkeypatch.setattr(models, "is_dense", is_dense if is_on else lambda *_: False)
        scores[is_on] = [
            score(decode(counts, RATES, listed), truth) for counts, listed, truth in map(SMALL.draw, range(4))
        ]
    found, grown = (sum(one.true_positives for one in scores[of]) for of in (True, False))
    assert found > 1.2 * grown
    assert sum(one.false_positives for one in scores[True]) <= 0.05 * found
    assert sum(one.total_variation for one in scores[True]) < 0.93 * sum(one.total_variation for one in scores[False])
    assert np.mean([one.covered for one in scores[True]]) > 0.93


def test_of_candidates_that_nobody_has_p_values_are_uniform() -> None:
    """Of 1,000 of four crowds: so many below .05, and below one half, as there should be, by four errors."""
    p_values = np.concatenate([estimated(NONE_TRUE, seed)[2].p_values for seed in range(4)])
    for below in (0.01, 0.05, 0.5):
        error = (below * (1 - below) / p_values.size) ** 0.5
        assert np.mean(p_values < below) == pytest.approx(below, abs=4 * error)


def test_undetected_candidates_are_bounded_by_their_own_estimates() -> None:
    counts, candidates, truth = SMALL.draw(1)
    decoded = decode(counts, RATES, candidates, keep_all=True)
    assert decoded.undetected is not None
    assert len(decoded.rows) + len(decoded.undetected) == len(candidates)
    assert all(0 <= (row.share or 0) <= (row.high or 0) <= 1 for row in decoded.undetected)
    assert all(truth.get(row.string, 0) <= (row.high or 0) for row in decoded.undetected)


def test_few_or_far_too_many_candidates_are_not_taken_all_at_once() -> None:
    assert [is_dense(1024, n) for n in (400, 600, 2048, 2900)] == [False, True, True, False]
    assert not is_dense(4096, 3000)
    few = CandidateMap.of([f"s{number}" for number in range(20)], SMALL.design)
    assert decode(SMALL.draw(0)[0], RATES, few).n_candidates == 20
