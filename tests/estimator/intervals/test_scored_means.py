"""Mean scores: every moment is that of all reports there can be, and no crowd is missed more often than stated."""

from itertools import product
from math import comb, exp, prod

import numpy as np
import pytest
from scipy import stats

from sotto_estimator.channel.channel import Target
from sotto_estimator.intervals.scored_means import ScoredReports, SetChannel, mean_bounds

K, TAIL = 4, 0.05
EPSILON = exp(1.5)


def channel_of(n_drawn: int) -> SetChannel:
    if n_drawn == 0:
        return SetChannel(0.5, 1 / (EPSILON + 1), 0)
    true = n_drawn * EPSILON / (n_drawn * EPSILON + K - n_drawn)
    return SetChannel(true, (true * (n_drawn - 1) + (1 - true) * n_drawn) / (K - 1), n_drawn)


def law(channel: SetChannel, answer: int) -> dict[tuple[int, ...], float]:
    """Return the probability of each set of options that a report can support, written out."""
    found = {}
    for bits in product((0, 1), repeat=K):
        if channel.n_drawn == 0:
            chances = [channel.true if option == answer else channel.other for option in range(K)]
            found[bits] = prod(p if bit else 1 - p for bit, p in zip(bits, chances, strict=True))
        elif sum(bits) == channel.n_drawn:
            has_answer = bits[answer] == 1
            n_sets = comb(K - 1, channel.n_drawn - has_answer)
            found[bits] = (channel.true if has_answer else 1 - channel.true) / n_sets
    return found


@pytest.mark.parametrize("n_drawn", [0, 1, 2])
def test_moments_are_those_of_all_reports_that_there_can_be(n_drawn: int) -> None:
    channel, weights, tilts = channel_of(n_drawn), np.array([-2.0, -0.5, 0.0, 3.0]), np.array([0.3, -1.1, 4.0])
    shift, found = channel.other * weights.sum(), channel.log_moments(weights, tilts)
    worths = []
    for answer in range(K):
        of_answer = law(channel, answer)
        assert sum(of_answer.values()) == pytest.approx(1)
        of_reports = [(np.array(bits) @ weights - shift, p) for bits, p in of_answer.items()]
        worths += [worth for worth, _ in of_reports]
        for tilt, row in zip(tilts, found, strict=True):
            assert row[answer] == pytest.approx(np.log(sum(p * np.exp(tilt * worth) for worth, p in of_reports)))
    assert channel.ends(weights) == pytest.approx((min(worths), max(worths)))
    bound = SetChannel(channel.true, channel.other, None).log_moments(weights, tilts)
    assert (bound >= found).all(), "of a channel of which nothing else is known it is a bound"


CROWDS = [(1, 0, 0, 0), (0, 0, 0, 1), (0.5, 0, 0, 0.5), (0.25, 0.25, 0.25, 0.25), (0, 0.75, 0.25, 0)]


def counts_of(channel: SetChannel, shares: tuple[float, ...], n: int, target: Target) -> dict[tuple[int, ...], float]:
    """Return the exact law of the support counts of n reports, by convolution of the law of each."""
    answers = np.repeat(range(K), np.rint(np.array(shares) * n).astype(int))
    mixed: dict[tuple[int, ...], float] = {}
    for answer, share in enumerate(shares):
        for bits, p in law(channel, answer).items():
            mixed[bits] = mixed.get(bits, 0) + share * p
    found = {(0,) * K: 1.0}
    for answer in answers:
        grown: dict[tuple[int, ...], float] = {}
        for counts, before in found.items():
            for bits, p in (mixed if target == "population" else law(channel, answer)).items():
                key = tuple(a + b for a, b in zip(counts, bits, strict=True))
                grown[key] = grown.get(key, 0) + before * p
        found = grown
    return found


@pytest.mark.parametrize("target", ["population", "respondents"])
@pytest.mark.parametrize(
    "scores", [(1, 2, 3, 4), pytest.param((-100, 0, 100, np.nan), marks=pytest.mark.thorough)], ids=["all", "some"]
)
def test_no_crowd_is_missed_more_often_than_the_level_by_enumeration(scores: tuple[float, ...], target: Target) -> None:
    """Each end by itself, of every count there can be; where everybody is left out, no mean can be missed."""
    channel, n, of = channel_of(1), 8, np.array(scores)
    is_scored = ~np.isnan(of)
    ends: dict[tuple[int, ...], tuple[float, float]] = {}
    for shares in CROWDS:
        if not (scored := sum(np.array(shares)[is_scored])):
            continue
        mean = float(np.array(shares)[is_scored] @ of[is_scored] / scored)
        too_high = too_low = 0.0
        for counts, p in counts_of(channel, shares, n, target).items():
            if counts not in ends:
                reports = ScoredReports(channel, of, np.array(counts, np.float64), n, target)
                ends[counts] = mean_bounds(reports, TAIL)
            low, high = ends[counts]
            too_high, too_low = too_high + p * (low > mean + 1e-9), too_low + p * (high < mean - 1e-9)
        assert max(too_high, too_low) <= TAIL, shares


@pytest.mark.thorough
@pytest.mark.parametrize("n_drawn", [0, 2])
def test_sets_and_bits_keep_the_level_in_made_up_surveys(n_drawn: int) -> None:
    """Of 600 surveys more than 54 miss at one end with a probability of 1e-5, if 5 % do."""
    channel, n, scores = channel_of(n_drawn), 150, np.array([1.0, 2, 3, 4])
    draw, shares = np.random.default_rng(5), np.array([0.1, 0.2, 0.3, 0.4])
    laws = [law(channel, answer) for answer in range(K)]
    chances = sum(share * np.array([*of.values()]) for share, of in zip(shares, laws, strict=True))
    bits, mean = np.array([*laws[0]]), float(shares @ scores)
    missed = np.zeros(2)
    for drawn in draw.multinomial(n, chances, 600):
        low, high = mean_bounds(ScoredReports(channel, scores, drawn @ bits * 1.0, n, "population"), TAIL)
        missed += [low > mean, high < mean]
    assert missed.max() <= stats.binom.isf(1e-5, 600, TAIL)


def test_an_interval_for_every_look_is_wider_and_one_of_repeated_reports_is_wider_too() -> None:
    channel, counts = channel_of(2), 20 * np.array([110.0, 105, 95, 90])
    once = ScoredReports(channel, np.array([1.0, 2, 3, 4]), counts, 4000, "population")
    low, high = mean_bounds(once, 0.025)
    first, last = mean_bounds(once, 0.025, is_anytime=True)
    assert 1 < first < low < high < last < 4
    first, last = mean_bounds(ScoredReports(channel, once.scores, counts, 4000, "population", 4), 0.025)
    assert 1 < first < low < high < last < 4
