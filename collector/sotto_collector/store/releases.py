"""Releases: where a survey promises a least number of reports, the analyst sees its tally in steps of so many.

A question with cohorts goes its own steps, some of the tally's: of so many reports in every cohort. So does every
question of a survey with `draw`: of so many reports that have it. In a restored store steps begin above its floors. Who
looks takes no lock, and writes nothing, unless the next step of a cell, a wave of a stratum, is due. So what is said of
a stratum, and of all, is a sum of such steps.
"""

from collections.abc import Mapping
from functools import reduce
from operator import add

import numpy as np
from sqlalchemy import ColumnElement, Connection, Table, and_, bindparam, delete, func, insert, select

from sotto_collector.errors import BelowMinimumError
from sotto_collector.journal import Released
from sotto_collector.store.floors import Sizes, by_question, read_floors, sizes_of
from sotto_collector.store.schema import release_floors, releases, tallies
from sotto_collector.store.store import Store
from sotto_collector.store.stored import StoredSurvey
from sotto_collector.store.sums import sum_shards
from sotto_collector.store.transaction import Transaction, pack_counts, unpack_row
from sotto_protocol import Survey, Tally


def read_released(store: Store, stored: StoredSurvey, wave: int | None = None, stratum: int | None = None) -> Tally:
    """Return the tally of a wave, a stratum or all as an analyst may see it; of a survey without a minimum, as it is.

    The tally of a wave, or of a stratum in a wave, is given anew once `min_reports` more of its reports have come;
    until then the one that was given before, so that no two responses differ by fewer (the minimum batch size of the
    DAP draft). A question with cohorts stays in it as it was, or empty, until so many more have come in every cohort:
    so the same holds of each question and cohort.
    Raises BelowMinimumError where nothing has been given yet.
    """
    if stored.survey.min_reports == 1:
        return store.read_tally(stored, wave, stratum)
    cells = stored.survey.cells(wave, stratum)
    given = _read(store, stored, cells)
    tally = reduce(add, given.values(), Tally.empty(stored.survey))
    if not tally.n_reports:
        if floored_cells(store, stored, cells):
            raise BelowMinimumError("the database was restored; counts are given once there are enough new reports.")
        raise BelowMinimumError(_say_too_few(stored.survey))
    return tally


def _say_too_few(survey: Survey) -> str:
    if survey.strata or survey.waves > 1:
        few = f"a {'stratum' if survey.strata else 'wave'} has fewer than {survey.min_reports} reports."
    else:
        few = f"fewer than {survey.min_reports} reports have come."
    return f"{few} The survey promises to show nothing before that."


def read_released_waves(store: Store, stored: StoredSurvey, stratum: int | None = None) -> dict[int, Tally]:
    """Return what `read_released` gives of each wave by itself, ascending, of those that it gives anything of."""
    return sum_by_wave(stored.survey, read_released_cells(store, stored, stratum))


def read_released_cells(store: Store, stored: StoredSurvey, stratum: int | None = None) -> dict[int, Tally]:
    """Return what `read_released` gives of each cell by itself, ascending, of those that it gives anything of."""
    cells = stored.survey.cells(stratum=stratum)
    if stored.survey.min_reports == 1:
        with store.reader() as connection:
            found = sum_shards(connection, stored, cells)
        given = {cell: Tally.unpack(stored.survey, found[cell]) for cell in sorted(found)}
    else:
        given = _read(store, stored, cells)
    return {cell: tally for cell, tally in given.items() if tally.n_reports}


def sum_by_wave(survey: Survey, tallies: Mapping[int, Tally]) -> dict[int, Tally]:
    """Return the tallies of cells by wave, ascending."""
    by_wave: dict[int, Tally] = {}
    for cell, tally in tallies.items():
        wave = survey.wave_of(cell)
        by_wave[wave] = by_wave[wave] + tally if wave in by_wave else tally
    return dict(sorted(by_wave.items()))


def floored_cells(store: Store, stored: StoredSurvey, cells: list[int] | None = None) -> frozenset[int]:
    """Return the cells, of these or of all, of which a restored store gives nothing before a floor is reached."""
    with store.reader() as connection:
        floors = read_floors(connection, stored)
    return frozenset(cell for cell in floors if cells is None or cell in cells)


def _read(store: Store, stored: StoredSurvey, cells: list[int] | None) -> dict[int, Tally]:
    """Return what has been given, by cell, after the steps that are due.

    Without the lock it is what was written down at that moment: of each cell one of the steps, as with it.
    """
    with store.reader() as connection:
        if not _find_due(connection, stored, cells):
            return _read_given(connection, stored, cells)
    return store.run(lambda transaction: _release(transaction, stored, cells))


def _release(transaction: Transaction, stored: StoredSurvey, cells: list[int] | None) -> dict[int, Tally]:
    """Take the steps that are due, the survey held alone: others may have taken them since they were found."""
    transaction.lock_survey(stored.key, alone=True)
    connection = transaction.connection
    if due := _find_due(connection, stored, cells):
        given, none = _read_given(connection, stored, cells), Tally.empty(stored.survey)
        now = _sum(connection, stored, due)
        floors = read_floors(connection, stored)
        steps = {of: _step(stored, given.get(of, none), tally, floors.get(of)) for of, tally in now.items()}
        released = ({"cell": of, "sizes": sizes_of(tally).tolist()} for of, tally in steps.items())
        transaction.note_of(stored.key, Released, *released)
        _write(connection, stored, steps)
    return _read_given(connection, stored, cells)


def _find_due(connection: Connection, stored: StoredSurvey, cells: list[int] | None) -> list[int]:
    """Return the cells of which a step's number of reports has come: no counts need be read to know that."""

    def at(table: Table) -> ColumnElement[bool]:
        return and_(table.c.survey_key == tallies.c.survey_key, table.c.cell == tallies.c.cell)

    now = func.sum(tallies.c.n_reports)
    grown = [now - func.coalesce(func.max(table.c.n_reports), 0) for table in (releases, release_floors)]
    statement = (
        select(tallies.c.cell)
        .select_from(tallies.outerjoin(releases, at(releases)).outerjoin(release_floors, at(release_floors)))
        .where(_are_of(tallies, stored, cells))
        .group_by(tallies.c.cell)
        .having(and_(*(by >= stored.survey.min_reports for by in grown)))
    )
    return sorted(connection.execute(statement).scalars())


def _step(stored: StoredSurvey, given: Tally, now: Tally, floor: Sizes | None) -> Tally:
    """Return what is given after `given`: what is counted now, but of questions, or cohorts, that have hardly grown."""
    known = sizes_of(given) if floor is None else np.maximum(sizes_of(given), floor)
    grown = by_question(stored.survey, sizes_of(now) - known)
    return now.hold_back([key for key, by in grown.items() if by.min() < stored.survey.min_reports], given)


def _sum(connection: Connection, stored: StoredSurvey, cells: list[int]) -> dict[int, Tally]:
    """Return the tallies of these cells as they are, in one query."""
    found = sum_shards(connection, stored, cells)
    return {cell: Tally.unpack(stored.survey, found[cell]) for cell in cells if cell in found}


def _read_given(connection: Connection, stored: StoredSurvey, cells: list[int] | None) -> dict[int, Tally]:
    """Return what was given last, by cell, ascending: in one query, so that it is one state's."""
    statement = select(releases.c.cell, releases.c.n_reports, releases.c.counts).where(_are_of(releases, stored, cells))
    return {
        cell: Tally.unpack(stored.survey, unpack_row(stored.survey.wave_of(cell), *row), is_released=True)
        for cell, *row in connection.execute(statement.order_by(releases.c.cell))
    }


def _write(connection: Connection, stored: StoredSurvey, steps: dict[int, Tally]) -> None:
    """Write down what is given from now on."""
    changed = and_(releases.c.survey_key == stored.key, releases.c.cell == bindparam("given_cell"))
    connection.execute(delete(releases).where(changed), [{"given_cell": cell} for cell in steps])
    rows = [
        {
            "survey_key": stored.key,
            "cell": cell,
            "n_reports": tally.n_reports,
            "counts": pack_counts(tally.pack().counts),
        }
        for cell, tally in steps.items()
    ]
    connection.execute(insert(releases), rows)


def _are_of(table: Table, stored: StoredSurvey, cells: list[int] | None) -> ColumnElement[bool]:
    """Return the condition that rows are of a survey, and of these cells or of any."""
    is_surveys = table.c.survey_key == stored.key
    return is_surveys if cells is None else and_(is_surveys, table.c.cell.in_(cells))
