"""How well reports tell answers apart, beside a naive reference: every pair of answers, every report, and the dual.

A test's power at level a is the least of t a + the sum of max(0, P - t Q) over all reports, t any ratio P / Q or 0: the
dual of the linear program whose solution Neyman and Pearson give. Nothing is sorted, and no formula is the packages'.
"""

import itertools
import math
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import reference
from contract import cases
from published import NAMES, build, few_numbers, mechanisms
from reference import Answer, Published
from sotto_protocol import Question
from sotto_protocol.mechanisms.bit_flips import BitFlips
from sotto_protocol.mechanisms.kary import KaryResponse
from sotto_protocol.mechanisms.unary import UnaryEncoding
from sotto_protocol.told_apart import (
    MAX_OUTCOMES,
    Outcome,
    alike_either_way,
    of_bits,
    of_epsilon,
    powers,
    powers_together,
)

LEVELS = [Fraction(level) for level in ("0", "1/1000", "1/20", "1/5", "1/2", "9/10", "1")]
WORDS = ["oak", "elm", "ash", "yew", "fir", "box", "sycamore"]
Channel = dict[bytes, Fraction]


def power(outcomes: Sequence[Outcome], level: Fraction) -> Fraction:
    [found] = powers(outcomes, [level])
    return found


def dual_power(one: Channel, other: Channel, level: Fraction) -> Fraction:
    ratios = [Fraction(0), *(one[report] / other[report] for report in other)]
    return min(t * level + sum(max(Fraction(0), one[y] - t * other[y]) for y in other) for t in {*ratios})


def channels_of(published: Published, n_values: int) -> list[Channel]:
    """Return the reports of every answer; of `asked-option` those that ask the first option, of a text some words'."""
    is_text = reference.kind_of(published, n_values) == "text"
    answers: Sequence[Answer] = WORDS if is_text else [*reference.every_answer(published, n_values)]
    channels = [reference.distribution(published, n_values, answer) for answer in answers]
    if published["name"] != "asked-option":
        return channels
    return [{y: n_values * prob for y, prob in channel.items() if not any(y[:-1])} for channel in channels]


def most_power(channels: Sequence[Channel], level: Fraction) -> Fraction:
    return max(dual_power(one, other, level) for one, other in itertools.permutations(channels, 2))


small = mechanisms(max_values=4, names=tuple(name for name in NAMES if name not in ("window", "rappor", "sketch")))


@settings(max_examples=60, deadline=None)
@given(st.one_of(small, few_numbers()), st.sampled_from(LEVELS))
def test_power_is_that_of_the_best_test_of_any_two_answers(drawn: tuple[Published, int], level: Fraction) -> None:
    published, n_values = drawn
    mechanism = build(published, n_values)
    outcomes = mechanism.told_apart()
    true = most_power(channels_of(published, n_values), level)
    found = power(outcomes, level)
    assert sum(outcome.if_one for outcome in outcomes) == sum(outcome.if_other for outcome in outcomes) == 1
    assert true <= found <= power(of_epsilon(mechanism.epsilon), level)
    if outcomes != of_epsilon(mechanism.epsilon):  # known, and not bounded
        assert found == true


@pytest.mark.thorough
@settings(max_examples=15, deadline=None)
@given(mechanisms(max_values=3, names=("rappor", "sketch")).filter(lambda drawn: drawn[1] < 8), st.sampled_from(LEVELS))
def test_no_test_tells_two_texts_apart_better(drawn: tuple[Published, int], level: Fraction) -> None:
    if "max_length" in drawn[0] and drawn[1] > 2:
        drawn = {key: v for key, v in drawn[0].items() if key not in ("max_length", "gram_length")}, drawn[1]
    mechanism = build(*drawn)
    assert most_power(channels_of(*drawn), level) <= power(mechanism.told_apart(), level)


@pytest.mark.parametrize("question", [*cases()])
def test_every_mechanism_of_the_registry_knows_its_two_answers_and_takes_its_epsilon(question: Question) -> None:
    outcomes = question.mechanism.told_apart()
    assert len(outcomes) <= MAX_OUTCOMES
    ratios = [outcome.if_one / outcome.if_other for outcome in outcomes]
    most = max(max(ratios), 1 / min(ratios))
    assert np.log(float(most)) == pytest.approx(float(question.mechanism.epsilon), rel=1e-6)


def test_a_forced_response_is_tested_by_the_answer_that_gives_more_away() -> None:
    """A "no" of the forced response 1/2, 5/6 is seven times as likely of a no; a "yes" 2.2 times as likely of a yes."""
    outcomes = [Outcome(Fraction(11, 12), Fraction(5, 12)), Outcome(Fraction(1, 12), Fraction(7, 12))]
    for told in (outcomes, [outcome.swapped() for outcome in outcomes]):
        assert power(told, Fraction(1, 20)) == Fraction(7, 20)


def test_the_power_at_ln_3_and_5_percent_is_15_percent() -> None:
    """Wasserman & Zhou 2010, theorem 2.4: at most e^epsilon times the level."""
    coin = [Outcome(Fraction(3, 4), Fraction(1, 4)), Outcome(Fraction(1, 4), Fraction(3, 4))]
    assert power(coin, Fraction("0.05")) == Fraction("0.15")
    assert power(coin, Fraction("0.5")) == Fraction(3, 4) + Fraction(1, 4) * Fraction(1, 3)


@given(st.decimals("0.001", "20", places=6), st.fractions(0, 1))
def test_a_coin_of_epsilon_has_the_trade_off_of_pure_epsilon(epsilon: Decimal, level: Fraction) -> None:
    """Dong, Roth & Su 2022, with delta 0: f(a) = max(0, 1 - e^eps a, e^-eps (1 - a))."""
    grown = np.exp(float(epsilon))
    f = max(0.0, 1 - grown * float(level), (1 - float(level)) / grown)
    assert float(power(of_epsilon(epsilon), level)) == pytest.approx(1 - f, abs=1e-12)


def test_bits_that_are_too_many_are_left_to_epsilon() -> None:
    lazy, fair = Fraction(3, 5), Fraction(1, 2)
    assert of_bits(lazy, 1 - lazy, MAX_OUTCOMES, 0) is None
    assert of_bits(lazy, fair, 8, 8) is None
    assert len(of_bits(lazy, fair, 7, 7) or []) == MAX_OUTCOMES


COINS = [of_epsilon(Decimal(epsilon)) for epsilon in ("0.7", "1", "2.25", "0.7", "0.011")]
MIXED = [
    KaryResponse("k-ary", 16, 2**30).told_apart(),
    UnaryEncoding("oue", 4, 2**31, 2**30).told_apart(),
    BitFlips("bit-flips", 6, 3 * 2**30, 2**30, max_selected=2).told_apart(),
]
"""Of three and four outcomes, and of five; each as telling of the one answer as of the other."""
CERTAIN = [of_epsilon(Decimal(20))] * 200


@pytest.mark.parametrize("reports", [COINS[:1], COINS[:3], COINS, MIXED[:1], MIXED[1:], MIXED, MIXED[:2] + COINS[2:4]])
def test_reports_together_are_bounded_as_all_their_outcomes_are(reports: list[Sequence[Outcome]]) -> None:
    """Everything that they can be together, listed: above the exact power, and by less than a thousandth."""
    together = [
        Outcome(*(math.prod(side) for side in zip(*((each.if_one, each.if_other) for each in outcomes), strict=True)))
        for outcomes in itertools.product(*reports)
    ]
    exact = powers(together, LEVELS)
    bounds = powers_together(reports, [float(level) for level in LEVELS])
    for bound, truth in zip(bounds, exact, strict=True):
        assert truth <= Fraction(bound) <= truth + Fraction(1, 1000)


def test_what_tells_more_of_the_one_answer_than_of_the_other_is_taken_for_a_coin_among_others() -> None:
    forced = [Outcome(Fraction(11, 12), Fraction(5, 12)), Outcome(Fraction(1, 12), Fraction(7, 12))]
    assert alike_either_way(forced, Decimal(2)) == of_epsilon(Decimal(2))
    assert all(alike_either_way(outcomes, Decimal(99)) is outcomes for outcomes in MIXED)


def test_what_many_reports_take_together_is_at_most_all() -> None:
    bounds = powers_together(CERTAIN, [0.0, 0.01, 1.0])
    assert bounds[1] == bounds[2] == 1
    assert 0 <= bounds[0] <= 1


def test_ratios_that_no_float_holds_are_joined_too() -> None:
    rare = Fraction(1, 10**400)
    outcomes = [Outcome(1 - rare, rare), Outcome(rare, 1 - rare)]
    assert powers_together([outcomes, COINS[0]], [0.001]) == pytest.approx(1)
