"""An audit: a program makes reports of made-up answers, and what they give away is held against the survey."""

from collections.abc import Sequence
from dataclasses import dataclass

from sotto_protocol import Survey
from sotto_rehearsal.audit.checks import Check
from sotto_rehearsal.audit.conformance import check_channel
from sotto_rehearsal.audit.design import Design, make_design
from sotto_rehearsal.audit.draws import check_draws
from sotto_rehearsal.audit.form import check_form
from sotto_rehearsal.audit.generators import check_ids
from sotto_rehearsal.audit.id_bits import check_id_bits
from sotto_rehearsal.audit.losses import Loss, find_losses
from sotto_rehearsal.audit.permanence import check_permanence
from sotto_rehearsal.audit.pipe import Progress, run_program
from sotto_rehearsal.audit.programs import Program
from sotto_rehearsal.audit.proof import Proof, prove
from sotto_rehearsal.audit.reference import make_reference, repeat_design
from sotto_rehearsal.audit.sample import Sample
from sotto_rehearsal.audit.script import Samples, Script
from sotto_rehearsal.audit.shares import share_of
from sotto_rehearsal.audit.sharing import check_sharing
from sotto_rehearsal.audit.stretches import check_stretches
from sotto_rehearsal.audit.twins import check_twins
from sotto_rehearsal.audit.untested import list_untested


@dataclass(frozen=True)
class Audit:
    """What was found out about one program. `n_more`: how many reports twins and movers made besides; `untested`: what
    was not looked at, in sentences.
    """

    program: Program
    n_devices: int
    n_waves: int
    losses: tuple[Loss, ...]
    checks: tuple[Check, ...]
    proofs: tuple[Proof, ...]
    untested: tuple[str, ...] = ()
    n_more: int = 0

    @property
    def has_fault(self) -> bool:
        """Whether anything is wrong."""
        is_disproved = any(proof.is_made and not proof.holds for proof in self.proofs)
        is_seen = any(loss.is_exceeded for loss in self.losses) or not all(check.passed for check in self.checks)
        return is_disproved or is_seen

    def is_faulty(self, question: str) -> bool:
        """Whether a check of this question failed, or its proof."""
        is_disproved = any(p.question == question and p.is_made and not p.holds for p in self.proofs)
        return is_disproved or any(check.question == question and not check.passed for check in self.checks)


def audit_program(
    survey: Survey, program: Program, n_reports: int, *, timeout_s: float, false_alarm: float, progress: Progress
) -> Audit:
    """Return what n_reports of a program show; a program without a fault has one with at most `false_alarm`.

    Raises AuditError where it cannot be audited.
    """
    design = make_design(survey, n_reports)
    script = Script.of(design)
    lines = run_program(program.command, script, timeout_s=timeout_s, progress=progress)
    samples = script.read(lines)
    proofs = [prove(question) for question in survey.questions] if program.is_provable else []
    losses, checks = examine(script, samples, false_alarm)
    checks.append(check_form(survey, lines))
    untested = list_untested(design, losses, proofs, says_waves=samples.main.asked is not None)
    n_more = script.n_lines - design.n_devices * design.n_waves
    return Audit(
        program, design.n_devices, design.n_waves, tuple(losses), tuple(checks), tuple(proofs), untested, n_more
    )


def examine(script: Script, samples: Samples, false_alarm: float) -> tuple[list[Loss], list[Check]]:
    """Return what reports give away, and what checks of them come to; honest ones fail with at most `false_alarm`."""
    design, sample = script.main, samples.main
    expected = _reference(design)
    of_ids = share_of("id rates", false_alarm) + share_of("id repeats and generators", false_alarm)
    checks = [
        *check_channel(design, sample, expected, share_of("channel", false_alarm)),
        *check_stretches(design, sample, expected, script.cut, share_of("stretches", false_alarm)),
        *check_permanence(design, sample),
        *_check_movers(script, samples, share_of("movers", false_alarm)),
        *check_twins(script.twins, samples.twins, share_of("twins", false_alarm)),
        *check_draws(design, sample, share_of("draws", false_alarm)),
        *check_sharing(design, sample, expected, share_of("sharing", false_alarm)),
        *check_ids(samples.ids, of_ids),
        check_id_bits(design, sample, share_of("id bits", false_alarm)),
    ]
    return find_losses(design, sample, share_of("losses", false_alarm)), checks


def _reference(design: Design) -> tuple[Design, Sample]:
    repeated = repeat_design(design)
    return repeated, make_reference(repeated)


def _check_movers(script: Script, samples: Samples, false_alarm: float) -> Sequence[Check]:
    if script.movers is None or samples.movers is None:
        return []
    design, sample = script.movers, samples.movers
    return [*check_channel(design, sample, _reference(design), false_alarm), *check_permanence(design, sample)]
