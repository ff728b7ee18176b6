"""Tails of pooled waves on a circle: no crowd's exceeds them, and intervals are about as narrow as estimates spread."""

from collections.abc import Iterator
from functools import cache, reduce
from itertools import combinations_with_replacement, compress, product

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import optimize
from scipy.stats import binom

from sotto_estimator.channel.channel import TARGETS, Channel, Target
from sotto_estimator.channel.devices import Devices
from sotto_estimator.intervals.circle import Circle
from sotto_estimator.intervals.intervals import confidence_interval
from sotto_protocol.counted import Counted

Pmf = NDArray[np.float64]
Stages = tuple[float, float, float, float]


def warner_stages(epsilon: float, forever: float) -> Stages:
    """Return t, u, o, z of basic RAPPOR."""
    kept, true = 1 / (1 + np.exp(-forever)), 1 / (1 + np.exp(-epsilon))
    one = (true - (1 - kept)) / (2 * kept - 1)
    return kept, 1 - kept, one, 1 - one


def channel_of_stages(stages: Stages) -> Channel:
    t, u, o, z = stages
    return Channel(t * o + (1 - t) * z, u * o + (1 - u) * z, o, z)


STAGES: dict[str, Stages] = {
    "basic": warner_stages(1, 2),
    "k-ary": (0.7, 0.05, 0.8, 0.03),
    "nearly no fresh noise": (0.6, 0.1, 0.99, 0.02),
    "a one that is always reported": (0.9, 0.3, 1, 0.4),
    "nearly no permanent noise": (0.99, 0.01, 0.6, 0.3),
}
BARS = [(120, 5), (1000, 12)]
PRINTED: dict[tuple[int, tuple[float, float]], tuple[float, float]] = {
    (120, (1, 2)): (1.06, 1.03),
    (120, (1, 3)): (1.07, 1.03),
    (120, (0.5, 1)): (1.02, 1.03),
    (1000, (1, 2)): (1.08, 1.01),
    (1000, (1, 3)): (1.11, 1.01),
    (1000, (0.5, 1)): (1.03, 1.01),
}
EPSILONS: list[tuple[float, float]] = [(1, 2), (1, 3), (0.5, 1)]


def one_answer(stages: Stages, size: int, *, is_true: bool) -> Pmf:
    """Return the distribution of what so many reports of one answer add: a mixture of two binomials."""
    t, u, o, z = stages
    kept = t if is_true else u
    values = np.arange(size + 1)
    return np.asarray(kept * binom.pmf(values, size, o) + (1 - kept) * binom.pmf(values, size, z))


def convolved(parts: list[Pmf]) -> Pmf:
    return np.asarray(reduce(np.convolve, parts, np.ones(1)))


def power(pmf: Pmf, number: int) -> Pmf:
    """Return the distribution of a sum of so many, by squaring."""
    found = np.ones(1)
    while number:
        found, pmf, number = np.convolve(found, pmf) if number % 2 else found, np.convolve(pmf, pmf), number // 2
    return found


def partitions(size: int, most: int) -> Iterator[list[int]]:
    """Yield the ways in which reports can be of answers: 3, 2 + 1, 1 + 1 + 1."""
    if size == 0:
        yield []
    for first in range(min(size, most), 0, -1):
        yield from ([first, *rest] for rest in partitions(size - first, first))


def devices_answers(size: int) -> Iterator[list[tuple[int, bool]]]:
    """Yield all that a device of so many reports can answer: how often each answer, and whether that is the value."""
    for n_true in range(size + 1):
        for true, others in product(partitions(n_true, n_true), partitions(size - n_true, size)):
            if len(true) <= 1:  # one answer is the value; the others can be several
                yield [*((of, True) for of in true), *((of, False) for of in others)]


def senders(sizes: tuple[int, ...]) -> list[list[int]]:
    """Return how many reports devices can have sent in waves of these sizes: any j at most min(size, j) in each."""
    return [
        each
        for each in partitions(sum(sizes), len(sizes))
        if all(sum(each[:j]) <= sum(min(size, j) for size in sizes) for j in range(1, len(each) + 1))
    ]


def circle_of(stages: Stages, devices: Devices, target: Target) -> Circle:
    return Circle(np.array(devices.n_each, float), np.array(devices.n_devices, float), stages, target, np.log(40))


def log_bounds(circle: Circle, share: float, touching: float) -> tuple[Pmf, Pmf]:
    """Return ln of the bounds of P(S >= s), shape (tilts, n + 1), and of what is true there by the tilts."""
    tilts = np.array([[0.05], [0.2], [0.6], [1.5]])
    lines = circle.lines(tilts, np.full_like(tilts, touching))
    return lines.log_sum(np.full_like(tilts, share)) - tilts * np.arange(round(circle.n) + 1), tilts


@pytest.mark.parametrize("touching", [0.0, 0.35, 1.0])
@pytest.mark.parametrize("stages", STAGES.values(), ids=STAGES)
@pytest.mark.parametrize("sizes", [(2, 2, 2), (3, 2, 1), (4, 2), (5, 1)])
def test_no_tail_of_a_crowd_exceeds_the_bound(sizes: tuple[int, ...], stages: Stages, touching: float) -> None:
    """By enumeration of all that respondents can answer, in all waves that they can, and of all counts."""
    devices = Devices.of(Counted(dict(enumerate(sizes, 1))))
    circle, n = circle_of(stages, devices, "respondents"), sum(sizes)
    kinds = {
        size: {
            (sum(of for of, is_true in answers if is_true), tuple(pmf.round(12))): pmf
            for answers in devices_answers(size)
            for pmf in [convolved([one_answer(stages, of, is_true=is_true) for of, is_true in answers])]
        }
        for size in range(1, len(sizes) + 1)
    }
    bounds = {n_true: log_bounds(circle, n_true / n, touching)[0].min(0) for n_true in range(n + 1)}
    for each in senders(sizes):
        crowds = [combinations_with_replacement(kinds[size].items(), each.count(size)) for size in sorted(set(each))]
        for crowd in product(*crowds):
            devices_of = [one for part in crowd for one in part]
            n_true = sum(true for (true, _), _ in devices_of)
            tail = convolved([pmf for _, pmf in devices_of])[::-1].cumsum()[::-1]
            assert (np.log(tail) <= bounds[n_true] + 1e-9).all()


@pytest.mark.few(5, "rare")
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("stages", STAGES.values(), ids=STAGES)
@pytest.mark.parametrize("n_each", [(4,), (1, 3), (2, 5, 6)])
def test_no_tail_of_made_up_crowds_exceeds_the_bound(n_each: tuple[int, ...], stages: Stages, target: Target) -> None:
    """Larger crowds with answers, and probabilities of them, by chance; devices spread less than the worst, too."""
    rng = np.random.default_rng(1)
    devices = Devices(n_each, tuple(4.0 + index for index in range(len(n_each))))
    circle = circle_of(stages, devices, target)
    sizes = [k for k, number in zip(devices.n_each, devices.n_devices, strict=True) for _ in range(int(number))]
    answers = {size: [*devices_answers(size)] for size in n_each}
    for _ in range(12):
        parts, true = [], 0.0
        for size in sizes:
            mixed = answers[size]
            chosen = rng.choice(len(mixed), 1 if target == "respondents" else 3)
            for at, weight in zip(chosen, rng.dirichlet(np.ones(len(chosen)) / 2), strict=True):
                parts += [weight * convolved([one_answer(stages, of, is_true=has) for of, has in mixed[at]])]
                true += weight * sum(of for of, has in mixed[at] if has)
            parts[-len(chosen) :] = [np.asarray(sum(parts[-len(chosen) :]))]
        tail = convolved(parts)[::-1].cumsum()[::-1]
        share = true / sum(sizes)
        for touching in (share, share / 2, 1.0):
            bounds, _ = log_bounds(circle, share, touching)
            assert (np.log(tail) <= bounds + 1e-9).all()


@pytest.mark.parametrize("stages", STAGES.values(), ids=STAGES)
@pytest.mark.parametrize("sizes", [(3, 2, 1), (3, 3)])
def test_nobody_adds_more_at_any_point(sizes: tuple[int, ...], stages: Stages) -> None:
    """Of devices that are one for all or change all the time, in all waves that they can be in."""
    devices, tilt = Devices.of(Counted(dict(enumerate(sizes, 1)))), 0.3
    circle, n = circle_of(stages, devices, "respondents"), sum(sizes)
    n_pairs = int(np.ceil((6 + np.log(40)) / tilt / 2))
    w = tilt + 2j * np.pi * np.arange(n_pairs + 1) / (2 * n_pairs + 1)
    weight = np.log(np.where(np.arange(n_pairs + 1), 2, 1) / (2 * n_pairs + 1) / abs(1 - np.exp(-w)))
    t, u, o, z = stages
    a, b = 1 - o + o * np.exp(w), 1 - z + z * np.exp(w)

    @cache
    def added(size: int, kept: float, is_one: bool) -> Pmf:
        each = size if is_one else 1
        return np.asarray(np.log(abs(kept * a**each + (1 - kept) * b**each)) * (size / each))

    lines = [circle.lines(np.array([[tilt]]), np.array([[touching]])) for touching in (0.2, 1.0)]
    for each in senders(sizes):
        for truths in product((True, False), repeat=len(each)):
            share = sum(compress(each, truths)) / n
            for is_one in product((True, False), repeat=2):
                total = sum(
                    added(of, t, is_one[0]) if has else added(of, u, is_one[1])
                    for of, has in zip(each, truths, strict=True)
                )
                for line in lines:
                    at_share = (line.start + line.rise * share)[0, : n_pairs + 1]
                    assert (total + weight <= at_share + 1e-9).all()


@pytest.mark.parametrize("stages", STAGES.values(), ids=STAGES)
def test_points_beyond_those_that_are_looked_at_count_as_well(stages: Stages) -> None:
    """All 2,000 points of a small tilt: of little fresh noise many of them matter."""
    devices, tilt, share = Devices((2, 3), (4.0, 5.0)), 0.005, 0.3
    circle = circle_of(stages, devices, "respondents")
    lines = circle.lines(np.array([[tilt]]), np.array([[share]]))
    t, u, o, z = stages
    n_points = 2 * int(np.ceil((6 + np.log(40)) / tilt / 2)) + 1
    w = tilt + 2j * np.pi * np.arange(n_points) / n_points
    a, b = 1 - o + o * np.exp(w), 1 - z + z * np.exp(w)
    sizes = abs((t * a**3 + (1 - t) * b**3) ** 2 * (u * a**3 + (1 - u) * b**3) ** 3 * (u * a**2 + (1 - u) * b**2) ** 4)
    total = (sizes / abs(1 - np.exp(-w))).sum() / n_points
    assert lines.log_sum(np.array([[6 / 23]])) >= np.log(total)


def spread(stages: Stages, share: float, n_waves: float, n: int, target: Target) -> float:
    """Return the estimate's standard deviation, of devices that do not change their answers."""
    t, u, o, z = stages
    kept = u + share * (t - u)
    fresh = kept * o * (1 - o) + (1 - kept) * z * (1 - z)
    lasting = kept * (1 - kept) if target == "population" else share * t * (1 - t) + (1 - share) * u * (1 - u)
    return float(np.sqrt((fresh + n_waves * (o - z) ** 2 * lasting) / n) / ((t - u) * (o - z)))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("share", [0.3, 0.5])
@pytest.mark.parametrize("epsilons", EPSILONS)
@pytest.mark.parametrize(("n_devices", "n_waves"), BARS)
def test_intervals_are_little_wider_than_estimates_spread(
    n_devices: int, n_waves: int, epsilons: tuple[float, float], share: float, target: Target
) -> None:
    """At most 1.12 of the 95 % range of the estimate itself: 1.2 to 1.4 by Chernoff's bound alone.

    Shares of one half are as in the table of docs/maths-waves.md.
    """
    stages, n = warner_stages(*epsilons), n_devices * n_waves
    channel = channel_of_stages(stages)
    low, high = confidence_interval(
        round(n * channel.reported_share(share)), n, channel, n_waves=n_waves, target=target
    )
    ratio = float(high - low) / 2 / (1.96 * spread(stages, share, n_waves, n, target))
    assert ratio <= 1.12
    assert share != 0.5 or ratio == pytest.approx(PRINTED[n_devices, epsilons][target == "respondents"], abs=0.0051)


@pytest.mark.few(1, "rare")
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("epsilons", EPSILONS)
def test_of_people_who_do_not_change_their_answer_few_more_are_covered_than_must_be(
    epsilons: tuple[float, float], target: Target
) -> None:
    """By enumeration of all counts: 120 people, five waves; at the level, and no more than 2.2 % above."""
    n_devices, n_waves = 120, 5
    stages, n = warner_stages(*epsilons), n_devices * n_waves
    low, high = confidence_interval(np.arange(n + 1), n, channel_of_stages(stages), n_waves=n_waves, target=target)
    if_true, if_other = (one_answer(stages, n_waves, is_true=has) for has in (True, False))
    for n_true in (12, 36, 60, 90):
        share = n_true / n_devices
        pmf = np.convolve(power(if_true, n_true), power(if_other, n_devices - n_true))
        if target == "population":
            pmf = power(share * if_true + (1 - share) * if_other, n_devices)
        covered = pmf[(low <= share) & (share <= high)].sum()
        assert 0.95 <= covered <= 0.972


def naive_low(s: float, n: int, n_waves: int, stages: Stages, target: Target, tail: float) -> float:
    """Return the lower end of equal waves by a solver, from the formulas as they stand in docs/maths-waves.md."""
    t, u, o, z = stages

    def log_bound(h: float, share: float) -> float:
        n_points = 2 * int(np.ceil((6 - np.log(tail)) / h / 2)) + 1
        w = h + 2j * np.pi * np.arange(n_points) / n_points
        a, b = 1 - o + o * np.exp(w), 1 - z + z * np.exp(w)
        true, other = (
            np.max([abs(kept * a**g + (1 - kept) * b**g) ** (1 / g) for g in range(1, n_waves + 1)], 0)
            for kept in (t, u)
        )
        if target == "respondents":
            logs = n * (share * np.log(true) + (1 - share) * np.log(other))
        else:
            logs = n / n_waves * np.log(share * true**n_waves + (1 - share) * other**n_waves)
        terms = np.exp(logs - logs[0]) / abs(1 - np.exp(-w)) / n_points
        return float(logs[0] - h * s + min(0, np.log(terms.sum())))

    def room(share: float) -> float:
        return min(log_bound(h, share) for h in np.geomspace(0.005, 2, 200)) - float(np.log(tail))

    return float(optimize.brentq(room, 0, 1, xtol=1e-6)) if room(0) < 0 else 0.0


@pytest.mark.few(2, "rare")
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("stages", STAGES.values(), ids=STAGES)
@pytest.mark.parametrize(("n", "n_waves"), [(400, 2), pytest.param(2500, 5, marks=pytest.mark.thorough)])
def test_the_ends_are_those_of_the_formulas(stages: Stages, n: int, n_waves: int, target: Target) -> None:
    channel = channel_of_stages(stages)
    s = round(n * channel.reported_share(0.4))
    low, _ = confidence_interval(s, n, channel, target=target, n_waves=n_waves)
    expected = naive_low(s, n, n_waves, stages, target, 0.025)
    assert expected - 0.005 * (0.4 - expected) <= low <= expected + 2e-5


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("sizes", [(1000, 700, 400), (900, 900, 30, 5), (400, 390, 380, 200, 60)])
def test_intervals_of_unequal_waves_are_little_wider_than_estimates_spread(
    sizes: tuple[int, ...], target: Target
) -> None:
    """Of devices that are all in the largest waves, and so depend most."""
    stages, n, devices = warner_stages(1, 2), sum(sizes), Devices.of(Counted(dict(enumerate(sizes, 1))))
    channel = channel_of_stages(stages)
    s = round(n * channel.reported_share(0.4))
    low, high = confidence_interval(s, n, channel, target=target, devices=devices)
    assert (high - low) / 2 <= 1.12 * 1.96 * spread(stages, 0.4, devices.effect, n, target)


def test_a_million_million_reports_are_no_harder() -> None:
    channel = channel_of_stages(STAGES["basic"])
    low, high = confidence_interval(5 * 10**11, 10**12, channel, n_waves=10)
    wide = 1.96 * spread(STAGES["basic"], 0.5, 10, 10**12, "population")
    assert 1.0 * wide <= (high - low) / 2 <= 1.12 * wide
    assert low < 0.5 < high
