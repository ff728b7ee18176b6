"""What holds for all tests, and the databases that they run on."""

import gc
import logging
import os
import shutil
from collections.abc import Generator, Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from emptied_database import EmptiedDatabase
    from house import House
    from sotto_collector.store import Store

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy: a process a core, and threads that wait spin
is_full = bool(os.environ.get("SOTTO_TEST_FULL"))
# A busy machine is no failure. The same examples every time, so that a failure is the change's; --full looks for more.
n_examples = 40 if os.environ.get("SOTTO_TEST_QUICK") else 100
settings.register_profile("sotto", deadline=None, derandomize=not is_full, max_examples=n_examples)
settings.load_profile("sotto")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None]:
    """Collect without looking for garbage, and never look there: to go through all tests again and again is slow."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(tryfirst=True)  # before pytest chooses by marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark cases of tests: of one database by later("postgres", "rare"), all but some by few(3) or few(3, "rare").

    Those that stay are evenly spread among the quickest: a mark of their own is kept.
    """
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        if item.get_closest_marker("few"):
            cases.setdefault(item.nodeid.split("[")[0], []).append(item)
        for later in item.iter_markers("later"):
            database, mark = later.args
            given = (
                item.callspec.params.values() if isinstance(item, pytest.Function) and hasattr(item, "callspec") else ()
            )
            if any(isinstance(value, str) and value == database for value in given):
                item.add_marker(mark)
    for each in cases.values():
        n_kept, mark = (*next(each[0].iter_markers("few")).args, "thorough")[:2]
        usual = [item for item in each if not item.get_closest_marker("rare")]
        quick = [item for item in usual if not item.get_closest_marker("thorough")] or usual
        kept = {quick[place * len(quick) // n_kept] for place in range(n_kept)} if quick else set()
        for item in each:
            if item not in kept:
                item.add_marker(mark)


@pytest.fixture(autouse=True)
def _our_logger() -> None:
    """Let our records reach the root alone: `sotto serve`, run in this process by an earlier test, changes that."""
    logger = logging.getLogger("sotto_collector")
    logger.handlers, logger.propagate = [], True


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """A PostgreSQL: the one that SOTTO_TEST_DATABASE_URL names, or one that is started for the tests."""
    from postgres_server import postgres_server  # not where no test asks for it

    if given := os.environ.get("SOTTO_TEST_DATABASE_URL"):
        yield given
        return
    with postgres_server("fsync=off", "deadlock_timeout=50ms") as server:  # if the machine crashes, the tests do too
        yield server.url


@pytest.fixture
def postgres_empty(postgres_url: str) -> Iterator[str]:
    """An empty database of this test's own on PostgreSQL."""
    from postgres_server import database_of

    with database_of(postgres_url) as url:
        yield url


@pytest.fixture(scope="session")
def postgres_made(postgres_url: str) -> Iterator[str]:
    """A database with our tables, to be copied: that is quicker than making them."""
    from postgres_server import database_of
    from sotto_collector.store import Store

    with database_of(postgres_url) as url:
        Store(url).close()
        yield url


@pytest.fixture(scope="session")
def file_made() -> Path:
    """A file with our tables, to be copied."""
    from made_file import made_file  # not where no test asks for it

    return made_file()


@pytest.fixture(scope="session")
def postgres_emptied(postgres_made: str) -> "Iterator[EmptiedDatabase]":
    """A database with our tables that is emptied after each test."""
    from emptied_database import EmptiedDatabase

    emptied = EmptiedDatabase(postgres_made)
    yield emptied
    emptied.drop()


@pytest.fixture
def postgres_db(postgres_emptied: "EmptiedDatabase") -> Iterator[str]:
    """A database on PostgreSQL with our tables and nothing in them, which no other test has meanwhile."""
    with postgres_emptied.lent() as url:
        yield url


@pytest.fixture(params=["sqlite", "postgres"])
def db(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A database that has our tables and nothing in them, of either kind."""
    if request.param == "postgres":
        return str(request.getfixturevalue("postgres_db"))
    return str(shutil.copy(request.getfixturevalue("file_made"), tmp_path / "survey.db"))


@pytest.fixture(params=["sqlite", "postgres"])
def empty_db(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A database that has nothing at all, of either kind."""
    if request.param == "postgres":
        return str(request.getfixturevalue("postgres_empty"))
    return str(tmp_path / "survey.db")


@pytest.fixture
def store(db: str) -> "Iterator[Store]":
    """An open store, on either kind of database."""
    from sotto_collector.store import Store

    with closing(Store(db)) as opened:
        yield opened


@pytest.fixture
def house(tmp_path: Path) -> "Iterator[House]":
    """A collector in this process, on SQLite, with one survey."""
    from house import open_house

    with open_house(tmp_path / "survey.db") as opened:
        yield opened
