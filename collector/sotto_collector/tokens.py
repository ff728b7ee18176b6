"""Tokens: made from the operating system's entropy, shown once, stored as SHA-256, exact in what they allow."""

import hashlib
import secrets
import time

from sotto_collector.errors import TokenError
from sotto_collector.store import StoredToken, TokenTable

ROLES = ("admin", "analyst", "monitor", "reader")
"""admin publishes, sets, closes and erases surveys, and makes invitations and tokens; analyst reads tallies and noisy
reports; monitor reads the metrics, as the others can, and nothing else; reader sees the results page of one survey, by
a share link, and nothing else. None includes another."""
ALL_SURVEYS_ONLY = ("monitor",)
"""Roles whose tokens must be for all surveys."""
ONE_SURVEY_ONLY = ("reader",)
"""Roles whose tokens must be for one survey, and end within MAX_SHARED_S."""
MAX_SHARED_S = 366 * 86400
TOKEN_BYTES = 32
MAX_LIFE_S = 10 * 365 * 86400
MIN_PREFIX = 6  # hexadecimal digits that name a token to revoke


def create_token(
    table: TokenTable,
    role: str,
    label: str = "",
    *,
    survey_id: str | None = None,
    expires_in_s: int | None = None,
) -> str:
    """Make a token of a role in ROLES, and return it: it cannot be seen again.

    `survey_id`: it is for this survey only. `expires_in_s`: it ends after so many seconds.
    """
    if role not in ROLES:
        raise TokenError(f"role ({role}) must be one of {', '.join(ROLES)}.")
    if survey_id is not None and role in ALL_SURVEYS_ONLY:
        raise TokenError(f"a token of the role {role} must be for all surveys.")
    if role in ONE_SURVEY_ONLY and survey_id is None:
        raise TokenError(f"a token of the role {role} must be for one survey.")
    if role in ONE_SURVEY_ONLY and (expires_in_s is None or expires_in_s > MAX_SHARED_S):
        raise TokenError(f"a token of the role {role} must end within {MAX_SHARED_S // 86400} days.")
    if expires_in_s is not None and not 0 < expires_in_s <= MAX_LIFE_S:
        raise TokenError(f"the life of a token ({expires_in_s}) must be in [1, {MAX_LIFE_S}] seconds.")
    token = f"sotto_{role}_{secrets.token_urlsafe(TOKEN_BYTES)}"
    ends = None if expires_in_s is None else int(time.time()) + expires_in_s
    table.add(StoredToken(hash_token(token), role, label, survey_id, ends))
    return token


def hash_token(token: str) -> bytes:
    """Return what is stored of a token: 256 random bits need no slow hash."""
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).digest()


def find_token(table: TokenTable, token: str) -> StoredToken | None:
    """Return what a token allows, or allowed until it ended (`has_ended`); None where it is not known.

    The time that this takes depends on the token's hash alone, which a stranger cannot choose.
    """
    return table.find(hash_token(token))


def has_ended(token: StoredToken) -> bool:
    """Return whether a token's time is over."""
    return token.expires_s is not None and token.expires_s <= time.time()


def revoke_token(table: TokenTable, prefix: str) -> StoredToken:
    """Delete the one token whose hash, in hexadecimal, begins with `prefix`, and return it.

    Raises TokenError unless exactly one does.
    """
    found = _find_one(table, prefix)
    table.remove(found.token_hash)
    return found


def rotate_token(table: TokenTable, prefix: str, overlap_s: int) -> str:
    """Make a token that allows what another does, and return it; the other ends after `overlap_s` seconds.

    Raises TokenError unless exactly one token's hash begins with `prefix`, and it has not ended.
    """
    if not 0 <= overlap_s <= MAX_LIFE_S:
        raise TokenError(f"overlap ({overlap_s}) must be in [0, {MAX_LIFE_S}] seconds.")
    old = _find_one(table, prefix)
    if has_ended(old):
        raise TokenError("the token has ended, so it cannot be replaced: create a new one.")
    token = f"sotto_{old.role}_{secrets.token_urlsafe(TOKEN_BYTES)}"
    new = StoredToken(hash_token(token), old.role, old.label, old.survey_id, old.expires_s)
    ends = int(time.time()) + overlap_s
    table.replace(old.token_hash, ends if old.expires_s is None else min(ends, old.expires_s), new)
    return token


def _find_one(table: TokenTable, prefix: str) -> StoredToken:
    if len(prefix) < MIN_PREFIX:
        raise TokenError(f"hash prefix must be at least {MIN_PREFIX} hexadecimal digits.")
    found = [token for token in table.list() if token.token_hash.hex().startswith(prefix.lower())]
    if len(found) != 1:
        raise TokenError(f"hash prefix must match exactly one token; it matches {len(found)}.")
    return found[0]
