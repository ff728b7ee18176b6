"""`sotto close`, `configure`, `erase`, `certificate`: surveys at a collector, seen from outside."""

import json
from pathlib import Path

import click

from sotto_collector.commands.options import token_option
from sotto_collector.errors import CollectorError
from sotto_collector.remote import RemoteCollector, survey_path
from sotto_collector.reserved_file import ReservedFile

CERTIFICATE_BYTES = 2**14
"""More than any has."""


@click.command(epilog="Example:  sotto close http://127.0.0.1:8000 my-survey")
@click.argument("url")
@click.argument("survey")
@token_option
def close(url: str, survey: str, token: str) -> None:
    """Stop accepting reports for a survey.

    SURVEY is its id at the collector at URL.
    """
    closed = RemoteCollector(url, token).ask("POST", survey_path(survey, "/close"))
    click.echo(f"{closed.get('id')}  closed")


@click.command(epilog="Example:  sotto configure http://127.0.0.1:8000 my-survey --no-cors")
@click.argument("url")
@click.argument("survey")
@click.option(
    "--cors-origin",
    "origins",
    multiple=True,
    help="Origin of a web page that may use the survey in a browser, or *; may be repeated; none by default.",
)
@click.option("--no-cors", is_flag=True, help="Let no web page use it; off by default.")
@click.option("--reports-per-minute", type=int, help="Most reports a minute, 0 for the collector's; no default.")
@token_option
def configure(
    url: str, survey: str, origins: tuple[str, ...], no_cors: bool, reports_per_minute: int | None, token: str
) -> None:
    """Change the settings of a survey at a collector.

    What is not given stays as it is.
    """
    if no_cors and origins:
        raise click.UsageError("--no-cors and --cors-origin exclude each other.")
    sent: dict[str, object] = {"cors_origins": list(origins)} if origins or no_cors else {}
    if reports_per_minute is not None:
        sent["reports_per_minute"] = reports_per_minute or None
    if not sent:
        raise click.UsageError("Nothing to set: give --cors-origin, --no-cors or --reports-per-minute.")
    RemoteCollector(url, token).ask("PATCH", survey_path(survey), sent)
    click.echo(f"{survey}  configured")


@click.command(epilog="Example:  sotto erase http://127.0.0.1:8000 my-survey --all --yes")
@click.argument("url")
@click.argument("survey")
@click.option("--receipt", help="Erase the one report that has this receipt; no default.")
@click.option("--all", "is_whole", is_flag=True, help="Erase the whole survey, which must be closed; off by default.")
@click.option(
    "--certificate",
    type=click.Path(path_type=Path),
    help="With --all: new file for the certificate of what went; by default there is none.",
)
@click.option("--yes", "is_sure", is_flag=True, help="With --all: do not ask whether to; off by default.")
@click.option(
    "--token", envvar="SOTTO_TOKEN", show_envvar=True, help="Admin token, for --all; a receipt needs none. No default."
)
def erase(
    url: str,
    survey: str,
    receipt: str | None,
    is_whole: bool,
    certificate: Path | None,
    is_sure: bool,
    token: str | None,
) -> None:
    """Erase one report, or all reports of a survey.

    With --receipt one respondent's report leaves the reports and the tallies; whoever has the receipt may do that. What
    was exported, backed up or estimated before is not changed. A survey that keeps counts alone has no report to erase.
    With --all the survey, its reports, tallies and invitations go; it asks before, unless --yes is given. With
    --certificate what went, and what the store counts then, is written to a file: later nobody can say.

    To somebody who lost the receipt: "Nobody can find your report without its receipt, and nobody can be made to: it is
    stored under a random number, and with nothing that says whose it is. For the same reason nobody can look you up in
    it, and what is stored is noise around your answers."
    """
    if (receipt is None) is not is_whole:
        raise click.UsageError("Give either --receipt or --all.")
    if certificate is not None and not is_whole:
        raise click.UsageError("--certificate goes with --all; of one report ask with sotto certificate --receipt.")
    if receipt is not None:
        RemoteCollector(url).ask("POST", survey_path(survey, "/erase"), {"receipt": _checked(receipt)})
        click.echo(f"{survey}  report erased")
        return
    if token is None:
        raise click.UsageError("--all needs an admin's --token.")
    collector = RemoteCollector(url, token)
    if not is_sure:
        click.confirm(f"Erase survey {survey} at {collector.url}, and all its reports?", abort=True, err=True)
    if certificate is None:
        collector.ask("DELETE", survey_path(survey))
    else:
        _erase_certified(collector, survey, certificate)
    click.echo(f"{survey}  erased")


def _erase_certified(collector: RemoteCollector, survey: str, path: Path) -> None:
    """Erase a whole survey; its certificate, which nobody can give again, has its room before anything is erased.

    Raises CollectorError; where it could not be written though the survey is erased, it is printed before.
    """
    try:
        file = ReservedFile(path, CERTIFICATE_BYTES)
    except OSError as fault:
        raise CollectorError(f"certificate ({path}) must be a new file: {fault.strerror}.") from fault
    with file:
        given = _written(collector.ask("DELETE", survey_path(survey)).get("certificate"))
        try:
            file.append(given.encode())
        except OSError as fault:
            click.echo(given, nl=False)
            raise CollectorError(
                f"certificate ({path}) could not be written: {fault.strerror}. Survey {survey} is erased: keep what "
                "stdout has, which is its certificate, and cannot be had again."
            ) from fault


@click.command(epilog="Example:  sotto certificate http://127.0.0.1:8000 canteen")
@click.argument("url")
@click.argument("survey")
@click.option("--receipt", help="Of the one report that has this receipt; by default of all reports of the survey.")
@click.option(
    "--token",
    envvar="SOTTO_TOKEN",
    show_envvar=True,
    help="Admin's or analyst's token; with a receipt none is needed. No default.",
)
def certificate(url: str, survey: str, receipt: str | None, token: str | None) -> None:
    """Print the certificate that reports were erased, as JSON.

    Of a survey with erase_after once its day has come, or of one report by its receipt: what went, by which day, and
    what the store counts of it now, and what the certificate says nothing of. A whole survey's is given as it is
    erased: sotto erase --all --certificate FILE.
    """
    path = survey_path(survey, "/certificate")
    if receipt is not None:
        given = RemoteCollector(url).ask("POST", path, {"receipt": _checked(receipt)})
    elif token is None:
        raise click.UsageError("Give --receipt, or an admin's or analyst's --token.")
    else:
        given = RemoteCollector(url, token).ask("GET", path)
    click.echo(_written(given), nl=False)


def _written(document: object) -> str:
    return json.dumps(document, indent=2) + "\n"


def _checked(receipt: str) -> str:
    """Return a receipt in lower case, stripped. Raises CollectorError where it is none: nothing else is sent."""
    receipt = receipt.strip().lower()
    if len(receipt) != 32 or not set(receipt) <= set("0123456789abcdef"):
        raise CollectorError("receipt must be 32 hexadecimal digits, as the client gave it.")
    return receipt
