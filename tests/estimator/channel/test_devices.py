"""Intervals of pooled waves whose sizes are known: they hold for the worst devices, and strays hardly widen them."""

from functools import reduce
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import optimize, special
from scipy.stats import binom
from test_waves import CHANNEL, FOR_WAVES, waves_of

from dear import DEAR
from published import YES_NO
from sotto_estimator import Channel, DomainError, IntervalOptions, confidence_interval, estimate_tally
from sotto_estimator.channel.devices import Devices
from sotto_estimator.intervals.contradiction import FALSE_ALARM, QuestionCounts, contradictions_of
from sotto_estimator.intervals.repeated_waves import chernoff_of_devices
from sotto_protocol import Tally
from sotto_protocol.counted import Counted

PLAIN = Channel(1, 0)
"""Reports are the answers: shares near 0 and 1 are those that Chernoff's bound knows best."""


def sizes_of(*sizes: int) -> Devices:
    return Devices.of(Counted(dict(enumerate(sizes, 1))))


def most_dependent(sizes: tuple[int, ...], most: int) -> set[tuple[int, ...]]:
    """Return how many reports each device can have sent, by enumeration: waves of these sizes, so many each at most."""
    found: set[tuple[int, ...]] = {()}
    for size in sizes:
        after = set()
        for sent in found:
            padded = (*sent, *[0] * size)
            for chosen in combinations(range(len(padded)), size):
                now = [n + (place in chosen) for place, n in enumerate(padded)]
                if max(now) <= most:
                    after.add(tuple(sorted(filter(None, now), reverse=True)))
        found = after
    return found


@pytest.mark.parametrize("sizes", [(4,), (3, 3), (3, 2, 1), (2, 2, 2), (4, 1, 1), (3, 3, 1), (2, 2, 1, 1)])
@pytest.mark.parametrize("most", [1, 2, 3, 4])
def test_no_devices_that_send_so_many_reports_are_more_dependent(sizes: tuple[int, ...], most: int) -> None:
    """By enumeration of all devices: no convex sum is larger than the worst's, and one is nearly reached."""
    worst = Devices.of(Counted(dict(enumerate(sizes, 1))), most)
    assert worst.n_reports == pytest.approx(sum(sizes))
    assert max(worst.n_each) <= min(most, len(sizes))
    for f in (
        np.square,
        lambda m: np.exp(1.5 * m) - 1,
        lambda m: np.maximum(m - 1.0, 0),
        lambda m: np.maximum(m - 2.0, 0),
    ):
        bound = sum(n * f(float(k)) for k, n in zip(worst.n_each, worst.n_devices, strict=True))
        reached = max(sum(f(float(k)) for k in sent) for sent in most_dependent(sizes, most))
        assert reached <= bound + 1e-9
        assert bound <= reached + f(float(most)) - f(float(most) - 1), "by less than what one device adds with a report"


@pytest.mark.parametrize("sizes", [(900,), (500, 55, 0), (7, 6, 5, 4)])
def test_devices_that_send_one_report_are_independent_and_a_bound_of_all_waves_is_none(sizes: tuple[int, ...]) -> None:
    counted = Counted(dict(enumerate(sizes, 1)))
    assert Devices.of(counted, 1) == Devices.alike(sum(sizes), 1)
    assert Devices.of(counted, len(sizes)) == Devices.of(counted)
    assert Devices.of(Counted.unsplit(900, (1, 2, 3)), 2) == Devices.alike(900, 2)


def plain_ends(counts: np.ndarray, devices: Devices) -> tuple[np.ndarray, np.ndarray]:
    return chernoff_of_devices(counts, devices, PLAIN, "population", 0.025)


def pair(first: float, second: float, coupling: str) -> list[float]:
    """Return the distribution of the sum of a device's two reports, with these means."""
    both = {
        "same": min(first, second),
        "opposite": max(0.0, first + second - 1),
        "independent": first * second,
    }[coupling]
    return [1 - first - second + both, first + second - 2 * both, both]


def counts_of(n_both: int, n_single: int, mean_both: float, mean_single: float, coupling: str) -> np.ndarray:
    """Return the distribution of the count of a crowd: n_both devices in two waves, n_single in the first alone."""
    parts = [pair(mean_both, mean_both, coupling)] * n_both + [[1 - mean_single, mean_single]] * n_single
    return np.asarray(reduce(np.convolve, parts, np.ones(1)))


@pytest.mark.few(4)
@pytest.mark.parametrize("coupling", ["same", "opposite", "independent"])
@pytest.mark.parametrize("method", FOR_WAVES)
@pytest.mark.parametrize("level", [0.5, 0.8, 0.95])
def test_intervals_of_unequal_waves_hold_whatever_the_dependence(method: str, level: float, coupling: str) -> None:
    """By enumeration of all counts. Who answers twice may think otherwise than who answers once."""
    for n_both, n_single in [(1, 20), (5, 12), (20, 3), (12, 40)]:
        n, every = 2 * n_both + n_single, np.arange(2 * n_both + n_single + 1)
        devices = sizes_of(n_both + n_single, n_both)
        for channel in (PLAIN, CHANNEL):
            low, high = confidence_interval(every, n, channel, method=method, level=level, devices=devices)
            for of_both, of_single in product((0.0, 0.02, 0.3, 0.5, 1.0), repeat=2):
                share = (2 * n_both * of_both + n_single * of_single) / n
                reported = (channel.reported_share(of_both), channel.reported_share(of_single))
                prob = counts_of(n_both, n_single, *reported, coupling)
                inside = (low <= share + 1e-12) & (share - 1e-12 <= high)
                assert prob[inside].sum() >= level, (n_both, n_single, of_both, of_single)


@pytest.mark.parametrize("method", FOR_WAVES)
def test_the_same_check_finds_intervals_that_take_all_reports_as_independent(method: str) -> None:
    """Sixty devices repeat themselves in ten waves, five answer once: what the bounds leave free is not enough."""
    share, devices = 0.3, sizes_of(65, *[60] * 9)
    every = np.arange(606)
    repeated = np.zeros(601)
    repeated[::10] = binom.pmf(np.arange(61), 60, share)
    prob = np.convolve(repeated, binom.pmf(np.arange(6), 5, share))
    for known, holds in ((None, False), (devices, True)):
        low, high = confidence_interval(every, 605, PLAIN, method=method, level=0.8, devices=known)
        assert (prob[(low <= share) & (share <= high)].sum() >= 0.8) == holds


@pytest.mark.parametrize("method", FOR_WAVES)
@pytest.mark.parametrize("sizes", [(9, 4, 4), (6, 5, 2), (7, 1, 1)])
def test_intervals_of_three_waves_hold_for_devices_in_all_that_they_can_be_in(
    method: str, sizes: tuple[int, ...]
) -> None:
    """Every device repeats itself; devices of one, two and three reports have means of their own."""
    n = sum(sizes)
    devices = sizes_of(*sizes)
    every = np.arange(n + 1)
    low, high = confidence_interval(every, n, PLAIN, method=method, level=0.7, devices=devices)
    kinds = list(zip(devices.n_each, map(int, devices.n_devices), strict=True))
    for means in product((0.0, 0.1, 0.4, 0.9), repeat=len(kinds)):
        parts = [
            np.eye(1, k + 1).ravel() * (1 - mean) + np.eye(1, k + 1, k).ravel() * mean
            for (k, number), mean in zip(kinds, means, strict=True)
            for _ in range(number)
        ]
        prob = reduce(np.convolve, parts, np.ones(1))
        share = sum(k * number * mean for (k, number), mean in zip(kinds, means, strict=True)) / n
        assert prob[(low <= share + 1e-12) & (share - 1e-12 <= high)].sum() >= 0.7, means


@pytest.mark.parametrize("method", FOR_WAVES)
@pytest.mark.parametrize(("n", "most"), [(900, 1.002), (10_000, 1.0003), (10**6, 1.00001)])
def test_a_stray_report_of_another_wave_hardly_widens_an_interval(method: str, n: int, most: float) -> None:
    for count in (n // 3, n // 2, 3 * n // 5):
        alone, stray = (
            np.diff(confidence_interval(count, size, CHANNEL, method=method, devices=devices))[0]
            for size, devices in ((n, sizes_of(n)), (n + 1, sizes_of(n, 1)))
        )
        assert stray < most * alone
        as_before = np.diff(confidence_interval(count, n + 1, CHANNEL, method=method, n_waves=2))[0]
        assert as_before > 1.3 * alone, "the number of waves alone would say something else"


@pytest.mark.parametrize("count", [0, 1, 9])
def test_a_stray_report_moves_the_ends_of_a_rare_values_interval_by_some_reports_at_most(count: int) -> None:
    n = 10_000
    alone, stray = (
        np.array(confidence_interval(count, size, PLAIN, devices=devices))
        for size, devices in ((n, sizes_of(n)), (n + 1, sizes_of(n, 1)))
    )
    assert (np.abs(stray - alone) < 1.5 / n).all()


def test_a_stray_report_hardly_widens_what_is_printed() -> None:
    survey = waves_of(YES_NO)
    one, stray = (
        estimate_tally(Tally(survey, by_wave, {"q0": np.array([400])})).rows[0]
        for by_wave in ({2: 900}, {2: 900, 3: 1})
    )
    assert stray.standard_error == pytest.approx(one.standard_error, rel=0.002)
    assert stray.high - stray.low == pytest.approx(one.high - one.low, rel=0.003)
    with pytest.raises(DomainError, match="where 2 waves are pooled"):
        estimate_tally(Tally(survey, {2: 900, 3: 1}, {"q0": np.array([400])}), IntervalOptions(method="wilson"))


@pytest.mark.thorough
@pytest.mark.parametrize("method", FOR_WAVES)
@DEAR
@given(st.lists(st.integers(1, 3000), min_size=1, max_size=6), st.data())
def test_intervals_are_never_wider_than_the_number_of_waves_makes_them(
    method: str, sizes: list[int], data: st.DataObject
) -> None:
    n = sum(sizes)
    count = data.draw(st.integers(0, n))
    level = data.draw(st.sampled_from([0.5, 0.95, 1 - 1e-9]))
    low, high = confidence_interval(count, n, PLAIN, method=method, level=level, devices=sizes_of(*sizes))
    worst = confidence_interval(count, n, PLAIN, method=method, level=level, n_waves=len(sizes))
    best = confidence_interval(count, n, PLAIN, method=method, level=level)
    tiny = 1e-12
    assert worst.low - tiny <= low <= best.low + tiny
    assert best.high - tiny <= high <= worst.high + tiny
    if len(set(sizes)) == 1:
        assert (low, high) == worst


@DEAR
@given(st.lists(st.integers(1, 3000), min_size=2, max_size=5), st.data())
def test_chernoffs_interval_is_never_wider_than_hoeffdings(sizes: list[int], data: st.DataObject) -> None:
    n = sum(sizes)
    count = data.draw(st.integers(0, n))
    low, high = confidence_interval(count, n, PLAIN, devices=sizes_of(*sizes))
    wide = confidence_interval(count, n, PLAIN, method="hoeffding", devices=sizes_of(*sizes))
    assert wide.low - 1e-12 <= low < high <= wide.high + 1e-12


def exponent(count: int, mean: float, devices: Devices) -> float:
    """Return the least of sum of N_k KL(y_k || l_k), found by a solver: of devices of one and of two reports."""
    one, two = devices.n_devices
    n = one + 2 * two

    def divergence(of_two: np.ndarray) -> float:
        y, x = of_two
        rest = (count - 2 * two * y) / one, (n * mean - 2 * two * x) / one
        if not all(0 <= value <= 1 for value in (y, x, *rest)):
            return 1e9
        parts = [(one, *rest), (two, y, x)]
        return sum(float(m * (special.rel_entr(a, b) + special.rel_entr(1 - a, 1 - b))) for m, a, b in parts)

    starts = [(count / n, mean), (0.5 * (count / n + 0.5), 0.5 * (mean + 0.5))]
    options = {"xatol": 1e-10, "fatol": 1e-10, "maxiter": 4000}
    return min(optimize.minimize(divergence, start, method="Nelder-Mead", options=options).fun for start in starts)


@pytest.mark.parametrize("sizes", [(900, 1), (600, 300), (50, 40), (500, 499)])
@pytest.mark.parametrize("part", [0.05, 0.3, 0.9])
def test_the_ends_are_where_the_exponent_is_that_of_the_level(sizes: tuple[int, int], part: float) -> None:
    devices, n = sizes_of(*sizes), sum(sizes)
    count = int(part * n)
    low, high = (float(end[0]) for end in plain_ends(np.array([float(count)]), devices))
    for end in (low, high):
        assert exponent(count, end, devices) == pytest.approx(-np.log(0.025), rel=1e-4)


@pytest.mark.parametrize("sizes", [(900, 1), (2000, 700, 300), (10**9, 10**8, 5), (4, 3)])
def test_intervals_of_many_counts_are_those_of_each_by_itself(sizes: tuple[int, ...]) -> None:
    """Where there are many, tilts are worked out for some of them: that may widen, and hardly does."""
    devices, n = sizes_of(*sizes), sum(sizes)
    counts = np.unique(np.concatenate([np.geomspace(1, n / 2, 400), n - np.geomspace(1, n / 2, 400), [0, n]]).round())
    many = np.resize(counts, 800)
    low, high = (end[: counts.size] for end in plain_ends(many, devices))
    alone = [plain_ends(part, devices) for part in np.array_split(counts, 1 + counts.size // 100)]
    lows, highs = (np.concatenate(ends) for ends in zip(*alone, strict=True))
    assert (low <= lows * (1 + 1e-6) + 1e-14).all()
    assert (1 - high <= (1 - highs) * (1 + 1e-6) + 1e-14).all()
    np.testing.assert_allclose(high - low, highs - lows, rtol=0.002)


@given(st.dictionaries(st.integers(1, 9), st.integers(0, 50), min_size=2), st.integers(0, 60), st.data())
def test_devices_are_as_many_as_make_the_waves(by_wave: dict[int, int], n_unsplit: int, data: st.DataObject) -> None:
    counted = Counted(by_wave, n_unsplit)
    devices = Devices.of(counted)
    assert devices.n_reports == pytest.approx(counted.n_reports)
    if not counted.n_reports:
        return
    assert 1 <= devices.effect <= devices.n_waves <= max(1, len(counted.waves))
    wave = data.draw(st.sampled_from(counted.waves))
    known = counted - Counted.unsplit(n_unsplit, counted.waves) + Counted({wave: n_unsplit}) if n_unsplit else counted
    assert Devices.of(known).effect <= devices.effect * (1 + 1e-9), "to know more makes nothing worse"


def test_reports_of_which_the_wave_is_not_known_count_as_the_number_of_waves_says() -> None:
    assert Devices.of(Counted.unsplit(900, (1, 2, 3))) == Devices.alike(900, 3)
    assert Devices.of(Counted({1: 0, 2: 10, 3: 500}, 100)) == sizes_of(500, 55, 55)
    assert Devices.of(Counted({2: 900})) == Devices.alike(900, 1)


@pytest.mark.parametrize(
    ("sizes", "effect"), [((600, 300), 5 / 3), ((300, 300), 2), ((900, 1), 903 / 901), ((6, 3, 1), (3 + 8 + 9) / 10)]
)
def test_the_design_effect_is_that_of_devices_that_repeat_themselves(sizes: tuple[int, ...], effect: float) -> None:
    """The variance of the sum, a device's reports equal, over that of as many independent reports."""
    assert sizes_of(*sizes).effect == pytest.approx(effect)


def test_devices_of_other_reports_are_refused() -> None:
    with pytest.raises(DomainError, match=r"devices \(of 7 reports\) must be those of the n = 8 reports"):
        confidence_interval(3, 8, CHANNEL, devices=sizes_of(4, 3))
    with pytest.raises(DomainError, match=r"n_waves \(0\) must be >= 1"):
        confidence_interval(3, 8, CHANNEL, n_waves=0)


@pytest.mark.parametrize("sizes", [(12, 5), (20, 1), (9, 9)])
def test_counts_of_unequal_waves_contradict_no_more_often_than_they_say(sizes: tuple[int, int]) -> None:
    """All people have the value, and devices of two reports repeat them: the worst that honest reports do."""
    n, n_both = sum(sizes), min(sizes)
    prob = counts_of(n_both, n - 2 * n_both, 0.75, 0.75, "same")
    above = np.cumsum(prob[::-1])[::-1]
    for count in range(int(0.75 * n), n + 1):
        for found in contradictions_of([QuestionCounts("q", ["yes"], [count], CHANNEL)], n, sizes_of(*sizes)):
            assert found.p_value >= 2 * above[count]


def test_a_stray_report_hides_no_contradiction() -> None:
    n = 1000
    count = int(binom.isf(1e-6, n, 0.75))
    sample = QuestionCounts("q", ["yes"], [count], CHANNEL)
    (stray,) = contradictions_of([sample], n + 1, sizes_of(n, 1))
    assert stray.p_value < FALSE_ALARM
    assert not contradictions_of([sample], n + 1, Devices.alike(n + 1, 2))
