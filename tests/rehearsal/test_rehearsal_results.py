"""What every result of a rehearsal can do, in all forms; and what Python returns is what its command prints."""

from decimal import Decimal
from pathlib import Path

import pytest
from click.testing import CliRunner

from audited import YES_NO, faulty
from rehearsed import OFFICE, OFFICE_TRUTH, WORD
from result_contract import CONTRACT, kinds_of
from sotto_client.cli import main
from sotto_estimator import DomainError, IntervalOptions
from sotto_estimator.results.result import Result
from sotto_protocol import compile_toml
from sotto_rehearsal import audit_clients, compare, simulate
from sotto_rehearsal.audit.audit import Audit
from sotto_rehearsal.audit.checks import Check
from sotto_rehearsal.audit.clients import ClientAudits
from sotto_rehearsal.audit.errors import AuditError
from sotto_rehearsal.audit.losses import Loss
from sotto_rehearsal.audit.proof import prove
from sotto_rehearsal.simulation.errors import SimulationError
from sotto_rehearsal.simulation.truth import read_truth

SURVEY = compile_toml(YES_NO.replace('"Audited"', '"米饭 مرحبا | <b>"'))
WORDS = '[questions.word]\nstrings = {fine = 0.6, "<b> | 米饭" = 0.4}\n'
KINDS = [
    *("Simulation", "Simulation that finds no string", "Comparison", "Comparison of texts alone"),
    *("ClientAudits", "ClientAudits with a fault", "ClientAudits without reports"),
]


def audit_of(lower: float, n: int = 400) -> Audit:
    loss = Loss("paid", 1, Decimal(1), lower, "bit 0 is 1", n // 2, n, n // 4, n)
    checks = (Check("paid: the published channel", lower < 1, "bit 0 is 1 <&>", "paid"),)
    return Audit(faulty("none"), 400, 1, (loss,), checks, tuple(map(prove, SURVEY.questions)), ("other days",))


@pytest.fixture(scope="module")
def results() -> dict[str, Result]:
    return {
        "Simulation": simulate(OFFICE, 100, runs=3, seed=3, liars=0.2),
        "Simulation that finds no string": simulate(WORD, 30, truth=read_truth(WORDS, WORD), runs=2, seed=4),
        "Comparison": compare(OFFICE, 300, runs=0),
        "Comparison of texts alone": compare(WORD, 300, runs=0),
        "ClientAudits": ClientAudits(SURVEY, (audit_of(0.5),)),
        "ClientAudits with a fault": ClientAudits(SURVEY, (audit_of(1.5), audit_of(0.5))),
        "ClientAudits without reports": ClientAudits(SURVEY, (audit_of(0.0, 0),)),
    }


def test_every_kind_of_result_is_held_to_what_follows(results: dict[str, Result]) -> None:
    assert [*results] == KINDS
    assert {type(found).__name__ for found in results.values()} == kinds_of("sotto_rehearsal")


@pytest.mark.parametrize("check", CONTRACT)
@pytest.mark.parametrize("kind", KINDS)
def test_every_result_keeps_the_contract(results: dict[str, Result], kind: str, check: str) -> None:
    CONTRACT[check](results[kind])


STYLES = ["", "json", "csv", "markdown", "latex"]


def printed(folder: Path, *arguments: str) -> dict[str, str]:
    """Return what a command prints in each form, and the report that it writes."""
    report = folder / "report.html"
    told = {}
    for style in STYLES:
        more = [f"--{style}"] if style else ["--report", str(report)]
        done = CliRunner().invoke(main, [*arguments, *more])
        assert done.exit_code == 0, done.output
        told[style] = done.stdout
    return told | {"report": report.read_text()}


def forms_of(found: Result) -> dict[str, str]:
    return {style: f"{found.as_style(style)}\n" for style in STYLES} | {"report": found.to_html()}


@pytest.fixture
def office(tmp_path: Path) -> str:
    (tmp_path / "survey.json").write_bytes(OFFICE.canonical)
    (tmp_path / "truth.toml").write_text(OFFICE_TRUTH)
    return str(tmp_path / "survey.json")


def test_simulate_in_python_is_the_command(office: str, tmp_path: Path) -> None:
    truth = tmp_path / "truth.toml"
    found = simulate(OFFICE, 60, truth=truth, runs=2, seed=5, options=IntervalOptions(0.9, "wilson"), liars=0.2)
    typed = ["--truth", str(truth), "--n", "60", "--runs", "2", "--seed", "5", "--level", ".9", "--method", "wilson"]
    assert printed(tmp_path, "simulate", office, *typed, "--liars", ".2") == forms_of(found)


@pytest.mark.thorough
def test_compare_in_python_is_the_command(office: str, tmp_path: Path) -> None:
    found = compare(OFFICE, 300, share=0.3, runs=0)
    assert printed(tmp_path, "compare", office, "--n", "300", "--share", ".3", "--runs", "0") == forms_of(found)


def test_audit_in_python_is_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All but reports, which are random: both have the same audit; and a report of the command says when it was."""
    monkeypatch.setattr("sotto_rehearsal.audit.clients.audit_program", lambda *_, **__: audit_of(0.5))
    (tmp_path / "survey.json").write_bytes(SURVEY.canonical)
    told = printed(tmp_path, "audit", str(tmp_path / "survey.json"), "--client", "python")
    expected = forms_of(audit_clients(SURVEY, ["python"]))
    assert "Date: " in told.pop("report")
    assert "Fingerprint: " in expected.pop("report")
    assert told == expected


def test_a_title_and_a_picture_are_a_commands_too(office: str, tmp_path: Path) -> None:
    typed = ["compare", office, "--n", "300", "--runs", "0", "--title", "Ours", "--plot", str(tmp_path / "a.svg")]
    assert CliRunner().invoke(main, typed).stdout.startswith("Ours: 300 respondents")
    assert (tmp_path / "a.svg").stat().st_size


@pytest.mark.parametrize(
    ("make", "fault", "said"),
    [
        (lambda: simulate(OFFICE, 1), SimulationError, r"n \(1\) must be 2 or more"),
        (lambda: simulate(OFFICE, 9, waves=2), SimulationError, r"waves \(2\) must be from 1 to 1"),
        (lambda: simulate(OFFICE, 9, wave=0), SimulationError, r"wave \(0\) must be from 1 to 1"),
        (lambda: simulate(OFFICE, 9, lairs=0.1), SimulationError, "lairs"),
        (lambda: simulate(OFFICE, 9, liars=2), SimulationError, "liars: must be a share"),
        (lambda: compare(OFFICE, 1), DomainError, r"n \(1\) must be 2 or more"),
        (lambda: compare(OFFICE, 9, delta=2), DomainError, r"delta \(2\)"),
        (lambda: audit_clients(OFFICE, ["ruby"]), AuditError, r"clients \(ruby\) must be of python, js"),
        (lambda: audit_clients(OFFICE, [], n_reports=1), AuditError, "clients"),
        (lambda: audit_clients(OFFICE, n_reports=1), AuditError, r"n_reports \(1\) must be 100 or more"),
        (lambda: audit_clients(OFFICE, program=""), AuditError, "must be a command line"),
    ],
)
def test_what_cannot_be_rehearsed_is_refused_by_name(make, fault: type[Exception], said: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(fault, match=said):
        make()
