"""One option that a device is asked: drawn as published, counted by option, estimated from those who are asked it."""

import itertools
import json
import math
from collections import Counter
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import reference
from published import build, survey_of
from sotto_estimator.association.axes import read_sides
from sotto_estimator.channel.channel import Channel, Target
from sotto_estimator.errors import DomainError
from sotto_estimator.inference.registry import channel_of
from sotto_estimator.page.choices import Choices
from sotto_estimator.page.release import Release
from sotto_estimator.page.results import find_results
from sotto_estimator.planning.table import QuestionShape, plan_rows
from sotto_estimator.planning.widths import PlanOptions, half_width
from sotto_estimator.shares.of_tally import IntervalOptions, estimate_counts, estimate_tally
from sotto_protocol import Coins, ReportError, Survey, SurveyError, Tally, TallyError, given_bytes, hmac_bytes
from sotto_protocol.explain import explain
from sotto_protocol.mechanisms.asked_option import AskedOption, asked_option
from sotto_protocol.mechanisms.bit_flips import bit_flips
from sotto_protocol.mechanisms.checks import BadValueError
from sotto_protocol.mechanisms.padded_subset import padded_subset
from sotto_protocol.mechanisms.registry import best_of

OPTIONS = ["red", "green", "blue", "grey"]
QUESTION: dict[str, Any] = {"type": "any-of", "options": OPTIONS, "mechanism": "asked-option", "epsilon": Decimal(2)}
SURVEY = survey_of(QUESTION)
SHARES = np.array([0.5, 0.1, 0.9, 0.3])


def crowd(survey: Survey, n: int, seed: int, wave: int = 1) -> np.ndarray[Any, Any]:
    """Return reports of n people who choose each option by itself, with its share."""
    answers = (np.random.default_rng(seed).random((n, 4)) < SHARES).astype(np.int64)
    return survey.perturb({"q0": answers}, Coins(np.random.default_rng(seed + 10**6).bytes), wave)


def test_all_coins_and_all_options_together_are_the_published_channel() -> None:
    """Every option that can be drawn, and one first byte for every sixteen of either coin."""
    for k, most in ((1, 1), (2, 1), (3, 3)):
        published = {"name": "asked-option", "threshold_if_true": 13 * 2**28, "threshold_if_other": 3 * 2**28}
        published["max_selected"] = most
        mechanism, channel = build(published, k), []
        for answer in reference.every_answer(published, k):
            counts: Counter[bytes] = Counter()
            for option, first, second in itertools.product(range(k), range(0, 256, 16), range(0, 256, 16)):
                drawn = (-(-(option << 16) // k) + 1).to_bytes(2, "big")
                take = given_bytes(drawn + bytes([first, second]) + b"?")
                counts[mechanism.perturb([answer], Coins(take))[0].tobytes()] += 1
                assert take(1) == b"?", "as much is drawn whatever the option, the coin and the answer are"
            channel.append({report: Fraction(n, counts.total()) for report, n in counts.items()})
            expected = reference.distribution(published, k, answer)
            assert channel[-1] == {report: prob for report, prob in expected.items() if prob}
        assert 0 <= mechanism.epsilon - reference.epsilon(channel) < Decimal("1e-12")


def test_the_option_that_is_asked_is_uniform_and_kept_whatever_the_answer_is() -> None:
    mechanism = asked_option(300, Decimal(1), 300)
    groups = mechanism.draw_group(60_000, Coins(hmac_bytes(bytes(32), b"asked")))
    n_each = np.bincount(groups.view(">u2").ravel(), minlength=300)
    assert np.abs(n_each - 200).max() < 7 * math.sqrt(200)
    coins = Coins(hmac_bytes(bytes(32), b"answers"))
    for answer in (0, 1):
        permanent = mechanism.respond_permanently(np.full((60_000, 300), answer), groups, coins)
        assert (permanent[:, :2] == groups).all()
        said = permanent[:, 2].mean()
        expected = (mechanism.prob_support_if_other, mechanism.prob_support_if_true)[answer]
        assert said == pytest.approx(expected, abs=7 * math.sqrt(0.25 / 60_000))


@pytest.mark.parametrize("target", ["population", "respondents"])
def test_each_option_is_estimated_from_the_reports_that_ask_it(target: Target) -> None:
    tally = Tally.of(SURVEY, crowd(SURVEY, 2000, 3))
    counts = tally.support_counts["q0"]
    assert counts.shape == (4, 2)
    assert counts[:, 0].sum() == 2000
    options = IntervalOptions(target=target)
    estimates = estimate_tally(tally, options)
    channel = channel_of(SURVEY.questions[0])
    assert len(estimates.rows) == 4
    for row, (n, n_yes) in zip(estimates.rows, counts.tolist(), strict=True):
        [alone] = estimate_counts(n_yes, n, channel, options).rows
        for name in ("n_reports", "support_count", "share", "standard_error", "low", "high"):
            assert getattr(row, name) == getattr(alone, name)
        assert row.shift_up == pytest.approx(alone.shift_up * 2000 / n), "fakes ask the option that they like"


@pytest.mark.thorough
def test_shares_are_unbiased_and_vary_as_is_said_and_their_intervals_cover() -> None:
    """400 crowds of 800: the mean is right within 4.5 errors, the variance within a fifth, coverage at least .95."""
    n, n_crowds = 800, 400
    all_rows = [estimate_tally(Tally.of(SURVEY, crowd(SURVEY, n, seed))).rows for seed in range(n_crowds)]
    found = np.array([[(row.share, row.low, row.high) for row in rows] for rows in all_rows])
    shares, low, high = np.moveaxis(found, 2, 0)
    mechanism = SURVEY.questions[0].mechanism
    assert isinstance(mechanism, AskedOption)
    channel = channel_of(SURVEY.questions[0])
    reported = channel.reported_share(SHARES)
    variances = 4 * reported * (1 - reported) / channel.contrast**2 / n
    assert (np.abs(shares.mean(axis=0) - SHARES) < 4.5 * np.sqrt(variances / n_crowds)).all()
    assert shares.var(axis=0) / variances == pytest.approx(np.ones(4), abs=0.3)
    assert variances[0] * n == pytest.approx(mechanism.report_variance + 1 / 4), "where all may be selected, of a half"
    assert ((low <= SHARES) & (high >= SHARES)).mean() >= 0.95


def noise(epsilon: float) -> float:
    """The variance of Warner's coin, from e^epsilon."""
    return math.exp(epsilon) / (math.exp(epsilon) - 1) ** 2


RATIOS = [(8, 4, 0.5, 8.2), (8, 8, 1, 8.7), (8, 4, 2, 11), (8, 8, 4, 26), (16, 16, 0.5, 16), (16, 16, 4, 52)]
RATIOS += [(16, 2, 0.5, 1.0), (16, 2, 4, 3.0), (8, 1, 0.5, 0.5), (8, 1, 4, 1.2)]


@pytest.mark.parametrize(("k", "most", "epsilon", "ratio"), RATIOS)
def test_a_split_epsilon_has_so_many_times_the_noise(k: int, most: int, epsilon: float, ratio: float) -> None:
    flips, asked = (design(k, Decimal(str(epsilon)), most) for design in (bit_flips, one_option))
    assert flips.report_variance == pytest.approx(noise(epsilon / min(2 * most, k)), rel=1e-5)
    share = most / (2 * k)
    assert asked.report_variance == pytest.approx(k * noise(epsilon) + (k - 1) * share * (1 - share), rel=1e-5)
    assert flips.report_variance / (k * noise(epsilon)) == pytest.approx(ratio, rel=0.07)


def one_option(k: int, epsilon: Decimal, most: int) -> AskedOption:
    return asked_option(k, epsilon, most, 1)


@pytest.mark.parametrize("k", [1, 2, 3, 8, 40])
def test_auto_takes_what_has_the_least_variance_where_people_select_half_of_what_they_may(k: int) -> None:
    """Noise, and who is asked; by formulas of this test's own, of what each report supports."""
    for most in {1, min(2, k), (k + 1) // 2, k}:
        for epsilon in ("0.1", "0.5", "1", "2", "4", "8"):
            made = [design(k, Decimal(epsilon), most) for design in (bit_flips, padded_subset, asked_option)]
            chosen = best_of("any-of", k, Decimal(epsilon), None, most)
            assert variance_at(most / (2 * k), chosen) <= 1.03 * min(variance_at(most / (2 * k), one) for one in made)


def variance_at(share: float, mechanism: Any) -> float:
    """The variance of one respondent's part of a debiased share: noise, and who is sampled and asked."""
    true, other = mechanism.prob_support_if_true, mechanism.prob_support_if_other
    reported = other + share * (true - other)
    one_in = mechanism.n_values / mechanism.asked if mechanism.name == "asked-option" else 1
    return float(one_in * reported * (1 - reported) / (true - other) ** 2)


def test_a_plan_has_both_for_the_same_people() -> None:
    """One in eight is asked an option: the widths are those of an eighth of the people at all of epsilon."""
    options = PlanOptions(method="clopper-pearson")
    [padded, asked, flips, *_] = plan_rows(QuestionShape(8, 3), [Decimal(1)], 4000, None, options=options)
    assert (padded.mechanism, flips.mechanism, asked.mechanism) == ("subset", "bit-flips", "asked-option")
    assert padded.is_auto
    assert asked.half_width == pytest.approx(half_width(500, Channel.warner_of_epsilon(1), options=options), rel=1e-6)
    assert padded.half_width < asked.half_width < flips.half_width
    rows = plan_rows(QuestionShape(8, 3), [Decimal(1)], None, asked.half_width, options=options)
    [needed] = [row for row in rows if row.mechanism == asked.mechanism]
    assert needed.n_reports == pytest.approx(4000, rel=0.02)
    [waves, *_] = plan_rows(QuestionShape(8, 3), [Decimal(1)], 4000, None, Decimal(2), options=options)
    assert waves.mechanism == "basic-rappor"


def test_pooled_waves_are_of_devices_that_are_asked_the_same_option() -> None:
    """Of 300 devices in three waves each option's reports are those of a third of as many devices, at the worst."""
    survey = replace(SURVEY, waves=3)
    records = [crowd(survey, 300, 1, wave) for wave in (1, 2, 3)]
    tally = Tally.of(survey, np.concatenate(records))
    row = estimate_tally(tally).rows[0]
    n, n_yes = tally.support_counts["q0"][0].tolist()
    assert row.n_reports == n
    [alone] = estimate_counts(n_yes, n, channel_of(survey.questions[0])).rows
    assert row.standard_error == pytest.approx(alone.standard_error * math.sqrt(3))
    assert row.low < alone.low < row.share < alone.high < row.high
    tallies = {wave: Tally.of(survey, part) for wave, part in enumerate(records, 1)}
    results = find_results(Release(survey, True, tallies), Choices())
    assert "each device is asked about one of the 4 options" in " ".join(results.questions[0].made_of)
    series = {one.answer: one.points for one in results.questions[0].series}
    for wave, of_wave in tallies.items():
        for row in estimate_tally(of_wave).rows:
            point = series[row.answer][wave - 1]
            assert (point.wave, point.n_reports) == (wave, row.n_reports)
            shown = (point.value, point.standard_error, point.low, point.high)
            assert shown == pytest.approx((row.share, row.standard_error, row.low, row.high))


def test_options_that_nobody_was_asked_have_no_row() -> None:
    [report] = SURVEY.layout.from_wire([{"q0": [2, True]}])
    rows = estimate_tally(Tally.of(SURVEY, report[None])).rows
    assert [(row.answer, row.n_reports, row.support_count) for row in rows] == [("blue", 1, 1)]


def test_table_json_and_csv_say_that_one_option_is_asked() -> None:
    estimates = estimate_tally(Tally.of(SURVEY, crowd(SURVEY, 500, 5)))
    assert estimates.asked == ("q0",)
    shown = estimates.as_table()
    assert "asked: each device is asked about one option of q0; n counts the reports about this one\n" in shown
    document = json.loads(estimates.as_json())
    assert document["asked"] == ["q0"]
    n_each = [row["n_reports"] for row in document["estimates"]]
    assert sum(n_each) == 500
    assert [int(line.split(",")[2]) for line in estimates.as_csv().splitlines()[1:]] == n_each
    assert all(f"{n:,}" in shown for n in n_each)


def test_counts_that_no_reports_have_are_refused_and_a_tally_is_read_back() -> None:
    tally = Tally.of(SURVEY, crowd(SURVEY, 60, 7))
    assert Tally.from_json(tally.to_json()) == tally
    assert (tally + tally).support_counts["q0"].tolist() == (2 * tally.support_counts["q0"]).tolist()
    for change in ([[1, 0]] * 4, [[60, 0], [0, 1], [0, 0], [0, 0]], [[61, 0], [0, 0], [0, 0], [0, 0]]):
        with pytest.raises(TallyError, match="must"):
            Tally(SURVEY, {1: 60}, {"q0": np.array(change, np.int64)})


@pytest.mark.parametrize(
    "value", [[4, True], [-1, True], [0], [0, 1], [0, True, True], [True, True], [0.0, True], "AA==", {"0": True}, None]
)
def test_a_report_of_another_form_is_refused(value: Any) -> None:
    mechanism = asked_option(4, Decimal(1), 4)
    with pytest.raises(BadValueError, match=r"a list of an option in \[0, 3\] and true or false"):
        mechanism.from_wire([[0, True], value])


@pytest.mark.parametrize("packed", [[4, 1], [0, 2], [255, 0]])
def test_a_packed_report_of_no_option_is_refused(packed: list[int]) -> None:
    with pytest.raises(ReportError, match="must"):
        asked_option(4, Decimal(1), 4).count_support(np.array([packed], np.uint8))


def test_what_is_said_of_it() -> None:
    [question] = SURVEY.questions
    [report] = SURVEY.layout.from_wire([{"q0": [3, False]}])
    assert question.decode(report) == {"asked": "grey", "yes": False}
    said = explain(SURVEY).questions[0].what_happens
    assert "picks one of the 4 options at random, once and without looking at your answer" in said
    assert "It sends nothing about the other options." in said
    with pytest.raises(DomainError, match=r'do not show how options go together.*mechanism = "bit-flips"'):
        read_sides(survey_of(QUESTION, {"type": "yes-no", "epsilon": Decimal(1)}), ["q0:red", "q1"], {})


def test_it_has_one_stage() -> None:
    with pytest.raises(SurveyError, match="does not go with asked-option: it has one stage"):
        survey_of(QUESTION | {"epsilon_forever": Decimal(3)})


def test_a_fake_that_likes_an_option_shows_as_it_is_said() -> None:
    """One in a hundred reports is fake, yes to one option: that moves its share by what 1 % is said to."""
    honest = Tally.of(SURVEY, crowd(SURVEY, 40_000, 9))
    fakes = SURVEY.layout.from_wire([{"q0": [0, True]}] * 400)
    moved = estimate_tally(honest + Tally.of(SURVEY, fakes)).rows[0].share - estimate_tally(honest).rows[0].share
    assert moved == pytest.approx(estimate_tally(honest).rows[0].shift_up, rel=0.06)
