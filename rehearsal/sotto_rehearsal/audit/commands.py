"""`sotto audit`: run the client, and see whether it gives away more than its survey declares."""

import shlex
import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import click

from sotto_estimator.commands.output import Output, output_options
from sotto_estimator.planning.draft import Draft
from sotto_rehearsal.audit.clients import LEAST_REPORTS, USUAL_TIMEOUT_S, audit_clients
from sotto_rehearsal.audit.errors import AuditError
from sotto_rehearsal.audit.junit import to_junit
from sotto_rehearsal.audit.programs import CLIENTS


@click.command(epilog="Example:  sotto audit survey.toml --reports 5000")
@click.argument("survey_file", metavar="SURVEY", type=click.Path(path_type=Path))
@click.option(
    "--client",
    "clients",
    type=click.Choice(CLIENTS),
    multiple=True,
    help="Which installed client to audit: may be given twice; both by default.",
)
@click.option("--program", "line", metavar="COMMAND", help="Audit this program in place of the installed clients.")
@click.option(
    "--reports",
    "n_reports",
    type=click.IntRange(LEAST_REPORTS, 10**8),
    help="How many reports each program makes; by default up to 20,000, of the JavaScript client up to 5,000.",
)
@click.option(
    "--timeout-s",
    default=USUAL_TIMEOUT_S,
    show_default=True,
    type=click.FloatRange(0.1),
    help="How long a program may print nothing, in seconds.",
)
@click.option(
    "--junit",
    "junit_file",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write it all to this JUnit XML file too, for CI; by default none.",
)
@output_options
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

    SURVEY is a survey file. A program of your own reads answers and prints reports, a line of JSON each: see the
    documentation. Ends with exit code 1 where a fault is found.
    """
    if clients and line is not None:
        raise click.UsageError("Give --client or --program, one of the two.")
    for option, path in (("--report", output.report_path), ("--junit", junit_file)):
        if path is not None and not path.parent.is_dir():
            raise click.UsageError(f"{option}: there is no folder {path.parent}.")
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
