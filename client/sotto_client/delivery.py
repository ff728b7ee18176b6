"""Delivery in the background: one daemon thread that sends what waits, and never gets in the app's way.

A report leaves the outbox only after the collector has acknowledged it, and is always sent as the same bytes, so a
crash at any moment costs a repeat, which the collector knows by its id. The secret of a survey's noise is forgotten
with the report of the last wave, or when the collector says that the survey is over. Every report has a request and a
connection of its own: reports that travel together can be linked. Each address has at most one exchange at a time, and
none waits for another's.
"""

import logging
import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from sotto_client.callbacks import Callbacks
from sotto_client.errors import ClientError
from sotto_client.exchange import Exchange, post_report, post_wish, report_path, wish_path
from sotto_client.forking import Renewed
from sotto_client.outbox import Outbox, Rejected, WaitingReport
from sotto_client.receipt import Receipt
from sotto_client.recording import BACKOFF_CAP_S, UNKNOWN_CAP_S, apply_verdict
from sotto_client.relays import Relays
from sotto_client.state import State
from sotto_client.verdict import MAX_HOLD_S, TryAgain, Unknown, Verdict, judge, judge_wish

BACKOFF_BASE_S = 1.0
MAX_DELAY_S = 604_800.0
"""The longest random delay before the first attempt of a report: a week."""
MOST_AT_ONCE = 8
"""The most exchanges at a time, each with another address; reports that failed least come first."""
_FURTHEST_S = MAX_HOLD_S + UNKNOWN_CAP_S
_log = logging.getLogger("sottovoce")


@dataclass(frozen=True, slots=True)
class _Attempt:
    """An exchange under way; `hurried_at` is what the round's was when it began."""

    report: WaitingReport
    exchange: Exchange
    hurried_at: int


@dataclass(slots=True)
class _Round:
    """What `Delivery.wake` was asked for, until nothing is under way.

    `request`: the number of the last request; `hurried_at`: of the last eager one. `tried`: the receipts and addresses
    that failed since that one, whose back-off is not cut short.
    """

    request: int = 0
    is_eager: bool = False
    skips_delay: bool = False
    hurried_at: int = 0
    tried: set[str] = field(default_factory=set)

    def hurries(self, report: WaitingReport) -> bool:
        return self.is_eager and not self.tried & {report.url, report.receipt}


class Delivery(Renewed):
    """Sends the reports of a state, each to its address, and tells `callbacks` what came of it.

    `clock`: seconds since 1970; `uniform(a, b)`: the jitter.
    """

    def __init__(
        self,
        state: State,
        *,
        timeout_s: float,
        callbacks: Callbacks | None = None,
        clock: Callable[[], float] = time.time,
        uniform: Callable[[float, float], float] | None = None,
    ) -> None:
        self._state = state
        self.relays = Relays(state)
        self._timeout_s = timeout_s
        self._callbacks = callbacks or Callbacks()
        self._clock = clock
        self._uniform = uniform or random.SystemRandom().uniform
        self._is_closing = False
        super().__init__()

    def _begin_anew(self) -> None:
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._asked = _Round()
        self._round = _Round()
        self._under_way: dict[str, _Attempt] = {}  # by address
        self._n_served = self._n_faults = 0
        self._next_at: float | None = None  # monotonic; None when nothing waits

    def wake(self, *, eager: bool = False, skip_delay: bool = False) -> int:
        """Make the thread look at the outbox, and start it if there is none; returns the request's number.

        `eager` cuts back-off short, but not a wait that the collector asked for; `skip_delay` the reports' own delays.
        """
        with self._changed:
            self._asked.request += 1
            self._asked.is_eager |= eager
            self._asked.skips_delay |= skip_delay
            if not self._is_closing and (self._thread is None or not self._thread.is_alive()):
                self._start()
            self._changed.notify_all()
            return self._asked.request

    def flush(self, timeout_s: float, *, skip_delay: bool = False) -> bool:
        """Try at once and wait; True when nothing waits any more. Returns early when no attempt is due in time.

        At once in the thread that delivers, where a callback asks for it.
        """
        deadline = time.monotonic() + timeout_s
        if not self._waiting():
            return True
        ticket = self.wake(eager=True, skip_delay=skip_delay)
        if self._thread is threading.current_thread():
            return False
        with self._changed:
            self._changed.wait_for(lambda: self._is_settled(ticket, deadline), max(0.0, timeout_s))
        return not self._waiting()

    def close(self, timeout_s: float) -> None:
        """End the thread after the exchanges under way, at their deadlines at the latest; wait at most `timeout_s`."""
        with self._changed:
            self._is_closing = True
            self._changed.notify_all()
            thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join(timeout_s)

    def attempt_due(self, *, eager: bool = False, skip_delay: bool = False) -> float | None:
        """Send what is due and wait for the replies; returns the seconds to the next attempt, None if nothing waits."""
        self._round = _Round(self._asked.request, is_eager=eager, skips_delay=skip_delay)
        while True:
            wait_s = self._advance()
            if not self._under_way:
                self._round = _Round(self._asked.request)
                return wait_s
            with self._changed:
                self._rest(None)

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
                if self._is_closing and not self._under_way:
                    return
                self._take_requests()
            wait_s = self._safely(self._advance)
            with self._changed:
                if not self._under_way:
                    self._end_round(wait_s)
                    if wait_s is None and not self._has_news():
                        self._thread = None  # the next report starts another
                        return
                self._rest(wait_s)

    def _take_requests(self) -> None:
        asked = self._asked
        if asked.is_eager:
            self._round.tried.clear()
            self._round.hurried_at = asked.request
        self._round.request = asked.request
        self._round.is_eager |= asked.is_eager
        self._round.skips_delay |= asked.skips_delay
        self._asked = _Round(asked.request)

    def _end_round(self, wait_s: float | None) -> None:
        self._n_served = self._round.request
        self._round = _Round(self._n_served)
        self._next_at = None if wait_s is None else time.monotonic() + wait_s
        self._changed.notify_all()

    def _rest(self, wait_s: float | None) -> None:
        """Wait for news, but not past the next attempt, or the deadline of one that is under way."""
        moments = [attempt.exchange.deadline - time.monotonic() for attempt in self._under_way.values()]
        moments += [] if wait_s is None else [wait_s]
        # Never longer: the monotonic clock of a suspended machine stands still.
        self._changed.wait_for(self._has_news, max(0.0, min([*moments, BACKOFF_CAP_S])))

    def _has_news(self) -> bool:
        is_asked = self._asked.request > self._round.request
        is_over = any(attempt.exchange.is_over for attempt in self._under_way.values())
        return is_asked or is_over or (self._is_closing and not self._under_way)

    def _notify(self) -> None:
        with self._changed:
            self._changed.notify_all()

    def _safely(self, step: Callable[[], float | None]) -> float | None:
        """Take a step; if it fails, log the exception's type alone, and return the seconds until it is tried again."""
        try:
            wait_s = step()
        except Exception as fault:
            self._n_faults += 1
            if not self._is_closing:
                _log.warning("Reports wait: delivery failed (%s).", type(fault).__name__)
            return self._backoff(self._n_faults)
        self._n_faults = 0
        return wait_s

    def _advance(self) -> float | None:
        """Note what has ended and begin what is due; returns the seconds to the next attempt that can begin, if any."""
        for attempt in [attempt for attempt in self._under_way.values() if attempt.exchange.is_over]:
            del self._under_way[attempt.report.url]
            self._note(attempt)
        waits = []
        for report in self._waiting():
            is_free = report.url not in self._under_way and len(self._under_way) < MOST_AT_ONCE
            if is_free and not self._is_closing:
                waits.append(self._wait_of(report, self._round))
                if waits[-1] == 0:
                    waits.pop()
                    self._begin(report)
        return min(waits, default=None)

    def _begin(self, report: WaitingReport) -> None:
        exchange = self._send(report)
        asked = "A report is being sent" if report.wish is None else "A token is being asked for"
        _log.debug("%s (attempt %d).", asked, report.n_attempts + 1)
        self._under_way[report.url] = _Attempt(report, exchange, self._round.hurried_at)
        exchange.when_over(self._notify)

    def _send(self, report: WaitingReport) -> Exchange:
        """Return the exchange that sends a report, or first asks for its token.

        An oblivious survey's goes through its relay, sealed anew each time.
        """
        wish, to = report.wish, (report.url, report.survey_id)
        if report.via is not None:
            path = report_path(report.survey_id) if wish is None else wish_path(report.survey_id, wish.path)
            body = report.body if wish is None else wish.body()
            return self.relays.post(report.via, path, body, timeout_s=self._timeout_s)
        if wish is not None:
            return post_wish(*to, wish.path, wish.body(), timeout_s=self._timeout_s)
        return post_report(*to, report.body, timeout_s=self._timeout_s)

    def _note(self, attempt: _Attempt) -> None:
        verdict = self._judge(attempt)
        outcome = self._record(attempt.report, verdict)
        if attempt.hurried_at == self._round.hurried_at:  # else an eager request came meanwhile
            if isinstance(verdict, TryAgain):
                self._round.tried.add(attempt.report.url)
            elif isinstance(verdict, Unknown):
                self._round.tried.add(attempt.report.receipt)
        self._callbacks.tell(outcome)  # after the commit, with no lock held

    def _waiting(self) -> list[WaitingReport]:
        with self._state.read() as connection:
            return Outbox(connection).waiting()

    def _is_settled(self, ticket: int, deadline: float) -> bool:
        """Whether the request was served and no attempt follows before the deadline."""
        is_idle = self._next_at is None or self._next_at > deadline
        return self._is_closing or self._thread is None or (self._n_served >= ticket and is_idle)

    def _wait_of(self, report: WaitingReport, asked: _Round) -> float:
        """Return the seconds until a report is due; its own delay ends with its first attempt."""
        now = self._clock()
        hurries = asked.hurries(report) and not report.is_held
        wait_s = 0.0 if hurries else _until(report.not_before, now, _FURTHEST_S)
        skips_delay = asked.skips_delay or report.n_attempts
        return max(wait_s, 0.0 if skips_delay else _until(report.delay_until, now, MAX_DELAY_S))

    def _judge(self, attempt: _Attempt) -> Verdict:
        try:
            reply = attempt.exchange.result()
        except ClientError as fault:  # also of a gateway that must not be used
            return TryAgain(str(fault).rstrip("."), has_reply=False)
        wish = attempt.report.wish
        return judge(reply, self._clock()) if wish is None else judge_wish(reply, wish, self._clock())

    def _record(self, report: WaitingReport, verdict: Verdict) -> Receipt | Rejected | None:
        with self._state.write() as connection:
            return apply_verdict(connection, report, verdict, self._clock(), self._backoff)

    def _backoff(self, n_failed: int, cap_s: float = BACKOFF_CAP_S) -> float:
        """Return seconds uniform on [0, min(cap, base 2^(n - 1))]: exponential, with full jitter (Brooker 2015)."""
        return self._uniform(0.0, min(cap_s, BACKOFF_BASE_S * 2.0 ** min(n_failed - 1, 30)))


def _until(moment: float, now: float, furthest_s: float) -> float:
    """Return the seconds until a moment: 0 if it has passed, or is so far off that it was set by a wrong clock."""
    wait_s = moment - now
    return 0.0 if wait_s > furthest_s else max(0.0, wait_s)
