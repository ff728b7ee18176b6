"""Confidence sequences hold at all looks together: by enumerating every path, and by simulated surveys."""

import itertools
import math
from collections.abc import Sequence
from functools import cache

import numpy as np
import pytest
from click.testing import CliRunner
from numpy.typing import NDArray
from scipy import stats

from confidence_sequences import UNTUNED, running_mean
from number_channels import window
from peeking import ever_missed
from sotto_estimator import Channel, DomainError, IntervalOptions, confidence_interval
from sotto_estimator.channel.channel import TARGETS, Target
from sotto_estimator.channel.devices import Devices
from sotto_estimator.commands.estimate import estimate
from sotto_estimator.intervals.confidence_sequence import anytime_counts, anytime_shares
from sotto_estimator.intervals.intervals import share_bounds
from sotto_estimator.intervals.wealth import TILTS, WEIGHTS
from sotto_estimator.numbers.mean import mean_bounds

Floats = NDArray[np.float64]
BIT = Channel(1, 0)
NOISE = Channel.warner_of_epsilon(1)
UNARY = Channel(0.5, 0.02)
ROUNDING = 1e-10
"""Of sums of probabilities here, not of the intervals."""


@cache
def all_ends(n_most: int, channel: Channel, target: Target, level: float, method: str) -> list[tuple[Floats, Floats]]:
    """Return the intervals of every count of 1, 2, .., n_most reports."""
    n, s = (
        np.repeat(np.arange(1, n_most + 1), np.arange(2, n_most + 2)),
        np.concatenate([np.arange(n + 1) for n in range(1, n_most + 1)]),
    )
    low, high = share_bounds(s, n, channel, level=level, method=method, target=target)
    cuts = np.cumsum(np.arange(2, n_most + 1))
    return list(zip(np.split(low, cuts), np.split(high, cuts), strict=True))


def prob_of_a_miss(
    means: Sequence[float], truths: Sequence[float], channel: Channel, target: Target, level: float, method: str
) -> float:
    """Return the probability that an interval at any n leaves the truth at that n out, exactly.

    `means`, `truths`: of the n-th report, the probability that it supports, and of all up to it the share.
    """
    alive, missed = np.ones(1), 0.0
    for mean, truth, (low, high) in zip(
        means, truths, all_ends(len(means), channel, target, level, method), strict=True
    ):
        after = np.concatenate([alive * (1 - mean), [0]]) + np.concatenate([[0], alive * mean])
        out = (truth < np.clip(low, 0, 1) - ROUNDING) | (truth > np.clip(high, 0, 1) + ROUNDING)
        missed += float(after[out].sum())
        alive = np.where(out, 0, after)
    assert alive.sum() + missed == pytest.approx(1)
    return missed


@pytest.mark.parametrize("level", [pytest.param(0.5, marks=pytest.mark.thorough), 0.95])
@pytest.mark.parametrize("channel", [BIT, NOISE, UNARY])
def test_who_looks_after_every_report_ever_misses_with_at_most_beta(channel: Channel, level: float) -> None:
    for share in (0.0, 0.03, 0.2, 0.5, 0.9, 1.0):
        means = [channel.reported_share(share)] * 90
        missed = prob_of_a_miss(means, [share] * 90, channel, "population", level, "anytime")
        assert missed <= 1 - level + ROUNDING, share


ORDERS = {
    "all alike": lambda n: [1] * n,
    "first yes, then no": lambda n: [1] * (n // 3) + [0] * (n - n // 3),
    "first no, then yes": lambda n: [0] * (n // 2) + [1] * (n - n // 2),
    "in turns": lambda n: [i % 2 for i in range(n)],
    "one of ten": lambda n: [int(i % 10 == 0) for i in range(n)],
}


@pytest.mark.thorough
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("target", TARGETS)
def test_who_looks_after_every_report_ever_misses_people_who_are_not_alike_with_at_most_beta(
    target: Target, order: str
) -> None:
    """About these respondents, whose share changes with everybody who comes; the population's interval holds too."""
    for channel, level in itertools.product((NOISE, UNARY, Channel(0.8, 0.1)), (0.5, 0.95)):
        answers = np.array(ORDERS[order](90))
        means = np.where(answers, channel.prob_support_if_true, channel.prob_support_if_other)
        truths = np.cumsum(answers) / np.arange(1, 91)
        assert prob_of_a_miss(means, truths, channel, target, level, "anytime") <= 1 - level + ROUNDING


@pytest.mark.thorough
def test_the_same_enumeration_finds_intervals_that_hold_once_only() -> None:
    means, truths = [NOISE.reported_share(0.2)] * 200, [0.2] * 200
    for method, least in {"chernoff": 0.06, "clopper-pearson": 0.15}.items():
        assert prob_of_a_miss(means, truths, NOISE, "population", 0.95, method) > least


@pytest.mark.thorough
def test_weights_of_more_than_one_would_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four times the wealth is a level of 80 %: the enumeration sees it where reports decide much."""
    assert WEIGHTS.sum() < 1
    assert WEIGHTS.sum() > 0.99
    monkeypatch.setattr("sotto_estimator.intervals.wealth._LOG_WEIGHTS", np.log(WEIGHTS) + math.log(8))
    means = [0.5] * 150
    all_ends.cache_clear()
    assert prob_of_a_miss(means, means, BIT, "population", 0.95, "anytime") > 0.05
    all_ends.cache_clear()


def naive_wealth(answers: Sequence[int], means: Sequence[float], sign: int) -> float:
    """Return the wealth report by report, as it is defined."""
    reports = list(zip(answers, means, strict=True))
    wealths = [
        weight * math.prod(math.exp(h * x) / (1 - mean + mean * math.exp(h)) for x, mean in reports)
        for h, weight in zip(sign * TILTS, WEIGHTS, strict=True)
    ]
    return math.fsum(wealths)


@pytest.mark.parametrize(("s", "n"), [(0, 5), (3, 7), (18, 40), (40, 40), (39, 150)])
def test_the_ends_are_where_the_naive_wealth_is_one_in_tail(s: int, n: int) -> None:
    tail, bits = 0.025, [1] * s + [0] * (n - s)
    (low,), (high,) = anytime_shares(np.array([float(s)]), np.array([float(n)]), tail)
    for end, sign, inward in ((low, 1, 1e-9), (high, -1, -1e-9)):
        if 0 < end < 1:
            assert naive_wealth(bits, [end] * n, sign) * tail >= 1
            assert naive_wealth(bits, [end + inward] * n, sign) * tail < 1
    fewest, most = (int(end[0]) for end in anytime_counts(np.array([float(s)]), np.array([float(n)]), NOISE, tail))
    a, b = NOISE.prob_support_if_true, NOISE.prob_support_if_other
    kept = [
        k for k in range(n + 1) if max(naive_wealth(bits, [a] * k + [b] * (n - k), sign) for sign in (1, -1)) < 1 / tail
    ]
    assert (fewest, most) == ((kept[0], kept[-1]) if kept else (fewest, fewest))


@pytest.mark.parametrize("n", [30, 100, 1_000, 10_000, 100_000])
@pytest.mark.parametrize("epsilon", [0.5, 1, 2])
def test_no_sequence_of_the_paper_that_is_not_tuned_to_n_is_narrower(epsilon: float, n: int) -> None:
    """Waudby-Smith, Wu & Ramdas 2023, at expected counts; one that is tuned to the very n may be, by a third."""
    channel = Channel.warner_of_epsilon(epsilon)
    for share in (0.02, 0.1, 0.3, 0.5):
        s = round(n * channel.reported_share(share))
        (low,), (high,) = anytime_shares(np.array([float(s)]), np.array([float(n)]), 0.025)
        for name, ends in UNTUNED.items():
            theirs = ends(s, n, 0.05)
            assert high - low <= theirs[1] - theirs[0], (name, share)
        tuned = running_mean(s, n, 0.05, n)
        assert high - low <= 4 / 3 * (tuned[1] - tuned[0])


def test_widths_beside_chernoffs_which_hold_at_one_look() -> None:
    """What docs/anytime.md says."""
    for n, ratio in {100: 1.13, 1_000: 1.29, 10_000: 1.32, 100_000: 1.48}.items():
        s = round(n * NOISE.reported_share(0.3))
        once, always = (
            np.subtract(*confidence_interval(s, n, NOISE, method=method)[::-1]) for method in ("chernoff", "anytime")
        )
        assert always / once == pytest.approx(ratio, abs=0.02)


def test_about_the_respondents_it_is_narrower_than_about_the_population() -> None:
    counts = np.array([300, 400, 600])
    of_crowd, of_people = (
        np.subtract(*confidence_interval(counts, 1000, NOISE, method="anytime", target=target)[::-1])
        for target in TARGETS
    )
    assert np.all(of_people < of_crowd)


def test_large_counts_lose_no_digits() -> None:
    """Of 10^12 reports, at whose edges a rounding error would be as large as what is looked for."""
    for s in (0, 1, 5):
        low, high = confidence_interval([s, 10**12 - s], 10**12, BIT, method="anytime")
        assert high[0] <= 40e-12
        assert 1 - low[1] <= 41e-12
        assert low[0] <= s / 10**12 <= high[0]


@pytest.mark.parametrize("target", TARGETS)
def test_pooled_waves_are_refused_by_name(target: Target) -> None:
    options = IntervalOptions(method="anytime", target=target)
    with pytest.raises(DomainError, match=r"method \('anytime'\) must be one of chernoff, .* where 2 waves are pooled"):
        confidence_interval(10, 40, NOISE, method="anytime", target=target, n_waves=2)
    with pytest.raises(DomainError, match=r"method \('anytime'\) must be one of chernoff, .* where 2 waves are pooled"):
        mean_bounds(np.array([[10, 20, 10]]), window(3, 1, 1.5), Devices.alike(40, 2), options, 1)


def test_anytime_is_the_method_of_that_name() -> None:
    counts = ["--yes", "831", "--n", "2435", "--truth", "2/3", "--forced-yes", "1/2", "--json"]
    flag, method, both = (
        CliRunner().invoke(estimate, [*counts, *given])
        for given in (["--anytime"], ["--method", "anytime"], ["--anytime", "--method", "anytime"])
    )
    assert flag.output == method.output == both.output
    assert '"method": "anytime"' in flag.output
    other = CliRunner().invoke(estimate, [*counts, "--anytime", "--method", "wilson"])
    assert other.exit_code == 2
    assert "--anytime means --method anytime: give one method." in other.output


@pytest.mark.rare
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("channel", [NOISE, UNARY])
def test_of_simulated_surveys_looked_at_after_every_report_at_most_one_in_20_is_ever_missed(
    channel: Channel, target: Target
) -> None:
    """3,000 surveys of 3,000 reports; more misses than allowed here have a probability below 1e-9 at 5 %."""
    n = 3000
    missed = ever_missed(n, 3000, 0.3, channel, target, "anytime", np.random.default_rng(1))
    assert missed <= stats.binom.isf(1e-9, n, 0.05) / n
    assert ever_missed(n, 3000, 0.3, channel, target, "chernoff", np.random.default_rng(1)) > 0.1


@pytest.mark.rare
@pytest.mark.parametrize(("method", "share"), [("clopper-pearson", 0.51), ("chernoff", 0.16)])
def test_looking_on_misses_as_often_as_the_page_says(method: str, share: float) -> None:
    """What docs/anytime.md says of 10,000 surveys, of 1,000: .1 is 6 standard deviations of such a part."""
    found = ever_missed(1000, 5000, 0.3, NOISE, "population", method, np.random.default_rng(1))
    assert found == pytest.approx(share, abs=0.1)
