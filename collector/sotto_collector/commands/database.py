"""`sotto db`, `recount`, `backup`: what is done to a database, on a machine that reaches it."""

import sys
from contextlib import closing
from pathlib import Path

import click

from sotto_collector.commands.db_restore import restore
from sotto_collector.commands.db_status import db_status
from sotto_collector.commands.options import db_option
from sotto_collector.daily_copies import DailyCopies
from sotto_collector.errors import StoreError
from sotto_collector.store import Store, StoredSurvey, TokenTable
from sotto_collector.store.about import note_backup
from sotto_collector.store.backup import back_up
from sotto_collector.store.databases import locate
from sotto_collector.store.journaling import keep_journal
from sotto_collector.store.recount import Difference, recount_survey
from sotto_collector.tokens import create_token
from sotto_protocol.words import counted


@click.group("db", epilog="Example:  sotto db init --db survey.db")
def db_group() -> None:
    """Create the database of a collector, and look after it."""


db_group.add_command(restore)
db_group.add_command(db_status)


@db_group.command(epilog="Example:  sotto db init --db new.db")
@db_option
def init(db: str) -> None:
    """Make a database, and print the token of its first admin.

    A file that is not there yet, or what a PostgreSQL's empty database needs. A database that is there already stays as
    it is, and is an error. The token is shown this once; the database keeps its hash.
    """
    with closing(Store(db)) as store:
        if not store.is_new:
            raise StoreError(f"db ({store.dialect.name}) must be a new database; there is one already.")
        click.echo(create_token(TokenTable(store), "admin", "first"))


@db_group.command(epilog="Example:  sotto db upgrade --db survey.db")
@db_option
def upgrade(db: str) -> None:
    """Bring a database of an earlier sottovoce to the schema of this one.

    All of it or nothing, in one transaction; stop the collectors of the earlier version first. A database that has the
    schema already stays as it is. Another upgrade of it is waited for.
    """
    before, after = locate(db).upgrade()
    click.echo(f"schema {after}" if before == after else f"schema {before} -> {after}")


@db_group.command(epilog="Example:  sotto db journal second.journal --db new.db")
@db_option
@click.argument("file")
def journal(db: str, file: str) -> None:
    """Begin a further journal of a database, in the new FILE: a second collector's, or where the old one is lost.

    A collector begins the first one by itself. From then on `sotto db restore` wants all of them.
    """
    if Path(file).exists():
        raise StoreError(f"journal ({file}) must be a new file; there is one already.")
    with closing(Store(db, create=False)) as store:
        keep_journal(store, file, begins=True)
    click.echo(f"{file}  begun")


@click.command(epilog="Example:  sotto recount --db survey.db")
@db_option
@click.option("--fix", is_flag=True, help="Write tallies that differ anew, from the reports; off by default.")
@click.argument("surveys", nargs=-1)
def recount(db: str, fix: bool, surveys: tuple[str, ...]) -> None:
    """Count the stored reports again, and compare them with the tallies.

    SURVEYS are ids; all by default. Says every wave, of every stratum, whose tally differs, and ends with status 1 if
    one does and was not fixed. The collector may run meanwhile; with --fix it waits while a survey is counted. Of a
    survey that keeps counts alone the ids of its reports are counted: nothing else is there, and nothing can be fixed.
    """
    with closing(Store(db, create=False)) as store:
        known = {stored.survey.id: stored for stored in store.list_surveys()}
        if missing := [survey for survey in surveys if survey not in known]:
            raise StoreError(f"db ({store.dialect.name}) has no survey {missing[0]}.")
        differences: list[Difference] = []
        for survey_id in surveys or sorted(known):
            found = recount_survey(store, known[survey_id], fix=fix)
            differences += found
            click.echo(_describe(known[survey_id], found, store.count_tallied(known[survey_id].key), fix=fix))
    if any(not (fix and found.can_be_fixed) for found in differences):
        sys.exit(1)


def _describe(stored: StoredSurvey, differences: list[Difference], n_reports: int, *, fix: bool) -> str:
    survey_id = stored.survey.id
    if not stored.has_reports:
        differ = "".join(f"; there are {found.n_stored:,}" for found in differences)
        kept = (
            "its reports were erased: only their number" if stored.is_erased else "keeps counts alone: only their ids"
        )
        return f"{survey_id}  {counted(n_reports, 'report')}  {kept} can be recounted{differ}"
    if not differences:
        return f"{survey_id}  {counted(n_reports, 'report')}  tally = recount"
    return "\n".join(
        f"{survey_id}  {stored.survey.say_cell(found.cell or 1)}  tally of {counted(found.n_tallied, 'report')}, "
        f"{found.n_stored:,} stored, {found.n_counts} counts differ" + ("; written anew" if fix else "")
        for found in differences
    )


@click.command(epilog="Example:  sotto backup --db survey.db --to backup.db")
@db_option
@click.option("--to", "target", required=True, help="New file, or postgresql://.. without a store; no default.")
@click.option(
    "--keep", type=click.IntRange(1), help="Copies that stay in the folder --to, one of each day; off by default."
)
def backup(db: str, target: str, keep: int | None) -> None:
    """Copy the database while the collector runs.

    The copy is a database of its own: after a loss `sotto db restore` makes it the collector's. From SQLite to
    PostgreSQL and back it works too. It holds no order of arrival and nothing that was deleted. Both keep the day on
    which it was made. Beside a file is its SHA-256, in NAME.sha256, which restore checks.
    """
    daily = None if keep is None else DailyCopies(Path(target), keep)
    with closing(Store(db, create=False)) as store:
        day = store.today()
        place = daily.place(day) if daily else target
        told = _progress if sys.stderr.isatty() else lambda _: None
        n_rows = back_up(store, place, day, told, replaces=daily is not None)
        note_backup(store, day)
    if daily:
        daily.forget_oldest(day)
    click.echo(f"{n_rows:,} rows copied")


def _progress(n_rows: int) -> None:
    click.echo(f"\r{n_rows:,} rows", nl=False, err=True)
