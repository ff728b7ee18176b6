"""An audit: for people, as members for programs, and as a picture."""

from dataclasses import asdict
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from sotto_estimator.results.document import Cell, Column, Lines, Part, Table
from sotto_estimator.results.view import View
from sotto_protocol.bounds import float_above
from sotto_protocol.words import epsilon_above
from sotto_rehearsal.audit.audit import Audit
from sotto_rehearsal.audit.clients import ClientAudits
from sotto_rehearsal.audit.losses import Loss
from sotto_rehearsal.audit.proof import Proof

if TYPE_CHECKING:
    from sotto_estimator.results.figure import Panel, Point

OK, FAULT, BELOW, NO_REPORTS = "ok", "FAULT", "see FAULT", "-"
NOT_TESTED = "not tested"
NO_FAULT = "No fault was found."
AT_LEAST = (
    "Fewer reports prove less: a bound may be far below what is declared.",
    "The bound of all questions together may even be below that of one question.",
)
_LOSSES = ["what", "gives away", "declared", "", "told apart best by", "of one answer", "of another"]
_LIMITS = (
    "The bounds are lower bounds: a program may give away more. It may also behave differently on another day, for "
    "another survey, on a few devices, or when nobody audits it.",
    "An exact proof gives an upper bound. It is about the mechanism's code as it was installed here, with coins that "
    "nobody can foresee.",
    "The audit does not look at what a collector does with reports.",
)


def _parts(found: ClientAudits) -> list[Part]:
    """Return what was found of each program, line by line; and, for whoever files it, what was audited and how."""
    blocks = [block for audit in found.audits for block in _of_program(audit, found.false_alarm)]
    return [Part("What was found", blocks, is_tight=True), *_background(found)]


def _of_program(audit: Audit, false_alarm: float) -> list[Table | Lines]:
    losses = Table([Column(name) for name in _LOSSES], [_row(audit, loss) for loss in audit.losses])
    checks = [[mark(check.passed), check.name, check.said] for check in audit.checks]
    proofs = [[mark(proof.holds) if proof.is_made else "-", proof.question, say_proof(proof)] for proof in audit.proofs]
    verdict = say_verdict(audit.has_fault, any(not loss.is_seen for loss in audit.losses))
    certain = f"An audit finds a fault where there is none with probability {false_alarm:g} at most."
    untested = [f"  - {said}" for said in audit.untested]
    said = [f"{verdict} {certain}", *AT_LEAST, f"{NOT_TESTED.capitalize()}:", *untested]
    plain = [
        Table([Column(""), Column(name), Column(seen)], rows, is_plain=True)
        for name, seen, rows in (("check", "seen", checks), ("question", "proved", proofs))
        if rows
    ]
    return [Lines([say_program(audit)]), losses, *plain, Lines(said)]


def _background(found: ClientAudits) -> list[Part]:
    """Return what the survey declares, when and how it was audited, and what no audit shows."""
    survey = found.survey
    facts = [
        f"Survey: {survey.id}: {survey.title}",
        f"Fingerprint: {survey.fingerprint}",
        *([f"Date: {found.made:%Y-%m-%d %H:%M} UTC"] if found.made else []),
        *([f"Command: {found.command}"] if found.command else []),
    ]
    names = ["question", "what is asked", "mechanism"]
    epsilons = ["epsilon of a report", "of all reports of an answer"]
    rows: list[list[Cell]] = [
        [question.id, question.text, question.mechanism.name, question.epsilon, question.epsilon_forever]
        for question in survey.questions
    ]
    declared = Table([*map(Column, names), *(Column(name, "epsilon") for name in epsilons)], rows)
    said = Lines(["Epsilon in nats: the smaller, the less a report tells."])
    return [
        Part("What was audited", [Lines(facts)], is_background=True),
        Part("What the survey declares", [said, declared], is_background=True),
        Part("What this audit cannot show", [Lines(_LIMITS)], is_background=True),
    ]


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


def _members(found: ClientAudits) -> dict[str, Any]:
    survey = found.survey
    named = {"id": survey.id, "title": found.title or survey.title, "fingerprint": survey.fingerprint}
    return named | {"false_alarm": found.false_alarm, "audits": [_program_members(audit) for audit in found.audits]}


def _program_members(audit: Audit) -> dict[str, Any]:
    program = {"program": audit.program.name, "version": audit.program.version}
    size = {"devices": audit.n_devices, "waves": audit.n_waves, "more_reports": audit.n_more}
    verdict = {"has_fault": audit.has_fault, "not_tested": list(audit.untested)}
    losses = [_exact(loss) | {"is_exceeded": loss.is_exceeded, "is_seen": loss.is_seen} for loss in audit.losses]
    proofs = [_exact(proof) | {"is_made": proof.is_made, "holds": proof.holds} for proof in audit.proofs]
    checks = [check._asdict() for check in audit.checks]
    return program | size | verdict | {"losses": losses, "checks": checks, "proofs": proofs}


def _exact(of: Loss | Proof) -> dict[str, Any]:
    """Return a dataclass's members, of which epsilons are decimals, as JSON has them."""
    return {name: float(value) if isinstance(value, Decimal) else value for name, value in asdict(of).items()}


def _tables(audit: Audit) -> dict[str, list[dict[str, Any]]]:
    members = _program_members(audit)
    not_tested = [{"said": said} for said in audit.untested]
    return {table: members[table] for table in ("losses", "checks", "proofs")} | {"not_tested": not_tested}


def _records(found: ClientAudits) -> list[dict[str, Any]]:
    """Return a row for each bound, check, proof, and thing that was not tested, program by program."""
    rows = [
        {"program": audit.program.name, "version": audit.program.version, "table": table} | row
        for audit in found.audits
        for table, of_table in _tables(audit).items()
        for row in of_table
    ]
    columns = dict.fromkeys(name for row in rows for name in row)
    about = {"survey": found.survey.id, "fingerprint": found.survey.fingerprint, "false_alarm": found.false_alarm}
    return [{name: row.get(name) for name in columns} | about for row in rows]


def _panels(found: ClientAudits) -> "tuple[str, list[Panel]]":
    """Return a picture: of each bound what is given away at least, and how much is declared at most."""
    from sotto_estimator.results.figure import point_panel

    panels = []
    for audit in found.audits:
        seen = [loss for loss in audit.losses if loss.is_seen]
        points = [_bound(loss) for loss in seen]
        panels += [point_panel(points, f"{audit.program.name}: epsilon, from what is seen to what is declared")] * bool(
            seen
        )
    n_untested = len({said for audit in found.audits for said in audit.untested})
    left = f"{n_untested} things were not tested: the report lists them"
    return f"{found}\na dot is what reports give away at least; the line ends at what is declared\n{left}", panels


def _bound(loss: Loss) -> "Point":
    from sotto_estimator.results.figure import Point

    low, high = sorted((loss.lower, float_above(loss.declared)))
    return Point(name_of(loss), loss.lower, low, high)


VIEW: View[ClientAudits] = View(parts=_parts, members=_members, records=_records, panels=_panels)
