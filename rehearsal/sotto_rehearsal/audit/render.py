"""An audit as people read it on a terminal, and as JSON: the same numbers."""

from dataclasses import asdict
from typing import Any

from sotto_protocol import Survey
from sotto_protocol.tables import align
from sotto_protocol.words import epsilon_above
from sotto_rehearsal.audit.audit import Audit
from sotto_rehearsal.audit.losses import Loss
from sotto_rehearsal.audit.proof import Proof

OK, FAULT, BELOW, NO_REPORTS = "ok", "FAULT", "see FAULT", "-"
NOT_TESTED = "not tested"
NO_FAULT = "No fault was found."
AT_LEAST = (
    "Fewer reports prove less: a bound may be far below what is declared, and that of all questions below that of one."
)


def table(audit: Audit, false_alarm: float) -> str:
    """Return what was found, line by line."""
    losses = [
        ["what", "gives away", "declared", "", "told apart best by", "of one answer", "of another"],
        *(_row(audit, loss) for loss in audit.losses),
    ]
    checks = [[mark(check.passed), check.name, check.said] for check in audit.checks]
    proofs = [[mark(proof.holds) if proof.is_made else "-", proof.question, say_proof(proof)] for proof in audit.proofs]
    parts = [say_program(audit), align(losses), align(checks), *([align(proofs)] if proofs else [])]
    verdict = say_verdict(audit.has_fault, any(not loss.is_seen for loss in audit.losses))
    certain = f"An audit finds a fault where there is none with probability {false_alarm:g} at most."
    untested = [f"  - {said}" for said in audit.untested]
    return "\n".join([*parts, f"{verdict} {certain}", AT_LEAST, f"{NOT_TESTED.capitalize()}:", *untested])


def mark(passed: bool) -> str:
    """Return in a word whether all is well."""
    return OK if passed else FAULT


def say_program(audit: Audit) -> str:
    """Return what was audited, and by how many reports."""
    n_reports = audit.n_devices * audit.n_waves
    devices = f" of {audit.n_devices:,} devices, {audit.n_waves} waves" if audit.n_waves > 1 else ""
    more = f", and {audit.n_more:,} more" if audit.n_more else ""
    return f"{audit.program.name}  ({audit.program.version}): {n_reports:,} reports{devices}{more}"


def say_verdict(has_fault: bool, is_unseen: bool) -> str:
    """Return in a sentence what came out; `is_unseen`: whether there are questions without reports."""
    if has_fault:
        return "A FAULT WAS FOUND."
    return "No fault was found in what was tested; questions without reports were not." if is_unseen else NO_FAULT


def _row(audit: Audit, loss: Loss) -> list[str]:
    return [
        name_of(loss),
        say_loss(loss),
        f"at most {epsilon_above(loss.declared)}",
        mark_loss(audit, loss),
        loss.event if loss.is_seen else "",
        f"{loss.x:,} of {loss.n:,}",
        f"{loss.y:,} of {loss.m:,}",
    ]


def say_loss(loss: Loss) -> str:
    """Return the bound of what is given away; of a question without reports there is none."""
    return f"at least {loss.lower:.3f}" if loss.is_seen else "not tested: no reports"


def mark_loss(audit: Audit, loss: Loss) -> str:
    """Return in a word whether a bound is well. It is no praise where there are no reports, or a check found a fault.

    Of all questions together, any fault counts.
    """
    if loss.is_exceeded:
        return FAULT
    if not loss.is_seen:
        return NO_REPORTS
    is_faulty = audit.is_faulty(loss.question) if loss.question else audit.has_fault
    return BELOW if is_faulty else OK


def name_of(loss: Loss) -> str:
    """Return which reports a bound is about."""
    reports = f", {loss.n_reports} waves" if loss.n_reports > 1 else ""
    return (loss.question or "all questions") + reports


def say_proof(proof: Proof) -> str:
    """Return what is proved of a question's mechanism."""
    if not proof.is_made:
        return "too large for an exact proof"
    rates = "exactly the published rates" if proof.has_published_rates else "other rates than the published ones"
    return f"exact proof, {proof.n_outcomes:,} outcomes of the coins: epsilon {_say_epsilons(proof)}, {rates}"


def _say_epsilons(proof: Proof) -> str:
    pairs = [(proof.epsilon, proof.declared, ""), (proof.epsilon_forever, proof.declared_forever, " for all reports")]
    said = [
        ("without bound" if exact is None else f"{exact:.12f}") + f" of {declared:f}{of}"
        for exact, declared, of in pairs
    ]
    return ", ".join(said if proof.declared != proof.declared_forever else said[:1])


def document(survey: Survey, audits: list[Audit], false_alarm: float) -> dict[str, Any]:
    """Return the audits of a survey, for programs."""
    named = {"id": survey.id, "title": survey.title, "fingerprint": survey.fingerprint}
    return named | {"false_alarm": false_alarm, "audits": [_of_program(audit) for audit in audits]}


def _of_program(audit: Audit) -> dict[str, Any]:
    program = {"program": audit.program.name, "version": audit.program.version}
    size = {"devices": audit.n_devices, "waves": audit.n_waves, "more_reports": audit.n_more}
    verdict = {"has_fault": audit.has_fault, "not_tested": list(audit.untested)}
    losses = [asdict(loss) | {"is_exceeded": loss.is_exceeded, "is_seen": loss.is_seen} for loss in audit.losses]
    proofs = [asdict(proof) | {"is_made": proof.is_made, "holds": proof.holds} for proof in audit.proofs]
    checks = [check._asdict() for check in audit.checks]
    return program | size | verdict | {"losses": losses, "checks": checks, "proofs": proofs}
