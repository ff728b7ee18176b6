"""A statistical audit of RAPPOR's two stages, one by one and together, for choices and for strings, and of its power.

As in test_channel_audit.py each test is exact and binomial, at every output position with a 1 and with a 0 before the
stage. All audits of this file that must pass raise a false alarm with probability at most 1e-9 together. What must be
caught is caught, and missed with probability at most 1e-7: a rate that is off by 0.01, in either stage; bits that are
never flipped; coins that are shared by positions, people or reports; cohorts that are not uniform, or tell the answer.
"""

import hashlib
import ssl
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from test_channel_audit import (
    _pairs,
    keep_the_first_bit,
    keep_the_last_bit,
    keep_true_ones,
    never_report_the_last_bit,
    true_bits,
)

import reference
from audits import Counts, bits_of, rejects
from sotto_protocol import COIN_SCALE, Coins
from sotto_protocol.mechanisms.bit_flips import BitFlips
from sotto_protocol.mechanisms.bits import BitMechanism
from sotto_protocol.mechanisms.bloom.response import BloomResponse
from sotto_protocol.mechanisms.mechanism import COINS_PER_CHUNK, Bytes
from sotto_protocol.mechanisms.unary import UnaryEncoding
from sotto_protocol.mechanisms.warner import BinaryResponse

Bits = NDArray[np.bool_]
TRUE, OTHER, ONE, ZERO, OFF = (round(prob * COIN_SCALE) for prob in (0.75, 0.25, 0.8, 0.15, 0.01))
STAGES = (TRUE, OTHER, ONE, ZERO)
MECHANISMS: list[tuple[BitMechanism, int]] = [
    (BinaryResponse("basic-rappor", 1, *STAGES), 1_200_001),
    (UnaryEncoding("basic-rappor", 5, *STAGES), 900_001),
    (BitFlips("basic-rappor", 9, *STAGES, max_selected=9), 250_001),
    (BloomResponse("rappor", 20, *STAGES, n_hashes=2, n_cohorts=5), 450_001),
    (BloomResponse("rappor", 9, *STAGES, n_hashes=2, n_cohorts=3, max_length=6, gram_length=2), 250_001),
]
PARTS = ("permanent", "instant", "both", "twice")
FALSE_ALARM = 1e-9 / (len(MECHANISMS) * len(PARTS) + 2)
TEXTS = [hashlib.sha256(bytes([number])).hexdigest()[:8] for number in range(60)]

SOON = ("UnaryEncoding-5", "BloomResponse-20")
"""A choice and a string, which are audited at length in CI: the others are before a release."""
NAMED = {f"{type(mechanism).__name__}-{mechanism.n_values}": (mechanism, n) for mechanism, n in MECHANISMS}
mechanisms = pytest.mark.parametrize(("mechanism", "n"), NAMED.values(), ids=NAMED)
at_length = pytest.mark.parametrize(
    ("mechanism", "n"),
    [pytest.param(*row, id=name, marks=[pytest.mark.rare] * (name not in SOON)) for name, row in NAMED.items()],
)
parts = pytest.mark.parametrize("part", PARTS)
strings = pytest.mark.parametrize(("mechanism", "n"), [row for row in MECHANISMS if isinstance(row[0], BloomResponse)])


def truth_of(mechanism: BitMechanism, n: int, groups: Bytes) -> tuple[Any, Bits]:
    """Return n answers and the bits that stand for them, a string's by the reference's hash."""
    if not isinstance(mechanism, BloomResponse):
        return true_bits(mechanism, n)
    published = mechanism.parameters()
    numbers = np.arange(n) // 2 % len(TEXTS)
    pairs = groups[:, 2] if groups.shape[1] == 3 else np.zeros(n, np.uint8)
    size = mechanism.n_blocks * mechanism.n_values

    @cache
    def row(text: int, cohort: int, pair: int) -> Bits:
        group = [(cohort, 2), (pair, 1)]
        bits = np.zeros(size, np.bool_)
        bits[reference.bits_set(published, mechanism.n_values, TEXTS[text], group)] = True
        return bits

    keys = zip(numbers.tolist(), groups[:, 1].tolist(), pairs.tolist(), strict=True)
    return [TEXTS[number] for number in numbers], np.array([row(*key) for key in keys])


Tamper = Callable[[Any, Any], None]


def audit(stated: BitMechanism, n: int, part: str, client: BitMechanism, tamper: Tamper | None = None) -> bool:
    """Whether what a client does rejects a part of the channel that is stated."""
    coins = Coins(ssl.RAND_bytes)
    groups = client.draw_group(n, coins)
    answers, is_true = truth_of(stated, n, groups)
    if part == "both":
        reports = client.perturb(answers, coins)
        ones, given = bits_of(client, reports), truth_of(stated, n, reports[:, : client.group_bytes])[1]
        rates = stated.prob_one_if_one, stated.prob_one_if_zero
    else:
        permanent = (client if part == "permanent" else stated).respond_permanently(answers, groups, coins)
        ones, given = bits_of(client, permanent), is_true
        rates = stated.threshold_if_true / COIN_SCALE, stated.threshold_if_other / COIN_SCALE
    if part in ("instant", "twice"):
        ones, given = bits_of(client, client.report(permanent, coins)), ones
        rates = stated.report_if_one / COIN_SCALE, stated.report_if_zero / COIN_SCALE
    if tamper:
        tamper(ones, given)
    if part == "twice":
        again = bits_of(client, client.report(permanent, coins)) if tamper is None else ones.copy()
        return rejects(compare(ones, again, given, rates), FALSE_ALARM)
    return rejects(positions(ones, given, rates), FALSE_ALARM)


def positions(ones: Bits, given: Bits, rates: tuple[float, float]) -> Counts:
    """Every position with a 1 and with a 0 before the stage, all together, and neighbours and people in pairs."""
    n_given, n_not = given.sum(axis=0), (~given).sum(axis=0)
    assert min(n_given.min(), n_not.min()) > 100
    of_given, of_not = (ones & given).sum(axis=0), (ones & ~given).sum(axis=0)
    return [
        (of_given, n_given, rates[0]),
        (of_not, n_not, rates[1]),
        (of_given.sum(), n_given.sum(), rates[0]),
        (of_not.sum(), n_not.sum(), rates[1]),
        *_pairs(ones[:, :-1:2], ones[:, 1::2], given[:, :-1:2] | given[:, 1::2], rates[1]),
        *_pairs(ones[:-1:2], ones[1::2], given[:-1:2] | given[1::2], rates[1]),
    ]


def compare(ones: Bits, again: Bits, given: Bits, rates: tuple[float, float]) -> Counts:
    """Two reports of one permanent response are independent once it is known."""
    return [*_pairs(ones, again, given, rates[1]), *_pairs(ones, again, ~given, rates[0])]


def test_the_audits_cross_the_boundaries_of_chunks() -> None:
    for mechanism, n in MECHANISMS:
        n_coins = n * mechanism.n_values
        assert n_coins > COINS_PER_CHUNK
        assert n_coins % COINS_PER_CHUNK


@pytest.mark.few(2, "rare")
@pytest.mark.thorough
@parts
@at_length
def test_both_stages_pass(mechanism: BitMechanism, n: int, part: str) -> None:
    assert not audit(mechanism, n, part, mechanism)


SHIFTS = [
    ("permanent", "threshold_if_true"),
    ("permanent", "threshold_if_other"),
    ("instant", "report_if_one"),
    ("instant", "report_if_zero"),
    ("both", "report_if_one"),
    ("both", "report_if_zero"),
]


@pytest.mark.few(4, "rare")
@pytest.mark.thorough
@pytest.mark.parametrize("off", [OFF, pytest.param(-OFF, marks=pytest.mark.rare)])
@pytest.mark.parametrize(("part", "threshold"), SHIFTS)
@at_length
def test_a_rate_that_is_off_by_a_hundredth_is_rejected(
    mechanism: BitMechanism, n: int, part: str, threshold: str, off: int
) -> None:
    """Also of the instantaneous stage where both are seen together: three quarters of a hundredth are left there."""
    wrong = replace(mechanism, **{threshold: getattr(mechanism, threshold) + off})
    assert audit(mechanism, n, part, wrong)


FAULTS = [keep_true_ones, keep_the_first_bit, keep_the_last_bit, never_report_the_last_bit]


@pytest.mark.thorough
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
@pytest.mark.parametrize("part", ["permanent", "instant", "both"])
@at_length
def test_a_faulty_stage_is_rejected(mechanism: BitMechanism, n: int, part: str, fault: Tamper) -> None:
    assert audit(mechanism, n // 6, part, mechanism, fault)


@mechanisms
def test_a_client_whose_second_report_is_the_first_again_is_rejected(mechanism: BitMechanism, n: int) -> None:
    assert audit(mechanism, n // 6, "twice", mechanism, lambda _ones, _given: None)


@mechanisms
def test_a_client_that_leaves_a_stage_out_is_rejected(mechanism: BitMechanism, n: int) -> None:
    assert audit(mechanism, n // 6, "both", replace(mechanism, report_if_one=COIN_SCALE, report_if_zero=0))


def audit_groups(mechanism: BloomResponse, numbers: Any, groups: Bytes) -> bool:
    """Whether groups reject that cohorts and pairs are uniform, whatever the answer."""
    cohorts = groups[:, 0] * np.intp(256) + groups[:, 1]
    tests: Counts = [(counts_of(cohorts, mechanism.n_cohorts), len(groups), 1 / mechanism.n_cohorts)]
    for number in range(len(TEXTS)):
        of_answer = cohorts[numbers == number]
        tests.append((counts_of(of_answer, mechanism.n_cohorts), len(of_answer), 1 / mechanism.n_cohorts))
    if mechanism.pairs:
        n_pairs = len(mechanism.pairs)
        both = cohorts * n_pairs + groups[:, 2]
        tests.append((counts_of(both, mechanism.n_cohorts * n_pairs), len(groups), 1 / mechanism.n_cohorts / n_pairs))
    return rejects(tests, FALSE_ALARM)


def counts_of(numbers: Any, n_different: int) -> NDArray[np.intp]:
    counts = np.bincount(numbers, minlength=n_different)
    assert len(counts) == n_different
    return counts


@strings
def test_cohorts_and_pairs_are_uniform_whatever_the_answer(mechanism: BloomResponse, n: int) -> None:
    numbers = np.arange(n) % len(TEXTS)
    groups = mechanism.perturb([TEXTS[number] for number in numbers], Coins(ssl.RAND_bytes))[:, : mechanism.group_bytes]
    assert not audit_groups(mechanism, numbers, groups)
    tells = groups.copy()
    tells[numbers == 7, 1] = 0
    never_last = groups.copy()
    never_last[never_last[:, 1] == mechanism.n_cohorts - 1, 1] = 0
    for wrong in (tells, never_last):
        assert audit_groups(mechanism, numbers, wrong)
