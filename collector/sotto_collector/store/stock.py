"""What is there of one survey, counted row by row: what a certificate of erasure is made from."""

from typing import Any, NamedTuple

from sqlalchemy import Connection, Select, Table, and_, func, literal_column, select

from sotto_collector.store.schema import inbox, invitations, reports, tallies


class Stock(NamedTuple):
    """How many `reports` can still be read, `ids` of counted ones, are `tallied`, and `invitations` unused."""

    reports: int
    ids: int
    tallied: int
    invitations: int


def count_stock(connection: Connection, key: int) -> Stock:
    """Return what is there of a survey. Reads all its rows."""
    in_both = [_count(connection, _rows(table, key)) for table in (inbox, reports)]
    return Stock(
        sum(count_kept(connection, key, table) for table in (inbox, reports)),
        sum(in_both),
        count_tallied(connection, key),
        _count(connection, _rows(invitations, key)),
    )


def count_tallied(connection: Connection, key: int, cells: list[int] | None = None) -> int:
    """Return how many reports a survey's tally has, of these cells or of all."""
    tallied = select(func.coalesce(func.sum(tallies.c.n_reports), 0)).where(tallies.c.survey_key == key)
    return _count(connection, tallied if cells is None else tallied.where(tallies.c.cell.in_(cells)))


def count_kept(connection: Connection, key: int, table: Table) -> int:
    """Return how many reports of a survey can be read in one of the tables of reports."""
    return _count(connection, _rows(table, key).where(func.length(table.c.packed) > 0))


def find_report(connection: Connection, key: int, report_id: bytes) -> bytes | None:
    """Return a packed report; b"" where it was erased or is not kept, None where there is none of this id."""
    for table in (inbox, reports):
        this = and_(table.c.survey_key == key, table.c.report_id == report_id)
        packed: bytes | None = connection.scalar(select(table.c.packed).where(this))
        if packed is not None:
            return packed
    return None


def _rows(table: Table, key: int) -> Select[Any]:
    return select(func.count(literal_column("1"))).select_from(table).where(table.c.survey_key == key)


def _count(connection: Connection, statement: Select[Any]) -> int:
    return int(connection.execute(statement).scalar_one())
