"""The report on an audit: when and how it was made, all that was found, and no tag of a survey's."""

from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

from click.testing import CliRunner

from audited import YES_NO, faulty
from reading_html import Element, read_html
from sotto_client.cli import main
from sotto_protocol import Survey, compile_toml
from sotto_rehearsal.audit.audit import Audit
from sotto_rehearsal.audit.checks import Check
from sotto_rehearsal.audit.clients import ClientAudits
from sotto_rehearsal.audit.losses import Loss
from sotto_rehearsal.audit.proof import prove

SURVEY = compile_toml(YES_NO)
WHEN = datetime(2026, 3, 1, 12, 30, tzinfo=UTC)


def audit_of(survey: Survey, lower: float) -> Audit:
    loss = Loss("paid", 1, Decimal(1), lower, "bit 0 is 1", 1234, 2000, 500, 2100)
    checks = (Check("ids come once", True, "0 of 4,100 come again"),)
    return Audit(faulty("none"), 4100, 1, (loss,), checks, tuple(map(prove, survey.questions)))


def found_of(survey: Survey, lower: float = 0.8, command: str = "sotto audit survey.toml") -> ClientAudits:
    return ClientAudits(survey, (audit_of(survey, lower),), 1e-6, WHEN, command)


def page_of(survey: Survey, lower: float = 0.8, command: str = "sotto audit survey.toml") -> Element:
    return read_html(found_of(survey, lower, command).to_html())


def test_it_says_what_was_audited_when_and_how() -> None:
    page = page_of(SURVEY)
    assert page.find("title")[0].text == page.one("h1").text == "Audit of the client: Audited"
    for said in (SURVEY.fingerprint, "2026-03-01 12:30 UTC", "sotto audit survey.toml", "4,100 reports", "planted"):
        assert said in page.one("main").text


def test_it_has_every_bound_check_and_proof() -> None:
    losses, checks, proofs, declared = page_of(SURVEY).find("table")
    assert "warner" in declared.text
    row = "paid at least 0.800 at most 1 ok bit 0 is 1 1,234 of 2,000 500 of 2,100"
    assert row.replace(" ", "") in losses.text.replace(" ", "")
    assert "0 of 4,100 come again" in checks.text
    assert "exact proof, 10 outcomes" in proofs.text


def test_a_fault_is_said_first_and_marked() -> None:
    page = page_of(SURVEY, lower=1.2)
    assert page.one("p", class_="notice").text.startswith("A fault was found")
    assert "FAULT" in page.find("table")[0].text
    assert not page_of(SURVEY).find("p", class_="notice")
    assert found_of(SURVEY, lower=1.2).has_fault


def test_what_a_survey_says_becomes_no_tag() -> None:
    hostile = compile_toml(YES_NO.replace('"Audited"', "'<script>1</script>&'").replace('"?"', "'<b>'"))
    page = page_of(hostile, command="sotto audit '<i>'")
    assert [script.attributes["type"] for script in page.find("script")] == ["application/json"]
    assert not [*page.find("b"), *page.find("i")]
    assert "<script>1</script>&" in page.one("h1").text


def test_the_command_writes_it(tmp_path: Path) -> None:
    (tmp_path / "survey.toml").write_text(YES_NO)
    typed = ["audit", str(tmp_path / "survey.toml"), "--client", "python", "--reports", "500"]
    assert CliRunner().invoke(main, [*typed, "--report", str(tmp_path / "audit.html")]).exit_code == 0
    assert "500 reports" in read_html((tmp_path / "audit.html").read_text(encoding="utf-8")).one("main").text
    assert CliRunner().invoke(main, [*typed, "--report", str(tmp_path / "no" / "audit.html")]).exit_code == 2
