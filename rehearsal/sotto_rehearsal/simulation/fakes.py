"""Reports that nobody's answer produced: clumsy ones are noise, clever ones are those that honest devices may send."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sotto_protocol.mechanisms.mechanism import Bytes, Mechanism
from sotto_protocol.questions.any_of import AnyOf
from sotto_protocol.questions.number import Number
from sotto_protocol.questions.text import Text
from sotto_protocol.questions.yes_no import YesNo
from sotto_rehearsal.simulation.answers import Encoded
from sotto_rehearsal.simulation.question_truth import QuestionTruth
from sotto_rehearsal.simulation.randomness import Randomness

_FAIR = 2**31
_MAX_BATCH = 2**16


def clumsy_reports(truth: QuestionTruth, n_reports: int, randomness: Randomness) -> Bytes:
    """Return noise, shape (n, n_bytes): a fair coin for every bit; where a report is no bits, one of a random answer.

    What no device can send at all is not among it: a collector refuses that.
    """
    mechanism = truth.question.mechanism
    n_blocks = mechanism.n_blocks
    if not n_blocks:
        answers = truth.at_random.draw(n_reports, randomness.people)
        return mechanism.perturb(answers, randomness.coins)
    group = mechanism.draw_group(n_reports, randomness.coins)
    bits = randomness.coins.flip(_FAIR, n_reports * n_blocks * mechanism.n_values)
    packed = np.packbits(bits.reshape(-1, mechanism.n_values), axis=1, bitorder="little")
    return np.concatenate([group, packed.reshape(n_reports, mechanism.n_bytes - mechanism.group_bytes)], axis=1)


def clever_reports(truth: QuestionTruth, n_reports: int, randomness: Randomness) -> Bytes:
    """Return reports that honest devices may send, shape (n, n_bytes), all for one answer: `QuestionTruth.favoured`.

    Those that speak for it are picked among honest reports of it, so that their shape is an honest one; of a number
    these are all the one report that moves its mean the most, of a text all reports, as from devices on which it was
    typed.
    """
    mechanism, aim = truth.question.mechanism, _aim_of(truth)
    batches, n_missing = [np.empty((0, mechanism.n_bytes), np.uint8)], n_reports
    while n_missing > 0:
        size = min(_MAX_BATCH, 4 * n_missing + 16)
        made = mechanism.perturb(np.repeat(aim.answer, size, axis=0), randomness.coins)
        batches.append(made[_speak_for(mechanism, made, aim)][:n_missing])
        n_missing -= len(batches[-1])
    return np.concatenate(batches)


class _Aim(NamedTuple):
    """What fakes are for: one encoded answer, and the value that a report must support, or not; None: any report."""

    answer: Encoded
    value: int | None
    is_supported: bool = True


def _aim_of(truth: QuestionTruth) -> _Aim:
    kind, labels = truth.question.kind, truth.answers.labels
    if isinstance(kind, Number):
        is_most, last = truth.favoured != "minimum", truth.question.mechanism.n_values - 1
        return _Aim(np.array([(kind.n_options - 1) * is_most]), last * is_most)
    if isinstance(kind, YesNo):
        is_yes = truth.favoured != "no"
        return _Aim(np.array([int(is_yes)]), 0, is_yes)
    label = truth.favoured or labels[int(truth.answers.expected.argmin())]
    if isinstance(kind, Text):
        return _Aim(np.array([label], object), None)
    place = labels.index(label)
    answer = np.array([place]) if not isinstance(kind, AnyOf) else truth.question.encode([label])
    return _Aim(answer, place)


def _speak_for(mechanism: Mechanism, reports: Bytes, aim: _Aim) -> NDArray[np.bool_]:
    """Return which reports, shape (n,), support what the fakes are for."""
    if aim.value is None:
        return np.ones(len(reports), np.bool_)
    kinds, of_report = np.unique(reports, axis=0, return_inverse=True)
    supports = [(aim.value in mechanism.supported(kind)) == aim.is_supported for kind in kinds]
    return np.array(supports)[of_report.ravel()]
