"""Where a database is, or will be: what is done with it while it is not open."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import AbstractContextManager, closing
from typing import TypeVar

from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from sotto_collector.errors import StoreError
from sotto_collector.store.dialect import Dialect

Result = TypeVar("Result")


class Location(ABC):
    """A database by its path or URL, `db`, that need not be there. `name`: what errors call it, without a password."""

    is_file: bool

    def __init__(self, db: str) -> None:
        self.db = self.name = db

    @abstractmethod
    def open(self, busy_timeout_ms: int = 5000, *, create: bool = True) -> Dialect:
        """Return it open, its schema unchecked; with `create` a missing file is made. Raises StoreError."""

    def upgrade(self, busy_timeout_ms: int = 5000) -> tuple[str, str]:
        """Bring the schema to this program's, all of it or nothing; return the revisions before and after.

        Another upgrade of it is waited for, however long it takes; who else uses it, for `busy_timeout_ms`. Raises
        StoreError.
        """
        with self.upgrading(), closing(self.open(busy_timeout_ms, create=False)) as dialect:
            try:
                return dialect.upgrade()
            except (dialect.driver_error, SQLAlchemyError) as fault:
                reason = dialect.reason(fault)
                raise StoreError(f"db ({dialect.name}) was not upgraded, and is as it was: {reason}.") from fault

    @abstractmethod
    def upgrading(self) -> AbstractContextManager[None]:
        """Wait until nobody else upgrades it, and let nobody begin to, where its own locks do not."""

    @abstractmethod
    def glance(self, read: Callable[[Connection, str], Result]) -> Result:
        """Return what `read` returns of a connection that sees one state, of any schema, and of its revision.

        Nothing is written, not even a log beside it. Raises StoreError where none of ours can be read.
        """

    @abstractmethod
    def make(self, what: str, *, replaces: bool = False) -> AbstractContextManager[str]:
        """Yield the path or URL at which a new one is made; it appears here once it is whole.

        `replaces`: a file in the place of one that may be there.

        Raises StoreError, which says `what` it is, where something is there or it cannot be made.
        """

    @abstractmethod
    def workplace(self) -> AbstractContextManager[str]:
        """Yield the path at which one is restored, unseen by others; a file then appears, a server needs its rows.

        Raises StoreError where a store is there or it cannot be made.
        """

    @abstractmethod
    def copy_files(self, to: str) -> bool:
        """Copy a backup's files; return False where it has none: its rows must be copied. Raises StoreError."""
