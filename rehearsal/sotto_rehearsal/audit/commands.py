"""`sotto audit`: run the client, and see whether it gives away more than its survey declares."""

import json
import sys
from pathlib import Path

import click

from sotto_client.commands import read_file
from sotto_rehearsal.audit.audit import FALSE_ALARM, Audit, audit_program
from sotto_rehearsal.audit.programs import CLIENTS, find_client, parse_program
from sotto_rehearsal.audit.render import document, table


@click.command(epilog="Example:  sotto audit survey.toml --client python")
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
    help="How many reports each program makes; 20,000 by default, 5,000 of the JavaScript client.",
)
@click.option(
    "--timeout-s",
    default=60.0,
    show_default=True,
    type=click.FloatRange(0.1),
    help="How long a program may print nothing, in seconds.",
)
@click.option("--json", "is_json", is_flag=True, help="Print JSON.")
def audit(
    survey_file: Path,
    clients: tuple[str, ...],
    line: str | None,
    n_reports: int | None,
    timeout_s: float,
    is_json: bool,
) -> None:
    """Run the client on made-up answers, and hold what its reports give away against what the survey declares.

    SURVEY is a survey file. A program of your own reads answers and prints reports, a line of JSON each: see the
    documentation. Ends with exit code 1 where a fault is found.
    """
    if clients and line is not None:
        raise click.UsageError("Give --client or --program, one of the two.")
    survey = read_file(survey_file)
    programs = (
        [find_client(name) for name in dict.fromkeys(clients or CLIENTS)] if line is None else [parse_program(line)]
    )
    share = FALSE_ALARM / len(programs)
    audits: list[Audit] = []
    for program in programs:
        n = n_reports or program.n_reports
        made = audit_program(survey, program, n, timeout_s=timeout_s, false_alarm=share, progress=_show)
        audits.append(made)
        if not is_json:
            click.echo(table(made, share))
    if is_json:
        click.echo(json.dumps(document(survey, audits, FALSE_ALARM), default=float, indent=2))
    if any(made.has_fault for made in audits):
        sys.exit(1)


def _show(n_done: int, n_all: int) -> None:
    if sys.stderr.isatty():
        click.echo(f"\r{n_done:,} of {n_all:,} reports", nl=n_done == n_all, err=True)
