"""Before a restore erases a survey whole, as its journal says, it asks: the act may have failed once it was written."""

import json
import os
import pty
import shutil
import subprocess
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

import starting
from collecting import SMALL, SOTTO, SURVEY, TIMEOUT_S, check_store, count_here, make_reports, publish_here, tally_of
from sotto_client.cli import main
from sotto_collector.journal import ErasedSurvey
from sotto_collector.store import Store
from sotto_collector.store.about import read_about
from sotto_collector.store.copy import copy_store
from sotto_collector.store.journaling import keep_journal

pytestmark = pytest.mark.later("postgres", "rare")  # who is asked what is the same

REPORTS = make_reports(20, SMALL)
FAILED = "small (20 reports)"


@pytest.fixture
def journal(store: Store, tmp_path: Path) -> Path:
    """A journal by which a survey was erased that is still there, as after a full disk; one more had come and gone."""
    keep_journal(store, str(tmp_path / "acts"))
    stored = publish_here(store, SMALL)
    count_here(store, stored, REPORTS)
    publish_here(store, SURVEY)
    copy_store(store, str(tmp_path / "backup.db"))
    later = publish_here(store, replace(SMALL, id="later"))
    store.close_survey(later.key)
    store.erase_survey(later.key)
    assert store.journal is not None
    store.journal.write(ErasedSurvey(survey="small", fingerprint=SMALL.fingerprint, key=stored.key))
    store.close()
    return tmp_path / "acts"


@pytest.fixture(params=["copy", "in place"])
def words(request: pytest.FixtureRequest, db: str, journal: Path, tmp_path: Path) -> list[str]:
    """What to restore, and with which journal."""
    if request.param == "in place":
        return ["--in-place", "--db", db, "--journal", str(journal)]
    new = str(request.getfixturevalue("postgres_empty")) if db.startswith("postgresql:") else str(tmp_path / "new.db")
    return ["--from", str(tmp_path / "backup.db"), "--db", new, "--journal", str(journal)]


def answer(words: list[str], answered: str) -> "subprocess.CompletedProcess[str]":
    """Restore at a terminal, where somebody answers."""
    ours, theirs = pty.openpty()
    try:
        os.write(ours, f"{answered}\n".encode())
        command = [SOTTO, "db", "restore", *words]
        return starting.run(command, stdin=theirs, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    finally:
        os.close(ours)
        os.close(theirs)


def assert_untouched(words: list[str], folder: Path, names: set[str]) -> None:
    """Hold that nothing was made, or, in place, that nothing was changed."""
    if words[0] == "--in-place":
        with closing(Store(words[2])) as store, store.reader() as connection:
            assert read_about(connection).n_restores == 0
            stored = store.find_survey("small")
            assert stored is not None
            assert store.read_tally(stored) == tally_of(SMALL, REPORTS)
    else:
        assert {path.name for path in folder.iterdir()} == names


def assert_erased(db: str) -> None:
    with closing(Store(db)) as store:
        assert store.find_survey("small") is None
        assert store.find_survey("habits") is not None
    check_store(db)


def test_survey_is_erased_whole_only_where_somebody_says_so(words: list[str], tmp_path: Path) -> None:
    names = {path.name for path in tmp_path.iterdir()}
    unasked = CliRunner().invoke(main, ["db", "restore", *words])
    said = (
        f"Error: A journal says that whole surveys were erased: {FAILED}. Give --yes to erase them again, or --keep to "
        "keep one.\n"
    )
    assert (unasked.exit_code, unasked.stdout, unasked.stderr) == (1, "", said)
    assert_untouched(words, tmp_path, names)
    refused = answer(words, "n")
    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr.startswith(f"A journal says that these surveys were erased:\n{FAILED}\nErase them again, ")
    assert "later" not in refused.stderr
    assert_untouched(words, tmp_path, names)
    agreed = answer([*words, "--revoke-invitations"], "y")
    assert agreed.returncode == 0, agreed.stderr
    assert "small  erased again" in agreed.stdout.splitlines()
    assert_erased(words[words.index("--db") + 1])


@pytest.mark.thorough
@pytest.mark.parametrize("words", ["copy"], indirect=True)
def test_nobody_is_asked_where_there_is_no_standard_input_at_all(words: list[str], tmp_path: Path) -> None:
    names = {path.name for path in tmp_path.iterdir()}
    closed = subprocess.run(
        ["/bin/sh", "-c", 'exec "$@" <&-', "sh", SOTTO, "db", "restore", *words],
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    assert (closed.returncode, closed.stdout) == (1, "")
    assert closed.stderr.endswith("Give --yes to erase them again, or --keep to keep one.\n")
    assert_untouched(words, tmp_path, names)


def test_yes_goes_on_without_a_question(words: list[str], journal: Path) -> None:
    result = CliRunner().invoke(main, ["db", "restore", *words, "--yes"])
    assert result.exit_code == 0, result.output
    assert "surveys were erased" not in result.stderr
    assert f"journal {journal}, acts read: 3" in result.stdout
    assert_erased(words[words.index("--db") + 1])


def test_survey_whose_erasure_failed_can_be_kept(words: list[str], journal: Path, tmp_path: Path) -> None:
    names = {path.name for path in tmp_path.iterdir()}
    other = CliRunner().invoke(main, ["db", "restore", *words, "--keep", "habits"])
    assert other.stderr == "Error: --keep habits: no journal says that this survey was erased.\n"
    assert_untouched(words, tmp_path, names)
    result = CliRunner().invoke(main, ["db", "restore", *words, "--keep", "small", "--acts", "3"])
    assert result.exit_code == 0, result.output
    assert f"journal {journal}, acts read: 3" in result.stdout
    with closing(Store(words[words.index("--db") + 1])) as store:
        assert store.read_tally(publish_here(store, SMALL)) == tally_of(SMALL, REPORTS)
    status = CliRunner().invoke(main, ["db", "status", "--db", words[words.index("--db") + 1], "--json"])
    assert json.loads(status.stdout)["last_restore"]["n_acts"] == 3  # also that which was passed over


def test_copies_of_one_journal_have_no_more_acts_than_it(words: list[str], journal: Path, tmp_path: Path) -> None:
    shutil.copy(journal, tmp_path / "copy")
    words = [*words, "--journal", str(tmp_path / "copy"), "--yes"]
    few = CliRunner().invoke(main, ["db", "restore", *words, "--acts", "4"])
    assert few.stderr == "Error: --acts (4): the journals have only 3 acts. Find newer copies of them.\n"
    assert CliRunner().invoke(main, ["db", "restore", *words, "--acts", "3"]).exit_code == 0
    status = CliRunner().invoke(main, ["db", "status", "--db", words[words.index("--db") + 1], "--json"])
    assert json.loads(status.stdout)["last_restore"]["n_acts"] == 3


def test_how_many_acts_each_journal_had_is_said(store: Store, tmp_path: Path) -> None:
    """One that is stale, or that was given by mistake, is seen."""
    keep_journal(store, str(tmp_path / "a"))
    stored = publish_here(store, SMALL)
    count_here(store, stored, REPORTS)
    copy_store(store, str(tmp_path / "backup.db"))
    for report in REPORTS[:2]:
        store.erase_report(stored, report.id)
    keep_journal(store, str(tmp_path / "b"), begins=True)
    words = ["--from", tmp_path / "backup.db", "--db", tmp_path / "new.db"]
    words += ["--journal", tmp_path / "a", "--journal", tmp_path / "b"]
    result = CliRunner().invoke(main, ["db", "restore", *map(str, words)])
    assert result.stdout.splitlines()[1:3] == [
        f"journal {tmp_path / 'a'}, acts read: 2; the backup has the first 0",
        f"journal {tmp_path / 'b'}, acts read: 0",
    ]
