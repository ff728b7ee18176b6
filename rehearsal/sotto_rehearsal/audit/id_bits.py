"""Whether ids tell answers: a report's id is stored beside it, so it must be the same chance whatever was answered."""

import numpy as np

from sotto_rehearsal.audit.bounds import Counts, differ
from sotto_rehearsal.audit.checks import Check
from sotto_rehearsal.audit.counting import N_COMPARED, chosen_by
from sotto_rehearsal.audit.design import Design
from sotto_rehearsal.audit.sample import Sample

_LIMITS = 4  # of which each test that fails needs one to miss


def check_id_bits(design: Design, sample: Sample, false_alarm: float) -> Check:
    """Return whether each bit of the ids is one as often under a question's answer as under its others.

    Of every wave, under each question's first answers. A program without a fault fails with at most `false_alarm`.
    """
    name = "ids tell no answers"
    bits = np.unpackbits(sample.ids, axis=1)
    waves = [bits[wave :: design.n_waves] for wave in range(design.n_waves)]
    asked = [
        (question.id, chosen_by(design, index, choice))
        for index, question in enumerate(design.survey.questions)
        for choice in range(min(N_COMPARED, len(design.answers[index])))
    ]
    tail = false_alarm / (_LIMITS * len(asked) * bits.shape[1] * len(waves))
    for question_id, chosen in asked:
        for of_wave in waves:
            one, other = of_wave[chosen], of_wave[~chosen]
            ones = [part.sum(axis=0, dtype=np.int64) for part in (one, other)]
            apart = differ(Counts.of(ones[0], len(one), ones[1], len(other)), tail)
            if apart.any():
                return Check(
                    name, False, f"bit {int(np.argmax(apart))} of an id tells what was answered to {question_id}"
                )
    return Check(name, True, f"none of {bits.shape[1]} bits goes with an answer")
