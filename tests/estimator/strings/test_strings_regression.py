"""Columns, the regression on them, and the linear estimates' errors, against enumeration."""

from itertools import product

import numpy as np
import pytest

from rappor_cases import bits_set
from sotto_estimator.strings.bounds import chernoff_half_width, proxy_variance, string_range
from sotto_estimator.strings.candidates import CandidateMap
from sotto_estimator.strings.columns import Columns, HashMoments
from sotto_estimator.strings.counts import BitCounts, BitRates
from sotto_estimator.strings.regression import (
    BloomCells,
    CandidateRegression,
    bounded_shares,
    fit_columns,
    independent,
    standard_errors,
)
from sotto_estimator.strings.selection import rejected
from sotto_protocol.mechanisms.bloom.hash import BloomDesign

RATES = BitRates(0.9, 0.2, 0.8, 0.3)
STRINGS = ((1, 0), (1, 1))  # the bits of two strings, in one cohort of two bits
SHARES = (0.3, 0.7)


def device_values(weights: np.ndarray, n_waves: int) -> tuple[np.ndarray, np.ndarray]:
    """Enumerate a device: its string, permanent bits and reports. Return weighted mean debiased bits, and chances."""
    values, chances = [], []
    outcomes = list(product((0, 1), repeat=2))
    for bits, share in zip(STRINGS, SHARES, strict=True):
        for permanent in outcomes:
            for reports in product(outcomes, repeat=n_waves):
                chance = share
                for bit, kept in zip(bits, permanent, strict=True):
                    one = RATES.permanent_if_true if bit else RATES.permanent_if_other
                    chance *= one if kept else 1 - one
                for report in reports:
                    for kept, sent in zip(permanent, report, strict=True):
                        one = RATES.report_if_one if kept else RATES.report_if_zero
                        chance *= one if sent else 1 - one
                means = (np.mean(reports, axis=0) - RATES.if_other) / RATES.contrast
                values.append(float(weights @ means))
                chances.append(chance)
    return np.array(values), np.array(chances)


def mean_of_devices(values: np.ndarray, chances: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the distribution of the mean of n devices: sums that agree to 12 digits are one."""
    sums, weights = np.zeros(1), np.ones(1)
    for _ in range(n):
        sums = np.round(np.add.outer(sums, values).ravel(), 12)
        weights = np.multiply.outer(weights, chances).ravel()
        sums, place = np.unique(sums, return_inverse=True)
        weights = np.bincount(place, weights)
    return sums / n, weights


def tiny_counts(n_devices: int, n_waves: int) -> BitCounts:
    n = n_devices * n_waves
    return BitCounts(np.array([n]), np.array([[n // 2, n // 2]]), n_waves)


@pytest.mark.parametrize("n_waves", [1, 2])
@pytest.mark.parametrize("weights", [(1.0, 0.0), (0.7, -0.6), (0.4, 0.9)])
def test_a_chernoff_interval_misses_no_more_often_than_it_says(weights: tuple[float, float], n_waves: int) -> None:
    row = np.array(weights)
    values, chances = device_values(row, n_waves)
    truth = float(values @ chances)
    too_narrow_fails = False
    for n, miss in product((1, 3, 8), (0.5, 0.2, 0.05, 0.001)):
        width = chernoff_half_width(row.reshape(1, 1, 2), tiny_counts(n, n_waves), RATES, 2, miss)[0]
        means, probs = mean_of_devices(values, chances, n)
        assert probs[np.abs(means - truth) > width].sum() <= miss
        too_narrow_fails |= bool(probs[np.abs(means - truth) > width / 2].sum() > miss)
    assert too_narrow_fails  # so the check can fail


@pytest.mark.parametrize("n_waves", [1, 3])
def test_standard_errors_are_those_of_the_enumerated_devices(n_waves: int) -> None:
    design = BloomDesign(2, 2, 1)
    counts = tiny_counts(6, n_waves)
    cells = BloomCells.of(counts, RATES, HashMoments.of(design))
    columns = np.array(STRINGS, float).T
    weights = np.array([[0.7, -0.6], [0.4, 0.9]])
    shares = np.array(SHARES)
    none = np.zeros(2)
    fit = CandidateRegression(columns, shares, shares, weights, none, none, 0.0, 0, 0.0, columns @ shares, none)
    for row, error in zip(weights, standard_errors(cells, fit, weights), strict=True):
        values, chances = device_values(row, n_waves)
        variance = chances @ np.square(values) - (chances @ values) ** 2
        assert error == pytest.approx(np.sqrt(variance / 6), rel=1e-12)


def test_standard_errors_of_unequal_waves_are_those_of_the_enumerated_devices() -> None:
    """Four devices answer once and six in two waves: as many reports of one cohort have no worse devices."""
    counts = BitCounts(np.array([16]), np.array([[8, 8]]), 2, (10, 6))
    cells = BloomCells.of(counts, RATES, HashMoments.of(BloomDesign(2, 2, 1)))
    columns, shares, none = np.array(STRINGS, float).T, np.array(SHARES), np.zeros(2)
    weights = np.array([[0.7, -0.6]])
    fit = CandidateRegression(columns, shares, shares, weights, none, none, 0.0, 0, 0.0, columns @ shares, none)
    variance = 0.0
    for n_devices, n_each in ((4, 1), (6, 2)):
        values, chances = device_values(weights[0], n_each)
        variance += n_devices * n_each**2 * float(chances @ np.square(values) - (chances @ values) ** 2)
    assert standard_errors(cells, fit, weights)[0] == pytest.approx(np.sqrt(variance) / 16, rel=1e-12)


def test_chernoff_intervals_of_unequal_waves_miss_no_more_often_than_they_say() -> None:
    row, n = np.array([0.7, -0.6]), 2 * 3 + 4
    counts = BitCounts(np.array([n]), np.array([[5, 5]]), 2, (7, 3))
    alike = BitCounts(counts.n_reports, counts.bit_counts, 2)
    sums, probs = np.zeros(1), np.ones(1)
    for n_devices, n_each in ((4, 1), (3, 2)):
        values, chances = device_values(row, n_each)
        truth = float(values @ chances)
        means, of_means = mean_of_devices(values, chances, n_devices)
        sums = np.add.outer(sums, means * n_devices * n_each / n).ravel()
        probs = np.multiply.outer(probs, of_means).ravel()
    for miss in (0.5, 0.2, 0.05, 0.001):
        width = chernoff_half_width(row.reshape(1, 1, 2), counts, RATES, 2, miss)[0]
        assert probs[np.abs(sums - truth) > width].sum() <= miss
        assert width < chernoff_half_width(row.reshape(1, 1, 2), alike, RATES, 2, miss)[0]


@pytest.mark.parametrize("prob", [0.01, 0.3, 0.4999999, 0.5, 0.9])
def test_a_bits_proxy_variance_is_the_smallest(prob: float) -> None:
    step = np.linspace(-40, 40, 4001)

    def holds(proxy: float) -> bool:
        with np.errstate(over="ignore"):
            log_mean = np.log(prob * np.exp(step * (1 - prob)) + (1 - prob) * np.exp(-step * prob))
        return bool((log_mean <= proxy * step**2 / 2 + 1e-12).all())

    assert holds(proxy_variance(prob))
    assert not holds(proxy_variance(prob) * 0.999)


def test_a_strings_range_is_that_of_its_sets_of_bits() -> None:
    weights = np.random.default_rng(1).normal(size=(3, 4, 5))
    sums = np.stack([weights[..., sorted(set(bits))].sum(-1) for bits in product(range(5), repeat=2)])
    np.testing.assert_allclose(string_range(weights, 2), sums.max(0) - sums.min(0), rtol=1e-12)


@pytest.mark.parametrize(("n_bits", "n_hashes"), [(2, 1), (4, 2), (5, 3)])
def test_a_random_strings_moments_are_those_of_all_hashes(n_bits: int, n_hashes: int) -> None:
    bits = np.array(
        [[number in chosen for number in range(n_bits)] for chosen in product(range(n_bits), repeat=n_hashes)]
    )
    moments = HashMoments.of(BloomDesign(n_bits, n_hashes, 1))
    weights = np.arange(n_bits) ** 1.5
    assert moments.density == pytest.approx(bits.mean())
    assert moments.quadratic(weights) == pytest.approx(np.var(bits @ weights))


def test_columns_are_the_bits_that_are_set_once() -> None:
    strings = CandidateMap.of([f"s{number}" for number in range(50)], BloomDesign(4, 3, 6))
    columns = Columns(strings)
    expected = bits_set(strings).reshape(50, -1)
    chosen = np.array([3, 17, 49])
    np.testing.assert_array_equal(columns.dense(chosen), expected[chosen].T)
    values = np.random.default_rng(2).normal(size=24)
    np.testing.assert_allclose(columns.sums(values[:, None])[:, 0], expected @ values, rtol=1e-12)


def test_twins_set_the_same_bits_where_anyone_reported() -> None:
    bits = np.array([[[0], [1]], [[0], [2]], [[3], [1]], [[0], [1]]], np.uint16)
    columns = Columns(CandidateMap.given("abcd", BloomDesign(4, 1, 2), bits))
    assert columns.twins(np.ones(8, bool)) == [[0, 3]]
    assert columns.twins(np.repeat([True, False], 4)) == [[0, 1, 3]]


def exact_counts(design: BloomDesign, strings: CandidateMap, shares: np.ndarray, rates: BitRates) -> BitCounts:
    """Return counts equal to their expectations, which are integers: a million and a bit reports a cohort."""
    size = 2**20
    set_by = np.einsum("s,scb->cb", shares, bits_set(strings))
    counts = size * (rates.if_other + rates.contrast * set_by)
    assert (counts == np.round(counts)).all()
    return BitCounts(np.full(design.n_cohorts, size), counts.astype(np.int64))


def test_counts_without_noise_give_back_the_shares() -> None:
    design, rates = BloomDesign(8, 2, 8), BitRates(0.75, 0.25)
    strings = CandidateMap.of([f"s{number}" for number in range(20)], design)
    shares = np.array([8, 4, 2, 1, 1] + 15 * [0]) / 16
    columns = Columns(strings)
    cells = BloomCells.of(exact_counts(design, strings, shares, rates), rates, columns.moments)
    fit = fit_columns(cells, columns.dense(np.arange(20)))
    np.testing.assert_allclose(fit.shares, shares, atol=1e-9)
    np.testing.assert_allclose(fit.bounded, shares, atol=1e-9)
    np.testing.assert_allclose(fit.weights @ cells.excess, fit.shares, atol=1e-12)
    assert (fit.chi_square < 1e-9, fit.unlisted) == (True, 0)


def test_waves_of_a_permanent_stage_alone_leave_as_many_devices_as_they_are() -> None:
    design, rates = BloomDesign(8, 2, 8), BitRates(0.75, 0.25)
    strings = CandidateMap.of([f"s{number}" for number in range(5)], design)
    columns = Columns(strings)
    once = exact_counts(design, strings, np.full(5, 1 / 8), rates)
    errors = []
    for n_waves in (1, 4):
        counts = BitCounts(once.n_reports, once.bit_counts, n_waves)
        cells = BloomCells.of(counts, rates, columns.moments)
        fit = fit_columns(cells, columns.dense(np.arange(5)))
        chernoff = chernoff_half_width(fit.weights.reshape(5, 8, 8), counts, rates, 2, 0.05)
        errors.append((standard_errors(cells, fit, fit.weights), chernoff))
    (normal_once, chernoff_once), (normal_pooled, chernoff_pooled) = errors
    np.testing.assert_allclose(chernoff_pooled, 2 * chernoff_once, rtol=1e-9)
    np.testing.assert_allclose(normal_pooled, 2 * normal_once, rtol=1e-3)  # strings without a column add a little


def test_bounded_shares_beat_every_other_point_of_the_simplex() -> None:
    generator = np.random.default_rng(3)
    factor = np.linalg.cholesky(np.cov(generator.normal(size=(4, 9)))).T
    target = factor @ np.array([0.9, 0.6, -0.4, 0.1])
    best = bounded_shares(factor, target)
    assert best.min() >= 0
    assert best.sum() == pytest.approx(1, abs=1e-6)
    others = generator.dirichlet(np.full(5, 0.5), 20_000)[:, :4]
    assert np.square(factor @ best - target).sum() <= np.square(others @ factor.T - target).sum(1).min() + 1e-6


def test_a_column_that_others_make_up_is_told() -> None:
    design = BloomDesign(3, 1, 4)
    columns = np.tile(np.eye(3), (4, 1))  # they add up to 1 everywhere
    cells = BloomCells.of(BitCounts(np.full(4, 9), np.full((4, 3), 3)), RATES, HashMoments.of(design))
    assert independent(cells, columns, of_constant=True).tolist() == [True, True, False]
    assert independent(cells, np.ones((12, 1)), of_constant=True).tolist() == [False]
    assert independent(cells, columns[:, :2], of_constant=True).all()
    assert independent(cells, columns, of_constant=False).all()
    doubled = np.hstack([columns, columns[:, :1] + columns[:, 2:]])
    assert independent(cells, doubled, of_constant=False).tolist() == [True, True, True, False]


def test_rejections_are_those_of_the_step_up_procedure_by_hand() -> None:
    generator = np.random.default_rng(4)
    for _ in range(200):
        n = int(generator.integers(1, 40))
        p_values = generator.random(n) ** generator.integers(1, 6)
        n_true = min(n, 2 * (1 + sum(value >= 0.5 for value in p_values)))
        most = 0
        for count in range(1, n + 1):
            value = sorted(p_values)[count - 1]
            if value <= 0.1 and value <= 0.1 * count / n_true:
                most = count
        expected = [sum(other < value for other in p_values) < most for value in p_values]
        assert rejected(p_values, 0.1, "fdr").tolist() == expected
        assert rejected(p_values, 0.1, "bonferroni").tolist() == [value <= 0.1 / n for value in p_values]
        smallest = np.sort(p_values)[:3]
        assert rejected(smallest, 0.1, "bonferroni", 1000).tolist() == [value <= 1e-4 for value in smallest]


def test_a_rate_above_a_half_rejects_nothing_that_the_estimate_of_true_hypotheses_counts() -> None:
    p_values = np.array([0.01] * 9 + [0.6])
    assert rejected(p_values, 0.9, "fdr").tolist() == [True] * 9 + [False]


@pytest.mark.parametrize("p_value", [0.06, 0.15, 0.5])
def test_equal_p_values_that_are_no_evidence_are_not_rejected_however_many(p_value: float) -> None:
    assert not rejected(np.full(20, p_value), 0.05, "fdr").any()


@pytest.mark.parametrize("n_bits", [2, 3, 7])
def test_equal_weights_of_one_hash_have_no_variance_and_never_less(n_bits: int) -> None:
    weights = np.repeat(np.random.default_rng(8).standard_normal((100, 1)), n_bits, axis=1)
    variances = HashMoments.of(BloomDesign(n_bits, 1, 1)).quadratic(weights)
    assert variances.min() >= 0
    assert variances == pytest.approx(0, abs=1e-12)
