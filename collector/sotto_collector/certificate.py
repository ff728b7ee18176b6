"""Certificates of erasure: what went, by which day, and what the store itself counts of it now."""

from sotto_collector.errors import NotErasedError, UnknownReportError
from sotto_collector.store import Store, StoredSurvey
from sotto_collector.store.retention import find_erasure
from sotto_collector.store.stock import Stock, count_stock, find_report
from sotto_protocol import Survey

FORMAT = "sottovoce-erasure-1"
"""`copies_until`: copies of the database of this day and before may hold what was erased."""
REPORT, REPORTS, SURVEY = KINDS = ("report", "reports", "survey")
"""What a certificate is of: one report, all of a survey, a survey with all that belonged to it."""
SAYS_NOTHING_OF = (
    "backups, and copies or snapshots of the database's files, from before",
    "what was exported, given to analysts, estimated or published before",
    "the write-ahead log, archives and replicas of a PostgreSQL server",
    "traces in the database's own files until the collector next tidies up, in a small store at most a minute later",
    "copies kept by a changed program, a proxy, or anybody else who saw the reports",
)
"""What the store cannot see."""

Certificate = dict[str, object]


def certify_survey(store: Store, stored: StoredSurvey, erased: Stock) -> Certificate:
    """Return the certificate of a survey that was just erased as a whole, and held `erased`."""
    with store.snapshot() as connection:
        left = count_stock(connection, stored.key)
    gone = {"erased": erased._asdict(), "left": left._asdict(), "copies_until": store.today()}
    return _write(SURVEY, stored.survey, store, **gone)


def certify_reports(store: Store, stored: StoredSurvey) -> Certificate:
    """Return the certificate of a survey whose reports went on their day. Raises NotErasedError."""
    with store.snapshot() as connection:
        erasure, left = find_erasure(connection, stored.key), count_stock(connection, stored.key)
    if erasure is None or left.reports:
        when = f"; they are due to be erased by {stored.survey.erase_on}" if stored.survey.erase_on else ""
        raise NotErasedError(f"the reports of survey {stored.survey.id} were not erased{when}.")
    survey = stored.survey
    promised = {"closes": survey.closes, "erase_after": survey.erase_after, "erased_on": erasure.day}
    promised |= {"copies_until": erasure.day}
    return _write(REPORTS, survey, store, erased={"reports": erasure.n_reports}, left=left._asdict(), **promised)


def certify_report(store: Store, stored: StoredSurvey, report_id: bytes) -> Certificate:
    """Return the certificate of one report. Raises UnknownReportError, NotErasedError, NotKeptError.

    Of a survey that keeps counts alone there is none: nobody learns whether a receipt is one of its.
    """
    if not stored.survey.keeps_reports:
        stored.require_reports()
    with store.snapshot() as connection:
        packed = find_report(connection, stored.key, report_id)
    if packed is None:
        raise UnknownReportError("no report of this survey has this receipt.")
    if packed:
        raise NotErasedError("the report with this receipt was not erased.")
    return _write(
        REPORT, stored.survey, store, receipt=report_id.hex(), erased={"reports": 1}, left={"reports": 0, "ids": 1}
    )


def _write(what: str, survey: Survey, store: Store, **more: object) -> Certificate:
    return {
        "format": FORMAT,
        "what": what,
        "survey": survey.id,
        "fingerprint": survey.fingerprint,
        "recounted_on": store.today(),
        **more,
        "says_nothing_of": list(SAYS_NOTHING_OF),
    }
