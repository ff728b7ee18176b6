"""What a verdict changes in the state: a report is deleted, kept aside or waits on, and the secret with it."""

import logging
import sqlite3
from collections.abc import Callable
from dataclasses import replace

from sotto_client.day import day_of
from sotto_client.ledger import Ledger
from sotto_client.outbox import Outbox, Posting, Rejected, WaitingReport
from sotto_client.receipt import Receipt
from sotto_client.sent import Sent
from sotto_client.tokens import Tokens
from sotto_client.verdict import (
    NEEDS_INVITATION,
    UNKNOWN_FINAL_S,
    Acknowledged,
    Placed,
    Refused,
    Signed,
    TryAgain,
    Unknown,
    Verdict,
    lengthen,
)

BACKOFF_CAP_S = 300.0
UNKNOWN_CAP_S = 3600.0  # a collector that does not know the survey is asked less often
_log = logging.getLogger("sottovoce")

Backoff = Callable[[int, float], float]
"""From how often an attempt has failed, and the longest wait in seconds, the seconds to wait before the next."""


def apply_verdict(
    connection: sqlite3.Connection, report: WaitingReport, verdict: Verdict, now: float, backoff: Backoff
) -> Receipt | Rejected | None:
    """Write down what came of an attempt, inside a transaction; `now` in seconds since 1970.

    Returns the receipt of a report that is delivered, or the report that is refused for good: None as long as it waits,
    and where another process, which had sent it as well, was faster.
    """
    match verdict:
        case Acknowledged(keys):
            _log.debug("A report was delivered.")
            ledger = Ledger(connection)
            Sent(connection).keep(report.receipt, day_of(now))
            receipt = ledger.receipt_of(report.receipt) if Outbox(connection).acknowledge(report.receipt) else None
            ledger.settle(report.receipt)
            return receipt and replace(receipt, keys=keys)
        case Refused():
            return _refuse(connection, report, verdict)
        case Placed():
            if report.wish is not None:
                Tokens(connection).place(report.receipt, report.wish, verdict.stratum)
            return None
        case Signed():
            _keep_token(connection, report, verdict)
            return None
        case Unknown():
            return _doubt(connection, report, verdict, now, backoff)
        case TryAgain():
            _postpone(connection, report, verdict, now, backoff)
            return None


def _keep_token(connection: sqlite3.Connection, report: WaitingReport, signed: Signed) -> None:
    """Make a report whole. Its own wait begins now, and not with the one for the token."""
    if report.wish is not None:
        _log.debug("A token was signed.")
        delay_until = Posting(report.url, report.wish.max_delay_s).draw_delay_end()
        Tokens(connection).keep(report.receipt, report.wish, report.body, signed.token, delay_until)


def _refuse(connection: sqlite3.Connection, report: WaitingReport, refused: Refused) -> Rejected | None:
    problem = refused.problem
    again = " with another invitation" if problem.code in NEEDS_INVITATION else ""
    hint = f"an app can `resend` it{again}" if refused.can_be_resent else "see `sotto outbox`"
    message = "A report was refused for good (HTTP %d, %s) and is not counted. It is kept: %s."
    _log.warning(message, problem.status, problem.code, hint)
    rejected = Outbox(connection).reject(report.receipt, problem)
    known = Ledger(connection).receipt_of(report.receipt)
    if refused.ends_survey and known is not None:
        Sent(connection).drop("fingerprint", known.fingerprint)
    Ledger(connection).settle(report.receipt, ends_survey=refused.ends_survey)
    return rejected


def _doubt(
    connection: sqlite3.Connection, report: WaitingReport, unknown: Unknown, now: float, backoff: Backoff
) -> Rejected | None:
    """Wait longer and longer; after a week in which the collector said nothing else, its word is final."""
    unknown_s = lengthen(report.unknown_s, report.unknown_at, now)
    if unknown_s >= UNKNOWN_FINAL_S:
        return _refuse(connection, report, Refused(unknown.problem))
    wait_s = (unknown.hold_s or 0.0) + backoff(report.n_attempts + 1, UNKNOWN_CAP_S)
    message = "A report waits: HTTP %d, %s. Next attempt in %.0f s."
    _log.warning(message, unknown.problem.status, unknown.problem.code, wait_s)
    outbox, is_held = Outbox(connection), unknown.hold_s is not None
    outbox.note_unknown(report.receipt, unknown_s, now)
    outbox.postpone(report, now + wait_s, is_held, alone=not is_held)
    return None


def _postpone(
    connection: sqlite3.Connection, report: WaitingReport, again: TryAgain, now: float, backoff: Backoff
) -> None:
    wait_s = (again.hold_s or 0.0) + backoff(report.n_attempts + 1, BACKOFF_CAP_S)
    _log.warning("A report waits: %s. Next attempt in %.0f s.", again.reason, wait_s)
    outbox = Outbox(connection)
    if again.has_reply:  # it said something else than that it does not know the survey
        outbox.note_unknown(report.receipt, 0.0, 0.0)
    outbox.postpone(report, now + wait_s, again.hold_s is not None)
