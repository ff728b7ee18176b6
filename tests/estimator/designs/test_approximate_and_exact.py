"""Exact intervals of several samples, and approximate ones by the likelihood: against other programs' ways to them."""

import math
from itertools import product

import numpy as np
import pytest
from scipy import optimize, stats

from sotto_estimator.channel.channel import Channel
from sotto_estimator.designs.arms import Arms
from sotto_estimator.designs.design import Arm
from sotto_estimator.designs.exact import MOST_PEOPLE, exact_interval
from sotto_estimator.designs.profile import likelihood_interval
from sotto_estimator.designs.spec import arm, read_design
from sotto_estimator.errors import DomainError
from sotto_estimator.intervals.intervals import IntervalOptions, confidence_interval
from sotto_estimator.shares.of_arms import estimate_arms

TAIL = 0.025
KUK = "kuk(prob_red_if_yes=.9, prob_red_if_no=.5, n_draws=5)"
UNKNOWN = ("unrelated(prob_question=.7)", "unrelated(prob_question=.2)")


def arms_of(*asked: tuple[str, list[int]]) -> Arms:
    return Arms.of([Arm(read_design(spec), np.array(counts, np.float64)) for spec, counts in asked])


@pytest.mark.parametrize(
    ("method", "true", "other", "n", "s"),
    [
        (method, true, other, n, s)
        for method in ("clopper-pearson", "likelihood")
        for true, other in ((0.75, 0.25), (0.9, 0.0))
        for n, s in ((10, 4), (400, 160), (5000, 2000), (30, 0), (30, 30))
        if method == "clopper-pearson" or other <= s / n <= true  # else its best share is one that is possible
    ],
)
def test_one_sample_has_the_interval_that_a_channel_has(method: str, true: float, other: float, n: int, s: int) -> None:
    """Those are binomial tails by the incomplete beta function, and a bisected divergence, of which the best share may
    be outside of [0, 1]."""
    find = exact_interval if method == "clopper-pearson" else likelihood_interval
    found = np.clip(find(Arms.of_channels(true, other, s, n), "yes", tail=TAIL), 0, 1)
    expected = confidence_interval(s, n, Channel(true, other), method=method)
    assert found == pytest.approx([float(end) for end in expected], abs=1e-7)
    if method == "clopper-pearson":
        assert found[0] <= float(expected[0]) + 1e-12
        assert found[1] >= float(expected[1]) - 1e-12


def test_an_extended_crosswise_of_equal_samples_is_one_binomial() -> None:
    """Of opposite samples a report speaks for yes by the same two probabilities."""
    arms = arms_of(("crosswise(prob=.2)", [120, 280]), ("crosswise(prob=.8)", [150, 50]))
    found = exact_interval(arms, "yes", tail=TAIL)
    expected = confidence_interval(280 + 150, 600, Channel(0.8, 0.2), method="clopper-pearson")
    assert found == pytest.approx([float(end) for end in expected], abs=1e-8)


SMALL = {
    "two designs": (("crosswise(prob=.2)", "warner(prob=.9)"), (8, 6)),
    "draws": (("kuk(prob_red_if_yes=.9, prob_red_if_no=.2, n_draws=3)",), (5,)),
    "one of three": (("k-ary(n_answers=3, prob_truth=.8)",), (9,)),
}


def outcomes(n: int, n_reports: int) -> list[tuple[int, ...]]:
    return [of for of in product(range(n + 1), repeat=n_reports) if sum(of) == n]


@pytest.mark.parametrize("case", SMALL)
def test_exact_intervals_miss_on_either_side_no_more_often_than_they_may_and_as_often(case: str) -> None:
    """By enumeration of all counts, at shares just beside all ends, where misses are most."""
    specs, sizes = SMALL[case]
    designs = [read_design(of) for of in specs]
    answers, label = designs[0].answers, designs[0].labels[0]
    every = list(product(*(outcomes(n, len(of.reports)) for n, of in zip(sizes, designs, strict=True))))
    ends = np.array(
        [exact_interval(arms_of(*zip(specs, map(list, of), strict=True)), label, tail=TAIL) for of in every]
    )
    shares = np.unique(np.concatenate([[0, 1], (ends - 1e-9).ravel(), (ends + 1e-9).ravel()]).clip(0, 1))
    others = np.full((len(answers) - 1, len(shares)), (1 - shares) / (len(answers) - 1))
    probs = np.ones((len(every), len(shares)))
    for at, design in enumerate(designs):
        said = design.matrix @ np.vstack([shares, others])
        probs *= [stats.multinomial.pmf(of[at], sizes[at], said.T) for of in every]
    missed = [(probs * is_missed).sum(axis=0).max() for is_missed in (ends[:, :1] > shares, ends[:, 1:] < shares)]
    assert max(missed) <= TAIL + 1e-9
    assert min(missed) > 0.9 * TAIL


def test_a_likelihood_interval_of_two_samples_is_where_the_ratio_is_the_quantile() -> None:
    arms = arms_of(("crosswise(prob=.2)", [290, 110]), ("warner(prob=.9)", [80, 320]))
    low, high = likelihood_interval(arms, "yes", tail=TAIL)

    def log_likelihood(share: float) -> float:
        return float(stats.binom.logpmf(290, 400, 0.8 - 0.6 * share) + stats.binom.logpmf(80, 400, 0.1 + 0.8 * share))

    best = optimize.minimize_scalar(lambda share: -log_likelihood(share), bounds=(0, 1), method="bounded")
    for end in (low, high):
        assert 2 * (-best.fun - log_likelihood(end)) == pytest.approx(stats.chi2.ppf(0.95, 1), abs=1e-5)


def test_a_likelihood_interval_takes_the_best_of_what_else_is_not_known() -> None:
    """Of an unrelated question, how many say yes to it: tried in small steps."""
    low, high = likelihood_interval(arms_of((UNKNOWN[0], [160, 340]), (UNKNOWN[1], [96, 304])), "yes", tail=TAIL)
    steps = np.linspace(0, 1, 100_001)

    def profile(share: float) -> float:
        said = [p * share + (1 - p) * steps for p in (0.7, 0.2)]
        return float((stats.binom.logpmf(160, 500, said[0]) + stats.binom.logpmf(96, 400, said[1])).max())

    best = stats.binom.logpmf(160, 500, 0.32) + stats.binom.logpmf(96, 400, 0.24)
    for end in (low, high):
        assert 2 * (best - profile(end)) == pytest.approx(stats.chi2.ppf(0.95, 1), abs=1e-4)


def test_the_likelihood_covers_about_what_it_says() -> None:
    """By enumeration of two samples of 8: never below .92, as docs/maths-designs.md says of small samples."""
    shares, n = np.linspace(0, 1, 21), 8
    covered = np.zeros(len(shares))
    for yes in product(range(n + 1), repeat=2):
        found = arms_of(("crosswise(prob=.2)", [yes[0], n - yes[0]]), ("crosswise(prob=.8)", [yes[1], n - yes[1]]))
        low, high = likelihood_interval(found, "yes", tail=TAIL)
        said = 0.8 - 0.6 * shares, 0.2 + 0.6 * shares
        prob = stats.binom.pmf(yes[0], n, said[0]) * stats.binom.pmf(yes[1], n, said[1])
        covered += prob * ((low <= shares + 1e-9) & (shares <= high + 1e-9))
    assert 0.92 < covered.min() < 0.95 < covered.mean() < 0.97


def test_exact_intervals_are_narrower_than_the_bound_and_it_says_so() -> None:
    sample = [arm(KUK, [12, 62, 125, 125, 62, 14])]
    bound, exact, about = (
        estimate_arms(sample, IntervalOptions(method=of)) for of in ("chernoff", "clopper-pearson", "likelihood")
    )
    widths = [found.rows[0].high - found.rows[0].low for found in (bound, exact, about)]
    assert widths[2] < widths[1] < widths[0]
    assert bound.narrower_by == pytest.approx(1 - widths[1] / widths[0])
    assert exact.narrower_by is None


@pytest.mark.parametrize(
    ("asked", "method", "target", "message"),
    [
        ([(KUK, [1, 2, 3, 4, 5, 6])], "wilson", "population", "one of chernoff, .*, likelihood about the pop"),
        ([(KUK, [1, 2, 3, 4, 5, 6])], "likelihood", "respondents", "one of chernoff, hoeffding about the respondents"),
        ([(KUK, [MOST_PEOPLE, 1, 0, 0, 0, 0])], "clopper-pearson", "population", "n .50,001.* at most 50,000"),
        (
            [("christofides(prob_marks=.4 .05 .3 .25, estimator=paper)", [30, 20, 20, 30])],
            "clopper-pearson",
            "population",
            "weights are not in order",
        ),
    ],
)
def test_what_has_no_such_interval_is_refused(
    asked: list[tuple[str, list[int]]], method: str, target: str, message: str
) -> None:
    options = IntervalOptions(method=method, target=target)  # type: ignore[arg-type]
    with pytest.raises(DomainError, match=message):
        estimate_arms([arm(*of) for of in asked], options)


def test_levels_beyond_rounding_are_refused() -> None:
    with pytest.raises(DomainError, match="each tail"):
        exact_interval(arms_of((KUK, [1, 2, 3, 4, 5, 6])), "yes", tail=1e-9)
    assert math.isfinite(exact_interval(arms_of((KUK, [1, 2, 3, 4, 5, 6])), "yes", tail=1e-5)[0])
