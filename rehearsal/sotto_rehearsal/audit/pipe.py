"""Running the program that is audited: lines of JSON go in, a report comes out for each (docs/audit.md)."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import IO

from sotto_protocol import Report
from sotto_protocol.report import REPORT_ID_BYTES
from sotto_rehearsal.audit.errors import AuditError
from sotto_rehearsal.audit.sample import WAVES
from sotto_rehearsal.audit.script import Block, Script

_POLL_S = 0.05
_BLANKS = 2**10
"""So many bytes a program may spend on each report beyond the shortest JSON of it."""
_MOST_ODD = 2**24
"""So many bytes it may print in all beyond that: what is wrong with a few long lines is then said of these."""
Progress = Callable[[int, int], None]
"""What is told how many reports there are, of how many."""


@dataclass
class _Run:
    process: subprocess.Popen[bytes]
    printed: IO[bytes]
    n_lines: int
    n_seen: int = 0
    position: int = 0

    def count_lines(self) -> int:
        """Return how many lines there are by now, reading what is new."""
        while chunk := os.pread(self.printed.fileno(), 2**20, self.position):
            self.n_seen, self.position = self.n_seen + chunk.count(b"\n"), self.position + len(chunk)
        return self.n_seen

    def exit_code(self) -> int | None:
        """Return how the program ended, minus the signal that killed it; None while it runs. Its group lives on."""
        ended = os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if ended is None:
            return None
        return ended.si_status if ended.si_code == os.CLD_EXITED else -ended.si_status


def run_program(command: Sequence[str], script: Script, *, timeout_s: float, progress: Progress) -> list[bytes]:
    """Return the lines that a program prints, a report each, those of its first process before those of its second.

    Raises AuditError where it cannot be started, prints nothing for `timeout_s` seconds, ends early or with another
    exit code than 0, or prints another number of lines.
    """
    with ExitStack() as stack:
        stack.enter_context(_unwinding_if_terminated())
        runs = [_start(command, script, share, stack) for share in script.shares()]
        _wait(runs, _most_bytes(script), timeout_s, progress)
        return [line for run in runs for line in _read(run)]


def _start(command: Sequence[str], script: Script, share: Sequence[Block], stack: ExitStack) -> _Run:
    asked, printed = (stack.enter_context(_open_nameless()) for _ in range(2))
    asked.write(script.main.survey.canonical + b"\n")
    for block in share:
        asked.writelines(block.lines())
    asked.seek(0)
    try:
        process = subprocess.Popen(  # noqa: S603  # who audits it chose it
            command, stdin=asked, stdout=printed, start_new_session=True
        )
    except OSError as fault:
        raise AuditError(f"{command[0]} cannot be started: {fault.strerror}.") from fault
    stack.callback(_end, process)
    return _Run(process, printed, sum(block.n_lines for block in share))


def _open_nameless() -> IO[bytes]:
    """Return a file for the program: a pipe would have to be read while it is written."""
    return tempfile.TemporaryFile()


def _end(process: "subprocess.Popen[bytes]") -> None:
    """End a program, and all that it started: its group is its own for as long as nobody has waited for it."""
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


@contextmanager
def _unwinding_if_terminated() -> Iterator[None]:
    """Let SIGTERM end this process as Ctrl-C does: what it started ends too."""
    before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _most_bytes(script: Script) -> int:
    """Return how much all reports of a script can be, printed generously."""
    survey = script.main.survey
    sent = Report(bytes(REPORT_ID_BYTES), survey.layout.longest).to_wire(survey)
    longest = json.dumps({**sent, WAVES: [survey.waves] * survey.asked_in})
    return script.n_lines * (len(longest) + _BLANKS) + _MOST_ODD


def _wait(runs: Sequence[_Run], most_bytes: int, timeout_s: float, progress: Progress) -> None:
    """Wait for the processes, as long as they print; every end that is no good end ends the others too."""
    n_all, size, heard = sum(run.n_lines for run in runs), -1, time.monotonic()
    while any(run.exit_code() is None for run in runs):
        for run in runs:
            _check_end(run)
        now = sum(os.fstat(run.printed.fileno()).st_size for run in runs)
        if now > most_bytes:
            raise AuditError(f"the program printed more than {n_all} reports can be.")
        if now != size:
            size, heard = now, time.monotonic()
            progress(sum(run.count_lines() for run in runs), n_all)
        elif time.monotonic() - heard > timeout_s:
            raise AuditError(f"the program printed nothing for {timeout_s:g} s; see --timeout-s.")
        time.sleep(_POLL_S)
    for run in runs:
        _check_end(run)
    progress(n_all, n_all)


def _check_end(run: _Run) -> None:
    code = run.exit_code()
    if code:
        said = f"ended with exit code {code}" if code > 0 else "was killed"
        raise AuditError(f"the program {said} after {run.count_lines()} of {run.n_lines} reports.")


def _read(run: _Run) -> list[bytes]:
    run.printed.seek(0)
    printed = run.printed.read()
    lines = printed.removesuffix(b"\n").split(b"\n") if printed else []
    if len(lines) != run.n_lines:
        raise AuditError(f"the program printed {len(lines)} lines, where {run.n_lines} reports were asked for.")
    return lines
