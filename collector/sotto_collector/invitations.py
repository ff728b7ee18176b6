"""Invitations: secrets that each admit one report (in every wave), shown once, stored as hashes, gone when used."""

import hashlib
import secrets
from collections.abc import Iterable
from functools import partial

from sqlalchemy import Connection, Table, func, select

from sotto_collector.errors import TradedError
from sotto_collector.store import Store, StoredSurvey
from sotto_collector.store.schema import invitations
from sotto_collector.store.transaction import IssuedRow, Transaction, find_issued
from sotto_collector.token_keys import key_of
from sotto_protocol import ReportError, Survey
from sotto_protocol.blind import MODULUS_BYTES
from sotto_protocol.invitation import INVITATION_BYTES, invitation_text, parse_invitation

STATES = UNUSED, USED, INVALID = "unused", "used", "invalid"
"""What an invitation can be for a wave. INVALID: not one of the survey, or revoked, or used in every wave: nothing is
kept of it then, so these cannot be told apart. USED: in this wave, and not in another; or with `asked_in` in as many
waves as a device is asked in. Where invitations are blind they are used as they are traded, and one that was used in
every wave is USED."""
ROWS_AT_ONCE = 5_000
_OF_CODE = "WHERE survey_key = :key AND code_hash = :code_hash"
_FIND_STRATUM = f"SELECT stratum FROM invitations {_OF_CODE} UNION ALL SELECT stratum FROM issued_tokens {_OF_CODE}"  # noqa: S608


def hash_invitation(code: bytes, survey: Survey) -> bytes:
    """Return what is stored of an invitation: 128 random bits need no slow hash. The hash is of one survey."""
    return hashlib.sha256(f"sottovoce invitation {survey.fingerprint} ".encode() + code).digest()


def make_invitations(store: Store, stored: StoredSurvey, n_invitations: int, stratum: int = 1) -> list[str]:
    """Make invitations of a stratum, and return them: they cannot be seen again.

    They are inserted in parts: reports come meanwhile.
    """
    codes = [secrets.token_bytes(INVITATION_BYTES) for _ in range(n_invitations)]
    hashes = [hash_invitation(code, stored.survey) for code in codes]
    step = max(1, ROWS_AT_ONCE // stored.survey.waves)
    for start in range(0, len(hashes), step):
        part = hashes[start : start + step]
        of = partial(Transaction.add_invitations, key=stored.key, waves=stored.survey.waves, stratum=stratum)
        store.run(partial(of, code_hashes=part))
    return [invitation_text(code) for code in codes]


def revoke_invitations(store: Store, stored: StoredSurvey, texts: Iterable[str] | None) -> int:
    """Revoke these invitations, or all of a survey; return how many could still have been used.

    Raises ReportError, with the place, where a text is no invitation; none is revoked then.
    """
    if texts is None:
        return store.run(lambda transaction: transaction.revoke_invitations(stored.key, None))
    hashes = [hash_invitation(_parse(text, index), stored.survey) for index, text in enumerate(texts)]
    return store.run(lambda transaction: transaction.revoke_invitations(stored.key, hashes))


def count_invitations(store: Store, stored: StoredSurvey, stratum: int | None = None) -> dict[int, int]:
    """Return how many invitations, of a stratum or of all, are not used yet, by wave."""
    with store.reader() as connection:
        left = count_left(connection, stored, stratum)
    return {wave: left.get(wave, 0) for wave in range(1, stored.survey.waves + 1)}


def count_left(
    connection: Connection, stored: StoredSurvey, stratum: int | None, table: Table = invitations
) -> dict[int, int]:
    """Return what `count_invitations` does, of the waves that have any, in an open transaction.

    With the table `issued_tokens`, how many were traded for tokens.
    """
    columns = table.c
    statement = select(columns.wave, func.count()).where(columns.survey_key == stored.key)
    if stratum is not None:
        statement = statement.where(columns.stratum == stratum)
    return {row[0]: row[1] for row in connection.execute(statement.group_by(columns.wave))}


def check_invitation(store: Store, stored: StoredSurvey, text: str, wave: int) -> str:
    """Return in which of the STATES an invitation is for a wave. It is read by its hash alone, and nothing is written.

    What is not written like one is INVALID, as one is that was never made: one statement says all of any other.
    """
    try:
        code_hash = hash_invitation(parse_invitation(text), stored.survey)
    except ReportError:
        return INVALID
    columns = invitations.c
    left = select(columns.wave).where(columns.survey_key == stored.key, columns.code_hash == code_hash)
    with store.reader() as connection:
        waves = {*connection.execute(left).scalars()}
        if stored.survey.is_blind and not waves and _stratum_of(store, connection, stored, code_hash) is not None:
            return USED
    is_left = len(waves) > stored.survey.waves - stored.survey.max_reports
    return UNUSED if wave in waves and is_left else USED if waves else INVALID


def find_stratum_of(store: Store, stored: StoredSurvey, text: str) -> int | None:
    """Return the stratum of an invitation of a blind survey, traded or not; None where it is none."""
    try:
        code_hash = hash_invitation(parse_invitation(text), stored.survey)
    except ReportError:
        return None
    with store.reader() as connection:
        return _stratum_of(store, connection, stored, code_hash)


def _stratum_of(store: Store, connection: Connection, stored: StoredSurvey, code_hash: bytes) -> int | None:
    found = store.dialect.execute(connection, _FIND_STRATUM, key=stored.key, code_hash=code_hash)
    return int(found[0][0]) if found else None


def trade_invitation(store: Store, stored: StoredSurvey, text: str, wave: int, blinded: bytes) -> IssuedRow | None:
    """Return the token's row for an invitation of a blind survey, with the blind signature of `blinded`.

    The same blinded message gets the same signature again. None where there is no such invitation, as it was never one,
    or revoked, or a device has all its tokens. Raises TradedError where it was traded for another message, ValueError
    for what is no blinded message.
    """
    survey = stored.survey
    try:
        code_hash = hash_invitation(parse_invitation(text), survey)
    except ReportError:
        return None
    blinded_hash = hashlib.sha256(blinded).digest()
    with store.reader() as connection:
        issued = find_issued(store.dialect, connection, stored.key, code_hash, wave)
        stratum = _stratum_of(store, connection, stored, code_hash)
    if stratum is None:
        return None
    if issued is None or (issued.signature is None and issued.blinded_hash == blinded_hash):
        key = key_of(store, survey, survey.cell_of(wave, stratum))
        signature = key.sign(int.from_bytes(blinded)).to_bytes(MODULUS_BYTES)
        row = IssuedRow(code_hash, wave, stratum, blinded_hash, signature)
        n_stay = survey.waves - survey.max_reports
        issued = store.run(lambda transaction: transaction.issue_token(stored.key, row, n_stay))
    if issued is not None and issued.blinded_hash != blinded_hash:
        raise TradedError("the invitation was traded for another token.")
    return issued


def _parse(text: str, index: int) -> bytes:
    try:
        return parse_invitation(text)
    except ReportError as fault:
        raise ReportError(f"$.invitations[{index}]", fault.problem) from None
