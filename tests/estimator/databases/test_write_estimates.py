"""Estimates in a database: the figures of CSV, once, whole or not at all, never where nothing is told."""

import subprocess
import sys
import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from dashboards import KINDS, WestWithheld, lunch, opened, read, reports, run, tally_of
from sotto_client.cli import main
from sotto_estimator import IntervalOptions, SourceError, arm, estimate, estimate_arms, write_estimates
from sotto_estimator.databases.rows import rows_of
from sotto_estimator.shares.by_group import SideBySide
from sotto_protocol import Tally, compile_survey
from sotto_protocol.counted import Counted
from sotto_protocol.extras import MissingExtra

MONDAY = datetime(2026, 6, 1, 6, tzinfo=UTC)
TUESDAY = MONDAY + timedelta(days=1)


@pytest.fixture(params=KINDS)
def to(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A database without our table, by what a person types."""
    if request.param == "postgres":
        return str(request.getfixturevalue("postgres_empty"))
    pytest.importorskip("duckdb" if request.param == "duckdb" else "sqlite3")
    return str(tmp_path / f"results.{request.param}")


def when(value: Any) -> datetime:
    """Return a time of a column: SQLite has it as text, DuckDB without a zone."""
    at = datetime.fromisoformat(value) if isinstance(value, str) else value
    return at.astimezone(UTC) if at.tzinfo else at.replace(tzinfo=UTC)


def by_stratum() -> SideBySide:
    with pytest.warns(UserWarning, match="nothing of stratum west"):
        return estimate(WestWithheld(), by="stratum")


def test_rows_are_those_of_csv_and_again_the_same(to: str) -> None:
    """Of a withheld stratum they have no figures, and the reason."""
    found = by_stratum()
    first = write_estimates(found, to, at=MONDAY)
    columns = "stratum, question, answer, n_reports, estimate, standard_error, low, high, status"
    rows = read(to, f"SELECT {columns} FROM sotto_estimates ORDER BY place")  # noqa: S608  # the names above
    csv = [
        row | {"answer": row["answer"] or "mean", "estimate": row["share"] or row["mean"], "status": "estimated"}
        for row in found.records()
    ]
    told = [tuple(row[name] for name in columns.split(", ")) for row in csv]
    assert rows[:8] == told
    hidden = [("ate", "bread"), ("ate", "soup"), ("ate", "chef's"), ("hours", "mean")]
    assert rows[8:] == [("west", *of, *[None] * 5, "withheld") for of in hidden]
    assert read(to, "SELECT DISTINCT note FROM sotto_estimates WHERE note IS NOT NULL") == [
        ("west: fewer than 20 reports",)
    ]
    before = read(to, "SELECT * FROM sotto_estimates ORDER BY place")
    assert write_estimates(found, to, at=TUESDAY) == first
    after = read(to, "SELECT * FROM sotto_estimates ORDER BY place")
    assert [row[:-1] for row in after] == [row[:-1] for row in before]
    assert {(when(row[-2]), when(row[-1])) for row in after} == {(MONDAY, TUESDAY)}


def test_other_counts_waves_groups_and_intervals_are_other_looks(tmp_path: Path) -> None:
    to = str(tmp_path / "results.db")
    of_all = [
        estimate(tally_of(200)),
        estimate(tally_of(201)),
        estimate(tally_of(200, seed=2)),
        estimate(tally_of(200, wave=2)),
        estimate(tally_of(200) + tally_of(200, wave=2)),
        estimate((lunch(), reports(lunch(), 200)), stratum="north"),
        by_stratum(),
        *(
            estimate(tally_of(200), options=options)
            for options in (
                IntervalOptions(0.9),
                IntervalOptions(method="hoeffding"),
                IntervalOptions(target="respondents"),
                IntervalOptions(simultaneous=True),
            )
        ),
        estimate(tally_of(200)).titled("Another office"),
    ]
    looks = [write_estimates(found, to).look for found in of_all]
    assert len({*looks}) == len(looks)
    assert [write_estimates(found, to).look for found in of_all] == looks
    assert read(to, "SELECT count(*), count(DISTINCT look) FROM sotto_estimates") == [(4 * 11 + 12, len(looks))]
    assert read(to, "SELECT wave, count(DISTINCT look) FROM sotto_estimates GROUP BY wave") == [(0, 1), (1, 10), (2, 1)]


def test_rows_that_another_version_wrote_of_a_look_go(tmp_path: Path) -> None:
    to, found = str(tmp_path / "results.sqlite"), estimate(tally_of(200))
    write_estimates(found, to, at=MONDAY)
    run(to, "UPDATE sotto_estimates SET answer = 'rice' WHERE answer = 'soup'")
    write_estimates(found, to, at=TUESDAY)
    assert [*read(to, "SELECT count(*), sum(answer = 'rice') FROM sotto_estimates")] == [(4, 0)]


def test_counts_that_contradict_the_design_have_no_figures_and_a_reason(to: str) -> None:
    tally = tally_of(400)
    counts = dict(tally.support_counts) | {"ate": np.array([400, 0, 0])}
    found = estimate(replace(tally, support_counts=counts))
    assert found.void == {"ate"}
    write_estimates(found, to)
    query = "SELECT answer, estimate, standard_error, low, high, status, note, n_reports FROM sotto_estimates"
    query += " WHERE question = 'ate' ORDER BY place"
    void = ("contradicted", found.alarms()[0], 400)
    assert read(to, query) == [(of, *[None] * 4, *void) for of in ("bread", "soup", "chef's")]
    assert read(to, "SELECT status FROM sotto_estimates WHERE question = 'hours' AND estimate > 0") == [("estimated",)]


def test_a_drawn_question_that_is_withheld_has_no_figures_and_a_reason() -> None:
    asked = [{"id": key, "type": "yes-no", "text": "?", "epsilon": Decimal(1)} for key in ("paid", "other")]
    survey = compile_survey({"id": "s", "title": "S", "draw": 1, "min_reports": 40, "questions": asked})
    counts = {"paid": np.array([30]), "other": np.array([0])}
    tally = Tally(survey, {1: 60}, counts, behind={"other": Counted({1: 0})})
    paid, other = rows_of(estimate(tally))
    assert (paid.question, paid.status, paid.n_reports, paid.note) == ("paid", "estimated", 60, None)
    assert (other.question, other.answer, other.status, other.estimate) == ("other", "yes", "withheld", None)
    assert other.note == "other: withheld until it has 40 reports that answer it"


def test_a_role_needs_no_right_to_make_tables(postgres_empty: str) -> None:
    """Once the table is there."""
    found, role = estimate(tally_of(200)), f"writer_{postgres_empty[-8:]}"
    write_estimates(found, postgres_empty)
    given = "SELECT, INSERT, UPDATE, DELETE"
    run(postgres_empty, f"CREATE ROLE {role} LOGIN", f"GRANT {given} ON sotto_estimates TO {role}")
    try:
        write_estimates(found, postgres_empty.replace("//sotto@", f"//{role}@"))
    finally:
        run(postgres_empty, f"DROP OWNED BY {role}", f"DROP ROLE {role}")


def test_writers_at_once_wait_for_one_another(to: str) -> None:
    """The table is not there yet, and two of the four write the same look."""
    several, faults = [estimate(tally_of(n)) for n in (200, 200, 201, 202)], []

    def write(found: Any) -> None:
        try:
            write_estimates(found, to)
        except Exception as fault:  # of a thread, whose errors nobody sees
            faults.append(fault)

    threads = [threading.Thread(target=write, args=[found]) for found in several]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    assert read(to, "SELECT count(*), count(DISTINCT look) FROM sotto_estimates") == [(12, 3)]


@pytest.mark.thorough
def test_another_process_that_has_the_file_open_is_waited_for(tmp_path: Path) -> None:
    """DuckDB lets one process at a time open a file."""
    pytest.importorskip("duckdb")
    to, code = str(tmp_path / "results.duckdb"), "import duckdb, sys; duckdb.connect(sys.argv[1]); print(flush=True)"
    with subprocess.Popen(
        [sys.executable, "-c", f"{code}; sys.stdin.read()", to], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdin
        assert other.stdout
        other.stdout.readline()
        later = threading.Timer(0.3, other.stdin.close)
        later.start()
        write_estimates(estimate(tally_of(200)), to)
        later.join()
    assert read(to, "SELECT count(*) FROM sotto_estimates") == [(4,)]


def test_all_rows_of_a_look_are_written_or_none(to: str) -> None:
    write_estimates(estimate(tally_of(200)), to, at=MONDAY)
    columns = "CREATE TABLE strict AS SELECT * FROM sotto_estimates WHERE 1 = 0"
    run(to, columns, "DROP TABLE sotto_estimates")
    with opened(to) as connection:
        names = [column[0] for column in connection.execute("SELECT * FROM strict").description]
    key = "PRIMARY KEY (look, wave, stratum, question, kind, answer), CHECK (answer <> 'soup')"
    typed = ", ".join(f"{name} {'TIMESTAMP' if name.endswith('_at') else of_type(name)}" for name in names)
    run(to, f"CREATE TABLE sotto_estimates ({typed}, {key})")
    with pytest.raises(SourceError, match="cannot be written to"):
        write_estimates(estimate(tally_of(200)), to)
    assert read(to, "SELECT count(*) FROM sotto_estimates") == [(0,)]


def of_type(name: str) -> str:
    whole = ("wave", "place", "n_reports", "population_size")
    number = ("epsilon", "estimate", "standard_error", "low", "high", "level")
    truth = ("is_parent", "simultaneous")
    return {True: "TEXT", name in whole: "BIGINT", name in number: "DOUBLE PRECISION", name in truth: "BOOLEAN"}[True]


def test_a_table_of_another_shape_is_refused_and_stays(to: str) -> None:
    run(to, "CREATE TABLE sotto_estimates (look TEXT, mine BIGINT)", "INSERT INTO sotto_estimates VALUES ('a', 1)")
    with pytest.raises(SourceError, match=r"another shape: missing columns: survey, .*; unknown columns: mine\."):
        write_estimates(estimate(tally_of(200)), to)
    assert read(to, "SELECT * FROM sotto_estimates") == [("a", 1)]


def test_a_collectors_own_database_is_refused(file_made: Path, tmp_path: Path) -> None:
    to = tmp_path / "survey.db"
    to.write_bytes(file_made.read_bytes())
    with pytest.raises(SourceError, match="must not be a collector's database"):
        write_estimates(estimate(tally_of(200)), str(to))
    assert to.read_bytes() == file_made.read_bytes()


SECRETS = ("hunter", "Zwei")


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://me:hunterZwei@127.0.0.1:1/x",
        "postgresql://me:hunter@Zwei@127.0.0.1:1/x",
        "postgresql://me:hunter/Zwei@127.0.0.1:1/x",
        "postgresql://me:hunter:Zwei@127.0.0.1:1/x",
        "postgresql://me:hunter?Zwei@127.0.0.1:1/x",
        "postgresql://me:1/hunterZwei@127.0.0.1:1/x",
        "postgresql://me:hunterZwei/x",
        "postgresql://me:%zzhunterZwei@127.0.0.1:1/x",
        "postgresql://127.0.0.1:1/x?password=hunterZwei",
        "postgresql://127.0.0.1:1/x?user=me&password=hunter&Zwei",
        "postgresql://127.0.0.1:1/x?pass=hunterZwei",
        "mysql://me:hunterZwei@127.0.0.1/x",
        "sqlite:///hunterZwei",
    ],
)
def test_no_message_repeats_a_password(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("lunch.json").write_bytes(tally_of(200).to_json())
    done = CliRunner().invoke(main, ["estimate", "lunch.json", "--to", url])
    assert done.exit_code == 1
    assert done.output.startswith("Error: ")
    assert len(done.output.splitlines()) == 1 or "Connection refused" in done.output
    assert [of for of in SECRETS if of in done.output] == []


@pytest.mark.parametrize(
    ("to", "problem"),
    [
        ("results.csv", r"to \(results.csv\) must begin with postgresql://, or be a file that ends in .sqlite, "),
        ("results", r"to \(results\) must begin"),
        ("mysql://x/y", r"a URL that begins with mysql://"),
        ("sqlite:///x.db", "the path of a file for sqlite, such as results.sqlite, not a URL"),
        ("none/results.db", "cannot be written to SQLite"),
        ("text.db", "cannot be written to SQLite .*not a database"),
    ],
)
def test_a_database_that_is_none_is_refused(
    to: str, problem: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("text.db").write_text("no database, " * 99)
    with pytest.raises(SourceError, match=problem):
        write_estimates(estimate(tally_of(200)), to)


def test_estimates_without_a_survey_are_refused() -> None:
    with pytest.raises(SourceError, match="a database takes estimates of a survey"):
        write_estimates(estimate_arms([arm("warner(prob=3/4)", [30, 70])]), "results.db")


def test_a_missing_driver_names_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sotto_estimator.databases.kinds.find_spec", lambda _: None)
    for to, extra in (("postgresql://x/y", "postgres"), ("x.duckdb", "duckdb")):
        with pytest.raises(MissingExtra, match=rf"pip install 'sottovoce\[{extra}\]'"):
            write_estimates(estimate(tally_of(200)), to)


def test_the_command_writes_what_it_prints(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    tally: Tally = tally_of(200)
    Path("lunch.json").write_bytes(tally.to_json())
    typed = ["estimate", "lunch.json", "--anytime", "--title", "Canteen"]
    alone, done = (CliRunner().invoke(main, [*typed, *more]) for more in ([], ["--to", "results.db"]))
    assert done.stdout == alone.stdout
    twin = write_estimates(estimate(tally, options=IntervalOptions(method="anytime")).titled("Canteen"), "results.db")
    assert done.stderr == f"{twin}\n"
    assert read("results.db", "SELECT DISTINCT title, method FROM sotto_estimates") == [("Canteen", "anytime")]
    of_counts = ["estimate", "--yes", "30", "--n", "90", "--truth", "1/2", "--to", "results.db"]
    refused = CliRunner().invoke(main, of_counts)
    assert (refused.exit_code, "--to goes with a collector's URL" in refused.output) == (2, True)
