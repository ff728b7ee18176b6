"""`sotto token`: make, list and revoke tokens, on the machine that has the database."""

from contextlib import closing
from datetime import UTC, datetime

import click

from sotto_collector.commands.options import db_option, journal_option
from sotto_collector.store import Store, StoredToken, TokenTable
from sotto_collector.store.journaling import keep_journal
from sotto_collector.tokens import ROLES, create_token, has_ended, revoke_token, rotate_token

DAY_S = 86400


@click.group(epilog="Example:  sotto token create --db survey.db --role analyst")
def token() -> None:
    """Create, list and revoke access tokens."""


@token.command(epilog="Example:  sotto token create --db survey.db --role admin --label alice")
@db_option
@click.option(
    "--role",
    type=click.Choice(ROLES),
    required=True,
    help="admin runs surveys, analyst reads tallies and noisy reports, monitor the metrics; no default.",
)
@click.option("--label", default="", help="Whose it is, for `sotto token list`; empty by default.")
@click.option("--survey", help="Id of the one survey that it is for; all by default.")
@click.option("--days", type=click.IntRange(1, 3650), help="It ends after so many days; never by default.")
def create(db: str, role: str, label: str, survey: str | None, days: int | None) -> None:
    """Print a new token. It is shown this once; the database keeps its hash."""
    with closing(Store(db, create=False)) as store:
        life_s = None if days is None else days * DAY_S
        made = create_token(TokenTable(store), role, label, survey_id=survey, expires_in_s=life_s)
        if survey is not None and store.find_survey(survey) is None:
            click.echo(f"Warning: no survey has the id {survey} yet; the token is good once one has.", err=True)
        click.echo(made)


@token.command(epilog="Example:  sotto token rotate --db survey.db 3f9a1c20b7de --overlap-hours 24")
@db_option
@journal_option
@click.option(
    "--overlap-hours",
    type=click.IntRange(0, 87600),
    default=24,
    show_default=True,
    help="So long both are good, in hours.",
)
@click.argument("hash_prefix")
def rotate(db: str, journal: str, overlap_hours: int, hash_prefix: str) -> None:
    """Print a new token that allows what another does; the other ends after the overlap.

    HASH_PREFIX is how the other's hash begins (see `sotto token list`).
    """
    with closing(Store(db, create=False)) as store:
        keep_journal(store, journal)
        click.echo(rotate_token(TokenTable(store), hash_prefix, overlap_hours * 3600))


@token.command("list", epilog="Example:  sotto token list --db survey.db")
@db_option
def list_tokens(db: str) -> None:
    """List the tokens: the first digits of the hash, role, survey, end, label."""
    with closing(Store(db, create=False)) as store:
        for row in TokenTable(store).list():
            parts = [
                row.token_hash.hex()[:12],
                f"{row.role:<7}",
                row.survey_id or "all surveys",
                _say_end(row),
                row.label,
            ]
            click.echo("  ".join(parts).rstrip())


def _say_end(token: StoredToken) -> str:
    if token.expires_s is None:
        return "no end"
    day = datetime.fromtimestamp(token.expires_s, UTC).strftime("%Y-%m-%d %H:%M UTC")
    return f"ended {day}" if has_ended(token) else f"until {day}"


@token.command(epilog="Example:  sotto token revoke --db survey.db 3f9a1c20b7de")
@db_option
@journal_option
@click.argument("hash_prefix")
def revoke(db: str, journal: str, hash_prefix: str) -> None:
    """Forget the token whose hash begins with HASH_PREFIX (see `sotto token list`)."""
    with closing(Store(db, create=False)) as store:
        keep_journal(store, journal)
        row = revoke_token(TokenTable(store), hash_prefix)
    click.echo(f"revoked {row.token_hash.hex()[:12]}  {row.role}  {row.label}".rstrip())
