"""`asked_in`: reports of devices that are asked once are independent over the waves, of others they are not."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from published import ONE_OF, TEXT, YES_NO, survey_of
from sotto_estimator import IntervalOptions, estimate_tally
from sotto_estimator.association.associate import associate
from sotto_estimator.channel.devices import Devices
from sotto_estimator.comparing.compare import CompareOptions
from sotto_estimator.comparing.group_estimates import people_of, sides_of_tally
from sotto_estimator.comparing.trend import trend_of_sides
from sotto_estimator.errors import DomainError, SourceError
from sotto_estimator.intervals.methods import find_method
from sotto_estimator.numbers.counts import NumberCounts
from sotto_estimator.shares.covariance import share_covariance
from sotto_estimator.strings.decode import DecodeOptions
from sotto_estimator.strings.question import decode_tally
from sotto_protocol import Coins, Survey, Tally
from sotto_protocol.mechanisms.mechanism import Bytes

NUMBER = {"type": "number", "minimum": 0, "maximum": 2, "epsilon": Decimal(1)}
ONCE = replace(survey_of(YES_NO, ONE_OF), waves=4, asked_in=1)
TWICE = replace(ONCE, asked_in=2)
ALWAYS = replace(ONCE, asked_in=0)
SINGLE = replace(ONCE, asked_in=0, waves=1)
SIZES = {1: 300, 2: 210, 4: 90}


def people(survey: Survey, n: int, wave: int, seed: int) -> Bytes:
    chance = np.random.default_rng(seed)
    answers: dict[str, Any] = {question.id: (chance.random(n) < 0.3).astype(np.int64) for question in survey.questions}
    return survey.perturb(answers, Coins(np.random.default_rng(seed + 1).bytes), wave)


def waves_of(survey: Survey) -> dict[int, Bytes]:
    return {wave: people(survey, n, wave, 10 * wave) for wave, n in SIZES.items()}


def tally_of(survey: Survey) -> Tally:
    return Tally.of(survey, np.concatenate([*waves_of(survey).values()]))


def single() -> Tally:
    """Return the same counts as of one wave."""
    pooled = tally_of(ONCE)
    return Tally(SINGLE, {1: sum(SIZES.values())}, pooled.support_counts)


@pytest.mark.parametrize("method", ["chernoff", "clopper-pearson", "wilson", "anytime"])
@pytest.mark.parametrize("target", ["population", "respondents"])
def test_waves_of_different_people_are_pooled_as_one_sample(method: str, target: Any) -> None:
    options = IntervalOptions(method=method, target=target)
    pooled, one = estimate_tally(tally_of(ONCE), options), estimate_tally(single(), options)
    assert pooled.rows == one.rows
    assert pooled.waves == (1, 2, 4)
    assert not pooled.may_share_devices


def test_reports_of_devices_that_are_asked_twice_are_between_independent_and_all_alike() -> None:
    exact = estimate_tally(tally_of(ONCE), IntervalOptions(method="clopper-pearson"))  # pooled waves are nearly so
    once, twice, always = exact.rows, *(estimate_tally(tally_of(survey)).rows for survey in (TWICE, ALWAYS))
    for one, two, every in zip(once, twice, always, strict=True):
        assert one.share == two.share == every.share
        assert one.high - one.low < two.high - two.low < every.high - every.low
        assert one.standard_error <= two.standard_error <= every.standard_error
    with pytest.raises(DomainError, match="2 waves are pooled"):
        estimate_tally(tally_of(TWICE), IntervalOptions(method="clopper-pearson"))


def test_waves_are_compared_as_different_people_and_a_trend_has_the_error_of_independent_groups() -> None:
    for survey, people in ((ONCE, "other"), (TWICE, "same"), (ALWAYS, "same")):
        by_wave = Tally.by_wave(survey, np.concatenate([*waves_of(survey).values()]))
        assert people_of([*by_wave.values()]) == people
        assert people_of([by_wave[1], by_wave[1]]) == "other", "of one wave"
    sides = {f"wave {wave}": sides_of_tally(tally, "population") for wave, tally in by_wave.items()}
    [one, *_] = trend_of_sides("t", sides, CompareOptions(people="other"), (1.0, 2.0, 4.0)).rows
    n, x = np.array([*SIZES.values()]), np.array([1.0, 2, 4])
    centred = x - n @ x / n.sum()
    weights = n * centred / (n @ centred**2)
    errors = [side[0].standard_error for side in sides.values()]
    assert one.standard_error == pytest.approx(float(np.sqrt(np.square(weights * errors).sum())))


def test_what_needs_independent_reports_takes_pooled_waves_of_different_people_only() -> None:
    every = {survey: np.concatenate([*waves_of(survey).values()]) for survey in (ONCE, TWICE)}
    names = [question.id for question in ONCE.questions]
    assert associate(ONCE, every[ONCE], names).n_reports == 600
    with pytest.raises(SourceError, match="Choose one wave"):
        associate(TWICE, every[TWICE], names)
    assert share_covariance(tally_of(ONCE), names[1])
    with pytest.raises(SourceError, match="pools 3 waves"):
        share_covariance(tally_of(TWICE), names[1])


def test_numbers_and_texts_of_different_people_are_pooled_as_so_many_independent_reports() -> None:
    survey = replace(survey_of(NUMBER, TEXT), waves=4, asked_in=1)
    one_wave = replace(survey, waves=1, asked_in=0)
    number, text = (question.id for question in survey.questions)
    parts = []
    for wave, n in SIZES.items():
        answers = {number: np.arange(n) % 3, text: ["tea"] * n}
        parts.append(survey.perturb(answers, Coins(np.random.default_rng(wave).bytes), wave))
    pooled = Tally.of(survey, np.concatenate(parts))
    one = Tally(one_wave, {1: pooled.n_reports}, pooled.support_counts)
    [mean], [single] = estimate_tally(pooled).means, estimate_tally(one).means
    assert replace(mean, low=0, high=0, interval="") == replace(single, low=0, high=0, interval="")
    figure = NumberCounts.of(pooled, survey.questions[0])
    bets = find_method("chernoff").of_means
    assert bets
    ends = bets(
        figure.histogram[None, :], figure.channel.outputs, figure.channel.deviations, 0.025, Devices.alike(600, 1)
    )
    assert [mean.low, mean.high] == pytest.approx([2 * float(figure.channel.place_of(end)[0]) for end in ends])
    [exact] = estimate_tally(pooled, IntervalOptions(method="clopper-pearson")).means
    assert exact.interval.endswith("as clopper-pearson knows no mean of several waves")
    found = [decode_tally(tally, text, ("tea", "milk"), DecodeOptions()).rows for tally in (pooled, one)]
    assert found[0] == found[1]
