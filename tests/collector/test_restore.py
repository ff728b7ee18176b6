"""Restore: what was done since a backup is done again, all or nothing, on either store; bad input is said."""

import json
import os
import re
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
import pytest
from click.testing import CliRunner, Result

from collecting import (
    COUNTED,
    INVITED,
    SMALL,
    SURVEY,
    check_store,
    count_here,
    execute,
    make_reports,
    publish_here,
    tally_of,
)
from house import open_house
from old_schemas import BEFORE_RESTORES, make_old
from postgres_server import database_of
from sotto_client.cli import main
from sotto_collector import clock
from sotto_collector.day import today_utc
from sotto_collector.errors import JournalError
from sotto_collector.intake.counting import Outcome
from sotto_collector.invitations import make_invitations, revoke_invitations
from sotto_collector.journal import read_journal
from sotto_collector.store import Store, TokenTable
from sotto_collector.store.about import read_about
from sotto_collector.store.copy import copy_store
from sotto_collector.store.journaling import keep_journal
from sotto_collector.store.retention import believe_day, read_seen
from sotto_collector.tokens import create_token, find_token, hash_token, revoke_token, rotate_token

pytestmark = pytest.mark.later("postgres", "thorough")  # a restore reads and writes both alike


def restore(*words: object) -> Result:
    return CliRunner().invoke(main, ["db", "restore", *map(str, words)])


def restored(*words: object) -> dict[str, Any]:
    result = restore(*words, "--json", "--yes")
    assert result.exit_code == 0, result.output
    document: dict[str, Any] = json.loads(result.stdout)
    return document


@pytest.fixture
def target(request: pytest.FixtureRequest, db: str, tmp_path: Path) -> str:
    """Where to restore to: of the kind that the store is."""
    return str(request.getfixturevalue("postgres_empty")) if db.startswith("postgresql:") else str(tmp_path / "new.db")


def test_what_was_done_since_is_done_again(store: Store, target: str, tmp_path: Path) -> None:
    journal, backup = tmp_path / "acts", tmp_path / "backup.db"
    keep_journal(store, str(journal))
    small, habits = publish_here(store, SMALL), publish_here(store, SURVEY)
    gone, invited = publish_here(store, replace(SMALL, id="gone")), publish_here(store, INVITED)
    before, after = make_reports(20, SMALL), make_reports(10, SMALL)
    count_here(store, small, before)
    codes = make_invitations(store, invited, 6)
    guests = [replace(report, invitation=code) for report, code in zip(make_reports(6, INVITED), codes, strict=True)]
    count_here(store, invited, guests[:1])
    table = TokenTable(store)
    leaked, old, _ = (create_token(table, "admin", label) for label in ("leaked", "old", "kept"))
    copy_store(store, str(backup))

    count_here(store, small, after)
    count_here(store, invited, guests[1:3])
    assert store.erase_report(small, before[0].id)
    assert store.erase_report(small, after[0].id)
    store.close_survey(habits.key)
    store.close_survey(gone.key)
    store.erase_survey(gone.key)
    assert revoke_invitations(store, invited, codes[3:4]) == 1
    revoke_token(table, hash_token(leaked).hex()[:12])
    rotate_token(table, hash_token(old).hex()[:12], 0)

    content = backup.read_bytes()
    said = restored("--from", backup, "--db", target, "--journal", journal)
    assert backup.read_bytes() == content
    assert (said["erased"], said["n_tokens"], said["missing"], said["n_restores"]) == (["gone"], 2, [], 1)
    rows = {row["survey"]: (row["state"], row["n_reports"], row["n_erased"], row["n_open"]) for row in said["surveys"]}
    assert rows == {"habits": ("closed", 0, 0, 0), "invited": ("open", 1, 0, 4), "small": ("open", 19, 1, 0)}
    with closing(Store(target)) as again:
        with pytest.raises(JournalError, match="journal must be given"):
            keep_journal(again, "")
        now = publish_here(again, SMALL)
        assert again.read_tally(now) == tally_of(SMALL, before[1:])
        tokens = TokenTable(again)
        assert find_token(tokens, leaked) is None
        ends = {token.label: token.expires_s is not None for token in tokens.list()}
        assert (ends["old"], ends["kept"]) == (True, False)
        # Devices send again: each counts once, and what was erased does not come back.
        assert count_here(again, now, before + after) == [Outcome(9, 21, 0)]
        assert again.read_tally(now) == tally_of(SMALL, before[1:] + after[1:])
        welcome = publish_here(again, INVITED)
        assert count_here(again, welcome, guests[1:3]) == [Outcome(2, 0, 0)]
        assert not isinstance(count_here(again, welcome, guests[3:4])[0], Outcome)
        with again.reader() as connection, store.reader() as other:
            assert read_about(connection).identity == read_about(other).identity
            assert 0 < read_about(connection).restore_mark < 2**31
    check_store(target)


def test_restored_twice_from_one_backup_has_another_mark(store: Store, tmp_path: Path) -> None:
    copy_store(store, str(tmp_path / "backup.db"))
    marks = {0}
    for name in ("one.db", "two.db"):
        restored("--from", tmp_path / "backup.db", "--db", tmp_path / name)
        with open_house(tmp_path / name) as house:
            marks.add(int(house.http.get("/v1/surveys/habits").headers["Sottovoce-Restored"]))
    assert len(marks) == 3


def test_in_place_does_the_same_in_the_database_itself(store: Store, db: str, tmp_path: Path) -> None:
    journal = tmp_path / "acts"
    keep_journal(store, str(journal))
    stored, reports = publish_here(store, SMALL), make_reports(9, SMALL)
    count_here(store, stored, reports)
    token = create_token(TokenTable(store), "admin")
    revoke_token(TokenTable(store), hash_token(token).hex()[:9])
    create_token(TokenTable(store), "admin")
    store.close()
    said = restored("--in-place", "--db", db, "--journal", journal)
    assert (said["n_restores"], said["surveys"][0]["n_reports"]) == (1, 9)
    check_store(db)


@pytest.mark.parametrize("number", [1, 2])
def test_backup_of_an_earlier_schema_is_upgraded_in_the_copy(tmp_path: Path, number: int) -> None:
    old, reports = tmp_path / "old.db", {"habits": make_reports(30), "small": make_reports(5, SMALL)}
    make_old(str(old), number, reports)
    content = old.read_bytes()
    said = restored("--from", old, "--db", tmp_path / "new.db")
    assert [(row["survey"], row["n_reports"]) for row in said["surveys"]] == [("habits", 30), ("small", 5)]
    assert old.read_bytes() == content
    check_store(tmp_path / "new.db")


@pytest.mark.thorough
def test_postgresql_of_an_earlier_schema_is_refused_and_restored_from_an_upgraded_copy_of_it(
    postgres_empty: str, tmp_path: Path
) -> None:
    """docs/restore.md: createdb --template, sotto db upgrade, and the backup stays as it is."""
    with closing(Store(postgres_empty)) as store:
        count_here(store, publish_here(store, SMALL), make_reports(7, SMALL))
    with psycopg.connect(postgres_empty, autocommit=True) as connection:
        for statement in (*BEFORE_RESTORES, "UPDATE alembic_version SET version_num = '0008'"):
            connection.execute(statement.encode())
    target = tmp_path / "new.db"
    refused = restore("--from", postgres_empty, "--db", target)
    assert (refused.exit_code, refused.stdout, target.exists()) == (1, "", False)
    assert re.fullmatch(
        r"Error: backup \(postgresql:.*\) must have schema \d+, because it is in PostgreSQL; it has 0008. "
        r"Copy it \(createdb --template\), run sotto db upgrade on the copy, and restore from the copy\.\n",
        refused.stderr,
    )
    with database_of(postgres_empty, f"/{postgres_empty.rpartition('/')[2]}") as copy:
        assert CliRunner().invoke(main, ["db", "upgrade", "--db", copy]).exit_code == 0
        assert restored("--from", copy, "--db", target)["surveys"][0]["n_reports"] == 7
    assert "it has 0008" in restore("--from", postgres_empty, "--db", tmp_path / "again.db").stderr


def test_open_invitations_are_revoked_on_request(store: Store, tmp_path: Path) -> None:
    make_invitations(store, publish_here(store, INVITED), 5)
    copy_store(store, str(tmp_path / "b"))
    result = restore("--from", tmp_path / "b", "--db", tmp_path / "n")
    assert "open again. --revoke-invitations revokes all" in result.stderr
    said = restored("--from", tmp_path / "b", "--db", tmp_path / "m", "--revoke-invitations")
    assert said["surveys"][0]["n_open"] == 0


def make_bad(folder: Path) -> dict[str, Path]:
    """Return backups that are none: cut, of another program, of nobody, newer, with a damaged page, not there."""
    folder.mkdir()
    good = folder / "good.db"
    with closing(Store(good)) as store:
        count_here(store, publish_here(store), make_reports(3000))
    bad = {name: folder / f"{name}.db" for name in ("cut", "other", "text", "newer", "damaged", "empty", "missing")}
    content = good.read_bytes()
    bad["cut"].write_bytes(content[: len(content) // 2])
    at = len(content) // 8192 * 4096
    bad["damaged"].write_bytes(content[:at] + os.urandom(4096) + content[at + 4096 :])
    bad["text"].write_bytes(b"minutes of the meeting " * 500)
    bad["empty"].write_bytes(b"")
    with closing(sqlite3.connect(bad["other"])) as connection:
        connection.execute("CREATE TABLE recipes (name)")
    bad["newer"].write_bytes(content)
    with closing(Store(bad["newer"])) as store:
        execute(store, "UPDATE alembic_version SET version_num = '9999'")
    return bad


@pytest.mark.few(3)
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("cut", "malformed|damaged|shorter"),
        ("damaged", "malformed|damaged"),
        ("other", "must be a sottovoce database; it is another program's"),
        ("text", "file is not a database"),
        ("newer", "has 9999, which a newer sottovoce wrote"),
        ("empty", "there is none"),
        ("missing", "No such file"),
    ],
)
def test_bad_backup_is_refused_in_a_line_and_nothing_is_made(tmp_path: Path, name: str, said: str) -> None:
    bad = make_bad(tmp_path / "bad")
    content = bad[name].read_bytes() if bad[name].exists() else b""
    result = restore("--from", bad[name], "--db", tmp_path / "new.db")
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (1, "", 1)
    assert re.search(rf"backup \({re.escape(str(bad[name]))}\).*({said})", result.stderr), result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["bad"]
    assert not bad[name].exists() or bad[name].read_bytes() == content


def test_target_that_is_not_empty_is_refused(store: Store, target: str, tmp_path: Path) -> None:
    copy_store(store, str(tmp_path / "backup.db"))
    restored("--from", tmp_path / "backup.db", "--db", target)
    again = restore("--from", tmp_path / "backup.db", "--db", target)
    assert (again.exit_code, "must be a new" in again.stderr) == (1, True)
    check_store(target)


def test_bad_journal_is_refused_and_nothing_is_made(store: Store, tmp_path: Path) -> None:
    journal, backup, new = tmp_path / "acts", tmp_path / "backup.db", tmp_path / "new.db"
    keep_journal(store, str(journal))
    copy_store(store, str(backup))
    revoke_token(TokenTable(store), hash_token(create_token(TokenTable(store), "admin")).hex())
    content = journal.read_bytes()
    with closing(Store(tmp_path / "other.db")) as other:
        keep_journal(other, str(tmp_path / "others"))
    for bad, said in (
        (b"", "line 1: is damaged"),
        (content.replace(b"end-token", b"end-tokem"), "line 2: is damaged"),
        ((tmp_path / "others").read_bytes(), "it is of another collector's"),
    ):
        journal.write_bytes(bad)
        result = restore("--from", backup, "--db", new, "--journal", journal)
        assert (result.exit_code, said in result.stderr, result.stderr.count("\n")) == (1, True, 1), result.stderr
        assert not new.exists()
    missing = restore("--from", backup, "--db", new)
    assert re.search(r"Journal [0-9a-f]{32} is missing. What it says was erased", missing.stderr)


@pytest.mark.parametrize(
    "words",
    [(), ("--from", "b", "--in-place"), ("--from", "b", "--released", "x"), ("--from", "b", "--released", "x=-1")],
)
def test_wrong_usage_is_said(words: tuple[str, ...]) -> None:
    assert restore("--db", "x.db", *words).exit_code == 2


def test_records_of_an_erased_report_leave_no_byte(store: Store, tmp_path: Path) -> None:
    journal, backup = tmp_path / "acts", tmp_path / "backup.db"
    keep_journal(store, str(journal))
    stored, reports = publish_here(store, SURVEY), make_reports(40)
    count_here(store, stored, reports)
    copy_store(store, str(backup))
    assert store.erase_report(stored, reports[7].id)
    restored("--from", backup, "--db", tmp_path / "new.db", "--journal", journal)
    record = reports[7].record
    assert record in backup.read_bytes()
    assert record not in (tmp_path / "new.db").read_bytes()


def believe(store: Store, day: str) -> None:
    """Note a day as a collector does that looks at its clock."""
    today, store.today = store.today, lambda: day
    store.run(believe_day)
    store.today = today


def test_reports_whose_day_is_past_are_erased_before_anything_is_served(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """But where the host says that nothing keeps its clock: then the collector waits, and then erases them."""
    monkeypatch.setattr(clock, "is_synchronized", lambda: True)
    journal, backup = tmp_path / "acts", tmp_path / "backup.db"
    kept = replace(SMALL, id="kept", closes="2019-12-31", erase_after=30)
    store.today = lambda: "2019-12-31"
    keep_journal(store, str(journal))
    stored, reports = publish_here(store, kept), make_reports(12, kept)
    count_here(store, stored, reports[:9])
    believe(store, today_utc())
    copy_store(store, str(backup))
    count_here(store, stored, reports[9:])
    for gone in (reports[0], reports[10]):
        assert store.erase_report(stored, gone.id)
    said = restored("--from", backup, "--db", tmp_path / "new.db", "--journal", journal)
    assert said["past"] == {"kept": 8}
    with closing(Store(tmp_path / "new.db")) as again:
        assert not any(packed for _, packed in again.read_reports(publish_here(again, kept)))
        assert again.read_tally(publish_here(again, kept)) == tally_of(kept, reports[1:9])
    check_store(tmp_path / "new.db")
    shown = restore("--from", backup, "--db", tmp_path / "second.db", "--journal", journal)
    assert "kept  erased again, as its day is past: 8 reports" in shown.stdout.splitlines()
    monkeypatch.setattr(clock, "is_synchronized", lambda: False)
    left = restore("--from", backup, "--db", tmp_path / "third.db", "--journal", journal)
    assert (
        "The day to erase the reports of kept is past, but the clock may be wrong: the host says that its clock is not "
        "synchronized. The reports are still there." in left.stderr
    )
    with closing(Store(tmp_path / "third.db")) as again:
        assert sum(bool(packed) for _, packed in again.read_reports(publish_here(again, kept))) == 8


@pytest.mark.later("postgres", "rare")
@pytest.mark.parametrize("in_place", [True, False])
@pytest.mark.parametrize(
    ("last_day", "doubt"),
    [("2020-01-20", "the last known day is 2020-01-20, "), (None, "no earlier day is known")],
)
def test_clock_that_jumped_erases_nothing_in_a_restore(
    request: pytest.FixtureRequest,
    store: Store,
    db: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    in_place: bool,
    last_day: str | None,
    doubt: str,
) -> None:
    """Also where the host cannot be asked for its clock; the collector waits, and then erases."""
    monkeypatch.setattr(clock, "is_synchronized", lambda: None)
    kept = replace(SMALL, id="kept", closes="2019-12-31", erase_after=30)
    store.today = lambda: "2019-12-31"
    count_here(store, publish_here(store, kept), make_reports(9, kept))
    if last_day:
        believe(store, last_day)
    if in_place:
        new, words = db, ["--in-place"]
    else:
        copy_store(store, str(tmp_path / "backup.db"))
        new, words = request.getfixturevalue("target"), ["--from", str(tmp_path / "backup.db")]
    said = restored(*words, "--db", new)
    assert (said["past"], said["past_left"], doubt in said["doubt"]) == ({}, ["kept"], True)
    with closing(Store(new)) as again, again.reader() as connection:
        assert sum(bool(packed) for _, packed in again.read_reports(publish_here(again, kept))) == 9
        assert read_seen(connection).last_day == last_day


def test_counts_that_are_kept_alone_are_counted_on_once(store: Store, target: str, tmp_path: Path) -> None:
    stored, reports = publish_here(store, COUNTED), make_reports(30, COUNTED)
    count_here(store, stored, reports[:20])
    copy_store(store, str(tmp_path / "backup.db"))
    count_here(store, stored, reports[20:])
    said = restored("--from", tmp_path / "backup.db", "--db", target)
    assert said["surveys"][0]["n_reports"] == 20
    with closing(Store(target)) as again:
        assert count_here(again, publish_here(again, COUNTED), reports) == [Outcome(10, 20, 0)]
        assert again.read_tally(publish_here(again, COUNTED)) == tally_of(COUNTED, reports)
    check_store(target)


def test_every_collector_s_journal_is_done_again_and_one_that_began_too_late_is_not_enough(tmp_path: Path) -> None:
    db, least = tmp_path / "one.db", replace(SMALL, id="least", min_reports=3)
    reports, journals, backup = make_reports(9, least), [tmp_path / name for name in "abc"], tmp_path / "backup.db"
    with closing(Store(db)) as first, closing(Store(db)) as second, closing(Store(db)) as late:
        stored = publish_here(first, least)
        count_here(first, stored, reports)
        for opened, journal in zip((first, second), journals, strict=False):
            keep_journal(opened, str(journal), begins=True)
        copy_store(first, str(backup))
        keep_journal(late, str(journals[2]), begins=True)
        for opened, report in zip((first, second, late), reports, strict=False):
            assert opened.erase_report(stored, report.id)
    for given, n_reports, below in ((journals, 6, 0), (journals[:2], 7, 0), (journals[1:], 7, None), ([], 9, None)):
        words = [word for journal in given for word in ("--journal", journal)]
        new = tmp_path / f"{len(given)} {below}.db"
        said = restored("--from", backup, "--db", new, *words)
        row = said["surveys"][0]
        assert (row["n_reports"], row["n_erased"], row["withheld_below"]) == (n_reports, 9 - n_reports, below)
        assert len(said["missing"]) == len({*journals[:2]} - {*given})


def test_tokens_are_revoked_on_the_machine_with_the_journal_alone(db: str, tmp_path: Path) -> None:
    journal = tmp_path / "acts"
    with closing(Store(db)) as store:
        keep_journal(store, str(journal))
        prefixes = [hash_token(create_token(TokenTable(store), "admin")).hex()[:12] for _ in range(2)]
    for words in (["revoke", prefixes[0]], ["rotate", prefixes[1]]):
        command = ["token", words[0], "--db", db, *words[1:]]
        without = CliRunner().invoke(main, command)
        assert (without.exit_code, "journal must be given (--journal FILE)" in without.stderr) == (1, True)
        assert CliRunner().invoke(main, [*command, "--journal", str(journal)]).exit_code == 0
    assert [act.hash[:12] for act in read_journal(journal).acts] == prefixes  # type: ignore[attr-defined]
