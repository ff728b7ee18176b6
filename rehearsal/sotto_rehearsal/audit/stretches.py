"""Whether a program stays as it is: the first and the last reports of each process, beside what they should be.

A program may begin to send the truth once a buffer is used up, or a cache is full. Looked at are the first and the last
half, quarter, .. of each process's devices; how often a report speaks for its own answer has half of the probability of
a false alarm, since it shows most, and the outputs under each question's two farthest answers have the other half.
"""

from collections.abc import Iterator

import numpy as np

from sotto_rehearsal.audit.checks import Check
from sotto_rehearsal.audit.conformance import LIMITS, judge
from sotto_rehearsal.audit.counting import Chosen, Counted, by_answer, by_value
from sotto_rehearsal.audit.design import Design
from sotto_rehearsal.audit.names import Names
from sotto_rehearsal.audit.sample import Sample
from sotto_rehearsal.audit.tried import N_FAR

_HALVINGS = 7
"""The shortest stretch is 2**-7 of a process's devices."""
_TIMES = 8
"""So many times as many reports as there are in a stretch say what should be there."""


def check_stretches(
    design: Design, sample: Sample, expected: tuple[Design, Sample], cut: int, false_alarm: float
) -> list[Check]:
    """Return of each question whether early and late reports are of the published channel.

    `cut`: how many devices the first process has. A program without a fault fails any with at most `false_alarm`.
    """
    rest = np.zeros(max(0, expected[0].n_devices - _TIMES * design.n_devices), np.bool_)
    times = min(_TIMES, expected[0].n_devices // design.n_devices)
    stretches = [
        (name, among, np.append(np.tile(among, times), rest)) for name, among in _stretches(design.n_devices, cut)
    ]
    own: list[tuple[list[Counted], list[Counted]]] = []
    others: list[tuple[list[Counted], list[Counted]]] = []
    for index in range(len(design.survey.questions)):
        pairs = [
            (_count(design, sample, index, name, among), _count(*expected, index, name, of_reference))
            for name, among, of_reference in stretches
        ]
        own.append(([part for one, _ in pairs for part in one[0]], [part for _, other in pairs for part in other[0]]))
        others.append(
            ([part for one, _ in pairs for part in one[1]], [part for _, other in pairs for part in other[1]])
        )
    checks = []
    for group in (own, others):
        n_tests = max(1, sum(len(counted.x) for seen, _ in group for counted in seen))
        checks.append(
            [
                judge(
                    f"{question.id}: early and late reports", question.id, *both, false_alarm / 2 / (LIMITS * n_tests)
                )
                if both[0]
                else Check("", True, "")
                for question, both in zip(design.survey.questions, group, strict=True)
            ]
        )
    return [of_own if not of_own.passed else of_others for of_own, of_others in zip(*checks, strict=True)]


def _stretches(n: int, cut: int) -> Iterator[tuple[str, Chosen]]:
    place = np.concatenate([np.arange(part) / max(1, part) for part in (cut, n - cut)])
    for halving in range(1, _HALVINGS + 1):
        part = 2**halving
        yield f"the first 1/{part} of reports", place < 1 / part
        yield f"the last 1/{part} of reports", place >= 1 - 1 / part


def _count(
    design: Design, sample: Sample, index: int, stretch: str, among: Chosen
) -> tuple[list[Counted], list[Counted]]:
    """Count in a stretch the reports that speak for their own answer, then the events under the farthest answers."""
    counted = by_value(design, sample, index, among=among)
    own = []
    if counted is not None:
        true, other = counted
        x, n = int(true.x.sum()), int(true.n.sum())
        if len(true.x) == 1:  # of yes or no, no is spoken for by what does not support yes
            x, n = x + int((other.n - other.x).sum()), n + int(other.n.sum())
        own.append(Counted(np.array([x]), np.array([n]), Names.of([f"{stretch}: a report speaks for its own answer"])))
    events = by_answer(design, sample, index, among=among, most=N_FAR)
    return own, [Counted(x, n, names.behind(f"{stretch}: ")) for x, n, names in events]
