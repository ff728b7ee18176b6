"""The store: surveys, tokens' hashes, invitations, reports, tallies. Nothing else is kept.

Two databases can stand behind it, SQLite and PostgreSQL; all that differs between them is in their `Dialect`.
"""

import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import numpy as np
from sqlalchemy import ColumnElement, Connection, func, select, true, union_all
from sqlalchemy.exc import SQLAlchemyError

from sotto_collector.day import Today, today_utc
from sotto_collector.errors import StoreUnavailableError, SurveyExistsError, SurveyOpenError
from sotto_collector.journal import Journal
from sotto_collector.store.databases import locate
from sotto_collector.store.records import Part, Records, Selection
from sotto_collector.store.schema import inbox, reports, surveys, tallies
from sotto_collector.store.stock import Stock, count_tallied
from sotto_collector.store.stored import StoredSurvey, read_row
from sotto_collector.store.sums import sum_tallies
from sotto_collector.store.transaction import SEVERAL_SHARDS, Transaction
from sotto_protocol import Survey, Tally

N_TRIES = 5  # of a transaction that conflicts with others,
RETRY_S = 3.0  # while no more seconds have passed: a request waits for it
PREVIEW_BYTES = 16
_OTHER_HAS_ID = "another survey has this id; a published survey never changes, so give the new one a new id."
MAX_REWRITE_BYTES = 64 * 2**20
"""A larger store is not rewritten as a whole: others wait meanwhile, and it must be done within the ten seconds that
stopping may take, of which requests in flight may need seven."""

Result = TypeVar("Result")


class Store:
    """A database of one collector, or of many. Threads may share it; a process opens its own."""

    def __init__(
        self, db: str | Path, *, busy_timeout_ms: int = 5000, create: bool = True, today: Today = today_utc
    ) -> None:
        """Open a file, or a PostgreSQL by its URL; with `create`, make the schema where there is none (`is_new`).

        `today` says on which day surveys are open.

        Raises StoreError where it cannot be used.
        """
        self.dialect = locate(db).open(busy_timeout_ms, create=create)
        self.today = today
        self.journal: Journal | None = None  # that `keep_journal` opens
        self.restore_mark = 0  # of the last restore, as the last transaction saw it
        self._shard = secrets.randbelow(self.dialect.n_shards)
        try:
            with self.dialect.guarded(), self.dialect.write_engine.begin() as connection:
                self.is_new = self.dialect.prepare(connection, create=create)
        except BaseException:
            self.dialect.write_engine.dispose()
            self.dialect.read_engine.dispose()
            raise

    def close(self) -> bool:
        """Close the connections; SQLite's write-ahead log is checkpointed and left empty. Twice is fine.

        Returns False where others still use it: they can checkpoint it themselves. Raises StoreUnavailableError where
        it could not be checkpointed; what was committed stays in it then.
        """
        if self.journal is not None:
            self.journal.close()
        with self.dialect.guarded():
            return self.dialect.close()

    def hurry(self) -> None:
        """Use short timeouts from now on: the collector stops. Safe in a signal handler."""
        self.dialect.hurry()

    def clean(self, *, large_tables: bool = True, reports: bool = True) -> bool:
        """Clear what tells the order of commits, moves and deletions: logs and dead rows.

        `large_tables`: those of invitations and tallies even where they are large. `reports`: those of reports, too.
        Returns False where others still use them: all or some are left then. Raises StoreUnavailableError.
        """
        with self.reader() as connection:
            has_shards = connection.execute(SEVERAL_SHARDS).first() is not None
        if has_shards:
            self.run(lambda transaction: transaction.merge_all_shards())
        with self.dialect.guarded():
            return self.dialect.clean(large_tables=large_tables, reports=reports)

    def is_small(self) -> bool:
        """Return whether everything can be rewritten in a moment."""
        return self.count_bytes() <= MAX_REWRITE_BYTES

    def count_bytes(self) -> int:
        """Return how many bytes a rewrite would write. Raises StoreUnavailableError."""
        with self.dialect.guarded("the store cannot be read now"):
            return self.dialect.count_bytes()

    def rewrite(self) -> bool:
        """Rewrite the reports in the order of the keys, in one transaction; others wait meanwhile.

        A database puts rows where there is room, in the order of arrival; `clean` clears where they were. Returns
        False where another collector is doing it. Raises StoreUnavailableError; nothing has changed then.
        """
        with self.dialect.guarded():
            return self.dialect.rewrite()

    @contextmanager
    def transaction(self) -> Iterator[Transaction]:
        """Begin to write; commit at the end, roll back at any error.

        Raises StoreUnavailableError when the database fails (disk full, locked, gone); nothing of it is stored then,
        unless only the confirmation of the commit was lost, or a file was moved meanwhile.
        """
        with self.dialect.guarded(), self.dialect.write_engine.connect() as connection:
            try:
                with connection.begin():
                    self.restore_mark = self.dialect.check_revision(connection)
                    yield Transaction(connection, self.dialect, self._shard, self.today, self.journal)
                self.dialect.check_kept(connection)
            except (SQLAlchemyError, self.dialect.driver_error):
                connection.invalidate()  # the next transaction opens a fresh one
                raise

    def run(self, work: Callable[[Transaction], Result]) -> Result:
        """Return what `work` returns in a transaction, committed; where it conflicts with others it is tried again."""
        began = time.monotonic()
        for is_last in (*[False] * (N_TRIES - 1), True):
            try:
                with self.transaction() as transaction:
                    return work(transaction)
            except StoreUnavailableError as fault:
                if is_last or not self._is_transient(fault) or time.monotonic() - began > RETRY_S:
                    raise
                time.sleep(secrets.randbelow(20) / 1000)  # two that were in conflict should not meet again
        raise AssertionError("a try returns or raises")

    def _is_transient(self, fault: StoreUnavailableError) -> bool:
        return fault.__cause__ is not None and self.dialect.is_transient(fault.__cause__)

    @contextmanager
    def reader(self) -> Iterator[Connection]:
        """Read what is committed. Raises StoreUnavailableError, as all that follows does on another schema."""
        with self.dialect.guarded("the store cannot be read now"), self.dialect.read_engine.connect() as connection:
            connection.begin()
            self.restore_mark = self.dialect.check_revision(connection)
            yield connection

    @contextmanager
    def snapshot(self) -> Iterator[Connection]:
        """Read one state of the database, however long it takes. Raises StoreUnavailableError."""
        with self.dialect.guarded("the store cannot be read now"), self.dialect.snapshot() as connection:
            yield connection

    def check_writable(self, min_free_bytes: int) -> None:
        """Raise StoreUnavailableError unless a transaction can begin and the disk has room."""
        self.run(lambda transaction: transaction.ping())
        self.dialect.check_room(min_free_bytes)

    def add_survey(self, survey: Survey) -> bool:
        """Publish a survey, in the place of a draft of its id if there is one; return whether it was not published yet.

        Raises SurveyExistsError when another has its id.
        """

        def add(transaction: Transaction) -> bool:
            transaction.lock_ids()
            known = transaction.find_named(survey.id)
            if known is None:
                transaction.insert_survey(survey)
            elif known.preview is not None:
                transaction.replace_draft(known.key, survey)
            elif known.fingerprint != survey.fingerprint:
                raise SurveyExistsError(_OTHER_HAS_ID)
            return known is None or known.preview is not None

        return self.run(add)

    def put_draft(self, survey: Survey) -> str:
        """Store a draft, in the place of the one that has its id; return what the address of its page ends with.

        That stays the same however often the draft is replaced. Raises SurveyExistsError once a survey has its id.
        """

        def put(transaction: Transaction) -> str:
            transaction.lock_ids()
            known = transaction.find_named(survey.id)
            if known is None:
                preview = secrets.token_urlsafe(PREVIEW_BYTES)
                transaction.insert_survey(survey, preview)
                return preview
            if known.preview is None:
                is_same = known.fingerprint == survey.fingerprint
                raise SurveyExistsError("this survey is published already." if is_same else _OTHER_HAS_ID)
            transaction.replace_draft(known.key, survey, known.preview)
            return known.preview

        return self.run(put)

    def find_survey(self, survey_id: str) -> StoredSurvey | None:
        """Return the survey or draft of this id, if there is one."""
        found = self._surveys(surveys.c.survey_id == survey_id)
        return found[0] if found else None

    def list_surveys(self) -> list[StoredSurvey]:
        """Return every survey and draft, by id."""
        return self._surveys(true())

    def _surveys(self, condition: ColumnElement[bool]) -> list[StoredSurvey]:
        columns = surveys.c
        statement = select(
            columns.survey_key,
            columns.definition,
            columns.is_open,
            columns.cors_origins,
            columns.reports_per_minute,
            columns.preview,
            columns.erase_on,
            columns.n_erased,
        )
        with self.reader() as connection:
            rows = connection.execute(statement.where(condition).order_by(columns.survey_id)).all()
        return [read_row(row, self.today()) for row in rows]

    def close_survey(self, key: int) -> None:
        """Take no more reports of a survey."""
        self.set_survey(key, is_open=0)

    def set_survey(self, key: int, **values: object) -> None:
        """Change what may change of a survey: cors_origins, separated by spaces, reports_per_minute, is_open."""
        self.run(lambda transaction: transaction.update_survey(key, **values))

    def erase_survey(self, key: int) -> Stock:
        """Delete a closed survey or a draft, and all of it; return what that was. Raises SurveyOpenError."""
        found: list[Stock] = []

        def erase(transaction: Transaction) -> None:
            if transaction.lock_survey(key, alone=True):
                raise SurveyOpenError("the survey must be closed first.")
            found.append(transaction.erase_survey(key))

        self.run(erase)
        return max(found)  # a try after one that was not confirmed finds nothing

    def erase_report(self, stored: StoredSurvey, report_id: bytes) -> bool:
        """Take a report out of reports and tally; return whether it was there, now or before it was erased.

        A repeat of it is not counted. Raises NotKeptError.
        """
        stored.require_reports()
        return self.run(lambda transaction: transaction.erase_report(stored.key, stored.survey, report_id))

    def count_all(self) -> int:
        """Return how many reports the tallies of all surveys have."""
        with self.reader() as connection:
            return int(connection.execute(select(func.coalesce(func.sum(tallies.c.n_reports), 0))).scalar_one())

    def count_tallied(self, key: int, cells: list[int] | None = None) -> int:
        """Return how many reports a survey's tally has, of these cells or of all."""
        with self.reader() as connection:
            return count_tallied(connection, key, cells)

    def read_tally(self, stored: StoredSurvey, wave: int | None = None, stratum: int | None = None) -> Tally:
        """Return the tally that is kept up with every transaction, of one wave, of one stratum, or of all."""
        with self.reader() as connection:
            return sum_tallies(connection, stored, stored.survey.cells(wave, stratum))

    def recount(self, stored: StoredSurvey, wave: int | None = None, stratum: int | None = None) -> Tally:
        """Return the tally counted again from the stored reports: equal to `read_tally`, or something is broken.

        Raises NotKeptError.
        """
        tally = Tally.empty(stored.survey)
        with self.open_records(stored, wave, stratum=stratum) as records:
            for chunk in records.chunks():
                tally += Tally.of(stored.survey, np.frombuffer(chunk, np.uint8).reshape(-1, records.width))
        return tally

    def open_records(
        self, stored: StoredSurvey, wave: int | None = None, part: Part | None = None, stratum: int | None = None
    ) -> Records:
        """Return the packed reports as they are now, of one wave, of one stratum or of all, to be read in chunks.

        Close them.

        Raises NotKeptError, StoreUnavailableError.
        """
        stored.require_reports()
        with self.dialect.guarded("the store cannot be read now"):
            return Records(self.dialect, Selection(stored.key, stored.survey, wave, part, stratum))

    def read_reports(self, stored: StoredSurvey) -> list[tuple[bytes, bytes]]:
        """Return every report as (id, packed), by id; of one that was erased, or is not kept, nothing is packed."""
        both = [
            select(table.c.report_id, table.c.packed).where(table.c.survey_key == stored.key)
            for table in (inbox, reports)
        ]
        with self.reader() as connection:
            rows = connection.execute(union_all(*both).order_by("report_id")).all()
        return [(bytes(report_id), bytes(packed)) for report_id, packed in rows]
