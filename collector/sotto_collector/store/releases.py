"""Releases: where a survey promises a least number of reports, the analyst sees its tally in steps of so many.

A question with cohorts goes its own steps, some of the tally's: of so many reports in every cohort. So does every
question of a survey with `draw`: of so many reports that have it. Who looks takes no lock, and writes nothing, unless
the next step of a wave is due.
"""

from functools import reduce
from operator import add

from sqlalchemy import ColumnElement, Connection, Table, and_, bindparam, delete, func, insert, select

from sotto_collector.errors import BelowMinimumError
from sotto_collector.store.schema import releases, tallies
from sotto_collector.store.store import Store, StoredSurvey, sum_shards
from sotto_collector.store.transaction import Transaction, pack_counts, unpack_row
from sotto_protocol import Tally
from sotto_protocol.tally_document import may_be_behind, with_cohorts


def read_released(store: Store, stored: StoredSurvey, wave: int | None = None) -> Tally:
    """Return the tally of one wave or of all as an analyst may see it; of a survey without a minimum, as it is.

    A wave's tally is given anew once `min_reports` more reports have come; until then the one that was given before, so
    that no two responses differ by fewer (the minimum batch size of the DAP draft). A question with cohorts stays in it
    as it was, or empty, until so many more have come in every cohort: so the same holds of each question and cohort.
    Raises BelowMinimumError where nothing has been given yet.
    """
    if stored.survey.min_reports == 1:
        return store.read_tally(stored, wave)
    tally = reduce(add, _read(store, stored, wave).values(), Tally.empty(stored.survey))
    if not tally.n_reports:
        least = stored.survey.min_reports
        raise BelowMinimumError(f"there are fewer reports of a wave than the {least} that the survey promises.")
    return tally


def read_released_waves(store: Store, stored: StoredSurvey) -> dict[int, Tally]:
    """Return what `read_released` gives of each wave by itself, ascending, of those that it gives anything of."""
    if stored.survey.min_reports == 1:
        with store.reader() as connection:
            found = sum_shards(connection, stored)
        given = {wave: Tally.unpack(stored.survey, found[wave]) for wave in sorted(found)}
    else:
        given = _read(store, stored, None)
    return {wave: tally for wave, tally in given.items() if tally.n_reports}


def _read(store: Store, stored: StoredSurvey, wave: int | None) -> dict[int, Tally]:
    """Return what has been given, by wave, after the steps that are due.

    Without the lock it is what was written down at that moment: of each wave one of the steps, as with it.
    """
    with store.reader() as connection:
        if not _find_due(connection, stored, wave):
            return _read_given(connection, stored, wave)
    return store.run(lambda transaction: _release(transaction, stored, wave))


def _release(transaction: Transaction, stored: StoredSurvey, wave: int | None) -> dict[int, Tally]:
    """Take the steps that are due, the survey held alone: others may have taken them since they were found."""
    transaction.lock_survey(stored.key, alone=True)
    connection = transaction.connection
    if due := _find_due(connection, stored, wave):
        given, none = _read_given(connection, stored, wave), Tally.empty(stored.survey)
        now = _sum(connection, stored, due)
        _write(connection, stored, {of: _step(stored, given.get(of, none), tally) for of, tally in now.items()})
    return _read_given(connection, stored, wave)


def _find_due(connection: Connection, stored: StoredSurvey, wave: int | None) -> list[int]:
    """Return the waves of which a step's number of reports has come: no counts need be read to know that."""
    same_wave = and_(releases.c.survey_key == tallies.c.survey_key, releases.c.wave == tallies.c.wave)
    grown = func.sum(tallies.c.n_reports) - func.coalesce(func.max(releases.c.n_reports), 0)
    statement = (
        select(tallies.c.wave)
        .select_from(tallies.outerjoin(releases, same_wave))
        .where(_are_of(tallies, stored, wave))
        .group_by(tallies.c.wave)
        .having(grown >= stored.survey.min_reports)
    )
    return sorted(connection.execute(statement).scalars())


def _step(stored: StoredSurvey, given: Tally, now: Tally) -> Tally:
    """Return what is given after `given`: what is counted now, but of questions, or cohorts, that have hardly grown."""
    keys = may_be_behind(now.survey)
    return now.hold_back([key for key in keys if _grown(key, given, now) < stored.survey.min_reports], given)


def _grown(key: str, given: Tally, now: Tally) -> int:
    """Return by how many reports a question has grown at the least: that of its cohorts which has grown least."""
    if key in with_cohorts(now.survey):
        return int((now.support_counts[key][:, 0] - given.support_counts[key][:, 0]).min())
    return now.counted(key).n_reports - given.counted(key).n_reports


def _sum(connection: Connection, stored: StoredSurvey, waves: list[int]) -> dict[int, Tally]:
    """Return the tallies of these waves as they are, in one query."""
    found = sum_shards(connection, stored, waves[0] if len(waves) == 1 else None)
    return {wave: Tally.unpack(stored.survey, found[wave]) for wave in waves if wave in found}


def _read_given(connection: Connection, stored: StoredSurvey, wave: int | None) -> dict[int, Tally]:
    """Return what was given last, by wave, ascending: in one query, so that it is one state's."""
    statement = select(releases.c.wave, releases.c.n_reports, releases.c.counts).where(_are_of(releases, stored, wave))
    return {
        row.wave: Tally.unpack(stored.survey, unpack_row(*row), is_released=True)
        for row in connection.execute(statement.order_by(releases.c.wave))
    }


def _write(connection: Connection, stored: StoredSurvey, steps: dict[int, Tally]) -> None:
    """Write down what is given from now on."""
    changed = and_(releases.c.survey_key == stored.key, releases.c.wave == bindparam("given_wave"))
    connection.execute(delete(releases).where(changed), [{"given_wave": wave} for wave in steps])
    rows = [
        {
            "survey_key": stored.key,
            "wave": wave,
            "n_reports": tally.n_reports,
            "counts": pack_counts(tally.pack().counts),
        }
        for wave, tally in steps.items()
    ]
    connection.execute(insert(releases), rows)


def _are_of(table: Table, stored: StoredSurvey, wave: int | None) -> ColumnElement[bool]:
    """Return the condition that rows are of a survey, and of one wave or of any."""
    is_surveys = table.c.survey_key == stored.key
    return is_surveys if wave is None else and_(is_surveys, table.c.wave == wave)
