"""Whether a device draws its questions as it should: every set as likely, whatever others drew and whatever it answers.

All counts are binomial with a probability that is known exactly, so these tests are exact.
"""

from math import comb

import numpy as np
from numpy.typing import NDArray

from sotto_rehearsal.audit.bounds import binomial_tails
from sotto_rehearsal.audit.checks import Check
from sotto_rehearsal.audit.counting import N_COMPARED, chosen_by
from sotto_rehearsal.audit.design import Design
from sotto_rehearsal.audit.sample import Sample

_MOST_APART = 64
"""Devices so far apart, in the order in which they were asked, are compared; or by as many as there are questions."""

Ints = NDArray[np.int64]
Tests = list[tuple[Ints, Ints, float, str]]
"""How many of so many, at which probability, and what was counted."""


def check_draws(design: Design, sample: Sample, false_alarm: float) -> list[Check]:
    """Return whether questions are drawn uniformly, and independently; none where all are asked.

    A program without a fault fails any with at most `false_alarm`.
    """
    survey = design.survey
    if not survey.draw:
        return []
    has, drawn = sample.has, survey.n_drawn
    share = drawn / len(survey.questions)
    groups = {
        "questions are drawn evenly": _of_sets(has, drawn),
        "draws follow no order": _of_orders(has, drawn),
        "draws tell no answers": _of_answers(design, has, share),
    }
    tail = false_alarm / sum(x.size for tests in groups.values() for x, *_ in tests)
    return [_check(name, tests, tail) for name, tests in groups.items()]


def _of_sets(has: NDArray[np.bool_], n_drawn: int) -> Tests:
    """Count how often each question is drawn, and each two together."""
    n, n_questions = has.shape
    share = n_drawn / n_questions
    together = has.astype(np.float64).T @ has
    pairs = together[np.triu_indices(n_questions, 1)].astype(np.int64)
    prob = share * (n_drawn - 1) / (n_questions - 1)
    counts = has.sum(axis=0, dtype=np.int64)
    return [
        (counts, np.full(n_questions, n), share, "a question is drawn"),
        (pairs, np.full(len(pairs), n), prob, "two questions are drawn together"),
    ]


def _of_orders(has: NDArray[np.bool_], n_drawn: int) -> Tests:
    """Count how often two devices that are so far apart draw the same set, or both draw a question.

    Of sets that are uniform each equality is independent of the others (a set follows with one probability whatever
    was before it); of a question, pairs of devices are taken that share none.
    """
    n, n_questions = has.shape
    far = range(1, min(n // 2, max(_MOST_APART, n_questions)) + 1)
    alike = np.array([(has[apart:] == has[:-apart]).all(axis=1).sum() for apart in far], np.int64)
    tests: Tests = [
        (alike, np.array([n - apart for apart in far]), 1 / comb(n_questions, n_drawn), "two devices draw the same")
    ]
    for apart in far:
        first = np.flatnonzero(np.arange(n - apart) // apart % 2 == 0)
        both = (has[first] & has[first + apart]).sum(axis=0, dtype=np.int64)
        share = n_drawn / n_questions
        tests.append((both, np.full(n_questions, len(first)), share**2, f"devices {apart} apart both draw a question"))
    return tests


def _of_answers(design: Design, has: NDArray[np.bool_], share: float) -> Tests:
    """Count how often each question is drawn by those who give an answer, to it or to another."""
    chosen = np.stack(
        [
            chosen_by(design, index, choice)
            for index, tried in enumerate(design.answers)
            for choice in range(min(N_COMPARED, len(tried)))
        ]
    ).astype(np.float64)
    counts = (chosen @ has).astype(np.int64)
    return [(counts, np.broadcast_to(chosen.sum(axis=1, keepdims=True), counts.shape), share, "a question is drawn")]


def _check(name: str, tests: Tests, tail: float) -> Check:
    for x, n, prob, what in tests:
        tails = binomial_tails(x, n, prob)
        if tails.size and tails.min() < tail:
            worst = np.unravel_index(int(np.argmin(tails)), tails.shape)
            said = f"{what} in {int(x[worst]):,} of {int(n[worst]):,}; expected {n[worst] * prob:,.1f}"
            return Check(name, False, said)
    return Check(name, True, f"{sum(x.size for x, *_ in tests):,} counts are as they should be")
