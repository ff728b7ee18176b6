"""`sotto db`, `recount`, `backup`: what is done to a database, on a machine that reaches it."""

import sys
from contextlib import closing
from pathlib import Path

import click

from sotto_collector.commands.db_restore import restore
from sotto_collector.commands.db_status import db_status
from sotto_collector.commands.options import db_option
from sotto_collector.daily_copies import DailyCopies
from sotto_collector.errors import CollectorError, StoreError
from sotto_collector.store import Store, StoredSurvey, TokenTable
from sotto_collector.store.about import note_backup
from sotto_collector.store.backup import back_up
from sotto_collector.store.databases import locate
from sotto_collector.store.journaling import keep_journal
from sotto_collector.store.recount import Difference, recount_survey
from sotto_collector.store.retention import find_last_erasure
from sotto_collector.tokens import create_token
from sotto_protocol.file_endings import check_ending
from sotto_protocol.words import counted, examples


@click.group("db", epilog=examples("sotto db init --db survey.db", "sotto db status --db survey.db"))
def db_group() -> None:
    """Create the database of a collector, and look after it."""


db_group.add_command(restore)
db_group.add_command(db_status)


@db_group.command(epilog=examples("sotto db init --db new.db", "sotto db init --db postgresql://db.example.org/survey"))
@db_option
def init(db: str) -> None:
    """Make a database, and print the token of its first admin.

    --db is a new file, or an empty database of a PostgreSQL server. If there is a database already, it stays as it is
    and the command fails. The token is shown only this once: the database keeps its hash.
    """
    with closing(Store(db)) as store:
        if not store.is_new:
            raise StoreError(f"db ({store.dialect.name}) must be a new database; there is one already.")
        click.echo(create_token(TokenTable(store), "admin", "first"))


@db_group.command(
    epilog=examples("sotto db upgrade --db survey.db", "sotto db upgrade --db postgresql://db.example.org/survey")
)
@db_option
def upgrade(db: str) -> None:
    """Bring a database of an earlier sottovoce to the schema of this one.

    Stop the collectors of the earlier version first. The upgrade is one transaction: all of it happens, or nothing. A
    database that has the schema already stays as it is. If another upgrade is running, this one waits for it.
    """
    before, after = locate(db).upgrade()
    click.echo(f"schema {after}" if before == after else f"schema {before} -> {after}")


@db_group.command(
    epilog=examples(
        "sotto db journal second.journal --db new.db",
        "sotto db journal web2.journal --db postgresql://db.example.org/survey",
    )
)
@db_option
@click.argument("file")
def journal(db: str, file: str) -> None:
    """Begin one more journal of a database, in the new FILE.

    Use it for a second collector, or if you lost the old journal. A collector that runs with --journal begins the first
    one. From then on `sotto db restore` needs all of them.
    """
    if Path(file).exists():
        raise StoreError(f"FILE ({file}) must be a new file; there is one already.")
    with closing(Store(db, create=False)) as store:
        keep_journal(store, file, begins=True)
    click.echo(f"{file}  begun")


@click.command(epilog=examples("sotto recount --db survey.db", "sotto recount --db survey.db my-survey --fix"))
@db_option
@click.option("--fix", is_flag=True, help="Replace tallies that differ by those of the reports.")
@click.argument("surveys", nargs=-1)
def recount(db: str, fix: bool, surveys: tuple[str, ...]) -> None:
    """Count the stored reports again, and compare them with the tallies.

    SURVEYS are ids: without any, all surveys are counted. The command lists each wave, and each stratum, whose tally
    differs. It ends with status 1 if a difference was not fixed. The collector may run meanwhile. With --fix it waits
    while a survey is counted. If a survey keeps only counts, the command counts the ids of its reports, and can fix
    nothing.
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


@click.command(
    epilog=examples("sotto backup --db survey.db --to backup.db", "sotto backup --db survey.db --to copies --keep 7")
)
@db_option
@click.option("--to", "target", required=True, help="New file, or an empty database postgresql://..")
@click.option(
    "--keep",
    type=click.IntRange(1),
    help="Make --to a folder with one copy a day, and keep this many  [default: one file].",
)
def backup(db: str, target: str, keep: int | None) -> None:
    """Copy the database while the collector runs.

    On a promised day the reports of a survey are erased. With --keep the copies up to that day are deleted too, because
    they may hold these reports.

    The copy is a database too. After a loss, `sotto db restore` makes it the collector's database. You can also copy
    from SQLite to PostgreSQL and back. The copy has no order of arrival, and nothing that was deleted. The database and
    the copy note the day of the backup. Next to a file, NAME.sha256 has its SHA-256, which restore checks.
    """
    daily = None if keep is None else DailyCopies(Path(target), keep)
    check_ending("--to", None if daily else Path(target), ".db", error=CollectorError)
    with closing(Store(db, create=False)) as store:
        day = store.today()
        place = daily.place(day) if daily else target
        told = _progress if sys.stderr.isatty() else lambda _: None
        n_rows = back_up(store, place, day, told, replaces=daily is not None)
        note_backup(store, day)
        erased_on = find_last_erasure(store)
    n_past = daily.forget_oldest(day, erased_on) if daily else 0
    click.echo(f"{n_rows:,} rows copied")
    if n_past:
        click.echo(f"{n_past:,} older deleted: they may hold reports that were erased by {erased_on}")


def _progress(n_rows: int) -> None:
    click.echo(f"\r{n_rows:,} rows", nl=False, err=True)
