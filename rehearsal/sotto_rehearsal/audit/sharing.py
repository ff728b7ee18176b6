"""Whether devices, or questions, share noise: then a report tells of another's, and what is added up no longer holds.

Of bits of the reports what their answers lead to expect is taken away. What is left has mean zero and, honestly, says
nothing of what is left of another device, or of another question. It is looked at as it is, which shows coins that say
"report a one", and with the sign that its answer gives it, which shows coins that say "keep or flip". Products are
added up over all devices, for every distance between two devices in the order in which reports were made: two processes
that share a generator are at some distance. The sums are bounded by Freedman's inequality (1975, theorem 1.6): they are
martingales of which each step is at most 1, and their variances add up to at most a quarter of the squares of what is
left.
"""

from math import log

import numpy as np
from numpy.typing import NDArray

from sotto_rehearsal.audit.bounds import Floats
from sotto_rehearsal.audit.checks import Check
from sotto_rehearsal.audit.design import Design
from sotto_rehearsal.audit.sample import Sample

_MOST_COLUMNS = 8
"""Of each question so many bits are looked at, those that vary most."""

Rests = list[Floats]
"""What is left of every question's bits, then the same with signs, shapes (n_devices, n_columns)."""


def check_sharing(design: Design, sample: Sample, expected: tuple[Design, Sample], false_alarm: float) -> list[Check]:
    """Return whether noise is shared between devices, and between questions; each false with half of `false_alarm`."""
    rests = [_rest(design, sample, expected, index) for index in range(len(design.survey.questions))]
    n_groups = max(len(tried) for tried in design.answers)
    checks = [_check_devices(np.concatenate(rests, axis=1), n_groups, false_alarm / 2)]
    return checks + ([_check_questions(rests, n_groups, false_alarm / 2)] if len(rests) > 1 else [])


def _rest(design: Design, sample: Sample, expected: tuple[Design, Sample], index: int) -> Floats:
    reference_design, reference = expected
    bits = np.unpackbits(sample.waves[0][index], axis=1, bitorder="little")
    known = np.unpackbits(reference.waves[0][index], axis=1, bitorder="little")
    rates = known.mean(axis=0)
    columns = np.argsort(rates * (rates - 1), kind="stable")[:_MOST_COLUMNS]
    n_answers = len(design.answers[index])
    means = np.stack(
        [_means(known[:, column], reference_design.choices[:, index], n_answers) for column in columns], axis=1
    )
    choices, has = design.choices[:, index], sample.has[:, index][:, None]
    rest = (bits[:, columns] - means[choices]) * has
    signs = np.where(means > means.mean(axis=0), 1, -1)  # of the answers alone, so what is left keeps its mean of zero
    return np.concatenate([rest, rest * signs[choices]], axis=1)


def _means(bits: NDArray[np.uint8], choices: NDArray[np.intp], n_answers: int) -> Floats:
    """Return the mean of a bit by answer, shape (n_answers,)."""
    totals: Floats = np.maximum(1.0, np.bincount(choices, minlength=n_answers))
    return np.bincount(choices, bits, n_answers) / totals


def _check_devices(rests: Floats, n_groups: int, false_alarm: float) -> Check:
    n = len(rests)
    spectrum = np.fft.rfft(rests, 2 * n, axis=0)
    sums = np.abs(np.fft.irfft(np.abs(spectrum) ** 2, 2 * n, axis=0)[1:n])
    most = limit(n - np.arange(1, n), n, n_groups, false_alarm / max(1, sums.size))
    excess = (sums - most[:, None]).max(axis=1, initial=-np.inf)
    name = "noise shared between devices"
    if not (excess > 0).any():
        return Check(name, True, f"none at any of {max(0, n - 1):,} distances")
    distance = int(np.argmax(excess)) + 1
    return Check(name, False, f"devices {distance:,} apart have noise in common")


def _check_questions(rests: Rests, n_groups: int, false_alarm: float) -> Check:
    n, places = len(rests[0]), np.repeat(np.arange(len(rests)), [rest.shape[1] for rest in rests])
    joined = np.concatenate(rests, axis=1)
    is_pair = places[:, None] < places
    sums = np.abs(joined.T @ joined) * is_pair
    most = limit(np.array([n]), n, n_groups, false_alarm / int(is_pair.sum()))
    name = "noise shared between questions"
    if (sums <= most).all():
        return Check(name, True, "none in any two questions")
    pair = np.unravel_index(int(np.argmax(sums)), sums.shape)
    return Check(name, False, f"questions {places[pair[0]] + 1} and {places[pair[1]] + 1} have noise in common")


def limit(n_terms: NDArray[np.int_], n: int, n_groups: int, tail: float) -> Floats:
    """Return what the sum of so many products, of n devices, exceeds on either side with probability `tail` at most.

    Half of it is for the squares' own sum (Hoeffding 1963, of all beginnings at once). What is expected is known from a
    reference with an error of its own; what that adds grows with the number of answers.
    """
    nats = log(4 / tail)
    variance = (n_terms / 4 + np.sqrt(n * nats / 2)) / 4
    deviation = nats / 3 + np.sqrt((nats / 3) ** 2 + 2 * nats * variance)
    return np.asarray(deviation + n_groups / 4 + np.sqrt(n_groups * nats) / 2)
