"""A PostgreSQL that is not open: its driver is loaded where it is opened, and nowhere else."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext

from sqlalchemy import Connection, inspect
from sqlalchemy.exc import SQLAlchemyError

from sotto_collector.errors import StoreError
from sotto_collector.store.dialect import Dialect
from sotto_collector.store.location import Location, Result
from sotto_collector.store.upgrade import HEAD, REVISIONS, is_empty, read_revision, refuse_missing
from sotto_collector.store.workplace import private_folder
from sotto_protocol.extras import install_command


class PostgresUrl(Location):
    """A server's database by its URL. A new one appears with the one transaction that writes it."""

    is_file = False

    def __init__(self, db: str) -> None:
        super().__init__(db)
        self.name = "PostgreSQL"

    def open(self, busy_timeout_ms: int = 5000, *, create: bool = True) -> Dialect:
        try:
            from sotto_collector.store.postgres import PostgresDialect
        except ModuleNotFoundError as fault:
            raise StoreError(f"db is in PostgreSQL, which needs: {install_command('postgres')}.") from fault
        return PostgresDialect(self.db, busy_timeout_ms)

    def upgrading(self) -> AbstractContextManager[None]:
        return nullcontext()  # one waits for the other in its transaction

    def glance(self, read: Callable[[Connection, str], Result]) -> Result:
        with closing(self.open()) as dialect:
            try:
                with dialect.read_engine.connect() as connection, connection.begin():  # `snapshot` refuses older ones
                    dialect.begin_snapshot(connection)
                    revision = read_revision(connection)
                    if revision is None:
                        another = f"db ({dialect.name}) must be a sottovoce database; it is another program's."
                        raise refuse_missing(dialect.name) if is_empty(connection) else StoreError(another)
                    return read(connection, revision)
            except (SQLAlchemyError, dialect.driver_error) as fault:
                raise StoreError(f"db ({dialect.name}) cannot be read: {dialect.reason(fault)}.") from fault

    @contextmanager
    def make(self, what: str, *, replaces: bool = False) -> Iterator[str]:
        with closing(self.open()) as dialect, dialect.read_engine.connect() as connection:
            if is_empty(connection) and inspect(connection).get_table_names():
                raise StoreError(f"{what} ({dialect.name}) must be a new database; it has another program's tables.")
        yield self.db

    @contextmanager
    def workplace(self) -> Iterator[str]:
        with closing(self.open()) as dialect, dialect.read_engine.connect() as connection:
            if not is_empty(connection):
                raise StoreError(
                    f"db ({dialect.name}) must be a new database, but it already has a store. sotto db status says "
                    "whether a restore made it, and whether it is complete."
                )
        with private_folder() as folder:
            yield str(folder / "restored.db")

    def copy_files(self, to: str) -> bool:
        with closing(self.open()) as dialect, dialect.read_engine.connect() as connection:
            revision = read_revision(connection)
            if revision in REVISIONS[:-1]:
                raise StoreError(
                    f"backup ({dialect.name}) must have schema {HEAD}, because it is in PostgreSQL; it has {revision}. "
                    "Copy it (createdb --template), run sotto db upgrade on the copy, and restore from the copy."
                )
        return False
