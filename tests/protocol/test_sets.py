"""Set responses exactly: sets by enumeration of their draws, geometry by listing its points, and what is refused."""

from collections import Counter
from decimal import Decimal
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import reference
from published import build
from reference import Published
from sotto_protocol import COIN_SCALE, Coins, Mechanism, ReportError, given_bytes, hmac_bytes
from sotto_protocol.mechanisms.checks import BadValueError
from sotto_protocol.mechanisms.geometry import PRIMES, GeometryResponse, geometry, n_points
from sotto_protocol.mechanisms.registry import best_of
from sotto_protocol.mechanisms.subset import SubsetResponse, best_weight, subset

Q = 2**30


def set_of(weight: int) -> Published:
    return {"name": "subset", "threshold_if_true": 3 * Q, "weight": weight}


def space_of(field: int, dimension: int) -> Published:
    return {"name": "geometry", "threshold_if_true": 3 * Q, "field": field, "dimension": dimension}


def given_draw(n_values: int, value: int) -> bytes:
    """Return bytes that a uniform integer is drawn from: one value in as many ways as another, and so for all."""
    width = 2 if n_values <= 256 else 4
    return (-(-(value << 8 * width) // n_values) + 1).to_bytes(width, "big")


class Watched(Coins):
    """Coins that know of how many values the integer is that was asked for last."""

    asked = 0

    def uniform(self, n_values: int, n_draws: int) -> NDArray[np.uint32]:
        self.asked = n_values
        return super().uniform(n_values, n_draws)

    def uniform_one(self, n_values: int) -> int:
        self.asked = n_values
        return super().uniform_one(n_values)

    def uniform_few(self, n_values: int, n_draws: int) -> list[int]:
        self.asked = n_values
        return super().uniform_few(n_values, n_draws)


def enumerate_draws(mechanism: Mechanism, answer: int, most: int) -> tuple[Counter[bytes], Fraction]:
    """Return the probability of every report by at most so many uniform draws, and that more are needed."""
    found: Counter[bytes] = Counter()
    left = Fraction(0)
    true = Fraction(3, 4)
    open_ends = [(bytes([0]), true, 0), (bytes([255]), 1 - true, 0)]
    while open_ends:
        stream, prob, n_drawn = open_ends.pop()
        coins = Watched(given_bytes(stream))
        try:
            [report] = mechanism.perturb([answer], coins)
            found[report.tobytes()] += prob  # type: ignore[assignment]  # a fraction, not a number of times
        except ValueError:
            if n_drawn == most:
                left += prob
            else:
                n = coins.asked
                open_ends += [(stream + given_draw(n, u), prob / n, n_drawn + 1) for u in range(n)]
    return found, left


@pytest.mark.parametrize(
    ("published", "n_values", "most"),
    [
        *[(set_of(weight), k, most) for k, weight, most in ((2, 1, 2), (3, 1, 2), (4, 2, 8), (5, 2, 7), (6, 2, 6))],
        *[(space_of(*shape), k, 2) for shape, k in (((2, 2), 3), ((2, 3), 7), ((2, 4), 9), ((3, 3), 11), ((5, 2), 6))],
    ],
)
def test_the_enumerated_channel_is_uniform_within_and_outside_of_the_set(
    published: Published, n_values: int, most: int
) -> None:
    mechanism = build(published, n_values)
    for answer in range(n_values):
        found, left = enumerate_draws(mechanism, answer, most)
        expected = reference.distribution(published, n_values, answer)
        assert sum(found.values()) + left == 1
        assert left < Fraction(1, 50)
        assert found.keys() == expected.keys()
        assert all(found[report] <= prob <= found[report] + left for report, prob in expected.items())


@pytest.mark.few(4)
@pytest.mark.parametrize(
    ("published", "n_values"),
    [
        *[({"name": "k-ary", "threshold_if_true": 3 * Q}, k) for k in (2, 5, 300)],
        *[({"name": "k-ary", "threshold_if_true": 3 * Q, "report_if_true": 3 * Q}, k) for k in (2, 5, 300)],
        *[(set_of(weight), k) for k, weight in ((2, 1), (5, 2), (20, 2), (16, 4), (300, 60))],
        *[(space_of(*shape), k) for shape, k in (((2, 2), 3), ((2, 3), 7), ((5, 3), 20), ((3, 9), 4096))],
    ],
)
def test_how_much_is_drawn_says_nothing_of_the_coin_and_nothing_of_the_answer(
    published: Published, n_values: int
) -> None:
    """Whoever sees the report, and how long it took to make, must not know whether it supports the answer."""
    mechanism = build(published, n_values)
    for seed in range(80):
        stream = hmac_bytes(seed.to_bytes(32, "big"), b"how much")(20_000)
        left = set()
        for coin in (0, 255):
            for answer in {0, 1, n_values // 2, n_values - 1}:
                take = given_bytes(bytes([coin]) + stream)
                mechanism.perturb([answer], Coins(take))
                left.add(take(8))
        assert len(left) == 1


def test_sets_that_begin_with_coins_are_uniform() -> None:
    """Every pair, and every option outside, is in as many of 200,000 sets as another, but for chance."""
    mechanism, n = SubsetResponse("subset", 12, 3 * Q, 5), 200_000
    assert mechanism._first
    bits = np.unpackbits(
        mechanism.perturb(np.full(n, 4), Coins(hmac_bytes(bytes(32), b"sets"))), axis=1, count=12, bitorder="little"
    )
    assert (bits.sum(axis=1) == 5).all()
    for has_true, size in ((1, 4), (0, 5)):
        chosen = np.delete(bits[bits[:, 4] == has_true], 4, axis=1).astype(float)
        n_sets, prob = len(chosen), size * (size - 1) / (11 * 10)
        together = (chosen.T @ chosen)[np.triu_indices(11, 1)]
        assert np.abs(together - n_sets * prob).max() < 5 * (n_sets * prob * (1 - prob)) ** 0.5


@pytest.mark.few(3)
@pytest.mark.parametrize(
    ("field", "dimension"), [(2, 2), (2, 5), (3, 4), (5, 3), (7, 2), (509, 2), (521, 2), (65_521, 2), (2, 16), (3, 10)]
)
def test_points_are_numbered_as_published_and_counted_as_listed(field: int, dimension: int) -> None:
    mechanism = GeometryResponse("geometry", min(60, n_points(field, dimension)), 3 * Q, field, dimension)
    coins = Coins(hmac_bytes(bytes(32), b"points"))
    reports = mechanism.perturb(np.arange(3000) % mechanism.n_values, coins)
    if field**dimension < 3000:
        points = reference.points_of({"field": field, "dimension": dimension})
        assert len(points) == mechanism.n_outputs
        sent = [points[mechanism.to_wire(report)] for report in reports]
        support = [
            sum(reference.is_orthogonal(points[v], one, field) for one in sent) for v in range(mechanism.n_values)
        ]
    else:
        counted = Counter(value for report in reports for value in mechanism.supported(report))
        support = [counted[value] for value in range(mechanism.n_values)]
    assert mechanism.count_support(reports).tolist() == support
    mechanism.check_counts(mechanism.count_support(reports), 3000)


def test_all_points_counted_are_a_block_design() -> None:
    """Each point is orthogonal to as many, and each two to as many: what the two probabilities rest on."""
    for field, dimension in ((2, 4), (3, 3), (5, 2), (5, 3)):
        mechanism = GeometryResponse("geometry", n_points(field, dimension), 3 * Q, field, dimension)
        outputs = [
            np.frombuffer(number.to_bytes(mechanism.n_bytes, "big"), np.uint8) for number in range(mechanism.n_values)
        ]
        supports = [{*mechanism.supported(report)} for report in outputs]
        each = [sum(value in one for one in supports) for value in range(mechanism.n_values)]
        assert {*each} == {n_points(field, dimension - 1)}
        assert mechanism.odds_against == Fraction(len(supports) - each[0], each[0])
        both = {sum({one, other} <= of for of in supports) for one, other in combinations(range(mechanism.n_values), 2)}
        assert both == {int(mechanism.shared * each[0])}


def exact_variance(k: int, epsilon: Decimal, weight: int) -> float:
    """n times the mean variance of a share by subset selection, from e^epsilon: Ye & Barg 2017, section III."""
    e = epsilon.exp()
    true = e * weight / (e * weight + k - weight)
    other = (true * (weight - 1) + (1 - true) * weight) / (k - 1)
    return float((true * (1 - true) + (k - 1) * other * (1 - other)) / k / (true - other) ** 2)


GRID = [Decimal(str(round(0.1 * 80 ** (step / 14), 6))) for step in range(15)]
SIZES = [*range(2, 40), 50, 64, 100, 128, 200, 256, 400, 512, 513, 700, 1000, 1024, 1500, 2048, 2500, 3000, 4000, 4096]


@pytest.mark.few(12, "rare")
@pytest.mark.parametrize("k", SIZES)
def test_auto_is_near_the_best_subset_whatever_the_options_and_epsilon(k: int) -> None:
    for epsilon in GRID:
        near = {1, 2, *range(max(1, int(k / (epsilon.exp() + 1)) - 2), min(k, int(k / (epsilon.exp() + 1)) + 4))} - {k}
        best = min(exact_variance(k, epsilon, weight) for weight in near)
        chosen = best_of("one-of", k, epsilon)
        assert chosen.report_variance <= 1.03 * best
        assert chosen.epsilon <= epsilon
        assert chosen.name in ("k-ary", "subset", "geometry")
        assert chosen.n_bytes <= 64 or chosen.name == "subset"
        assert exact_variance(k, epsilon, best_weight(k, epsilon)) == pytest.approx(best, rel=1e-12)


@pytest.mark.parametrize("k", [2, 5, 31, 513, 4096])
@pytest.mark.parametrize("epsilon", ["0.001", "0.0314", "0.5", "1", "3.7", "9", "20"])
def test_no_field_has_less_variance_than_the_one_that_is_taken(k: int, epsilon: str) -> None:
    chosen = geometry(k, Decimal(epsilon))
    made = [response for field in PRIMES if (response := geometry(k, Decimal(epsilon), field)) is not None]
    assert chosen == min(made, key=lambda response: (response.report_variance, response.n_outputs))


@pytest.mark.thorough
def test_realised_epsilons_are_as_near_as_a_threshold_comes() -> None:
    """Within 1e-8 of what was asked, or one step of the threshold, which is more where a lie is rare: of k-ary."""
    for k in SIZES:
        for epsilon in GRID:
            chosen: Any = best_of("one-of", k, epsilon)
            true = chosen.threshold_if_true
            step = COIN_SCALE / (true * (COIN_SCALE - true - 1))
            assert 0 <= epsilon - chosen.epsilon < max(1e-8, 1.01 * step)
            assert step < 1e-8 or (chosen.name == "k-ary" and true > 0.97 * COIN_SCALE)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"weight": 0}, r"weight \(0\) must be an integer in \[1, 3\]"),
        ({"weight": 4}, r"weight \(4\) must be an integer in \[1, 3\]"),
        ({"weight": True}, "weight"),
        ({"threshold_if_true": 2 * Q * 2 // 3}, "the truth must be likelier"),
    ],
)
def test_sets_that_cannot_be_are_refused(change: dict[str, int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        SubsetResponse(**{"name": "subset", "n_values": 6, "threshold_if_true": 3 * Q, "weight": 2} | change)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"field": 4}, r"field \(4\) must be a prime"),
        ({"field": 1}, r"field \(1\) must be an integer in \[2, 65521\]"),
        ({"field": 511}, r"field \(511\) must be a prime"),
        ({"field": 65_537}, r"field \(65537\) must be an integer in \[2, 65521\]"),
        ({"field": 67}, "at most 262144"),
        ({"field": 3.0}, r"field \(3.0\) must be an integer in \[2, 65521\]"),
        ({"dimension": 1}, "dimension"),
        ({"dimension": 12}, "at most 262144"),
        ({"dimension": 2}, r"the space's points \(4\) must be in \[10, 65536\]"),
        ({"field": 2, "dimension": 17}, r"the space's points \(131071\) must be in \[10, 65536\]"),
        ({"threshold_if_true": 4 * Q * 4 // 13}, "the truth must be likelier"),
    ],
)
def test_spaces_that_cannot_be_are_refused(change: dict[str, int], message: str) -> None:
    shape = {"name": "geometry", "n_values": 10, "threshold_if_true": 3 * Q, "field": 3, "dimension": 3}
    with pytest.raises(ValueError, match=message):
        GeometryResponse(**shape | change)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "value", ["AwA=", "BwA=", "AQA=", "AwI", "AxA=", "AwAA", 3, None, "AwB=", ["AwA="], "A\n=="], ids=repr
)
def test_a_report_of_another_weight_or_form_is_refused(value: Any) -> None:
    mechanism = SubsetResponse("subset", 10, 3 * Q, 2)
    good = "AwA="
    if value == good:
        assert mechanism.from_wire([good, good]).tolist() == [[3, 0], [3, 0]]
        return
    with pytest.raises(BadValueError, match="exactly 2 of them set") as refused:
        mechanism.from_wire([good, value, good, 7])
    assert refused.value.index == 1


@pytest.mark.parametrize("value", [13, -1, True, 1.0, "1", None, [1]], ids=repr)
def test_a_number_that_is_no_point_is_refused(value: Any) -> None:
    mechanism = GeometryResponse("geometry", 10, 3 * Q, 3, 3)
    with pytest.raises(BadValueError, match=r"an integer in \[0, 12\]"):
        mechanism.from_wire([12, value])


def test_counts_that_no_reports_have_are_refused() -> None:
    chosen, spaced = SubsetResponse("subset", 4, 3 * Q, 2), GeometryResponse("geometry", 7, 3 * Q, 2, 3)
    chosen.check_counts(np.array([3, 1, 2, 0]), 3)
    spaced.check_counts(np.array([3, 1, 1, 1, 1, 1, 1]), 3)
    for mechanism, counts in ((chosen, [3, 1, 1, 0]), (spaced, [3, 3, 1, 1, 1, 1, 0]), (spaced, [1] * 7)):
        with pytest.raises(ValueError, match="add up to"):
            mechanism.check_counts(np.array(counts), 3)


def test_a_stored_number_that_is_no_point_is_not_counted() -> None:
    mechanism = GeometryResponse("geometry", 10, 3 * Q, 3, 3)
    with pytest.raises(ReportError, match=r"numbers in \[0, 12\]"):
        mechanism.count_support(np.array([[12], [13]], np.uint8))
    with pytest.raises(ReportError, match=r"numbers in \[0, 12\]"):
        mechanism.likelihood(np.array([[12], [13]], np.uint8))
    with pytest.raises(ReportError, match="sets of 2 options"):
        SubsetResponse("subset", 8, 3 * Q, 2).likelihood(np.array([[3], [7]], np.uint8))


def test_one_report_takes_the_coins_of_a_batch_of_one() -> None:
    """A device draws one row without arrays: the same bytes, however often a draw is thrown away."""
    for k, epsilon in ((3, "2"), (16, "1"), (200, "0.5"), (300, "1"), (600, "0.3")):
        mechanism = subset(k, Decimal(epsilon), best_weight(k, Decimal(epsilon)))
        for seed in range(40):
            stream = hmac_bytes(seed.to_bytes(32, "big"), b"one")(8000)
            one, rows = given_bytes(stream), given_bytes(stream)
            single = mechanism._respond_one(seed % k, Coins(one))
            batch = mechanism._respond_all(np.array([seed % k]), Coins(rows))
            assert single.tolist() == batch[0].tolist()
            assert one(4) == rows(4)


def test_fields_are_the_primes() -> None:
    assert PRIMES[:6] == [2, 3, 5, 7, 11, 13]
    assert len(PRIMES) == 97
    made = geometry(4096, Decimal(1), 5)
    assert made is not None
    assert (made.field, made.n_outputs) == (5, 19531)
    assert geometry(60_000, Decimal(1), 101) is None
