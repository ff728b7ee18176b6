"""Delivery in the background: one daemon thread that sends what waits, and never gets in the app's way.

A report leaves the outbox only after the collector has acknowledged it, and is always sent as the same bytes, so a
crash at any moment costs a repeat, which the collector knows by its id. With the report of the last wave, or with the
collector's word that the survey is over, goes the secret of its noise. Every report has a request and a connection of
its own: what goes together is linked.
"""

import logging
import random
import threading
import time
from collections.abc import Callable

from sotto_client.errors import DeliveryError
from sotto_client.exchange import post_report
from sotto_client.ledger import Ledger
from sotto_client.outbox import Outbox, Waiting, needs_invitation
from sotto_client.state import State
from sotto_client.verdict import MAX_HOLD_S, Acknowledged, Refused, TryAgain, Verdict, judge

BACKOFF_BASE_S = 1.0
BACKOFF_CAP_S = 300.0
MAX_DELAY_S = 604_800.0
"""The longest random delay before the first attempt of a report: a week."""
_MAX_REPLY_BYTES = 2**16
_FURTHEST_S = MAX_HOLD_S + BACKOFF_CAP_S
_log = logging.getLogger("sotto_client")


class Delivery:
    """Sends the reports of a state, to whatever collector. `clock`: seconds since 1970; `uniform(a, b)`: the jitter."""

    def __init__(
        self,
        state: State,
        *,
        timeout_s: float,
        clock: Callable[[], float] = time.time,
        uniform: Callable[[float, float], float] | None = None,
    ) -> None:
        self._state = state
        self._timeout_s = timeout_s
        self._clock = clock
        self._uniform = uniform or random.SystemRandom().uniform
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._n_asked = self._n_served = self._n_faults = 0
        self._is_eager = self._skips_delay = self._is_closing = False
        self._next_at: float | None = None  # monotonic; None when nothing waits

    def wake(self, *, eager: bool = False, skip_delay: bool = False) -> int:
        """Have the outbox looked at, by a thread that is started when there is none; returns the request's number.

        `eager` cuts back-off short, but not a wait that the collector asked for; `skip_delay` the reports' own delays.
        """
        with self._changed:
            self._n_asked += 1
            self._is_eager |= eager
            self._skips_delay |= skip_delay
            if not self._is_closing and (self._thread is None or not self._thread.is_alive()):
                self._start()
            self._changed.notify_all()
            return self._n_asked

    def flush(self, timeout_s: float, *, skip_delay: bool = False) -> bool:
        """Try at once and wait; True when nothing waits any more. Returns early when no attempt is due in time."""
        deadline = time.monotonic() + timeout_s
        if not self._waiting():
            return True
        ticket = self.wake(eager=True, skip_delay=skip_delay)
        with self._changed:
            self._changed.wait_for(lambda: self._is_settled(ticket, deadline), max(0.0, timeout_s))
        return not self._waiting()

    def close(self, timeout_s: float) -> None:
        """End the thread; one that hangs in an exchange ends by itself, at the exchange's own time limit."""
        with self._changed:
            self._is_closing = True
            self._changed.notify_all()
            thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join(timeout_s)

    def attempt_due(self, *, eager: bool = False, skip_delay: bool = False) -> float | None:
        """Send what is due, once; returns the seconds to the next attempt, None when nothing waits."""
        failed = set()
        waiting = self._waiting()
        for report in waiting:
            if report.url in failed or self._is_closing:
                continue
            if self._wait_of(report, eager=eager, skip_delay=skip_delay) == 0:
                verdict = self._ask(report)
                self._record(report, verdict)
                if isinstance(verdict, TryAgain):  # leave its collector alone
                    failed.add(report.url)
        if waiting:
            waiting = self._waiting()
        return min((self._wait_of(report) for report in waiting), default=None)

    def _start(self) -> None:
        thread = threading.Thread(target=self._run, name="sottovoce-delivery", daemon=True)
        try:
            thread.start()
        except RuntimeError:  # no more threads, or the interpreter is ending: the outbox waits for another day
            _log.warning("Reports wait: no thread could be started.")
        else:
            self._thread = thread

    def _run(self) -> None:
        while True:
            with self._changed:
                if self._is_closing:
                    return
                serving, eager, skip_delay = self._n_asked, self._is_eager, self._skips_delay
                self._is_eager = self._skips_delay = False
            delay_s = self._attempt_safely(eager, skip_delay)
            with self._changed:
                self._n_served = serving
                self._next_at = None if delay_s is None else time.monotonic() + delay_s
                self._changed.notify_all()
                if self._n_asked > serving or self._is_closing:
                    continue
                if delay_s is None:
                    self._thread = None  # the next report starts another
                    return
                # Not longer at a time: a suspended machine's monotonic clock stands still.
                self._changed.wait(min(delay_s, BACKOFF_CAP_S))

    def _attempt_safely(self, eager: bool, skip_delay: bool = False) -> float | None:
        """Attempt; whatever goes wrong is logged by its name alone, and tried again later."""
        try:
            delay_s = self.attempt_due(eager=eager, skip_delay=skip_delay)
        except Exception as fault:
            self._n_faults += 1
            if not self._is_closing:
                _log.warning("Reports wait: delivery failed (%s).", type(fault).__name__)
            return self._backoff(self._n_faults)
        self._n_faults = 0
        return delay_s

    def _waiting(self) -> list[Waiting]:
        with self._state.read() as connection:
            return Outbox(connection).waiting()

    def _is_settled(self, ticket: int, deadline: float) -> bool:
        """Whether the request was served and no attempt follows before the deadline."""
        is_idle = self._next_at is None or self._next_at > deadline
        return self._is_closing or self._thread is None or (self._n_served >= ticket and is_idle)

    def _wait_of(self, report: Waiting, *, eager: bool = False, skip_delay: bool = False) -> float:
        """Seconds until a report is due; its own delay is over with its first attempt."""
        now = self._clock()
        wait_s = 0.0 if eager and not report.is_held else _until(report.not_before, now, _FURTHEST_S)
        delay_s = 0.0 if skip_delay or report.n_attempts else _until(report.delay_until, now, MAX_DELAY_S)
        return max(wait_s, delay_s)

    def _ask(self, report: Waiting) -> Verdict:
        try:
            reply = post_report(
                report.url, report.survey_id, report.body, timeout_s=self._timeout_s, max_bytes=_MAX_REPLY_BYTES
            )
        except DeliveryError as fault:
            return TryAgain(str(fault).rstrip("."))
        return judge(reply, self._clock())

    def _record(self, report: Waiting, verdict: Verdict) -> None:
        with self._state.write() as connection:
            outbox = Outbox(connection)
            match verdict:
                case Acknowledged():
                    outbox.acknowledge(report.receipt)
                case Refused(problem):
                    hint = "an app can `resend` it under another" if needs_invitation(problem) else "see `sotto outbox`"
                    message = "A report was refused for good (HTTP %d, %s); it is kept aside: %s."
                    _log.warning(message, problem.status, problem.code, hint)
                    outbox.reject(report.receipt, problem)
                case TryAgain(reason, hold_s):
                    wait_s = (hold_s or 0.0) + self._backoff(report.n_attempts + 1)
                    _log.warning("A report waits: %s. Next attempt in %.0f s.", reason, wait_s)
                    outbox.postpone(report, self._clock() + wait_s, hold_s is not None)
            if not isinstance(verdict, TryAgain):
                is_over = isinstance(verdict, Refused) and verdict.ends_survey
                Ledger(connection).settle(report.receipt, ends_survey=is_over)

    def _backoff(self, n_failed: int) -> float:
        """Exponential, with full jitter (Brooker 2015): uniform on [0, min(cap, base 2^(n - 1))] seconds."""
        return self._uniform(0.0, min(BACKOFF_CAP_S, BACKOFF_BASE_S * 2.0 ** min(n_failed - 1, 30)))


def _until(moment: float, now: float, furthest_s: float) -> float:
    """Seconds until a moment, none where it is over; nor where it is so far off that a clock was ahead that set it."""
    wait_s = moment - now
    return 0.0 if wait_s > furthest_s else max(0.0, wait_s)
