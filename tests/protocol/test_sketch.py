"""Sketches of strings: the hash and its vectors, the channel by enumeration, counts, designs, and what is refused."""

import json
from collections import Counter
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import reference
import reference_sketch
from published import build, typed
from reference import Published
from sotto_protocol import COIN_SCALE, AnswerError, Coins, ReportError, SurveyError, given_bytes, hmac_bytes
from sotto_protocol.mechanisms.checks import BadValueError
from sotto_protocol.mechanisms.geometry import _points_of_plane
from sotto_protocol.mechanisms.registry import read_mechanism
from sotto_protocol.mechanisms.sketch.design import _FEWEST, _NEAR, _of_shape, _shapes, sketch
from sotto_protocol.mechanisms.sketch.hash import PRIME, bucket, buckets, string_number, string_numbers
from sotto_protocol.mechanisms.sketch.response import MAX_COUNTS, SketchResponse
from sotto_protocol.text import normalise

VECTORS_FILE = Path(__file__).parents[1] / "vectors" / "sketch.json"
VECTORS = json.loads(VECTORS_FILE.read_text())["vectors"]
Q = 2**30
SMALL: Published = {"name": "sketch", "threshold_if_true": 3 * Q, "field": 3, "dimension": 3, "n_cohorts": 6}


def coins_of(name: str) -> Coins:
    return Coins(hmac_bytes(bytes(32), name.encode()))


def made(**changes: Any) -> SketchResponse:
    parameters = SMALL | changes
    return SketchResponse(**parameters | {"prefix_lengths": tuple(parameters.get("prefix_lengths", ()))})


def test_the_vectors_are_what_the_reference_writes() -> None:
    assert VECTORS_FILE.read_text() == reference_sketch.vectors_text()


def test_the_package_hashes_as_the_vectors_say() -> None:
    for vector in VECTORS:
        number = string_number(normalise(vector["text"]).encode())
        assert bucket(number, vector["cohort"], vector["n_buckets"]) == vector["bucket"], vector


@given(st.lists(typed, min_size=1, max_size=5), st.integers(0, 1023), st.integers(2, 65536))
def test_buckets_in_bulk_are_those_of_every_string(texts: list[str], cohort: int, n_buckets: int) -> None:
    normal = [normalise(text) for text in texts]
    expected = [reference_sketch.bucket_of(n_buckets, cohort, text) for text in normal]
    assert buckets(string_numbers(normal), cohort, n_buckets).tolist() == expected


def test_products_of_any_size_are_added_up_without_an_overflow() -> None:
    """Numbers at both ends, and with all bits of a half set, in every cohort; and more of them than a step."""
    edges = [0, 1, 2**32 - 1, 2**32, 2**61 - 2**32, 2**60, PRIME - 2, PRIME - 1]
    numbers = np.array(edges, np.uint64)
    for cohort in range(1024):
        assert buckets(numbers, cohort, 65521).tolist() == [bucket(number, cohort, 65521) for number in edges]
    many = np.random.default_rng(7).integers(0, PRIME, 40_000, np.uint64)
    assert buckets(many, 5, 364).tolist() == [bucket(number, 5, 364) for number in many.tolist()]


def test_two_strings_share_a_bucket_in_as_many_cohorts_as_chance_has_it() -> None:
    """Of 1,024 cohorts and 31 buckets: 200 pairs, 33 cohorts each; and each string's buckets are uniform."""
    numbers = string_numbers([f"string {number}" for number in range(201)])
    rows = np.array([buckets(numbers, cohort, 31) for cohort in range(1024)])
    shared = (rows[:, 1:] == rows[:, :-1]).sum(axis=0)
    expected = 1024 / 31
    assert abs(shared.mean() - expected) < 5 * (expected / 200) ** 0.5
    assert abs(((shared - expected) ** 2).mean() / expected - 1) < 0.5
    uniform = np.bincount(rows.ravel(), minlength=31) / rows.size
    assert np.abs(uniform - 1 / 31).max() < 0.002


@pytest.mark.parametrize(("field", "dimension"), [(2, 2), (2, 3), (3, 2), (3, 3), (5, 2)])
@pytest.mark.parametrize("lengths", [(), (2, 4)])
def test_epsilon_is_the_largest_log_ratio_between_strings(field: int, dimension: int, lengths: tuple[int, ...]) -> None:
    """Over strings in all buckets of cohort 0: those in one bucket are not told apart, others by epsilon at most."""
    published = SMALL | {"field": field, "dimension": dimension} | ({"prefix_lengths": [*lengths]} if lengths else {})
    mechanism: Any = build(published, 0)
    n = mechanism.n_values
    strings = {reference_sketch.bucket_of(n, 0, f"{number:02}"): f"{number:02}" for number in range(100)}
    assert len(strings) == n
    more = " and more" if lengths else ""
    channels = [reference.distribution(published, n, text + more) for text in strings.values()]
    assert all(sum(channel.values()) == 1 for channel in channels)
    assert 0 <= Fraction(mechanism.epsilon) - Fraction(reference.epsilon(channels)) < Fraction(1, 10**40)


def test_the_enumerated_channel_is_the_published_one() -> None:
    """By every coin, both uniform draws and two cohorts: the frequencies of reports are exactly the reference's."""
    published = SMALL | {"field": 2, "dimension": 2, "n_cohorts": 2}
    mechanism = build(published, 3)
    for text in ("oak", "elm", "beech", "larch"):
        found: Counter[bytes] = Counter()
        for coin, prob in ((0, Fraction(3, 4)), (255, Fraction(1, 4))):
            for draw in range(4):  # of two that support it, and of one that does not: each as often
                free = draw % 1, draw % 2
                stream = (
                    bytes(2) + bytes([coin]) + b"".join(_drawn(n, value) for n, value in zip((1, 2), free, strict=True))
                )
                [report] = mechanism.perturb([text], Coins(given_bytes(stream)))
                found[report.tobytes()] += prob / 4  # type: ignore[assignment]  # a fraction
        assert found == reference.distribution(published, 3, text)


def _drawn(n_values: int, value: int) -> bytes:
    return (-(-(value << 16) // n_values) + 1).to_bytes(2, "big")


@pytest.mark.parametrize("lengths", [(), (1, 2, 7)])
def test_counts_are_those_of_every_point_in_every_cohort_and_support_is_listed(lengths: tuple[int, ...]) -> None:
    mechanism = made(prefix_lengths=lengths)
    reports = mechanism.perturb([f"text {number % 9}" for number in range(700)], coins_of("counts"))
    counts = mechanism.count_support(reports)
    slow = np.zeros((6, 14), np.int64)
    points = reference.points_of(SMALL)
    support = np.zeros((6, 13), np.int64)
    for cohort, point in map(mechanism.to_wire, reports):
        slow[cohort, 0] += 1
        slow[cohort, 1 + point] += 1
        support[cohort] += [reference.is_orthogonal(points[point], other, 3) for other in points]
    assert counts.tolist() == slow.tolist()
    assert counts.dtype == np.int64
    assert mechanism.support(counts).tolist() == support.tolist()
    assert mechanism.count_support(reports[:0]).tolist() == np.zeros((6, 14)).tolist()


@pytest.mark.thorough
def test_a_share_is_as_near_as_its_variance_says() -> None:
    """Of 60,000 reports of which 30 % are one string, by designs of six epsilons: debiased, within 4.5 deviations."""
    n = 60_000
    texts = ["oak" if number % 10 < 3 else f"tree {number % 500}" for number in range(n)]
    for epsilon in ("0.5", "1", "2", "4", "8", "10"):
        mechanism = sketch(Decimal(epsilon))
        support = mechanism.support(mechanism.count_support(mechanism.perturb(texts, coins_of(epsilon))))
        other = mechanism.geometry.prob_support_if_other
        true = mechanism.geometry.prob_support_if_true
        by_chance = other + (true - other) / mechanism.n_values
        for text, share in (("oak", 0.3), ("nobody's", 0.0)):
            [number] = string_numbers([text])
            found = sum(
                int(support[cohort, bucket(int(number), cohort, mechanism.n_values)])
                for cohort in range(mechanism.n_cohorts)
            )
            noise = (
                mechanism.share_variance / n + share / n + 0.11 / (mechanism.n_cohorts * mechanism.n_values)
            ) ** 0.5
            assert abs((found / n - by_chance) / (true - by_chance) - share) < 4.5 * noise


@pytest.mark.parametrize(
    ("epsilon", "most"),
    [
        (".1", 412),
        (".5", 16.1),
        ("1", 3.8),
        ("2", 0.746),
        ("4", 0.0783),
        ("7", 0.00375),
        ("8", 0.00139),
        ("10", 0.000187),
    ],
)
def test_the_usual_design_has_many_cohorts_hardly_more_noise_and_four_bytes(epsilon: str, most: float) -> None:
    mechanism = sketch(Decimal(epsilon))
    bound = 4 * Decimal(epsilon).exp() / (Decimal(epsilon).exp() - 1) ** 2  # of local hashing: Wang et al. 2017
    assert mechanism.share_variance <= most
    assert mechanism.share_variance <= 1.03 * 1.01 * float(bound)
    assert mechanism.n_cohorts >= (100 if Decimal(epsilon) < 7 else 11)
    assert MAX_COUNTS / 2 <= mechanism.n_cohorts * mechanism.n_values <= MAX_COUNTS
    assert mechanism.n_bytes <= 4
    assert len(json.dumps(mechanism.to_wire(mechanism.longest_report()))) <= 12
    assert 0 <= Decimal(epsilon) - mechanism.epsilon < Decimal("1e-7")
    prefixed = sketch(Decimal(epsilon), prefix_lengths=(2, 3, 5))
    assert prefixed.n_cohorts % 3 == 0
    assert 0 <= mechanism.n_cohorts - prefixed.n_cohorts < 3
    assert sketch(Decimal(epsilon), 64).n_cohorts == 64


@pytest.mark.parametrize(
    ("epsilon", "most"),
    [*((step / 4, 1.031) for step in range(1, 41)), *((part, 3.5) for part in (11, 12))],
)
def test_a_share_has_hardly_more_noise_than_by_local_hashing(epsilon: float, most: float) -> None:
    """Of its best number of buckets (Wang et al. 2017): k-ary response of g buckets, one of which others share."""
    e = float(Decimal(str(epsilon)).exp())
    near = max(2, int(e + 1))
    of_hashing = min((1 / g) * (1 - 1 / g) / (e / (e + g - 1) - 1 / g) ** 2 for g in range(max(2, near - 3), near + 4))
    assert sketch(Decimal(str(epsilon))).share_variance <= most * of_hashing
    assert sketch(Decimal(str(epsilon)), prefix_lengths=(1, 2, 4)).share_variance <= most * of_hashing


@pytest.mark.parametrize("field", [2, 3, 13, 521, 7919])
def test_the_whole_channel_of_a_plane_is_k_ary_response(field: int) -> None:
    """By every draw: heads are the one point that is orthogonal, tails are each other point once."""
    points = reference.points_of({"field": field, "dimension": 2})
    for value in {0, 1, 2, field // 2, field}:
        answers, free = np.full(field, value), np.arange(field)
        heads = _points_of_plane(field, answers[1:], free[1:], np.zeros(field - 1, np.bool_))
        [own] = {*heads.tolist()}
        assert reference.is_orthogonal(points[value], points[own], field)
        tails = _points_of_plane(field, answers, free, np.ones(field, np.bool_))
        assert sorted([own, *tails.tolist()]) == [*range(field + 1)]
    mechanism = SketchResponse("sketch", 2, 3 * Q, field, 2)
    with localcontext(prec=60):
        assert 0 <= mechanism.epsilon - (3 * Decimal(field)).ln() < Decimal("1e-40")
    sent = np.arange(1, field + 2)
    [support] = mechanism.support(np.array([[sent.sum(), *sent]]))
    assert support[[0, 1, 2]].tolist() == [2, 1, field + 1]  # of (1, 0) the second, of (0, 1) the first, of (1, 1) ..
    assert all(
        reference.is_orthogonal(points[value], points[int(support[value]) - 1], field) for value in (0, 1, field)
    )


def test_two_strings_share_a_bucket_with_one_over_the_number_of_buckets() -> None:
    """Of all lines over a small prime by listing; over the prime that is taken, by counting residues: off below 1/p."""
    for prime, v in ((7, 2), (11, 4), (13, 13), (17, 5), (31, 12)):
        lines = [(factor, added) for factor in range(1, prime) for added in range(prime)]
        shared = sum((factor * 3 + added) % prime % v == (factor * 5 + added) % prime % v for factor, added in lines)
        assert Fraction(shared, len(lines)) == _shared(prime, v)
    for v in (2, 3, 510, 522, 2972, 22_014, 65_522):
        assert 0 <= Fraction(1, v) - _shared(PRIME, v) < Fraction(1, PRIME)


def _shared(prime: int, n_buckets: int) -> Fraction:
    """Return the probability that two different numbers are in one bucket."""
    size, n_larger = divmod(prime, n_buckets)
    pairs = n_larger * (size + 1) * size + (n_buckets - n_larger) * size * (size - 1)
    return Fraction(pairs, prime * (prime - 1))


def test_prefixes_are_of_characters_as_the_cohort_has_it_and_a_shorter_string_is_itself() -> None:
    mechanism = made(prefix_lengths=(1, 3, 200), n_cohorts=6)
    for cohort in range(6):
        same = {1: "\U0001f600", 3: "\U0001f600e\u0301x", 200: "\U0001f600e\u0301xyz"}[(1, 3, 200)[cohort % 3]]
        group = np.array([[0, cohort]], np.uint8)
        of_all, of_part = (
            mechanism.respond_permanently([text], group, coins_of("same")).tolist()
            for text in ("\U0001f600e\u0301xyz", same)
        )
        assert of_all == of_part


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"field": 4}, r"field \(4\) must be a prime"),
        ({"field": 1}, r"field \(1\) must be an integer in \[2, 65521\]"),
        ({"field": 521}, "must be at most 262144"),
        ({"field": 521, "dimension": 2, "n_cohorts": 503}, r"points times n_cohorts \(262566\) must be at most"),
        ({"field": 3.0}, r"field \(3.0\)"),
        ({"field": True}, r"field \(True\)"),
        ({"dimension": 1}, r"dimension \(1\)"),
        ({"dimension": 12}, "must be at most 262144"),
        ({"field": 2, "dimension": 17}, r"n_values \(131071\) must be an integer in \[2, 65536\]"),
        ({"n_cohorts": 0}, r"n_cohorts \(0\) must be an integer in \[1, 1024\]"),
        ({"n_cohorts": 1025}, r"n_cohorts \(1025\)"),
        ({"dimension": 6, "n_cohorts": 721}, r"points times n_cohorts \(262444\) must be at most 262144"),
        ({"threshold_if_true": COIN_SCALE * 4 // 13}, "the truth must be likelier"),
        ({"threshold_if_true": COIN_SCALE}, "threshold_if_true"),
        ({"prefix_lengths": [2, 2]}, "prefix_lengths must be a list of 1 to 16 different integers"),
        ({"prefix_lengths": [3, 2]}, "ascending"),
        ({"prefix_lengths": [0, 2]}, r"in \[1, 200\]"),
        ({"prefix_lengths": [2, 201]}, r"in \[1, 200\]"),
        ({"prefix_lengths": [True, 2]}, "prefix_lengths"),
        ({"prefix_lengths": [*range(1, 18)], "n_cohorts": 17}, "1 to 16"),
        ({"prefix_lengths": [1, 2, 3, 4]}, r"n_cohorts \(6\) must be a multiple of the number of prefix_lengths \(4\)"),
    ],
)
def test_sketches_that_cannot_be_are_refused_made_or_read(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        made(**change)
    with pytest.raises(SurveyError):
        read_mechanism(SMALL | change, "$", "text", 0)
    assert read_mechanism(SMALL, "$", "text", 0) == made()


def test_an_empty_list_of_prefixes_is_no_survey() -> None:
    with pytest.raises(SurveyError, match="prefix_lengths"):
        read_mechanism(SMALL | {"prefix_lengths": []}, "$", "text", 0)


@pytest.mark.parametrize(
    "value",
    [[6, 0], [0, 13], [-1, 0], [0, -1], [0], [0, 0, 0], [0, 1.0], [True, 0], 5, "0,0", None, [[0], 0]],
    ids=repr,
)
def test_a_report_of_another_cohort_point_or_form_is_refused(value: Any) -> None:
    with pytest.raises(BadValueError, match=r"a list of a cohort in \[0, 5\] and an integer in \[0, 12\]") as refused:
        made().from_wire([[5, 12], value, [0, 0], None])
    assert refused.value.index == 1


@pytest.mark.parametrize(("row", "message"), [([0, 6, 0], "cohorts must be in"), ([0, 5, 13], r"numbers in \[0, 12\]")])
def test_a_packed_report_that_cannot_be_is_not_counted(row: list[int], message: str) -> None:
    with pytest.raises(ReportError, match=message):
        made().count_support(np.array([row], np.uint8))


def test_counts_that_no_reports_have_are_refused() -> None:
    mechanism = made()
    counts = mechanism.count_support(mechanism.perturb(["oak"] * 50, coins_of("bad counts")))
    mechanism.check_counts(counts, 50)
    for row, column in ((0, 0), (3, 5)):
        moved = counts.copy()
        moved[row, column] += 1
        with pytest.raises(ValueError, match="add up"):
            mechanism.check_counts(moved, 50 + (column == 0))
    with pytest.raises(ValueError, match=r"add up to n_reports \(51\)"):
        mechanism.check_counts(counts, 51)


@pytest.mark.parametrize("answers", [[""], ["x" * 201], [5309], ["good", None], "CANARY", [b"CANARY"], [["CANARY"]]])
def test_what_is_no_string_is_refused_before_a_coin_is_drawn_and_not_quoted(answers: Any) -> None:
    with pytest.raises(AnswerError, match="answers must be a list, each a text of 1 to 200") as caught:
        made().perturb(answers, Coins(given_bytes(b"")))
    assert "CANARY" not in str(caught.value)


def test_how_much_is_drawn_says_nothing_of_the_coin_and_nothing_of_the_answer() -> None:
    """The cohort and what it is drawn by being given, as `test_sets.py` has it of the others."""
    mechanism = sketch(Decimal(2), prefix_lengths=(1, 4))
    for seed in range(100):
        stream = hmac_bytes(seed.to_bytes(32, "big"), b"how much")(400)
        left = set()
        for coin in (0, 255):
            for answer in ("a", "oak", "\u00e9" * 200, "sotto voce"):
                take = given_bytes(stream[:4] + bytes([coin]) + stream)
                mechanism.perturb([answer], Coins(take))
                left.add(take(8))
        assert len(left) == 1


def test_bulk_is_chunk_after_chunk() -> None:
    mechanism = made(prefix_lengths=(1, 4))
    texts = [f"{number % 11} text" for number in range(40_000)]
    coins = coins_of("bulk")
    groups = mechanism.draw_group(len(texts), coins)
    ends = [0, *range(2**14, len(texts), 2**14), len(texts)]
    parts = [mechanism.respond_permanently(texts[a:b], groups[a:b], coins) for a, b in pairwise(ends)]
    assert np.array_equal(mechanism.perturb(texts, coins_of("bulk")), np.concatenate(parts))


@pytest.mark.parametrize("epsilon", ["0.001", "0.3", "1", "4.4", "12", "20"])
def test_the_space_that_is_taken_is_the_best_of_all_that_there_are(epsilon: str) -> None:
    made = [_of_shape(Decimal(epsilon), shape, None, ()) for shape in _shapes(_FEWEST)]
    near = _NEAR * min(response.share_variance for response in made)
    assert sketch(Decimal(epsilon)) == max(
        (response for response in made if response.share_variance <= near),
        key=lambda of: (min(of.n_cohorts * of.n_values, MAX_COUNTS // 2), of.n_cohorts, -of.share_variance),
    )
