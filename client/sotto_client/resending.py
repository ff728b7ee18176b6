"""What an app has sent again: reports that were refused and may be good after all, and delivered ones that are kept."""

import sqlite3

from sotto_client.day import today
from sotto_client.ledger import Ledger
from sotto_client.outbox import Outbox
from sotto_client.sent import Sent
from sotto_client.tokens import Tokens


def send_refused_again(connection: sqlite3.Connection, url: str, survey_id: str, invitation: bytes | None) -> list[str]:
    """Let refused reports of a survey wait again, inside a transaction; return their receipts.

    Those whose collector did not know the survey, and, with an `invitation`, those that lacked a good one.
    """
    outbox = Outbox(connection)
    refused = [rejected for rejected in outbox.rejected() if (rejected.url, rejected.survey_id) == (url, survey_id)]
    mendable = [r.receipt for r in refused if r.is_unknown or (invitation is not None and r.needs_invitation)]
    receipts = [receipt for receipt in mendable if _admit(connection, receipt, invitation)]
    for receipt in receipts:
        outbox.readmit(receipt)
    return receipts


def _admit(connection: sqlite3.Connection, receipt: str, invitation: bytes | None) -> bool:
    """Give a report the invitation, or leave it the one that it has; return whether it has one, or needs none."""
    is_admitted = Tokens(connection).admit(receipt, invitation)
    return Ledger(connection).admit(receipt, invitation) if is_admitted is None else is_admitted


def send_kept_again(connection: sqlite3.Connection, url: str, survey_id: str) -> list[str]:
    """Let delivered reports of a survey that are kept wait again, inside a transaction; return their receipts."""
    sent = Sent(connection)
    sent.sweep(today())
    kept = [report for report in sent.reports() if (report.url, report.survey_id) == (url, survey_id)]
    sent.readmit(kept)
    return [report.receipt for report in kept]
