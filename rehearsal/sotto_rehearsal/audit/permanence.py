"""Whether a device's noise stays, over its waves: what is drawn once must be the same in every report."""

import numpy as np

from sotto_rehearsal.audit.checks import Check
from sotto_rehearsal.audit.design import Design
from sotto_rehearsal.audit.sample import Sample


def check_permanence(design: Design, sample: Sample) -> list[Check]:
    """Return of each question whether what is drawn once stays: of one stage all, else the device's group.

    Of devices that change their answers, noise stays with the answer, and comes again with it; the group stays. A
    program without a fault passes, always. Whether the noise behind a second stage stays is for rates to show
    (`sotto_rehearsal.audit.conformance`).
    """
    checks = []
    moves = design.changed is not None
    for index, question in enumerate(design.survey.questions):
        mechanism = question.mechanism
        compared = [(0, later, mechanism.n_bytes) for later in range(2 if moves else 1, design.n_waves, 1 + moves)]
        if mechanism.has_two_stages:
            compared = []
        if mechanism.has_two_stages or moves:
            compared += [(0, later, mechanism.group_bytes) for later in range(1, design.n_waves)]
        compared = [(first, later, n_bytes) for first, later, n_bytes in compared if n_bytes]
        if not compared:
            continue
        waves = sample.side_by_side(index, np.ones(design.n_devices, np.bool_))
        n_changed = [
            int(np.count_nonzero((waves[later][:, :n_bytes] != waves[first][:, :n_bytes]).any(axis=1)))
            for first, later, n_bytes in compared
        ]
        said = f"{sum(n_changed):,} of {len(compared) * len(waves[0]):,} later reports have other noise than the first"
        if moves:
            said = f"{said} of the same answer"
        name = f"{question.id}: noise that {'comes back with an answer' if moves else 'stays'}"
        checks.append(Check(name, not any(n_changed), said, question.id))
    return checks
