"""Audits as JUnit XML, which CI servers read: a suite a program, a test case a bound, a check or a proof.

What was not tested is a case that was skipped, with the reason. The members are those of the schema that Jenkins,
GitLab, GitHub's actions and Azure read: no other ones.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import NamedTuple
from xml.etree import ElementTree

from sotto_protocol import Survey
from sotto_protocol.words import epsilon_above
from sotto_rehearsal.audit.audit import Audit
from sotto_rehearsal.audit.view import NOT_TESTED, name_of, say_loss, say_program, say_proof


class _Case(NamedTuple):
    kind: str
    name: str
    said: str
    outcome: str = ""
    """"failure" or "skipped"; empty where all is well."""


def to_junit(survey: Survey, audits: Sequence[Audit], made: datetime) -> str:
    """Return one XML document. `made`: when, in UTC."""
    root = ElementTree.Element("testsuites", name="sotto audit")
    for audit in audits:
        cases = [*_cases(audit)]
        counts = {"tests": len(cases), "failures": _count(cases, "failure"), "errors": 0}
        suite = ElementTree.SubElement(
            root,
            "testsuite",
            {
                "name": _plain(f"{survey.id}: {audit.program.name}"),
                **{name: str(count) for name, count in counts.items()},
                "skipped": str(_count(cases, "skipped")),
                "time": "0",
                "timestamp": f"{made:%Y-%m-%dT%H:%M:%S}",
                "hostname": "localhost",
            },
        )
        properties = ElementTree.SubElement(suite, "properties")
        for name, value in (("fingerprint", survey.fingerprint), ("program", say_program(audit))):
            ElementTree.SubElement(properties, "property", name=name, value=_plain(value))
        for case in cases:
            classname = _plain(f"audit.{survey.id}.{case.kind}")
            element = ElementTree.SubElement(suite, "testcase", classname=classname, name=_plain(case.name), time="0")
            if case.outcome:
                said = ElementTree.SubElement(element, case.outcome, message=_plain(case.said))
                if case.outcome == "failure":
                    said.set("type", "fault")
        ElementTree.SubElement(suite, "system-out").text = _plain(
            "\n".join(f"{case.kind}: {case.name}: {case.said}" for case in cases)
        )
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _cases(audit: Audit) -> Iterator[_Case]:
    for loss in audit.losses:
        said = f"{say_loss(loss)}, declared at most {epsilon_above(loss.declared)}"
        outcome = "skipped" if not loss.is_seen else "failure" if loss.is_exceeded else ""
        yield _Case("epsilon", name_of(loss), said, outcome)
    for check in audit.checks:
        yield _Case("check", check.name, check.said, "" if check.passed else "failure")
    for proof in audit.proofs:
        outcome = "skipped" if not proof.is_made else "" if proof.holds else "failure"
        yield _Case("proof", proof.question, say_proof(proof), outcome)
    for number, said in enumerate(audit.untested, 1):
        yield _Case(NOT_TESTED, f"{NOT_TESTED} {number}", said, "skipped")


def _count(cases: Sequence[_Case], outcome: str) -> int:
    return sum(case.outcome == outcome for case in cases)


def _plain(words: str) -> str:
    """Return words without what XML cannot hold."""
    return "".join(c if c.isprintable() or c == "\n" else " " for c in words)
