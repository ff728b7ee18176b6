"""A channel is two probabilities; debiasing inverts it."""

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from sotto_estimator.channel.channel import Channel, debias, standard_error
from sotto_estimator.errors import DomainError, EstimatorError
from sotto_protocol.errors import SottoError

TWO_COINS = Channel.forced_response(1 / 2, 1 / 2)


@st.composite
def channels(draw: st.DrawFn) -> Channel:
    other = draw(st.floats(0, 0.95))
    return Channel(min(1.0, other + draw(st.floats(0.01, 1))), other)


@pytest.mark.parametrize(
    ("true", "other"), [(0.5, 0.5), (0.4, 0.6), (1.1, 0), (0.5, -0.1), (math.nan, 0), (1, math.nan), (math.inf, 0)]
)
def test_a_channel_outside_its_domain_is_refused_with_both_values(true: float, other: float) -> None:
    with pytest.raises(DomainError, match=r"prob_support_if_other \(.*\) and prob_support_if_true \(.*\) must satisfy"):
        Channel(true, other)


def test_every_error_of_the_estimator_is_a_sotto_error_and_a_bad_value_is_a_value_error() -> None:
    assert issubclass(EstimatorError, SottoError)
    assert issubclass(DomainError, EstimatorError)
    assert issubclass(DomainError, ValueError)


def test_the_channel_without_privacy_is_allowed() -> None:
    assert debias(3, 10, Channel(1, 0)) == pytest.approx(0.3)


def test_two_coins_give_three_quarters_and_a_quarter() -> None:
    assert Channel(0.75, 0.25) == TWO_COINS


@pytest.mark.parametrize("forced", [0, 0.3, 1])
@pytest.mark.parametrize("truth", [1e-3, 0.1, 0.7, 0.9, 1])
def test_a_forced_response_tells_the_truth_or_what_its_coin_says(truth: float, forced: float) -> None:
    channel = Channel.forced_response(truth, forced)
    assert channel.prob_support_if_true == pytest.approx(truth + (1 - truth) * forced)
    assert channel.prob_support_if_other == pytest.approx((1 - truth) * forced)


@pytest.mark.parametrize("epsilon", [1e-6, 0.1, math.log(3), 4, 30, 800])
def test_warners_epsilon_is_the_log_odds_of_the_truth(epsilon: float) -> None:
    channel = Channel.warner_of_epsilon(epsilon)
    assert channel.prob_support_if_true + channel.prob_support_if_other == pytest.approx(1)
    if epsilon < 700:
        odds = channel.prob_support_if_true / channel.prob_support_if_other
        assert math.log(odds) == pytest.approx(epsilon, rel=1e-9)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Channel.warner(0.5), r"prob_truth \(0.5\) must be in \(1/2, 1\]\."),
        (lambda: Channel.warner(1.01), r"prob_truth \(1.01\) must be in \(1/2, 1\]\."),
        (lambda: Channel.warner_of_epsilon(0.0), r"epsilon \(0.0\) must be finite and > 0\."),
        (lambda: Channel.warner_of_epsilon(math.inf), r"epsilon \(inf\) must be finite and > 0\."),
        (lambda: Channel.warner_of_epsilon(math.nan), r"epsilon \(nan\) must be finite and > 0\."),
        (lambda: Channel.forced_response(0, 0.5), r"prob_truth \(0\) must be in \(0, 1\]\."),
        (lambda: Channel.forced_response(0.5, 2), r"prob_forced_yes \(2\) must be in \[0, 1\]\."),
        (lambda: debias(-1, 10, TWO_COINS), r"support_counts \(-1\) must be in \[0, n\] \(n = 10\)\."),
        (lambda: debias([3, 11], 10, TWO_COINS), r"support_counts \(11\) must be in \[0, n\] \(n = 10\)\."),
        (lambda: debias([2**64 - 1], 10, TWO_COINS), r"support_counts \(\d+\) must be in \[0, n\]"),
        (lambda: debias(0.5, 10, TWO_COINS), r"support_counts \(0\.5\) must be integers, and none missing\."),
        (lambda: debias("3", 10, TWO_COINS), r"support_counts \(of type <U1\) must be integers\."),
        (lambda: debias(0, 0, TWO_COINS), r"n \(0\) must be an integer in \[1, 10\^12\]\."),
        (lambda: debias(0, 2.5, TWO_COINS), r"n \(2.5\) must be an integer"),
        (lambda: debias(0, True, TWO_COINS), r"n \(True\) must be an integer"),
        (lambda: debias(0, 10**12 + 1, TWO_COINS), r"n \(\d+\) must be an integer"),
        (lambda: standard_error(0, 1, TWO_COINS, target="all"), r"target \('all'\) must be one of population, resp"),
    ],
)
def test_an_impossible_value_is_refused_by_name_and_domain(make, message: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(DomainError, match=message):
        make()


def test_400_yes_of_1000_in_the_two_coin_survey_are_30_percent() -> None:
    assert debias(400, 1000, TWO_COINS) == pytest.approx(0.3, rel=1e-12)


def test_the_nigeria_survey_debiases_by_its_published_coins() -> None:
    # Blair, Imai & Zhou 2015: truth 2/3, forced yes and no 1/6 each.
    channel = Channel.forced_response(2 / 3, 1 / 2)
    assert debias(831, 2435, channel) == pytest.approx((831 / 2435 - 1 / 6) / (2 / 3), rel=1e-12)


@settings(deadline=None)
@given(channel=channels(), share=st.floats(0, 1), n=st.integers(1, 10**9))
def test_debiasing_inverts_the_channel_up_to_the_rounding_of_the_count(channel: Channel, share: float, n: int) -> None:
    count = round(n * channel.reported_share(share))
    half_a_report = 0.5 / n / channel.contrast
    assert abs(debias(count, n, channel) - share) <= half_a_report + 1e-13 / channel.contrast


def test_estimates_outside_0_and_1_stay_as_they_are() -> None:
    assert debias([0, 100], 100, Channel.warner(0.6)) == pytest.approx([-2, 3])


@pytest.mark.parametrize("counts", [5, [1, 2], [[1, 2, 3]], np.array([], int), []])
def test_results_have_the_shape_of_the_counts(counts: object) -> None:
    shape = np.shape(counts)  # type: ignore[arg-type]
    assert np.shape(debias(counts, 10, TWO_COINS)) == shape  # type: ignore[arg-type]
    assert np.shape(standard_error(counts, 10, TWO_COINS)) == shape  # type: ignore[arg-type]


@pytest.mark.parametrize("share", [0, 0.3, 1])
@pytest.mark.parametrize("channel", [TWO_COINS, Channel(0.5, 0.1), Channel(1, 0.2)])
def test_the_standard_error_is_the_exact_standard_deviation_at_the_expected_count(
    channel: Channel, share: float
) -> None:
    n = 200
    true, other = channel.prob_support_if_true, channel.prob_support_if_other
    reported = share * true + (1 - share) * other
    count = round(n * reported)
    assert count == pytest.approx(n * reported)
    of_population = math.sqrt(n * reported * (1 - reported)) / n / (true - other)
    n_true = round(n * share)
    of_respondents = math.sqrt(n_true * true * (1 - true) + (n - n_true) * other * (1 - other)) / n / (true - other)
    assert standard_error(count, n, channel) == pytest.approx(of_population)
    assert standard_error(count, n, channel, target="respondents") == pytest.approx(of_respondents)


@pytest.mark.parametrize("target", ["population", "respondents"])
def test_the_standard_error_of_a_private_channel_is_never_0_by_accident(target) -> None:  # type: ignore[no-untyped-def]
    errors = standard_error([0, 1, 9, 10], 10, Channel.warner(0.6), target=target)
    assert errors == pytest.approx(math.sqrt(0.24 / 10) / 0.2)


@settings(deadline=None)
@given(channel=channels(), n=st.integers(1, 10**6), part=st.floats(0, 1))
def test_the_respondents_standard_error_is_at_most_the_populations(channel: Channel, n: int, part: float) -> None:
    count = round(n * part)
    about_respondents = standard_error(count, n, channel, target="respondents")
    assert about_respondents <= standard_error(count, n, channel) * (1 + 1e-9) + 1e-12


@pytest.mark.parametrize(("epsilon", "ratio"), [(0.5, 0.97), (1.1, 0.88), (2, 0.68), (4, 0.29)])
def test_only_the_devices_noise_is_a_known_part_of_the_populations_error(epsilon: float, ratio: float) -> None:
    # PEERS.md, "About respondents": share .3, Warner.
    channel, n = Channel.warner_of_epsilon(epsilon), 10**6
    count = round(n * channel.reported_share(0.3))
    measured = standard_error(count, n, channel, target="respondents") / standard_error(count, n, channel)
    assert measured == pytest.approx(ratio, abs=0.005)
