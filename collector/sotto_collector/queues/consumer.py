"""The consumer: it counts what a queue has as a POST is counted, and settles each message after its commit.

A message that comes again has reports whose ids are stored: they are duplicates, and are counted once.
"""

import logging
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from sotto_collector.collector import Collector
from sotto_collector.errors import (
    BusyError,
    CollectorError,
    QueueError,
    RateLimitError,
    RequestError,
    StoreError,
)
from sotto_collector.intake.parsing import refuse_length
from sotto_collector.logs import OURS
from sotto_collector.queues.queue import Message, Queue, Settled

N_THREADS = 64
"""So many messages are counted at once: those that wait together share a commit."""
_LONGEST_PAUSE_S = 30.0

log = logging.getLogger(OURS)


@dataclass
class Consumed:
    """What a consumer did: reports that were new and that were there before, and messages that it refused."""

    n_counted: int = 0
    n_duplicates: int = 0
    n_refused: int = 0


class Consumer:
    """Reads one queue until it is told to stop."""

    def __init__(self, collector: Collector, queue: Queue, *, pause_s: float = 1.0) -> None:
        """`pause_s`: how long it waits after the first fault of the queue or the store; each further one doubles it."""
        self.consumed = Consumed()
        self._collector = collector
        self._queue = queue
        self._first_pause_s = self._pause_s = pause_s
        self._stopped = threading.Event()
        self._lock = threading.Lock()

    def stop(self) -> None:
        """Let `run` end once what it has read is settled. Safe in a signal handler."""
        self._stopped.set()

    def run(self) -> None:
        """Count what comes. While the queue or the store fails it waits, and says so once."""
        with ThreadPoolExecutor(N_THREADS, thread_name_prefix="sotto-intake") as pool:
            while not self._stopped.is_set():
                try:
                    self._settle(pool, self._queue.read())
                    self._pause_s = self._first_pause_s
                except (QueueError, StoreError, BusyError) as fault:
                    if self._pause_s == self._first_pause_s:
                        log.error("reports of the queue wait: %s", fault)
                    self._stopped.wait(self._pause_s)
                    self._pause_s = min(2 * self._pause_s, _LONGEST_PAUSE_S)

    def _settle(self, pool: ThreadPoolExecutor, messages: Sequence[Message]) -> None:
        """Count messages and settle them. Raises the fault of the store, where there was one, after the others."""
        results = list(pool.map(self._count, messages))
        settled = [result for result in results if isinstance(result, Settled)]
        if settled:
            self._queue.settle(settled)
        self.consumed.n_refused += sum(bool(one.refused) for one in settled)
        for fault in _faults(results):
            raise fault

    def _count(self, message: Message) -> Settled | CollectorError:
        """Return what became of a message; an error where it is to come again later."""
        try:
            if len(message.body) > (most := self._collector.settings.max_body_bytes):
                raise refuse_length(most)
            outcome = self._collector.take(self._collector.require_survey(message.survey), message.body)
        except (StoreError, BusyError, RateLimitError) as fault:
            return fault
        except CollectorError as fault:
            return Settled(message, _reason(fault))
        except Exception as fault:  # a message must not end the consumer, again and again
            log.error("a message of the queue cannot be counted: %s", type(fault).__name__)
            return Settled(message, f"unexpected {type(fault).__name__}")
        with self._lock:
            self.consumed.n_counted += outcome.n_counted
            self.consumed.n_duplicates += outcome.n_duplicates
        return Settled(message)


def _faults(results: Sequence[Settled | CollectorError]) -> Iterator[CollectorError]:
    """Yield what failed for all; a survey's rate limit lets only its own messages wait."""
    return (one for one in results if isinstance(one, StoreError | BusyError))


def _reason(fault: CollectorError) -> str:
    """Return why a message was refused, in a line; it quotes nothing of the message."""
    if not isinstance(fault, RequestError):
        return str(fault)
    problem = fault.problem
    return " ".join(filter(None, [str(problem.status), problem.code, problem.where, problem.detail]))
