"""What devices draw of themselves is uniform: the option that one is asked, and the questions that another answers."""

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binom

from published import survey_of
from sotto_client.draws import Seed
from sotto_client.permanent import SECRET_BYTES
from sotto_client.reporting import respond
from sotto_protocol import Coins, Survey, given_bytes
from sotto_protocol.mechanisms.asked_option import asked_option

N_DEVICES = 20_000
FALSE_ALARM = 1e-9
ASKED = {"type": "any-of", "text": "Which?", "options": list("abcd"), "epsilon": 1, "mechanism": "asked-option"}
SURVEY = survey_of(ASKED, ASKED)
DRAWN = replace(survey_of(*[{"type": "yes-no", "text": "So?", "epsilon": 1}] * 5), draw=2)


def is_uniform(counts: Sequence[int]) -> bool:
    """Whether counts may be of one uniform draw each: false with probability FALSE_ALARM at most, where they are.

    By the two binomial tails of every count (Bonferroni).
    """
    n, prob = sum(counts), 1 / len(counts)
    tails = [min(binom.cdf(count, n, prob), binom.sf(count - 1, n, prob)) for count in counts]
    return bool(min(tails) > FALSE_ALARM / (2 * len(counts)))


@pytest.mark.parametrize("n_outcomes", [4, 10, 16])
def test_the_test_tells_draws_that_are_slightly_off(n_outcomes: int) -> None:
    weights = np.ones(n_outcomes)
    weights[-1] += 0.3
    off = np.random.default_rng(1).multinomial(N_DEVICES, weights / weights.sum())
    assert not is_uniform(off.tolist())
    assert not is_uniform([N_DEVICES // (n_outcomes - 1)] * (n_outcomes - 1) + [0])
    assert is_uniform(np.random.default_rng(1).multinomial(N_DEVICES, [1 / n_outcomes] * n_outcomes).tolist())


@pytest.mark.parametrize("n_options", [2, 3, 8, 100, 255, 256])
def test_every_option_is_asked_by_as_many_of_all_coins(n_options: int) -> None:
    """All 65,536 pairs of bytes are enumerated; those that are rejected draw again, here what asks a middle option."""
    middle = n_options // 2
    n_rejected = 65536 % n_options
    again = (-(-(middle * 65536 + n_rejected) // n_options)).to_bytes(2, "big")
    take = given_bytes(np.arange(65536, dtype=">u2").tobytes() + again * n_rejected)
    options = asked_option(n_options, SURVEY.questions[0].epsilon, n_options).draw_group(65536, Coins(take)).ravel()
    counts = np.bincount(options, minlength=n_options)
    counts[middle] -= n_rejected
    assert counts.tolist() == [65536 // n_options] * n_options
    with pytest.raises(ValueError, match="given bytes"):
        take(1)


def asked_by(survey: Survey, selected: Sequence[int]) -> list[tuple[int, ...]]:
    """Return of many devices the options that they are asked, one of each question, whatever the answer selects."""
    answer: NDArray[Any] = np.zeros((1, 4), np.uint8)
    answer[0, list(selected)] = 1
    asked = []
    for _ in range(N_DEVICES // 2):
        secret = os.urandom(SECRET_BYTES)
        rows = [respond(question, answer, secret, survey.fingerprint)[0] for question in survey.questions]
        asked.append(tuple(int(row[0]) for row in rows))
    return asked


@pytest.mark.thorough
@pytest.mark.parametrize(
    "selected", [*[pytest.param(of, marks=pytest.mark.thorough) for of in ((), (1,))], (0, 1, 2, 3)]
)
def test_devices_are_asked_every_option_as_often_whatever_they_select(selected: Sequence[int]) -> None:
    found = Counter(asked_by(SURVEY, selected))
    assert is_uniform([found[first, second] for first in range(4) for second in range(4)])  # and of two independently


@pytest.mark.thorough
def test_devices_draw_every_set_of_questions_as_often() -> None:
    seeds = (Seed(DRAWN.fingerprint, DRAWN.id, os.urandom(SECRET_BYTES)) for _ in range(N_DEVICES))
    found = Counter(tuple(np.flatnonzero(seed.drawn(DRAWN)).tolist()) for seed in seeds)
    sets = list(combinations(range(5), 2))
    assert set(found) <= set(sets)
    assert is_uniform([found[each] for each in sets])
