"""Bit counts, the two stages' rates, and debiasing."""

import re
from itertools import pairwise, product

import numpy as np
import pytest

from sotto_estimator.errors import DomainError
from sotto_estimator.strings.counts import BitCounts, BitRates, debias

TOTALS = np.array([100, 0])
ONES = np.array([[30, 50, 70], [0, 0, 0]])


def test_debiasing_gives_the_share_of_devices_that_set_a_bit() -> None:
    rates = BitRates(0.75, 0.25, 0.6, 0.4)  # reported 1 with .55 and .45
    shares = debias(BitCounts(TOTALS, ONES), rates)
    np.testing.assert_allclose(shares, [[-1.5, 0.5, 2.5], [0, 0, 0]], atol=1e-12)


def test_rappors_parameters_are_the_two_stages() -> None:
    rates = BitRates.from_rappor(0.5, 0.25, 0.75)
    assert (rates.permanent_if_true, rates.permanent_if_other) == (0.75, 0.25)
    assert (rates.if_true, rates.if_other, rates.contrast) == (0.625, 0.375, 0.25)


def enumerated_variance(rates: BitRates, permanent: float, n_waves: int) -> float:
    """Of a device's mean debiased bit: over its permanent bit and all its reports."""
    mean = square = 0.0
    for bit, reports in product((0, 1), product((0, 1), repeat=n_waves)):
        chance = permanent if bit else 1 - permanent
        one = rates.report_if_one if bit else rates.report_if_zero
        for report in reports:
            chance *= one if report else 1 - one
        value = (sum(reports) / n_waves - rates.if_other) / rates.contrast
        mean, square = mean + chance * value, square + chance * value**2
    return square - mean**2


@pytest.mark.parametrize("n_waves", [1, 2, 5])
def test_a_devices_variance_over_waves_is_that_of_all_its_reports(n_waves: int) -> None:
    rates = BitRates(0.8, 0.1, 0.7, 0.2)
    expected = [enumerated_variance(rates, permanent, n_waves) for permanent in (0.1, 0.8)]
    np.testing.assert_allclose(rates.noise_variances(n_waves), expected, rtol=1e-12)


def test_waves_of_a_permanent_stage_alone_tell_nothing_new() -> None:
    np.testing.assert_allclose(BitRates(0.8, 0.1).noise_variances(9), BitRates(0.8, 0.1).noise_variances(1))


@pytest.mark.parametrize("rates", [(0.5, 0.5), (0.2, 0.8), (0.9, 0.1, 0.5, 0.5), (0.9, 0.1, 0.2, 0.7)])
def test_rates_without_signal_are_refused(rates: tuple[float, ...]) -> None:
    with pytest.raises(DomainError, match="no signal"):
        BitRates(*rates)


@pytest.mark.parametrize(
    ("totals", "ones", "n_waves", "message"),
    [
        ([10], [[11, 0]], 1, "the count of bit 0 in cohort 0 (11) must be in [0, 10]"),
        ([10], [[0, -1]], 1, "the count of bit 1 in cohort 0 (-1) must be in [0, 10]"),
        ([-1], [[0, 0]], 1, "n_reports must be >= 0"),
        ([1.0], [[0, 0]], 1, "n_reports must be integers, not float64."),
        ([10, 10], [[0, 0]], 1, "must have the shapes (n_cohorts,) and (n_cohorts, n_bits)"),
        ([10], [[0, 0]], 0, "n_waves (0) must be an integer in [1, 10000]."),
        ([10], [[0, 0]], True, "n_waves (True) must be an integer"),
    ],
)
def test_counts_that_cannot_be_are_refused(
    totals: list[int], ones: list[list[int]], n_waves: int, message: str
) -> None:
    with pytest.raises(DomainError, match=re.escape(message)):
        BitCounts(np.array(totals), np.array(ones), n_waves)


def test_a_rate_outside_its_domain_is_named() -> None:
    with pytest.raises(DomainError, match=re.escape("report_if_zero (nan) must be in [0, 1].")):
        BitRates(1, 0, 1, float("nan"))


def effect_of(sizes: tuple[int, ...]) -> float:
    """Return the sum of squares of devices' numbers of reports, nested, over the number of reports."""
    devices = [n - smaller for n, smaller in pairwise([*sorted(sizes, reverse=True), 0])]
    return sum(k * k * n for k, n in enumerate(devices, 1)) / sum(sizes)


@pytest.mark.parametrize("sizes", [(9, 9, 9), (20, 5, 2), (20, 1), (8, 6, 2), (12, 0)])
@pytest.mark.parametrize("total", [1, 2, 6, 12])
def test_a_cohorts_design_effect_is_that_of_the_worst_waves_its_reports_can_be_of(
    sizes: tuple[int, ...], total: int
) -> None:
    """All splits of a cohort's reports are tried. Where they cannot be alike, parts of a report would be worse."""
    splits = [split for split in product(*(range(size + 1) for size in sizes)) if sum(split) == total]
    (worst,) = BitCounts(np.array([total]), np.zeros((1, 3), int), len(sizes), sizes).effects
    found = max(map(effect_of, splits))
    assert found <= worst + 1e-12
    assert total < 6 or found == pytest.approx(worst)


def test_design_effects_are_the_number_of_waves_unless_a_wave_is_small() -> None:
    totals = np.array([150, 160, 0])
    bits = np.zeros((3, 2), int)
    assert BitCounts(totals, bits, 3).effects.tolist() == [3, 3, 3]
    np.testing.assert_allclose(BitCounts(totals, bits, 3, (104, 103, 103)).effects, [3, 3, 3], rtol=0.02)
    stray = BitCounts(totals, bits, 2, (309, 1))
    np.testing.assert_allclose(stray.effects[:2], [152 / 150, 162 / 160])
    assert stray.n_devices[2] == 0
    np.testing.assert_allclose(BitCounts(totals, bits, 1, (310,)).effects, 1)
    for sizes in ((310,), (200, 100), (100, 100, 110)):
        with pytest.raises(DomainError, match="wave_sizes must be 2 numbers, of all reports or more"):
            BitCounts(totals, bits, 2, sizes)


def test_a_tallys_first_column_holds_the_cohorts_reports() -> None:
    counts = BitCounts.from_support(np.column_stack([TOTALS, ONES]), 3)
    np.testing.assert_array_equal(counts.n_reports, TOTALS)
    np.testing.assert_array_equal(counts.bit_counts, ONES)
    assert (counts.n_cohorts, counts.n_bits, counts.n_total, counts.n_waves) == (2, 3, 100, 3)
    np.testing.assert_allclose(counts.n_devices, [100 / 3, 0])
