"""What was done after a backup, done again in the store that was made of it, in one transaction."""

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from sqlalchemy import ColumnElement, Connection, Table, and_, delete, func, or_, select, update

from sotto_collector.errors import JournalError, StoreError
from sotto_collector.journal import (
    Act,
    ClosedSurvey,
    EndedToken,
    ErasedReport,
    ErasedSurvey,
    IssuedToken,
    OfSurvey,
    Reach,
    ReadJournal,
    Released,
    RevokedInvitations,
    count_acts,
)
from sotto_collector.store import schema
from sotto_collector.store.about import LastRestore, note_restore, read_about
from sotto_collector.store.floors import UNKNOWN, largest_floor, n_sizes, raise_all_floors, raise_floor, tell_floor
from sotto_collector.store.journals import know_reach, known_reaches
from sotto_collector.store.refused import refuse_surveys
from sotto_collector.store.stock import count_tallied
from sotto_collector.store.stored import CLOSED, StoredSurvey
from sotto_collector.store.transaction import IssuedRow, Transaction

MAX_RESTORE_MARK = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Wishes:
    """What is known and wished beside a backup.

    `journals`: those of its collectors. `released`: of how many reports the largest tally is that analysts hold, by
    survey. `revokes_invitations`: those that are open are revoked. `confirm`: is given what would be erased whole
    (`find_doomed`) before anything is done, and raises where it shall not be.
    """

    journals: Sequence[ReadJournal] = ()
    released: Mapping[str, int] = field(default_factory=dict)
    revokes_invitations: bool = False
    confirm: Callable[[Mapping[str, int]], None] = lambda _: None


@dataclass(frozen=True, slots=True)
class SurveyRestored:
    """What is true of a survey in the restored store.

    `n_erased`: reports that were in the backup and are erased again. `n_open`: reports that open invitations admit.
    `withheld_below`: analysts are given counts of a wave (of a stratum) once it has so many reports; 0 where none were
    given that the store does not know, None where nobody knows, so that nothing more is given.
    """

    survey: str
    state: str
    n_reports: int
    n_erased: int
    n_open: int
    withheld_below: int | None


@dataclass(frozen=True, slots=True)
class Redone:
    """What is true of the restored store.

    `erased`: surveys that are erased again. `n_tokens`: tokens that are revoked or end earlier than in the backup.
    `missing`: the ids of the journals that the backup names, and that were not given.
    `refused`: surveys that are not there, and may not be published again: it is lost what was done to them, or they
    were erased. `past`: reports that went as their survey's day is past, by its id. `doubt`: why the clock is in doubt,
    None where it is not; `past_left`: surveys whose day is past by such a clock, whose reports are left to the
    collector. By the journal's path: `acts`, how many were read; `unchained`, how many of these have no number.
    `known_acts`: how many the backup knows of, by the path, or by the id of a journal that is missing; what an earlier
    sottovoce did not note is not there.
    """

    n_restores: int
    backup_day: str | None
    surveys: tuple[SurveyRestored, ...]
    erased: tuple[str, ...]
    n_tokens: int
    missing: tuple[str, ...]
    refused: tuple[str, ...] = ()
    past: Mapping[str, int] = field(default_factory=dict)
    past_left: tuple[str, ...] = ()
    doubt: str | None = None
    acts: Mapping[str, int] = field(default_factory=dict)
    unchained: Mapping[str, int] = field(default_factory=dict)
    known_acts: Mapping[str, int] = field(default_factory=dict)


def find_doomed(
    connection: Connection, surveys: Sequence[StoredSurvey], journals: Sequence[ReadJournal]
) -> dict[str, int]:
    """Return how many reports the surveys have that the journals say were erased whole, by id. Raises JournalError."""
    _check_journals(connection, journals)
    erased = {(act.key, act.fingerprint) for each in journals for act in each.acts if isinstance(act, ErasedSurvey)}
    doomed = [each for each in surveys if (each.key, each.survey.fingerprint) in erased and not each.is_draft]
    return {each.survey.id: count_tallied(connection, each.key) for each in doomed}


def redo(transaction: Transaction, surveys: Sequence[StoredSurvey], wishes: Wishes) -> Redone:
    """Do again what the journals say, make releases safe, and note the restore. Raises JournalError."""
    transaction.take_time()
    connection = transaction.connection
    about, begun = read_about(connection), known_reaches(connection)
    _check_journals(connection, wishes.journals)
    again = redo_acts(transaction, {stored.key: stored for stored in surveys}, wishes.journals)
    missing = _find_missing(connection, begun, wishes.journals)
    is_covered = bool(begun) and not missing
    left = [stored for stored in surveys if stored.key in again.known]
    watched = [stored for stored in left if stored.survey.min_reports > 1]
    if unknown := {*wishes.released} - {stored.survey.id for stored in watched if not stored.is_draft}:
        raise StoreError(
            f"--released {min(unknown)}: the backup has no such survey, or it is a draft or has no min_reports."
        )
    for stored in watched:
        if not stored.is_draft:
            _make_releases_safe(connection, stored, wishes.released.get(stored.survey.id), is_covered=is_covered)
        elif not is_covered:  # it may have been published since, and its counts given
            again.refused[stored.survey.fingerprint] = stored.survey.id
    if wishes.revokes_invitations:
        for stored in left:
            transaction.revoke_invitations(stored.key, None)
    refuse_surveys(connection, again.refused)
    _note_restore(connection, about.restore_mark, transaction.today(), count_acts(wishes.journals))
    described = tuple(_describe(connection, stored, again.n_erased.get(stored.key, 0)) for stored in left)
    erased = tuple(stored.survey.id for stored in surveys if stored.key not in again.known)
    published = {stored.survey.fingerprint for stored in left if not stored.is_draft}
    refused = {survey_id for fingerprint, survey_id in again.refused.items() if fingerprint not in published}
    return Redone(
        about.n_restores + 1,
        about.last_backup_day,
        described,
        erased,
        again.n_tokens,
        tuple(sorted(missing)),
        tuple(sorted(refused)),
        acts={str(journal.path): journal.n_acts for journal in wishes.journals},
        unchained={str(journal.path): n for journal in wishes.journals if (n := journal.n_unchained)},
        known_acts=_count_known(begun, wishes.journals),
    )


def _check_journals(connection: Connection, journals: Sequence[ReadJournal]) -> None:
    """Raise JournalError for a journal of another store, and for one that lacks what the backup has of it."""
    identity, begun = read_about(connection).identity.hex(), known_reaches(connection)
    for journal in journals:
        if journal.head.store != identity:
            raise JournalError(f"journal ({journal.path}) must be this database's; it is of another collector's.")
        if known := begun.get(bytes.fromhex(journal.head.journal)):
            journal.check_has(known, "the backup")


def _count_known(begun: Mapping[bytes, Reach], read: Sequence[ReadJournal]) -> dict[str, int]:
    """Return how many acts the backup knows of, by the journal's path, or its id where it was not read."""
    names = {journal.head.journal: str(journal.path) for journal in read}
    known = {names.get(journal_id.hex(), journal_id.hex()): reach.n_acts for journal_id, reach in begun.items()}
    return {name: n_acts for name, n_acts in known.items() if n_acts is not None}


def redo_acts(transaction: Transaction, surveys: dict[int, StoredSurvey], read: Sequence[ReadJournal]) -> "_Redoing":
    """Do again what journals say, with these surveys there, by key; its `refused` are the caller's to refuse."""
    transaction.redoes = True
    again = _Redoing(transaction, surveys)
    for journal in read:
        for act in journal.acts:
            again.do(act, journal)
    return again


def _find_missing(connection: Connection, begun: Mapping[bytes, Reach], read: Sequence[ReadJournal]) -> set[str]:
    """Note how far the journals go that were read; return which others were begun.

    `begun`: how much of each journal the backup has.
    """
    reaches: dict[bytes, Reach] = {}
    for journal in read:
        journal_id = bytes.fromhex(journal.head.journal)
        reaches[journal_id] = max(journal.reach, reaches.get(journal_id, Reach(0)), key=lambda reach: reach.n_bytes)
    for journal_id, reach in reaches.items():
        know_reach(connection, journal_id, reach)
    return {journal_id.hex() for journal_id in begun if journal_id not in reaches}


class _Redoing:
    """Acts, done again.

    `known`: the surveys that are there, by key. `n_erased`: reports that went, by survey's key. `refused`: the ids of
    the surveys that must not be published again, by fingerprint.
    """

    def __init__(self, transaction: Transaction, known: dict[int, StoredSurvey]) -> None:
        self.known = known
        self.n_erased: dict[int, int] = {}
        self.n_tokens = 0
        self.refused: dict[str, str] = {}
        self._transaction = transaction

    def do(self, act: Act, journal: ReadJournal) -> None:
        """Do an act again; of a survey that was published since the backup, note that it happened."""
        if isinstance(act, EndedToken):
            self.n_tokens += _end_token(self._transaction.connection, act)
            return
        assert isinstance(act, OfSurvey)  # noqa: S101  # there is no other
        stored = self.known.get(act.key)
        is_there = stored is not None and stored.survey.fingerprint == act.fingerprint and not stored.is_draft
        if isinstance(act, ErasedSurvey) or not (is_there or isinstance(act, RevokedInvitations | IssuedToken)):
            self.refused[act.fingerprint] = act.survey
        if stored is not None and is_there:
            self._do_to(stored, act, journal)

    def _do_to(self, stored: StoredSurvey, act: OfSurvey, journal: ReadJournal) -> None:
        transaction = self._transaction
        match act:
            case ErasedReport():
                self._erase(stored, bytes.fromhex(act.receipt))
            case ErasedSurvey():
                transaction.lock_survey(stored.key, alone=True)
                transaction.erase_survey(stored.key)
                del self.known[stored.key]
            case ClosedSurvey():
                transaction.update_survey(stored.key, is_open=0)
            case RevokedInvitations():
                transaction.revoke_invitations(stored.key, map(bytes.fromhex, act.hashes))
            case IssuedToken():
                self._issue(stored, act)
            case Released():
                if len(act.sizes) != n_sizes(stored.survey):
                    raise JournalError(f"journal ({journal.path}): a release of {act.survey} is not one of its own.")
                raise_floor(transaction.connection, stored, act.cell, np.array(act.sizes, np.int64))

    def _issue(self, stored: StoredSurvey, act: IssuedToken) -> None:
        """Use an invitation up again. Its device has the token, or asks with the same blinded message, and gets it.

        Of several acts of one invitation only the last was committed, and nothing was signed for the others.
        """
        code_hash = bytes.fromhex(act.hash)
        self._transaction.redeem(stored.key, code_hash, act.wave)
        issued = IssuedRow(code_hash, act.wave, act.stratum, bytes.fromhex(act.blinded), None)
        self._transaction.replace_issued(stored.key, issued)

    def _erase(self, stored: StoredSurvey, report_id: bytes) -> None:
        """Erase a report; of one that came after the backup the id is kept, so that its device cannot send it again."""
        ids = np.frombuffer(report_id, "V16")
        there = self._transaction.find(stored.key, ids).get(0)
        if there:
            self.n_erased[stored.key] = self.n_erased.get(stored.key, 0) + 1
        if there is None:
            self._transaction.lock_survey(stored.key, alone=True)
            self._transaction.insert_new(stored.key, ids, np.empty((1, 0), np.uint8))
        else:
            self._transaction.erase_report(stored.key, stored.survey, report_id)


def _end_token(connection: Connection, act: EndedToken) -> int:
    """Revoke a token, or let it end no later than it was to; return how many that changes."""
    columns = schema.tokens.c
    this = columns.token_hash == bytes.fromhex(act.hash)
    if act.expires_s is None:
        return connection.execute(delete(schema.tokens).where(this)).rowcount
    later = or_(columns.expires_s.is_(None), columns.expires_s > act.expires_s)
    return connection.execute(update(schema.tokens).where(and_(this, later)).values(expires_s=act.expires_s)).rowcount


def _make_releases_safe(connection: Connection, stored: StoredSurvey, told: int | None, *, is_covered: bool) -> None:
    """Let nothing be given that differs by too few reports from what analysts hold."""
    if told is not None:
        tell_floor(connection, stored, told)
    elif not is_covered:
        raise_all_floors(connection, stored, UNKNOWN)


def _note_restore(connection: Connection, mark: int, day: str, n_acts: int) -> None:
    """Draw a new mark, and say what was done; collectors go on with the journals that they have."""
    columns, drawn = schema.store.c, mark
    while drawn == mark:
        drawn = secrets.randbelow(MAX_RESTORE_MARK) + 1
    connection.execute(update(schema.store).values(n_restores=columns.n_restores + 1, restore_mark=drawn))
    note_restore(connection, LastRestore(day, n_acts, is_checked=False))


def _ask(connection: Connection, stored: StoredSurvey, value: ColumnElement[int], table: Table) -> int:
    return int(connection.execute(select(value).where(table.c.survey_key == stored.key)).scalar_one())


def _describe(connection: Connection, stored: StoredSurvey, n_erased: int) -> SurveyRestored:
    is_closed = _ask(connection, stored, schema.surveys.c.is_open, schema.surveys) == 0 and not stored.is_draft
    n_reports = count_tallied(connection, stored.key)
    n_open, floor = _ask(connection, stored, func.count(), schema.invitations), largest_floor(connection, stored)
    below = None if floor >= UNKNOWN else floor and floor + stored.survey.min_reports
    state = CLOSED if is_closed else stored.state
    return SurveyRestored(stored.survey.id, state, n_reports, n_erased, n_open, below)
