"""`sotto audit`: run the client, and see whether it gives away more than its survey declares."""

import json
import shlex
import sys
from datetime import UTC, datetime
from pathlib import Path

import click

from sotto_estimator.planning.draft import Draft
from sotto_protocol import Survey
from sotto_rehearsal.audit.audit import Audit, audit_program
from sotto_rehearsal.audit.design import usual_reports
from sotto_rehearsal.audit.errors import AuditError
from sotto_rehearsal.audit.junit import to_junit
from sotto_rehearsal.audit.page import to_html
from sotto_rehearsal.audit.programs import CLIENTS, Program, find_client, parse_program
from sotto_rehearsal.audit.render import document, table
from sotto_rehearsal.audit.shares import FALSE_ALARM

_PAGES = (".html", ".htm")


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
    type=click.IntRange(100, 10**8),
    help="How many reports each program makes; by default up to 20,000, of the JavaScript client up to 5,000.",
)
@click.option(
    "--timeout-s",
    default=60.0,
    show_default=True,
    type=click.FloatRange(0.1),
    help="How long a program may print nothing, in seconds.",
)
@click.option(
    "--report",
    "page_file",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write it all to this HTML file too, to be filed; by default none.",
)
@click.option(
    "--junit",
    "junit_file",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write it all to this JUnit XML file too, for CI; by default none.",
)
@click.option("--json", "is_json", is_flag=True, help="Print JSON.")
def audit(
    survey_file: Path,
    clients: tuple[str, ...],
    line: str | None,
    n_reports: int | None,
    timeout_s: float,
    page_file: Path | None,
    junit_file: Path | None,
    is_json: bool,
) -> None:
    """Run the client on made-up answers, and hold what its reports give away against what the survey declares.

    SURVEY is a survey file. A program of your own reads answers and prints reports, a line of JSON each: see the
    documentation. Ends with exit code 1 where a fault is found.
    """
    if clients and line is not None:
        raise click.UsageError("Give --client or --program, one of the two.")
    if page_file is not None and page_file.suffix.lower() not in _PAGES:
        raise click.UsageError(f"--report ({page_file.name}) must end in {' or '.join(_PAGES)}: it is a page.")
    for option, path in (("--report", page_file), ("--junit", junit_file)):
        if path is not None and not path.parent.is_dir():
            raise click.UsageError(f"{option}: there is no folder {path.parent}.")
    survey = Draft.read(survey_file).survey
    names = dict.fromkeys(clients or CLIENTS)
    programs = [find_client(name) for name in names] if line is None else [parse_program(line)]
    audits = []
    for program in programs:
        made = _audit(
            survey,
            program,
            n_reports or usual_reports(survey, program.n_reports),
            timeout_s,
            FALSE_ALARM / len(programs),
        )
        audits.append(made)
        if not is_json:
            click.echo(table(made, FALSE_ALARM))
    if is_json:
        click.echo(json.dumps(document(survey, audits, FALSE_ALARM), default=float, indent=2))
    if junit_file is not None:
        _write(junit_file, to_junit(survey, audits, datetime.now(UTC)))
    if page_file is not None:
        typed = shlex.join(["sotto", *sys.argv[1:]])
        _write(page_file, to_html(survey, audits, FALSE_ALARM, datetime.now(UTC), typed))
    if any(made.has_fault for made in audits):
        sys.exit(1)


def _audit(survey: Survey, program: Program, n_reports: int, timeout_s: float, false_alarm: float) -> Audit:
    return audit_program(survey, program, n_reports, timeout_s=timeout_s, false_alarm=false_alarm, progress=_show)


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as fault:
        raise AuditError(f"{path}: {fault.strerror}") from fault


def _show(n_done: int, n_all: int) -> None:
    if sys.stderr.isatty():
        click.echo(f"\r{n_done:,} of {n_all:,} reports", nl=n_done == n_all, err=True)
