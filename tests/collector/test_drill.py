"""`sotto drill`: a backup is restored for trial; what is wrong is said, and nothing is left."""

import json
import os
import shutil
import tempfile
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from collecting import SMALL, SURVEY, count_here, execute, make_reports, publish_here
from old_journals import write_old_journal
from old_schemas import make_old
from sotto_client.cli import main
from sotto_collector.day import today_utc
from sotto_collector.journal import ClosedSurvey
from sotto_collector.store import Store, drill as module
from sotto_collector.store.about import read_about
from sotto_collector.store.journaling import keep_journal
from sotto_collector.store.redo import Redone, Wishes
from sotto_collector.store.restore import restore_copy

pytestmark = pytest.mark.later("postgres", "rare")  # a drill restores, as test_restore.py does

REPORTS = make_reports(30, SMALL)


@pytest.fixture(autouse=True)
def scratch(db: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where trials are made."""
    (tmp_path / "scratch").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "scratch"))
    return tmp_path / "scratch"


def run(*words: object) -> tuple[int, str, str]:
    done = CliRunner().invoke(main, ["drill", *map(str, words)])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exc_info
    return done.exit_code, done.stdout, done.stderr


def drill_day(db: str) -> str | None:
    return json.loads(CliRunner().invoke(main, ["db", "status", "--db", db, "--json"]).stdout)["last_drill_day"]  # type: ignore[no-any-return]


def back_up(db: str, to: Path) -> Path:
    assert CliRunner().invoke(main, ["backup", "--db", db, "--to", str(to)]).exit_code == 0
    return to


def test_backup_that_can_be_restored_is_said_to_be_and_nothing_is_left(
    store: Store, db: str, tmp_path: Path, scratch: Path
) -> None:
    journal = tmp_path / "acts"
    keep_journal(store, str(journal))
    stored = publish_here(store, SMALL)
    count_here(store, stored, REPORTS[:20])
    before = back_up(db, tmp_path / "before.db")
    count_here(store, stored, REPORTS[20:])
    assert store.erase_report(stored, REPORTS[0].id)
    assert drill_day(db) is None
    code, out, err = run("--db", db, "--journal", journal)
    assert (code, err) == (0, "")
    assert out.splitlines()[0] == "a backup made now: can be restored"
    assert out.splitlines()[-1].split() == ["small", "29", "29", "as", "it", "must", "be"]
    assert drill_day(db) == today_utc()
    code, out, _ = run("--db", db, "--journal", journal, "--from", before)
    assert (code, out.splitlines()[-1].split()[:3]) == (0, ["small", "20", "19"])  # one is erased again
    code, out, _ = run("--db", db, "--from", before, "--json")
    said = json.loads(out)
    assert (code, said["n_reports"], said["faults"], len(said["restored"]["missing"])) == (0, {"small": 20}, [], 1)
    assert [*scratch.iterdir()] == []


def test_backup_that_cannot_be_restored_is_an_error_and_no_drill(db: str, tmp_path: Path, scratch: Path) -> None:
    with closing(Store(db)) as store:
        count_here(store, publish_here(store, SMALL), REPORTS)
    flipped = back_up(db, tmp_path / "flipped.db")
    content = bytearray(flipped.read_bytes())
    content[-100] ^= 1
    flipped.write_bytes(content)
    wrong = back_up(db, tmp_path / "wrong.db")
    with closing(Store(wrong, create=False)) as copy:
        execute(copy, "UPDATE tallies SET n_reports = n_reports + 1")
    (tmp_path / "wrong.db.sha256").unlink()
    for bad, said in ((flipped, "must have the SHA-256"), (wrong, "differ"), (tmp_path / "none", "none")):
        code, _, err = run("--db", db, "--from", bad)
        assert (code, said in err, err.count("\n")) == (1, True, 1), err
    assert drill_day(db) is None
    assert [*scratch.iterdir()] == []


@pytest.mark.parametrize("with_journal", [False, True])
def test_backup_of_another_database_is_refused_and_no_drill(
    store: Store, db: str, tmp_path: Path, scratch: Path, with_journal: bool
) -> None:
    keep_journal(store, str(tmp_path / "acts"))
    count_here(store, publish_here(store, SMALL), REPORTS)
    with closing(Store(tmp_path / "other.db")) as other:
        publish_here(other, SMALL)
    theirs = back_up(str(tmp_path / "other.db"), tmp_path / "theirs.db")
    journal = ["--journal", tmp_path / "acts"] * with_journal
    code, out, err = run("--db", db, *journal, "--from", theirs)
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert f"backup ({theirs}) must be a backup of db (" in err
    assert "); it is another database's." in err
    assert drill_day(db) is None
    assert [*scratch.iterdir()] == []


def test_survey_that_is_restored_otherwise_is_named(store: Store, db: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The fault is any in what restores: none is known."""
    count_here(store, publish_here(store, SMALL), REPORTS)

    def lose_one(backup: str, target: str, wishes: Wishes) -> Redone:
        redone = restore_copy(backup, target, wishes)
        with closing(Store(target, create=False)) as restored:
            assert restored.erase_report(publish_here(restored, SMALL), REPORTS[3].id)
        return redone

    monkeypatch.setattr(module, "restore_copy", lose_one)
    code, out, _ = run("--db", db)
    assert code == 1
    assert out.splitlines()[0] == "a backup made now: NOT restored as it was"
    assert out.splitlines()[-1].split()[0::3] == ["small", "DIFFERS"]
    assert drill_day(db) is None


def test_the_newest_of_daily_copies_is_tried(db: str, tmp_path: Path) -> None:
    Store(db).close()
    with closing(Store(db)) as store:
        publish_here(store, SMALL)
    copies = tmp_path / "copies"
    copies.mkdir()
    code, _, err = run("--db", db, "--from", copies)
    assert (code, "must have a daily copy" in err) == (1, True)
    (copies / "2026-01-01.db").write_text("not a database")
    assert CliRunner().invoke(main, ["backup", "--db", db, "--to", str(copies), "--keep", "2"]).exit_code == 0
    code, out, _ = run("--db", db, "--from", copies)
    assert (code, out.splitlines()[0]) == (0, f"backup {copies / today_utc()}.db, of {today_utc()}: can be restored")


def test_backup_of_an_earlier_schema_is_tried(db: str, tmp_path: Path, scratch: Path) -> None:
    """As the last daily copy before an upgrade is; a restore upgrades it too."""
    Store(db).close()
    make_old(str(tmp_path / "old.db"), 2, {SURVEY.id: make_reports(5), SMALL.id: REPORTS})
    code, out, err = run("--db", db, "--from", tmp_path / "old.db")
    assert (code, err) == (0, "")
    assert out.splitlines()[-1].split()[:3] == ["small", "30", "30"]
    assert drill_day(db) == today_utc()
    assert [*scratch.iterdir()] == []


def test_journal_whose_lines_have_no_numbers_is_said_as_in_a_restore(store: Store, db: str, tmp_path: Path) -> None:
    stored, journal = publish_here(store, SMALL), tmp_path / "acts"
    with store.reader() as connection:
        identity = read_about(connection).identity
    write_old_journal(journal, identity, ClosedSurvey(survey=SMALL.id, fingerprint=SMALL.fingerprint, key=stored.key))
    said = f"Journal {journal}: an earlier sottovoce wrote 1 of its acts, without numbers. If one of these"
    code, out, _ = run("--db", db, "--journal", journal)
    assert (code, out.splitlines()[-1].startswith(said)) == (0, True)
    backup, new = back_up(db, tmp_path / "backup.db"), tmp_path / "new.db"
    asked = ["db", "restore", "--from", str(backup), "--db", str(new), "--journal", str(journal)]
    assert said in CliRunner().invoke(main, asked).stderr


def test_journal_that_is_no_file_is_not_waited_for(db: str, tmp_path: Path, scratch: Path) -> None:
    Store(db).close()
    os.mkfifo(tmp_path / "pipe")
    code, _, err = run("--db", db, "--journal", tmp_path / "pipe")
    assert (code, err) == (1, f"Error: journal ({tmp_path / 'pipe'}) must be a file; it is a pipe.\n")
    assert [*scratch.iterdir()] == []


def test_backup_that_is_tried_stays_as_it_is(tmp_path: Path) -> None:
    """Also that of a collector that was killed, which has a log: a checkpoint would change its sum."""
    live, copy = tmp_path / "live.db", tmp_path / "copy.db"
    with closing(Store(live)) as store:
        count_here(store, publish_here(store, SMALL), REPORTS)
        for suffix in ("", "-wal"):
            shutil.copy(f"{live}{suffix}", f"{copy}{suffix}")
    before = {path.name: path.read_bytes() for path in tmp_path.glob("copy.db*")}
    assert before["copy.db-wal"]
    code, out, _ = run("--db", live, "--from", copy)
    assert (code, out.splitlines()[-1].split()[:3]) == (0, ["small", "30", "30"])
    assert {path.name: path.read_bytes() for path in tmp_path.glob("copy.db*")} == before
