"""Workers: processes that share one listening socket, and the parent that keeps them running.

The socket stays open whatever becomes of a worker, so connections wait where there is none to take them. Nothing else
is shared: what a worker opens it opens itself, after the fork, and the parent starts no thread before it.
"""

import itertools
import logging
import os
import select
import signal
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from sotto_collector.errors import WorkerError
from sotto_collector.logs import OURS
from sotto_collector.metrics import forget_slot
from sotto_collector.serving.worker import READY, be_worker
from sotto_collector.settings import Settings
from sotto_collector.slot import Slot

STOP_S = 9.0
"""A worker that has not stopped so many seconds after it was told to is killed: it drains for at most 7 s."""
READY_S = 60.0
"""A worker that does not serve after so many seconds is ended."""
STEADY_S = 5.0  # a worker that ends sooner makes the next one wait:
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.1, 30.0  # from the first, twice as long each time, up to the longest
_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD)

log = logging.getLogger(OURS)


@dataclass(slots=True)
class _Worker:
    """A process, and the pipe into which it says that it serves, or why it does not."""

    pid: int
    slot: Slot
    pipe: int
    began: float = field(default_factory=time.monotonic)
    is_ready: bool = False
    is_ending: bool = False
    is_awaited: bool = False
    reason: str = "it ended"


class Workers:
    """Runs as many workers as the settings say. SIGTERM and SIGINT end them, SIGHUP replaces them one by one."""

    def __init__(self, settings: Settings, listening: socket.socket, metrics_folder: Path) -> None:
        self._settings = settings
        self._listening = listening
        self._metrics_folder = metrics_folder
        self._workers: list[_Worker] = []
        self._is_stopping = self._is_to_replace = self._was_killed = False
        self._n_short_lives, self._starts_at = 0, 0.0
        self._lifeline_end, self._lifeline = os.pipe()
        self._woken, self._waker = socket.socketpair()
        for end in (self._woken, self._waker):
            end.setblocking(False)

    def run(self, on_ready: Callable[[], None]) -> None:
        """Serve until a signal ends it; `on_ready` is called once every worker serves.

        Raises WorkerError where the first workers cannot serve, or one had to be killed at the end.
        """
        with self._signals():
            try:
                self._start_all()
                if not self._is_stopping:
                    on_ready()
                while not self._is_stopping:
                    self._keep_running()
            finally:
                self._stop_all()
        if self._was_killed:
            raise WorkerError(f"a worker did not stop within {STOP_S:.0f} s and was killed.")

    def _start_all(self) -> None:
        """Start one after the other: so only one reports what is wrong."""
        for _ in range(self._settings.workers):
            worker = self._start()
            if not self._await_ready(worker) and not self._is_stopping:
                raise WorkerError(worker.reason)

    def _keep_running(self) -> None:
        if self._is_to_replace:
            self._is_to_replace = False
            self._replace_all()
            return  # it may have taken the signal that ends all, or asks for this again
        is_short = len(self._workers) < self._settings.workers
        if is_short and time.monotonic() >= self._starts_at:
            self._start()
        self._wait(max(0.0, self._starts_at - time.monotonic()) if is_short else None)

    def _replace_all(self) -> None:
        """Put a new worker in the place of each old one; the old one goes when the new one serves."""
        for old in [*self._workers]:
            new = self._start()
            if not self._await_ready(new):
                if not self._is_stopping:
                    log.error("a new worker could not start, so the old ones stay: %s", new.reason)
                return
            self._end([old])

    def _await_ready(self, worker: _Worker) -> bool:
        """Wait until a worker serves; return False if it does not in time, or it ends, or all are to stop."""
        worker.is_awaited = True
        deadline = worker.began + READY_S
        while not worker.is_ready and worker in self._workers and not self._is_stopping:
            if time.monotonic() >= deadline:
                worker.reason = f"it did not serve within {READY_S:g} s"
                self._end([worker])
                return False
            self._wait(max(0.0, deadline - time.monotonic()))
        return worker.is_ready

    def _start(self) -> _Worker:
        taken = {worker.slot.number for worker in self._workers}
        number = next(free for free in itertools.count() if free not in taken)
        slot = Slot(number, self._settings.workers, self._metrics_folder)
        pipe, ready = os.pipe()
        signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)  # a signal in between is for the process that it was sent to
        try:
            pid = os.fork()
            if pid == 0:
                self._become_worker(slot, ready)
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
        os.close(ready)
        worker = _Worker(pid, slot, pipe)
        self._workers.append(worker)
        return worker

    def _become_worker(self, slot: Slot, ready: int) -> None:
        """Close what is the parent's, and serve; never returns."""
        signal.set_wakeup_fd(-1)
        for number in _SIGNALS:
            signal.signal(number, signal.SIG_IGN if number == signal.SIGHUP else signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
        os.close(self._lifeline)
        self._woken.close()
        self._waker.close()
        for worker in self._workers:
            os.close(worker.pipe)
        be_worker(self._listening, self._settings, slot, ready, self._lifeline_end)

    def _wait(self, timeout_s: float | None) -> None:
        """Wait for a signal, or a worker's message, and take note of it."""
        pipes = {worker.pipe: worker for worker in self._workers if not worker.is_ready}
        woken = self._woken.fileno()
        readable, _, _ = select.select([woken, *pipes], [], [], timeout_s)
        for number in self._woken.recv(4096) if woken in readable else b"":
            self._is_stopping |= number in (signal.SIGTERM, signal.SIGINT)
            self._is_to_replace |= number == signal.SIGHUP
        for pipe in readable:
            if pipe in pipes:
                said = os.read(pipe, 65536)
                pipes[pipe].is_ready = said == READY
                pipes[pipe].reason = said.decode(errors="replace") or pipes[pipe].reason
        for worker in [*self._workers]:
            pid, status = os.waitpid(worker.pid, os.WNOHANG)
            if pid:
                self._remove(worker, os.waitstatus_to_exitcode(status))

    def _remove(self, worker: _Worker, exit_code: int) -> None:
        self._workers.remove(worker)
        os.close(worker.pipe)
        forget_slot(self._metrics_folder, worker.slot.number)
        if worker.is_ending or self._is_stopping:
            return
        lived_s = time.monotonic() - worker.began
        self._n_short_lives = 0 if lived_s > STEADY_S else self._n_short_lives + 1
        pause_s = min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2**self._n_short_lives)
        self._starts_at = time.monotonic() + pause_s
        if worker.is_ready:
            log.error("a worker ended unexpectedly (%s); another starts", _say_end(exit_code))
        elif not worker.is_awaited:
            log.error("a worker could not start; another tries: %s", worker.reason)

    def _end(self, workers: list[_Worker]) -> None:
        """Tell workers to stop, and wait until they have; kill those that do not."""
        for worker in workers:
            worker.is_ending = True
            os.kill(worker.pid, signal.SIGTERM)
        deadline = time.monotonic() + STOP_S
        while {worker.pid for worker in workers} & {worker.pid for worker in self._workers}:
            if time.monotonic() >= deadline:
                log.error("a worker did not stop, and is killed")
                self._was_killed = True
                for worker in workers:
                    if worker in self._workers:
                        os.kill(worker.pid, signal.SIGKILL)
                deadline += STOP_S
            self._wait(max(0.0, deadline - time.monotonic()))

    def _stop_all(self) -> None:
        self._is_stopping = True
        self._listening.close()
        self._end([*self._workers])
        for end in (self._lifeline, self._lifeline_end):
            os.close(end)
        self._woken.close()
        self._waker.close()

    @contextmanager
    def _signals(self) -> Iterator[None]:
        """Make signals wake `_wait`, until the end of the block."""
        before = {number: signal.signal(number, lambda *_: None) for number in _SIGNALS}
        waker = signal.set_wakeup_fd(self._waker.fileno(), warn_on_full_buffer=False)
        try:
            yield
        finally:
            signal.set_wakeup_fd(waker)
            for number, handler in before.items():
                signal.signal(number, handler)


def _say_end(exit_code: int) -> str:
    return f"signal {-exit_code}" if exit_code < 0 else f"exit code {exit_code}"
