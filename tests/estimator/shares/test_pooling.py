"""Pooled strata: held against integrals by another way, and against crowds whose true shares are known."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import product
from math import e

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.integrate import trapezoid
from scipy.stats import norm

from sotto_client.cli import main
from sotto_estimator import Channel, IntervalOptions, estimate
from sotto_estimator.channel.channel import Floats
from sotto_estimator.errors import SourceError
from sotto_estimator.intervals.pooled_groups import pool
from sotto_estimator.numbers.counts import NumberCounts
from sotto_estimator.numbers.mean import mean_errors_if_alike
from sotto_estimator.shares.by_group import SideBySide, estimate_strata
from sotto_estimator.shares.errors_if_alike import share_errors_if_alike
from sotto_estimator.shares.pooling import PooledFigure
from sotto_estimator.shares.share_counts import share_counts
from sotto_protocol import Survey, Tally, compile_toml
from strata_surveys import strata_toml

HOURS_ASKED = """[[questions]]
id = "hours"
type = "number"
text = "How many hours?"
minimum = 0
maximum = 40
unit = "hours"
epsilon = 1
"""
TEAMS = compile_toml(strata_toml("teams", "abcd", HOURS_ASKED))
PAID = replace(TEAMS, questions=TEAMS.questions[:1])
HOURS = replace(TEAMS, questions=TEAMS.questions[1:])
TRUE, OTHER = e / (1 + e), 1 / (1 + e)
N_STEPS = 400


def tallies_of(survey: Survey, counts: Sequence[tuple[int, int]]) -> dict[str, Tally]:
    """Return tallies of strata by (supporting, all) reports."""
    (question,) = survey.questions
    return {
        name: Tally(survey, {1: n}, {question.id: np.array([yes])})
        for name, (yes, n) in zip("abcd", counts, strict=False)
        if n
    }


def pooled_of(survey: Survey, counts: Sequence[tuple[int, int]]) -> tuple[SideBySide, tuple[PooledFigure, ...]]:
    found = estimate_strata(tallies_of(survey, counts), IntervalOptions(), 4, pooled=True)
    assert found is not None
    assert found.pooled is not None
    return found, found.pooled


def integrated(values: Floats, errors: Floats, at: Floats) -> tuple[Floats, Floats]:
    """Return the posterior means with a flat root of the variance, and P(true value <= at) with a flat variance.

    By sums over the mean and the deviation, both on even grids, and of the strata's joint density itself.
    """
    deviations = np.linspace(0, 0.5, N_STEPS + 1)[:, None, None]
    means = np.linspace(-3, 4, 4 * N_STEPS + 1)[:, None]
    densities = norm.pdf(values, means, np.hypot(errors, deviations)).prod(axis=2)
    spreads = errors * deviations / np.hypot(errors, deviations)
    centres = means + (values - means) * (deviations / np.hypot(errors, deviations)) ** 2

    def expected(of: Floats, weights: Floats) -> Floats:
        return np.array([trapezoid(trapezoid(of[..., at] * weights)) for at in range(len(values))]) / trapezoid(
            trapezoid(weights)
        )

    below = norm.cdf(at, centres, np.maximum(spreads, 1e-9))
    return expected(centres, densities), expected(below, densities * deviations[..., 0])


def test_estimates_and_intervals_are_those_of_integrals_over_the_mean_and_the_variance() -> None:
    values, errors = np.array([0.1, 0.45, 0.3, 0.9]), np.array([0.25, 0.1, 0.15, 0.3])
    found = pool(values, errors, 0.9)
    estimates, below_low = integrated(values, errors, found.low)
    _, below_high = integrated(values, errors, found.high)
    assert found.values == pytest.approx(estimates, abs=1e-3)
    assert below_low == pytest.approx(np.full(4, 0.05), abs=1e-3)
    assert below_high == pytest.approx(np.full(4, 0.95), abs=1e-3)


def test_the_error_of_a_stratum_is_that_of_the_mean_share_and_not_of_its_own() -> None:
    (question,) = PAID.questions
    one, other = (
        [share_counts(tally, question)[0] for tally in tallies_of(PAID, listed).values()]
        for listed in ([(5, 10), (20, 40)], [(3, 10), (28, 40)])
    )
    found = share_errors_if_alike(one, "population")["yes"]
    expected = [
        np.sqrt(reported * (1 - reported) / n) / (TRUE - OTHER) for n, reported in ((10, 7 / 14), (40, 22 / 44))
    ]
    assert found == pytest.approx(expected)
    assert share_errors_if_alike(other, "population")["yes"] == pytest.approx(found)


def test_the_error_of_a_mean_is_that_of_the_mean_of_all_histograms() -> None:
    (question,) = HOURS.questions
    histograms = np.random.default_rng(3).multinomial([10, 40, 90], np.full(43, 1 / 43))
    tallies = [Tally(HOURS, {1: int(one.sum())}, {"hours": one}) for one in histograms]
    counts = [NumberCounts.of(tally, question) for tally in tallies]
    channel = counts[0].channel
    hours = 40 * (np.array(channel.scores, float) - float(channel.offset)) / float(channel.slope)
    shares = (histograms / histograms.sum(axis=1, keepdims=True)).mean(axis=0)
    deviation = np.sqrt(shares @ hours**2 - (shares @ hours) ** 2)
    found = mean_errors_if_alike(counts, "population")["mean"]
    assert found == pytest.approx(deviation / np.sqrt([10, 40, 90]))


def test_means_are_pooled_in_their_unit() -> None:
    histograms = np.random.default_rng(3).multinomial([15, 40, 90, 200], np.full(43, 1 / 43))
    tallies = {
        name: Tally(HOURS, {1: int(of.sum())}, {"hours": of}) for name, of in zip("abcd", histograms, strict=True)
    }
    side = estimate_strata(tallies, IntervalOptions(), 4, pooled=True)
    assert side is not None
    (figure,) = side.pooled or ()
    own = np.array([one.means[0].value for one in side.estimates], float)
    errors = mean_errors_if_alike([NumberCounts.of(of, HOURS.questions[0]) for of in tallies.values()], "population")
    expected = pool(own / 40, errors["mean"] / 40, 0.95)
    assert (figure.unit, figure.answer) == ("hours", "mean")
    assert [one.figure.mean for one in figure.strata] == pytest.approx(40 * expected.values)
    assert [one.figure.low for one in figure.strata] == pytest.approx((40 * expected.low).clip(0, 40))


def test_intervals_without_pooling_stay_as_they_are() -> None:
    tallies = tallies_of(PAID, [(8, 15), (20, 30), (10, 30), (60, 150)])
    found, without = (estimate_strata(tallies, IntervalOptions(), 4, pooled=pooled) for pooled in (True, False))
    assert found is not None
    assert replace(found, pooled=None) == without


def test_a_stratum_without_reports_or_with_a_void_question_is_not_pooled() -> None:
    found, (figure,) = pooled_of(PAID, [(8, 15), (20, 30), (10, 30), (0, 0)])
    assert [one.stratum for one in figure.strata] == ["a", "b", "c"]
    found, (figure,) = pooled_of(PAID, [(8, 15), (20, 30), (10, 30), (400, 400)])
    assert [one.stratum for one in figure.strata] == ["a", "b", "c"]
    assert pooled_of(PAID, [(8, 15), (20, 30), (10, 30)])[1] == (figure,)
    assert found.records()[-1]["pooled_value"] is None


def test_of_two_strata_nothing_is_pooled_and_that_is_said() -> None:
    found, pooled = pooled_of(PAID, [(8, 15), (20, 30)])
    assert pooled == ()
    assert "not pooled, because fewer than 3 strata have results: paid, yes" in found.as_table()


def test_every_form_has_the_pooled_figures_beside_the_others() -> None:
    found, (figure,) = pooled_of(PAID, [(8, 15), (20, 30), (10, 30), (60, 150)])
    first = figure.strata[0]
    text = found.as_table()
    assert f"{100 * first.figure.value:.2f} %" in text
    titles = (
        "each stratum alone, of its own reports:\n",
        "95 % intervals by the Chernoff",
        "strata pooled, approximate:\n",
    )
    assert sorted(titles, key=text.index) == [*titles], "what is guaranteed stands first"
    assert found.to_dict()["pooled"][0]["strata"][0]["high"] == first.figure.high
    assert found.records()[0]["pooled_own_weight"] == first.own_weight
    assert [row["share"] for row in found.records()] == [one.rows[0].share for one in found.estimates]
    assert len(found.panels()[1]) == 2


def test_pooled_goes_with_strata_alone() -> None:
    tally = tallies_of(PAID, [(8, 15)])["a"]
    with pytest.raises(SourceError, match="pooled goes with by='stratum'"):
        estimate(tally, by="region", pooled=True)
    result = CliRunner().invoke(main, ["estimate", "teams.json", "--pooled"])
    assert (result.exit_code, result.stderr.splitlines()[-1]) == (2, "Error: --pooled goes with --by-stratum.")


@cache
def crowd(epsilon: float, n: int, deviation: float, *, n_strata: int, n_runs: int, mean: float = 0.35) -> list[float]:
    """Return the error of pooled shares as a part of that of the others, and how many intervals have the truth.

    The crowd of the bars is of 20 strata whose true shares vary by 8 points around 35 %.
    """
    draw = np.random.default_rng(int(1000 * epsilon) + n)
    true = 1 / (1 + np.exp(-epsilon))
    channel = Channel(true, 1 - true)
    squares, n_right = np.zeros(2), 0
    for _ in range(n_runs):
        shares = draw.normal(mean, deviation, n_strata).clip(0, 1)
        counts = draw.binomial(n, channel.reported_share(shares))  # type: ignore[arg-type]  # of each
        reported = (counts.mean() / n).clip(1 - true, true)
        reported = (n * reported + 2) / (n + 4)
        own = (counts / n - 1 + true) / channel.contrast
        errors = np.full(n_strata, np.sqrt(reported * (1 - reported) / n) / channel.contrast)
        found = pool(own, errors, 0.95)
        squares += ((own - shares) ** 2).sum(), ((found.values - shares) ** 2).sum()
        n_right += ((found.low.clip(0, 1) <= shares) & (shares <= found.high.clip(0, 1))).sum()
    return [*np.sqrt([squares[0] / squares[1]]).tolist(), n_right / n_runs / n_strata]


@pytest.mark.rare
@pytest.mark.parametrize(("n", "least"), [(15, 2.2), (30, 2.0), (60, 1.7)])
def test_pooled_shares_of_small_strata_err_half_as_much(n: int, least: float) -> None:
    assert crowd(1, n, 0.08, n_strata=20, n_runs=100)[0] >= least


@pytest.mark.rare
def test_intervals_are_right_on_average_over_strata() -> None:
    """In each of 27 settings the figure has an error of up to .015."""
    settings = product((0.5, 1, 2), (15, 60, 240), (0, 0.08, 0.25))
    found = {of: crowd(*of, n_strata=10, n_runs=60)[1] for of in settings}
    assert min(found.values()) >= 0.92
    assert np.mean([*found.values()]) >= 0.96


@pytest.mark.rare
@pytest.mark.parametrize("mean", [0.0, 0.02, 0.98])
def test_intervals_of_shares_at_the_edge_are_right_too(mean: float) -> None:
    assert min(crowd(2, n, 0.04, n_strata=10, n_runs=100, mean=mean)[1] for n in (15, 60)) >= 0.94
