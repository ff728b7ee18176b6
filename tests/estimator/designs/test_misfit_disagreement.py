"""Samples that no share explains together are warned of; honest ones hardly ever: by enumeration."""

from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from scipy import optimize, special, stats

from athletes import EXTENDED, PUBLISHED, arm, crosswise, design_of
from sotto_estimator import Channel, IntervalOptions, estimate_counts
from sotto_estimator.designs.design import Arm, Design
from sotto_estimator.designs.disagreement import MAX_ARMS, misfits_of
from sotto_estimator.designs.fit import fit_of, unfit_by
from sotto_estimator.designs.spec import read_design
from sotto_estimator.errors import DomainError
from sotto_estimator.intervals.contradiction import FALSE_ALARM, Contradiction, Disagreement, Unfit
from sotto_estimator.shares.of_arms import estimate_arms


@pytest.mark.parametrize(
    ("key", "arms"), EXTENDED.items(), ids=lambda of: "-".join(of) if isinstance(of, tuple) else ""
)
def test_athletes_fit_by_g_squared_as_published_and_by_a_search_of_the_likelihood(
    key: tuple[str, str], arms: list[Arm]
) -> None:
    found = fit_of(arms)
    if key in PUBLISHED:
        assert round(found.g_squared, 1) == PUBLISHED[key]

    def loss(share: float) -> float:
        shares = np.array([share, 1 - share])
        expected = [of.n * of.design.matrix @ shares for of in arms]
        return 2 * float(sum((of.counts * np.log(of.counts / e)).sum() for of, e in zip(arms, expected, strict=True)))

    best = optimize.minimize_scalar(loss, bounds=(0, 1), method="bounded", options={"xatol": 1e-10})
    assert found.g_squared == pytest.approx(best.fun, abs=1e-6)
    assert found.shares[0] == pytest.approx(best.x, abs=1e-5)
    assert found.df == 1
    assert found.p_value == pytest.approx(stats.chi2.sf(best.fun, 1), abs=1e-6)


def test_as_many_questions_of_athletes_fail_as_the_readme_says() -> None:
    failing = {key: fit_of(arms).p_value < 0.05 for key, arms in EXTENDED.items() if key[0] != "control"}
    assert (sum(failing.values()), len(failing)) == (8, 20)


def test_surveys_that_the_fit_test_rejects_are_warned_of_and_no_others() -> None:
    """Of 1e-3 in one output there are four, those of the published figures."""
    warned = {key: found for key, arms in EXTENDED.items() if (found := misfits_of(arms))}
    assert set(warned) == set(PUBLISHED)
    for key, (found,) in warned.items():
        assert isinstance(found, Disagreement)
        assert f"(G² {PUBLISHED[key]}, 1 degree of freedom; P <= " in found.warning
    (found,) = warned["samples", "B"]
    assert isinstance(found, Disagreement)
    assert found.shares == pytest.approx(((95 / 161 - 0.2) / 0.6, (0.8 - 105 / 164) / 0.6))
    assert "samples 1 and 2 say 65.0 % and 26.6 %. One share cannot give the reports of both" in found.warning


def test_the_page_has_what_is_found_of_athletes() -> None:
    page = (Path(__file__).parents[3] / "docs" / "misfit.md").read_text()
    for question, survey in PUBLISHED:
        (found,) = misfits_of(EXTENDED[question, survey])
        assert isinstance(found, Disagreement)
        first, second = (f"{100 * share:.1f} %" for share in found.shares)
        row = f"| {question} | {survey} | {first} | {second} | {found.g_squared:.1f} | {found.p_value:.5f} |"
        assert row in page


def test_p_value_is_close_to_fishers_where_both_arms_report_the_same_share() -> None:
    """Of 1 at p and of 2 at 1 - p: two samples of one number, where Fisher's test is exact."""
    for arms in EXTENDED.values():
        first, second = (of.counts for of in arms)
        fisher = stats.fisher_exact([first, second[::-1]])[1]
        if fisher < FALSE_ALARM / 3:
            assert fisher <= misfits_of(arms)[0].p_value / 3 <= 2 * fisher


PAIRS = [
    ((0.8, 0.2), (0.2, 0.8)),
    ((0.8, 0.2), (0.8, 0.2)),
    ((0.75, 0.25), (1, 0)),
    ((0.6, 0.1), (0.95, 0.3)),
    ((0.3, 0.1), (0.9, 0.6)),
    ((1, 0.4), (0.7, 0)),
]


@pytest.mark.few(4, "rare")
@pytest.mark.thorough
@pytest.mark.parametrize(
    ("first", "second", "n", "m"),
    [
        *((*pair, n, m) for pair in PAIRS for n, m in ((1, 1), (9, 7))),
        *((*pair, 12, 45) for pair in PAIRS[2:6:3]),
        *(pytest.param(*pair, 30, 30, marks=pytest.mark.rare) for pair in PAIRS),
        *(pytest.param(*pair, 12, 45, marks=pytest.mark.rare) for at, pair in enumerate(PAIRS) if at % 3 != 2),
    ],
)
def test_honest_samples_give_a_false_alarm_once_in_a_thousand_at_most(
    first: tuple[float, float], second: tuple[float, float], n: int, m: int
) -> None:
    """Enumerated: all counts of both, for shares from 0 to 1."""
    one, other = design_of(*first), design_of(*second)
    alarms = np.array(
        [[bool(misfits_of([arm(one, s, n - s), arm(other, t, m - t)])) for t in range(m + 1)] for s in range(n + 1)]
    )
    worst = 0.0
    for share in np.linspace(0, 1, 401):
        s = stats.binom.pmf(np.arange(n + 1), n, one.matrix[0] @ [share, 1 - share])
        t = stats.binom.pmf(np.arange(m + 1), m, other.matrix[0] @ [share, 1 - share])
        worst = max(worst, float(s @ alarms @ t))
    assert worst <= FALSE_ALARM
    assert n < 30 or worst > FALSE_ALARM / 100  # and it is not silent


def test_arm_outside_of_its_design_by_itself_is_what_is_told() -> None:
    (found,) = misfits_of([arm(crosswise(0.2), 1999, 1), arm(crosswise(0.3), 500, 500)])
    assert isinstance(found, Contradiction)


def test_three_samples_are_compared_two_by_two() -> None:
    (found,) = misfits_of(
        [arm(crosswise(0.2), 320, 680), arm(crosswise(0.2), 330, 670), arm(crosswise(0.8), 540, 460)], "used"
    )
    assert isinstance(found, Disagreement)
    assert found.arms == (1, 3)
    assert str(found).startswith("used: the samples contradict one another (P <= ")


def test_samples_of_several_answers_by_one_design_are_compared_by_report() -> None:
    matrix = np.full((3, 3), 0.15) + 0.55 * np.eye(3)
    three = Design("three", ("a", "b", "c"), ("a", "b", "c"), matrix)
    assert misfits_of([arm(three, 300, 300, 400), arm(three, 310, 280, 410)]) == ()
    (found,) = misfits_of([arm(three, 300, 300, 400), arm(three, 400, 200, 400)])
    assert isinstance(found, Disagreement)
    assert found.shares == (0.3, 0.2)
    (found,) = misfits_of([arm(three, 100, 500, 400)])
    assert isinstance(found, Contradiction)
    assert found.answer == "a"


DRAWS = "kuk(prob_red_if_yes=0.8, prob_red_if_no=0.2, n_draws=3)"
TOGETHER: dict[str, tuple[dict[str, list[int]], Callable[[float], list[np.ndarray]]]] = {
    "draws": (
        {DRAWS: [5000, 4000, 3000, 2000]},
        lambda yes: [yes * stats.binom.pmf(range(4), 3, 0.8) + (1 - yes) * stats.binom.pmf(range(4), 3, 0.2)],
    ),
    "unrelated": (  # everybody says yes to the unrelated question: the second sample has yes alone
        {"unrelated(prob_question=.7)": [160, 340], "unrelated(prob_question=.2)": [500, 0]},
        lambda yes: [np.array([1 - prob * (1 - yes), prob * (1 - yes)]) for prob in (0.7, 0.2)],
    ),
    "cheats": (  # the second sample cannot have fewer yes: equal shares fit best
        {f"cheating-detection(prob_forced_yes={prob})": of for prob, of in ((0.25, [300, 100]), (0.75, [100, 300]))},
        lambda no: [np.array([1 - no, no])] * 2,
    ),
    "cheats, triangular": (
        {
            f"cheating-detection-triangular(prob_innocuous={prob})": of
            for prob, of in ((0.25, [300, 100]), (0.75, [100, 300]))
        },
        lambda no: [np.array([1 - no, no])] * 2,
    ),
}
"""Counts that no answers give together, though each may be; the probabilities of reports that may fit best."""


@pytest.mark.parametrize(("asked", "probs_at"), TOGETHER.values(), ids=TOGETHER)
def test_counts_that_contradict_only_together_get_no_figures(
    asked: dict[str, list[int]], probs_at: Callable[[float], list[np.ndarray]]
) -> None:
    counts = [np.array(of, np.float64) for of in asked.values()]

    def loss(at: float) -> float:
        seen = zip(counts, probs_at(at), strict=True)
        return 2 * float(sum(special.rel_entr(of, of.sum() * probs).sum() for of, probs in seen))

    estimates = estimate_arms([Arm(read_design(text), of) for text, of in zip(asked, counts, strict=True)])
    (found,) = estimates.contradictions
    assert isinstance(found, Unfit)
    best = optimize.minimize_scalar(loss, bounds=(0, 1), method="bounded", options={"xatol": 1e-10})
    assert found.g_squared == pytest.approx(best.fun, rel=1e-6)
    n_free, n_tests = (3, 9) if len(counts) == 1 else (2, 5)
    half = best.fun / 2
    bound = np.log(n_tests) + n_free - half + n_free * np.log(half / n_free)
    assert np.log(found.p_value) == pytest.approx(bound, abs=1e-4)
    assert not estimates.told_rows
    assert estimates.narrower_by is None
    assert str(found) in estimates.as_table()
    assert '"shares": [],' in estimates.as_json()


def test_all_samples_are_held_against_one_another_at_once() -> None:
    """Two differ by 4 standard errors: one of 190 pairs may."""
    (found,) = misfits_of([arm(crosswise(0.2), *of) for of in ((120, 80), (80, 120))] * 10)
    assert isinstance(found, Unfit)
    assert "all counts of 4,000 reports in 20 samples together" in found.warning


@pytest.mark.parametrize("texts", [[DRAWS.replace("3", "2")], list(TOGETHER["cheats"][0])], ids=["draws", "cheats"])
def test_honest_counts_hardly_ever_contradict_together(texts: list[str]) -> None:
    """Enumerated: all counts, for shares on a grid; so is the bound, at every level."""
    designs = [read_design(text) for text in texts]
    n = 24 if len(designs) == 1 else 18
    tables = [[of for of in product(range(n + 1), repeat=len(one.reports)) if sum(of) == n] for one in designs]
    arms = [[arm(one, *of) for one, of in zip(designs, each, strict=True)] for each in product(*tables)]
    found = [misfits_of(each) for each in arms]
    assert any(isinstance(one, Unfit) for each in found for one in each)
    is_void = np.array(list(map(bool, found)))
    tails = np.array([unfit_by(each)[1] for each in arms])
    n_answers = len(designs[0].answers)
    for shares in [*np.eye(n_answers), *np.random.default_rng(3).dirichlet(np.full(n_answers, 0.5), 30)]:
        each = [stats.multinomial.pmf(of, n, one.matrix @ shares) for one, of in zip(designs, tables, strict=True)]
        likely = np.array([np.prod(probs) for probs in product(*each)])
        assert likely[is_void].sum() <= FALSE_ALARM
        for level in (0.5, 0.05, 1e-3):
            assert likely[tails <= level].sum() <= level


def test_weights_and_too_many_arms_are_not_tested() -> None:
    weighted = [Arm(crosswise(0.2), np.array([95.5, 66])), Arm(crosswise(0.8), np.array([105, 59.5]))]
    assert misfits_of(weighted) == ()
    assert misfits_of([Arm(read_design(DRAWS), np.array([5000, 4000, 3000, 2000.5]))]) == ()
    arms = EXTENDED["samples", "B"]
    assert misfits_of(arms + [arm(crosswise(0.2), 1, 1)] * (MAX_ARMS - 1)) == ()


def test_arms_of_other_answers_are_refused() -> None:
    with pytest.raises(DomainError, match="all with the same answers"):
        misfits_of([arm(crosswise(0.2), 1, 1), arm(Design("x", ("a", "b"), ("1", "2"), np.eye(2)), 1, 1)])


def test_every_form_of_estimates_says_it() -> None:
    found = misfits_of(EXTENDED["samples", "B"])
    estimates = replace(estimate_counts(95, 161, Channel(0.8, 0.2), IntervalOptions()), contradictions=found)
    assert "the samples contradict one another" in estimates.as_table()
    assert '"arms": [' in estimates.as_json()
    assert f"{found[0].p_value}" in estimates.as_csv()


@pytest.mark.parametrize(
    ("asked", "df"),
    [
        ({"unrelated(prob_question=.7)": [160, 340], "unrelated(prob_question=.2)": [96, 304]}, 0),
        ({"crosswise(prob=.2)": [60, 40], "crosswise(prob=.8)": [40, 60]}, 1),
        ({"k-ary(n_answers=3, prob_truth=.8)": [10, 20, 30]}, 0),
        ({"kuk(prob_red_if_yes=.8, prob_red_if_no=.2, n_draws=5)": [30, 80, 60, 30, 20, 10]}, 4),
    ],
)
def test_degrees_of_freedom_are_what_reports_tell_beyond_the_shares(asked: dict[str, list[int]], df: int) -> None:
    """Of two unrelated questions the pair of answers has three free shares, of which two samples tell two numbers."""
    arms = [Arm(read_design(spec), np.array(counts, np.float64)) for spec, counts in asked.items()]
    assert fit_of(arms).df == df


def test_kuks_draws_that_are_no_mixture_show_in_the_fit() -> None:
    """Against the statistic at the share that a grid finds likeliest."""
    counts, draws = np.array([30, 80, 60, 30, 20, 10]), np.arange(6)
    yes, no = stats.binom.pmf(draws, 5, 0.8), stats.binom.pmf(draws, 5, 0.2)
    mixed = [share * yes + (1 - share) * no for share in np.linspace(0, 1, 10_001)]
    best = max(mixed, key=lambda probs: float(counts @ np.log(probs)))
    found = estimate_arms([Arm(read_design("kuk(prob_red_if_yes=.8, prob_red_if_no=.2, n_draws=5)"), counts)]).fit
    assert found is not None
    assert found.g_squared == pytest.approx(2 * float(counts @ np.log(counts / counts.sum() / best)), rel=1e-5)
    assert found.p_value is not None
    assert found.p_value < 1e-3
