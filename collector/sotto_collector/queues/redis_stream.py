"""A stream of Redis as a queue of reports. Only this file knows redis, which the extra `redis` brings.

A message has the fields `survey`, an id, and `body`, the JSON of a POST of reports. A consumer group hands each message
to one reader. One that is settled is deleted, so the stream keeps its time of arrival no longer than it must.
"""

import logging
import os
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from urllib.parse import unquote, urlsplit

import redis

from sotto_collector.errors import QueueError
from sotto_collector.logs import OURS
from sotto_collector.queues.queue import Message, Settled

GROUP = "sotto"
MAX_DEAD = 100_000
"""About so many refused messages are kept; of more the oldest go."""
PASSWORD = "REDISCLI_AUTH"  # noqa: S105  # the variable that redis-cli reads
_AT_ONCE = 64
_WAIT_MS = 1000
_TIMEOUT_S = 10
_FORM = "redis://HOST[:PORT][/DATABASE], with USER@ before HOST where there is one, and rediss:// for TLS"

log = logging.getLogger(OURS)


class RedisStream:
    """Messages of a stream, for one reader of its group. Refused ones go to the stream `NAME-refused`."""

    def __init__(self, url: str, name: str, *, idle_s: float) -> None:
        """`idle_s`: a message that its reader has held for so long goes to another. Raises QueueError."""
        self._name, self._dead = name.encode(), f"{name}-refused".encode()
        self._idle_ms = int(1000 * idle_s)
        self._reader = secrets.token_hex(8)
        self._redis = _connect(url)
        self._begin()

    def read(self) -> list[Message]:
        with _in_words():
            try:
                return self._left() or self._new()
            except redis.ResponseError as fault:
                if not str(fault).startswith("NOGROUP"):  # Redis began again without its data
                    raise
                self._begin()
                return []

    def settle(self, settled: Sequence[Settled]) -> None:
        """Keep what is refused first: a message that is then not deleted comes again, and is kept twice."""
        keys = [one.message.key for one in settled]
        with _in_words(), self._redis.pipeline(transaction=True) as steps:
            for message, reason in ((one.message, one.refused) for one in settled if one.refused):
                fields: Any = {"survey": message.survey, "body": message.body, "reason": reason}
                steps.xadd(self._dead, fields, maxlen=MAX_DEAD, approximate=True)
            steps.execute()
            steps.xack(self._name, GROUP, *keys)
            steps.xdel(self._name, *keys)
            steps.execute()

    def close(self) -> None:
        """End the connection, and remove this reader where it has left nothing."""
        try:
            with _in_words():
                if not self._redis.xpending_range(self._name, GROUP, "-", "+", 1, consumername=self._reader):
                    self._redis.xgroup_delconsumer(self._name, GROUP, self._reader)
        except QueueError as fault:
            log.warning("Redis still lists this reader; what it left goes to another one: %s", fault)
        self._redis.close()

    def _begin(self) -> None:
        with _in_words():
            try:
                self._redis.xgroup_create(self._name, GROUP, id="0", mkstream=True)
            except redis.ResponseError as fault:
                if not str(fault).startswith("BUSYGROUP"):
                    raise

    def _left(self) -> list[Message]:
        """Return what a reader has not settled for long, this one too."""
        found: Any = self._redis.xautoclaim(self._name, GROUP, self._reader, self._idle_ms, count=_AT_ONCE)
        return [_message(*entry) for entry in found[1] if entry[1] is not None]

    def _new(self) -> list[Message]:
        found: Any = self._redis.xreadgroup(GROUP, self._reader, {self._name: ">"}, count=_AT_ONCE, block=_WAIT_MS)
        return [_message(*entry) for _, entries in found or () for entry in entries]


def _message(key: bytes, fields: dict[bytes, bytes]) -> Message:
    """Return a message; one without its fields has no survey's id, and is refused for that."""
    return Message(key, fields.get(b"survey", b"").decode(errors="replace"), fields.get(b"body", b""))


def _connect(url: str) -> "redis.Redis":
    """Return a client. Raises QueueError, which never quotes a password."""
    try:
        parts = urlsplit(url)
        port, database = parts.port or 6379, int(parts.path.strip("/") or 0)
    except ValueError:
        raise QueueError(f"the queue's URL must be {_FORM}.") from None
    if parts.password is not None:
        raise QueueError(f"the queue's URL must have no password. Set {PASSWORD} in the environment.")
    if parts.scheme not in ("redis", "rediss") or not parts.hostname or parts.query or parts.fragment:
        raise QueueError(f"the queue's URL must be {_FORM}.")
    return redis.Redis(
        host=parts.hostname,
        port=port,
        db=database,
        username=unquote(parts.username) if parts.username else None,
        password=os.environ.get(PASSWORD) or None,
        ssl=parts.scheme == "rediss",
        protocol=2,
        socket_connect_timeout=_TIMEOUT_S,
        socket_timeout=_TIMEOUT_S,
    )


@contextmanager
def _in_words() -> Iterator[None]:
    try:
        yield
    except redis.RedisError as fault:
        reason = str(fault).rpartition("caused error: ")[2]  # before it stands the command, with the report
        raise QueueError(f"Redis cannot be used: {reason.rstrip('.')}.") from None
