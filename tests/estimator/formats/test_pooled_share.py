"""The share where every report has a channel of its own: Chernoff's interval of one channel, and it holds for many."""

import itertools

import numpy as np
import pytest

from sotto_estimator.formats.pooled_share import PooledReports, log_tail_if_all_yes, pooled_share_bounds
from sotto_estimator.intervals.binomial import chernoff_shares


def reports(*channels: tuple[int, int, float, float]) -> PooledReports:
    return PooledReports(*np.array(channels, np.float64).T)


@pytest.mark.parametrize(
    ("n", "n_yes", "true", "other"),
    [(1000, 300, 0.75, 0.25), (3_000_000, 1_000_000, 0.6, 0.3), (10, 5, 1.0, 0.0), (40, 22, 0.9, 0.2)],
)
@pytest.mark.parametrize("tail", [0.025, 1e-6])
def test_of_one_channel_it_is_chernoffs_interval(n: int, n_yes: int, true: float, other: float, tail: float) -> None:
    low, high = pooled_share_bounds(reports((n, n_yes, true, other)), tail)
    ends = chernoff_shares(np.array([float(n_yes)]), np.array([float(n)]), tail)
    expected = [(float(end[0]) - other) / (true - other) for end in ends]
    assert np.clip([low, high], 0, 1) == pytest.approx(np.clip(expected, 0, 1), abs=1e-6)
    assert low <= expected[0] + 1e-9
    assert high >= expected[1] - 1e-9


def binomial(n: int, prob: float) -> np.ndarray:
    pmf = np.array([1.0])
    for _ in range(n):
        pmf = np.convolve(pmf, [1 - prob, prob])
    return pmf


CHANNELS = ((4, 0.9, 0.1), (5, 0.7, 0.3), (2, 1.0, 0.0))


@pytest.mark.thorough
def test_it_holds_for_every_split_of_the_yes_among_channels_by_enumeration() -> None:
    """Each tail misses with its probability at most, whoever of the three groups the people with a yes are in."""
    tail, sizes = 0.1, [n for n, _, _ in CHANNELS]
    bounds = {
        said: pooled_share_bounds(reports(*((n, s, a, b) for (n, a, b), s in zip(CHANNELS, said, strict=True))), tail)
        for said in itertools.product(*(range(n + 1) for n in sizes))
    }
    worst = 0.0
    for yes in itertools.product(*(range(n + 1) for n in sizes)):
        pmfs = [np.convolve(binomial(k, a), binomial(n - k, b)) for (n, a, b), k in zip(CHANNELS, yes, strict=True)]
        joint = np.einsum("i,j,k->ijk", *pmfs)
        share = sum(yes) / sum(sizes)
        too_high = sum(joint[said] for said, (low, _) in bounds.items() if low > share)
        too_low = sum(joint[said] for said, (_, high) in bounds.items() if high < share)
        assert max(too_high, too_low) <= tail
        worst = max(worst, too_high, too_low)
    assert worst > tail / 10  # it is no interval of everything


def test_it_is_narrower_than_of_the_noisiest_channel_alone() -> None:
    low, high = pooled_share_bounds(reports((500, 250, 0.9, 0.1), (500, 250, 0.6, 0.4)), 0.025)
    noisy_low, noisy_high = pooled_share_bounds(reports((1000, 500, 0.6, 0.4)), 0.025)
    assert noisy_low < low < 0.5 < high < noisy_high


@pytest.mark.parametrize(("true", "other"), [(0.75, 0.25), (0.9, 0.6)])
def test_the_tail_if_all_say_yes_bounds_the_exact_one(true: float, other: float) -> None:
    for n, n_yes in [(20, 20), (20, 19), (200, 190)]:
        exact = binomial(n, true)[n_yes:].sum()
        bound = np.exp(log_tail_if_all_yes(reports((n, n_yes, true, other))))
        assert exact <= bound <= 25 * exact
