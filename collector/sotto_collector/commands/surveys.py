"""`sotto close`, `configure`, `erase`, `certificate`: surveys at a collector, seen from outside."""

import json
from pathlib import Path
from typing import Any

import click

from sotto_collector.commands.options import token_option
from sotto_collector.errors import CollectorError
from sotto_collector.remote import RemoteCollector, survey_path
from sotto_collector.reserved_file import ReservedFile
from sotto_protocol.file_endings import check_ending
from sotto_protocol.members import OBLIVIOUS
from sotto_protocol.words import examples

CERTIFICATE_BYTES = 2**14
"""More than any has."""


@click.command(epilog=examples("sotto close http://127.0.0.1:8000 my-survey", "sotto close http://127.0.0.1:8000 hr"))
@click.argument("url")
@click.argument("survey")
@token_option
def close(url: str, survey: str, token: str) -> None:
    """Stop accepting reports for a survey.

    URL is the collector's, SURVEY the survey's id there.
    """
    closed = RemoteCollector(url, token).ask("POST", survey_path(survey, "/close"))
    click.echo(f"{closed.get('id')}  closed")


@click.command(
    epilog=examples(
        "sotto configure http://127.0.0.1:8000 my-survey --no-cors",
        "sotto configure http://127.0.0.1:8000 my-survey --reports-per-minute 600",
    )
)
@click.argument("url")
@click.argument("survey")
@click.option(
    "--cors-origin",
    "origins",
    multiple=True,
    help="Let web pages of this origin use the survey: * for all, null for files on a disk. Can be repeated  "
    "[default: no change].",
)
@click.option("--no-cors", is_flag=True, help="Let no other web page use the survey.")
@click.option(
    "--reports-per-minute",
    type=int,
    help="Reports a minute that the survey accepts at most. 0 is the collector's limit  [default: no change].",
)
@token_option
def configure(
    url: str, survey: str, origins: tuple[str, ...], no_cors: bool, reports_per_minute: int | None, token: str
) -> None:
    """Change the settings of a survey at a collector.

    URL is the collector's, SURVEY the survey's id there. Settings that you do not give stay as they are.
    """
    if no_cors and origins:
        raise click.UsageError("--no-cors does not go with --cors-origin.")
    sent: dict[str, object] = {"cors_origins": list(origins)} if origins or no_cors else {}
    if reports_per_minute is not None:
        sent["reports_per_minute"] = reports_per_minute or None
    if not sent:
        raise click.UsageError("Nothing to set: give --cors-origin, --no-cors or --reports-per-minute.")
    RemoteCollector(url, token).ask("PATCH", survey_path(survey), sent)
    click.echo(f"{survey}  configured")


@click.command(
    epilog=examples(
        "sotto erase http://127.0.0.1:8000 my-survey --receipt 4be1c9d07a52f3861e90ab47d5c82f36",
        "sotto erase http://127.0.0.1:8000 hr --all --yes",
    )
)
@click.argument("url")
@click.argument("survey")
@click.option("--receipt", help="Erase the one report with this receipt  [default: none].")
@click.option("--all", "is_whole", is_flag=True, help="Erase the whole survey, which must be closed.")
@click.option(
    "--certificate",
    type=click.Path(path_type=Path),
    help="With --all, write a certificate of what was erased to this new file  [default: none].",
)
@click.option(
    "--yes",
    "is_sure",
    is_flag=True,
    help="With --all, do not ask first. With --receipt, do without the survey's relay.",
)
@click.option(
    "--token",
    envvar="SOTTO_TOKEN",
    show_envvar=True,
    show_default="none",
    help="Admin's token. You need it for --all, not for a receipt.",
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

    With --receipt, one respondent's report is removed from the reports and the tallies. Everybody who has the receipt
    can do that. It does not change what was exported, backed up or estimated before. If a survey keeps only counts, it
    has no reports to erase.

    With --all the survey, its reports, tallies and invitations are erased. The command asks first, unless you give
    --yes. Give --certificate if you must prove it: what was erased cannot be found out later.

    You can tell somebody who lost the receipt: "Nobody can find your report without its receipt. It is stored under a
    random number, and nothing says whose report it is. So nobody can look up your answers either. What is stored was
    changed at random before it was sent."
    """
    if (receipt is None) is not is_whole:
        raise click.UsageError("Give either --receipt or --all.")
    if certificate is not None and not is_whole:
        raise click.UsageError("--certificate goes with --all. For one report, use sotto certificate --receipt.")
    check_ending("--certificate", certificate, ".json", error=CollectorError)
    if receipt is not None:
        _erase_report(RemoteCollector(url), survey, _checked(receipt), is_sure=is_sure)
        click.echo(f"{survey}  report erased")
        return
    if token is None:
        raise click.UsageError("--all needs an admin's token: give --token, or set SOTTO_TOKEN.")
    collector = RemoteCollector(url, token)
    if not is_sure:
        click.confirm(f"Erase survey {survey} at {collector.url}, and all its reports?", abort=True, err=True)
    if certificate is None:
        collector.ask("DELETE", survey_path(survey))
    else:
        _erase_certified(collector, survey, certificate)
    click.echo(f"{survey}  erased")


def _erase_report(collector: RemoteCollector, survey: str, receipt: str, *, is_sure: bool) -> None:
    """Erase one report. Raises CollectorError where that would show a respondent's address, unless that is meant."""
    if collector.ask("GET", survey_path(survey)).get("delivery") == OBLIVIOUS and not is_sure:
        raise CollectorError(
            f"survey {survey} is delivered through a relay, but this command asks the collector itself, which sees the "
            "address of this machine. Erase the report on the survey's page or by its app, or give --yes."
        )
    collector.ask("POST", survey_path(survey, "/erase"), {"receipt": receipt})


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
                f"certificate ({path}) could not be written: {fault.strerror}. Survey {survey} is erased. Its "
                "certificate is printed on stdout: keep it, because nobody can make it again."
            ) from fault


@click.command(
    epilog=examples(
        "sotto certificate http://127.0.0.1:8000 canteen",
        "sotto certificate http://127.0.0.1:8000 my-survey --receipt 4be1c9d07a52f3861e90ab47d5c82f36",
    )
)
@click.argument("url", required=False)
@click.argument("survey", required=False)
@click.option("--receipt", help="Certify the one report with this receipt  [default: all reports].")
@click.option("--key", help="Check that this key has signed the certificate  [default: no check].")
@click.option(
    "--check",
    "file",
    type=click.Path(path_type=Path),
    help="With --key, check this file, and ask no collector  [default: none].",
)
@click.option(
    "--token",
    envvar="SOTTO_TOKEN",
    show_envvar=True,
    show_default="none",
    help="Admin's or analyst's token. A receipt needs none.",
)
def certificate(
    url: str | None, survey: str | None, receipt: str | None, key: str | None, file: Path | None, token: str | None
) -> None:
    """Print the certificate that reports were erased, as JSON.

    You can have one for a survey with erase_after, after the day on which its reports were erased. With --receipt you
    can have one for a single report. It says what was erased, by which day, what the database counts now, and what the
    certificate does not cover. For a whole survey, give sotto erase --all --certificate FILE when you erase it.

    A collector with a key (sotto gateway key new) signs its certificates. The survey page shows that key. With --key
    the command fails unless that key has signed the certificate. A signature says who certifies, not that it is true.
    """
    if file is not None:
        if key is None or url is not None:
            raise click.UsageError("--check FILE goes with --key, and with no URL.")
        given = _read_certificate(file)
    elif url is None or survey is None:
        raise click.UsageError("Give URL and SURVEY, or --check FILE.")
    elif receipt is not None:
        given = RemoteCollector(url).ask("POST", survey_path(survey, "/certificate"), {"receipt": _checked(receipt)})
    elif token is None:
        raise click.UsageError("Give --receipt, or the --token of an admin or analyst.")
    else:
        given = RemoteCollector(url, token).ask("GET", survey_path(survey, "/certificate"))
    if key is not None:
        from sotto_collector.certificate import check_certificate  # which loads the database

        check_certificate(given, key.strip().lower())
    click.echo(_written(given), nl=False)


def _read_certificate(path: Path) -> dict[str, Any]:
    try:
        given = json.loads(path.read_bytes())
    except OSError as fault:
        raise CollectorError(f"certificate ({path}) must be a file that can be read: {fault.strerror}.") from fault
    except (ValueError, RecursionError):
        given = None
    if not isinstance(given, dict):
        raise CollectorError(f"certificate ({path}) must be JSON, as sotto certificate prints it.")
    return given


def _written(document: object) -> str:
    return json.dumps(document, indent=2) + "\n"


def _checked(receipt: str) -> str:
    """Return a receipt in lower case, stripped. Raises CollectorError where it is none: nothing else is sent."""
    receipt = receipt.strip().lower()
    if len(receipt) != 32 or not set(receipt) <= set("0123456789abcdef"):
        raise CollectorError("--receipt must be 32 hexadecimal digits, as the device showed it.")
    return receipt
