"""Tallies counted anew from the stored reports, by the program: a migration must mean for ever what it meant."""

import numpy as np
from sqlalchemy import Connection, select

from sotto_collector.errors import StoreError
from sotto_collector.store.dialect import Dialect
from sotto_collector.store.records import Selection
from sotto_collector.store.schema import surveys
from sotto_collector.store.transaction import Transaction
from sotto_protocol import ReportError, Survey, Tally

KEPT_SINCE = "0003"
"""The migration to this revision drops the tallies; those after it keep them."""


def tally_reports(dialect: Dialect, connection: Connection, selection: Selection) -> dict[int, Tally]:
    """Return the tally of every cell that has reports, counted from them."""
    survey = selection.survey
    by_cell: dict[int, Tally] = {}
    for chunk in selection.chunks(dialect, connection):
        records = np.frombuffer(chunk, np.uint8).reshape(-1, survey.layout.n_bytes)
        try:
            counted_by_cell = Tally.by_cell(survey, records)
        except ReportError as fault:
            raise StoreError(f"a stored report of survey {survey.id} is damaged: {fault}") from fault
        for cell, counted in counted_by_cell.items():
            by_cell[cell] = by_cell[cell] + counted if cell in by_cell else counted
    return by_cell


def retally(dialect: Dialect, connection: Connection) -> None:
    """Write every survey's tallies anew, in the transaction that is open.

    Raises StoreError for a survey that keeps counts alone: none was stored before KEPT_SINCE.
    """
    for key, definition in connection.execute(select(surveys.c.survey_key, surveys.c.definition)).all():
        selection = Selection(key, Survey.from_canonical(bytes(definition)))
        if not selection.survey.keeps_reports:
            raise StoreError(f"survey {selection.survey.id} keeps only counts, which cannot be counted again.")
        Transaction(connection, dialect, 0).replace_tally(key, tally_reports(dialect, connection, selection))
