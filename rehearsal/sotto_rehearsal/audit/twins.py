"""Whether noise follows from a device's number, or from anything else that two processes have in common.

Both processes are asked the same device numbers with the same answers: these are two devices, so their noise must be
independent. A generator that is seeded by the number, or by the second in which the program began, makes equal reports;
whoever knows the seed takes all noise off. How often honest pairs are equal is known from as many pairs, many times
over, by the published thresholds.
"""

from math import comb

import numpy as np
from numpy.typing import NDArray

from sotto_protocol.mechanisms.mechanism import Bytes
from sotto_rehearsal.audit.bounds import Counts, binomial_tails, differ
from sotto_rehearsal.audit.checks import Check
from sotto_rehearsal.audit.conformance import LIMITS
from sotto_rehearsal.audit.design import Design
from sotto_rehearsal.audit.reference import make_reference, repeat
from sotto_rehearsal.audit.sample import Sample

_MOST_COLUMNS = 8
Pair = tuple[Sample, Sample]


def check_twins(design: Design, pair: Pair, false_alarm: float) -> list[Check]:
    """Return whether devices of one number have no noise in common; honest ones fail with at most `false_alarm`."""
    repeated = repeat(design)
    known = make_reference(repeated), make_reference(repeated)
    seen_by, known_by = [], []
    for index in range(len(design.survey.questions)):
        columns = _columns(known[0], index)
        seen_by.append(_agree(pair, index, columns))
        known_by.append(_agree(known, index, columns))
    n_tests = 1 + sum(agree.shape[1] for agree in seen_by)
    checks = []
    for question, seen, of_reference in zip(design.survey.questions, seen_by, known_by, strict=True):
        x, n, y, m = seen.sum(axis=0), len(seen), of_reference.sum(axis=0), len(of_reference)
        more = differ(Counts.of(x, n, y, m), false_alarm / (LIMITS * n_tests)) & (x * m > y * n)
        worst = int(np.argmax((x / max(1, n) - y / max(1, m)) * more))
        said = f"{x[worst]:,} of {n:,} pairs {_SAID[min(worst, 2)]}; expected {n * y[worst] / max(1, m):,.1f}"
        checks.append(Check(f"{question.id}: no noise from a device's number", not more.any(), said, question.id))
    if design.survey.draw:
        checks.append(_check_draws(design, pair, false_alarm / n_tests))
    return checks


_SAID = ("report the same", "report the same in all waves", "have a bit in common")


def _columns(reference: Sample, index: int) -> NDArray[np.intp]:
    """Return the bits that vary most: of rates near a half."""
    bits = np.unpackbits(reference.waves[0][index], axis=1, bitorder="little")
    rates = bits.mean(axis=0)
    return np.argsort(rates * (rates - 1), kind="stable")[:_MOST_COLUMNS]


def _agree(pair: Pair, index: int, columns: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Return what pairs that were both asked a question have in common, shape (n_pairs, n_tests).

    The first report; all reports; then each of some bits of the first report, and what most reports have there.
    """
    both = pair[0].has[:, index] & pair[1].has[:, index]
    one, other = ([wave[index][both] for wave in sample.waves] for sample in pair)
    same = [(first == second).all(axis=1) for first, second in zip(one, other, strict=True)]
    bits = [[_bits(wave, columns) for wave in waves] for waves in (one, other)]
    most = [2 * np.sum(waves, axis=0) > len(waves) for waves in bits]
    agree = [same[0][:, None], np.all(same, axis=0)[:, None], bits[0][0] == bits[1][0]]
    return np.concatenate([*agree, *([most[0] == most[1]] if len(one) > 1 else [])], axis=1)


def _bits(rows: Bytes, columns: NDArray[np.intp]) -> NDArray[np.int_]:
    return np.unpackbits(rows, axis=1, bitorder="little")[:, columns].astype(np.int_)


def _check_draws(design: Design, pair: Pair, tail: float) -> Check:
    n, n_questions = design.n_devices, len(design.survey.questions)
    n_same = int((pair[0].has == pair[1].has).all(axis=1).sum())
    prob = 1 / comb(n_questions, design.survey.n_drawn)
    is_more = n_same > n * prob and binomial_tails(n_same, n, prob) < tail
    said = f"{n_same:,} of {n:,} pairs draw the same questions; expected {n * prob:,.1f}"
    return Check("no draw from a device's number", not is_more, said)
