"""Tokens: made from the operating system's entropy, shown once, stored as SHA-256, exact in what they allow."""

import hashlib
import secrets

from sotto_collector.errors import TokenError
from sotto_collector.store import Store, StoredToken

ROLES = ("admin", "analyst")
"""admin publishes and closes surveys; analyst reads tallies. Neither includes the other."""
TOKEN_BYTES = 32
MIN_PREFIX = 6  # hexadecimal digits that name a token to revoke


def create_token(store: Store, role: str, label: str = "") -> str:
    """Make a token of a role in ROLES, and return it: it cannot be seen again."""
    if role not in ROLES:
        raise TokenError(f"role ({role}) must be one of {', '.join(ROLES)}.")
    token = f"sotto_{role}_{secrets.token_urlsafe(TOKEN_BYTES)}"
    store.add_token(StoredToken(hash_token(token), role, label))
    return token


def hash_token(token: str) -> bytes:
    """Return what is stored of a token: 256 random bits need no slow hash."""
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).digest()


def revoke_token(store: Store, prefix: str) -> StoredToken:
    """Forget the one token whose hash, in hexadecimal, begins with `prefix`, and return what was known of it.

    Raises TokenError unless exactly one does.
    """
    if len(prefix) < MIN_PREFIX:
        raise TokenError(f"hash prefix must be at least {MIN_PREFIX} hexadecimal digits.")
    found = [token for token in store.list_tokens() if token.token_hash.hex().startswith(prefix.lower())]
    if len(found) != 1:
        raise TokenError(f"hash prefix must be that of exactly one token; it is that of {len(found)}.")
    store.remove_token(found[0].token_hash)
    return found[0]
