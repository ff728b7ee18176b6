"""Permanent noise: the same for the same answer, independent for another, and of the published probabilities.

False alarms: every statistical test here fails a right client with a probability below 1e-9 (Hoeffding 1963).
"""

import math
import os
import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from devices import ANSWERS, LUNCH, WIDE
from sotto_client import os_coins
from sotto_client.permanent import permanent_coins, tag_answer
from sotto_client.reporting import check_answers, make_report
from sotto_protocol import Coins, Survey, compile_toml, hmac_bytes, stack_records
from sotto_protocol.mechanisms.bit_flips import BitFlips
from sotto_protocol.record import WAVE

N_DEVICES = 2_000
FALSE_ALARM = 1e-9
CHOSEN = [f"option-{number:03}" for number in [*range(0, 126, 2), 127]]  # the first and the last are true
IS_TRUE = np.array([option in CHOSEN for option in WIDE.questions[0].options])
Bits = NDArray[np.bool_]


def perturb(survey: Survey, answers: dict[str, Any], secret: bytes) -> bytes:
    return make_report(survey, check_answers(survey, answers), secret, {WAVE: 1}, os_coins())[1]


def bits_of(survey: Survey, records: list[bytes]) -> Bits:
    """Return reported bits, shape (n, n_values), of a survey of one any-of question."""
    unpacked = np.unpackbits(stack_records(records), axis=1, bitorder="little")
    return unpacked[:, : survey.questions[0].mechanism.n_values].astype(np.bool_)


def half_width(n_coins: int, n_tests: int) -> float:
    return math.sqrt(math.log(2 * n_tests / FALSE_ALARM) / (2 * n_coins))


def wrong_positions(bits: Bits) -> list[int]:
    """Return the positions whose rate of ones is not the published one."""
    mechanism = WIDE.questions[0].mechanism
    expected = np.where(IS_TRUE, mechanism.prob_support_if_true, mechanism.prob_support_if_other)
    off = np.abs(bits.mean(axis=0) - expected)
    return (off > half_width(len(bits), bits.shape[1])).nonzero()[0].tolist()


def wrong_pools(bits: Bits) -> list[str]:
    """Return which of the two coins, pooled over positions, is not the published one; it sees 0.02."""
    mechanism = WIDE.questions[0].mechanism
    pools = {
        "if_true": (bits[:, IS_TRUE], mechanism.prob_support_if_true),
        "if_other": (bits[:, ~IS_TRUE], mechanism.prob_support_if_other),
    }
    return [name for name, (pool, expected) in pools.items() if abs(pool.mean() - expected) > half_width(pool.size, 2)]


@pytest.fixture(scope="module")
def bits() -> Bits:
    records = [perturb(WIDE, {"which": CHOSEN}, os.urandom(32)) for _ in range(N_DEVICES)]
    return bits_of(WIDE, records)


@pytest.mark.thorough
def test_every_position_flips_at_the_published_rate_over_2000_devices(bits: Bits) -> None:
    assert wrong_positions(bits) == []
    assert wrong_pools(bits) == []


@pytest.mark.parametrize("position", [0, 1, 126, 127])
def test_the_same_test_sees_a_position_that_is_never_randomised(bits: Bits, position: int) -> None:
    honest = bits.copy()
    honest[:, position] = IS_TRUE[position]
    assert wrong_positions(honest) == [position]


@pytest.mark.parametrize("offset", [-0.02, 0.02])
def test_the_same_test_sees_coins_that_are_off_by_two_hundredths(offset: float) -> None:
    right = WIDE.questions[0].mechanism
    assert isinstance(right, BitFlips)
    shift = int(offset * 2**32)
    wrong = BitFlips("x", 128, right.threshold_if_true + shift, right.threshold_if_other + shift, max_selected=64)
    reports = wrong.perturb(np.tile(IS_TRUE, (N_DEVICES, 1)), os_coins())
    assert wrong_pools(bits_of(WIDE, [report.tobytes() for report in reports])) == ["if_true", "if_other"]


def agreement(left: Bits, right: Bits, positions: Bits) -> float:
    return float((left == right)[:, positions].mean())


def independent_agreement() -> tuple[float, float]:
    """Return how often two independent false bits agree, and how far a right client's rate may be from it."""
    other = WIDE.questions[0].mechanism.prob_support_if_other
    return other**2 + (1 - other) ** 2, half_width(N_DEVICES * int((~IS_TRUE).sum()), 1)


@pytest.mark.thorough
def test_another_answer_gets_independent_noise() -> None:
    secrets = [os.urandom(32) for _ in range(N_DEVICES)]
    first = bits_of(WIDE, [perturb(WIDE, {"which": CHOSEN}, secret) for secret in secrets])
    other = bits_of(WIDE, [perturb(WIDE, {"which": CHOSEN[1:]}, secret) for secret in secrets])
    again = bits_of(WIDE, [perturb(WIDE, {"which": set(CHOSEN)}, secret) for secret in secrets])
    rate, width = independent_agreement()
    assert abs(agreement(first, other, ~IS_TRUE) - rate) < width
    assert np.array_equal(first, again)


def test_two_questions_and_two_surveys_never_share_noise() -> None:
    secret = os.urandom(32)
    encoded = WIDE.questions[0].encode(CHOSEN)
    streams = {
        permanent_coins(secret, fingerprint, question_id, answer).take(32)
        for fingerprint in ("a", "ab", "")
        for question_id in ("which", "bwhich", "", "a")
        for answer in (encoded, encoded[:, :64], encoded[:, :0])
    }
    assert len(streams) == 3 * 4 * 3


def test_the_context_of_the_coins_is_as_documented() -> None:
    secret = bytes(range(32))
    parts = [b"sottovoce-permanent-1", LUNCH.fingerprint.encode(), b"dish", b"\x00\x02"]
    context = b"".join(len(part).to_bytes(8, "big") + part for part in parts)
    dish = LUNCH.questions[1]
    expected = dish.mechanism.perturb(dish.encode("leftovers"), Coins(hmac_bytes(secret, context)))
    record = perturb(LUNCH, ANSWERS, secret)
    assert record[1:2] == expected.tobytes()


def test_a_wide_one_of_answer_is_not_cut_off() -> None:
    survey = compile_toml(
        f'id = "w"\ntitle = "W"\n[[questions]]\nid = "q"\ntype = "one-of"\ntext = "?"\nepsilon = {Decimal(20)}\n'
        f'mechanism = "k-ary"\noptions = {[str(number) for number in range(4096)]}\n'
    )
    # The truth is told with a probability of 1 - 8.5e-6; a cut-off answer would never be.
    reported = [int.from_bytes(perturb(survey, {"q": "4095"}, os.urandom(32)), "big") for _ in range(5)]
    assert reported.count(4095) >= 2
    first, second = (survey.questions[0].encode(text) for text in ("1", "257"))
    secret = os.urandom(32)
    assert permanent_coins(secret, "f", "q", first).take(32) != permanent_coins(secret, "f", "q", second).take(32)


@pytest.mark.parametrize("numbers", [[70_000], [65_536], [-1], [0, 65_536], [2.5], [2.0], [float("nan")], [1 + 0j]])
@pytest.mark.parametrize("derive", [permanent_coins, tag_answer])
def test_an_answer_that_two_bytes_cannot_hold_is_refused_and_not_quoted(
    numbers: list[Any], derive: Callable[..., object]
) -> None:
    with pytest.raises(ValueError, match=re.escape("must be a text, or integers in [0, 65535].")) as caught:
        derive(bytes(32), "f", "q", np.array(numbers))
    shown = str(caught.value).replace("[0, 65535]", "")
    assert not any(str(number) in shown for number in numbers)
    assert caught.value.__cause__ is caught.value.__context__ is None


@pytest.mark.parametrize("numbers", [[0], [65_535], [0, 1, 65_535]])
def test_the_numbers_that_two_bytes_hold_are_written_alike_whatever_their_type(numbers: list[int]) -> None:
    types = ("uint16", ">u2", "uint32", "int64", "uint64")
    tags = {tag_answer(bytes(32), "f", "q", np.array(numbers, kind)) for kind in types}
    assert len(tags) == 1


@pytest.mark.parametrize("n_bytes", [0, 1, 127, 128, 100_000])
def test_the_systems_coins_give_as_many_bytes_as_asked(n_bytes: int) -> None:
    coins = os_coins()
    first, second = coins.take(n_bytes), coins.take(n_bytes)
    assert len(first) == len(second) == n_bytes
    if n_bytes > 30:
        assert first != second
