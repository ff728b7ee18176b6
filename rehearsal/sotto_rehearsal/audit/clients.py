"""A survey's clients, audited by one call: the installed ones, or a program of somebody's own."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from sotto_estimator.results.result import Result
from sotto_protocol import Survey
from sotto_protocol.members import DIRECT
from sotto_rehearsal.audit.audit import Audit, audit_program
from sotto_rehearsal.audit.design import usual_reports
from sotto_rehearsal.audit.errors import AuditError
from sotto_rehearsal.audit.pipe import Progress
from sotto_rehearsal.audit.programs import CLIENTS, find_client, parse_program
from sotto_rehearsal.audit.shares import FALSE_ALARM

LEAST_REPORTS = 100
USUAL_TIMEOUT_S = 60.0


@dataclass(frozen=True, slots=True)
class ClientAudits(Result):
    """What was found out about each program. `false_alarm`: the probability of a fault where there is none, of all.

    `made`, `command`: when, in UTC, and what was typed, for whoever files a report; None and "" where nobody says.
    """

    survey: Survey
    audits: tuple[Audit, ...]
    false_alarm: float = FALSE_ALARM
    made: datetime | None = None
    command: str = ""
    title: str = ""

    @property
    def has_fault(self) -> bool:
        """Whether anything is wrong."""
        return any(audit.has_fault for audit in self.audits)

    @property
    def is_unseen(self) -> bool:
        """Whether there are questions without reports."""
        return any(not loss.is_seen for audit in self.audits for loss in audit.losses)

    def __str__(self) -> str:
        """Return one line: whose client was audited."""
        return f"Audit of the client: {self.title or self.survey.title}"

    def alarms(self) -> list[str]:
        """Return that there is a fault, where there is one."""
        return ["A fault was found: it is marked below."] * self.has_fault


def audit_clients(
    survey: Survey,
    clients: Sequence[str] = CLIENTS,
    *,
    program: str | None = None,
    n_reports: int | None = None,
    timeout_s: float = USUAL_TIMEOUT_S,
    progress: Progress = lambda n_done, n_all: None,
) -> ClientAudits:
    """Return what clients' reports give away, beside what a survey declares. `has_fault` says whether it is too much.

    `clients` are "python", "js" or both. `program` is a command line to audit instead. `n_reports` is the number of
    reports per program. The default is up to 20,000, or 5,000 for the JavaScript client. `timeout_s` is how long a
    program may print nothing. Raises AuditError where a program cannot be audited.
    """
    unknown = [name for name in clients if name not in CLIENTS]
    if unknown or (program is None and not clients):
        raise AuditError(f"clients ({', '.join(unknown)}) must be of {', '.join(CLIENTS)}.")
    if n_reports is not None and n_reports < LEAST_REPORTS:
        raise AuditError(f"n_reports ({n_reports}) must be {LEAST_REPORTS} or more.")
    direct = replace(survey, delivery=DIRECT, relay="", gateway_key="")  # what a report says does not depend on its way
    named = dict.fromkeys(clients)
    programs = [*map(find_client, named)] if program is None else [parse_program(program)]
    audits = [
        audit_program(
            direct,
            one,
            n_reports or usual_reports(survey, one.n_reports),
            timeout_s=timeout_s,
            false_alarm=FALSE_ALARM / len(programs),
            progress=progress,
        )
        for one in programs
    ]
    return ClientAudits(survey, tuple(audits))
