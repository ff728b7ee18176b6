"""Whether a device's noise stays, over its waves: what is drawn once must be the same in every report."""

import numpy as np

from sotto_rehearsal.audit.checks import Check
from sotto_rehearsal.audit.design import Design
from sotto_rehearsal.audit.sample import Sample


def check_permanence(design: Design, sample: Sample) -> list[Check]:
    """Return of each question whether what is drawn once stays: of one stage all, else the device's group.

    A program without a fault passes, always. Whether the noise behind a second stage stays is for rates to show
    (`sotto_rehearsal.audit.conformance`).
    """
    checks = []
    for index, question in enumerate(design.survey.questions):
        n_bytes = question.mechanism.group_bytes if question.mechanism.has_two_stages else question.mechanism.n_bytes
        if design.n_waves > 1 and n_bytes:
            first, *later = (
                rows[:, :n_bytes] for rows in sample.side_by_side(index, np.ones(design.n_devices, np.bool_))
            )
            n_changed = sum(int(np.count_nonzero((rows != first).any(axis=1))) for rows in later)
            said = f"{n_changed:,} of {len(later) * len(first):,} later reports have other noise than the first"
            checks.append(Check(f"{question.id}: noise that stays", n_changed == 0, said))
    return checks
