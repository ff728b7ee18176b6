"""Timeouts: how long a PostgreSQL may be silent. One that is stopped, or whose disk hangs, is silent for ever.

The server's own limits end slow statements; they do not end the wait for a server that does not run. Neither do TCP's:
its kernel responds to these.
"""

import math
import time
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg.waiting import Ready

CONNECT_S, HURRIED_CONNECT_S = 5, 2
HURRIED_S, HURRIED_LONG_S = 5.0, 20.0
"""While the collector stops: the limit of a statement, and of one that has none otherwise, as it tidies."""


class SilentServerError(psycopg.OperationalError):
    """The server was silent for too long. Whether it has done what it was told is not known."""


@dataclass(slots=True)
class Timeouts:
    """How long the connections of a store wait: `statement_s` seconds for a statement."""

    statement_s: float
    is_hurried: bool = False
    is_silent: bool = False
    """Whether the last wait ended without a response."""

    def limit_s(self, *, takes_time: bool) -> float:
        """Return how long to wait, in seconds."""
        if not self.is_hurried:
            return math.inf if takes_time else self.statement_s
        if self.is_silent:
            return 0.0
        return HURRIED_LONG_S if takes_time else min(HURRIED_S, self.statement_s)

    def connect(self, *arguments: Any, **options: Any) -> "WatchedConnection":
        """Return a connection that is watched. Raises psycopg.OperationalError."""
        if self.is_hurried and self.is_silent:
            raise SilentServerError("no response in time")
        options["connect_timeout"] = HURRIED_CONNECT_S if self.is_hurried else CONNECT_S
        try:
            connection = WatchedConnection.connect(*arguments, **options)
        except psycopg.errors.ConnectionTimeout:
            self.is_silent = True
            raise
        self.is_silent = False
        connection.timeouts = self
        return connection


class WatchedConnection(psycopg.Connection[tuple[Any, ...]]):
    """A connection that closes itself where the server is silent for longer than its timeouts allow.

    `takes_time`: its statements have no limit, unless the collector stops.
    """

    timeouts: Timeouts
    takes_time = False

    def wait(self, gen: Generator[Any, Any, Any], *arguments: Any, **options: Any) -> Any:
        """Return what the generator returns. Raises SilentServerError; the connection is closed then."""
        return super().wait(self._watch(gen), *arguments, **options)

    def _watch(self, gen: Generator[Any, Any, Any]) -> Generator[Any, Any, Any]:
        """Run `gen`, within the limits; psycopg sends 0 ten times a second while nothing comes."""
        began = time.monotonic()
        try:
            wanted = next(gen)
            while True:
                ready = yield wanted
                if not ready and time.monotonic() - began > self.timeouts.limit_s(takes_time=self.takes_time):
                    self.timeouts.is_silent = True
                    self.pgconn.finish()  # does not wait; to cancel would mean to wait for the server
                    raise SilentServerError("no response in time")
                if ready & Ready.R:
                    self.timeouts.is_silent, began = False, time.monotonic()
                wanted = gen.send(ready)
        except StopIteration as end:
            return end.value

    def rollback(self) -> None:
        """Roll back; where the connection is lost the server does, and what lost it is the error to report."""
        if not self.closed:
            super().rollback()
