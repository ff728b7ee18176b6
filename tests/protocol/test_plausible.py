"""Plausible numbers of ones: an honest report is outside with less than 1e-6, whatever the answer, and no limit is
farther out than that asks for. Checked by enumeration of all reports, and by exact fractions."""

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from scipy import stats

from published import CHOICES, build, mechanisms
from reference import Published
from sotto_protocol.mechanisms.bit_flips import BitFlips
from sotto_protocol.mechanisms.bits import BitMechanism
from sotto_protocol.mechanisms.bloom.response import BloomResponse
from sotto_protocol.mechanisms.plausible import PlausibleOnes, count_row_ones, plausible_ones
from sotto_protocol.mechanisms.unary import UnaryEncoding

LIMIT = Fraction(1, 10**6)
SCALE = 2**32


def exact_masses(probs: list[Fraction]) -> list[Fraction]:
    """Return P(k of these independent coins are heads) for k from 0 on: one coin after the other."""
    masses = [Fraction(1)]
    for prob in probs:
        masses = [
            (masses[k] * (1 - prob) if k < len(masses) else 0) + (masses[k - 1] * prob if k else 0)
            for k in range(len(masses) + 1)
        ]
    return masses


def bit_probs(mechanism: BitMechanism) -> tuple[Fraction, Fraction]:
    """Return P(reported one | true bit is 1), and if it is 0, through both stages."""
    one, zero = Fraction(mechanism.report_if_one, SCALE), Fraction(mechanism.report_if_zero, SCALE)
    true, other = (
        Fraction(permanent, SCALE) * one + (1 - Fraction(permanent, SCALE)) * zero
        for permanent in (mechanism.threshold_if_true, mechanism.threshold_if_other)
    )
    return true, other


SHARP: list[Any] = [
    UnaryEncoding("oue", 9, 2**31, SCALE // 40),
    UnaryEncoding("sue", 10, SCALE - SCALE // 64, SCALE // 64),
    UnaryEncoding("basic-rappor", 10, SCALE - 2**20, 2**20, SCALE - 2**27, 2**26),
    BitFlips("bit-flips", 9, SCALE - SCALE // 100, SCALE // 100, max_selected=2),
    BitFlips("bit-flips", 10, SCALE - SCALE // 100, SCALE // 100, max_selected=3),
    BloomResponse("rappor", 10, SCALE - SCALE // 50, SCALE // 50, n_hashes=2, n_cohorts=1),
]


def true_rows(mechanism: Any) -> list[tuple[int, ...]]:
    """Return the true bits of every answer that there can be."""
    n = mechanism.n_values
    sizes = {
        UnaryEncoding: range(1, 2),
        BitFlips: range(getattr(mechanism, "max_selected", 0) + 1),
        BloomResponse: range(1, getattr(mechanism, "n_hashes", 0) + 1),
    }[type(mechanism)]
    return [row for row in product((0, 1), repeat=n) if sum(row) in sizes]


@pytest.mark.parametrize("mechanism", SHARP, ids=lambda mechanism: f"{mechanism.name}-{mechanism.n_values}")
def test_of_all_reports_those_that_are_counted_have_together_at_most_a_millionth(mechanism: Any) -> None:
    n, (true, other) = mechanism.n_values, bit_probs(mechanism)
    reports = np.array(list(product((0, 1), repeat=n)), np.uint8)
    packed = np.packbits(reports, axis=1, bitorder="little")
    packed = np.concatenate([np.zeros((len(packed), mechanism.group_bytes), np.uint8), packed], axis=1)
    counted = reports[[mechanism.count_implausible(row) == 1 for row in packed[:, np.newaxis]]]
    assert mechanism.count_implausible(packed) == len(counted) > 0
    worst = Fraction(0)
    for answer in {tuple(sorted(row)) for row in true_rows(mechanism)}:  # answers of as many true bits are alike
        probs = [(1 - (true if bit else other), true if bit else other) for bit in answer]
        total = Fraction(0)
        for row in counted.tolist():
            mass = Fraction(1)
            for bit, prob in zip(row, probs, strict=True):
                mass *= prob[bit]
            total += mass
        worst = max(worst, total)
    assert 0 < worst <= Fraction(mechanism.prob_implausible) <= LIMIT


@settings(max_examples=60)
@given(mechanisms(max_values=12, names=tuple(name for name in CHOICES if name not in ("k-ary", "subset", "geometry"))))
def test_limits_are_as_narrow_as_half_a_millionth_in_each_tail_lets_them_be(drawn: tuple[Published, int]) -> None:
    mechanism: Any = build(*drawn)
    n, (true, other) = mechanism.n_values, bit_probs(mechanism)
    fewest, most = mechanism.n_true
    heavy, light = (exact_masses([true] * ones + [other] * (n - ones)) for ones in (most, fewest))
    limits: PlausibleOnes = mechanism._plausible
    above, below = sum(heavy[limits.high + 1 :]), sum(light[: limits.low])
    assert above <= LIMIT / 2
    assert below <= LIMIT / 2
    assert above + below <= Fraction(limits.prob_outside)
    assert float(above + below) == pytest.approx(mechanism.prob_implausible, rel=1e-12)
    assert sum(heavy[limits.high :]) > LIMIT / 2 or limits.high == 0
    assert sum(light[: limits.low + 1]) > LIMIT / 2 or limits.low == n
    for ones in range(fewest, most + 1):
        masses = exact_masses([true] * ones + [other] * (n - ones))
        outside = sum(masses[: limits.low]) + sum(masses[limits.high + 1 :])
        assert outside <= Fraction(mechanism.prob_implausible)


def test_each_of_three_filters_has_a_third_of_the_millionth() -> None:
    shape = {"n_hashes": 2, "n_cohorts": 1}
    one = BloomResponse("rappor", 64, 3 * 2**30, 2**30, **shape)
    three = BloomResponse("rappor", 64, 3 * 2**30, 2**30, **shape, max_length=8, gram_length=2)
    masses = exact_masses([Fraction(3, 4)] * 2 + [Fraction(1, 4)] * 62)
    assert sum(masses[one._plausible.high + 1 :]) <= LIMIT / 2 < sum(masses[one._plausible.high :])
    assert sum(masses[three._plausible.high + 1 :]) <= LIMIT / 6 < sum(masses[three._plausible.high :])
    assert three.prob_implausible <= LIMIT


@pytest.mark.parametrize("n", [128, 4096, 65536])
def test_wide_filters_have_the_tails_of_scipy_s_binomial(n: int) -> None:
    """With no true bit, or all bits true, the sum is one binomial."""
    limits = plausible_ones(n, (0, n), 3 * 2**30, 2**30, SCALE)
    high, low = stats.binom(n, 0.75), stats.binom(n, 0.25)
    assert high.sf(limits.high) <= 5e-7 < high.sf(limits.high - 1)
    assert low.cdf(limits.low - 1) <= 5e-7 < low.cdf(limits.low)
    assert float(limits.prob_outside) == pytest.approx(high.sf(limits.high) + low.cdf(limits.low - 1), rel=1e-9)


@pytest.mark.parametrize("width", [1, 2, 3, 7, 8, 9, 16, 63, 72, 80, 512, 8192])
def test_ones_of_rows_are_those_of_unpacked_bits(width: int) -> None:
    generator = np.random.default_rng(width)
    records = generator.integers(0, 256, (2**19 // width + 3, width + 3), np.uint8)
    records[:2] = [[0], [0xFF]]
    rows = records[:, 2 : 2 + width]  # columns of records, as they are counted
    assert count_row_ones(rows).tolist() == np.unpackbits(rows, axis=1).sum(axis=1).tolist()


def test_no_rows_have_no_ones() -> None:
    assert count_row_ones(np.empty((0, 5), np.uint8)).tolist() == []
