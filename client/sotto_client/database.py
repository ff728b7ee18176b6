"""One SQLite connection that threads take in turns, and that a forked child leaves to its parent.

SQLite forbids a child to use, or even to close, what it inherits (sqlite.org/howtocorrupt.html, 2.6). So a fork waits
until no transaction runs, and the child opens a connection of its own.
"""

import os
import sqlite3
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from weakref import WeakSet

from sotto_client.errors import StateError

MEMORY = ":memory:"


class Database(ABC):
    """A database that runs one transaction at a time. `name`: its path, for messages."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._lock = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        self._gone = ""  # why no connection can be opened any more
        with no_fork:  # so that no fork reads the set meanwhile
            _databases.add(self)

    @contextmanager
    def read(self) -> Iterator[sqlite3.Connection]:
        """Yield a connection that sees one moment of the database."""
        with self._transaction("BEGIN") as connection:
            yield connection

    @contextmanager
    def write(self) -> Iterator[sqlite3.Connection]:
        """Yield a connection whose changes are all durable after the block; if the block raises, none is made.

        Waits up to 10 s for another writer. Raises StateError when the database cannot be written.
        """
        with self._transaction("BEGIN IMMEDIATE") as connection:
            yield connection

    def close(self) -> None:
        """Close the connection for good, after the transaction that runs. May be called twice."""
        with self._lock:
            self._gone = self._gone or "is closed"
            connection, self._connection = self._connection, None
            if connection is not None:
                connection.close()

    @abstractmethod
    def _connect(self) -> sqlite3.Connection:
        """Return a new connection, ready to be used, by any thread. May raise sqlite3.Error."""

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[sqlite3.Connection]:
        try:
            with self._lock, block(self._connected(), begin) as connection:
                yield connection
        except (sqlite3.Error, UnicodeDecodeError) as fault:  # the second: SQLite's message quotes a damaged name
            raise StateError(f"state {self.name} cannot be used ({fault}).") from fault

    def _connected(self) -> sqlite3.Connection:
        if self._gone:
            raise StateError(f"state {self.name} {self._gone}.")
        if self._connection is None:
            self._connection = self._connect()
        return self._connection

    def _leave_to_parent(self) -> None:
        _inherited.append(self._connection)
        self._connection = None
        self._lock = threading.RLock()
        if self.name == MEMORY:  # a second copy of it would spend the same budget again
            self._gone = self._gone or "is in memory, and was left to the process that made it"


@contextmanager
def block(connection: sqlite3.Connection, begin: str) -> Iterator[sqlite3.Connection]:
    """Run a transaction: committed after the block, or, if it raises, rolled back."""
    connection.execute(begin)
    try:
        yield connection
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


@contextmanager
def reading(table: str) -> Iterator[None]:
    """Turn what damaged rows raise in this block into sqlite3.DatabaseError, which a transaction makes a StateError."""
    try:
        yield
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as fault:
        raise sqlite3.DatabaseError(f"its {table} is damaged") from fault


def expect(row: Sequence[Any], *kinds: type) -> None:
    """Raise TypeError unless a row's values are of these types: a damaged one can be of any."""
    if [type(value) for value in row] != [*kinds]:
        raise TypeError("a column has another type.")


_databases: WeakSet[Database] = WeakSet()
_forking: list[Database] = []  # whose locks the fork holds
_inherited: list[sqlite3.Connection | None] = []  # kept, because forgetting them would close them

no_fork = threading.Lock()
"""Held while the process forks, and while a file is made or a module loaded, which a child would inherit half done."""


def _before_fork() -> None:
    no_fork.acquire()
    for database in list(_databases):
        database._lock.acquire()
        _forking.append(database)


def _after_fork_in_parent() -> None:
    while _forking:
        _forking.pop()._lock.release()
    no_fork.release()


def _after_fork_in_child() -> None:
    while _forking:
        _forking.pop()._leave_to_parent()
    no_fork.release()


if hasattr(os, "register_at_fork"):  # not on Windows, which has no fork
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork_in_parent, after_in_child=_after_fork_in_child)
