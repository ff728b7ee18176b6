"""What all mechanisms share: bulk and nobody, dtypes and layouts, support counts, domains of answers and parameters."""

import hashlib
from collections import Counter
from typing import Any

import numpy as np
import pytest
from numpy.typing import ArrayLike

from published import build
from reference import Published, kind_of
from sotto_protocol import AnswerError, Coins, Mechanism, ReportError, given_bytes, hmac_bytes
from sotto_protocol.mechanisms.bit_flips import BitFlips
from sotto_protocol.mechanisms.bloom.response import BloomResponse
from sotto_protocol.mechanisms.kary import KaryResponse
from sotto_protocol.mechanisms.mechanism import COINS_PER_CHUNK
from sotto_protocol.mechanisms.unary import UnaryEncoding
from sotto_protocol.mechanisms.warner import BinaryResponse

SCALE, Q = 2**32, 2**30


STREAM = hashlib.shake_256(b"tests").digest(2**22)


def endless() -> Coins:
    return Coins(given_bytes(STREAM))


def bits(name: str, true: int, other: int, **more: int) -> Published:
    return {"name": name, "threshold_if_true": true, "threshold_if_other": other} | more


EVERY_KIND: list[tuple[Published, int]] = [
    (bits("warner", 3 * Q, Q), 1),
    (bits("sue", 3 * Q, Q), 9),
    (bits("oue", 2 * Q, Q), 16),
    (bits("bit-flips", 3 * Q, Q, max_selected=9), 9),
    (bits("bit-flips", 3 * Q, Q, max_selected=1), 1),
    ({"name": "k-ary", "threshold_if_true": 2 * Q}, 6),
    ({"name": "k-ary", "threshold_if_true": 2 * Q}, 300),
    (bits("basic-rappor", 3 * Q, Q), 1),
    (bits("basic-rappor", 3 * Q, Q, report_if_one=3 * Q, report_if_zero=Q), 1),
    (bits("basic-rappor", 3 * Q, Q, report_if_one=3 * Q, report_if_zero=Q), 9),
    (bits("basic-rappor", 3 * Q, Q, report_if_one=2 * Q, report_if_zero=Q, max_selected=9), 9),
]
every_kind = pytest.mark.parametrize(
    ("published", "n_values"), EVERY_KIND, ids=[f"{published['name']}-{n}" for published, n in EVERY_KIND]
)


def many_answers(published: Published, n_values: int, n: int) -> np.ndarray[Any, Any]:
    if kind_of(published, n_values) == "any-of":
        return np.arange(n * n_values).reshape(n, n_values) % 2
    return np.arange(n) % max(2, n_values)


@every_kind
def test_bulk_is_the_same_code_chunk_after_chunk(published: Published, n_values: int) -> None:
    """Just above a chunk: the rows behind the edge are perturbed as a call of their own would be."""
    mechanism = build(published, n_values)
    per_answer = 4 if published["name"] == "k-ary" else n_values
    chunk = COINS_PER_CHUNK // per_answer
    answers = many_answers(published, n_values, 2 * chunk + 3)
    coins = endless()
    parts = [mechanism.perturb(answers[start : start + chunk], coins) for start in (0, chunk, 2 * chunk)]
    assert [len(part) for part in parts] == [chunk, chunk, 3]
    assert np.array_equal(mechanism.perturb(answers, endless()), np.concatenate(parts))


STRINGS: list[BloomResponse] = [
    BloomResponse("rappor", 128, 3 * Q, Q, n_hashes=2, n_cohorts=64),
    BloomResponse("rappor", 9, 3 * Q, Q, 3 * Q, Q, n_hashes=3, n_cohorts=300),
    BloomResponse("rappor", 20, 3 * Q, Q, 2 * Q, Q, n_hashes=1, n_cohorts=3, max_length=6, gram_length=2),
]
strings = pytest.mark.parametrize("mechanism", STRINGS, ids=lambda m: f"{m.n_values}-{m.n_blocks}")


def many_texts(n: int) -> list[str]:
    return [f"string {number % 7}" for number in range(n)]


@strings
def test_bulk_strings_have_their_groups_first_and_then_chunk_after_chunk(mechanism: BloomResponse) -> None:
    chunk = COINS_PER_CHUNK // (mechanism.n_blocks * mechanism.n_values)
    texts = many_texts(2 * chunk + 3)
    coins = Coins(hmac_bytes(bytes(32), b"tests"))
    groups = mechanism.draw_group(len(texts), coins)
    parts = []
    for start in (0, chunk, 2 * chunk):
        part = slice(start, start + chunk)
        parts.append(mechanism.report(mechanism.respond_permanently(texts[part], groups[part], coins), coins))
    assert [len(part) for part in parts] == [chunk, chunk, 3]
    reports = mechanism.perturb(texts, Coins(hmac_bytes(bytes(32), b"tests")))
    assert np.array_equal(reports, np.concatenate(parts))
    assert np.array_equal(reports[:, : mechanism.group_bytes], groups)


@strings
@pytest.mark.parametrize("around", [-1, 0, 1])
def test_support_counts_of_strings_equal_a_slow_count(mechanism: BloomResponse, around: int) -> None:
    """On both sides of the number of reports from which they are counted in another way."""
    n = 10 * mechanism.n_cohorts + around
    reports = mechanism.perturb(many_texts(n), Coins(hmac_bytes(bytes(32), b"tests")))
    slow = np.zeros(mechanism.counts_shape, np.int64)
    for report in reports:
        cohort, *_ = mechanism.to_wire(report)
        slow[cohort, 0] += 1
        slow[cohort, [1 + bit for bit in mechanism.supported(report)]] += 1
    assert mechanism.count_support(reports).tolist() == slow.tolist()
    parts = [mechanism.count_support(reports[start : start + 7]) for start in range(0, n, 7)]
    assert np.sum(parts, axis=0).tolist() == slow.tolist()
    assert mechanism.count_support(reports).dtype == np.int64


@strings
def test_a_packed_cohort_that_does_not_exist_is_refused(mechanism: BloomResponse) -> None:
    for n in (1, 11 * mechanism.n_cohorts):
        reports = mechanism.perturb(many_texts(n), Coins(hmac_bytes(bytes(32), b"tests")))
        reports = reports.copy()
        reports[-1, :2] = divmod(mechanism.n_cohorts, 256)
        with pytest.raises(ReportError, match=rf"cohorts must be in \[0, {mechanism.n_cohorts - 1}\]"):
            mechanism.count_support(reports)


@strings
def test_no_strings_give_no_reports(mechanism: BloomResponse) -> None:
    coins = Coins(given_bytes(b""))
    nobodies: list[ArrayLike] = [[], (), np.array([], str), np.array([], object)]
    for nobody in nobodies:
        assert mechanism.perturb(nobody, coins).shape == (0, mechanism.n_bytes)
    assert mechanism.from_wire([]).shape == (0, mechanism.n_bytes)
    assert mechanism.count_support(np.empty((0, mechanism.n_bytes), np.uint8)).shape == mechanism.counts_shape


@strings
@pytest.mark.parametrize(
    "answers",
    [
        *([""], ["x" * 201], ["a\nb"], ["a\x00"], ["\x7f"], ["a\u202eb"], ["\u2028"], ["\ud800"], ["\ufb2c" * 100]),
        *([b"CANARY"], [5309], [None], [["CANARY"]], ["good", 5309], [True], "CANARY", b"CANARY", np.array([5309])),
    ],
    ids=lambda answers: ascii(answers)[:30],
)
def test_what_is_no_string_that_can_be_an_answer_is_refused_before_a_coin_is_drawn(
    mechanism: BloomResponse, answers: Any
) -> None:
    with pytest.raises(AnswerError, match="answers must be a list, each a text of 1 to 200 characters") as caught:
        mechanism.perturb(answers, Coins(given_bytes(b"")))
    assert "CANARY" not in str(caught.value)
    assert "5309" not in str(caught.value)
    assert caught.value.__cause__ is None


@strings
def test_reports_of_strings_are_unchanged_by_the_wire(mechanism: BloomResponse) -> None:
    reports = mechanism.perturb(many_texts(500), Coins(hmac_bytes(bytes(32), b"tests")))
    sent = [mechanism.to_wire(report) for report in reports]
    assert np.array_equal(mechanism.from_wire(sent), reports)


@every_kind
@pytest.mark.parametrize("n", [0, 1, 254, 255, 256, 509, 510, 511, 4095, 30000])
def test_support_counts_equal_a_slow_count(published: Published, n_values: int, n: int) -> None:
    mechanism = build(published, n_values)
    reports = mechanism.perturb(many_answers(published, n_values, n), endless())
    slow = Counter(value for report in reports[:4200] for value in mechanism.supported(report))
    if n <= 4200:
        assert mechanism.count_support(reports).tolist() == [slow[value] for value in range(n_values)]
    else:
        parts = [mechanism.count_support(reports[start : start + 999]) for start in range(0, n, 999)]
        assert mechanism.count_support(reports).tolist() == np.sum(parts, axis=0).tolist()


@pytest.mark.parametrize("n_values", [1, 7, 8, 128, 4096])
def test_support_counts_at_the_chunk_steps_of_a_full_column(n_values: int) -> None:
    """All ones is where a byte would overflow first."""
    mechanism = BitFlips("bit-flips", n_values, 3 * Q, Q, max_selected=n_values)
    step = 255 * max(1, 4 * COINS_PER_CHUNK // (8 * mechanism.n_bytes * 255))
    for n in (step - 1, step, step + 1, step + 256):
        full = np.broadcast_to(np.uint8(255), (n, mechanism.n_bytes))
        assert set(mechanism.count_support(full).tolist()) == {n}
        assert len(mechanism.count_support(full)) == n_values


def test_counting_reads_columns_of_a_wider_record() -> None:
    wide = np.zeros((700, 5), np.uint8)
    wide[:, 1:3] = [1, 44]
    assert KaryResponse("k-ary", 301, 2 * Q).count_support(wide[:, 1:3])[300] == 700
    assert UnaryEncoding("sue", 9, 3 * Q, Q).count_support(wide[:, 1:3])[0] == 700


def test_a_packed_option_number_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ReportError, match=r"must be numbers in \[0, 299\]"):
        KaryResponse("k-ary", 300, 2 * Q).count_support(np.array([[0, 5], [1, 44]], np.uint8))


@every_kind
def test_nobody_gives_no_reports(published: Published, n_values: int) -> None:
    mechanism = build(published, n_values)
    coins = Coins(given_bytes(b""))
    nobodies: list[ArrayLike] = [[], (), np.array([], np.int8), np.array([], bool)]
    for nobody in nobodies:
        assert mechanism.perturb(nobody, coins).shape == (0, mechanism.n_bytes)
    assert mechanism.from_wire([]).shape == (0, mechanism.n_bytes)
    assert mechanism.count_support(np.empty((0, mechanism.n_bytes), np.uint8)).tolist() == [0] * n_values


DTYPES = ["?", "i1", "u1", "<i2", ">i2", ">u4", "<u8", ">i8"]


@every_kind
@pytest.mark.parametrize("dtype", DTYPES)
def test_any_integer_dtype_and_layout_gives_the_same_reports(published: Published, n_values: int, dtype: str) -> None:
    mechanism = build(published, n_values)
    answers = many_answers(published, n_values, 40) % 2
    expected = mechanism.perturb(answers, endless())
    given_answers = answers.astype(dtype)
    strided = np.repeat(given_answers, 2, axis=0)[::2]
    fortran = np.asfortranarray(given_answers)
    backwards = given_answers[::-1].copy()[::-1]
    read_only = given_answers.copy()
    read_only.flags.writeable = False
    for same in (given_answers, strided, fortran, backwards, read_only, given_answers.tolist()):
        assert np.array_equal(mechanism.perturb(same, endless()), expected)
    assert np.array_equal(given_answers, answers.astype(dtype)), "the caller's array stays as it was"


BAD_CHOICES: list[Any] = [
    [-1],
    [300],
    np.array([-1], np.int8),  # seen as unsigned it is 255, an option
    np.array([-256], np.int16),
    np.array([-(2**63)]),
    [2**63],
    [2**64],
    [10**400],
    [1.0],
    [float("nan")],
    ["1"],
    [None],
    [[1]],
    [[1], [1, 2]],
    1,
    "1",
    np.array([1], object),
    np.array([1], "M8[s]"),
    np.array([1], "m8[s]"),
    np.array([(1,)], [("a", "u1")]),
    np.array([b"1"]),
    np.array([1 + 0j]),
    {"a": 1},
]
bad_choices = pytest.mark.parametrize("answers", BAD_CHOICES, ids=lambda answers: repr(answers)[:40])


@bad_choices
@pytest.mark.parametrize("mechanism", [KaryResponse("k-ary", 300, 2 * Q), UnaryEncoding("sue", 300, 3 * Q, Q)])
def test_answers_outside_the_domain_are_refused_before_a_coin_is_drawn(
    mechanism: Mechanism, answers: ArrayLike
) -> None:
    with pytest.raises(AnswerError, match=r"answers must be integers in \[0, 299\]") as caught:
        mechanism.perturb(answers, Coins(given_bytes(b"")))
    assert caught.value.__cause__ is None


@bad_choices
def test_bad_rows_are_refused_too(answers: ArrayLike) -> None:
    with pytest.raises(AnswerError, match=r"answers must be zeros and ones, shape \(n, 3\)"):
        BitFlips("bit-flips", 3, 3 * Q, Q, max_selected=2).perturb(answers, Coins(given_bytes(b"")))


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([[0, 1]], "zeros and ones, shape"),
        ([[0, 1, 2]], "zeros and ones"),
        ([[0, 1, -1]], "zeros and ones"),
        ([[0, 1, 256]], "zeros and ones"),
        ([[0.0, 1.0, 0.0]], "zeros and ones"),
        ([0, 1, 0], "zeros and ones, shape"),
        ([[[0, 1, 0]]], "zeros and ones, shape"),
        (np.empty((0, 4), int), "zeros and ones, shape"),
        ([[0, 1, 0], [1, 1, 1]], "at most 2 options"),
    ],
)
def test_rows_of_another_shape_or_too_many_ones_are_refused(rows: ArrayLike, message: str) -> None:
    with pytest.raises(AnswerError, match=message):
        BitFlips("bit-flips", 3, 3 * Q, Q, max_selected=2).perturb(rows, Coins(given_bytes(b"")))


@pytest.mark.parametrize("answers", [[2], [-1], [256], np.array([-1], np.int8), [0.5]])
def test_yes_no_takes_only_zero_and_one(answers: ArrayLike) -> None:
    with pytest.raises(AnswerError, match=r"integers in \[0, 1\]"):
        BinaryResponse("warner", 1, 3 * Q, Q).perturb(answers, Coins(given_bytes(b"")))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: BinaryResponse("warner", 1, SCALE, 1), "threshold_if_true .* must be an integer in"),
        (lambda: BinaryResponse("warner", 1, 5, 0), "threshold_if_other .* must be an integer in"),
        (lambda: BinaryResponse("warner", 1, True, 1), "threshold_if_true .* must be an integer in"),
        (lambda: BinaryResponse("warner", 1, 5, 5), r"threshold_if_other \(5\) must be below threshold_if_true \(5\)"),
        (lambda: BinaryResponse("warner", 2, 5, 4), r"n_values \(2\)"),
        (lambda: BinaryResponse("basic-rappor", 1, 5, 4, 5), r"report_if_zero \(0\) must be an integer in"),
        (lambda: BinaryResponse("basic-rappor", 1, 5, 4, SCALE, 5), r"report_if_one \(4294967296\) must be an integer"),
        (
            lambda: BinaryResponse("basic-rappor", 1, 5, 4, 5, 5),
            r"report_if_zero \(5\) must be below report_if_one \(5\)",
        ),
        (lambda: BloomResponse("rappor", 1, 5, 4), r"n_bits \(1\) must be an integer in \[2, 4096\]"),
        (lambda: BloomResponse("rappor", 4097, 5, 4), r"n_bits \(4097\)"),
        (lambda: BloomResponse("rappor", 9, 5, 4, n_hashes=9), r"n_hashes \(9\) must be an integer in \[1, 8\]"),
        (lambda: BloomResponse("rappor", 3, 5, 4, n_hashes=4), r"n_hashes \(4\) must be an integer in \[1, 3\]"),
        (lambda: BloomResponse("rappor", 9, 5, 4, n_cohorts=0), r"n_cohorts \(0\) must be an integer in \[1, 1024\]"),
        (
            lambda: BloomResponse("rappor", 1024, 5, 4, n_cohorts=257),
            r"n_bits times n_cohorts \(263168\) must be at most",
        ),
        (lambda: BloomResponse("rappor", 9, 5, 4, max_length=6), r"gram_length \(0\) must be an integer in \[1, 4\]"),
        (lambda: BloomResponse("rappor", 9, 5, 4, gram_length=2), r"max_length \(0\) must be an integer in \[4, 32\]"),
        (lambda: BloomResponse("rappor", 9, 5, 4, max_length=5, gram_length=2), "must be a multiple of gram_length"),
        (lambda: UnaryEncoding("sue", 0, 5, 4), r"n_values \(0\)"),
        (lambda: UnaryEncoding("sue", 65537, 5, 4), r"n_values \(65537\)"),
        (lambda: BitFlips("bit-flips", 4, 5, 4, max_selected=5), r"max_selected \(5\) must be an integer in \[1, 4\]"),
        (lambda: BitFlips("bit-flips", 4, 5, 4, max_selected=0), r"max_selected \(0\)"),
        (lambda: KaryResponse("k-ary", 1, SCALE - 1), r"n_values \(1\)"),
        (lambda: KaryResponse("k-ary", 65537, SCALE - 1), r"n_values \(65537\) must be an integer in \[2, 65536\]"),
        (lambda: KaryResponse("k-ary", 4, Q), "must be above"),
        (lambda: KaryResponse("k-ary", 3, SCALE // 3), "must be above"),
    ],
)
def test_impossible_mechanisms_are_refused(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize("mechanism", [KaryResponse("k-ary", 65536, 2**16 + 1), KaryResponse("k-ary", 257, 2**31)])
def test_the_widest_k_ary_reports_reach_both_ends(mechanism: KaryResponse) -> None:
    """A lie is any other option: with the smallest draw the first of them, with the largest the last."""
    last = mechanism.n_values - 1
    n_bytes = 2 if last <= 256 else 4
    smallest, largest = ((256**n_bytes - 1) // last).to_bytes(n_bytes, "big"), b"\xff" * n_bytes
    for answer, draw, expected in ((0, smallest, 1), (1, smallest, 0), (0, largest, last), (last, largest, last - 1)):
        (report,) = mechanism.perturb([answer], Coins(given_bytes(b"\xff" + draw)))
        assert mechanism.to_wire(report) == expected


def test_parameters_are_what_a_survey_publishes() -> None:
    for published, n_values in EVERY_KIND:
        assert {"name": published["name"]} | build(published, n_values).parameters() == published
