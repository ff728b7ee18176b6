"""Intervals about a population of N people, of whom n respond: between the two targets, and by enumeration."""

import csv
import io
import json
from decimal import Decimal
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from numpy.typing import NDArray
from scipy import stats

from published import survey_of
from sotto_client.cli import main
from sotto_estimator.channel.channel import Channel, errors_of
from sotto_estimator.errors import DomainError
from sotto_estimator.intervals.intervals import IntervalOptions, confidence_interval
from sotto_estimator.intervals.methods import METHODS
from sotto_estimator.intervals.without_replacement import MOST_EXACT, hypergeometric
from sotto_estimator.shares.estimates import Estimate
from sotto_estimator.shares.of_tally import estimate_counts, estimate_tally
from sotto_protocol import Coins, Tally, hmac_bytes

AGE = {"type": "number", "minimum": 0, "maximum": 10, "step": 1, "epsilon": Decimal(1)}
KNOWING = [name for name, method in METHODS.items() if method.finite]
CHANNELS = (Channel(0.75, 0.25), Channel(0.5, 0.05), Channel(1, 0.3), Channel(1, 0))
SIZES = ((1, 3), (5, 5), (9, 12), (12, 60), (30, 45))


@cache
def pmf_of_people(n_true: int, n: int, channel: Channel) -> NDArray[np.float64]:
    of_true = stats.binom.pmf(np.arange(n_true + 1), n_true, channel.prob_support_if_true)
    of_other = stats.binom.pmf(np.arange(n - n_true + 1), n - n_true, channel.prob_support_if_other)
    return np.asarray(np.convolve(of_true, of_other))


def pmf_of_count(people: int, n: int, population_size: int, channel: Channel) -> NDArray[np.float64]:
    """Return the distribution of the support count where so many of the population have the value."""
    drawn = stats.hypergeom.pmf(np.arange(n + 1), population_size, people, n)
    return np.asarray(sum(drawn[k] * pmf_of_people(k, n, channel) for k in range(n + 1)))


@pytest.mark.few(3)
@pytest.mark.parametrize("channel", CHANNELS)
@pytest.mark.parametrize("method", KNOWING)
def test_intervals_hold_for_every_population(method: str, channel: Channel) -> None:
    """By enumeration of all counts, for all numbers of people who have the value."""
    for n, population_size in SIZES:
        for level in (0.5, 0.8, 0.95):
            low, high = confidence_interval(
                np.arange(n + 1), n, channel, level=level, method=method, population_size=population_size
            )
            for people in range(population_size + 1):
                share = people / population_size
                inside = (low <= share + 1e-12) & (share - 1e-12 <= high)
                covered = pmf_of_count(people, n, population_size, channel)[inside].sum()
                assert covered >= level - 1e-12, (n, population_size, level, people)


def test_the_same_enumeration_finds_the_respondents_interval_too_narrow() -> None:
    n, population_size, level = 30, 120, 0.8
    low, high = confidence_interval(
        np.arange(n + 1), n, Channel(1, 0), level=level, method="clopper-pearson", target="respondents"
    )
    covered = [
        pmf_of_count(people, n, population_size, Channel(1, 0))[
            (low <= people / population_size) & (people / population_size <= high)
        ].sum()
        for people in range(population_size + 1)
    ]
    assert min(covered) < level


@pytest.mark.few(2, "rare")
@pytest.mark.parametrize("channel", CHANNELS)
def test_exact_ends_are_the_first_people_whom_no_tail_refutes(channel: Channel) -> None:
    for n, population_size in ((9, 12), (12, 60), (30, 45), (20, 600)):
        pmfs = np.array([pmf_of_count(m, n, population_size, channel) for m in range(population_size + 1)])
        below, above = pmfs.cumsum(1), pmfs[:, ::-1].cumsum(1)[:, ::-1]
        low, high = confidence_interval(
            np.arange(n + 1), n, channel, level=0.9, method="clopper-pearson", population_size=population_size
        )
        for s in range(n + 1):
            if below[0, s] > 0.05 and above[-1, s] > 0.05:  # a count that the design can give
                ends = np.flatnonzero(above[:, s] > 0.05).min(), np.flatnonzero(below[:, s] > 0.05).max()
                assert (low[s] * population_size, high[s] * population_size) == pytest.approx(ends)


@pytest.mark.parametrize("size", [6, 9, None])
@pytest.mark.parametrize("channel", [*CHANNELS[:2], Channel(0.6, 0.4), Channel(0.99, 0.01), Channel(1, 0)])
def test_an_interval_may_be_a_point_and_there_is_none_where_every_number_is_refuted(
    channel: Channel, size: int | None
) -> None:
    """By enumeration; `size` None: about the 6 respondents."""
    n, of = 6, size or 6
    options = IntervalOptions(
        0.8, "clopper-pearson", target="population" if size else "respondents", population_size=size
    )
    for count in range(n + 1):
        estimates = estimate_counts(count, n, channel, options)
        (row,) = estimates.rows
        pmfs = [pmf_of_count(people, n, of, channel) for people in range(of + 1)]
        kept = [at for at, pmf in enumerate(pmfs) if min(pmf[count:].sum(), pmf[: count + 1].sum()) > 0.1 * (1 + 1e-6)]
        assert isinstance(row, Estimate) or not kept
        if not isinstance(row, Estimate):
            continue
        assert estimates.has_interval(row) == bool(kept), count
        assert not kept or (row.low, row.high) == pytest.approx((kept[0] / of, kept[-1] / of)), count


POINTS = {
    "a share": ("--yes", "2", "--n", "3", "--warner", ".99999", "--population-size", "3"),
    "all": ("--yes", "300", "--n", "300", "--warner", ".99", "--population-size", "300"),
    "no noise": ("--yes", "1", "--n", "1", "--design", "direct", "--allow-conclusive", "--population-size", "1"),
}


@pytest.mark.parametrize("of", POINTS)
def test_the_point_of_a_population_is_printed(of: str) -> None:
    result = CliRunner().invoke(main, ["estimate", *POINTS[of], "--json"])
    (row,) = json.loads(result.stdout)["estimates"]
    assert row["low"] == row["high"] == pytest.approx(2 / 3 if of == "a share" else 1)
    assert "none" not in CliRunner().invoke(main, ["estimate", *POINTS[of]]).stdout


@pytest.mark.parametrize("about", [("--target", "respondents"), ("--population-size", "10")])
def test_an_interval_that_refutes_everybody_is_none(about: tuple[str, ...]) -> None:
    """10 of 10 where each says so with .6: P is .006, too much for a warning, too little for an interval at 95 %."""
    result = CliRunner().invoke(main, ["estimate", "--yes", "10", "--n", "10", "--warner", ".6", *about])
    assert "none  none" in result.stdout


@pytest.mark.parametrize("method", KNOWING)
def test_it_lies_between_the_two_targets_and_reaches_both(method: str) -> None:
    n, channel, counts = 200, Channel(0.7, 0.2), np.array([30, 41, 90, 120, 150])
    population = np.array(confidence_interval(counts, n, channel, method=method))
    respondents = np.array(confidence_interval(counts, n, channel, method=method, target="respondents"))
    sizes = (n, 210, 300, 1000, 10**5, 10**12)
    ends = [np.array(confidence_interval(counts, n, channel, method=method, population_size=size)) for size in sizes]
    assert ends[0] == pytest.approx(respondents, abs=1e-9)
    assert ends[-1] == pytest.approx(population, abs=1e-5)
    for narrow, wide, size in zip(ends[:-1], ends[1:], sizes[:-1], strict=True):
        assert (wide[0] <= narrow[0] + 1 / size).all()
        assert (wide[1] >= narrow[1] - 1 / size).all()


def test_chernoffs_bound_knows_the_finite_population_at_any_size() -> None:
    n, channel = 10**9, Channel(0.75, 0.25)
    widths = [
        float(np.diff(confidence_interval(4 * 10**8, n, channel, population_size=size))[0])
        for size in (n, 2 * n, 10 * n, 1000 * n)
    ]
    whole = float(np.diff(confidence_interval(4 * 10**8, n, channel))[0])
    assert widths == sorted(widths)
    variances = [widths[0] ** 2 + (whole**2 - widths[0] ** 2) * (1 - 1 / ratio) for ratio in (1, 2, 10, 1000)]
    assert widths == pytest.approx(np.sqrt(variances), rel=1e-3)


def test_hypergeometric_probabilities_keep_their_digits() -> None:
    fewest, found = hypergeometric(300, 400, 1000)
    assert found == pytest.approx(stats.hypergeom.pmf(np.arange(fewest, fewest + found.size), 1000, 300, 400), rel=1e-9)
    _, huge = hypergeometric(3 * 10**11, 1000, 10**12)
    assert huge == pytest.approx(stats.binom.pmf(np.arange(1001), 1000, 0.3), rel=1e-5, abs=1e-12)


def test_standard_errors_are_those_of_a_sample_without_replacement() -> None:
    n, population_size, people, channel = 12, 60, 21, Channel(0.7, 0.2)
    pmf, counts = pmf_of_count(people, n, population_size, channel), np.arange(n + 1)
    deviation = np.sqrt((pmf * counts**2).sum() - (pmf * counts).sum() ** 2)
    found = errors_of(people / population_size, n, channel, "population", population_size=population_size)
    assert found == pytest.approx(deviation / n / channel.contrast)


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"population_size": 99}, r"population_size \(99\) must be at least the number of respondents, n \(100\)"),
        ({"method": "wilson"}, r"method \('wilson'\) must be one of chernoff, hoeffding, clopper-pearson"),
        ({"target": "respondents"}, r"target \('respondents'\) must be 'population'"),
        ({"n_waves": 2}, r"population_size \(500\) must not be given where several waves are pooled"),
        (
            {"n": MOST_EXACT + 1, "population_size": 10**6, "method": "clopper-pearson"},
            r"n \(100,001\) must be at most",
        ),
    ],
)
def test_what_no_interval_is_known_for_is_refused(given: dict[str, object], problem: str) -> None:
    asked = {"n": 100, "population_size": 500} | given
    with pytest.raises(DomainError, match=problem):
        confidence_interval(30, channel=Channel(0.75, 0.25), **asked)  # type: ignore[arg-type]


def test_numbers_have_no_interval_of_a_finite_population() -> None:
    survey = survey_of(AGE)
    tally = Tally.of(survey, survey.perturb({"q0": [3] * 9}, Coins(hmac_bytes(bytes(32), b"n"))))
    with pytest.raises(DomainError, match="population_size goes with shares, and question q0 asks for a number"):
        estimate_tally(tally, IntervalOptions(population_size=50))


def test_the_command_says_the_population_in_every_form() -> None:
    def run(*more: str) -> str:
        words = ["estimate", "--yes", "120", "--n", "400", "--warner", "3/4", "--population-size", "500", *more]
        result = CliRunner().invoke(main, words)
        assert result.exit_code == 0, result.output
        return result.stdout

    row = json.loads(run("--json"))["estimates"][0]
    low, high = confidence_interval(120, 400, Channel.warner(0.75), population_size=500)
    assert (row["low"], row["high"]) == pytest.approx((low, high))
    assert json.loads(run("--json"))["population_size"] == 500
    assert next(csv.DictReader(io.StringIO(run("--csv"))))["population_size"] == "500"
    assert "about the population of 500 people, each valid on its own" in run()
    few = CliRunner().invoke(main, ["estimate", "--yes", "1", "--n", "9", "--warner", ".6", "--population-size", "8"])
    assert (few.exit_code, few.stderr.count("\n")) == (1, 1)
    assert "must be at least the number of respondents" in few.stderr


def test_a_csv_of_a_simple_sample_is_of_the_population_and_its_groups_approximately(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("cheated,region\n" + "same,north\n" * 40 + "different,south\n" * 60)
    words = ["estimate", str(path), "--column", "cheated", "--design", "crosswise", "--prob", "1/6", "--json"]
    found = CliRunner().invoke(main, [*words, "--population-size", "120"])
    assert found.exit_code == 0, found.output
    row = json.loads(found.stdout)["estimates"][0]
    ends = confidence_interval(60, 100, Channel(5 / 6, 1 / 6), population_size=120)
    assert (1 - row["high"], 1 - row["low"]) == pytest.approx(ends) or (row["low"], row["high"]) == pytest.approx(ends)
    of_groups = CliRunner().invoke(main, [*words, "--by", "region", "--population-size", "120"])
    assert {one["interval"] for one in json.loads(of_groups.stdout)["groups"]} == {"approximate"}
