"""Two stages on the device: a cohort and a permanent response of the secret, fresh coins in every report.

False alarms: every statistical test here fails a right client with a probability below 1e-9. Tails are bounded by
Chernoff's theorem in its relative-entropy form (Hoeffding 1963, theorem 1), which holds at every sample size.
"""

import hmac
import math
import os
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from devices import PULSE, WORDS
from sotto_client import os_coins
from sotto_client.permanent import group_coins, permanent_coins
from sotto_client.reporting import check_answers, make_report, mark_answers, report_answer, respond
from sotto_protocol import Coins, compile_toml, given_bytes, hmac_bytes
from sotto_protocol.mechanisms.bloom.hash import bloom_bits
from sotto_protocol.mechanisms.bloom.response import BloomResponse
from sotto_protocol.record import WAVE

FALSE_ALARM = 1e-9
Bits = NDArray[np.bool_]


def context(*parts: bytes) -> bytes:
    return b"".join(len(part).to_bytes(8, "big") + part for part in parts)


# Exact: which bytes go where.


def test_a_text_answers_contexts_are_as_documented() -> None:
    """The cohort's has no answer in it; the answer's ends with the text in UTF-8."""
    secret = bytes(range(32))
    question = PULSE.questions[0]
    mechanism = question.mechanism
    place = [PULSE.fingerprint.encode(), b"word"]
    of_group = Coins(hmac_bytes(secret, context(b"sottovoce-group-1", *place)))
    of_answer = Coins(hmac_bytes(secret, context(b"sottovoce-permanent-1", *place, "caf\u00e9".encode())))
    group = mechanism.draw_group(1, of_group)
    encoded = question.encode("cafe\u0301")  # in normal form, whatever the keyboard
    permanent = respond(question, encoded, secret, PULSE.fingerprint)
    assert np.array_equal(permanent, mechanism.respond_permanently(["caf\u00e9"], group, of_answer))
    assert permanent.tobytes()[:2] == group.tobytes()


def test_a_report_takes_all_its_other_coins_from_the_given_ones() -> None:
    secret = os.urandom(32)
    stream = os.urandom(4000)
    for question, encoded in zip(PULSE.questions, check_answers(PULSE, WORDS), strict=True):
        permanent = respond(question, encoded, secret, PULSE.fingerprint)
        expected = question.mechanism.report(permanent, Coins(given_bytes(stream)))
        reported = report_answer(question, encoded, secret, PULSE.fingerprint, Coins(given_bytes(stream)))
        assert np.array_equal(reported, expected)


def test_a_record_is_the_wave_and_every_questions_report() -> None:
    secret, stream = os.urandom(32), os.urandom(9000)
    encoded = check_answers(PULSE, WORDS)
    marks, record = make_report(PULSE, encoded, secret, {WAVE: 3}, Coins(given_bytes(stream)))
    coins = Coins(given_bytes(stream))
    columns = [
        report_answer(question, answer, secret, PULSE.fingerprint, coins).tobytes()
        for question, answer in zip(PULSE.questions, encoded, strict=True)
    ]
    assert record == b"\x00\x03" + b"".join(columns)
    assert len(record) == PULSE.layout.n_bytes
    assert marks == mark_answers(PULSE, encoded, secret)


def test_a_tag_is_an_hmac_of_the_answer_in_its_place() -> None:
    secret = bytes(range(32))
    marks = mark_answers(PULSE, check_answers(PULSE, WORDS), secret)
    parts = [(b"word", b"kaleidoscope"), (b"rest", b"kaleidoscope"), (b"well", b"\x00\x01")]
    place = PULSE.fingerprint.encode()
    tags = [hmac.digest(secret, context(b"sottovoce-tag-1", place, *pair), "sha256") for pair in parts]
    assert marks == b"".join(tags)
    assert len(set(tags)) == 3


def test_a_survey_of_one_wave_has_no_tags_but_its_permanent_responses() -> None:
    once = replace(PULSE, waves=1)
    secret, encoded = os.urandom(32), check_answers(PULSE, WORDS)
    responses = [
        respond(question, answer, secret, once.fingerprint).tobytes()
        for question, answer in zip(once.questions, encoded, strict=True)
    ]
    assert mark_answers(once, encoded, secret) == b"".join(responses)


def test_a_report_of_one_wave_is_what_its_marks_become_and_the_same_as_question_by_question() -> None:
    once = replace(PULSE, waves=1)
    secret, stream, encoded = os.urandom(32), os.urandom(9000), check_answers(once, WORDS)
    marks, record = make_report(once, encoded, secret, {WAVE: 1}, Coins(given_bytes(stream)))
    coins = Coins(given_bytes(stream))
    columns = [
        report_answer(question, answer, secret, once.fingerprint, coins).tobytes()
        for question, answer in zip(once.questions, encoded, strict=True)
    ]
    assert record == b"".join(columns)
    assert marks == mark_answers(once, encoded, secret) != record


def test_no_two_streams_of_a_device_are_alike() -> None:
    secret = os.urandom(32)
    answers = [PULSE.questions[0].encode(text) for text in ("a", "b", "ab")] + [PULSE.questions[2].encode(True)]
    streams = [group_coins(secret, *place).take(32) for place in (("f", "q"), ("f", "qa"), ("fq", ""), ("", "fq"))]
    streams += [permanent_coins(secret, "f", "q", answer).take(32) for answer in answers]
    assert len(set(streams)) == 8


# Cohorts.


def test_the_cohort_outlives_the_answer_and_differs_from_question_to_question() -> None:
    """With 64 cohorts, 40 devices have the same in both questions with a probability below 1e-72."""
    first, second = PULSE.questions[:2]
    pairs = []
    for secret in (os.urandom(32) for _ in range(40)):
        cohorts = [
            [respond(question, question.encode(text), secret, PULSE.fingerprint)[0, :2].tobytes() for text in "abc"]
            for question in (first, second)
        ]
        assert all(len(set(of_question)) == 1 for of_question in cohorts)
        pairs.append((cohorts[0][0], cohorts[1][0]))
    assert any(one != other for one, other in pairs)


def test_devices_are_spread_evenly_over_the_cohorts() -> None:
    """8,192 devices, 128 expected in each of 64 cohorts; the bound is a Chernoff bound for each tail of each."""
    mechanism = PULSE.questions[0].mechanism
    groups = np.concatenate([mechanism.draw_group(1, group_coins(os.urandom(32), "f", "q")) for _ in range(8192)])
    counts = np.bincount(groups.view(">u2").ravel().astype(np.intp), minlength=64)
    assert len(counts) == 64
    assert not [count for count in counts if is_wrong(int(count), 8192, 1 / 64, n_tests=64)]


# Both stages, every kind of bit, on the path that a device takes.

EDGES = compile_toml("""
id = "edges"
title = "Edges"
waves = 2
[[questions]]
id = "text"
type = "text"
text = "?"
n_bits = 32
n_hashes = 2
n_cohorts = 1
prob_noise = 0.1
prob_if_one = 0.95
prob_if_zero = 0.05
""")
N_BITS = 32
N_FULL = 100_000
N_BOUNDED = 10_000
"""Devices, one by one: enough for a coin that is off by 0.04. The bulk is seen at full size."""


def bloom_of_edges() -> BloomResponse:
    mechanism = EDGES.questions[0].mechanism
    assert isinstance(mechanism, BloomResponse)
    return mechanism


def ones_of(text: str) -> set[int]:
    return set(bloom_bits(bloom_of_edges().design, 0, text.encode()))


AT_THE_EDGES = next(text for text in map(str, range(10**6)) if ones_of(text) == {0, N_BITS - 1})
INSIDE = next(
    text for text in map(str, range(10**6)) if len(ones_of(text)) == 2 and not ones_of(text) & {0, N_BITS - 1}
)


def relative_entropy(seen: float, expected: float) -> float:
    return sum(p * math.log(p / q) for p, q in ((seen, expected), (1 - seen, 1 - expected)) if p > 0)


def is_wrong(n_ones: int, n_coins: int, prob: float, n_tests: int) -> bool:
    """Whether so many ones are further off than 1e-9 / n_tests allows."""
    bound = 2 * math.exp(-n_coins * relative_entropy(n_ones / n_coins, prob))
    return bound < FALSE_ALARM / n_tests


def report_devices(n_devices: int, mechanism: BloomResponse | None = None) -> dict[str, tuple[Bits, Bits]]:
    """Return the permanent and the reported bits, shape (n, 32) each, of as many devices for either text.

    On the client's path, one device at a time; or of another mechanism, in bulk.
    """
    made = {}
    question = EDGES.questions[0]
    for text in (AT_THE_EDGES, INSIDE):
        if mechanism is not None:
            groups = mechanism.draw_group(n_devices, os_coins())
            permanent = mechanism.respond_permanently([text] * n_devices, groups, os_coins())
            made[text] = unpack(permanent), unpack(mechanism.report(permanent, os_coins()))
            continue
        encoded, coins = question.encode(text), os_coins()
        secrets = [os.urandom(32) for _ in range(n_devices)]
        lasting = [respond(question, encoded, secret, EDGES.fingerprint) for secret in secrets]
        reports = [report_answer(question, encoded, secret, EDGES.fingerprint, coins) for secret in secrets]
        made[text] = unpack(np.concatenate(lasting)), unpack(np.concatenate(reports))
    return made


def unpack(rows: NDArray[np.uint8]) -> Bits:
    return bloom_of_edges().bits(rows)


def wrong_rates(made: dict[str, tuple[Bits, Bits]]) -> set[str]:
    """Return the kinds of bits whose coins are not the published ones: stage, truth, and place.

    Places: the first bit, the last, and the others pooled. The second stage is judged by its input, the permanent bits.
    """
    mechanism = bloom_of_edges()
    places = {"first": [0], "last": [N_BITS - 1], "between": list(range(1, N_BITS - 1))}
    wrong = set()
    for text, (permanent, reported) in made.items():
        is_true = np.zeros(permanent.shape, np.bool_)
        is_true[:, sorted(ones_of(text))] = True
        stages = {
            "permanent": (is_true, permanent, mechanism.threshold_if_true, mechanism.threshold_if_other),
            "instantaneous": (permanent, reported, mechanism.report_if_one, mechanism.report_if_zero),
        }
        for stage, (source, result, if_one, if_zero) in stages.items():
            for place, columns in places.items():
                for value, threshold in ((True, if_one), (False, if_zero)):
                    coins = result[:, columns][source[:, columns] == value]
                    if coins.size and is_wrong(int(coins.sum()), coins.size, threshold / 2**32, n_tests=24):
                        wrong.add(f"{stage} {value} {place}")
    return wrong


KINDS = {
    f"{stage} {value} {place}"
    for stage in ("permanent", "instantaneous")
    for value in (True, False)
    for place in ("first", "last", "between")
}


def sample_size() -> int:
    return N_FULL if "SOTTO_TEST_FULL" in os.environ else N_BOUNDED


@pytest.mark.thorough
@pytest.mark.slow
def test_every_kind_of_bit_goes_through_both_published_coins() -> None:
    assert wrong_rates(report_devices(sample_size())) == set()


@pytest.mark.thorough
@pytest.mark.parametrize("offset", [-0.01, 0.01])
def test_the_same_test_sees_coins_that_are_off_by_a_hundredth(offset: float) -> None:
    """In bulk, so at full size: 14 standard deviations from the truth in every single place, 7 would be enough."""
    right = bloom_of_edges()
    shift = int(offset * 2**32)
    first = replace(
        right, threshold_if_true=right.threshold_if_true + shift, threshold_if_other=right.threshold_if_other + shift
    )
    second = replace(right, report_if_one=right.report_if_one + shift, report_if_zero=right.report_if_zero + shift)
    for stage, mechanism in (("permanent", first), ("instantaneous", second)):
        assert {kind for kind in KINDS if kind.startswith(stage)} <= wrong_rates(report_devices(N_FULL, mechanism))


@pytest.mark.parametrize("place", [0, N_BITS - 1])
@pytest.mark.parametrize("stage", [0, 1])
def test_the_same_test_sees_an_edge_that_is_never_randomised(stage: int, place: int) -> None:
    made = report_devices(2_000, bloom_of_edges())
    for text, both in made.items():
        source = both[0] if stage else np.broadcast_to(place in ones_of(text), both[0].shape)
        both[stage][:, place] = source[:, place]
    name = "first" if place == 0 else "last"
    expected = {f"{('permanent', 'instantaneous')[stage]} {value} {name}" for value in (True, False)}
    assert expected <= wrong_rates(made)


# Independence.


def false_bits_of_two(n_devices: int, *, share_noise: bool = False) -> tuple[Bits, Bits]:
    """Return the permanent bits of one string in two questions of one cohort, without its own; shape (n, n_false)."""
    question = EDGES.questions[0]
    other = replace(question, id=question.id if share_noise else "other")
    keep = sorted(set(range(N_BITS)) - ones_of(INSIDE))
    pairs = []
    for secret in (os.urandom(32) for _ in range(n_devices)):
        encoded = question.encode(INSIDE)
        pairs.append([respond(one, encoded, secret, EDGES.fingerprint) for one in (question, other)])
    return tuple(unpack(np.concatenate(column))[:, keep] for column in zip(*pairs, strict=True))  # type: ignore[return-value]  # two


def shares_noise(left: Bits, right: Bits) -> bool:
    """Whether bits agree more or less often than two independent ones, which may happen by 1e-9."""
    other = bloom_of_edges().threshold_if_other / 2**32
    agree = other**2 + (1 - other) ** 2
    return is_wrong(int((left == right).sum()), left.size, agree, n_tests=1)


def test_two_questions_with_the_same_string_share_no_noise() -> None:
    assert not shares_noise(*false_bits_of_two(2_000))
    assert shares_noise(*false_bits_of_two(200, share_noise=True))


def test_two_reports_of_one_answer_share_only_the_permanent_stage() -> None:
    """Given the permanent bits, two reports agree as often as two independent coins do."""
    question, coins = EDGES.questions[0], os_coins()
    encoded = question.encode(INSIDE)
    n_agree = n_bits = 0
    for secret in (os.urandom(32) for _ in range(1_000)):
        one, other = (unpack(report_answer(question, encoded, secret, EDGES.fingerprint, coins)) for _ in range(2))
        n_agree += int((one == other).sum())
        n_bits += one.size
    one = bloom_of_edges().report_if_one / 2**32  # report_if_zero is its complement
    assert not is_wrong(n_agree, n_bits, one**2 + (1 - one) ** 2, n_tests=1)
