"""Counts that contradict the design are warned of; honest ones hardly ever, whatever people's answers are: exactly."""

import csv
import io
import itertools
import json
import math
import re
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result
from scipy import stats

from published import ANY_OF, ONE_OF, YES_NO, survey_of
from sotto_client.cli import main
from sotto_estimator import Channel, IntervalOptions, estimate_counts
from sotto_estimator.channel.devices import Devices
from sotto_estimator.intervals.contradiction import FALSE_ALARM, QuestionCounts, contradictions_of
from sotto_estimator.page.choices import Choices
from sotto_estimator.page.errors import NoSuchChartError
from sotto_estimator.page.release import Release
from sotto_estimator.page.results import find_results
from sotto_estimator.views.shares import cut_words
from sotto_estimator.views.waves import draw_waves, series_of
from sotto_protocol import Coins, Survey, Tally, hmac_bytes

CHANNELS = [
    Channel.warner(0.51),
    Channel.warner(0.6),
    Channel.warner(0.99),
    Channel.forced_response(0.45, 1 / 11),
    Channel(0.3, 0.1),
    Channel(0.5, 0),
    Channel(1, 0.4),
    Channel(1, 0),
]
BITS = [Channel(0.5, 0.25), Channel(0.75, 0.25), Channel(0.9, 0.6)]


def pmf_of(*groups: tuple[int, float]) -> list[Fraction]:
    """Return the distribution of so many coins of each probability, added one after another, exactly."""
    pmf = [Fraction(1)]
    for number, prob in groups:
        heads = Fraction(prob)
        for _ in range(number):
            stays, moves = [*(p * (1 - heads) for p in pmf), 0], [0, *(p * heads for p in pmf)]
            pmf = [Fraction(stay + move) for stay, move in zip(stays, moves, strict=True)]
    return pmf


@lru_cache(maxsize=1000)
def support(n: int, n_true: int, channel: Channel) -> list[Fraction]:
    return pmf_of((n_true, channel.prob_support_if_true), (n - n_true, channel.prob_support_if_other))


def is_warned(channel: Channel, n: int, count: int) -> bool:
    return bool(estimate_counts(count, n, channel).contradictions)


@pytest.mark.few(6, "rare")
@pytest.mark.parametrize(
    ("channel", "n"),
    [
        *((channel, n) for channel in CHANNELS for n in (1, 2, 7, 17)),
        *((channel, 40) for channel in CHANNELS[5:]),
        *(pytest.param(channel, 40, marks=pytest.mark.thorough) for channel in CHANNELS[:5]),
    ],
)
def test_honest_counts_give_a_false_alarm_once_in_a_thousand_at_most(channel: Channel, n: int) -> None:
    alarms = [count for count in range(n + 1) if is_warned(channel, n, count)]
    for n_true in range(n + 1):
        pmf = support(n, n_true, channel)
        assert sum(pmf[count] for count in alarms) <= Fraction(FALSE_ALARM)
    if n == 40 and channel.contrast < 1:  # and it is not silent: what is warned of is all that can be at either end
        for n_true, ends in ((n, [alarms[-1:], range(n, n + 1)]), (0, [alarms[:1], range(1)])):
            pmf = support(n, n_true, channel)
            possible = Fraction(FALSE_ALARM) / 2 >= sum(pmf[count] for count in ends[1])
            assert bool(set(ends[0]) & set(ends[1])) is possible


@pytest.mark.few(4, "rare")
@pytest.mark.parametrize("n", [7, 40])
@pytest.mark.parametrize("channel", CHANNELS)
def test_p_value_is_the_largest_probability_of_counts_as_extreme(channel: Channel, n: int) -> None:
    """Over all numbers of people with the value, of either tail; times two, for two tails are looked at."""
    pmfs = [support(n, true, channel) for true in (0, n // 2, n)]
    lower = [max(map(float, tails)) for tails in zip(*map(itertools.accumulate, pmfs), strict=True)]
    above = [max(map(float, tails)) for tails in zip(*(itertools.accumulate(pmf[::-1]) for pmf in pmfs), strict=True)]
    upper = above[::-1]
    for count in range(n + 1):
        for found in estimate_counts(count, n, channel).contradictions:
            exact = 2 * min(upper[count], lower[count])
            assert max(exact, 1e-300) <= found.p_value <= max(exact, 1e-300) * (1 + 1e-5)


@lru_cache
def joint_alarms(channel: Channel, n: int, n_bits: int, n_true: tuple[int, int]) -> list[tuple[int, ...]]:
    return [
        counts
        for counts in itertools.product(range(n + 1), repeat=n_bits)
        if contradictions_of([QuestionCounts("q", "abc"[:n_bits], counts, channel, n_true)], n)
    ]


@pytest.mark.few(3, "rare")
@pytest.mark.thorough
@pytest.mark.parametrize(("n", "n_bits"), [(1, 2), (6, 2), (25, 2), pytest.param(12, 3, marks=pytest.mark.rare)])
@pytest.mark.parametrize("channel", BITS)
def test_one_hot_reports_give_a_false_alarm_once_in_a_thousand_at_most(channel: Channel, n: int, n_bits: int) -> None:
    """Each report has one true bit, so the counts are independent given how many have which answer."""
    alarms = joint_alarms(channel, n, n_bits, (1, 1))
    pmfs = [np.array([float(p) for p in support(n, true, channel)]) for true in range(n + 1)]
    for answers in itertools.product(range(n + 1), repeat=n_bits):
        if sum(answers) == n:
            prob = sum(math.prod(pmfs[true][s] for true, s in zip(answers, counts, strict=True)) for counts in alarms)
            assert prob <= FALSE_ALARM


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("n", "n_bits", "most"), [(6, 2, 1), (25, 2, 1), (25, 2, 2), pytest.param(10, 3, 2, marks=pytest.mark.rare)]
)
@pytest.mark.parametrize("channel", BITS[1:])
def test_any_of_reports_give_a_false_alarm_once_in_a_thousand_at_most(
    channel: Channel, n: int, n_bits: int, most: int
) -> None:
    alarms = joint_alarms(channel, n, n_bits, (0, most))
    pmfs = [np.array([float(p) for p in support(n, true, channel)]) for true in range(n + 1)]
    for selected in itertools.product(range(n + 1), repeat=n_bits):
        if sum(selected) <= n * most:
            prob = sum(math.prod(pmfs[true][s] for true, s in zip(selected, counts, strict=True)) for counts in alarms)
            assert prob <= FALSE_ALARM


@pytest.mark.parametrize("prob_truth", [0.4, 0.6, 0.9])
def test_k_ary_reports_give_a_false_alarm_once_in_a_thousand_at_most(prob_truth: float) -> None:
    """Of three options, one of which a report names: the counts depend on each other, and are enumerated together."""
    n, channel = 20, Channel(prob_truth, (1 - prob_truth) / 2)

    def adds(counts: dict[tuple[int, int], float], answer: int) -> dict[tuple[int, int], float]:
        grown: dict[tuple[int, int], float] = {}
        for (first, second), prob in counts.items():
            for named, place in enumerate([(first + 1, second), (first, second + 1), (first, second)]):
                grown[place] = grown.get(place, 0) + prob * (
                    channel.prob_support_if_true if named == answer else channel.prob_support_if_other
                )
        return grown

    alarms = {
        (first, second)
        for first in range(n + 1)
        for second in range(n + 1 - first)
        if contradictions_of([QuestionCounts("q", "abc", (first, second, n - first - second), channel)], n)
    }
    for people in ([n, 0, 0], [0, 0, n], [n - 1, 1, 0], [10, 10, 0], [7, 7, 6], [15, 0, 5]):
        counts = {(0, 0): 1.0}
        for answer, number in enumerate(people):
            for _ in range(number):
                counts = adds(counts, answer)
        assert sum(prob for place, prob in counts.items() if place in alarms) <= FALSE_ALARM


def test_sum_of_one_hot_bits_has_the_tails_of_a_convolution() -> None:
    """2,000 reports of 4 options, each option for itself possible, together too few: SciPy's binomials, convolved."""
    n, k, channel = 2000, 4, Channel(0.5, 0.25)
    for count in (560, 570):
        ones = np.arange(n + 1)
        exact = float(stats.binom.pmf(ones, n, 0.5) @ stats.binom.cdf(k * count - ones, 3 * n, 0.25))
        (found,) = contradictions_of([QuestionCounts("q", "abcd", [count] * k, channel, (1, 1))], n)
        assert found.answer is None
        assert (found.support_count, found.limit_count) == (k * count, n * 1.25)
        assert found.p_value == pytest.approx(10 * exact, rel=1e-4)
    assert contradictions_of([QuestionCounts("q", "abcd", [620] * k, channel, (1, 1))], n) == ()
    assert contradictions_of([QuestionCounts("q", "abcd", [570] * k, channel)], n) == ()


def test_other_questions_make_a_warning_rarer() -> None:
    """Where a thousand counts are looked at, one of them is far out by chance."""
    n, channel = 1000, Channel(0.75, 0.25)
    count = int(stats.binom.isf(1e-4, n, 0.75)) + 1
    far, usual = QuestionCounts("far", ["yes"], [count], channel), QuestionCounts("usual", ["yes"], [500], channel)
    assert [found.question for found in contradictions_of([far, usual], n)] == ["far"]
    assert contradictions_of([far, *[usual] * 999], n) == ()


def test_pooled_waves_allow_for_devices_that_send_the_same_each_time() -> None:
    """The worst: a device's reports of five waves are all equal, so five times a count of one wave is as likely."""
    n, channel = 200, Channel(0.75, 0.25)
    for count in range(n + 1):
        of_one = 2 * float(stats.binom.sf(count - 1, n, 0.75))
        pooled = contradictions_of([QuestionCounts("q", ["yes"], [5 * count], channel)], 5 * n, Devices.alike(5 * n, 5))
        if pooled and count > n / 2:
            assert of_one <= pooled[0].p_value
    assert contradictions_of([QuestionCounts("q", ["yes"], [5 * 198], channel)], 5 * n, Devices.alike(5 * n, 5))
    assert contradictions_of([QuestionCounts("q", ["yes"], [165 * 5], channel)], 5 * n)  # as of one wave
    assert not contradictions_of([QuestionCounts("q", ["yes"], [165 * 5], channel)], 5 * n, Devices.alike(5 * n, 5))


@pytest.mark.parametrize("n", [10**9, 10**12])
def test_large_counts_keep_their_tails(n: int) -> None:
    channel = Channel.warner(0.75)
    sd = math.sqrt(n * 0.75 * 0.25)
    for z in (0.0, 3.0, 3.6, 4.2, 8.0, 30.0):
        found = estimate_counts(round(0.75 * n + z * sd), n, channel).contradictions
        p = 2 * float(stats.norm.sf(z))
        assert bool(found) is (p < FALSE_ALARM)
        if found:
            assert found[0].p_value == pytest.approx(max(p, 1e-300), rel=0.05 if z < 10 else 0.5)


SURVEY = survey_of(YES_NO, ONE_OF | {"mechanism": "oue", "options": ["a", "b", "c", "d"]}, ANY_OF)


def honest(n: int, survey: Survey = SURVEY) -> Tally:
    people = np.arange(n)
    answers = {"q0": people % 2, "q1": people % 4, "q2": people[:, None] // 2 ** np.arange(9) % 2}
    return Tally.of(survey, survey.perturb(answers, Coins(hmac_bytes(bytes(32), b"honest"))))


ZEROS = replace(honest(3000), support_counts={**honest(3000).support_counts, "q1": np.zeros(4, np.int64)})


def sotto(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


@pytest.mark.parametrize(
    ("arguments", "limit"),
    [
        ("--yes 1999 --n 2000 --warner .6", "1,999 of 2,000 reports say yes. At most 1,200 are expected"),
        ("--yes 5 --n 2000 --truth 9/20 --forced-yes 1/11", "5 of 2,000 reports say yes. At least 100 are expected"),
        (
            "--yes 2000 --n 2000 --warner .4",
            "0 of 2,000 reports say no, which here points to yes. At least 800 are expected",
        ),
        (
            "--yes 20 --n 2000 --design crosswise --prob 1/6",
            "1,980 of 2,000 reports say different, which here points to yes. At most 1,666.7 are expected",
        ),
    ],
)
def test_counts_on_paper_that_nobody_can_have_are_warned_of_in_every_form(arguments: str, limit: str) -> None:
    words = ["estimate", *arguments.split()]
    for style in ((), ("--json",), ("--csv",)):
        result = sotto(*words, *style)
        assert result.exit_code == 0
        assert result.stderr.startswith(f"Warning: {limit}")
        assert "people did not follow it" in result.stderr
    table = sotto(*words).stdout
    assert "the counts contradict the design (P " in table
    assert re.search(r" +- +- +- +- +- +-\n", table)
    assert " % " not in table.partition("share")[2]
    (found,) = json.loads(sotto(*words, "--json").stdout)["contradictions"]
    (row,) = csv.DictReader(io.StringIO(sotto(*words, "--csv").stdout))
    assert float(row["contradiction_p_value"]) == found["p_value"] < 1e-30
    (of,) = json.loads(sotto(*words, "--json").stdout)["estimates"]
    assert (of["share"], of["low"], of["high"]) == (None, None, None)
    assert row["share"] == row["low"] == row["high"] == ""
    assert found["answer"] == "yes"


def test_counts_that_fit_are_not_warned_of(tmp_path: Path) -> None:
    (tmp_path / "tally.json").write_bytes(honest(3000).to_json())
    for words in (["--yes", "831", "--n", "2435", "--truth", "2/3"], [tmp_path / "tally.json"]):
        assert sotto("estimate", *words).stderr == ""
        assert json.loads(sotto("estimate", *words, "--json").stdout)["contradictions"] == []
        rows = csv.DictReader(io.StringIO(sotto("estimate", *words, "--csv").stdout))
        assert {row["contradiction_p_value"] for row in rows} == {""}


def test_reports_of_zeros_alone_are_warned_of_with_their_question(tmp_path: Path) -> None:
    (tmp_path / "tally.json").write_bytes(ZEROS.to_json())
    result = sotto("estimate", tmp_path / "tally.json")
    (warning,) = result.stderr.splitlines()
    assert re.match("Warning: q1: [0-9,]+ of 3,000 reports point to ", warning)
    rows = csv.DictReader(io.StringIO(sotto("estimate", tmp_path / "tally.json", "--csv").stdout))
    assert {row["question"] for row in rows if row["contradiction_p_value"]} == {"q1"}


def test_results_page_and_its_charts_say_it() -> None:
    results = find_results(Release(SURVEY, True, {1: ZEROS}), Choices())
    (void,) = [section for section in results.questions if section.verdict.is_void]
    assert any(re.match("q1: [0-9,]+ of 3,000 reports point to ", line) for line in void.technical)
    assert not void.shows
    assert [section.question.id for section in results.questions if not section.charts] == ["q1"]
    with pytest.raises(NoSuchChartError, match="nor have counts that contradict the design"):
        results.require_chart("q1", "shares")
    well = find_results(Release(SURVEY, True, {1: honest(3000)}), Choices())
    assert not any(section.verdict.is_void for section in well.questions)


def test_plot_says_it() -> None:
    title, panels = estimate_counts(1999, 2000, Channel.warner(0.6)).panels()
    assert "the counts contradict the design" in title
    assert panels == []


@pytest.mark.parametrize(("warner", "n_yes"), [("1/6", 1640), ("5/6", 360), (".4", 1100), ("0", 1500)])
def test_spinner_that_lies_more_often_than_not_is_read(warner: str, n_yes: int) -> None:
    """share = (yes / n - (1 - p)) / (2 p - 1), for any p but 1/2 (Warner 1965)."""
    result = sotto("estimate", "--yes", n_yes, "--n", 2000, "--warner", warner, "--json", "--allow-conclusive")
    (row,) = json.loads(result.stdout)["estimates"]
    p = float(Fraction(warner))
    assert row["share"] == pytest.approx((n_yes / 2000 - (1 - p)) / (2 * p - 1), abs=1e-12)
    mirror = estimate_counts(2000 - n_yes, 2000, Channel.warner(1 - p)) if p < 0.5 else None
    if mirror:
        (other,) = mirror.rows
        assert (row["low"], row["high"]) == pytest.approx((other.low, other.high))


def test_interval_that_holds_no_share_is_none_but_of_the_respondents() -> None:
    """Of a population no interval is a point; of respondents one may be: nobody."""
    cut = estimate_counts(355, 1000, Channel.warner(0.6))
    assert cut.contradictions == ()
    assert (cut.rows[0].low, cut.rows[0].high) == (0, 0)
    assert not cut.has_interval(cut.rows[0])
    assert "fit no share from 0 to 100 %" in cut_words(cut)[0]
    respondents = IntervalOptions(target="respondents")
    nobody = estimate_counts(0, 10, Channel(0.999999, 1e-6), respondents)
    assert (nobody.rows[0].low, nobody.rows[0].high) == (0, 0)
    assert nobody.contradictions == ()
    assert nobody.has_interval(nobody.rows[0])
    assert cut_words(nobody) == []
    assert cut_words(estimate_counts(500, 1000, Channel.warner(0.6))) == []


def test_interval_that_holds_no_share_is_none_in_a_frame_and_a_notebook() -> None:
    cut = estimate_counts(355, 1000, Channel.warner(0.6))
    assert cut.to_frame()[["low", "high"]].isna().all(axis=None)
    assert cut._repr_html_().count(">none</td>") == 2


def test_interval_that_holds_no_share_is_a_dash_in_the_waves_of_the_results_page() -> None:
    series = series_of(SURVEY.questions[1], {1: ZEROS, 2: honest(3000)}, ["a"], IntervalOptions(), 1)
    assert [point.has_interval for point in series[0].points] == [False, True]
    (last,) = series_of(SURVEY.questions[1], {1: ZEROS}, ["a"], IntervalOptions(), 1)
    assert "from – to –" in draw_waves("", [last]).description
    section = find_results(Release(SURVEY, True, {1: ZEROS}), Choices()).questions[1]
    assert section.table == []
    respondents = IntervalOptions(target="respondents")
    (of_them,) = series_of(SURVEY.questions[1], {1: ZEROS, 2: honest(3000)}, ["a"], respondents, 1)
    assert [point.has_interval for point in of_them.points] == [False, True]
