"""Planned changes, trends, associations and regressions are found about as often as planned, and nothing else is.

Of a simulation each assertion fails by chance with a probability below 1e-9: 6.2 standard errors. What is approximate
may be off by `ABOUT` more.
"""

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import special, stats

from sotto_estimator.channel.channel import Channel
from sotto_estimator.errors import DomainError
from sotto_estimator.planning.power import LEAST_EXPECTED, Errors, PlannedTest, respondents_for_power
from sotto_estimator.planning.power_association import AssociationTest
from sotto_estimator.planning.power_change import PEOPLE, ChangeTest, People
from sotto_estimator.planning.power_groups import GroupsTest, critical_counts
from sotto_estimator.planning.power_regression import RegressionTest
from sotto_estimator.planning.power_trend import TrendTest

CLEAR, ONE, TWO, UNEVEN = Channel(1, 0), Channel.warner_of_epsilon(1), Channel.warner_of_epsilon(2), Channel(0.6, 0.05)
N_RUNS = 40_000
ABOUT = 0.012
Floats = NDArray[np.float64]
Counts = NDArray[np.int64]


def power_at(test: PlannedTest, n: float) -> float:
    return float(test.powers(np.array([n], np.float64))[0])


def is_rate(found: NDArray[np.bool_], expected: float) -> bool:
    error = math.sqrt(expected * (1 - expected) / len(found))
    return abs(float(found.mean()) - expected) <= 6.2 * error + ABOUT


def noisy(answers: Counts, n: int, channel: Channel, rng: np.random.Generator) -> Counts:
    """The counts of reports that support a value, where so many of n answers are it."""
    true, other = channel.prob_support_if_true, channel.prob_support_if_other
    counts: Counts = rng.binomial(answers, true) + rng.binomial(n - answers, other)
    return counts


def panel(n: int, share: float, later: float, people: People, channel: Channel) -> tuple[Counts, Counts]:
    """The counts of two waves of the same people, as few of whom as can change their answer from no to yes."""
    rng = np.random.default_rng(11)
    yes, changed, no = rng.multinomial(n, [share, later - share, 1 - later], N_RUNS).T
    of_changed = noisy(0 * changed, changed, channel, rng), noisy(changed, changed, channel, rng)
    first = noisy(yes, yes + no, channel, rng)
    second = first if people == "same" else noisy(yes, yes + no, channel, rng)
    return first + of_changed[0], second + of_changed[1]


def fisher_rejects(first: Counts, second: Counts, n: int, tail: float) -> NDArray[np.bool_]:
    """Whether either count is in the tail of Fisher's test."""
    critical = critical_counts(np.arange(2 * n + 1, dtype=np.float64), n, tail)[first + second]
    return (first >= critical) | (second >= critical)


@pytest.mark.parametrize("people", PEOPLE[1:])
@pytest.mark.parametrize("channel", [CLEAR, ONE, UNEVEN])
def test_a_change_of_the_same_people_is_found_about_as_often_as_planned(channel: Channel, people: People) -> None:
    planned = ChangeTest(channel, 0.2, 0.32, people)
    n = respondents_for_power(planned, 0.8)
    assert is_rate(fisher_rejects(*panel(n, 0.2, 0.32, people, channel), n, 0.025), power_at(planned, n))
    quiet = fisher_rejects(*panel(n, 0.2, 0.2, people, channel), n, 0.025)
    assert quiet.mean() <= 0.05 + 6.2 * math.sqrt(0.05 * 0.95 / N_RUNS)


def test_the_same_people_are_fewer_than_others_and_fewest_where_devices_keep_their_noise() -> None:
    needed = {people: respondents_for_power(ChangeTest(ONE, 0.2, 0.3, people), 0.8) for people in PEOPLE}
    assert needed["same"] < 0.7 * needed["other"]
    assert needed["same"] < needed["anew"] < needed["other"]
    assert needed["other"] == respondents_for_power(GroupsTest(ONE, 0.2, 0.3), 0.8)


def test_the_difference_of_two_reports_has_the_variance_of_all_answers_and_noise() -> None:
    """Answers no-no, no-yes and yes-yes; two reports are one and the same, or independent."""
    share, later = 0.3, 0.45
    a, b = UNEVEN.prob_support_if_true, UNEVEN.prob_support_if_other
    for people in PEOPLE[1:]:
        moments = np.zeros(2)
        for prob, first, second in ((share, a, a), (later - share, b, a), (1 - later, b, b)):
            is_kept = people == "same" and first == second
            square = 0.0 if is_kept else first * (1 - second) + second * (1 - first)
            moments += prob * np.array([second - first, square])
        expected = moments[1] - moments[0] ** 2
        assert ChangeTest(UNEVEN, share, later, people).difference_variance() == pytest.approx(expected)


def trend_rejects(counts: Counts, n: int) -> NDArray[np.bool_]:
    """Whether the Cochran-Armitage statistic is beyond the normal quantiles; shape of counts (runs, waves)."""
    weights = np.arange(counts.shape[1]) - (counts.shape[1] - 1) / 2
    middle = counts.mean(axis=1) / n
    statistic = counts @ weights / np.sqrt(n * middle * (1 - middle) * (weights @ weights))
    return np.abs(statistic) >= 1.959964


@pytest.mark.parametrize("channel", [CLEAR, ONE, UNEVEN])
@pytest.mark.parametrize(("n_waves", "share", "last"), [(3, 0.5, 0.4), (5, 0.1, 0.2), (12, 0.3, 0.6)])
def test_a_trend_is_found_about_as_often_as_planned_and_none_where_there_is_none(
    n_waves: int, share: float, last: float, channel: Channel
) -> None:
    planned = TrendTest(channel, share, last, n_waves)
    n = respondents_for_power(planned, 0.8)
    rng = np.random.default_rng(3)
    shares = np.linspace(share, last, n_waves)
    reported = np.array([channel.reported_share(of) for of in shares.tolist()])
    assert is_rate(trend_rejects(rng.binomial(n, reported, (N_RUNS, n_waves)), n), power_at(planned, n))
    assert is_rate(trend_rejects(rng.binomial(n, reported[[0] * n_waves], (N_RUNS, n_waves)), n), 0.05)


def test_a_trend_takes_fewer_people_in_each_wave_the_more_waves_there_are() -> None:
    needed = [respondents_for_power(TrendTest(ONE, 0.2, 0.3, waves), 0.8) for waves in (3, 5, 12)]
    assert needed == sorted(needed, reverse=True)
    assert power_at(TrendTest(ONE, 0.2, 0.3, 5, Errors(0.05, 1)), 1000) > power_at(TrendTest(ONE, 0.2, 0.3, 5), 1000)


def correlated(n: int, shares: Floats, channel: Channel) -> NDArray[np.bool_]:
    """Whether Pearson's statistic of the noisy counts is significant, of answers with these four shares."""
    rng = np.random.default_rng(4)
    true, other = channel.prob_support_if_true, channel.prob_support_if_other
    one = np.array([[other, true], [1 - other, 1 - true]])  # reported yes, no; of no, yes
    counts = rng.multinomial(n, np.kron(one, one) @ shares, N_RUNS).reshape(N_RUNS, 2, 2) / n
    sides = counts.sum(axis=2)[:, 0], counts.sum(axis=1)[:, 0]
    excess = counts[:, 0, 0] - sides[0] * sides[1]
    spread = sides[0] * (1 - sides[0]) * sides[1] * (1 - sides[1])
    statistic = n * excess**2 / np.where(spread > 0, spread, 1.0)  # nothing is found where all reports are the same
    return np.asarray(statistic >= stats.chi2.isf(0.05, 1))


@pytest.mark.parametrize("channel", [CLEAR, ONE, TWO, UNEVEN])
@pytest.mark.parametrize(("share", "if_yes", "if_no"), [(0.5, 0.45, 0.2315), (0.3, 0.2, 0.4)])
def test_an_association_is_found_about_as_often_as_planned_and_none_where_there_is_none(
    share: float, if_yes: float, if_no: float, channel: Channel
) -> None:
    planned = AssociationTest(channel, share, if_yes, if_no)
    n = respondents_for_power(planned, 0.8)
    no = 1 - share  # answers no-no, no-yes, yes-no, yes-yes
    shares = np.array([no * (1 - if_no), no * if_no, share * (1 - if_yes), share * if_yes])
    assert is_rate(correlated(n, shares, channel), power_at(planned, n))
    apart = np.array([no * (1 - if_no), no * if_no, share * (1 - if_no), share * if_no])
    assert is_rate(correlated(n, apart, channel), 0.05)


@pytest.mark.parametrize("channel", [CLEAR, Channel.warner_of_epsilon(4), Channel.warner_of_epsilon(8)])
@pytest.mark.parametrize(("share", "if_yes", "if_no"), [(1e-4, 1, 0), (0.02, 0.5, 0.02), (0.5, 0.01, 0)])
def test_an_association_of_rare_answers_takes_as_many_as_the_approximation_does(
    share: float, if_yes: float, if_no: float, channel: Channel
) -> None:
    """Of as many as the normal distribution alone asks for, 2 in one case, a third or none would be found."""
    planned = AssociationTest(channel, share, if_yes, if_no)
    n = respondents_for_power(planned, 0.8)
    assert n == planned.least_n() or power_at(planned, n - 1) < 0.8
    assert (n * planned.reports()[planned.reports() > 0]).min() >= LEAST_EXPECTED
    no = 1 - share
    shares = np.array([no * (1 - if_no), no * if_no, share * (1 - if_yes), share * if_yes])
    assert is_rate(correlated(n, shares, channel), power_at(planned, n))


@pytest.mark.parametrize(
    ("planned", "n"),
    [
        (TrendTest(CLEAR, 0, 1, 3), 7),  # half of the reports are of each kind
        (TrendTest(CLEAR, 0.9, 1, 4), 50),
        (ChangeTest(CLEAR, 0.25, 0.75, "same"), 10),
        (ChangeTest(CLEAR, 0, 0.1, "anew"), 100),
        (ChangeTest(CLEAR, 0, 0.1), 2),
        (AssociationTest(CLEAR, 0.5, 1, 0), 20),
        (RegressionTest(CLEAR, 0.5, math.log(9), 0.5), 223),  # 10 / (.5 .1 .9), in doubles
    ],
)
def test_powers_are_planned_with_from_ten_reports_of_the_rarest_kind_on(planned: PlannedTest, n: int) -> None:
    assert planned.least_n() == n


def test_a_share_too_rare_for_the_approximation_is_refused() -> None:
    with pytest.raises(DomainError, match=r"the share is too small: among 10\^9 respondents fewer than 10 such"):
        respondents_for_power(ChangeTest(CLEAR, 0, 1e-12, "same"), 0.8)


@pytest.mark.parametrize(("epsilon", "n"), [(None, 152), (0.5, 3099), (1, 845), (2, 288), (4, 166)])
def test_a_slope_of_1_takes_the_respondents_that_were_worked_out_without_this_program(
    epsilon: float | None, n: int
) -> None:
    channel = CLEAR if epsilon is None else Channel.warner_of_epsilon(epsilon)
    assert respondents_for_power(RegressionTest(channel, float(special.expit(-1.2)), 1.0, 0.5), 0.8) == n


@pytest.mark.parametrize("channel", [CLEAR, ONE, UNEVEN])
def test_a_slope_is_found_as_often_as_planned_or_a_little_more(channel: Channel) -> None:
    """Of two groups the likeliest slope is the difference of the shares' log odds; outside 0 to 1 nothing is found."""
    planned = RegressionTest(channel, 0.25, 1.0, 0.5)
    n = respondents_for_power(planned, 0.8) // 2
    rng = np.random.default_rng(8)
    variance, odds = np.zeros(N_RUNS), []
    for answer in (0.25, float(special.expit(special.logit(0.25) + 1))):
        reported = rng.binomial(n, channel.reported_share(answer), N_RUNS) / n
        share = np.clip((reported - channel.prob_support_if_other) / channel.contrast, 1e-9, 1 - 1e-9)
        odds.append(special.logit(share))
        variance += reported * (1 - reported) / n / (channel.contrast * share * (1 - share)) ** 2
    found = np.abs(odds[1] - odds[0]) / np.sqrt(variance) >= 1.959964
    assert power_at(planned, 2 * n) - 0.01 < found.mean() < power_at(planned, 2 * n) + 0.05


def test_a_normal_covariate_is_integrated() -> None:
    """The information, added up over a fine grid of the covariate."""
    planned = RegressionTest(UNEVEN, 0.3, -0.8, None)
    x = np.linspace(-10, 10, 200_001)
    share = special.expit(special.logit(0.3) - 0.8 * x)
    reported = UNEVEN.prob_support_if_other + UNEVEN.contrast * share
    weight = (
        stats.norm.pdf(x) * (UNEVEN.contrast * share * (1 - share)) ** 2 / (reported * (1 - reported)) * (x[1] - x[0])
    )
    information = np.array([[weight.sum(), weight @ x], [weight @ x, weight @ x**2]])
    assert planned.slope_variance() == pytest.approx(np.linalg.inv(information)[1, 1], rel=1e-6)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ChangeTest(ONE, 0.1, 0.1), r"later_share \(0.1\) must differ from share \(0.1\)\."),
        (lambda: ChangeTest(ONE, 0.1, 0.2, "all"), r"people \('all'\) must be one of other, same, anew\."),  # type: ignore[arg-type]
        (lambda: TrendTest(ONE, 0.1, 0.2, 1), r"n_waves \(1\) must be 3 or more"),
        (lambda: TrendTest(ONE, 0.1, 0.1, 3), r"last_share \(0.1\) must differ from share \(0.1\)\."),
        (lambda: AssociationTest(ONE, 0.0, 0.1, 0.2), r"share \(0.0\) must be in \(0, 1\)\."),
        (lambda: AssociationTest(ONE, 0.5, 0.1, 0.1), r"share_if_no \(0.1\) must differ from share_if_yes\."),
        (lambda: AssociationTest(ONE, 0.5, 0.1, 0.2, Errors(0.05, 1)), r"n_sides \(1\) must be 2"),
        (lambda: RegressionTest(ONE, 1.0, 1), r"share \(1.0\) must be in \(0, 1\)\."),
        (lambda: RegressionTest(ONE, 0.5, 0), r"slope \(0\) must be in \[-20, 20\], and not 0\."),
        (lambda: RegressionTest(ONE, 0.5, math.nan), r"slope \(nan\) must be in"),
        (lambda: RegressionTest(ONE, 0.5, 1, 1.0), r"covariate_share \(1.0\) must be in \(0, 1\)\."),
    ],
)
def test_an_impossible_test_is_refused_by_name_and_domain(make, message: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(DomainError, match=message):
        make()
