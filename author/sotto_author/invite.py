"""`sotto invite`: make, count and revoke the invitations to a survey."""

import csv
import io
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import click

from sotto_author.consent import confirm, repeat, yes_option
from sotto_author.crowd import judge_published
from sotto_author.publish import page_address
from sotto_collector.commands.options import token_option
from sotto_collector.errors import CollectorError, RemoteError
from sotto_collector.remote import RemoteCollector, survey_path
from sotto_collector.reserved_file import ReservedFile
from sotto_protocol import Survey, SurveyError
from sotto_protocol.file_endings import check_ending
from sotto_protocol.invitation import MAX_INVITATIONS, MAX_REVOKED, N_CHARACTERS
from sotto_protocol.minimum import say_few, say_few_tokens
from sotto_protocol.words import examples

COLUMN = "invitation"
PAGE_COLUMN = "page"
STRATUM_COLUMN = "stratum"


@click.group(
    epilog=examples(
        "sotto invite create http://127.0.0.1:8000 hr --count 900 --to a.csv",
        "sotto invite count http://127.0.0.1:8000 hr",
    )
)
def invite() -> None:
    """Create, count and revoke invitations to a survey."""


@invite.command(
    epilog=examples(
        "sotto invite create http://127.0.0.1:8000 hr --count 900 --to a.csv",
        "sotto invite create http://127.0.0.1:8000 clinic --count 60 --each-stratum --to clinic.csv --page --yes",
    )
)
@click.argument("url")
@click.argument("survey")
@click.option("--count", type=click.IntRange(1, 10**7), required=True, help="Number of invitations.")
@click.option("--to", "target", type=click.Path(path_type=Path), required=True, help="New CSV file.")
@click.option(
    "--page", "has_pages", is_flag=True, help="Add a column with the address of the survey's page for each invitation."
)
@click.option("--stratum", metavar="NAME", help="Stratum to invite to, if the survey has strata  [default: none].")
@click.option(
    "--each-stratum",
    "is_each",
    is_flag=True,
    help="Make --count invitations to each stratum, named in a column.",
)
@yes_option
@token_option
def create(
    url: str,
    survey: str,
    count: int,
    target: Path,
    has_pages: bool,
    stratum: str | None,
    is_each: bool,
    is_sure: bool,
    token: str,
) -> None:
    """Write new invitations to a CSV file, one a line.

    The file is the only place where anybody can read the invitations: the collector keeps only their hashes. Only the
    file's owner can read it. With --page a second column has the address of the survey's page, with the invitation
    after a #. Browsers send nobody what is after the #. With --each-stratum the last column has the stratum.

    First the command says what all people will show who have been invited so far, these included. It asks if that is
    nothing useful. If a stratum has few people, it warns that others know of each report that one of them sent it.
    """
    check_ending("--to", target, ".csv", error=CollectorError)
    if is_each and stratum is not None:
        raise click.UsageError("Give --stratum or --each-stratum, not both.")
    if os.path.lexists(target):  # before anything is asked
        raise CollectorError(f"CSV file ({target}) must be a new file: File exists.")
    collector = RemoteCollector(url, token)
    page = f"{page_address(collector, survey)}#" if has_pages else None
    published = _fetch_survey(collector, survey)
    if is_each and not published.strata:
        raise CollectorError(f"{survey} has no strata: leave out --each-stratum.")
    if published.strata and not is_each and stratum is None:
        named = ", ".join(published.strata)
        raise CollectorError(f"{survey} has strata: give --each-stratum, or --stratum with one of {named}.")
    strata = [*published.strata] if is_each else [stratum]
    _judge(collector, published, count, strata, is_sure=is_sure)
    header = [[COLUMN, *[PAGE_COLUMN] * has_pages, *[STRATUM_COLUMN] * is_each]]
    n_lines = sum(len(_lines([_row("x" * N_CHARACTERS, page, name if is_each else None)])) for name in strata)
    try:
        file = ReservedFile(target, len(_lines(header)) + count * n_lines)
    except OSError as fault:
        raise CollectorError(f"CSV file ({target}) must be a new file: {fault.strerror}.") from fault
    with file:
        for of, codes in _make_all(collector, survey, count, strata):
            try:
                file.append(_lines([*header, *(_row(code, page, of if is_each else None) for code in codes)]))
            except OSError as fault:
                became = _take_back(collector, survey, codes)
                raise CollectorError(f"CSV file ({target}) could not be written: {fault.strerror}. {became}") from fault
            header = []
    each = f", {count:,} for each of {len(strata)} strata," * is_each
    click.echo(f"{count * len(strata):,} invitations{each} in {target}")


def _row(code: str, page: str | None, stratum: str | None) -> list[str]:
    return [code, *([page + code] if page else []), *([stratum] if stratum is not None else [])]


def _lines(rows: list[list[str]]) -> bytes:
    """Return rows as a CSV file has them."""
    csv.writer(written := io.StringIO(newline="")).writerows(rows)
    return written.getvalue().encode()


def _take_back(collector: RemoteCollector, survey: str, codes: list[str]) -> str:
    """Revoke invitations that nobody will ever read; return what became of them."""
    try:
        return f"The {_revoke(collector, survey, codes):,} invitations that are missing from it were revoked."
    except RemoteError as fault:
        return (
            f"{len(codes):,} invitations that are missing from it stay open, because they could not be revoked: {fault}"
        )


def _revoke(collector: RemoteCollector, survey: str, codes: list[str]) -> int:
    """Revoke these invitations, and return how many of them were not used yet. Raises RemoteError."""
    path = survey_path(survey, "/invitations/revoke")
    return sum(
        collector.ask("POST", path, {"invitations": codes[start : start + MAX_REVOKED]})["revoked"]
        for start in range(0, len(codes), MAX_REVOKED)
    )


def _judge(
    collector: RemoteCollector, survey: Survey, n_new: int, strata: Sequence[str | None], *, is_sure: bool
) -> None:
    """Say on stderr what the invited people will show, or give away, and ask where it is of no use to anybody.

    Of a survey with strata each of them is looked at by itself, those of as many people at once. `strata`: None is all.
    """
    named: dict[int, list[str]] = {}
    for stratum in strata:
        n_invited = _count_invited(collector, survey, stratum) + n_new
        named.setdefault(n_invited, []).extend([] if stratum is None else [stratum])
        few = [] if stratum is None else say_few(stratum, n_invited)
        for line in [*few, *say_few_tokens(survey, n_invited, stratum)]:
            click.echo(f"Warning: {line}", err=True)
    crowds = [judge_published(survey, n, *within) for n, within in named.items()]
    for crowd in crowds:
        repeat(crowd)
    useless = [crowd.n for crowd in crowds if not crowd.is_usable]
    if useless:
        confirm(
            f"Create invitations to {survey.id} anyway?",
            f"No invitations to {survey.id} were created: {min(useless):,} people are too few to show anything useful. "
            "Give --yes to create them anyway, for example if you invite more people later.",
            is_sure=is_sure,
        )


def _count_invited(collector: RemoteCollector, survey: Survey, stratum: str | None) -> int:
    """Return how many people have been invited so far, to one stratum or to all."""
    left = collector.ask("GET", survey_path(survey.id, f"/invitations{_of(stratum)}"))
    # Every invitation is there once for each wave, until it comes with a report, or is traded for a token.
    n_used = sum(left["tokens"]) if survey.is_blind else _n_reports(left, collector.url)
    return int(sum(left["unused"]) + n_used) // survey.waves


def _fetch_survey(collector: RemoteCollector, survey_id: str) -> Survey:
    """Return a published survey. Raises CollectorError, of a draft in words of its own."""
    try:
        return Survey.from_canonical(collector.fetch("GET", survey_path(survey_id)))
    except SurveyError as fault:
        raise CollectorError(f"{collector.url} did not respond with a survey: {fault}") from fault
    except RemoteError as fault:
        if fault.code != "no_such_survey":
            raise
        listed = collector.ask("GET", "/v1/surveys").get("surveys", [])
        if not any(row.get("id") == survey_id and row.get("draft") for row in listed):
            raise
        raise CollectorError(f"{survey_id} is a draft: publish it first (sotto publish).") from None


def _n_reports(left: dict[str, Any], url: str) -> int:
    """Return how many reports came, of what a collector says of invitations. Raises RemoteError where it does not."""
    if not isinstance(left.get("n_reports"), int):
        raise RemoteError(f"{url} must be a collector of this version or later; it does not send n_reports.")
    return int(left["n_reports"])


def _of(stratum: str | None) -> str:
    """Return the end of an address that asks for a stratum alone."""
    return "" if stratum is None else f"?{urlencode({'stratum': stratum})}"


def _make_all(
    collector: RemoteCollector, survey: str, count: int, strata: Sequence[str | None]
) -> Iterator[tuple[str | None, list[str]]]:
    """Yield invitations as `_make`, so many to each stratum, with the stratum."""
    for stratum in strata:
        for codes in _make(collector, survey, count, stratum):
            yield stratum, codes


def _make(collector: RemoteCollector, survey: str, count: int, stratum: str | None) -> Iterator[list[str]]:
    """Yield invitations as the collector makes them, up to MAX_INVITATIONS at a time. Raises RemoteError."""
    for start in range(0, count, MAX_INVITATIONS):
        sent = {"count": min(MAX_INVITATIONS, count - start)} | ({} if stratum is None else {"stratum": stratum})
        yield collector.fetch("POST", survey_path(survey, "/invitations"), sent).decode().splitlines()[1:]


@invite.command(
    epilog=examples(
        "sotto invite count http://127.0.0.1:8000 hr", "sotto invite count http://127.0.0.1:8000 clinic --stratum north"
    )
)
@click.argument("url")
@click.argument("survey")
@click.option("--stratum", metavar="NAME", help="Count one stratum, if the survey has strata  [default: all].")
@token_option
def count(url: str, survey: str, stratum: str | None, token: str) -> None:
    """Count the invitations that were not used yet, in each wave.

    If they are blind, an invitation is used when its device fetches a token. The report comes later.
    """
    said = RemoteCollector(url, token).ask("GET", survey_path(survey, f"/invitations{_of(stratum)}"))
    unused, tokens = said["unused"], said.get("tokens", [])
    for wave, n_left in enumerate(unused, 1):
        traded = f", {tokens[wave - 1]:,} tokens" if tokens else ""
        click.echo(f"wave {wave}  {n_left:,} unused{traded}" if len(unused) > 1 else f"{n_left:,} unused{traded}")


@invite.command(
    epilog=examples(
        "sotto invite revoke http://127.0.0.1:8000 hr --from a.csv",
        "sotto invite revoke http://127.0.0.1:8000 hr --all",
    )
)
@click.argument("url")
@click.argument("survey")
@click.option(
    "--from",
    "source",
    type=click.Path(path_type=Path),
    help="CSV file with the invitations to revoke  [default: none].",
)
@click.option("--all", "is_all", is_flag=True, help="Revoke all invitations to the survey.")
@token_option
def revoke(url: str, survey: str, source: Path | None, is_all: bool, token: str) -> None:
    """Revoke invitations that were not used yet.

    The CSV file must have a column "invitation". Reports that came with an invitation stay. A blind invitation
    cannot be revoked once its device has a token.
    """
    if (source is None) is not is_all:
        raise click.UsageError("Give either --from or --all.")
    collector = RemoteCollector(url, token)
    if source is None:
        n_revoked = collector.ask("POST", survey_path(survey, "/invitations/revoke"), {"all": True})["revoked"]
    else:
        n_revoked = _revoke(collector, survey, _read_invitations(source))
    click.echo(f"{n_revoked:,} revoked")


def _read_invitations(path: Path) -> list[str]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = csv.DictReader(file)
            if COLUMN not in (rows.fieldnames or ()):
                raise CollectorError(f"CSV file ({path}) must have a column {COLUMN}.")
            return [row[COLUMN] or "" for row in rows]
    except (OSError, UnicodeDecodeError, csv.Error) as fault:
        reason = fault.strerror if isinstance(fault, OSError) else "it is no CSV in UTF-8"
        raise CollectorError(f"CSV file ({path}) must be readable: {reason}.") from fault
