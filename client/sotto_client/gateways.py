"""What a device remembers of gateways' keys: the highest epoch of each, and which keys that had.

Everybody gets the same keys in one epoch. A device that sees two has the proof that somebody was to be told apart by
them, for both are signed. It sends nothing more until a higher epoch comes, which everybody gets again.
"""

import sqlite3
from dataclasses import dataclass

from sotto_client.database import expect, reading
from sotto_protocol.gateway_keys import SignedKeys


@dataclass(frozen=True, slots=True)
class SeenKeys:
    """The highest epoch of a gateway, and the SHA-256 of its keys; `other` of different keys of the same epoch."""

    gateway_key: str
    epoch: int
    digest: str
    other: str = ""

    @property
    def doubt(self) -> str:
        """Why nothing is sent to this gateway now; "" if nothing is wrong."""
        if not self.other:
            return ""
        return (
            f"the gateway has two key configurations of one epoch ({self.epoch}): {self.digest} and {self.other}. "
            "One of them may be for you alone. Nothing is sent with either; compare them with other people's."
        )


class Gateways:
    """The gateways in a state, read and written inside one of its transactions."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def seen(self) -> list[SeenKeys]:
        """Return what is remembered, by the gateway's key."""
        rows = self._connection.execute("SELECT gateway_key, epoch, digest, other FROM gateways ORDER BY gateway_key")
        with reading("gateways"):
            return [_read(row) for row in rows]

    def note(self, gateway_key: str, keys: SignedKeys) -> SeenKeys:
        """Note keys whose signature is right, and return what is remembered then: of a higher epoch, if there was one.

        The caller commits first, and then looks whether that is this epoch, and whether there is a doubt.
        """
        known = next((each for each in self.seen() if each.gateway_key == gateway_key), None)
        if known is None or keys.epoch > known.epoch:
            known = SeenKeys(gateway_key, keys.epoch, keys.digest)
        elif keys.epoch == known.epoch and keys.digest != known.digest and not known.other:
            known = SeenKeys(gateway_key, known.epoch, known.digest, keys.digest)
        else:
            return known
        self._connection.execute(
            "INSERT OR REPLACE INTO gateways (gateway_key, epoch, digest, other) VALUES (?, ?, ?, ?)",
            (known.gateway_key, known.epoch, known.digest, known.other),
        )
        return known


def _read(row: tuple[object, ...]) -> SeenKeys:
    expect(row, str, int, str, str)
    return SeenKeys(*row)  # type: ignore[arg-type]
