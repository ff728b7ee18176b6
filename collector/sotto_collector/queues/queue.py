"""What a queue of reports is, whichever program keeps it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Message:
    """One message: a request's body, and the id of its survey. `key` is the queue's own."""

    key: bytes
    survey: str
    body: bytes


@dataclass(frozen=True, slots=True)
class Settled:
    """What became of a message. `refused` says why it can never be counted; empty: it is committed."""

    message: Message
    refused: str = ""


class Queue(Protocol):
    """A message that is read stays in the queue until it is settled, and comes again if its reader dies."""

    def read(self) -> list[Message]:
        """Return what waits, those that a dead reader left too; none after about a second. Raises QueueError."""
        ...

    def settle(self, settled: Sequence[Settled]) -> None:
        """Take messages out, and keep the refused ones apart with their reasons. Raises QueueError."""
        ...
