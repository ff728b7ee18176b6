"""Audits as one HTML page that a data-protection officer can file: it loads nothing, and prints on paper."""

from collections.abc import Sequence
from datetime import datetime
from html import escape

from sotto_protocol import Survey
from sotto_protocol.words import epsilon_above
from sotto_rehearsal.audit.audit import Audit
from sotto_rehearsal.audit.losses import Loss
from sotto_rehearsal.audit.render import (
    AT_LEAST,
    mark,
    mark_loss,
    name_of,
    say_loss,
    say_program,
    say_proof,
    say_verdict,
)

_STYLE = """
@page { size: A4; margin: 15mm }
body { font: 11pt/1.4 sans-serif; max-width: 190mm; margin: 1em auto; padding: 0 1em; color: #111; background: #fff }
h1 { font-size: 17pt; margin: 0 } h2 { font-size: 13pt; margin: 1.2em 0 .3em }
.wide { overflow-x: auto }
table { border-collapse: collapse; width: 100% } caption { text-align: left; padding-bottom: .3em }
th, td { text-align: left; vertical-align: top; padding: .2em .6em .2em 0; border-bottom: 1px solid #bbb }
td.number { text-align: right; white-space: nowrap } tr { break-inside: avoid } code { overflow-wrap: anywhere }
.verdict { font-weight: bold; border: 2px solid; padding: .4em .8em; margin: 1em 0 } .fault { color: #8a0010 }
dt { font-weight: bold; float: left; clear: left; width: 9em } dd { margin: 0 0 .2em 9.5em }
@media print { .wide { overflow: visible } body { font-size: 9.5pt; margin: 0; padding: 0; max-width: none } }
"""
_LIMITS = (
    f"The bounds of what is given away are lower ones. {AT_LEAST} A program may "
    "behave otherwise on another day, for another survey, for a few devices, or when it is not audited.",
    "Where there is an exact proof, it is of the mechanism's code as it was installed here, and of coins that nobody "
    "can foresee; it says at most, not at least.",
    "What a collector does with reports is not looked at.",
)


def to_html(survey: Survey, audits: Sequence[Audit], false_alarm: float, made: datetime, command: str) -> str:
    """Return one HTML document. `made`: when, in UTC; `command`: what was typed. A survey's texts become no tags."""
    title = f"Audit of the client: {_plain(survey.title)}"
    return (
        f'<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8"><title>{title}</title>\n'
        f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style></head>\n<body><main>\n'
        f"<h1>{title}</h1>\n{_verdict(audits, false_alarm)}\n{_facts(survey, audits, made, command)}\n"
        f"{_questions(survey)}\n{chr(10).join(map(_audit, audits))}\n"
        f"<h2>What this audit cannot show</h2>\n<ul>{''.join(f'<li>{escape(limit)}</li>' for limit in _LIMITS)}</ul>\n"
        "</main></body>\n</html>\n"
    )


def _verdict(audits: Sequence[Audit], false_alarm: float) -> str:
    has_fault = any(audit.has_fault for audit in audits)
    is_unseen = any(not loss.is_seen for audit in audits for loss in audit.losses)
    said = "A fault was found: it is marked below." if has_fault else say_verdict(has_fault, is_unseen)
    certain = f"An audit finds a fault where there is none with probability {false_alarm:g} at most."
    return f'<p class="verdict{" fault" if has_fault else ""}">{said}</p>\n<p>{certain}</p>'


def _facts(survey: Survey, audits: Sequence[Audit], made: datetime, command: str) -> str:
    facts = [
        ("Survey", _plain(f"{survey.id}: {survey.title}")),
        ("Fingerprint", f"<code>{survey.fingerprint}</code>"),
        ("Date", f"{made:%Y-%m-%d %H:%M} UTC"),
        ("Command", f"<code>{_plain(command)}</code>"),
        *(("Audited", _plain(say_program(audit))) for audit in audits),
    ]
    return "<dl>" + "".join(f"<dt>{name}</dt><dd>{said}</dd>" for name, said in facts) + "</dl>"


def _questions(survey: Survey) -> str:
    rows = [
        [
            question.id,
            question.text,
            question.mechanism.name,
            epsilon_above(question.epsilon),
            epsilon_above(question.epsilon_forever),
        ]
        for question in survey.questions
    ]
    heads = ["question", "what is asked", "mechanism", "epsilon of a report", "of all reports of an answer"]
    declared = _table("Epsilon in nats: the smaller, the less a report tells.", heads, rows)
    return f"<h2>What the survey declares</h2>\n{declared}"


def _audit(audit: Audit) -> str:
    losses = _table(
        "What reports give away: lower bounds in nats, which hold together, beside what the survey declares at most.",
        [
            "reports of",
            "gives away at least",
            "declared",
            "",
            "told apart best by",
            "under one answer",
            "under another",
        ],
        [_loss(audit, loss) for loss in audit.losses],
    )
    checks = _table(
        "Checks of the program.", ["check", "", "seen"], [[c.name, mark(c.passed), c.said] for c in audit.checks]
    )
    proofs = [[proof.question, mark(proof.holds) if proof.is_made else "-", say_proof(proof)] for proof in audit.proofs]
    proved = _table("Exact proofs of the mechanisms.", ["question", "", "proved"], proofs) if proofs else ""
    untested = "".join(f"<li>{_plain(said)}</li>" for said in audit.untested)
    left = f"<h3>Not tested</h3>\n<ul>{untested}</ul>"
    return f"<h2>{_plain(audit.program.name)}</h2>\n{losses}\n{checks}\n{proved}\n{left}"


def _loss(audit: Audit, loss: Loss) -> list[str]:
    seen = [f"{loss.x:,} of {loss.n:,}", f"{loss.y:,} of {loss.m:,}"]
    return [
        name_of(loss),
        f"{loss.lower:.3f}" if loss.is_seen else say_loss(loss),
        epsilon_above(loss.declared),
        mark_loss(audit, loss),
        loss.event if loss.is_seen else "",
        *seen,
    ]


def _table(caption: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    head = "".join(f'<th scope="col">{escape(name)}</th>' if name else "<td></td>" for name in heads)
    body = "".join(f"<tr>{_row(row)}</tr>" for row in rows)
    table = f"<table><caption>{escape(caption)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f'<div class="wide" tabindex="0">{table}</div>'


def _row(row: Sequence[str]) -> str:
    cells = "".join(f"<td{_class(cell)}>{_plain(cell)}</td>" for cell in row[1:])
    return f'<th scope="row">{_plain(row[0])}</th>{cells}'


def _class(cell: str) -> str:
    is_number = cell.replace(",", "").replace(" of ", "").replace(".", "").isdigit()
    return ' class="number"' if is_number else ' class="fault"' if cell == mark(passed=False) else ""


def _plain(words: str) -> str:
    return escape("".join(c if c.isprintable() else " " for c in words))
