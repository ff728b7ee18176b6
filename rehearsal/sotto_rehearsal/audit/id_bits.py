"""Whether ids tell answers: a report's id is stored beside it, so it must be the same chance whatever was answered."""

import numpy as np
from numpy.typing import NDArray

from sotto_rehearsal.audit.bounds import Counts, differ
from sotto_rehearsal.audit.checks import Check
from sotto_rehearsal.audit.counting import N_COMPARED
from sotto_rehearsal.audit.design import Design
from sotto_rehearsal.audit.sample import Sample

_LIMITS = 4  # of which each test that fails needs one to miss
_FIRST, _SECOND = np.triu_indices(128, 1)


def check_id_bits(design: Design, sample: Sample, false_alarm: float) -> Check:
    """Return whether each bit of the ids, and each two of them by exclusive or, is one as often whatever was answered.

    Of every wave, under each of a question's first answers and under its others. A program without a fault fails with
    at most `false_alarm`.
    """
    name = "ids tell no answers"
    bits = np.unpackbits(sample.ids, axis=1)
    asked = [
        (question.id, index, choice, place)
        for index, question in enumerate(design.survey.questions)
        for choice in range(min(N_COMPARED, len(design.answers[index])))
        for place in range(design.n_waves)
    ]
    signs = 1 - 2 * bits.astype(np.float32)
    ones = [_count_ones(signs[place :: design.n_waves]) for place in range(design.n_waves)]
    tail = false_alarm / (_LIMITS * len(asked) * len(ones[0]))
    for question_id, index, choice, place in asked:
        chosen = design.choices_at(place)[:, index] == choice
        x, n = _count_ones(signs[place :: design.n_waves][chosen]), int(chosen.sum())
        apart = differ(Counts.of(x, n, ones[place] - x, design.n_devices - n), tail)
        if apart.any():
            return Check(name, False, f"{_name(int(np.argmax(apart)))} what was answered to {question_id}", question_id)
    return Check(name, True, f"none of 128 bits goes with an answer, nor of {len(_FIRST):,} pairs of bits")


def _count_ones(signs: NDArray[np.float32]) -> NDArray[np.int64]:
    """Return how many ids have each bit, then how many have one of each two bits: from signs, -1 where a bit is one."""
    n = len(signs)
    of_pairs = (signs.T @ signs)[_FIRST, _SECOND]
    sums = np.concatenate([signs.sum(axis=0), of_pairs]).astype(np.float64)
    return np.rint((n - sums) / 2).astype(np.int64)


def _name(event: int) -> str:
    if event < 128:
        return f"bit {event} of an id tells"
    return f"bits {_FIRST[event - 128]} and {_SECOND[event - 128]} of an id tell together"
