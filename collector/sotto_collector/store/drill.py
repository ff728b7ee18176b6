"""A drill: a backup is restored into a scratch database, recounted and compared with the backup, and deleted again."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass

from sotto_collector.errors import StoreError
from sotto_collector.journal import ReadJournal
from sotto_collector.store.about import note_drill, read_about
from sotto_collector.store.backup import back_up
from sotto_collector.store.redo import Redone, Wishes
from sotto_collector.store.restore import copy_upgraded, restore_copy
from sotto_collector.store.store import Store
from sotto_collector.store.workplace import private_folder


@dataclass(frozen=True, slots=True)
class Drilled:
    """What a drill found.

    `n_reports`: in the backup, by survey; drafts are not there. `restored`: what is true of the scratch database.
    `faults`: the surveys whose tallies are not those of the backup less what the journals say was erased; empty: none.
    """

    backup: str | None
    n_reports: Mapping[str, int]
    restored: Redone
    faults: tuple[str, ...]


def drill(
    live: Store,
    read_journals: Callable[[], Sequence[ReadJournal]],
    backup: str | None = None,
    told: Callable[[int], None] = lambda _: None,
) -> Drilled:
    """Restore a backup of a store, one that is made now where none is named, and note the day where all is well.

    Collectors may run. All that it makes is in a private folder of TMPDIR, and gone at the end. `read_journals` is
    called once the backup is there. Raises StoreError where the backup cannot be restored, or is another store's.
    """
    with private_folder() as folder:
        copy, scratch = str(folder / "backup.db"), str(folder / "restored.db")
        if backup is None:
            back_up(live, copy, live.today(), told)
        else:  # it may be of an earlier schema, and it stays as it is
            _check_same(live, copy_upgraded(backup, copy), backup)
        redone = restore_copy(backup or copy, scratch, Wishes(read_journals()))
        with closing(Store(scratch, create=False)) as restored:
            counted, faults = _compare(copy, restored, redone)
    if not faults:
        note_drill(live, live.today())
    return Drilled(backup, counted, redone, faults)


def _check_same(live: Store, identity: bytes | None, backup: str) -> None:
    """Raise StoreError for a backup of another store; of one that has no identity yet nobody can say."""
    with live.reader() as connection:
        own = read_about(connection).identity
    if identity not in (None, own):
        raise StoreError(f"backup ({backup}) must be a backup of db ({live.dialect.name}); it is another database's.")


def _compare(copy: str, restored: Store, redone: Redone) -> tuple[dict[str, int], tuple[str, ...]]:
    """Return how many reports the copy has, by survey, and of which surveys the restored store counts other ones."""
    erased = {survey.survey: survey.n_erased for survey in redone.surveys}
    gone = {*redone.erased, *redone.past}
    counted, faults = {}, []
    with closing(Store(copy, create=False)) as source:
        for stored in source.list_surveys():
            survey_id, tally = stored.survey.id, source.read_tally(stored)
            if stored.is_draft:
                continue
            counted[survey_id] = tally.n_reports
            if survey_id in gone:
                continue
            again = restored.find_survey(survey_id)
            found = None if again is None else restored.read_tally(again)
            n_left = tally.n_reports - erased.get(survey_id, 0)
            is_same = found is not None and (found == tally if n_left == tally.n_reports else found.n_reports == n_left)
            if not is_same:
                faults.append(survey_id)
    return counted, tuple(faults)
