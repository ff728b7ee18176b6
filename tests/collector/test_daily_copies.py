"""`sotto backup --keep`: a copy a day in a folder, of which the last stay."""

import shutil
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner
from sqlalchemy import update

from collecting import SMALL, count_here, execute, make_reports, publish_here
from sotto_client.cli import main
from sotto_collector.daily_copies import DailyCopies
from sotto_collector.day import today_utc
from sotto_collector.errors import StoreError
from sotto_collector.store import Store
from sotto_collector.store.about import read_about
from sotto_collector.store.schema import surveys
from sotto_collector.store.sqlite_file import SqliteFile


@pytest.fixture
def source(file_made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(file_made, tmp_path / "source"))


@pytest.fixture
def copies(tmp_path: Path) -> Path:
    (tmp_path / "copies").mkdir()
    return tmp_path / "copies"


def run(*words: object) -> tuple[int, str]:
    done = CliRunner().invoke(main, [str(word) for word in words])
    return done.exit_code, done.output


def test_the_last_days_copies_stay_and_no_other_file_is_touched(source: Path, copies: Path) -> None:
    old = [f"2026-01-{day:02}.db" for day in range(1, 6)]
    others = ["2025-01-01.db.gpg", "x2025-01-01.db", "survey.db", "notes"]
    sums = [f"{name}.sha256" for name in [*old, "2025-12-31.db"]]
    left = [f"2026-01-04.db{end}" for end in (".unfinished", ".unfinished-wal", ".sha256.unfinished")]
    others.append("x2025-01-01.db.sha256")
    for name in [*old, *others, *sums, *left]:
        (copies / name).write_text("x")
    assert run("backup", "--db", source, "--to", copies, "--keep", 3)[0] == 0
    today = f"{today_utc()}.db"
    kept = {*old[-2:], today}
    assert {path.name for path in copies.iterdir()} == {*others, *kept, *(f"{name}.sha256" for name in kept)}
    Store(copies / today, create=False).close()


@pytest.mark.few(2)
@pytest.mark.parametrize(
    ("there", "n_kept", "left"),
    [
        (["2999-01-01", "2999-01-02"], 2, ["today", "2999-01-01"]),
        (["2999-01-01", "2999-01-02"], 1, ["today"]),
        (["2026-01-01", "2026-01-02", "2999-01-01"], 3, ["2026-01-01", "2026-01-02", "today"]),
        (["2026-01-01", "2026-01-02", "2999-01-01"], 2, ["2026-01-02", "today"]),
    ],
)
def test_copies_of_later_days_go_first_and_today_s_stays(
    source: Path, copies: Path, there: list[str], n_kept: int, left: list[str]
) -> None:
    """A clock that ran ahead has left them; the copy that was just made is the one that is needed."""
    for day in there:
        (copies / f"{day}.db").write_text("x")
    assert run("backup", "--db", source, "--to", copies, "--keep", n_kept)[0] == 0
    today = today_utc()
    assert {path.stem for path in copies.glob("*.db")} == {day.replace("today", today) for day in left}
    Store(copies / f"{today}.db", create=False).close()


@pytest.mark.parametrize("erased_on", ["2026-01-02", None, "2999-01-01"])
def test_copies_that_may_hold_reports_past_their_day_go(source: Path, copies: Path, erased_on: str | None) -> None:
    """Those of the day on which the reports went, and before: the copy of that day may have been made earlier.

    None goes by a day that has not come: a clock that ran ahead has erased there, and copies are all that is left.
    """
    with closing(Store(source)) as store:
        publish_here(store, SMALL)
        store.run(lambda transaction: transaction.connection.execute(update(surveys).values(erased_on=erased_on)))
    for day in ("2026-01-01", "2026-01-02", "2026-01-03", "2999-01-02"):
        (copies / f"{day}.db").write_text("x")
    status, said = run("backup", "--db", source, "--to", copies, "--keep", 9)
    assert status == 0
    left = {"2026-01-01", "2026-01-02", "2026-01-03", "2999-01-02", today_utc()}
    if erased_on == "2026-01-02":
        left -= {"2026-01-01", "2026-01-02"}
        assert "2 older deleted: they may hold reports that were erased by 2026-01-02" in said
    assert {path.stem for path in copies.glob("*.db")} == left


def read_copy(copy: Path) -> tuple[int, str | None]:
    """Return how many reports a copy has, and the day that it was made."""
    with closing(Store(copy, create=False)) as store, store.reader() as connection:
        return store.count_all(), read_about(connection).last_backup_day


def test_the_second_copy_of_a_day_takes_the_place_of_the_first(source: Path, copies: Path) -> None:
    (copies / "2026-01-01.db").write_text("x")
    copy = copies / f"{today_utc()}.db"
    for n_reports in (3, 5):
        with closing(Store(source)) as store:
            count_here(store, publish_here(store, SMALL), make_reports(n_reports - store.count_all(), SMALL))
        assert run("backup", "--db", source, "--to", copies, "--keep", 2)[0] == 0
        assert read_copy(copy) == (n_reports, today_utc())
        assert run("db", "restore", "--from", copy, "--db", copies.parent / f"{n_reports}.db")[0] == 0
    assert {path.name for path in copies.iterdir()} == {"2026-01-01.db", copy.name, f"{copy.name}.sha256"}
    assert {path.stat().st_mode & 0o777 for path in copies.glob(f"{copy.name}*")} == {0o600}


def test_copy_of_the_day_stays_where_the_next_fails_or_somebody_has_it_open(source: Path, copies: Path) -> None:
    """A run that was killed before its copy had its day is made good by the next."""
    command = ("backup", "--db", source, "--to", copies, "--keep", 2)
    copy = copies / f"{today_utc()}.db"
    (copies / f"{copy.name}.unfinished").write_text("x")
    (copies / f"{copy.name}.unfinished-wal").write_text("x")
    assert run(*command)[0] == 0
    summed = Path(f"{copy}.sha256")
    content = copy.read_bytes(), summed.read_bytes()
    log = Path(f"{copy}-wal")
    log.write_text("x")
    code, said = run(*command)
    assert (code, f"{log} is there: move it away" in said) == (1, True)
    log.unlink()
    with closing(Store(source)) as store:
        count_here(store, publish_here(store, SMALL), make_reports(3, SMALL))
        execute(store, "UPDATE tallies SET n_reports = 7")
    code, said = run(*command)
    assert (code, "differs from its reports" in said) == (1, True)
    assert {*copies.iterdir()} == {copy, summed}
    assert (copy.read_bytes(), summed.read_bytes()) == content


def test_the_sum_of_the_copy_before_goes_before_another_takes_its_place(copies: Path) -> None:
    """A kill right after would else leave a sound copy that restore refuses."""
    copy, summed = copies / "2026-01-01.db", copies / "2026-01-01.db.sha256"
    for path in (copy, summed):
        path.write_text("of the first")
    with SqliteFile(str(copy)).make("the copy", replaces=True) as place:
        Path(place).write_text("the second")
        assert (copy.read_text(), summed.exists()) == ("of the first", True)
    assert (copy.read_text(), [*copies.iterdir()]) == ("the second", [copy])


def test_a_folder_that_is_not_there_is_refused(source: Path, copies: Path) -> None:
    code, said = run("backup", "--db", source, "--to", copies / "disk", "--keep", 2)
    assert (code, "must be an existing folder" in said) == (1, True)
    with pytest.raises(StoreError, match="must be an existing folder"):
        DailyCopies(source, 1)


def test_none_is_no_number_to_keep(source: Path, copies: Path) -> None:
    assert run("backup", "--db", source, "--to", copies, "--keep", 0)[0] == 2
