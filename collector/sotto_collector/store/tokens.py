"""The table of tokens: their hashes, and what each allows."""

from dataclasses import dataclass

from sqlalchemy import delete, insert, select, update

from sotto_collector.store.schema import tokens
from sotto_collector.store.store import Store


@dataclass(frozen=True, slots=True)
class StoredToken:
    """What is known of a token: `token_hash` is its SHA-256, 32 bytes. None: of all surveys; it never ends."""

    token_hash: bytes
    role: str
    label: str
    survey_id: str | None = None
    expires_s: int | None = None


class TokenTable:
    """The tokens of a store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def add(self, token: StoredToken) -> None:
        """Store a token's hash."""
        values = {name: getattr(token, name) for name in StoredToken.__slots__}
        self._store.run(lambda transaction: transaction.connection.execute(insert(tokens), values))

    def remove(self, token_hash: bytes) -> None:
        """Forget a token's hash, if it is there."""
        gone = delete(tokens).where(tokens.c.token_hash == token_hash)
        self._store.run(lambda transaction: transaction.connection.execute(gone))

    def end(self, token_hash: bytes, expires_s: int) -> None:
        """Let a token end at a Unix time."""
        ends = update(tokens).where(tokens.c.token_hash == token_hash).values(expires_s=expires_s)
        self._store.run(lambda transaction: transaction.connection.execute(ends))

    def find(self, token_hash: bytes) -> StoredToken | None:
        """Return the token of this hash, whether or not it has ended."""
        with self._store.reader() as connection:
            row = connection.execute(select(tokens).where(tokens.c.token_hash == token_hash)).first()
        return None if row is None else StoredToken(bytes(row[0]), *row[1:])

    def list(self) -> list[StoredToken]:
        """Return every token, by label."""
        with self._store.reader() as connection:
            rows = connection.execute(select(tokens).order_by(tokens.c.label, tokens.c.token_hash)).all()
        return [StoredToken(bytes(row[0]), *row[1:]) for row in rows]
