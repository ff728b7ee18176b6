"""An audit: a program makes reports of made-up answers, and what they give away is held against the survey."""

from dataclasses import dataclass

from sotto_protocol import Survey
from sotto_rehearsal.audit.checks import Check
from sotto_rehearsal.audit.conformance import check_channel
from sotto_rehearsal.audit.design import Design, make_design
from sotto_rehearsal.audit.generators import check_ids
from sotto_rehearsal.audit.id_bits import check_id_bits
from sotto_rehearsal.audit.losses import Loss, find_losses
from sotto_rehearsal.audit.permanence import check_permanence
from sotto_rehearsal.audit.pipe import Progress, run_program
from sotto_rehearsal.audit.programs import Program
from sotto_rehearsal.audit.proof import Proof, prove
from sotto_rehearsal.audit.reference import make_reference, repeat_design
from sotto_rehearsal.audit.sample import Sample, read_sample
from sotto_rehearsal.audit.sharing import check_sharing

FALSE_ALARM = 1e-6
"""The probability that an audit finds any fault in a program that has none, at most."""


@dataclass(frozen=True)
class Audit:
    """What was found out about one program."""

    program: Program
    n_devices: int
    n_waves: int
    losses: tuple[Loss, ...]
    checks: tuple[Check, ...]
    proofs: tuple[Proof, ...]

    @property
    def has_fault(self) -> bool:
        """Whether anything is wrong."""
        is_disproved = any(proof.is_made and not proof.holds for proof in self.proofs)
        is_seen = any(loss.is_exceeded for loss in self.losses) or not all(check.passed for check in self.checks)
        return is_disproved or is_seen


def audit_program(
    survey: Survey, program: Program, n_reports: int, *, timeout_s: float, false_alarm: float, progress: Progress
) -> Audit:
    """Return what n_reports of a program show; a program without a fault has one with at most `false_alarm`.

    Raises AuditError where it cannot be audited.
    """
    design = make_design(survey, n_reports)
    sample = read_sample(design, run_program(program.command, design, timeout_s=timeout_s, progress=progress))
    proofs = [prove(question) for question in survey.questions] if program.is_provable else []
    losses, checks = examine(design, sample, false_alarm)
    return Audit(program, design.n_devices, design.n_waves, tuple(losses), tuple(checks), tuple(proofs))


def examine(design: Design, sample: Sample, false_alarm: float) -> tuple[list[Loss], list[Check]]:
    """Return what reports give away, and what checks of them come to; honest ones fail with at most `false_alarm`."""
    repeated = repeat_design(design)
    expected = repeated, make_reference(repeated)
    checks = [
        *check_channel(design, sample, expected, false_alarm / 4),
        *check_permanence(design, sample),
        *check_sharing(design, sample, expected, false_alarm / 8),
        *check_ids(sample.ids),
        check_id_bits(design, sample, false_alarm / 8),
    ]
    return find_losses(design, sample, false_alarm / 2), checks
