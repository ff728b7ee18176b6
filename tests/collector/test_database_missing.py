"""A database that is not there: made by `sotto db init` and `sotto serve --create`, and by nothing else."""

import signal
import subprocess
from contextlib import closing
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import starting
from collecting import SMALL, SOTTO, SURVEY, TIMEOUT_S, make_reports, publish_here, serve
from commands import LEAVES
from sotto_client.cli import main
from sotto_collector.app import create_app
from sotto_collector.errors import StoreError
from sotto_collector.settings import Settings
from sotto_collector.store import Store, TokenTable
from sotto_collector.tokens import find_token

pytestmark = pytest.mark.later("postgres", "thorough")  # test_store_postgres.py has its errors

MISSING = (
    "must be a collector's database; there is none. Make one with sotto db init or sotto serve --create, "
    "or from a backup with sotto db restore."
)
HASH = "3f9a1c20b7de"
ARGUMENTS = {  # of each command that opens a database
    "serve": ["--port", "0"],
    "token create": ["--role", "admin"],
    "token list": [],
    "token rotate": [HASH],
    "token revoke": [HASH],
    "recount": [],
    "backup": ["--to", "copy.db"],
    "drill": [],
    "db upgrade": [],
    "db status": [],
    "db journal": ["acts.journal"],
    "export": ["survey", "--to", "archive"],
    "intake": ["redis://127.0.0.1:1"],
    "gateway key new": [],
    "gateway key list": [],
    "gateway key erase": [],
}


def run(*arguments: object) -> tuple[int, str, str]:
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    return result.exit_code, result.stdout, result.stderr


def run_command(command: str, db: str) -> tuple[int, str, str]:
    where = [db] if command == "export" else ["--db", db]
    words = [*command.split(), *where, *ARGUMENTS[command]]
    if command != "serve":
        return run(*words)
    done = starting.run([SOTTO, *words], capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    return done.returncode, done.stdout, done.stderr


def n_tables(db: str) -> int:
    from sqlalchemy import inspect

    from sotto_collector.store.databases import locate

    dialect = locate(db).open()
    try:
        return len(inspect(dialect.read_engine).get_table_names())
    finally:
        dialect.close()


def test_the_commands_tried_here_are_all_that_open_a_database() -> None:
    with_db = {" ".join(path) for path, command in LEAVES if any(_is_db(option) for option in command.params)}
    assert with_db | {"export"} == {*ARGUMENTS, "db init", "db restore", "install"}  # these make one


def _is_db(option: click.Parameter) -> bool:
    return option.name == "db"


@pytest.mark.parametrize("command", ARGUMENTS)
@pytest.mark.parametrize("kind", ["no file", "empty file"])
def test_a_command_makes_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, kind: str) -> None:
    monkeypatch.chdir(tmp_path)
    if kind == "empty file":
        Path("typo.db").touch()
    assert run_command(command, "typo.db") == (1, "", f"Error: db (typo.db) {MISSING}\n")
    assert [(path.name, path.stat().st_size) for path in tmp_path.iterdir()] == [("typo.db", 0)] * (kind != "no file")


@pytest.mark.thorough
@pytest.mark.parametrize("command", ARGUMENTS)
def test_a_command_makes_no_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, postgres_empty: str, command: str
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = run_command(command, postgres_empty)
    assert (code, out, err.count("\n"), err.endswith(f"{MISSING}\n")) == (1, "", 1, True)
    assert n_tables(postgres_empty) == 0
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.rare)])
def test_a_collector_whose_disk_comes_late_does_not_begin_with_an_empty_one(tmp_path: Path, workers: int) -> None:
    """What it would have told the devices then would have cost their reports."""
    disk, place = tmp_path / "disk", tmp_path / "place"
    for folder in (disk, place):
        folder.mkdir()
    reports = make_reports(3)
    with serve(disk / "survey.db") as served:
        assert served.send(reports)[0] == 200
        assert served.stop()[0] == 0
    command = [SOTTO, "serve", "--db", place / "survey.db", "--port", "0", "--workers", str(workers)]
    done = starting.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", f"Error: db ({place / 'survey.db'}) {MISSING}\n")
    assert list(place.iterdir()) == []
    place.rmdir()
    disk.rename(place)  # there it is
    with serve(place / "survey.db") as served:
        assert served.send(reports)[2] == {"counted": 0, "duplicates": 3, "conflicting": 0}


def test_init_makes_a_database_and_prints_its_first_admin(empty_db: str) -> None:
    code, out, err = run("db", "init", "--db", empty_db)
    assert (code, err, out.count("\n"), out.startswith("sotto_admin_")) == (0, "", 1, True)
    with closing(Store(empty_db, create=False)) as store:
        tokens = TokenTable(store)
        assert [token.role for token in tokens.list()] == ["admin"]
        found = find_token(tokens, out.strip())
        assert found is not None
        assert (found.role, found.survey_id, found.expires_s) == ("admin", None, None)


def test_init_leaves_a_database_that_is_there_as_it_is(db: str) -> None:
    with closing(Store(db)) as store:
        publish_here(store, SMALL)
    code, out, err = run("db", "init", "--db", db)
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert err.endswith("must be a new database; there is one already.\n")
    with closing(Store(db)) as store:
        assert [stored.survey for stored in store.list_surveys()] == [SMALL]
        assert TokenTable(store).list() == []


def test_init_goes_on_where_it_was_cut_short(tmp_path: Path) -> None:
    db = tmp_path / "survey.db"
    db.touch()
    assert run("db", "init", "--db", db)[0] == 0
    assert run("db", "init", "--db", db)[0] == 1


def test_init_takes_no_file_of_another_program(tmp_path: Path) -> None:
    (tmp_path / "other.db").write_text("a letter to a friend, of many words" * 50)
    before = (tmp_path / "other.db").read_bytes()
    assert run("db", "init", "--db", tmp_path / "other.db")[:2] == (1, "")
    assert (tmp_path / "other.db").read_bytes() == before


@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.rare)])
def test_serving_makes_a_database_where_it_is_told_to_and_leaves_one_that_is_there(empty_db: str, workers: int) -> None:
    for is_new in (True, False):
        process = starting.Popen(
            [SOTTO, "serve", "--db", empty_db, "--port", "0", "--create", "--workers", str(workers)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None
        assert process.stdout.readline().startswith("sotto collector listening on ")
        assert run("token", "create", "--db", empty_db, "--role", "admin")[0] == 0
        if is_new:
            with closing(Store(empty_db, create=False)) as store:
                publish_here(store, SURVEY)
        process.send_signal(signal.SIGTERM)
        assert process.communicate(timeout=TIMEOUT_S) == ("", "")
        assert process.returncode == 0
    with closing(Store(empty_db, create=False)) as store:
        assert [stored.survey.id for stored in store.list_surveys()] == ["habits"]
        assert len(TokenTable(store).list()) == 2


def test_an_application_that_is_made_by_a_program_makes_no_database_either(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="there is none"):
        create_app(Settings(db=str(tmp_path / "survey.db")))
    assert list(tmp_path.iterdir()) == []
