"""Whether a device draws questions and waves as it should: every set as likely, whatever others drew and it answers.

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
_MOST_IN_TURN = 256
"""Of more waves, devices up to 64 apart are compared, and those that are as many apart as there are waves."""

Ints = NDArray[np.int64]
Tests = list[tuple[Ints, Ints, float, str]]
"""How many of so many, at which probability, and what was counted."""


def check_draws(design: Design, sample: Sample, false_alarm: float) -> list[Check]:
    """Return whether questions are drawn uniformly, and independently, and waves; none where all are asked.

    A program without a fault fails any with at most `false_alarm`.
    """
    survey, groups = design.survey, dict[str, Tests]()
    if survey.draw:
        has, drawn = sample.has, survey.n_drawn
        groups |= {
            "questions are drawn evenly": _of_sets(has, drawn, "question"),
            "draws follow no order": _of_orders(has, drawn, "question"),
            "draws tell no answers": _of_answers(design, has, drawn, "question"),
        }
    if sample.asked is not None:
        asked, drawn = sample.asked, survey.asked_in
        groups |= {
            "waves are drawn evenly": _of_sets(asked, drawn, "wave"),
            "draws of waves follow no order": _of_orders(asked, drawn, "wave"),
            "draws of waves tell no answers": _of_answers(design, asked, drawn, "wave"),
        }
    if not groups:
        return []
    tail = false_alarm / sum(x.size for tests in groups.values() for x, *_ in tests)
    return [_check(name, tests, tail) for name, tests in groups.items()]


def _of_sets(has: NDArray[np.bool_], n_drawn: int, what: str) -> Tests:
    """Count how often each question, or wave, is drawn, and each two together."""
    n, n_questions = has.shape
    share = n_drawn / n_questions
    together = has.astype(np.float64).T @ has
    pairs = together[np.triu_indices(n_questions, 1)].astype(np.int64)
    prob = share * (n_drawn - 1) / (n_questions - 1)
    counts = has.sum(axis=0, dtype=np.int64)
    return [
        (counts, np.full(n_questions, n), share, f"a {what} is drawn"),
        (pairs, np.full(len(pairs), n), prob, f"two {what}s are drawn together"),
    ]


def _of_orders(has: NDArray[np.bool_], n_drawn: int, what: str) -> Tests:
    """Count how often two devices that are so far apart draw the same set, or both draw a question, or wave.

    Of sets that are uniform each equality is independent of the others (a set follows with one probability whatever
    was before it); of a question, pairs of devices are taken that share none.
    """
    n, n_questions = has.shape
    most = n_questions if n_questions <= _MOST_IN_TURN else _MOST_APART
    far = [*range(1, max(_MOST_APART, most) + 1), *[n_questions] * (n_questions > _MOST_IN_TURN)]
    far = [apart for apart in far if apart <= n // 2]
    alike = np.array([(has[apart:] == has[:-apart]).all(axis=1).sum() for apart in far], np.int64)
    tests: Tests = [
        (alike, np.array([n - apart for apart in far]), 1 / comb(n_questions, n_drawn), "two devices draw the same")
    ]
    for apart in far:
        first = np.flatnonzero(np.arange(n - apart) // apart % 2 == 0)
        both = (has[first] & has[first + apart]).sum(axis=0, dtype=np.int64)
        share = n_drawn / n_questions
        tests.append((both, np.full(n_questions, len(first)), share**2, f"devices {apart} apart both draw a {what}"))
    return tests


def _of_answers(design: Design, has: NDArray[np.bool_], n_drawn: int, what: str) -> Tests:
    """Count how often each question, or wave, is drawn by those who give an answer, to it or to another."""
    share = n_drawn / has.shape[1]
    chosen = np.stack(
        [
            chosen_by(design, index, choice)
            for index, tried in enumerate(design.answers)
            for choice in range(min(N_COMPARED, len(tried)))
        ]
    ).astype(np.float64)
    counts = (chosen @ has).astype(np.int64)
    return [(counts, np.broadcast_to(chosen.sum(axis=1, keepdims=True), counts.shape), share, f"a {what} is drawn")]


def _check(name: str, tests: Tests, tail: float) -> Check:
    for x, n, prob, what in tests:
        tails = binomial_tails(x, n, prob)
        if tails.size and tails.min() < tail:
            worst = np.unravel_index(int(np.argmin(tails)), tails.shape)
            said = f"{what} in {int(x[worst]):,} of {int(n[worst]):,}; expected {n[worst] * prob:,.1f}"
            return Check(name, False, said)
    return Check(name, True, f"{sum(x.size for x, *_ in tests):,} counts are as they should be")
