"""Invitations: secrets that each admit one report (in every wave), shown once, stored as hashes, gone when used."""

import hashlib
import secrets
from collections.abc import Iterable
from functools import partial

from sqlalchemy import Connection, func, select

from sotto_collector.store import Store, StoredSurvey
from sotto_collector.store.schema import invitations
from sotto_collector.store.transaction import Transaction
from sotto_protocol import ReportError, Survey
from sotto_protocol.invitation import INVITATION_BYTES, invitation_text, parse_invitation

STATES = UNUSED, USED, INVALID = "unused", "used", "invalid"
"""What an invitation can be for a wave. INVALID: not one of the survey, or revoked, or used in every wave: nothing is
kept of it then, so these cannot be told apart. USED: in this wave, and not in another; or with `asked_in` in as many
waves as a device is asked in."""
ROWS_AT_ONCE = 5_000


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


def count_left(connection: Connection, stored: StoredSurvey, stratum: int | None) -> dict[int, int]:
    """Return what `count_invitations` does, of the waves that have any, in an open transaction."""
    columns = invitations.c
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
    is_left = len(waves) > stored.survey.waves - stored.survey.max_reports
    return UNUSED if wave in waves and is_left else USED if waves else INVALID


def _parse(text: str, index: int) -> bytes:
    try:
        return parse_invitation(text)
    except ReportError as fault:
        raise ReportError(f"$.invitations[{index}]", fault.problem) from None
