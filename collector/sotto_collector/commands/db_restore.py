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
from sotto_protocol.words import counted, examples

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


@click.command(
    epilog=examples(
        "sotto db restore --from backup.db --db restored.db", "sotto db restore --in-place --db restored.db"
    )
)
@db_option
@click.option("--from", "backup", help="Backup, a file or postgresql://.. which stays as it is  [default: none].")
@click.option("--in-place", is_flag=True, help="The database was brought back by other means: only do the rest.")
@click.option(
    "--journal",
    "journals",
    multiple=True,
    type=click.Path(path_type=Path, dir_okay=False),
    help="Journal of a collector of this database. Repeat it for each journal  [default: none].",
)
@click.option(
    "--released",
    multiple=True,
    metavar="SURVEY=N",
    callback=_read_released,
    help="If a journal is lost, the number of reports in the largest tally that analysts have  [default: none].",
)
@click.option(
    "--acts",
    "least_acts",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="Number of acts that sotto db status last showed, of all journals. Journals with fewer are refused.",
)
@click.option(
    "--keep",
    "kept",
    multiple=True,
    metavar="SURVEY",
    help="Keep this survey, although a journal says that it was erased  [default: none].",
)
@click.option("--revoke-invitations", is_flag=True, help="Revoke all open invitations.")
@click.option("--yes", "is_sure", is_flag=True, help="Do not ask before whole surveys are erased.")
@click.option("--json", "is_json", is_flag=True, help="Print JSON.")
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

    Stop the collectors first. --db is a new file, or an empty PostgreSQL database. It appears only once it is complete.
    What the journals say was erased, closed or revoked is erased, closed or revoked again. Compared with what analysts
    have, a later release of counts adds at least as many reports as the survey promises. Reports that came after the
    backup are lost, unless their devices send them again.

    A journal may say that a whole survey was erased which the backup still has. The command asks before it erases that
    survey again, unless you give --yes.
    """
    if in_place == (backup is not None):
        raise click.UsageError("Give either --from or --in-place.")
    read = [read_given(path) for path in journals]
    if (n_acts := count_acts(read)) < least_acts:
        raise CollectorError(f"--acts ({least_acts}): the journals have only {n_acts} acts. Find newer copies of them.")
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
            f"A journal says that whole surveys were erased: {', '.join(listed)}. Give --yes to erase them again, or "
            "--keep to keep one."
        )
    click.echo("\n".join(["A journal says that these surveys were erased:", *listed]), err=True)
    click.confirm("Erase them again, with all their reports?", abort=True, err=True)


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
        "none" if below is None else f"from {below:,} reports" if below else "",
    )


def _notes(redone: Redone, *, has_journals: bool) -> list[str]:
    """Return what else is then true, a line each."""
    notes = [
        f"Journal {journal}{_at_least(redone.known_acts.get(journal))} is missing. What it says was erased, closed or "
        "revoked is here again, as in the backup."
        for journal in redone.missing
    ]
    notes += say_unchained(redone.unchained)
    if redone.acts:
        notes.append(
            "Compare the number of acts with the last one of sotto db status, or of the metric sotto_journal_acts. A "
            "journal with fewer acts is an old copy."
        )
    if not has_journals and not redone.missing:
        notes.append("No journal was given. What was erased, closed or revoked since the backup is here again.")
    if any(survey.withheld_below is None for survey in redone.surveys):
        notes.append(
            "Nothing more is released of a survey with min_reports, because nobody knows what analysts have of it. "
            "Restore again with --released SURVEY=N, where N is the number of reports in their largest tally."
        )
    notes += [
        f"The day to erase the reports of {survey} is past, but the clock may be wrong: {redone.doubt}. The reports "
        "are still there. The collector erases them once the clock is right, or after --clock-wait-s."
        for survey in redone.past_left
    ]
    if any(survey.n_open for survey in redone.surveys):
        notes.append("Invitations that were used since the backup are open again. --revoke-invitations revokes all.")
    notes.append("Reports that came after the backup are lost, unless their devices send them again.")
    return notes


def _at_least(n_acts: int | None) -> str:
    return "" if not n_acts else f", which has at least {counted(n_acts, 'act')},"


def _progress(n_rows: int) -> None:
    click.echo(f"\r{n_rows:,} rows", nl=False, err=True)
