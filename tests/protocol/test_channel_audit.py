"""A statistical audit of every output position under operating-system randomness, and of its power to fail.

Each test is exact and binomial. All audits of this file that must pass raise a false alarm with probability at most
1e-9 together (Bonferroni: an audit spends FALSE_ALARM, divided among its tests). What must be caught is caught, and
missed with probability at most 1e-7: a channel that is off by 0.02, a true 1 that is never flipped, a last bit or a
first option that is never randomised, a shared coin.
"""

import ssl
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from audits import Counts, rejects
from sotto_protocol import COIN_SCALE, Coins
from sotto_protocol.mechanisms.bit_flips import BitFlips
from sotto_protocol.mechanisms.bits import BitMechanism
from sotto_protocol.mechanisms.kary import KaryResponse
from sotto_protocol.mechanisms.mechanism import COINS_PER_CHUNK, Bytes
from sotto_protocol.mechanisms.unary import UnaryEncoding
from sotto_protocol.mechanisms.warner import BinaryResponse

Answers = NDArray[Any]
Perturb = Callable[[Answers, Coins], Bytes]

TRUE, OTHER, OFF = (round(prob * COIN_SCALE) for prob in (0.73, 0.27, 0.02))
N_ONE_BIT, N_OF_9, N_OF_128, N_K_ARY = 300_001, 100_009, 100_129, 300_000
BIT_MECHANISMS: list[tuple[BitMechanism, int]] = [
    (BinaryResponse("warner", 1, TRUE, OTHER), N_ONE_BIT),
    (BinaryResponse("forced-response", 1, TRUE, OTHER // 2), N_ONE_BIT),
    (UnaryEncoding("sue", 9, TRUE, OTHER), N_OF_9),
    (UnaryEncoding("sue", 128, TRUE, OTHER), N_OF_128),
    (UnaryEncoding("oue", 9, COIN_SCALE // 2, OTHER), N_OF_9),
    (UnaryEncoding("oue", 128, COIN_SCALE // 2, OTHER), N_OF_128),
    (BitFlips("bit-flips", 9, TRUE, OTHER, max_selected=9), N_OF_9 // 3),
    (BitFlips("bit-flips", 128, TRUE, OTHER, max_selected=128), N_OF_128 // 3),
]
K_ARY: list[tuple[KaryResponse, int]] = [
    (KaryResponse("k-ary", 6, TRUE), N_K_ARY),
    (KaryResponse("k-ary", 300, TRUE), N_K_ARY),
]
N_WITHOUT_NEIGHBOURS = sum(mechanism.n_values == 1 for mechanism, _ in BIT_MECHANISMS)
FALSE_ALARM = 1e-9 / (len(BIT_MECHANISMS) + len(K_ARY) + N_WITHOUT_NEIGHBOURS)

bit_mechanisms = pytest.mark.parametrize(
    ("mechanism", "n"), BIT_MECHANISMS, ids=[f"{m.name}-{m.n_values}" for m, _ in BIT_MECHANISMS]
)
k_ary = pytest.mark.parametrize(("mechanism", "n"), K_ARY, ids=[f"k-ary-{m.n_values}" for m, _ in K_ARY])


def true_bits(mechanism: BitMechanism, n: int) -> tuple[Answers, NDArray[np.bool_]]:
    """Return n answers under which every position is often 0 and often 1, and the bits that stand for them."""
    k = mechanism.n_values
    if isinstance(mechanism, BitFlips):
        rows = np.arange(n)[:, None] // 2 + np.arange(k) // 2  # pairs of neighbours are alike, and pairs of people
        return rows % 2, (rows % 2).astype(np.bool_)
    answers = np.arange(n) // 2 % max(2, k)
    return answers, answers[:, None] == (1 if k == 1 else np.arange(k))


def audit_bits(mechanism: BitMechanism, n: int, perturb: Perturb) -> bool:
    """Whether n reports reject the channel that the mechanism states."""
    answers, is_true = true_bits(mechanism, n)
    reports = np.unpackbits(perturb(answers, Coins(ssl.RAND_bytes)), axis=1, bitorder="little")
    assert not reports[:, mechanism.n_values :].any(), "spare bits are zero"
    ones = reports[:, : mechanism.n_values].astype(np.bool_)
    prob_true, prob_other = mechanism.prob_support_if_true, mechanism.prob_support_if_other
    n_true = is_true.sum(axis=0)
    ones_of_true, ones_of_other = (ones & is_true).sum(axis=0), (ones & ~is_true).sum(axis=0)
    assert n_true.min() > 100
    return rejects(
        [
            (ones_of_true, n_true, prob_true),  # every position with a true 1
            (ones_of_other, n - n_true, prob_other),  # every position with a true 0
            (ones_of_true.sum(), n_true.sum(), prob_true),
            (ones_of_other.sum(), (n - n_true).sum(), prob_other),
            *_pairs(ones[:, :-1:2], ones[:, 1::2], is_true[:, :-1:2] | is_true[:, 1::2], prob_other),
            *_pairs(ones[:-1:2], ones[1::2], is_true[:-1:2] | is_true[1::2], prob_other),
        ],
        FALSE_ALARM,
    )


def _pairs(ones: Any, others: Any, is_true: Any, prob: float) -> Counts:
    """Neighbouring bits, and bits of people who follow each other, both of a true 0, differ as independent coins do."""
    differ = (ones != others) & ~is_true
    return [(differ.sum(axis=0), (~is_true).sum(axis=0), 2 * prob * (1 - prob))]


def audit_k_ary(mechanism: KaryResponse, n: int, perturb: Perturb) -> bool:
    """Whether n reports reject the channel: every pair of a true and a reported option, and the truth in total."""
    k = mechanism.n_values
    answers = np.arange(n) % k
    reports = perturb(answers, Coins(ssl.RAND_bytes))
    reported = reports @ (256 ** np.arange(mechanism.n_bytes)[::-1])
    counts = np.bincount(answers * k + reported, minlength=k * k).reshape(k, k)
    truths, lies = counts[np.eye(k, dtype=np.bool_)], counts[~np.eye(k, dtype=np.bool_)]
    prob_true, prob_other = mechanism.prob_support_if_true, mechanism.prob_support_if_other
    return rejects(
        [
            (truths, n // k, prob_true),
            (lies, n // k, prob_other),
            (truths.sum(), n, prob_true),
            (counts.sum(axis=0) - truths, n - n // k, prob_other),  # every reported option, whatever else is true
        ],
        FALSE_ALARM,
    )


def test_the_audits_cross_the_boundaries_of_chunks() -> None:
    for mechanism, n in BIT_MECHANISMS:
        assert n * mechanism.n_values > COINS_PER_CHUNK
        assert n * mechanism.n_values % COINS_PER_CHUNK
    assert N_K_ARY > COINS_PER_CHUNK


@bit_mechanisms
def test_bits_pass(mechanism: BitMechanism, n: int) -> None:
    assert not audit_bits(mechanism, n, mechanism.perturb)


@k_ary
def test_k_ary_passes(mechanism: KaryResponse, n: int) -> None:
    assert not audit_k_ary(mechanism, n, mechanism.perturb)


@pytest.mark.few(6, "rare")
@pytest.mark.parametrize(("off_true", "off_other"), [(OFF, 0), (-OFF, 0), (0, OFF), (0, -OFF)])
@bit_mechanisms
def test_a_channel_of_bits_that_is_off_by_two_hundredths_is_rejected(
    mechanism: BitMechanism, n: int, off_true: int, off_other: int
) -> None:
    true, other = mechanism.threshold_if_true + off_true, mechanism.threshold_if_other + off_other
    wrong = replace(mechanism, threshold_if_true=true, threshold_if_other=other)
    assert audit_bits(mechanism, n, wrong.perturb)


@pytest.mark.parametrize("off", [OFF, -OFF])
@k_ary
def test_a_k_ary_channel_that_is_off_by_two_hundredths_is_rejected(mechanism: KaryResponse, n: int, off: int) -> None:
    wrong = replace(mechanism, threshold_if_true=mechanism.threshold_if_true + off)
    assert audit_k_ary(mechanism, n, wrong.perturb)


def tampered(mechanism: BitMechanism, tamper: Callable[[Any, Any], None]) -> Perturb:
    """Return a faulty client: `tamper(reported bits, true bits)` writes its fault into the reported ones."""

    def perturb(answers: Answers, coins: Coins) -> Bytes:
        ones = np.unpackbits(mechanism.perturb(answers, coins), axis=1, bitorder="little")[:, : mechanism.n_values]
        tamper(ones, true_bits(mechanism, len(answers))[1])
        return np.packbits(ones, axis=1, bitorder="little")

    return perturb


def keep_true_ones(ones: Any, is_true: Any) -> None:
    ones |= is_true


def keep_the_last_bit(ones: Any, is_true: Any) -> None:
    ones[:, -1] = is_true[:, -1]


def keep_the_first_bit(ones: Any, is_true: Any) -> None:
    ones[:, 0] = is_true[:, 0]


def never_report_the_last_bit(ones: Any, _is_true: Any) -> None:
    ones[:, -1] = 0


def share_coins_between_people(ones: Any, is_true: Any) -> None:
    both_false = ~(is_true[:-1:2] | is_true[1::2])
    ones[1::2][both_false] = ones[:-1:2][both_false]


def share_coins_between_neighbours(ones: Any, is_true: Any) -> None:
    both_false = ~(is_true[:, :-1:2] | is_true[:, 1::2])
    ones[:, 1::2][both_false] = ones[:, :-1:2][both_false]


FAULTS = [
    keep_true_ones,
    keep_the_last_bit,
    keep_the_first_bit,
    never_report_the_last_bit,
    share_coins_between_people,
    share_coins_between_neighbours,
]


@pytest.mark.few(10, "rare")
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
@bit_mechanisms
def test_a_faulty_client_of_bits_is_rejected(mechanism: BitMechanism, n: int, fault: Any) -> None:
    if fault is share_coins_between_neighbours and mechanism.n_values == 1:
        assert not audit_bits(mechanism, n // 4, tampered(mechanism, fault)), "one bit has no neighbours: no fault"
    else:
        assert audit_bits(mechanism, n // 4, tampered(mechanism, fault))


def always_true(answers: Answers, reported: Answers) -> Answers:
    return answers


def true_for_the_first_option(answers: Answers, reported: Answers) -> Answers:
    return np.where(answers == 0, answers, reported)


def never_the_last_option(answers: Answers, reported: Answers) -> Answers:
    last = answers.max()
    return np.where((reported == last) & (answers != last), (answers + 1) % last, reported)


def always_the_next_option(answers: Answers, reported: Answers) -> Answers:
    return np.where(reported == answers, answers, (answers + 1) % (answers.max() + 1))


@pytest.mark.parametrize(
    "fault", [always_true, true_for_the_first_option, never_the_last_option, always_the_next_option]
)
@k_ary
def test_a_faulty_k_ary_client_is_rejected(mechanism: KaryResponse, n: int, fault: Any) -> None:
    def perturb(answers: Answers, coins: Coins) -> Bytes:
        packed = mechanism.perturb(answers, coins)
        wrong = fault(answers, packed @ (256 ** np.arange(mechanism.n_bytes)[::-1]))
        rows: Bytes = wrong.astype(f">u{mechanism.n_bytes}").view(np.uint8)
        return rows.reshape(-1, mechanism.n_bytes)

    assert audit_k_ary(mechanism, n, perturb)
