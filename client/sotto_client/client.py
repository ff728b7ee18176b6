"""The client: answer a survey, and let only noise leave the device."""

import logging
import os
import threading
import time
from collections.abc import Callable, Mapping
from decimal import Decimal
from itertools import compress
from types import TracebackType
from typing import TYPE_CHECKING, Any

from sotto_client.arguments import (
    check_days,
    check_delay,
    check_fingerprint,
    check_invitation,
    check_state,
    check_timeout,
)
from sotto_client.callbacks import Callbacks
from sotto_client.database import no_fork
from sotto_client.day import today
from sotto_client.delivery import Delivery
from sotto_client.errors import StateError, without_frames
from sotto_client.exchange import check_receipt, check_survey_id, check_url, erasure_body, erasure_path, post_erasure
from sotto_client.forking import Renewed
from sotto_client.ledger import MAX_EPSILON, MAX_PERIOD_EPSILON, PERIOD_DAYS, Ledger, Limits
from sotto_client.outbox import Outbox, Posting, Rejected
from sotto_client.receipt import Receipt
from sotto_client.resending import send_kept_again, send_refused_again
from sotto_client.sent import Sent
from sotto_client.state import State
from sotto_protocol.errors import SottoError

if TYPE_CHECKING:
    from sotto_client.answering import Answering
    from sotto_protocol.questions.item import Item
    from sotto_protocol.survey import Survey

FLUSH_ON_EXIT_S = 5.0
TIMEOUT_S = 30.0
"""The longest that one exchange with a collector takes, whatever comes of it."""
_log = logging.getLogger("sottovoce")


class SurveyClient(Renewed):
    """Answers one survey of one collector on behalf of the device's respondent.

    **Arguments.** `state` is the device's file (mode 0600), by default under ~/.local/state. For a kiosk it is
    ":memory:", with one client for each respondent. `max_epsilon` bounds the epsilon of all versions of a survey id
    together. `max_period_epsilon` bounds that of all surveys in `period_days` days. Both are in nats and > 0.
    `fingerprint` is the only version to accept. `timeout_s` bounds a whole exchange with a collector, from looking up
    its name to the last byte of its reply.

    `invitation` is the text of an invitation, for an invited survey. The state keeps it until no report needs it. Each
    report first waits for a random time of at most `max_delay_s` seconds, in [0, 604,800]. With `relay_url`, reports
    are posted there instead of to `url`, so that the collector sees the relay's address. An oblivious survey names a
    relay itself, and `relay_url` is used in its place, also to read the survey. After its delivery, each
    report of this client is kept for `resend_days` days, in [0, 365]. So it can be sent again if the collector loses
    it. With 0 nothing is kept. `on_delivered` and `on_rejected` are functions of the app. The thread that delivers
    calls the first with the receipt of each report that this client delivers from this state. It calls the other with
    each report that is refused for good.

    **What is guaranteed.** Nothing true is sent, stored, logged or put into an exception. The device makes one report
    for a survey, or one for each of its waves. It forgets what could undo its noise after the last
    delivery, or when the collector ends the survey.

    **What is not.** A device whose state is deleted is a new device, with a new budget and new noise. Before that last
    delivery, anyone who reads the state file can find out what was answered (see `sotto_client.permanent`). The
    collector sees the network address when the survey is read. Without a relay, it also sees the address when a report
    is posted. The app can hide that address.

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
        max_epsilon: float | Decimal = MAX_EPSILON,
        max_period_epsilon: float | Decimal = MAX_PERIOD_EPSILON,
        period_days: int = PERIOD_DAYS,
        fingerprint: str | None = None,
        timeout_s: float = TIMEOUT_S,
        invitation: str | None = None,
        max_delay_s: float = 0.0,
        relay_url: str | None = None,
        resend_days: int = 0,
        on_delivered: Callable[[Receipt], object] | None = None,
        on_rejected: Callable[[Rejected], object] | None = None,
    ) -> None:
        self._timeout_s = check_timeout(timeout_s)
        self._limits = Limits.of(max_epsilon, max_period_epsilon, period_days)
        self._address = check_url(url), check_survey_id(survey_id)
        self._invitation = check_invitation(invitation)
        relay = "" if relay_url is None else check_url(relay_url, "relay_url")
        waits = check_delay(max_delay_s), check_days(resend_days)
        self._posting = Posting(relay or self._address[0], *waits, relay)
        callbacks = Callbacks(on_delivered, on_rejected)
        self._fingerprint = check_fingerprint(fingerprint)
        self._survey: Survey | None = None
        self._said_open: bool | None = None
        self._loaded: Answering | None = None
        self._is_closed = False
        self._state = State.open(check_state(state))
        self._delivery = Delivery(self._state, timeout_s=self._timeout_s, callbacks=callbacks)
        super().__init__()
        self._drop_old(opens=True)
        self._deliver()

    def _begin_anew(self) -> None:
        self._fetching = threading.Lock()

    def __repr__(self) -> str:
        url, survey_id = self._address
        return f"<SurveyClient {survey_id} at {url}, {self._say_pending()}, state {self._state.name}>"

    def _say_pending(self) -> str:
        if self._is_closed:
            return "closed"
        try:
            return f"pending {len(self.pending)}"
        except StateError:
            return "state cannot be read"

    @property
    def _answering(self) -> "Answering":
        with no_fork:
            from sotto_client.answering import Answering
            from sotto_client.source import SurveySource

            if self._loaded is None:
                demands = self._fingerprint, self._limits
                source = SurveySource(*self._address, *demands, self._posting, self._delivery.relays)
                self._loaded = Answering(self._state, source, self._limits, self._posting)
            return self._loaded

    @property
    def survey(self) -> "Survey":
        """The checked survey: fetched once, or the kept copy if the collector cannot be reached in `timeout_s`.

        Raises SurveyRefused for one that this device must not answer, SurveyUnavailable when there is none.
        """
        source = self._answering.source
        deadline = time.monotonic() + self._timeout_s
        fetching = self._fetching
        # If another thread is still fetching by then, this one has time left for the kept copy alone.
        is_mine = fetching.acquire(timeout=min(self._timeout_s, threading.TIMEOUT_MAX))
        try:
            if self._survey is None:
                left_s = max(0.0, deadline - time.monotonic())
                self._survey, self._said_open = source.survey(self._state, timeout_s=left_s)
                self._deliver()  # what its collector may have lost
            return self._survey
        finally:
            if is_mine:
                fetching.release()

    @property
    def questions(self) -> "tuple[Item, ...]":
        """The questions that this device's respondent is asked: all, or with `draw` a random choice.

        Questions that are asked together stand one by one.

        The device chooses once, when the questions are first asked for. The choice stays after a restart, in every
        wave, and whatever is answered.
        Raises as `survey` does, and StateError.
        """
        survey = self.survey
        drawn = compress(survey.questions, self._answering.draw(survey))
        return tuple(item for question in drawn for item in question.items)

    @property
    def waves(self) -> tuple[int, ...]:
        """The waves in which this device's respondent is asked, ascending: all, or with `asked_in` a random choice.

        Chosen and kept as `questions` are. Raises as `questions` does.
        """
        return self._answering.waves(self.survey)

    @property
    def is_open(self) -> bool:
        """Whether the survey accepts reports, as the collector said with it, or else by its last day and this clock.

        Raises as `survey` does.
        """
        closes = self.survey.closes
        return (not closes or today().isoformat() <= closes) if self._said_open is None else self._said_open

    def answer(self, answers: Mapping[str, Any], wave: int = 1) -> Receipt:
        """Perturb the answers to all questions, charge the budget, and leave the noisy report to be delivered.

        In a survey with `draw` only `questions` need answers. Answers to other questions may be given too: they are
        checked and dropped. So an app that has all answers need not choose.

        Each `wave`, in [1, survey.waves], gets one report. The same answer in another wave goes through the same
        permanent noise, so it costs less. All waves together never take more than the question's `epsilon_forever`. A
        changed answer costs anew.

        In a survey with `asked_in` a device answers in its `waves` only. There each report has noise of its own, and
        takes its whole epsilon, unless the survey has `epsilon_forever`.

        Returns without waiting for the network, unless the survey was not read yet. Answering a wave again never
        charges or sends anything. The same answers return the first receipt, if the device knows that they are the
        same. It knows until the report of the last wave is delivered. Afterwards only the object that made it knows.

        Raises AnswerError if a question has no answer, or one outside its domain. Raises ValueError for a wave outside
        its domain, NotAsked for one in which the device is not asked. Raises InvitationError if an invitation is
        missing, or the survey takes none. Raises AlreadyAnswered with the first receipt, and also BudgetExceeded,
        SurveyRefused, SurveyUnavailable and StateError. Raises
        ParticipationEnded if this wave has no report and the device's part has ended. It ends after the last wave's
        delivery, after `forget`, and after the collector said that the survey is over. After an error nothing was
        charged.
        """
        try:
            if self._is_closed:
                raise StateError("this client is closed.")
            receipt = self._answering.answer(self.survey, answers, wave, self._invitation)
        except (SottoError, ValueError) as fault:
            del answers
            raise without_frames(fault) from fault.__cause__
        _log.debug("A survey was answered.")
        self._delivery.wake()
        return receipt

    def resend(self, invitation: str | None = None) -> list[str]:
        """Send reports of this survey again that may not be counted, and return their receipts.

        These are delivered reports that are kept (`resend_days`), and reports whose collector did not know the survey
        for a week. With an `invitation`, reports that were refused for their invitation are sent again too: it may
        have been mistyped. Later waves use the new invitation as well. Noise and ids stay the same, so nothing is
        charged. Reports for another address than this client's are left alone. Returns without waiting for the
        network, and [] if there is nothing to send again (see `Rejected`).
        Raises ValueError for a malformed invitation, StateError.
        """
        if self._is_closed:
            raise StateError("this client is closed.")
        code = check_invitation(invitation)
        here = self._posting.url, self._address[1]
        with self._state.write() as connection:
            mended = send_refused_again(connection, *here, code)
            kept = send_kept_again(connection, *here)
        if mended:
            self._invitation = code or self._invitation
        self._deliver()
        return mended + kept

    def erase(self, receipt: Receipt | str) -> bool:
        """Have the collector remove a report of this survey from the counts for good. Return whether it did.

        First the device forgets the copy that it keeps to send again. False if the collector keeps no
        reports, or has no such report because it still waits here. Raises DeliveryError if the collector does not
        reply, StateError, ValueError. Raises as `survey` does if this device has no copy of the survey,
        which names the relay.
        """
        report_id = check_receipt(str(receipt))
        with self._state.write() as connection:
            Sent(connection).drop("receipt", report_id)
        source = self._answering.source
        via = source.via(source.kept_survey(self._state) or self.survey)
        if via is None:
            return post_erasure(*self._address, report_id, timeout_s=self._timeout_s).status == 200
        path, body = erasure_path(self._address[1]), erasure_body(report_id)
        return self._delivery.relays.post(via, path, body, timeout_s=self._timeout_s).result().status == 200

    def forget(self) -> None:
        """Stop taking part in this survey: wipe the secret of its noise and the marks of its answers at once.

        For a respondent who stops before the last wave. Reports that wait are still delivered. The invitation is wiped
        with the last of them, and no report is kept to send again. No further wave is answered (ParticipationEnded).
        Needs no network. A new version of the survey counts as a new survey. Raises StateError.
        """
        with self._state.write() as connection:
            Sent(connection).drop("survey_id", self._address[1])
            Ledger(connection).forget(self._address[1])
            if self._loaded is not None:
                self._loaded.made.clear()

    def flush(self, timeout_s: float = FLUSH_ON_EXIT_S, *, skip_delay: bool = False) -> bool:
        """Try at once, for at most `timeout_s`, to deliver all reports that wait. True when none waits in this state.

        A report stops waiting when it is counted, or refused for good (see `rejected`). Returns False early if a pause
        that a collector asked for, or a random delay, lasts longer than the time. `skip_delay` ends the delays of all
        waiting reports. If a callback closes the client meanwhile, the result is False: the next client delivers what
        may wait. Raises StateError.
        """
        was_closed = self._is_closed
        try:
            self._drop_old()
            return self._delivery.flush(timeout_s, skip_delay=skip_delay)
        except StateError:
            if was_closed or not self._is_closed:
                raise
            return False

    def _deliver(self) -> None:
        self._drop_old()
        if self.pending:
            self._delivery.wake()

    def _drop_old(self, *, opens: bool = False) -> None:
        with self._state.read() as connection:
            is_due = Sent(connection).is_due(today(), opens=opens)
        if is_due:
            with self._state.write() as connection:
                Sent(connection).sweep(today(), opens=opens)

    @property
    def pending(self) -> list[str]:
        """The receipts of the reports in this state that wait to be delivered, to any collector."""
        with self._state.read() as connection:
            return [report.receipt for report in Outbox(connection).waiting()]

    @property
    def rejected(self) -> list[Rejected]:
        """The reports in this state that a collector refused for good. They are kept, and not sent again unasked."""
        with self._state.read() as connection:
            return Outbox(connection).rejected()

    def close(self) -> None:
        """Stop delivering. Undelivered reports wait in the state for the next client. May be called twice."""
        self._is_closed = True
        self._delivery.close(FLUSH_ON_EXIT_S)
        self._state.close()

    def __enter__(self) -> "SurveyClient":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Flush for at most five seconds, then close. An undelivered report waits."""
        try:
            if not self._is_closed:
                self.flush(FLUSH_ON_EXIT_S)
        except StateError as unusable:  # must not hide the app's own exception
            _log.warning("Reports wait: %s", type(unusable).__name__)
        finally:
            self.close()
