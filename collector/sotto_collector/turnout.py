"""How many were invited to a survey, and how many of them sent a report: for its admins and analysts."""

from collections import defaultdict
from collections.abc import Mapping
from typing import NamedTuple

from sqlalchemy import Connection, func, select

from sotto_collector.invitations import count_left
from sotto_collector.store import Store, StoredSurvey
from sotto_collector.store.schema import issued_tokens, tallies
from sotto_protocol import Tally


class Turnout(NamedTuple):
    """Of a wave: how many were `invited`, and how many reports came; None where there are fewer than `min_reports`.

    `tokens`: for how many invitations a token was issued, where they are blind. Reports come later.
    """

    wave: int
    invited: int
    n_reports: int | None
    tokens: int = 0


def count_turnout(
    store: Store, stored: StoredSurvey, released: Mapping[int, Tally], stratum: int | None = None
) -> list[Turnout]:
    """Return how many were invited and how many took part, for each wave of an invited survey, of a stratum or of all.

    `released`: its tallies by wave as they may be seen (`read_released_waves`), in steps of `min_reports`. So who looks
    often sees no report come: `invited`, used or not, stays the same then. Erased reports are in neither.
    """
    invited, issued = count_invited(store, stored, stratum), count_issued(store, stored, stratum)
    none = 0 if stored.survey.min_reports == 1 else None
    return [
        Turnout(wave, invited.get(wave, 0), released[wave].n_reports if wave in released else none, issued.get(wave, 0))
        for wave in range(1, stored.survey.waves + 1)
    ]


def count_invited(store: Store, stored: StoredSurvey, stratum: int | None = None) -> dict[int, int]:
    """Return how many invitations there are, used and unused, by wave: those that are left, and what came, at once."""
    with store.snapshot() as connection:
        left = count_left(connection, stored, stratum)
        if stored.survey.is_blind:
            came = count_left(connection, stored, stratum, issued_tokens)
        else:
            came = _count_came(connection, stored, stratum)
    return {wave: left.get(wave, 0) + came.get(wave, 0) for wave in {*left, *came}}


def count_issued(store: Store, stored: StoredSurvey, stratum: int | None = None) -> dict[int, int]:
    """Return for how many invitations of a blind survey a token was issued, by wave; {} of another."""
    if not stored.survey.is_blind:
        return {}
    with store.reader() as connection:
        return count_left(connection, stored, stratum, issued_tokens)


def _count_came(connection: Connection, stored: StoredSurvey, stratum: int | None) -> dict[int, int]:
    columns, cells = tallies.c, stored.survey.cells(stratum=stratum)
    statement = select(columns.cell, func.sum(columns.n_reports)).where(columns.survey_key == stored.key)
    if cells is not None:
        statement = statement.where(columns.cell.in_(cells))
    came: dict[int, int] = defaultdict(int)
    for cell, n_reports in connection.execute(statement.group_by(columns.cell)):
        came[stored.survey.wave_of(cell)] += int(n_reports)
    return came
