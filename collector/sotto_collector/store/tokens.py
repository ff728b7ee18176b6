"""The table of tokens: their hashes, and what each allows."""

from dataclasses import dataclass

from sqlalchemy import Connection, delete, insert, select, update

from sotto_collector.journal import EndedToken
from sotto_collector.store.schema import tokens
from sotto_collector.store.store import Store
from sotto_collector.store.transaction import Transaction


@dataclass(frozen=True, slots=True)
class StoredToken:
    """A token: `token_hash` is its SHA-256, 32 bytes; `survey_id` None: for all surveys; `expires_s` None: no end."""

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
        self._store.run(lambda transaction: _insert(transaction.connection, token))

    def replace(self, token_hash: bytes, expires_s: int, new: StoredToken) -> None:
        """Store a token's hash, and let another token end at a Unix time: both or neither."""
        ends = update(tokens).where(tokens.c.token_hash == token_hash).values(expires_s=expires_s)

        def work(transaction: Transaction) -> None:
            transaction.note(EndedToken(hash=token_hash.hex(), expires_s=expires_s))
            transaction.connection.execute(ends)
            _insert(transaction.connection, new)

        self._store.run(work)

    def remove(self, token_hash: bytes) -> None:
        """Delete a token's hash, if it is there."""
        gone = delete(tokens).where(tokens.c.token_hash == token_hash)

        def work(transaction: Transaction) -> None:
            transaction.note(EndedToken(hash=token_hash.hex()))
            transaction.connection.execute(gone)

        self._store.run(work)

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


def _insert(connection: Connection, token: StoredToken) -> None:
    """Insert a token's hash, unless a commit whose confirmation was lost has done it."""
    known = select(tokens.c.token_hash).where(tokens.c.token_hash == token.token_hash)
    if connection.execute(known).first() is None:
        connection.execute(insert(tokens), {name: getattr(token, name) for name in StoredToken.__slots__})
