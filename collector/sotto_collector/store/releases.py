"""Releases: where a survey promises a least number of reports, the analyst sees its tally in steps of so many."""

from functools import reduce
from operator import add

from sqlalchemy import and_, delete, insert, select

from sotto_collector.errors import BelowMinimumError
from sotto_collector.store.schema import releases, tallies
from sotto_collector.store.store import Store, StoredSurvey, sum_shards, sum_tallies
from sotto_collector.store.transaction import Transaction, pack_counts, unpack_counts
from sotto_protocol import Survey, Tally


def read_released(store: Store, stored: StoredSurvey, wave: int | None = None) -> Tally:
    """Return the tally of one wave or of all as an analyst may see it; of a survey without a minimum, as it is.

    A wave's tally is given anew once `min_reports` more reports have come, in every cohort; until then the one that was
    given before, so that no two answers differ by fewer (the minimum batch size of the DAP draft).
    Raises BelowMinimumError where nothing has been given yet.
    """
    if stored.survey.min_reports == 1:
        return store.read_tally(stored, wave)
    given = store.run(lambda transaction: _release(transaction, stored, wave))
    tally = reduce(add, given.values(), Tally.empty(stored.survey))
    if not tally.n_reports:
        least = stored.survey.min_reports
        raise BelowMinimumError(
            f"there are fewer reports than the {least} that the survey promises as the least, of a wave and in every "
            "cohort of a text question."
        )
    return tally


def read_released_waves(store: Store, stored: StoredSurvey) -> dict[int, Tally]:
    """Return what `read_released` gives of each wave by itself, ascending, of those that it gives anything of."""
    if stored.survey.min_reports == 1:
        with store.reader() as connection:
            found = sum_shards(connection, stored)
        given = {wave: Tally.unpack(stored.survey, *found[wave], (wave,)) for wave in sorted(found)}
    else:
        given = store.run(lambda transaction: _release(transaction, stored, None))
    return {wave: tally for wave, tally in given.items() if tally.n_reports}


def _release(transaction: Transaction, stored: StoredSurvey, wave: int | None) -> dict[int, Tally]:
    transaction.lock_survey(stored.key, alone=True)
    connection = transaction.connection
    waves = connection.execute(select(tallies.c.wave).where(tallies.c.survey_key == stored.key).distinct()).scalars()
    released = {}
    for number in sorted(set(waves) if wave is None else {wave}):
        now, given = sum_tallies(connection, stored, number), _read(transaction, stored, number)
        if _is_step(stored.survey, given, now):
            _write(transaction, stored, number, now)
            given = now
        released[number] = given
    return released


def _is_step(survey: Survey, given: Tally, now: Tally) -> bool:
    least = survey.min_reports
    cohorts = [
        now.support_counts[question.id][:, 0] - given.support_counts[question.id][:, 0]
        for question in survey.questions
        if len(question.mechanism.counts_shape) > 1
    ]
    return now.n_reports - given.n_reports >= least and all(int(totals.min()) >= least for totals in cohorts)


def _read(transaction: Transaction, stored: StoredSurvey, wave: int) -> Tally:
    is_it = and_(releases.c.survey_key == stored.key, releases.c.wave == wave)
    row = transaction.connection.execute(select(releases.c.n_reports, releases.c.counts).where(is_it)).first()
    return (
        Tally.empty(stored.survey)
        if row is None
        else Tally.unpack(stored.survey, row[0], unpack_counts(row[1]), (wave,))
    )


def _write(transaction: Transaction, stored: StoredSurvey, wave: int, tally: Tally) -> None:
    is_it = and_(releases.c.survey_key == stored.key, releases.c.wave == wave)
    transaction.connection.execute(delete(releases).where(is_it))
    row = {"survey_key": stored.key, "wave": wave, "n_reports": tally.n_reports, "counts": pack_counts(tally.pack())}
    transaction.connection.execute(insert(releases), row)
