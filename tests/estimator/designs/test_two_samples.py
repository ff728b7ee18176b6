"""Exact intervals of a share beside another unknown share: all counts, and a search over a fine grid of both."""

from itertools import product

import numpy as np
import pytest
from scipy import stats

from sotto_estimator.channel.channel import Floats
from sotto_estimator.designs.arms import Arms
from sotto_estimator.designs.design import Arm
from sotto_estimator.designs.exact import exact_interval
from sotto_estimator.designs.profile import likelihood_interval
from sotto_estimator.designs.spec import arm, read_design
from sotto_estimator.errors import DomainError
from sotto_estimator.intervals.intervals import IntervalOptions
from sotto_estimator.shares.of_arms import estimate_arms

TAIL = 0.025
UNKNOWN = ("unrelated(prob_question=.7)", "unrelated(prob_question=.2)")
CHEATS = ("cheating-detection(prob_forced_yes=.2)", "cheating-detection(prob_forced_yes=.6)")


def arms_of(specs: tuple[str, ...], n: tuple[int, ...], yes: tuple[int, ...]) -> Arms:
    return Arms.of(
        [Arm(read_design(spec), np.array([of, m - of], float)) for spec, m, of in zip(specs, n, yes, strict=True)]
    )


def said_yes(specs: tuple[str, ...], share: Floats, other: Floats, label: str) -> list[Floats]:
    """Return the reported shares of two samples, as the papers write them. `other`: of what is left, or unrelated."""
    if specs == UNKNOWN:
        return [p * share + (1 - p) * other for p in (0.7, 0.2)]
    rest = (1 - share) * other
    shares = {"yes": (share, rest), "no": (rest, share), "cheats": (rest, 1 - share - rest)}
    honest_yes, honest_no = shares[label]
    return [honest_yes + p * honest_no for p in (0.2, 0.6)]


@pytest.mark.parametrize(
    ("specs", "label"),
    [(UNKNOWN, "yes"), *(pytest.param(CHEATS, of, marks=pytest.mark.thorough) for of in ("yes", "no", "cheats"))],
)
def test_ends_miss_no_more_often_than_they_may_whatever_the_other_share_is(specs: tuple[str, str], label: str) -> None:
    """By enumeration of all counts, at shares just beside all ends and a grid of the other; and nearly as often."""
    n = (4, 5)
    pairs = list(product(*(range(m + 1) for m in n)))
    ends = np.array([exact_interval(arms_of(specs, n, of), label, tail=TAIL) for of in pairs])
    shares = np.unique(np.concatenate([[0, 1], (ends - 1e-9).ravel(), (ends + 1e-9).ravel()]).clip(0, 1))
    share, other = np.meshgrid(shares, np.linspace(0, 1, 41))
    probs = [
        stats.binom.pmf(np.arange(m + 1)[:, None, None], m, of)
        for m, of in zip(n, said_yes(specs, share, other, label), strict=True)
    ]
    missed = [np.zeros(share.shape), np.zeros(share.shape)]
    for (one, two), (low, high) in zip(pairs, ends, strict=True):
        prob = probs[0][one] * probs[1][two]
        missed[0] += prob * (low > share)
        missed[1] += prob * (high < share)
    for of in missed:
        assert 0.9 * TAIL < of.max() <= TAIL


@pytest.mark.parametrize(
    ("n", "yes"), [((60, 50), (22, 14)), pytest.param((40, 300), (3, 20), marks=pytest.mark.thorough)]
)
def test_a_low_end_is_below_all_shares_that_are_left_and_close_to_the_least(
    n: tuple[int, int], yes: tuple[int, int]
) -> None:
    """Left are shares in both Clopper-Pearson intervals, whose tail is above what these leave of `tail`."""
    low, _ = exact_interval(arms_of(UNKNOWN, n, yes), "yes", tail=TAIL)
    share, other = np.meshgrid(np.linspace(0, 1, 201), np.linspace(0, 1, 201))
    share, other = share.ravel(), other.ravel()
    said = said_yes(UNKNOWN, share, other, "yes")
    is_left = np.ones(share.shape, bool)
    for of, m, count in zip(said, n, yes, strict=True):
        is_left &= (stats.binom.sf(count - 1, m, of) > TAIL / 200) & (stats.binom.cdf(count, m, of) > TAIL / 200)
    first = np.arange(n[0] + 1)
    # (.8 l_1 - .3 l_2) / .5 is the share
    most = np.floor(n[1] * (yes[1] / n[1] - 0.8 / 0.3 * (yes[0] - first) / n[0]) + 1e-9)
    tails = np.zeros(is_left.sum())
    for count, of in zip(first, most, strict=True):
        tails += stats.binom.pmf(count, n[0], said[0][is_left]) * stats.binom.cdf(of, n[1], said[1][is_left])
    least = share[is_left][tails > 0.98 * TAIL].min()
    error = np.hypot(
        1.6 * np.sqrt(yes[0] * (n[0] - yes[0]) / n[0] ** 3), 0.6 * np.sqrt(yes[1] * (n[1] - yes[1]) / n[1] ** 3)
    )
    assert least - 0.02 * error - 1 / 200 < low <= least


def test_samples_of_one_design_are_one_sample() -> None:
    together = exact_interval(arms_of(UNKNOWN, (500, 400), (160, 96)), "yes", tail=TAIL)
    apart = exact_interval(arms_of((*UNKNOWN, UNKNOWN[0]), (200, 400, 300), (70, 96, 90)), "yes", tail=TAIL)
    assert apart == pytest.approx(together, abs=1e-12)


def test_the_interval_is_narrower_than_the_bound_and_the_bound_says_so() -> None:
    samples = [arm(UNKNOWN[0], [160, 340]), arm(UNKNOWN[1], [96, 304])]
    bound, exact = (estimate_arms(samples, IntervalOptions(method=of)) for of in ("chernoff", "clopper-pearson"))
    widths = [found.rows[0].high - found.rows[0].low for found in (bound, exact)]
    assert widths[0] > 1.4 * widths[1]
    assert bound.narrower_by == pytest.approx(1 - widths[1] / widths[0])
    low, high = likelihood_interval(Arms.of(samples), "yes", tail=TAIL)
    assert widths[1] < 1.05 * (high - low)


def test_counts_that_no_shares_explain_have_no_interval() -> None:
    """More say yes where fewer are asked to, if all are honest or cheat."""
    low, high = exact_interval(arms_of(CHEATS, (100, 100), (60, 20)), "no", tail=TAIL)
    assert low > 1 or high < 0 or low > high


def test_counts_that_little_explains_have_no_interval_beside_their_estimate() -> None:
    """Nor is a share said to be exactly known, of which none fits."""
    samples = [arm(CHEATS[0], [50, 50]), arm(CHEATS[1], [30, 70])]
    found = estimate_arms(samples, IntervalOptions(method="clopper-pearson"))
    yes, no, cheats = found.rows
    assert yes.low < 0.49 < yes.share <= yes.high < 0.61
    assert not found.has_interval(no)
    assert not found.has_interval(cheats)
    assert [of.kind for verdict in found.verdicts for of in verdict.findings] == ["between", "none", "unknown"]


def test_what_still_has_no_exact_tails_is_refused_with_the_reason() -> None:
    options = IntervalOptions(method="clopper-pearson")
    third = (*UNKNOWN, "unrelated(prob_question=.4)")
    with pytest.raises(DomainError, match="depend on other unknown shares"):
        estimate_arms([arm(of, [30, 70]) for of in third], options)
    lists = [arm("item-count(n_items=1, kind=short)", [5, 5]), arm("item-count(n_items=1, kind=long)", [3, 4, 3])]
    with pytest.raises(DomainError, match="item-count has no exact tails: they depend on the whole distribution"):
        estimate_arms(lists, options)
