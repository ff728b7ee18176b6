"""`sotto db status` says what a database is, of every schema, on either kind, and changes none of its bytes."""

import hashlib
import json
import os
import shutil
import sqlite3
import stat
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
import pytest
from alembic import command
from click.testing import CliRunner

from collecting import (
    INVITED,
    SMALL,
    count_here,
    execute,
    invite_reports,
    make_reports,
    publish_here,
    serve,
    wait_until,
)
from old_schemas import make_old
from sotto_client.cli import main
from sotto_collector.invitations import make_invitations
from sotto_collector.journal import read_journal
from sotto_collector.store import Store, StoredToken, TokenTable
from sotto_collector.store.about import note_backup
from sotto_collector.store.databases import locate
from sotto_collector.store.journaling import keep_journal
from sotto_collector.store.upgrade import HEAD, REVISIONS, _config, read_revision, stamp
from sotto_collector.tokens import create_token

pytestmark = pytest.mark.later("postgres", "thorough")  # it reads as a restore does

DAY_S = 86400


def run(*arguments: object) -> tuple[int, str, str]:
    result = CliRunner().invoke(main, ["db", "status", *map(str, arguments)])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout, result.stderr


def read(db: str | Path) -> dict[str, Any]:
    code, out, err = run("--db", db, "--json")
    assert (code, err) == (0, "")
    document: dict[str, Any] = json.loads(out)
    return document


def fill(db: str | Path) -> None:
    """Publish a survey that has 1,200 reports, one that is closed, one that is over, an invited one, and a draft."""
    with closing(Store(db)) as store:
        count_here(store, publish_here(store), make_reports(1200))
        store.close_survey(publish_here(store, SMALL).key)
        publish_here(store, replace(SMALL, id="past", closes="2020-01-31"))
        store.put_draft(replace(SMALL, id="planned"))
        invited = publish_here(store, INVITED)
        count_here(store, invited, invite_reports(store, invited, make_reports(3, INVITED)))
        make_invitations(store, invited, 4)


def test_surveys_tokens_and_what_waits_are_listed(db: str) -> None:
    fill(db)
    with closing(Store(db)) as store:
        tokens, now = TokenTable(store), int(time.time())
        create_token(tokens, "admin")
        for days in (3.5, 30, -1):
            tokens.add(StoredToken(os.urandom(32), "analyst", "", None, now + int(days * DAY_S)))
    said = read(db)
    assert (said["schema"], said["known_schema"], said["is"]) == (HEAD, HEAD, "this")
    assert said["tokens"] == {"never": 1, "later": 1, "soon": 1, "over": 1, "next_ends_in_days": 3}
    assert said["inbox"] == {"n_reports": 1203, "is_emptied_at": 50_000}
    assert (said["last_backup_day"], said["backup_age_days"], said["n_restores"]) == (None, None, 0)
    rows = [[*survey.values()] for survey in said["surveys"]]
    assert rows == [
        ["habits", "open", 1200, 1200, 0],
        ["invited", "open", 3, 3, 4],
        ["past", "closed", 0, 0, 0],
        ["planned", "draft", 0, 0, 0],
        ["small", "closed", 0, 0, 0],
    ]


def test_table_lines_up_and_says_the_same(db: str) -> None:
    fill(db)
    code, out, err = run("--db", db)
    assert (code, err) == (0, "")
    above, table = out.split("\n\n")
    lines = dict(line.split("  ", 1) for line in above.splitlines())
    said = {name: text.strip() for name, text in lines.items()}
    assert said["schema"] == f"{HEAD}, that of this version"
    assert said["last backup"] == "none known"
    assert said["tokens"] == "0, of which 0 end within 14 days; 0 more have ended"
    assert said["waiting"] == (
        "1,203 reports in the inbox; all are counted. A collector moves them to the other reports within seconds, "
        "or in a large store once there are 50,000"
    )
    assert said["log"].endswith("MiB") != db.startswith("postgresql:")
    assert table.splitlines()[:3] == [
        "survey   state   reports  waiting  invitations left",
        "habits   open      1,200    1,200                 0",
        "invited  open          3        3                 4",
    ]


def test_backup_and_restores_are_said(db: str) -> None:
    today = time.strftime("%Y-%m-%d", time.gmtime())
    with closing(Store(db)) as store:
        execute(store, "UPDATE store SET n_restores = 2, last_backup_day = '2026-01-31'")
    assert read(db)["n_restores"] == 2
    assert "last backup  2026-01-31, " in run("--db", db)[1]
    with closing(Store(db)) as store:
        note_backup(store, today)
    assert read(db)["backup_age_days"] in (0, 1)  # 1: midnight went by
    assert "2026" not in run("--db", db)[1].replace(today, "")


def test_journals_and_how_many_acts_they_have_are_said(db: str, tmp_path: Path) -> None:
    with closing(Store(db)) as store:
        keep_journal(store, str(tmp_path / "acts"))
        stored, reports = publish_here(store, SMALL), make_reports(2, SMALL)
        count_here(store, stored, reports)
        assert store.erase_report(stored, reports[0].id)
        head = read_journal(tmp_path / "acts").head
        assert read(db)["journals"] == [{"id": head.journal, "n_acts": 1}]
        assert f"\njournal      {head.journal}, 1 act\n" in run("--db", db)[1]
        execute(store, "UPDATE journals SET n_acts = NULL")
    assert "acts unknown: an earlier sottovoce did not count them" in run("--db", db)[1]


def test_backup_is_known_of_in_the_store_and_in_the_copy(db: str, tmp_path: Path) -> None:
    copy = tmp_path / "backup.db"
    assert CliRunner().invoke(main, ["backup", "--db", db, "--to", str(copy)]).exit_code == 0
    assert read(db)["backup_age_days"] in (0, 1)
    assert read(copy)["backup_age_days"] in (0, 1)
    again = CliRunner().invoke(main, ["backup", "--db", db, "--to", str(copy)])
    assert again.exit_code == 1


def test_backup_that_fails_is_none(db: str, tmp_path: Path) -> None:
    (tmp_path / "backup.db").write_text("taken")
    assert CliRunner().invoke(main, ["backup", "--db", db, "--to", str(tmp_path / "backup.db")]).exit_code == 1
    assert read(db)["last_backup_day"] is None


@pytest.mark.parametrize("number", [1, 2])
def test_first_schemas_are_shown_and_said_to_need_an_upgrade(empty_db: str, number: int) -> None:
    make_old(empty_db, number, {"habits": make_reports(70), "small": make_reports(30, SMALL)})
    said = read(empty_db)
    assert (said["schema"], said["is"], said["inbox"]["n_reports"]) == (f"{number:04}", "older", 0)
    assert [[*survey.values()] for survey in said["surveys"]] == [
        ["habits", "open", 70, 0, 0],
        ["small", "closed", 30, 0, 0],
    ]
    assert said["tokens"]["never"] == 1
    assert f"{number:04}, older than {HEAD} of this version: run sotto db upgrade" in run("--db", empty_db)[1]


@pytest.mark.later("postgres", "rare")
@pytest.mark.thorough
def test_every_released_schema_is_shown(empty_db: str) -> None:
    make_old(empty_db, 1, {"habits": make_reports(2), "small": make_reports(1, SMALL)})
    for revision in REVISIONS[1:]:
        dialect = locate(empty_db).open(create=False)
        with dialect.write_engine.begin() as connection:
            if read_revision(connection) is None:
                stamp(connection, REVISIONS[0])
            command.upgrade(_config(connection), revision)
        dialect.close()
        said = read(empty_db)
        assert (said["schema"], said["is"]) == (revision, "this" if revision == HEAD else "older")
        assert [(survey["id"], survey["state"]) for survey in said["surveys"]] == [
            ("habits", "open"),
            ("small", "closed"),
        ]


def test_newer_schema_is_said_to_be_one_and_nothing_of_it_is_read(db: str) -> None:
    with closing(Store(db)) as store:
        execute(store, "ALTER TABLE surveys RENAME TO questionnaires")
        execute(store, "UPDATE alembic_version SET version_num = '9999'")
    said = read(db)
    assert (said["schema"], said["is"], "surveys" in said) == ("9999", "newer", False)
    assert said["bytes"]["database"] > 0
    assert "9999, of a newer sottovoce: this version knows" in run("--db", db)[1]


def test_nothing_is_written_beside_a_file_nor_into_it(tmp_path: Path) -> None:
    """Not even by who may write: a log that another user left there would keep the collector from starting."""
    folder = tmp_path / "kept"
    folder.mkdir()
    fill(folder / "survey.db")
    before = digest(folder)
    for path in (folder, folder / "survey.db"):
        path.chmod(path.stat().st_mode & ~stat.S_IWUSR)
    read(folder / "survey.db")
    assert digest(folder) == before
    folder.chmod(0o700)


def test_log_that_a_killed_collector_left_is_read_and_stays_as_it_is(tmp_path: Path) -> None:
    with serve(tmp_path / "survey.db") as served:
        assert served.send(make_reports(7))[0] == 200
        served.kill()
    before = digest(tmp_path)
    assert "survey.db-wal" in before
    assert [survey["n_reports"] for survey in read(tmp_path / "survey.db")["surveys"]] == [7]
    assert {name: found for name, found in digest(tmp_path).items() if "shm" not in name} == {
        name: found for name, found in before.items() if "shm" not in name
    }


def digest(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}


@pytest.mark.later("postgres", "rare")
@pytest.mark.thorough
def test_it_may_be_asked_while_a_collector_runs_and_sees_what_was_committed(db: str) -> None:
    with serve(db) as served:
        for n_sent in (5, 10, 15):
            assert served.send(make_reports(5))[0] == 200
            assert [survey["n_reports"] for survey in read(db)["surveys"]] == [n_sent]
        wait_until(lambda: served.ask("GET", "/healthz")[0] == 200)
        assert served.stop() == (0, "", "")


def test_what_is_no_database_of_ours_is_refused(tmp_path: Path) -> None:
    foreign, text = tmp_path / "foreign.db", tmp_path / "text.db"
    with closing(sqlite3.connect(foreign)) as raw:
        raw.execute("CREATE TABLE surveys (survey_key INTEGER)")
        raw.commit()
    text.write_text("these are no pages " * 1000)
    for path, word in (
        (foreign, "another program's"),
        (text, "cannot be read: file is not a database"),
        (tmp_path / "none.db", "there is none"),
        ("mysql://host/name", "it begins otherwise"),
        ("", "it is empty"),
    ):
        code, out, err = run("--db", path)
        assert (code, out, err.count("\n")) == (1, "", 1)
        assert word in err
    assert not (tmp_path / "none.db").exists()


def test_empty_and_foreign_servers_are_refused(postgres_empty: str) -> None:
    assert "there is none" in run("--db", postgres_empty)[2]
    with psycopg.connect(postgres_empty) as raw:
        raw.execute("CREATE TABLE surveys (survey_key int)")
    assert "another program's" in run("--db", postgres_empty)[2]


def test_damaged_file_is_one_line(tmp_path: Path) -> None:
    fill(tmp_path / "survey.db")
    cut = shutil.copy(tmp_path / "survey.db", tmp_path / "cut.db")
    os.truncate(cut, 4096 * 3)
    code, out, err = run("--db", cut)
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert "cannot be read" in err
