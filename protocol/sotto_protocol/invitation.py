"""Invitations: 16 random bytes each, written as 26 characters that people can type, and sent with a report."""

import base64
import json
from typing import Any

from sotto_protocol.blind import to_base64url
from sotto_protocol.documents import canonical_json
from sotto_protocol.errors import ReportError

INVITATION_BYTES = 16
MAX_INVITATIONS = 100_000
"""The most that are made at once; in a survey of several waves so many for all waves together."""
MAX_REVOKED = 10_000
"""The most that are revoked at once."""
N_CHARACTERS = 26
_MAX_TYPED = 200  # with all the dashes and spaces that somebody may put in


def invitation_text(code: bytes) -> str:
    """Return an invitation as it is written: 26 of a-z and 2-7 (base32 in lower case, without padding).

    Raises ValueError unless it has 16 bytes.
    """
    if len(code) != INVITATION_BYTES:
        raise ValueError(f"invitation must have {INVITATION_BYTES} bytes.")
    return base64.b32encode(code).decode().rstrip("=").lower()


def parse_invitation(text: Any, where: str = "$") -> bytes:
    """Return an invitation's bytes; upper case, dashes and white space are overlooked, for people who type it.

    Raises ReportError at `where`, which quotes nothing. Two texts that differ otherwise are two invitations.

    >>> parse_invitation("AAAQ-EAYE AUDA OCAJ BIFQ YDIO B4") == bytes(range(16))
    True
    """
    if isinstance(text, str) and len(text) <= _MAX_TYPED:
        letters = "".join(text.replace("-", "").split())
        if len(letters) == N_CHARACTERS and letters.isascii():
            code = _decode(letters)
            if code is not None and invitation_text(code) == letters.lower():  # the last two bits are zeros
                return code
    raise ReportError(where, f"must be {N_CHARACTERS} letters a to z and digits 2 to 7.")


def with_invitation(body: bytes, invitation: bytes) -> bytes:
    """Return a batch as it is sent, with this invitation, of 16 bytes, in every report: the same bytes every time."""
    return _with_members(body, {"invitation": invitation_text(invitation)})


def with_token(body: bytes, token: bytes, stratum: int, n_strata: int) -> bytes:
    """Return a batch of one report as it is sent, with its token, and its stratum of `n_strata` where there are more.

    Blanks fill it up: each stratum's is equally long.
    """
    of_stratum = {"stratum": stratum} if n_strata > 1 else {}
    return _with_members(body, {"token": to_base64url(token)} | of_stratum) + b" " * (
        len(str(n_strata)) - len(str(stratum))
    )


def _with_members(body: bytes, members: dict[str, Any]) -> bytes:
    batch = json.loads(body)
    for report in batch["reports"]:
        report |= members
    return canonical_json(batch) + body[len(body.rstrip()) :]


def _decode(letters: str) -> bytes | None:
    try:
        return base64.b32decode(letters.upper() + "======")
    except ValueError:
        return None
