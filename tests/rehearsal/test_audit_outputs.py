"""Every form of an audit: what was not tested is listed, and a question without reports is not praised."""

import json
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from audited import YES_NO, faulty
from reading_html import read_html
from sotto_client.cli import main
from sotto_protocol import compile_toml
from sotto_rehearsal.audit.audit import Audit
from sotto_rehearsal.audit.checks import Check
from sotto_rehearsal.audit.clients import ClientAudits
from sotto_rehearsal.audit.design import MAX_WAVES, make_design
from sotto_rehearsal.audit.junit import to_junit
from sotto_rehearsal.audit.losses import Loss
from sotto_rehearsal.audit.untested import list_untested

SURVEY = compile_toml(YES_NO)
WHEN = datetime(2026, 3, 1, 12, 30, tzinfo=UTC)


def loss_of(question: str, lower: float, n: int) -> Loss:
    return Loss(question, 1, Decimal(1), lower, "bit 0 is 1", n // 2, n, n // 4, n)


def audit_of(*losses: Loss, passed: bool = True) -> Audit:
    checks = (Check("paid: the published channel", passed, "bit 0 is 1 <&> \x00", "paid"),)
    untested = list_untested(make_design(SURVEY, 100), losses, ())
    return Audit(faulty("none"), 400, 1, losses, checks, (), untested)


NOTHING = loss_of("paid", 0.0, 0)
SOME = loss_of("paid", 0.5, 400)


def forms(audit: Audit) -> dict[str, str]:
    found = ClientAudits(SURVEY, (audit,), 1e-6, WHEN, "x")
    return {
        "text": found.as_table(),
        "json": json.dumps(found.to_dict()),
        "page": read_html(found.to_html()).text,
        "junit": to_junit(SURVEY, [audit], WHEN),
        "csv": found.as_csv(),
        "markdown": found.as_markdown(),
        "latex": found.as_latex(),
    }


@pytest.mark.parametrize("form", ["text", "json", "page", "junit", "csv", "markdown", "latex"])
def test_every_form_lists_what_was_not_tested(form: str) -> None:
    audit = audit_of(SOME)
    assert len(audit.untested) > 5
    said = forms(audit)[form]
    assert [each for each in audit.untested if each not in said] == []


def test_a_picture_says_how_much_was_not_tested() -> None:
    audit = audit_of(SOME)
    title, _ = ClientAudits(SURVEY, (audit, audit), 1e-6, WHEN, "x").panels()
    assert f"{len(audit.untested)} things were not tested" in title


def test_a_question_without_reports_is_not_called_ok() -> None:
    audit = audit_of(NOTHING)
    assert not audit.has_fault
    row = next(line for line in forms(audit)["text"].splitlines() if line.startswith("paid"))
    assert "not tested: no reports" in row
    assert " ok " not in row
    assert "0.000" not in row
    assert "questions without reports were not" in forms(audit)["text"]
    assert "paid give away" in audit.untested[0]
    of_epsilon = ElementTree.fromstring(to_junit(SURVEY, [audit], WHEN)).find("testsuite/testcase[@name='paid']")  # noqa: S314
    assert of_epsilon is not None
    assert of_epsilon.find("skipped") is not None


def test_a_bound_of_a_broken_question_is_not_called_ok() -> None:
    row = next(line for line in forms(audit_of(SOME, passed=False))["text"].splitlines() if line.startswith("paid"))
    assert "see FAULT" in row
    assert " ok " not in row


def test_waves_and_answers_that_are_not_tried_are_listed() -> None:
    survey = compile_toml(
        'id = "a"\ntitle = "A"\nwaves = 52\n'
        '[[questions]]\nid = "n"\ntype = "number"\ntext = "?"\nminimum = 0\nmaximum = 9\nepsilon = 1\n'
        '[[questions]]\nid = "t"\ntype = "text"\ntext = "?"\nepsilon = 1\n'
    )
    design = make_design(survey, 1000)
    assert (design.n_waves, design.waves) == (MAX_WAVES, (1, 2, 3, 4, 28, 52))
    said = list_untested(design, [], [])
    assert said[0] == "46 of 52 waves: asked were 1, 2, 3, 4, 28, 52"
    assert said[1] == "n: other numbers than 0, 9, 4, 1, 8"
    assert said[2].startswith("t: other texts than 'aa'")


MEMBERS = {
    "testsuites": {"name"},
    "testsuite": {"name", "tests", "failures", "errors", "skipped", "time", "timestamp", "hostname"},
    "properties": set(),
    "property": {"name", "value"},
    "testcase": {"classname", "name", "time"},
    "failure": {"message", "type"},
    "skipped": {"message"},
    "system-out": set(),
}
"""The members of JUnit's schema that are used: all of them must be there."""
CHILDREN = {
    "testsuites": ["testsuite"],
    "testsuite": ["properties", "testcase", "system-out"],
    "properties": ["property"],
    "testcase": ["failure", "skipped"],
}


def check_schema(element: ElementTree.Element) -> None:
    """Hold an element against the schema: its members, its children, and in which order these stand."""
    assert set(element.attrib) == MEMBERS[element.tag]
    places = [CHILDREN.get(element.tag, []).index(child.tag) for child in element]
    assert places == sorted(places)
    for child in element:
        check_schema(child)


@pytest.mark.parametrize("passed", [True, False])
def test_junit_is_of_its_schema_and_counts_its_cases(passed: bool) -> None:
    root = ElementTree.fromstring(to_junit(SURVEY, [audit_of(SOME, passed=passed), audit_of(NOTHING)], WHEN))  # noqa: S314
    check_schema(root)
    suite, other = root.findall("testsuite")
    assert suite.get("timestamp") == "2026-03-01T12:30:00"
    for each in (suite, other):
        assert int(each.get("tests", "")) == len(each.findall("testcase"))
        assert int(each.get("failures", "")) == len(each.findall("testcase/failure"))
        assert int(each.get("skipped", "")) == len(each.findall("testcase/skipped"))
    assert [case.get("name") for case in suite.findall("testcase") if case.find("failure") is not None] == (
        [] if passed else ["paid: the published channel"]
    )
    names = [(case.get("classname"), case.get("name")) for case in suite.findall("testcase")]
    assert len(set(names)) == len(names)


def test_the_command_writes_junit(tmp_path: Path) -> None:
    (tmp_path / "survey.toml").write_text(YES_NO)
    typed = ["audit", str(tmp_path / "survey.toml"), "--client", "python", "--reports", "100", "--junit"]
    assert CliRunner().invoke(main, [*typed, str(tmp_path / "audit.xml")]).exit_code == 0
    check_schema(ElementTree.parse(tmp_path / "audit.xml").getroot())  # noqa: S314
    assert CliRunner().invoke(main, [*typed, str(tmp_path / "no" / "audit.xml")]).exit_code == 2
