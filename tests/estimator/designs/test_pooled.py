"""Intervals from arms of different channels: the same as of one, coverage by enumeration, what is unbiased."""

import math
from collections.abc import Iterator, Sequence
from functools import reduce
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

from sotto_estimator.channel.channel import Channel, Target
from sotto_estimator.designs.arms import Arms
from sotto_estimator.designs.design import Arm
from sotto_estimator.designs.pooled import pooled_interval
from sotto_estimator.designs.spec import read_design
from sotto_estimator.errors import DomainError
from sotto_estimator.intervals.intervals import share_bounds

Floats = NDArray[np.float64]
LEVEL = 0.9


def arms_of(*asked: tuple[str, Sequence[float]]) -> Arms:
    return Arms.of([Arm(read_design(spec), np.array(counts, np.float64)) for spec, counts in asked])


@pytest.mark.parametrize("target", ["population", "respondents"])
@pytest.mark.parametrize(("true", "other"), [(0.75, 0.25), (1.0, 1 / 6), (0.9, 0.0), (0.3, 0.1)])
def test_one_arm_has_the_chernoff_interval_that_a_channel_has(true: float, other: float, target: Target) -> None:
    """That one is found in another way: by bisection of the relative entropy, and over whole people."""
    for n, s in [(1, 0), (10, 0), (10, 3), (10, 10), (400, 60), (1_000_000, 210_000)]:
        low, high = pooled_interval(Arms.of_channels(true, other, s, n), "yes", tail=0.025, target=target)
        channel = Channel(true, other)
        expected = share_bounds([s], [n], channel, level=0.95, method="chernoff", target=target)
        ends = [float(end[0].clip(0, 1)) for end in expected]
        assert np.clip([low, high], 0, 1) == pytest.approx(ends, abs=2e-8 if target == "population" else 1e-9)


def test_arms_of_one_channel_are_one_arm() -> None:
    whole = pooled_interval(Arms.of_channels(0.8, 0.3, 200, 400), "yes", tail=0.025)
    split = pooled_interval(Arms.of_channels(0.8, 0.3, [50, 120, 30], [100, 150, 150]), "yes", tail=0.025)
    assert split == pytest.approx(whole, abs=1e-8)


def test_weights_are_unbiased_and_those_of_the_least_variance() -> None:
    """Arms of yes and no: contrast / variance at a share of 1/2, the best of all fixed weights there."""
    true, other, n = np.array([0.75, 1.0, 0.9]), np.array([0.25, 1 / 6, 0.5]), np.array([50, 80, 30])
    arms = Arms.of_channels(true, other, n // 2, n)
    weights = arms.weights("yes")
    np.testing.assert_allclose(np.einsum("j,jrc,jr->c", n, arms.matrix, weights), [1, 0], atol=1e-12)
    reported = (true + other) / 2
    best = (true - other) / (reported * (1 - reported))
    np.testing.assert_allclose(weights[:, 0] - weights[:, 1], best / float((n * best) @ (true - other)))
    each = arms.weights("yes", "respondents")
    np.testing.assert_allclose(each[:, 0] - each[:, 1], 1 / (true - other) / n.sum())


def compositions(n: int, parts: int) -> Iterator[tuple[int, ...]]:
    if parts == 1:
        yield (n,)
        return
    for first in range(n + 1):
        for rest in compositions(n - first, parts - 1):
            yield (first, *rest)


def multinomial(counts: Sequence[int], probabilities: Floats) -> float:
    ways = math.factorial(sum(counts))
    for count in counts:
        ways //= math.factorial(count)
    return ways * float(np.prod(np.power(probabilities, counts)))


def convolved(rows: Sequence[tuple[int, Floats]]) -> dict[tuple[int, ...], float]:
    """Return the distribution of the counts of reports of several groups of people, each of one channel's column."""

    def add(known: dict[tuple[int, ...], float], row: tuple[int, Floats]) -> dict[tuple[int, ...], float]:
        found: dict[tuple[int, ...], float] = {}
        for counts in compositions(row[0], len(row[1])):
            prob = multinomial(counts, row[1])
            for before, so_far in known.items():
                key = tuple(a + b for a, b in zip(before, counts, strict=True))
                found[key] = found.get(key, 0) + so_far * prob
        return found

    return reduce(add, rows, {(0,) * len(rows[0][1]): 1.0})


CASES = {
    "direct and crosswise": (["direct", "crosswise(prob=1/5)"], [5, 6]),
    "extended crosswise": (["crosswise(prob=1/5)", "crosswise(prob=4/5)"], [6, 6]),
    "three of all kinds": (
        ["mangat(prob=2/3)", "warner(prob=.9)", "unrelated(prob_question=.5, prevalence=.1)"],
        [3, 3, 3],
    ),
    "unknown prevalence": (["unrelated(prob_question=.9)", "unrelated(prob_question=.2)"], [5, 5]),
    "cheating detection": (
        ["cheating-detection(prob_forced_yes=.1)", "cheating-detection(prob_forced_yes=.9)"],
        [7, 7],
    ),
    "k-ary": (["k-ary(n_answers=3, prob_truth=.8)"], [9]),
    "two k-ary": (["k-ary(n_answers=3, prob_truth=.9)", "forced-categories(prob_forced=.3 .1 0)"], [3, 3]),
    "kuk": (["kuk(prob_red_if_yes=.9, prob_red_if_no=.2, n_draws=3)"], [7]),
    "more reports than answers": (["matrix(rows=.7 .1 .1; .1 .7 .2; .1 .1 .3; .1 .1 .4)"], [6]),
}

DEAREST = {
    "two k-ary": pytest.mark.rare,
    "cheating detection": pytest.mark.rare,
    "unknown prevalence": pytest.mark.thorough,
}
"""Of the others there are two samples with a nuisance, and three answers, too."""


def columns_grid(answers: Sequence[str]) -> list[Floats]:
    """Return shares of the columns: edges, corners and inside."""
    steps = 20 if len(answers) == 2 else 6 if len(answers) == 3 else 4
    return [np.array(of) / steps for of in compositions(steps, len(answers))]


@pytest.mark.few(2)
@pytest.mark.parametrize(
    "case",
    [pytest.param(case, marks=DEAREST.get(case, ())) for case in CASES],
)
def test_the_population_is_covered_in_every_cell_of_a_grid(case: str) -> None:
    """By enumeration of all reports that arms can give, under shares of all columns, nuisance at its edges too."""
    specs, sizes = CASES[case]
    designs = [read_design(spec) for spec in specs]
    answers, label = designs[0].answers, designs[0].labels[0]
    each = [list(compositions(n, len(design.reports))) for design, n in zip(designs, sizes, strict=True)]
    grid = columns_grid(answers)
    missed = np.zeros((len(grid), 2))
    truth = np.array([sum(share for share, of in zip(shares, answers, strict=True) if of == label) for shares in grid])
    tables = [
        np.array([[multinomial(counts, design.matrix @ shares) for counts in of] for shares in grid])
        for design, of in zip(designs, each, strict=True)
    ]
    for places in product(*(range(len(of)) for of in each)):
        arms = arms_of_counts(specs, [each[j][at] for j, at in enumerate(places)])
        if arms is None:
            continue
        low, high = pooled_interval(arms, label, tail=(1 - LEVEL) / 2)
        prob = np.prod([table[:, at] for table, at in zip(tables, places, strict=True)], axis=0)
        missed += prob[:, None] * np.stack([truth < low, truth > high], axis=-1)
    assert missed.max() <= (1 - LEVEL) / 2
    assert missed.max() > 0  # else it would hold of an interval that is everything


def arms_of_counts(specs: Sequence[str], counts: Sequence[Sequence[int]]) -> Arms | None:
    try:
        return arms_of(*zip(specs, counts, strict=True))
    except DomainError:  # a report that cannot be: of probability 0
        return None


@pytest.mark.few(2)
@pytest.mark.parametrize(
    ("specs", "sizes"),
    [
        (["direct", "crosswise(prob=1/5)"], (3, 4)),
        (["crosswise(prob=1/5)", "mangat(prob=2/3)"], (4, 3)),
        (["k-ary(n_answers=3, prob_truth=.8)", "forced-categories(prob_forced=.2 .1 .1)"], (3, 2)),
        (["devore(prob=.5)", "devore(prob=.6)"], (6, 5)),
        (["matrix(rows=.5 0; .5 1)", "direct"], (10, 3)),
        (["matrix(rows=.5 0; .5 1)", "devore(prob=.3)"], (6, 6)),
    ],
)
def test_the_respondents_are_covered_however_arms_are_made_up(specs: list[str], sizes: tuple[int, int]) -> None:
    """Every split of people with each answer over the arms: what an arm's shares are is not random."""
    designs = [read_design(spec) for spec in specs]
    answers, label = designs[0].answers, designs[0].labels[0]
    intervals = {}
    for one in compositions(sizes[0], len(designs[0].reports)):
        for two in compositions(sizes[1], len(designs[1].reports)):
            arms = arms_of_counts(specs, [one, two])
            if arms is not None:
                intervals[one, two] = pooled_interval(arms, label, tail=(1 - LEVEL) / 2, target="respondents")
    worst = 0.0
    people = product(*(compositions(n, len(answers)) for n in sizes))
    for split in people:
        truth = sum(of[0] for of in split) / sum(sizes)
        given = [
            convolved([(k, column) for k, column in zip(of, design.matrix.T, strict=True)])
            for of, design in zip(split, designs, strict=True)
        ]
        miss = np.zeros(2)
        for one, two in product(*given):
            prob = given[0][one] * given[1][two]
            if prob:
                low, high = intervals[one, two]
                miss += prob * np.array([truth < low, truth > high])
        worst = max(worst, float(miss.max()))
    assert 0 < worst <= (1 - LEVEL) / 2


@pytest.mark.parametrize("target", ["population", "respondents"])
@pytest.mark.parametrize("n", [3, 30, 1000, 5000, 100_000])
@pytest.mark.parametrize("specs", [("devore(prob=.5)", "devore(prob=.6)"), ("direct", "direct")])
def test_reports_that_are_certain_keep_the_answers_that_make_them(
    specs: tuple[str, str], n: int, target: Target
) -> None:
    """All yes reports all yes with probability 1, and of direct questions all no all no: neither may be refuted."""
    for counts, truth in [([n, 0], 1.0), ([0, n], 0.0)][: 1 + (specs[0] == "direct")]:
        low, high = pooled_interval(arms_of(*((spec, counts) for spec in specs)), "yes", tail=0.025, target=target)
        assert low - 1e-9 <= truth <= high + 1e-9


def test_the_arm_of_thirty_and_one_of_one_keep_a_share_that_is_likely() -> None:
    """4 of 30 with a = 1/2 and b = 0 give 3 and the one of a direct arm 0: no more than the tail may be refuted."""
    arms = Arms.of_channels([0.5, 1], [0, 0], [3, 0], [30, 1])
    for tail in (0.025, 0.25):
        low, high = pooled_interval(arms, "yes", tail=tail, target="respondents")
        for people in range(3, 31):
            at_most, at_least = (
                sum(math.comb(people, s) for s in found) / 2**people for found in (range(4), range(3, people + 1))
            )
            assert at_most <= tail or people / 31 <= high + 1e-9
            assert at_least <= tail or people / 31 >= low - 1e-9


def test_a_nuisance_is_needed_for_coverage() -> None:
    """A bound at an even split of the columns, not the worst one, would be narrower: the search for it is no luxury."""
    arms = arms_of(("unrelated(prob_question=.7)", [120, 180]), ("unrelated(prob_question=.3)", [90, 210]))
    low, high = pooled_interval(arms, "yes", tail=0.025)
    weights = arms.weights("yes")
    assert low < float((weights * arms.counts).sum()) < high
    normal = 1.96 * math.sqrt(0.25 * (weights[:, 0] - weights[:, 1]) ** 2 @ arms.n_each)
    assert normal < (high - low) / 2 < 1.6 * normal


def test_the_respondents_of_arms_that_tell_only_together_are_refused() -> None:
    arms = arms_of(("unrelated(prob_question=.7)", [120, 180]), ("unrelated(prob_question=.3)", [90, 210]))
    with pytest.raises(DomainError, match="needs arms that give the share of yes each alone"):
        pooled_interval(arms, "yes", tail=0.025, target="respondents")


def test_ten_thousand_records_with_a_channel_each_hold_their_truth() -> None:
    """Both ends are wrong with 1e-9 at most; with another channel's probabilities they miss."""
    rng = np.random.default_rng(7)
    noise = rng.uniform(0.2, 0.8, 10_000)
    answers = rng.random(10_000) < 0.3
    reports = np.where(rng.random(10_000) < noise, rng.random(10_000) < 0.5, answers)
    arms = Arms.of_channels(1 - noise / 2, noise / 2, reports, 1)
    for target, truth in (("population", 0.3), ("respondents", answers.mean())):
        low, high = pooled_interval(arms, "yes", tail=1e-9, target=target)  # type: ignore[arg-type]
        assert low <= truth <= high
    wrong = Arms.of_channels(1 - noise / 4, noise / 4, reports, 1)
    assert not pooled_interval(wrong, "yes", tail=1e-9)[0] <= 0.3


@pytest.mark.parametrize(
    ("true", "other", "support", "n"), [(0.5, 0.5, 1, 2), (1.1, 0.5, 1, 2), (0.9, 0.5, 3, 2), (0.9, math.nan, 1, 2)]
)
def test_channels_and_counts_that_cannot_be_are_refused(true: float, other: float, support: int, n: int) -> None:
    with pytest.raises(DomainError):
        Arms.of_channels([0.9, true], [0.1, other], [1, support], [2, n])
