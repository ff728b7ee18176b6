"""`sotto token`: make, list and revoke tokens, on the machine that has the database."""

from contextlib import closing
from datetime import UTC, datetime

import click

from sotto_collector.commands.options import db_option, journal_option
from sotto_collector.store import Store, StoredToken, TokenTable
from sotto_collector.store.journaling import keep_journal
from sotto_collector.tokens import ONE_SURVEY_ONLY, ROLES, create_token, has_ended, revoke_token, rotate_token
from sotto_protocol.words import examples

DAY_S = 86400


@click.group(epilog=examples("sotto token create --db survey.db --role analyst", "sotto token list --db survey.db"))
def token() -> None:
    """Create, list and revoke access tokens."""


@token.command(
    epilog=examples(
        "sotto token create --db survey.db --role admin --label alice",
        "sotto token create --db survey.db --role analyst --survey my-survey --days 30",
    )
)
@db_option
@click.option(
    "--role",
    type=click.Choice([role for role in ROLES if role not in ONE_SURVEY_ONLY]),
    required=True,
    help="admin runs surveys. analyst reads tallies, and noisy reports if the survey has no min_reports. monitor reads "
    "metrics. For a reader's link, use `sotto share`.",
)
@click.option("--label", default="", help="Whose token it is, for sotto token list  [default: empty].")
@click.option("--survey", help="Make it for the survey with this id alone  [default: all surveys].")
@click.option("--days", type=click.IntRange(1, 3650), help="Days after which it ends  [default: never].")
def create(db: str, role: str, label: str, survey: str | None, days: int | None) -> None:
    """Print a new token.

    It is shown only this once: the database keeps its hash.
    """
    with closing(Store(db, create=False)) as store:
        life_s = None if days is None else days * DAY_S
        made = create_token(TokenTable(store), role, label, survey_id=survey, expires_in_s=life_s)
        if survey is not None and store.find_survey(survey) is None:
            click.echo(f"Warning: there is no survey {survey} yet. The token works once you publish it.", err=True)
        click.echo(made)


@token.command(
    epilog=examples(
        "sotto token rotate --db survey.db 3f9a1c20b7de", "sotto token rotate --db survey.db 8d0c47e1 --overlap-hours 0"
    )
)
@db_option
@journal_option
@click.option(
    "--overlap-hours",
    type=click.IntRange(0, 87600),
    default=24,
    show_default=True,
    help="Hours for which both tokens work.",
)
@click.argument("hash_prefix")
def rotate(db: str, journal: str, overlap_hours: int, hash_prefix: str) -> None:
    """Print a new token in place of an old one, which ends after the overlap.

    The new token allows the same. HASH_PREFIX is the beginning of the old token's hash, as `sotto token list` shows it.
    """
    with closing(Store(db, create=False)) as store:
        keep_journal(store, journal)
        click.echo(rotate_token(TokenTable(store), hash_prefix, overlap_hours * 3600))


@token.command(
    "list",
    epilog=examples("sotto token list --db survey.db", "sotto token list --db postgresql://db.example.org/survey"),
)
@db_option
def list_tokens(db: str) -> None:
    """List the tokens.

    Each line has the first digits of the hash, the role, the survey, the end and the label.
    """
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


@token.command(
    epilog=examples("sotto token revoke --db survey.db 3f9a1c20b7de", "sotto token revoke --db survey.db 8d0c47e1")
)
@db_option
@journal_option
@click.argument("hash_prefix")
def revoke(db: str, journal: str, hash_prefix: str) -> None:
    """Revoke a token.

    HASH_PREFIX is the beginning of its hash, as `sotto token list` shows it.
    """
    with closing(Store(db, create=False)) as store:
        keep_journal(store, journal)
        row = revoke_token(TokenTable(store), hash_prefix)
    click.echo(f"revoked {row.token_hash.hex()[:12]}  {row.role}  {row.label}".rstrip())
