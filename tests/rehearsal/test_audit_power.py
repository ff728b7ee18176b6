"""That the sizes of docs/audit.md are enough: a planted fault is missed with probability 1e-6 at most, computed.

What is counted of one event is taken to be as unlucky as it is with MISSED (binomial quantiles), and so is how many
devices give each answer. Of noise that is shared the sum of products is six standard deviations above its limit.
"""

from itertools import product
from math import exp, sqrt

import numpy as np
import pytest
from scipy import stats

from audited import one_of
from sotto_rehearsal.audit.bounds import Counts, differ, epsilon_below
from sotto_rehearsal.audit.shares import FALSE_ALARM, share_of
from sotto_rehearsal.audit.sharing import limit

MISSED = 1e-6 / 4  # two counts, and how many devices give either answer
N_TESTS = 10_000
"""More than there are of any survey of these."""
TAIL = share_of("losses", FALSE_ALARM) / (2 * N_TESTS)
RATE_TAIL = share_of("channel", FALSE_ALARM) / (4 * N_TESTS)
N_TIMES = 64
"""So many times as many reports has the reference."""


def least(n: int, prob: float) -> int:
    return int(stats.binom.ppf(MISSED, n, prob))


def most(n: int, prob: float) -> int:
    return int(stats.binom.isf(MISSED, n, prob))


def is_found(n_reports: int, share: float, prob_one: float, prob_other: float) -> bool:
    """Whether an event shows more than epsilon 1: of those who give an answer, `share` of all, and of the others."""
    n, m = least(n_reports, share), least(n_reports, 1 - share)
    return bool(epsilon_below(Counts.of(least(n, prob_one), n, most(m, prob_other), m), TAIL)[0] > 1)


def is_rate_found(n_reports: int, share: float, prob: float, expected: float) -> bool:
    """Whether a rate, of the share of reports that it is looked at in, shows to be above what it should be."""
    n = least(n_reports, share)
    seen = Counts.of(least(n, prob), n, most(N_TIMES * n, expected), N_TIMES * n)
    return bool(differ(seen, RATE_TAIL)[0])


FIRST = 1 / 4 + 1 / 2 / 8  # of the devices give the first of eight options
SUE = 1 / (1 + exp(-0.5))  # a bit's truth, of epsilon 1
KARY = exp(1) / (exp(1) + 7)
LOW = 1 / (1 + exp(1))


@pytest.mark.parametrize(
    ("n_reports", "share", "prob_one", "prob_other"),
    [(1000, FIRST, 1.0, 0.0), (1000, 1 - FIRST, SUE, 0.0), (40_000, FIRST, KARY + (1 - KARY) / 8, (1 - KARY) / 8)],
    ids=["the last bit is kept", "a true one is never flipped", "with any"],
)
def test_a_loss_is_found_at_the_stated_size(n_reports: int, share: float, prob_one: float, prob_other: float) -> None:
    """Looked at is a one; of a true one that is never flipped a zero, which those have whose option is another."""
    assert is_found(n_reports, share, prob_one, prob_other)
    assert not is_found(n_reports // 20, share, prob_one, prob_other)


@pytest.mark.parametrize(
    ("n_reports", "prob", "expected"),
    [
        (40_000, 1 - 11 / 16, LOW),
        (300_000, 1 - 12 / 16, 1 - 0.7655),
        (4_600_000, 1 - 192 / 256, 1 - 0.75389),
    ],
    ids=["4 bits", "6 bits", "8 bits"],
)
def test_truncated_thresholds_are_found_at_the_stated_size(n_reports: int, prob: float, expected: float) -> None:
    """Looked at is a reported no of those who say yes."""
    assert is_rate_found(n_reports, 1 / 2, prob, expected)
    assert not is_rate_found(n_reports // 4, 1 / 2, prob, expected)


def test_noise_that_is_drawn_anew_behind_a_second_stage_is_found_at_the_stated_size() -> None:
    """Looked at is how often a bit that is not true changes between two waves, over 4,000 devices."""
    published = one_of("basic-rappor", 3, settings="waves = 3", more="epsilon_forever = 2").questions[0].mechanism
    scale = {name: number / 2**32 for name, number in published.parameters().items()}
    one, zero, lasting = scale["report_if_one"], scale["report_if_zero"], scale["threshold_if_other"]
    anew = lasting * one + (1 - lasting) * zero
    changes_anew = 2 * anew * (1 - anew)
    changes = lasting * 2 * one * (1 - one) + (1 - lasting) * 2 * zero * (1 - zero)
    assert is_rate_found(4000, 1.0, changes_anew, changes)
    assert not is_rate_found(400, 1.0, changes_anew, changes)


def test_a_bit_of_an_id_that_is_the_answer_is_found_at_the_stated_size() -> None:
    n, m = least(300, 1 / 2), least(300, 1 / 2)
    tail = share_of("id bits", FALSE_ALARM) / (4 * 2 * 128 * 129 / 2)
    assert differ(Counts.of(n, n, 0, m), tail)[0]
    assert not differ(Counts.of(10, 10, 0, 10), tail)[0]


WORDS = [(LOW / 2, LOW), (1 / 2, 1 - 2 * LOW), (1 - LOW / 2, LOW)]
"""A word that two of Warner's coins share, anywhere between their thresholds, and how likely it is there."""


def product_of(answers: tuple[bool, bool], word: float, flips: bool, signed: bool) -> float:
    """Return the product of what is left of two reports whose coins are the same word."""
    left = [
        ((answer == (word < 1 - LOW)) if flips else word < (1 - LOW if answer else LOW)) - (1 - LOW if answer else LOW)
        for answer in answers
    ]
    return left[0] * left[1] * (-1 if signed and answers[0] != answers[1] else 1)


def is_sum_found(n_terms: int, n: int, n_tests: int, same: float, *, flips: bool, signed: bool) -> bool:
    """Whether the sum of products shows, of pairs of which a share `same` gives the same answers."""
    pairs = [(pair, same / 2 if pair[0] == pair[1] else (1 - same) / 2) for pair in product([True, False], repeat=2)]
    seen = [(product_of(pair, word, flips, signed), prob * of) for pair, prob in pairs for word, of in WORDS]
    mean = sum(value * prob for value, prob in seen)
    spread = sqrt(n_terms * sum((value - mean) ** 2 * prob for value, prob in seen))
    return bool(
        n_terms * mean - 6 * spread
        > limit(np.array([n_terms]), n, 2, share_of("sharing", FALSE_ALARM) / 2 / n_tests)[0]
    )


@pytest.mark.parametrize("flips", [False, True], ids=["a coin says what is reported", "a coin says keep or flip"])
def test_shared_noise_is_found_at_the_stated_size(flips: bool) -> None:
    """Two halves of 8,000 devices, and two questions of 3,000 of which three in four have the same two answers."""
    assert any(is_sum_found(4000, 8000, 7999 * 16, 0.5, flips=flips, signed=signed) for signed in (False, True))
    assert any(is_sum_found(3000, 3000, 16 * 16, 0.75, flips=flips, signed=signed) for signed in (False, True))
    assert not any(is_sum_found(400, 800, 799 * 16, 0.5, flips=flips, signed=signed) for signed in (False, True))


def test_shared_coins_that_keep_or_flip_do_not_show_without_signs() -> None:
    assert not is_sum_found(10**6, 2 * 10**6, 1, 0.5, flips=True, signed=False)
