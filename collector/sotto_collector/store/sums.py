"""Tallies as they are read: the sum of their shards."""

from sqlalchemy import Connection, and_, select

from sotto_collector.store.schema import tallies
from sotto_collector.store.stored import StoredSurvey
from sotto_collector.store.transaction import unpack_row
from sotto_protocol import Tally
from sotto_protocol.counted import PackedTally


def sum_tallies(connection: Connection, stored: StoredSurvey, cells: list[int] | None = None) -> Tally:
    """Return the sum of the shards of a survey's tally, of these cells or of all."""
    tally = Tally.empty(stored.survey)
    for packed in sum_shards(connection, stored, cells).values():
        tally += Tally.unpack(stored.survey, packed)
    return tally


def sum_shards(connection: Connection, stored: StoredSurvey, cells: list[int] | None = None) -> dict[int, PackedTally]:
    """Return every cell's tally, as it is stored: whether its counts can be is not looked at."""
    where = tallies.c.survey_key == stored.key
    if cells is not None:
        where = and_(where, tallies.c.cell.in_(cells))
    by_cell: dict[int, PackedTally] = {}
    statement = select(tallies.c.cell, tallies.c.n_reports, tallies.c.counts).where(where)
    for cell, n_reports, counts in connection.execute(statement):
        shard = unpack_row(stored.survey.wave_of(cell), n_reports, counts)
        by_cell[cell] = by_cell[cell] + shard if cell in by_cell else shard
    return by_cell
