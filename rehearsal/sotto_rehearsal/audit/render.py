"""An audit as people read it on a terminal, and as JSON: the same numbers."""

from dataclasses import asdict
from typing import Any

from sotto_protocol import Survey
from sotto_protocol.tables import align
from sotto_rehearsal.audit.audit import Audit
from sotto_rehearsal.audit.losses import Loss


def table(audit: Audit, false_alarm: float) -> str:
    """Return what was found, line by line."""
    n_reports = audit.n_devices * audit.n_waves
    of_devices = (
        f"{n_reports:,} reports of {audit.n_devices:,} devices" if audit.n_waves > 1 else f"{n_reports:,} reports"
    )
    head = f"{audit.program.name}  ({audit.program.version}): {of_devices}"
    rows = [["what", "gives away", "declared", "", "told apart best by"], *map(_row, audit.losses)]
    verdict = "A FAULT WAS FOUND." if audit.has_fault else "No fault was found."
    certain = f"All bounds are lower ones, in nats, and hold together but with probability {false_alarm:g}."
    return "\n".join([head, align(rows), f"{verdict} {certain}"])


def _row(loss: Loss) -> list[str]:
    verdict = "FAULT: more than declared" if loss.is_exceeded else "ok"
    return [name_of(loss), f"at least {loss.lower:.3f}", f"{float(loss.declared):.3f}", verdict, loss.event]


def name_of(loss: Loss) -> str:
    """Return which reports a bound is about."""
    reports = f", {loss.n_reports} waves" if loss.n_reports > 1 else ""
    return (loss.question or "all questions together") + reports


def document(survey: Survey, audits: list[Audit], false_alarm: float) -> dict[str, Any]:
    """Return the audits of a survey, for programs."""
    named = {"id": survey.id, "title": survey.title, "fingerprint": survey.fingerprint}
    return named | {"false_alarm": false_alarm, "audits": [_of_program(audit) for audit in audits]}


def _of_program(audit: Audit) -> dict[str, Any]:
    program = {"program": audit.program.name, "version": audit.program.version}
    size = {"devices": audit.n_devices, "waves": audit.n_waves, "has_fault": audit.has_fault}
    losses = [asdict(loss) | {"is_exceeded": loss.is_exceeded} for loss in audit.losses]
    return program | size | {"losses": losses}
