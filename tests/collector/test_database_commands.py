"""`sotto db upgrade`, `recount`, `backup`, on either database, and `token rotate`: what they say, and what they do."""

from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner
from sqlalchemy import text

from collecting import SMALL, SURVEY, check_store, count_here, make_reports, publish_here, serve, tally_of
from sotto_client.cli import main
from sotto_collector.store import Store, TokenTable
from sotto_collector.tokens import find_token, has_ended, hash_token

pytestmark = pytest.mark.later("postgres", "rare")  # the commands are the same


def run(*arguments: object) -> tuple[int, str, str]:
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    return result.exit_code, result.stdout, result.stderr


def fill(db: str) -> None:
    with closing(Store(db)) as store:
        for survey, n_reports in ((SURVEY, 1200), (SMALL, 30)):
            count_here(store, publish_here(store, survey), make_reports(n_reports, survey))


def spoil(db: str) -> None:
    with closing(Store(db)) as store, store.transaction() as transaction:
        transaction.connection.execute(text("UPDATE tallies SET n_reports = 7 WHERE n_reports = 1200"))


def test_recount_says_that_tallies_are_right(db: str) -> None:
    fill(db)
    said = "habits  1,200 reports  tally = recount\nsmall  30 reports  tally = recount\n"
    assert run("recount", "--db", db) == (0, said, "")
    assert run("recount", "--db", db, "--fix") == (0, said, "")
    assert run("recount", "--db", db, "small") == (0, "small  30 reports  tally = recount\n", "")


def test_recount_says_what_differs_and_repairs_it_when_told_to(db: str) -> None:
    fill(db)
    spoil(db)
    code, out, err = run("recount", "--db", db)
    assert (code, err) == (1, "")
    assert out.splitlines()[0] == "habits  wave 1  tally of 7 reports, 1,200 stored, 0 counts differ"
    assert out.splitlines()[1] == "small  30 reports  tally = recount"
    assert run("recount", "--db", db, "small")[0] == 0
    code, out, _ = run("recount", "--db", db, "--fix")
    assert (code, out.splitlines()[0].endswith("; written anew")) == (0, True)
    assert run("recount", "--db", db)[0] == 0
    check_store(db)


def test_recount_of_an_unknown_survey_is_one_line_and_exit_code_1(db: str) -> None:
    fill(db)
    code, out, err = run("recount", "--db", db, "nobody")
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert err.endswith("has no survey nobody.\n")


def test_database_is_copied_while_a_collector_runs(tmp_path: Path) -> None:
    reports = make_reports(50)
    target = tmp_path / "backup.db"
    with serve(tmp_path / "survey.db") as served:
        assert served.send(reports)[0] == 200
        code, out, err = run("backup", "--db", served.db, "--to", target)
        assert (code, err) == (0, "")
        assert out.endswith(" rows copied\n")
        assert served.send(make_reports(5))[0] == 200
    with closing(Store(target)) as store:
        assert store.read_tally(publish_here(store)) == tally_of(SURVEY, reports)
    check_store(target)
    code, out, err = run("backup", "--db", tmp_path / "survey.db", "--to", target)
    assert (code, out) == (1, "")
    assert err == f"Error: the copy ({target}) must be a new file; there is one already.\n"


def test_copy_of_a_database_is_served_like_any_other(db: str, tmp_path: Path) -> None:
    fill(db)
    assert run("backup", "--db", db, "--to", tmp_path / "copy.db")[0] == 0
    with serve(tmp_path / "copy.db") as served:
        assert served.ask("GET", "/v1/surveys/habits/tally", token=served.analyst)[2]["n_reports"] == 1200


@pytest.mark.parametrize("command", [("db", "upgrade"), ("recount",), ("backup", "--to", "x.db"), ("token", "list")])
def test_password_of_a_database_is_in_no_message(command: tuple[str, ...]) -> None:
    code, out, err = run(*command, "--db", "postgresql://sotto:c4n4ry@127.0.0.1:1/nobody")
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert "c4n4ry" not in err


def test_token_for_a_survey_that_is_not_there_is_made_with_a_warning(db: str) -> None:
    code, out, err = run("token", "create", "--db", db, "--role", "admin", "--survey", "nosuch")
    assert (code, out.startswith("sotto_admin_")) == (0, True)
    assert err == "Warning: there is no survey nosuch yet. The token works once you publish it.\n"
    with closing(Store(db)) as store:
        store.add_survey(SMALL)
    assert run("token", "create", "--db", db, "--role", "admin", "--survey", SMALL.id)[2] == ""


def test_rotated_token_is_printed_and_the_old_one_ends_later(db: str) -> None:
    old = run("token", "create", "--db", db, "--role", "analyst", "--survey", "habits", "--days", 30)[1].strip()
    code, out, err = run("token", "rotate", "--db", db, hash_token(old).hex()[:12], "--overlap-hours", 2)
    new = out.strip()
    assert (code, err, new.startswith("sotto_analyst_")) == (0, "", True)
    listed = run("token", "list", "--db", db)[1].splitlines()
    assert len(listed) == 2
    assert all("  analyst  habits  until 20" in line for line in listed)
    with closing(Store(db)) as store:
        table = TokenTable(store)
        assert find_token(table, old) is not None
        assert find_token(table, new) is not None
    assert run("token", "rotate", "--db", db, hash_token(new).hex()[:12], "--overlap-hours", 0)[0] == 0
    assert "  ended 20" in run("token", "list", "--db", db)[1]
    with closing(Store(db)) as store:
        assert [has_ended(token) for token in TokenTable(store).list()].count(True) == 1


def test_rotating_an_unknown_token_is_refused(db: str) -> None:
    code, out, err = run("token", "rotate", "--db", db, "abcdef123456")
    assert (code, out) == (1, "")
    assert err == "Error: hash prefix must match exactly one token; it matches 0.\n"
