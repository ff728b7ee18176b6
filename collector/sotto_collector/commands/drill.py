"""`sotto drill`: prove that a backup can be restored, and leave nothing of the trial."""

import json
import sys
from contextlib import closing
from dataclasses import asdict
from pathlib import Path

import click

from sotto_collector.commands.ending import ending_tidily
from sotto_collector.commands.given_journals import read_given, say_unchained
from sotto_collector.commands.options import db_option, journal_option
from sotto_collector.daily_copies import newest_copy
from sotto_collector.store import Store
from sotto_collector.store.drill import Drilled, drill as drill_store
from sotto_protocol.tables import align
from sotto_protocol.words import counted, examples


@click.command(epilog=examples("sotto drill --db survey.db", "sotto drill --db survey.db --from backup.db"))
@db_option
@journal_option
@click.option(
    "--from", "backup", help="Backup to try, or a folder of daily backups to try the newest  [default: a new backup]."
)
@click.option("--json", "is_json", is_flag=True, help="Print JSON.")
def drill(db: str, journal: str, backup: str | None, is_json: bool) -> None:
    """Prove that a backup can be restored, on a scratch copy.

    Collectors may run. The trial uses a private folder in TMPDIR, which needs room for two copies of the database. The
    command ends with status 1 if the backup cannot be restored, or its tallies differ from its reports. After a
    successful drill the database notes the day. `sotto db status` and the metric sotto_drill_age_days show it.
    """
    if backup is not None and Path(backup).is_dir():
        backup = newest_copy(Path(backup))
    with ending_tidily(), closing(Store(db, create=False)) as store:
        done = drill_store(store, lambda: [read_given(Path(journal))] if journal else [], backup)
    click.echo(json.dumps(asdict(done), indent=2) if is_json else _say(done))
    sys.exit(1 if done.faults else 0)


def _say(done: Drilled) -> str:
    left = {survey.survey: survey.n_reports for survey in done.restored.surveys}
    of = f"backup {done.backup}" if done.backup else "a backup made now"
    day = f", of {done.restored.backup_day}" if done.backup and done.restored.backup_day else ""
    lines = [f"{of}{day}: {'NOT restored as it was' if done.faults else 'can be restored'}"]
    acts = done.restored.acts
    lines += [f"journal {path}, acts done again or known: {n_acts:,}" for path, n_acts in acts.items()]
    rows = [
        (survey, f"{n:,}", f"{left.get(survey, 0):,}", "DIFFERS" if survey in done.faults else "as it must be")
        for survey, n in done.n_reports.items()
    ]
    if rows:
        lines.append(align([("survey", "in the backup", "restored", "tally"), *rows]))
    lines += [
        f"The journal {journal} was not given. A restore needs it, to do {counted(n, 'act')} again."
        if (n := done.restored.known_acts.get(journal))
        else f"The journal {journal} was not given. A restore needs it."
        for journal in done.restored.missing
    ]
    return "\n".join([*lines, *say_unchained(done.restored.unchained)])
