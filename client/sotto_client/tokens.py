"""Tokens of blind invitations: what a device asks a collector to sign, and what it forgets once it has that.

A token is asked for as soon as its report is made, and the report waits for a time of its own after that. With the
token the report is whole. What could join it to the invitation is overwritten in the same transaction: the salt, the
factor, and with the last wave's token the invitation. Every part of a row keeps its length, as in the ledger, so that
nothing is left on the disk.
"""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sotto_client.blinding import Blinding, draw_random
from sotto_client.database import expect
from sotto_client.errors import InvitationError, SurveyRefused
from sotto_protocol.blind import MODULUS_BYTES, SALT_BYTES, read_key, to_base64url, token_message
from sotto_protocol.documents import canonical_json
from sotto_protocol.invitation import invitation_text, with_token

if TYPE_CHECKING:
    from sotto_protocol.survey import Survey

WISH_COLUMNS = "fingerprint, wave, keys, random, stratum, salt, factor, tokens.invitation, max_delay_s"
_INSERT = """
INSERT INTO tokens (receipt, fingerprint, wave, last_wave, keys, random, stratum, salt, factor, invitation, max_delay_s)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_KEEP = """
UPDATE tokens SET is_signed = 1, random = zeroblob(length(random)), salt = zeroblob(length(salt)),
    factor = zeroblob(length(factor)) WHERE receipt = ?
"""
_ANEW = "n_attempts = 0, unknown_s = 0, unknown_at = 0"
_SEND = f"UPDATE outbox SET body = ?, delay_until = ?, {_ANEW} WHERE receipt = ?"  # noqa: S608  # built of constants
_PLACE = "UPDATE tokens SET stratum = ?, salt = ?, factor = ? WHERE receipt = ?"
_PLACE_ONCE = f"{_PLACE} AND stratum = 0"
# Once no report waits for its token: of a survey whose last token is there, or that this device takes part in no more.
_RELEASE = """
UPDATE tokens SET invitation = zeroblob(length(invitation))
WHERE invitation <> zeroblob(length(invitation))
    AND fingerprint NOT IN (SELECT fingerprint FROM tokens JOIN outbox USING (receipt)
                            WHERE NOT is_signed AND rejected IS NULL)
    AND (fingerprint IN (SELECT fingerprint FROM tokens WHERE is_signed AND wave = last_wave)
         OR fingerprint NOT IN (SELECT fingerprint FROM ledger WHERE secret <> zeroblob(length(secret))))
"""


@dataclass(frozen=True, slots=True)
class Wish:
    """A token that a device wants. `keys`: of its wave, one of each stratum; `stratum`: 0 until the collector said it.

    `blinding`: drawn with the stratum, and kept before anything is sent, so that it is sent again alike.
    """

    fingerprint: str
    wave: int
    keys: tuple[str, ...]
    random: bytes = field(repr=False)
    stratum: int
    blinding: Blinding
    invitation: bytes = field(repr=False)
    max_delay_s: float

    @property
    def message(self) -> bytes:
        """What is to be signed."""
        return token_message(self.random, self.fingerprint, self.wave)

    @property
    def modulus(self) -> int:
        """The key of the stratum."""
        return read_key(self.keys[self.stratum - 1])

    @property
    def path(self) -> str:
        """Where it is posted next: first to ask for the stratum, then for the signature."""
        return "invitations/token" if self.stratum else "invitations/check"

    def body(self) -> bytes:
        """Return what is posted: the same each time."""
        sent = {"invitation": invitation_text(self.invitation), "wave": self.wave}
        if self.stratum:
            sent["blinded"] = to_base64url(self.blinding.blind(self.message, self.modulus))
        return canonical_json(sent)

    def token(self, signature: bytes) -> bytes | None:
        """Return the token of a blind signature; None where it does not fit the survey's key."""
        finished = self.blinding.finish(self.message, signature, self.modulus)
        return None if finished is None else self.random + finished


def read_wish(*row: Any) -> Wish:
    """Return a wish of its columns."""
    expect(row, str, int, str, bytes, int, bytes, bytes, bytes, float)
    fingerprint, wave, keys, random, stratum, salt, factor, invitation, max_delay_s = row
    listed = tuple(keys.split())
    if not 0 <= stratum <= len(listed):
        raise ValueError("a token is of none of its strata.")
    return Wish(fingerprint, wave, listed, random, stratum, Blinding(salt, factor), invitation, max_delay_s)


class Tokens:
    """The tokens of a state, read and written inside one of its transactions."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def draw_message(self, survey: "Survey", wave: int) -> tuple[bytes, bytes]:
        """Return random bytes, and the message that they make. Raises SurveyRefused where a survey has no keys."""
        if not survey.token_keys:
            raise SurveyRefused(f"survey {survey.id} is refused: it has blind invitations, and names no keys for them.")
        random = draw_random()
        return random, token_message(random, survey.fingerprint, wave)

    def want(
        self,
        survey: "Survey",
        receipt: str,
        random: bytes,
        of_wave: tuple[int, int],
        invitation: bytes | None,
        max_delay_s: float,
    ) -> None:
        """Add a wish for a report's token; `of_wave`: its wave, and the last of this device's.

        The invitation is the one that was given, or else that of a wave before. Raises InvitationError.
        """
        known = invitation or self._invitation_of(survey.fingerprint)
        if known is None:
            raise InvitationError(f"survey {survey.id} is for invited people; invitation must be given.")
        wave, last_wave = of_wave
        keys = survey.token_keys[wave - 1 :: survey.waves]
        row = receipt, survey.fingerprint, wave, last_wave, " ".join(keys), random, *_first_place(keys)
        self._connection.execute(_INSERT, (*row, known, max_delay_s))

    def _invitation_of(self, fingerprint: str) -> bytes | None:
        rows = self._connection.execute(
            "SELECT invitation FROM tokens WHERE fingerprint = ? ORDER BY wave DESC", (fingerprint,)
        )
        return next((bytes(row[0]) for row in rows.fetchall() if any(row[0])), None)

    def place(self, receipt: str, wish: Wish, stratum: int) -> None:
        """Keep the stratum of a wish, and draw what blinds it, unless another process has: it may have sent that."""
        drawn = Blinding.draw(read_key(wish.keys[stratum - 1]))
        self._connection.execute(_PLACE_ONCE, (stratum, drawn.salt, drawn.factor, receipt))

    def keep(self, receipt: str, wish: Wish, body: bytes, token: bytes, delay_until: float) -> None:
        """Make a report whole, to be sent when its delay is over, and forget what could join it to its invitation."""
        whole = with_token(body, token, wish.stratum, len(wish.keys))
        self._connection.execute(_SEND, (whole, delay_until, receipt))
        self._connection.execute(_KEEP, (receipt,))
        self.release()

    def admit(self, receipt: str, invitation: bytes | None) -> bool | None:
        """Let a refused report try again, with another invitation if one is given; None where it has no token.

        False where its invitation is wiped.
        """
        asked = "SELECT is_signed, invitation, keys FROM tokens WHERE receipt = ?"
        row = self._connection.execute(asked, (receipt,)).fetchone()
        if row is None:
            return None
        is_signed, known, keys = row
        if not is_signed and invitation not in (None, known):
            self._connection.execute(_PLACE, (*_first_place(keys.split()), receipt))
            self._connection.execute("UPDATE tokens SET invitation = ? WHERE receipt = ?", (invitation, receipt))
        return bool(is_signed) or any(invitation or known)

    def release(self) -> None:
        """Wipe the invitations that no wish needs any more."""
        self._connection.execute(_RELEASE)


def _first_place(keys: Sequence[str]) -> tuple[int, bytes, bytes]:
    """Return the stratum, salt and factor of a new wish: nobody needs to ask for the stratum where there is one."""
    if len(keys) > 1:
        return 0, bytes(SALT_BYTES), bytes(MODULUS_BYTES)
    drawn = Blinding.draw(read_key(keys[0]))
    return 1, drawn.salt, drawn.factor
