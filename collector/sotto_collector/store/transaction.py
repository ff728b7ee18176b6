"""What is written about surveys and their reports, inside one transaction of the store."""

import secrets
from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from operator import add
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, and_, delete, func, insert, select, update

from sotto_collector.day import Today, today_utc
from sotto_collector.errors import StoreUnavailableError
from sotto_collector.journal import (
    Act,
    ClosedSurvey,
    ErasedReport,
    ErasedSurvey,
    IssuedToken,
    Journal,
    OfSurvey,
    RevokedInvitations,
)
from sotto_collector.store.dialect import Dialect, Ids
from sotto_collector.store.journals import know_reach, known_reaches, lock_journal
from sotto_collector.store.refused import check_not_refused, refuse_surveys
from sotto_collector.store.schema import (
    inbox,
    invitations,
    issued_tokens,
    release_floors,
    releases,
    reports,
    surveys,
    tallies,
    token_keys,
    tokens,
)
from sotto_collector.store.stock import Stock, count_stock
from sotto_protocol import Survey, Tally
from sotto_protocol.counted import PackedCounts, PackedTally

_COUNT_TYPES = {width: np.dtype(name) for width, name in ((1, "u1"), (2, "<u2"), (4, "<u4"), (8, "<i8"))}
"""How counts are stored, by the bytes that each takes."""
HASHES_AT_ONCE = 10_000
"""A statement takes so many values: PostgreSQL allows 65,535, and one request may be set to bring more reports."""

_OF_SHARD = "WHERE survey_key = :key AND cell = :cell AND shard = :shard"
_READ_TALLY = f"SELECT n_reports, counts FROM tallies {_OF_SHARD}"  # noqa: S608  # built of constants
_READ_SHARDS = "SELECT n_reports, counts FROM tallies WHERE survey_key = :key AND cell = :cell"
_UPDATE_TALLY = f"UPDATE tallies SET n_reports = :n_reports, counts = :counts {_OF_SHARD}"  # noqa: S608  # so is this
_INSERT_TALLY = "INSERT INTO tallies VALUES (:key, :cell, :shard, :n_reports, :counts)"
_OF_CODE = "WHERE survey_key = :key AND code_hash = :code_hash"
_FIND_ISSUED = f"SELECT stratum, blinded_hash, signature FROM issued_tokens {_OF_CODE} AND wave = :wave"  # noqa: S608
_ISSUE = "INSERT INTO issued_tokens VALUES (:key, :code_hash, :wave, :stratum, :blinded_hash, :signature)"
_FORGET_ISSUED = f"DELETE FROM issued_tokens {_OF_CODE} AND wave = :wave"  # noqa: S608
SEVERAL_SHARDS = (
    select(tallies.c.survey_key, tallies.c.cell)
    .group_by(tallies.c.survey_key, tallies.c.cell)
    .having(func.count() > 1)
    .order_by(tallies.c.survey_key)
)
"""The cells whose tally is in several shards."""


class Named(NamedTuple):
    """What has an id: its key and fingerprint; `preview` is None unless it is a draft."""

    key: int
    fingerprint: str
    preview: str | None


class IssuedRow(NamedTuple):
    """What was issued for an invitation: its blinded message by its hash, and the signature, None after a restore."""

    code_hash: bytes
    wave: int
    stratum: int
    blinded_hash: bytes
    signature: bytes | None


def find_issued(dialect: Dialect, connection: Connection, key: int, code_hash: bytes, wave: int) -> IssuedRow | None:
    """Return what was issued for an invitation in a wave; None if nothing was."""
    found = dialect.execute(connection, _FIND_ISSUED, key=key, code_hash=code_hash, wave=wave)
    return IssuedRow(code_hash, wave, *found[0]) if found else None


class Transaction:
    """An open write transaction. Made by `Store.transaction`, which commits it."""

    __slots__ = ("_dialect", "_journal", "_shard", "connection", "redoes", "today")

    def __init__(
        self,
        connection: Connection,
        dialect: Dialect,
        shard: int,
        today: Today = today_utc,
        journal: Journal | None = None,
    ) -> None:
        self.connection = connection
        self._dialect = dialect
        self._shard = shard
        self.today = today
        self._journal = journal
        self.redoes = False  # acts that a journal has already

    def note(self, *acts: Act) -> None:
        """Write acts into the journal, if there is one, before they are committed, and how far it goes then.

        Raises StoreUnavailableError, also where others have begun a journal: it would not tell of these.
        """
        if self.redoes or not acts:
            return
        if self._journal is None:
            if known_reaches(self.connection):
                raise StoreUnavailableError("this database has a journal by now; restart with --journal.")
            return
        journal_id = bytes.fromhex(self._journal.head.journal)
        known = lock_journal(self.connection, journal_id)
        know_reach(self.connection, journal_id, self._journal.write(*acts, least_bytes=known.n_bytes))

    def note_of(self, key: int, kind: type[OfSurvey], *values: Mapping[str, object]) -> None:
        """Write acts of a kind on a published survey into the journal likewise."""
        published = and_(surveys.c.survey_key == key, surveys.c.preview.is_(None))
        named = select(surveys.c.survey_id, surveys.c.fingerprint).where(published)
        if (found := self.connection.execute(named).first()) is not None:
            self.note(*(kind(survey=found[0], fingerprint=found[1], key=key, **each) for each in values))

    def ping(self) -> None:
        """Run a statement that does nothing: without one a lost connection is not noticed."""
        self._execute("SELECT 1")

    def take_time(self) -> None:
        """Lift the time limits of this transaction's statements: no respondent waits for it."""
        self._dialect.take_time(self.connection)

    def lock_survey(self, key: int, *, alone: bool = False) -> bool:
        """Lock a survey until the transaction ends, shared or `alone`; return whether it takes reports."""
        self._dialect.lock_survey(self.connection, key, alone=alone)
        return self._execute("SELECT is_open FROM surveys WHERE survey_key = :key", key=key) == [(1,)]

    def lock_tidying(self) -> None:
        """Let nobody rewrite the tables until the transaction ends: rows that are being rewritten would not be seen."""
        self._dialect.lock_tidying(self.connection)

    def _execute(self, statement: str, **values: object) -> list[tuple[Any, ...]]:
        return self._dialect.execute(self.connection, statement, **values)

    def insert_new(self, key: int, ids: Ids, records: NDArray[np.uint8]) -> NDArray[np.bool_]:
        """Insert the reports whose ids are not stored yet; return which, shape (n,).

        `ids`: n different ids, sorted, so that the order of rows tells nothing else. `records`: shape
        (n, layout.n_bytes), or (n, 0) where nothing but the ids is kept.
        """
        return self._dialect.insert(self.connection, key, ids, records)

    def move(self, key: int, low: bytes, high: bytes) -> None:
        """Move reports with ids in [low, high) from the inbox to `reports`."""
        self._dialect.lock_survey(self.connection, key, alone=False)
        self._dialect.move(self.connection, key, low, high)

    def settle(self) -> None:
        """Rewrite the inbox in the order of the ids: until then its rows tell the order of their commits."""
        self.take_time()
        keys = [row[0] for row in self._execute("SELECT DISTINCT survey_key FROM inbox ORDER BY survey_key")]
        for key in keys:
            self._dialect.lock_survey(self.connection, key, alone=False)
        if keys:
            self._dialect.settle(self.connection, keys)

    def find(self, key: int, ids: Ids) -> dict[int, bytes]:
        """Return the packed reports that are stored already, by position in ids; b"" for one that is not kept."""
        return self._dialect.find(self.connection, key, ids)

    def add_to_tally(self, key: int, cell: int, packed: PackedTally) -> None:
        """Add to the tally of a survey's cell (`Survey.cells`), in this process's shard, or begin it."""
        place = {"key": key, "cell": cell, "shard": self._shard}
        # By cell or by wave: the number of reports is all that is written of whose they are.
        known = self._execute(_READ_TALLY + self._dialect.for_update, **place)
        total = reduce(add, (unpack_row(cell, *row) for row in known), packed)
        statement = _UPDATE_TALLY if known else _INSERT_TALLY
        self._execute(statement, **place, n_reports=total.n_reports, counts=pack_counts(total.counts))

    def merge_shards(self, key: int, cell: int, without: PackedTally | None = None) -> None:
        """Make one shard of a cell's, and take reports out of it. The survey must be held alone."""
        shards = self._execute(_READ_SHARDS, key=key, cell=cell)
        self._execute("DELETE FROM tallies WHERE survey_key = :key AND cell = :cell", key=key, cell=cell)
        if shards:
            total = reduce(add, (unpack_row(cell, *row) for row in shards))
            self.add_to_tally(key, cell, total if without is None else total - without)

    def merge_all_shards(self) -> None:
        """Make one shard of every cell's: a shard alone says what one process has counted."""
        for key, cell in self.connection.execute(SEVERAL_SHARDS).all():
            self.lock_survey(key, alone=True)
            self.merge_shards(key, cell)

    def replace_tally(self, key: int, by_cell: dict[int, Tally]) -> None:
        """Replace a survey's tallies, by cell."""
        self.connection.execute(delete(tallies).where(tallies.c.survey_key == key))
        for cell, tally in by_cell.items():
            self.add_to_tally(key, cell, tally.pack())

    def erase_report(self, key: int, survey: Survey, report_id: bytes) -> bool:
        """Take a report out of the reports and its cell's tally; its id stays. Return whether its id is there.

        So erasing again returns the same as the first time: a sender that got no response, and the store itself after a
        commit that was not confirmed, try again.
        """
        self.lock_survey(key, alone=True)
        # In the direction in which reports are moved; one that was just being rewritten is found at the second look.
        for table in (inbox, reports, reports):
            this_report = and_(table.c.survey_key == key, table.c.report_id == report_id)
            packed = self.connection.scalar(select(table.c.packed).where(this_report).with_for_update())
            if packed == b"":
                return True
            if packed is not None:
                self.note_of(key, ErasedReport, {"receipt": report_id.hex()})
                self.connection.execute(update(table).where(this_report).values(packed=b""))
                record = np.frombuffer(packed, np.uint8).reshape(1, -1)
                # Not from this process's shard alone: that could then be exactly minus the report.
                self.merge_shards(key, int(survey.layout.cells(record)[0]), Tally.of(survey, record).pack())
                return True
        return False

    def lock_ids(self) -> None:
        """Let nobody else publish a survey or a draft until the transaction ends: two may have the same id."""
        self.lock_survey(0, alone=True)  # no survey's

    def find_named(self, survey_id: str) -> Named | None:
        """Return what has this id, a survey or a draft, if anything has."""
        columns = surveys.c
        asked = select(columns.survey_key, columns.fingerprint, columns.preview).where(columns.survey_id == survey_id)
        found = self.connection.execute(asked).first()
        return None if found is None else Named(*found)

    def insert_survey(self, survey: Survey, preview: str | None = None) -> None:
        """Insert a survey, open; with `preview` a draft. Raises SurveyExistsError where a restore has lost it."""
        if preview is None:
            check_not_refused(self.connection, survey)
        # Random, so that no survey gets the key of an erased one, which other processes may still have in memory.
        key = secrets.randbelow(2**31 - 1) + 1
        row = _describe(survey, preview) | {"survey_id": survey.id, "survey_key": key}
        self.connection.execute(insert(surveys), row)

    def replace_draft(self, key: int, survey: Survey, preview: str | None = None) -> None:
        """Put a survey in the place of a draft, published, or with `preview` another draft; what was set stays.

        Raises SurveyExistsError where a restore has lost it.
        """
        if preview is None:
            check_not_refused(self.connection, survey)
        self.lock_survey(key, alone=True)
        self.connection.execute(update(surveys).where(surveys.c.survey_key == key).values(_describe(survey, preview)))

    def update_survey(self, key: int, **values: object) -> None:
        """Change what may change of a survey: is_open, cors_origins, reports_per_minute."""
        self.lock_survey(key, alone=True)
        if values.get("is_open") == 0:
            self.note_of(key, ClosedSurvey, {})
        self.connection.execute(update(surveys).where(surveys.c.survey_key == key).values(values))

    def erase_survey(self, key: int) -> Stock:
        """Delete a survey, which is locked alone, and all that belongs to it; return what that was."""
        self.take_time()
        self.lock_tidying()
        found = count_stock(self.connection, key)
        this = surveys.c.survey_key == key
        survey_id = select(surveys.c.survey_id).where(this).scalar_subquery()
        for table in (tokens, token_keys):
            self.connection.execute(delete(table).where(table.c.survey_id == survey_id))
        for table in (inbox, reports, tallies, releases, release_floors, invitations, issued_tokens):
            self.connection.execute(delete(table).where(table.c.survey_key == key))
        self.note_of(key, ErasedSurvey, {})
        if found.ids:  # their devices could bring the reports back, and analysts may hold counts of them
            fingerprint = select(surveys.c.fingerprint).where(this)
            refuse_surveys(self.connection, self.connection.execute(fingerprint).scalars())
        self.connection.execute(delete(surveys).where(this))
        return found

    def add_invitations(self, key: int, code_hashes: Sequence[bytes], waves: int, stratum: int) -> None:
        """Insert invitations of a stratum, each for one report in every wave.

        Does nothing where they are there: a commit whose confirmation was lost has inserted all of them.
        """
        self.lock_survey(key)
        first = and_(invitations.c.survey_key == key, invitations.c.code_hash == code_hashes[0])
        if self.connection.execute(select(invitations.c.wave).where(first)).first() is not None:
            return
        rows = [
            {"survey_key": key, "code_hash": code_hash, "wave": wave, "stratum": stratum}
            for code_hash in sorted(code_hashes)
            for wave in range(1, waves + 1)
        ]
        self.connection.execute(insert(invitations), rows)

    def find_strata(self, key: int, code_hashes: Sequence[bytes]) -> dict[bytes, int]:
        """Return the stratum of each of these invitations that is not used up in every wave, by its hash."""
        columns, found = invitations.c, dict[bytes, int]()
        for start in range(0, len(code_hashes), HASHES_AT_ONCE):
            part = code_hashes[start : start + HASHES_AT_ONCE]
            asked = and_(columns.survey_key == key, columns.code_hash.in_(part))
            rows = self.connection.execute(select(columns.code_hash, columns.stratum).where(asked).distinct())
            found |= {bytes(code_hash): stratum for code_hash, stratum in rows}
        return found

    def redeem(self, key: int, code_hash: bytes, wave: int, n_stay: int = 0) -> bool:
        """Delete an invitation as it is used; return whether it was there. Nothing says which report used it.

        `n_stay`: for so many waves it stays unused, so it is not there if no more are left.
        """
        columns = invitations.c
        this = and_(columns.survey_key == key, columns.code_hash == code_hash)
        redeemed = and_(this, columns.wave == wave)
        if n_stay and self.connection.execute(select(func.count()).where(this)).scalar_one() <= n_stay:
            return False
        return self.connection.execute(delete(invitations).where(redeemed)).rowcount == 1

    def issue_token(self, key: int, token: IssuedRow, n_stay: int) -> IssuedRow | None:
        """Use an invitation up for a token, and return what was issued for it: this token, or an earlier one.

        None where there is no such invitation. `n_stay`: as `redeem`. A journal notes it: a restored store must not
        sign another message for the same invitation.
        """
        self.lock_survey(key, alone=True)
        issued = find_issued(self._dialect, self.connection, key, token.code_hash, token.wave)
        if issued is not None:
            if issued.signature is None and issued.blinded_hash == token.blinded_hash:
                self.replace_issued(key, token)
                return token
            return issued
        if not self.redeem(key, token.code_hash, token.wave, n_stay):
            return None
        self._execute(_ISSUE, key=key, **token._asdict())
        noted = {"wave": token.wave, "stratum": token.stratum}
        self.note_of(key, IssuedToken, noted | {"hash": token.code_hash.hex(), "blinded": token.blinded_hash.hex()})
        return token

    def replace_issued(self, key: int, token: IssuedRow) -> None:
        """Keep what was issued for an invitation, in the place of what was known of it."""
        self._execute(_FORGET_ISSUED, key=key, code_hash=token.code_hash, wave=token.wave)
        self._execute(_ISSUE, key=key, **token._asdict())

    def add_token_keys(self, survey_id: str, made: Mapping[int, bytes]) -> None:
        """Keep the private keys of a survey's tokens, by cell; those that are there stay."""
        self.lock_ids()
        there = {*self.connection.scalars(select(token_keys.c.cell).where(token_keys.c.survey_id == survey_id))}
        rows = [
            {"survey_id": survey_id, "cell": cell, "primes": primes}
            for cell, primes in made.items()
            if cell not in there
        ]
        if rows:
            self.connection.execute(insert(token_keys), rows)

    def revoke_invitations(self, key: int, code_hashes: Iterable[bytes] | None) -> int:
        """Delete invitations, or all of a survey; return how many could still have been used."""
        revoked = invitations.c.survey_key == key
        if code_hashes is None:
            self.take_time()
        else:
            revoked = and_(revoked, invitations.c.code_hash.in_(list(code_hashes)))
        if not self.redoes:  # a used one is not written down: its device may send again after a restore
            left = select(invitations.c.code_hash).where(revoked).distinct()
            # Sorted, so that their order tells nothing.
            hashes = sorted(bytes(code_hash).hex() for code_hash in self.connection.execute(left).scalars())
            parts = (hashes[start : start + HASHES_AT_ONCE] for start in range(0, len(hashes), HASHES_AT_ONCE))
            self.note_of(key, RevokedInvitations, *({"hashes": part} for part in parts))
        return self.connection.execute(delete(invitations).where(revoked)).rowcount


def _describe(survey: Survey, preview: str | None) -> dict[str, object]:
    """Return what is stored of a survey or a draft; of these none is open, so no report can be counted."""
    described = {"fingerprint": survey.fingerprint, "definition": survey.canonical, "erase_on": survey.erase_on or None}
    return described | {"preview": preview, "is_open": int(preview is None)}


def pack_counts(counts: PackedCounts) -> bytes:
    """Return counts as they are stored: a byte that says how many each takes, and they, little-endian.

    The fewest that hold the largest: a survey with few reports has few bytes to read and write in every commit.
    """
    largest = int(counts.max(initial=0)) if counts.min(initial=0) >= 0 else np.iinfo(np.int64).max
    width = next(width for width, dtype in _COUNT_TYPES.items() if largest <= np.iinfo(dtype).max)
    return bytes([width]) + counts.astype(_COUNT_TYPES[width]).tobytes()


def unpack_row(wave: int, n_reports: int, counts: bytes) -> PackedTally:
    """Return the tally of a wave (of a cell), or a shard of it, from what is stored."""
    read = np.frombuffer(counts, _COUNT_TYPES[counts[0]], offset=1)
    return PackedTally.of_wave(wave, n_reports, read.astype(np.int64))
