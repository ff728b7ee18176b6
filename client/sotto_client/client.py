"""The client: answer a survey, and let only noise leave the device."""

import logging
import os
import sqlite3
import threading
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sotto_client.delivery import Delivery
from sotto_client.errors import AlreadyAnswered, StateError
from sotto_client.exchange import check_survey_id, check_url
from sotto_client.ledger import Entry, Ledger, Limits
from sotto_client.outbox import Outbox, Rejected
from sotto_client.permanent import SECRET_BYTES, check_answers, perturb_permanently
from sotto_client.receipt import Receipt
from sotto_client.source import SurveySource
from sotto_client.state import State
from sotto_protocol import Report, Survey, batch_body
from sotto_protocol.report import REPORT_ID_BYTES

FLUSH_ON_EXIT_S = 5.0
_log = logging.getLogger("sotto_client")


class SurveyClient:
    """Answers one survey of one collector on behalf of the device's respondent.

    `state`: the device's file (mode 0600), by default under ~/.local/state; ":memory:" for a kiosk, one client for each
    respondent. `max_epsilon` bounds what all versions of a survey id take together, `max_period_epsilon` what all
    surveys take in `period_days` days (nats, > 0). `fingerprint`: the only version to accept. `timeout_s` bounds the
    wait for a connection, and for each piece of a reply.

    What is guaranteed: nothing true is sent, stored, logged or put into an exception; one report is made of a survey,
    and when it is delivered the device forgets what could undo its noise. What is not: a device whose state is deleted
    is a new device, with a new budget and new noise; whoever reads the state file before the delivery can find out what
    was answered (see `sotto_client.permanent`); and the collector sees the network address, unless the app hides it.

    Raises ValueError for an argument outside its domain, StateError for a state that cannot be used.

        with SurveyClient("https://collector.example", "lunch") as device:
            device.answer({"paid": True})
    """

    def __init__(
        self,
        url: str,
        survey_id: str,
        *,
        state: str | os.PathLike[str] | None = None,
        max_epsilon: float | Decimal = 8.0,
        max_period_epsilon: float | Decimal = 16.0,
        period_days: int = 30,
        fingerprint: str | None = None,
        timeout_s: float = 10.0,
    ) -> None:
        if not 0 < timeout_s < float("inf"):
            raise ValueError(f"timeout_s ({timeout_s}) must be finite and > 0.")
        self._limits = Limits.of(max_epsilon, max_period_epsilon, period_days)
        address = check_url(url), check_survey_id(survey_id)
        self._source = SurveySource(*address, fingerprint, self._limits, timeout_s)
        self._survey: Survey | None = None
        self._made: Entry | None = None
        self._fetching = threading.Lock()
        self._is_closed = False
        self._state = State.open(state)
        self._delivery = Delivery(self._state, timeout_s=timeout_s)
        if self.pending:
            self._delivery.wake()

    @property
    def survey(self) -> Survey:
        """The survey, checked: fetched once, or the cached copy when the collector cannot be reached.

        Raises SurveyRefused for one that this device must not answer, SurveyUnavailable when there is none.
        """
        with self._fetching:
            if self._survey is None:
                self._survey = self._source.survey(self._state)
            return self._survey

    def answer(self, answers: Mapping[str, Any]) -> Receipt:
        """Perturb the answers to all questions, charge the budget, and leave the noisy report to be delivered.

        Returns without waiting for the network, but for the survey where it was not read yet. Answering again never
        charges or sends anything. The same answers return the first receipt, as long as the device knows that they are
        the same: until the report is delivered, and afterwards from the object that made it.

        Raises AnswerError (a question unanswered, or outside its domain), SurveyRefused, SurveyUnavailable,
        BudgetExceeded, AlreadyAnswered (with the first receipt), StateError. Then nothing was charged.
        """
        if self._is_closed:
            raise StateError("this client is closed.")
        survey = self.survey
        encoded = check_answers(survey, answers)
        with self._state.write() as connection:
            earlier = Ledger(connection).find(survey.fingerprint)
            if earlier is not None:
                return self._repeat(earlier, survey, encoded)
            made = self._make(connection, survey, encoded)
        self._delivery.wake()
        return made.to_receipt()

    def flush(self, timeout_s: float = FLUSH_ON_EXIT_S) -> bool:
        """Try at once to deliver all that waits in this state, for at most so long; True when nothing waits any more.

        What waits no more was counted, or refused for good (see `rejected`). A collector that asked to be left alone is
        left alone, and False comes back early.
        """
        return self._delivery.flush(timeout_s)

    @property
    def pending(self) -> list[str]:
        """The receipts of the reports in this state that wait to be delivered, to any collector."""
        with self._state.read() as connection:
            return [report.receipt for report in Outbox(connection).waiting()]

    @property
    def rejected(self) -> list[Rejected]:
        """The reports in this state that a collector refused for good; they are kept, and never sent again."""
        with self._state.read() as connection:
            return Outbox(connection).rejected()

    def close(self) -> None:
        """Stop delivering; what is undelivered waits in the state for the next client. May be called twice."""
        self._is_closed = True
        self._delivery.close(FLUSH_ON_EXIT_S)
        self._state.close()

    def __enter__(self) -> "SurveyClient":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Flush for at most five seconds, then close; an undelivered report waits."""
        try:
            self.flush(FLUSH_ON_EXIT_S)
        except StateError as unusable:  # must not hide the app's own exception
            _log.warning("Reports wait: %s", type(unusable).__name__)
        finally:
            self.close()

    def _make(self, connection: sqlite3.Connection, survey: Survey, encoded: Sequence[NDArray[np.intp]]) -> Entry:
        secret = os.urandom(SECRET_BYTES)
        report = Report(os.urandom(REPORT_ID_BYTES), perturb_permanently(survey, encoded, secret))
        made = Entry(survey.fingerprint, survey.id, survey.epsilon, _today(), report.receipt, secret, report.record)
        Ledger(connection).charge(made, self._limits)
        Outbox(connection).put(made.receipt, self._source.url, survey.id, batch_body(survey, [report]))
        self._made = made  # before the commit: from then on it may be delivered, and forgotten in the state
        return made

    def _repeat(self, earlier: Entry, survey: Survey, encoded: Sequence[NDArray[np.intp]]) -> Receipt:
        """Return the first receipt when these answers give the same report. Raises AlreadyAnswered.

        The device knows that while it has not delivered the report, and this object as long as it lives.
        """
        made = self._made
        known = made if made is not None and made.receipt == earlier.receipt else earlier
        if known.secret is None or perturb_permanently(survey, encoded, known.secret) != known.record:
            raise AlreadyAnswered(earlier.to_receipt())
        return earlier.to_receipt()


def _today() -> date:
    return datetime.fromtimestamp(time.time(), UTC).date()
