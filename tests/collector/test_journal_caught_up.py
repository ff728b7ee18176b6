"""A journal that has more than the database: a backup that is served, a process that died before its commit."""

import logging
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from collecting import SMALL, SURVEY, count_here, make_reports, publish_here
from house import open_house
from sotto_collector.errors import JournalError, StoreUnavailableError, SurveyExistsError
from sotto_collector.journal import EndedToken, Journal, read_journal
from sotto_collector.store import Store, TokenTable
from sotto_collector.store.copy import copy_store
from sotto_collector.store.journaling import keep_journal
from sotto_collector.store.redo import Wishes
from sotto_collector.store.releases import read_released
from sotto_collector.store.restore import restore_copy, restore_in_place
from sotto_collector.tokens import create_token, hash_token

pytestmark = pytest.mark.later("postgres", "rare")  # acts are done again as requests do them

LEAST = replace(SMALL, id="least", min_reports=10)
REPORTS = make_reports(60, LEAST)


@pytest.fixture
def journal(tmp_path: Path) -> str:
    return str(tmp_path / "acts.journal")


@pytest.fixture
def live(store: Store, journal: str, tmp_path: Path) -> Store:
    """A store with 20 reports that analysts have counts of, a backup, and what was done since: 30, one erased."""
    keep_journal(store, journal)
    stored = publish_here(store, LEAST)
    count_here(store, stored, REPORTS[:20])
    assert read_released(store, stored).n_reports == 20
    leaving = create_token(TokenTable(store), "analyst", "leaving")
    copy_store(store, str(tmp_path / "backup.db"))
    count_here(store, stored, REPORTS[20:30])
    assert read_released(store, stored).n_reports == 30
    store.erase_report(stored, REPORTS[5].id)
    TokenTable(store).remove(hash_token(leaving))
    return store


def test_backup_that_is_served_as_it_is_does_again_what_its_journal_says(
    live: Store, journal: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Devices send nine reports again and a new one comes: no second release of 30 reports, one of them another."""
    with caplog.at_level(logging.WARNING), open_house(tmp_path / "backup.db", journal=journal) as house:
        assert "the journal had 3 more acts than the database" in caplog.text
        store, stored = house.collector.store, house.stored(LEAST)
        assert store.read_tally(stored).n_reports == 19
        assert [row.label for row in house.collector.tokens.list() if row.label == "leaving"] == []
        count_here(store, stored, REPORTS[20:29] + REPORTS[30:32])
        assert read_released(store, stored).n_reports == 20
        count_here(store, stored, REPORTS[32:43])
        assert read_released(store, stored).n_reports == 41
    caplog.clear()
    with caplog.at_level(logging.WARNING), open_house(tmp_path / "backup.db", journal=journal):
        assert "journal" not in caplog.text  # it is known by now


def test_act_whose_commit_was_cut_is_done_as_the_next_process_begins(
    store: Store, journal: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep_journal(store, journal)
    stored = publish_here(store, LEAST)
    count_here(store, stored, REPORTS[:20])

    class Died(Exception):  # noqa: N818
        pass

    def die(*_: object) -> None:
        raise Died

    with monkeypatch.context() as dying:
        dying.setattr("sotto_collector.store.transaction.know_reach", die)
        with pytest.raises(Died):
            store.erase_report(stored, REPORTS[0].id)
    assert store.read_tally(stored).n_reports == 20
    store.journal, before = None, store.journal
    assert before is not None
    before.close()
    assert keep_journal(store, journal) == 1
    assert store.read_tally(stored).n_reports == 19
    assert keep_journal(store, journal) == 0


def test_erasure_of_a_whole_survey_is_not_done_again_unasked(store: Store, journal: str, tmp_path: Path) -> None:
    keep_journal(store, journal)
    stored = publish_here(store, LEAST)
    count_here(store, stored, REPORTS[:20])
    copy_store(store, str(tmp_path / "backup.db"))
    store.close_survey(stored.key)
    store.erase_survey(stored.key)
    backup = str(tmp_path / "backup.db")
    with closing(Store(backup)) as served:
        with pytest.raises(JournalError, match=r"least was erased, but the database has it.*restore --in-place"):
            keep_journal(served, journal)
        assert served.read_tally(publish_here(served, LEAST)).n_reports == 20
    assert restore_in_place(backup, Wishes([read_journal(Path(journal))])).erased == ("least",)
    with closing(Store(backup)) as served:
        assert keep_journal(served, journal) == 0


def test_older_copy_of_a_journal_is_refused_and_so_is_one_with_other_lines(
    live: Store, journal: str, tmp_path: Path
) -> None:
    older = tmp_path / "older.journal"
    older.write_bytes(b"".join(Path(journal).read_bytes().splitlines(keepends=True)[:2]))
    with pytest.raises(
        JournalError,
        match=r"older copy: it has 1 act, and this database knows of \d\. Give the newest\. ",
    ):
        keep_journal(live, str(older))
    copy_store(live, str(tmp_path / "later.db"))
    n_acts, new = len(read_journal(Path(journal)).acts), str(tmp_path / "new.db")
    with pytest.raises(JournalError, match=rf"older copy: it has 1 act, and the backup knows of {n_acts}\.$"):
        restore_copy(str(tmp_path / "later.db"), new, Wishes([read_journal(older)]))
    identity = bytes.fromhex(read_journal(older).head.store)
    with closing(Journal(older, identity)) as went_on:
        for number in range(9):  # it was cut back, and written on
            went_on.write(EndedToken(hash=f"{number:064x}"))
    with pytest.raises(JournalError, match=rf"is not the one that the backup knows: its first {n_acts} acts differ"):
        restore_copy(str(tmp_path / "later.db"), new, Wishes([read_journal(older)]))
    with pytest.raises(JournalError, match="is not the one that this database knows"):
        keep_journal(live, str(older))
    redone = restore_copy(str(tmp_path / "later.db"), new, Wishes())
    assert redone.missing == (read_journal(older).head.journal,)
    assert redone.known_acts == {redone.missing[0]: n_acts}
    assert redone.surveys[0].withheld_below is None


def test_journal_that_is_cut_back_beneath_a_collector_takes_no_act(store: Store, journal: str) -> None:
    """It would be acknowledged, and no restore could tell that lines before it are gone."""
    keep_journal(store, journal)
    stored = publish_here(store, LEAST)
    count_here(store, stored, REPORTS[:20])
    assert store.erase_report(stored, REPORTS[0].id)
    lines = Path(journal).read_bytes().splitlines(keepends=True)
    with Path(journal).open("r+b") as file:
        file.truncate(len(lines[0]))
    with pytest.raises(StoreUnavailableError, match="lines of it are gone"):
        store.erase_report(stored, REPORTS[1].id)
    assert store.read_tally(stored).n_reports == 19


def test_act_of_who_writes_no_journal_is_refused_once_others_have_begun_one(
    store: Store, journal: str, db: str
) -> None:
    keep_journal(store, "")
    stored = publish_here(store, LEAST)
    count_here(store, stored, REPORTS[:20])
    with closing(Store(db)) as other:
        keep_journal(other, journal, begins=True)
    with pytest.raises(StoreUnavailableError, match="has a journal by now; restart with --journal"):
        read_released(store, stored)
    with pytest.raises(StoreUnavailableError, match="has a journal by now"):
        store.erase_report(stored, REPORTS[0].id)
    with pytest.raises(StoreUnavailableError, match="has a journal by now"):
        store.close_survey(stored.key)
    count_here(store, stored, REPORTS[20:25])  # respondents' reports go on
    assert (store.read_tally(stored).n_reports, read_journal(Path(journal)).acts) == (25, ())


def test_erased_survey_that_had_reports_is_not_published_again(store: Store) -> None:
    """Its devices could bring the reports back, and analysts could be given counts that differ by one."""
    tried = publish_here(store, SURVEY)
    store.close_survey(tried.key)
    store.erase_survey(tried.key)
    assert store.add_survey(SURVEY)  # nobody had answered
    stored = publish_here(store, LEAST)
    count_here(store, stored, REPORTS[:20])
    store.close_survey(stored.key)
    store.erase_survey(stored.key)
    with pytest.raises(SurveyExistsError, match=r"least was published before, and was then erased.*give it a new id"):
        store.add_survey(LEAST)
    assert store.add_survey(replace(LEAST, id="new"))


def test_draft_that_may_have_been_published_since_is_refused_where_no_journal_tells(
    store: Store, tmp_path: Path
) -> None:
    store.put_draft(LEAST)
    store.put_draft(SURVEY)
    copy_store(store, str(tmp_path / "backup.db"))
    redone = restore_copy(str(tmp_path / "backup.db"), str(tmp_path / "new.db"), Wishes())
    assert redone.refused == ("least",)
    with closing(Store(tmp_path / "new.db")) as restored:
        with pytest.raises(SurveyExistsError):
            restored.add_survey(LEAST)
        assert restored.add_survey(SURVEY)  # without min_reports nothing is promised of its releases


def test_what_is_told_later_goes_below_nothing_that_a_journal_says(live: Store, journal: str, tmp_path: Path) -> None:
    """Where another journal was missing, what one says of releases is kept beside that nobody knows all."""
    with closing(Store(tmp_path / "backup.db")) as backup:
        keep_journal(backup, str(tmp_path / "second.journal"), begins=True)
        copy_store(backup, str(tmp_path / "two.db"))
    read = [read_journal(Path(journal))]
    unknown = restore_copy(str(tmp_path / "two.db"), str(tmp_path / "unknown.db"), Wishes(read))
    assert unknown.surveys[0].withheld_below is None
    told = Wishes(read, {LEAST.id: 20})
    assert restore_in_place(str(tmp_path / "unknown.db"), told).surveys[0].withheld_below == 40
    with closing(Store(tmp_path / "unknown.db")) as restored:
        stored = publish_here(restored, LEAST)
        keep_journal(restored, journal)
        count_here(restored, stored, REPORTS[20:40])
        assert read_released(restored, stored).n_reports == 20  # one short of 40, as one is erased
        count_here(restored, stored, REPORTS[40:42])
        assert read_released(restored, stored).n_reports == 41
