"""Intervals of pooled waves know a channel's second stage: narrower, and they hold whatever people answer when."""

from collections.abc import Iterator
from functools import cache, reduce
from itertools import combinations_with_replacement, product

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import optimize

from contract import N_DRAWS, Z_MAX, answers_of, cases, coins_of
from sotto_estimator.channel.channel import TARGETS, Channel, Target, errors_of
from sotto_estimator.channel.devices import Devices
from sotto_estimator.inference.registry import channel_of
from sotto_estimator.intervals.intervals import confidence_interval
from sotto_protocol import Question
from sotto_protocol.counted import Counted
from sotto_protocol.mechanisms.mechanism import PureMechanism

Pmf = NDArray[np.float64]


def two_stages(kept_if_true: float, kept_if_other: float, one: float, zero: float) -> Channel:
    def reported(kept: float) -> float:
        return kept * one + (1 - kept) * zero

    return Channel(reported(kept_if_true), reported(kept_if_other), one, zero)


CHANNELS = {
    "basic": two_stages(0.8, 0.2, 0.75, 0.25),
    "nearly no permanent noise": two_stages(0.99, 0.01, 0.6, 0.3),
    "nearly no fresh noise": two_stages(0.6, 0.1, 0.99, 0.02),
    "k-ary": two_stages(0.7, 0.05, 0.8, 0.03),
    "noise of its own": Channel(0.7, 0.2).fresh,
}


@cache
def report_pmf(channel: Channel, truths: tuple[bool, ...], answers: tuple[int, ...]) -> tuple[float, ...]:
    """Return the distribution of a device's supporting reports, by enumerating them: `answers` that are equal share
    their permanent response, and `truths` says which of them have the value."""
    pmf = np.zeros(len(truths) + 1)
    kept = channel.permanent
    for bits in product((0, 1), repeat=max(answers) + 1):
        prob = 1.0
        for answer, bit in enumerate(bits):
            has_value = truths[answers.index(answer)]
            yes = kept.prob_support_if_true if has_value else kept.prob_support_if_other
            prob *= yes if bit else 1 - yes
        for reports in product((0, 1), repeat=len(truths)):
            of_reports = 1.0
            for report, answer in zip(reports, answers, strict=True):
                yes = channel.report_if_one if bits[answer] else channel.report_if_zero
                of_reports *= yes if report else 1 - yes
            pmf[sum(reports)] += prob * of_reports
    return tuple(pmf)


KINDS = [((True, True), (0, 0)), ((True, False), (0, 1)), ((False, False), (0, 0)), ((False, False), (0, 1))]
"""What a person can answer in two waves: the same, a change, and two answers of which neither is the value."""


def crowds(channel: Channel, n_both: int, n_once: int) -> Iterator[tuple[int, Pmf]]:
    """Yield every crowd of so many people in two waves and in one: its true reports, and the count's distribution."""
    for kinds in combinations_with_replacement(KINDS, n_both):
        for n_true in range(n_once + 1):
            parts = [report_pmf(channel, truths, answers) for truths, answers in kinds]
            parts += [report_pmf(channel, (place < n_true,), (0,)) for place in range(n_once)]
            yield sum(sum(truths) for truths, _ in kinds) + n_true, np.asarray(reduce(np.convolve, parts, np.ones(1)))


@pytest.mark.few(4)
@pytest.mark.parametrize("channel", CHANNELS.values(), ids=CHANNELS)
@pytest.mark.parametrize(("n_both", "n_once"), [(1, 0), (5, 0), (4, 3), (1, 9), (6, 1)])
def test_intervals_hold_for_every_crowd_of_two_waves(channel: Channel, n_both: int, n_once: int) -> None:
    """By enumeration of all answers that a few people can give, and of all counts."""
    n = 2 * n_both + n_once
    devices = Devices.of(Counted({1: n_both + n_once, 2: n_both}))
    ends = {
        level: confidence_interval(np.arange(n + 1), n, channel, level=level, target="respondents", devices=devices)
        for level in (0.3, 0.8, 0.95)
    }
    for n_true, pmf in crowds(channel, n_both, n_once):
        for level, (low, high) in ends.items():
            inside = (low <= n_true / n + 1e-12) & (n_true / n - 1e-12 <= high)
            assert pmf[inside].sum() >= level - 1e-12, (n_true, level)


@pytest.mark.few(6)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("channel", CHANNELS.values(), ids=CHANNELS)
@pytest.mark.parametrize(("n_devices", "n_waves"), [(2, 3), (9, 2), (30, 2), (12, 5)])
def test_intervals_hold_where_nobody_changes_the_answer(
    channel: Channel, n_devices: int, n_waves: int, target: Target
) -> None:
    """The worst that they do: by enumeration of all counts, for all numbers of people, or shares of a population."""
    n = n_devices * n_waves
    alike = (0,) * n_waves
    if_true, if_other = (np.array(report_pmf(channel, (has,) * n_waves, alike)) for has in (True, False))
    for level in (0.3, 0.8, 0.95):
        low, high = confidence_interval(np.arange(n + 1), n, channel, level=level, target=target, n_waves=n_waves)
        for n_true in range(n_devices + 1):
            share = n_true / n_devices
            parts = [if_true] * n_true + [if_other] * (n_devices - n_true)
            if target == "population":
                parts = [share * if_true + (1 - share) * if_other] * n_devices
            pmf = np.asarray(reduce(np.convolve, parts, np.ones(1)))
            inside = (low <= share + 1e-12) & (share - 1e-12 <= high)
            assert pmf[inside].sum() >= level - 1e-12, (share, level)


def test_the_same_check_finds_a_second_stage_that_is_not_there() -> None:
    """Reports that repeat themselves, read as if most of their noise were fresh: sixty devices of ten waves."""
    real, believed = two_stages(0.8, 0.2, 1, 0), two_stages(0.99, 0.01, 0.79 / 0.98, 0.19 / 0.98)
    assert (real.prob_support_if_true, real.prob_support_if_other) == pytest.approx(
        (believed.prob_support_if_true, believed.prob_support_if_other)
    )
    once = np.asarray(reduce(np.convolve, [[0.2, 0.8]] * 18 + [[0.8, 0.2]] * 42, np.ones(1)))
    pmf = np.zeros(601)
    pmf[::10] = once
    for channel, holds in ((believed, False), (real, True)):
        low, high = confidence_interval(np.arange(601), 600, channel, level=0.5, target="respondents", n_waves=10)
        assert (pmf[(low <= 0.3) & (high >= 0.3)].sum() >= 0.5) == holds


def naive_low(s: float, n: int, n_waves: int, channel: Channel, target: Target, tail: float) -> float:
    """Return the lower end of equal waves by a solver, from the formula as it stands in docs/maths-waves.md."""
    kept, one, zero = channel.permanent, channel.report_if_one, channel.report_if_zero

    def log_bound(h: float, share: float) -> float:
        a, b = 1 - one + one * np.exp(h), 1 - zero + zero * np.exp(h)
        m1, m0 = (
            t * a**n_waves + (1 - t) * b**n_waves for t in (kept.prob_support_if_true, kept.prob_support_if_other)
        )
        if target == "respondents":
            return float(n / n_waves * (share * np.log(m1) + (1 - share) * np.log(m0)) - h * s)
        return float(n / n_waves * np.log(share * m1 + (1 - share) * m0) - h * s)

    def room(share: float) -> float:
        best = optimize.minimize_scalar(log_bound, bounds=(0, 8), args=(share,), method="bounded")
        return float(best.fun - np.log(tail))

    return float(optimize.brentq(room, 0, 1)) if room(0) < 0 else 0.0


@pytest.mark.few(6, "rare")
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("channel", CHANNELS.values(), ids=CHANNELS)
@pytest.mark.parametrize(("n", "n_waves"), [(400, 2), (2500, 5), (600, 12)])
def test_the_ends_of_one_stage_are_those_of_the_formula(channel: Channel, n: int, n_waves: int, target: Target) -> None:
    channel = Channel(channel.prob_support_if_true, channel.prob_support_if_other)
    for share in (0.1, 0.4, 0.8):
        s = round(n * channel.reported_share(share))
        low, _ = confidence_interval(s, n, channel, target=target, n_waves=n_waves)
        assert low == pytest.approx(naive_low(s, n, n_waves, channel, target, 0.025), abs=2e-5)


def test_the_intervals_of_a_published_case_are_narrower_than_its_author_found() -> None:
    """500 devices in five waves, epsilon 1, 2 for ever, a fifth with the value: .118 to .288, by Chernoff's bound."""
    kept = 1 / (1 + np.exp(-2))
    one = (1 / (1 + np.exp(-1)) - (1 - kept)) / (2 * kept - 1)
    channel = two_stages(kept, 1 - kept, one, 1 - one)
    s = round(2500 * channel.reported_share(0.2))
    low, high = confidence_interval(s, 2500, channel, n_waves=5)
    assert (low, high) == pytest.approx((0.138, 0.266), abs=0.001)
    plain = Channel(channel.prob_support_if_true, channel.prob_support_if_other)
    assert confidence_interval(s, 2500, plain, n_waves=5) == pytest.approx((0.077, 0.328), abs=0.001)


@pytest.mark.few(4, "rare")
@pytest.mark.parametrize("sizes", [(300, 300), (500, 20), (900, 1), (50, 40, 3), (5, 5)])
@pytest.mark.parametrize("channel", CHANNELS.values(), ids=CHANNELS)
def test_a_second_stage_never_widens_and_respondents_are_known_best(channel: Channel, sizes: tuple[int, ...]) -> None:
    n, devices = sum(sizes), Devices.of(Counted(dict(enumerate(sizes, 1))))
    plain = Channel(channel.prob_support_if_true, channel.prob_support_if_other)
    every, tiny = np.unique(np.linspace(0, n, 60).round()), 1e-9
    wide = confidence_interval(every, n, plain, devices=devices)
    narrow = confidence_interval(every, n, channel, devices=devices)
    best = confidence_interval(every, n, channel, devices=devices, target="respondents")
    assert (wide.low <= narrow.low + tiny).all()
    assert (narrow.low <= best.low + tiny).all()
    assert (wide.high >= narrow.high - tiny).all()
    assert (narrow.high >= best.high - tiny).all()


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("sizes", [(400, 400), (500, 300)])
def test_no_share_is_left_where_counts_contradict_the_design(sizes: tuple[int, ...], target: Target) -> None:
    devices = Devices.of(Counted(dict(enumerate(sizes, 1))))
    counts = [0, sum(sizes)]
    ends = confidence_interval(counts, sum(sizes), CHANNELS["basic"], target=target, devices=devices)
    assert np.array(ends).T.tolist() == [[0, 0], [1, 1]]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("channel", CHANNELS.values(), ids=CHANNELS)
def test_standard_errors_are_those_of_people_who_do_not_change_their_answer(channel: Channel, target: Target) -> None:
    n_devices, n_waves = 10, 3
    values = np.arange(n_waves + 1)
    if_true, if_other = (np.array(report_pmf(channel, (has,) * n_waves, (0,) * n_waves)) for has in (True, False))

    def variance(pmf: Pmf) -> float:
        return float((pmf * values**2).sum() - (pmf * values).sum() ** 2)

    mixed = variance(0.3 * if_true + 0.7 * if_other)
    of_device = mixed if target == "population" else 0.3 * variance(if_true) + 0.7 * variance(if_other)
    n = n_devices * n_waves
    expected = (n_devices * of_device) ** 0.5 / n / channel.contrast
    assert errors_of(0.3, n, channel, target, design_effect=n_waves) == pytest.approx(expected)


@pytest.mark.few(5)
@pytest.mark.parametrize("question", [*cases()])
def test_two_reports_of_one_answer_are_as_dependent_as_a_mechanisms_stages_say(question: Question) -> None:
    """P(both reports support a value) = t o^2 + (1-t) z^2, for each answer and value, of draws of the mechanism.

    A second stage that is off by .05 is found; where there is none, a device says the same twice, always.
    """
    mechanism = question.mechanism
    if not isinstance(mechanism, PureMechanism) or mechanism.has_cohorts:
        assert not isinstance(mechanism, PureMechanism) or mechanism.prob_support_if_kept == (1, 0)
        return
    channel = channel_of(question)
    kept, one, zero = channel.permanent, channel.report_if_one, channel.report_if_zero
    n_draws = N_DRAWS // 2 if mechanism.has_two_stages else N_DRAWS // 20
    for answer in answers_of(question):
        coins = coins_of(f"waves of {answer}")
        permanent = mechanism.respond_permanently([answer] * n_draws, mechanism.draw_group(n_draws, coins), coins)
        first, second = (supports(mechanism, mechanism.report(permanent, coins)) for _ in range(2))
        assert mechanism.has_two_stages or ((one, zero) == (1, 0) and (first == second).all())
        has_value = (
            np.ravel(answer)
            if mechanism.takes_rows or mechanism.n_values == 1
            else np.arange(mechanism.n_values) == answer
        )
        for value, is_true in enumerate(has_value):
            yes = kept.prob_support_if_true if is_true else kept.prob_support_if_other
            prob = yes * one**2 + (1 - yes) * zero**2
            z = ((first & second)[:, value].mean() - prob) / np.sqrt(prob * (1 - prob) / n_draws)
            assert abs(z) < Z_MAX, (answer, value)


def supports(mechanism: PureMechanism, reports: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Return which values each report supports, shape (n, n_values): looked up once for each report that there is."""
    rows, at = np.unique(reports, axis=0, return_inverse=True)
    found = np.array([[value in mechanism.supported(row) for value in range(mechanism.n_values)] for row in rows])
    return np.asarray(found[at.ravel()])
