"""`sotto audit`: run the client, and see whether it gives away more than its survey declares."""

import shlex
import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import click

from sotto_estimator.commands.output import Output, output_options
from sotto_estimator.commands.sections import AUDIT, OUTPUT, SectionedCommand, in_section
from sotto_estimator.planning.draft import Draft
from sotto_protocol.file_endings import check_ending
from sotto_protocol.words import examples
from sotto_rehearsal.audit.clients import LEAST_REPORTS, USUAL_TIMEOUT_S, audit_clients
from sotto_rehearsal.audit.errors import AuditError
from sotto_rehearsal.audit.junit import to_junit
from sotto_rehearsal.audit.programs import CLIENTS

(_CLIENT, _PROGRAM, _REPORTS, _TIMEOUT) = in_section(
    AUDIT,
    click.option(
        "--client",
        "clients",
        type=click.Choice(CLIENTS),
        multiple=True,
        help="Installed client to audit. May be repeated  [default: both].",
    ),
    click.option("--program", "line", metavar="COMMAND", help="Audit this program instead of the installed clients."),
    click.option(
        "--reports",
        "n_reports",
        type=click.IntRange(LEAST_REPORTS, 10**8),
        help="Reports that each program makes  [default: up to 20,000, or 5,000 for the JavaScript client].",
    ),
    click.option(
        "--timeout-s",
        default=USUAL_TIMEOUT_S,
        show_default=True,
        type=click.FloatRange(0.1),
        help="How long a program may print nothing, in seconds.",
    ),
)
(_JUNIT,) = in_section(
    OUTPUT,
    click.option(
        "--junit",
        "junit_file",
        metavar="FILE",
        type=click.Path(dir_okay=False, path_type=Path),
        help="Also write the results to this JUnit XML file, for CI.",
    ),
)
_EXAMPLES = (
    "sotto audit survey.toml --reports 5000",
    "sotto audit survey.toml --client python --reports 5000 --junit audit.xml",
)


@click.command(cls=SectionedCommand, epilog=examples(*_EXAMPLES))
@click.argument("survey_file", metavar="SURVEY", type=click.Path(path_type=Path))
@_CLIENT
@_PROGRAM
@_REPORTS
@_TIMEOUT
@output_options
@_JUNIT
def audit(
    survey_file: Path,
    clients: tuple[str, ...],
    line: str | None,
    n_reports: int | None,
    timeout_s: float,
    junit_file: Path | None,
    output: Output,
) -> None:
    """Test what the reports of a client really give away.

    SURVEY is a survey file. A --program of your own reads answers and prints reports, one line of JSON each
    (docs/audit.md). The exit code is 1 if the audit finds a fault.
    """
    if clients and line is not None:
        raise click.UsageError("Give --client or --program, one of the two.")
    for option, path in (("--report", output.report_path), ("--junit", junit_file)):
        if path is not None and not path.parent.is_dir():
            raise click.UsageError(f"{option}: there is no folder {path.parent}.")
    check_ending("--junit", junit_file, ".xml", error=AuditError)
    survey = Draft.read(survey_file).survey
    names = tuple(dict.fromkeys(clients or CLIENTS))
    found = audit_clients(survey, names, program=line, n_reports=n_reports, timeout_s=timeout_s, progress=_show)
    typed = shlex.join(["sotto", *sys.argv[1:]])
    made = datetime.now(UTC)
    found = replace(found, made=made, command=typed)
    if junit_file is not None:
        _write(junit_file, to_junit(survey, found.audits, made))
    output.show(found)
    if found.has_fault:
        sys.exit(1)


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as fault:
        raise AuditError(f"{path}: {fault.strerror}") from fault


def _show(n_done: int, n_all: int) -> None:
    if sys.stderr.isatty():
        click.echo(f"\r{n_done:,} of {n_all:,} reports", nl=n_done == n_all, err=True)
