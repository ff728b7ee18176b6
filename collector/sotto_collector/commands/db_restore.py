"""`sotto db restore`: a backup becomes a collector's database again; what is then true is said."""

import json
import sys
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

import click

from sotto_collector.commands.ending import ending_tidily
from sotto_collector.commands.given_journals import read_given, say_unchained
from sotto_collector.commands.options import db_option
from sotto_collector.errors import CollectorError
from sotto_collector.journal import ErasedSurvey, count_acts
from sotto_collector.store.redo import Redone, SurveyRestored, Wishes
from sotto_collector.store.restore import restore_copy, restore_in_place
from sotto_protocol.tables import align
from sotto_protocol.words import counted

COLUMNS = ("survey", "state", "reports", "erased again", "invitations open", "next release")
MAX_RELEASED = 2**53 - 1


def _read_released(_: click.Context, __: click.Parameter, given: tuple[str, ...]) -> dict[str, int]:
    """Return how many reports analysts hold the counts of, by survey."""
    released: dict[str, int] = {}
    for text in given:
        survey, _equals, n_reports = text.partition("=")
        if not survey or not n_reports.isdecimal() or int(n_reports) > MAX_RELEASED or survey in released:
            raise click.BadParameter(f"{text!r} must be SURVEY=N, N reports, once a survey.")
        released[survey] = int(n_reports)
    return released


@click.command(epilog="Example:  sotto db restore --from backup.db --db restored.db")
@db_option
@click.option("--from", "backup", help="Backup, which stays as it is: a file, or postgresql://..; no default.")
@click.option("--in-place", is_flag=True, help="The database has been brought back by itself already; off by default.")
@click.option(
    "--journal",
    "journals",
    multiple=True,
    type=click.Path(path_type=Path, dir_okay=False),
    help="Journal of a collector of this database; once for each; none by default.",
)
@click.option(
    "--released",
    multiple=True,
    metavar="SURVEY=N",
    callback=_read_released,
    help="Where no journal tells: reports in the largest tally that analysts hold of a survey; none by default.",
)
@click.option(
    "--acts",
    "least_acts",
    type=click.IntRange(0),
    default=0,
    help="Acts that the journals must have in all, as sotto db status said last: fewer are refused; 0 by default.",
)
@click.option(
    "--keep",
    "kept",
    multiple=True,
    metavar="SURVEY",
    help="Survey that stays, though a journal says that it was erased whole; none by default.",
)
@click.option("--revoke-invitations", is_flag=True, help="Revoke the invitations that are open; off by default.")
@click.option("--yes", "is_sure", is_flag=True, help="Do not ask before surveys are erased whole; off by default.")
@click.option("--json", "is_json", is_flag=True, help="Print JSON; off by default.")
def restore(
    db: str,
    backup: str | None,
    in_place: bool,
    journals: tuple[Path, ...],
    released: dict[str, int],
    least_acts: int,
    kept: tuple[str, ...],
    revoke_invitations: bool,
    is_sure: bool,
    is_json: bool,
) -> None:
    """Make a database of a backup, and do again what the operator has done since.

    --db is a new file, or an empty PostgreSQL, where it is once it is whole. What the journals say was erased, closed
    or revoked is so again, and no release differs from what analysts hold by fewer reports than a survey promises.
    Reports that came after the backup are lost unless their devices send them again. Stop the collectors first.

    Where a journal says that a survey was erased whole, which the backup has, it asks before, unless --yes is given.
    """
    if in_place == (backup is not None):
        raise click.UsageError("Give either --from or --in-place.")
    read = [read_given(path) for path in journals]
    if (n_acts := count_acts(read)) < least_acts:
        raise CollectorError(f"--acts ({least_acts}): the journals have {n_acts}. Find newer copies of them.")
    erased = {act.survey for journal in read for act in journal.acts if isinstance(act, ErasedSurvey)}
    if unknown := {*kept} - erased:
        raise CollectorError(f"--keep {min(unknown)}: no journal says that this survey was erased.")
    wishes = Wishes(
        [journal.keeping(kept) for journal in read],
        released,
        revoke_invitations,
        (lambda _: None) if is_sure else _confirm,
    )
    with ending_tidily():
        if backup is None:
            redone = restore_in_place(db, wishes)
        else:
            redone = restore_copy(backup, db, wishes, _progress if sys.stderr.isatty() else lambda _: None)
    click.echo(json.dumps(asdict(redone), indent=2) if is_json else _say(redone))
    for line in _notes(redone, has_journals=bool(journals)):
        click.echo(line, err=True)


def _confirm(doomed: Mapping[str, int]) -> None:
    """Ask whether surveys shall be erased whole. Raises click.Abort, and CollectorError where nobody can be asked."""
    listed = [f"{survey} ({n_reports:,} reports)" for survey, n_reports in doomed.items()]
    if not (sys.stdin and sys.stdin.isatty()):
        raise CollectorError(
            f"--yes must be given to erase again what a journal says was erased whole: {', '.join(listed)}."
        )
    click.echo("\n".join(["A journal says that these were erased whole:", *listed]), err=True)
    click.confirm("Erase them again, and all their reports?", abort=True, err=True)


def _say(redone: Redone) -> str:
    of = f", a backup of {redone.backup_day}" if redone.backup_day else ""
    lines = [f"restored{of}; restore {redone.n_restores} of this database"]
    lines += [_say_journal(path, redone) for path in redone.acts]
    if redone.surveys:
        lines.append(align([COLUMNS, *map(_describe, redone.surveys)], n_left=2))
    lines += [f"{survey}  erased again" for survey in redone.erased]
    lines += [f"{survey}  erased again, as its day is past: {n:,} reports" for survey, n in redone.past.items()]
    lines += [f"{survey}  cannot be published again: give it a new id" for survey in redone.refused]
    if redone.n_tokens:
        lines.append(f"tokens revoked or ended again: {redone.n_tokens}")
    return "\n".join(lines)


def _say_journal(path: str, redone: Redone) -> str:
    known = redone.known_acts.get(path)
    beside = "" if known is None else f"; the backup has the first {known:,}"
    return f"journal {path}, acts read: {redone.acts[path]:,}{beside}"


def _describe(survey: SurveyRestored) -> tuple[str, ...]:
    below = survey.withheld_below
    return (
        survey.survey,
        survey.state,
        f"{survey.n_reports:,}",
        f"{survey.n_erased:,}",
        f"{survey.n_open:,}",
        "none until told" if below is None else f"from {below:,} reports" if below else "",
    )


def _notes(redone: Redone, *, has_journals: bool) -> list[str]:
    """Return what else is then true, a line each."""
    notes = [
        f"Journal {journal}{_at_least(redone.known_acts.get(journal))} is missing: what it says was erased, closed or "
        "revoked is as it was in the backup."
        for journal in redone.missing
    ]
    notes += say_unchained(redone.unchained)
    if redone.acts:
        notes.append(
            "Compare the number of acts with what sotto db status or the metric sotto_journal_acts said last: a "
            "journal with fewer is an old copy."
        )
    if not has_journals and not redone.missing:
        notes.append("No journal: what was erased, closed or revoked since the backup is as it was in it.")
    if any(survey.withheld_below is None for survey in redone.surveys):
        notes.append(
            "Nobody knows what analysts hold of a survey with min_reports: nothing more of it is released. Restore "
            "again with --released SURVEY=N, the reports in the largest tally that they hold."
        )
    notes += [
        f"The day of {survey} is past, but the clock may be wrong: {redone.doubt}. Its reports are left. The collector "
        "erases them once the clock is right, or after --clock-wait-s."
        for survey in redone.past_left
    ]
    if any(survey.n_open for survey in redone.surveys):
        notes.append("Invitations used since the backup are open again; --revoke-invitations revokes all.")
    notes.append("Reports that came since the backup are lost, unless their devices send them again.")
    return notes


def _at_least(n_acts: int | None) -> str:
    return "" if not n_acts else f", which has at least {counted(n_acts, 'act')},"


def _progress(n_rows: int) -> None:
    click.echo(f"\r{n_rows:,} rows", nl=False, err=True)
