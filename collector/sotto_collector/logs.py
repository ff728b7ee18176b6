"""What is logged: our own messages; of other libraries' only the place, for their messages name peers.

One line for one event, on stderr. No request is logged, not even each one that fails: of equal lines one a minute is
written.
"""

import json
import logging
import sys
import threading
import time
import traceback
from collections.abc import Callable
from types import TracebackType
from typing import Any

REPEAT_S = 60
OURS = "sotto_collector"
_TIMES = {"none": "", "day": "%Y-%m-%d", "second": "%Y-%m-%dT%H:%M:%SZ"}
_MAX_KNOWN = 1000


class _Formatter(logging.Formatter):
    """Formats our records; of other libraries' only the place, and the type of the exception."""

    def __init__(self, log_format: str, log_time: str) -> None:
        super().__init__()
        self._is_json = log_format == "json"
        self._time = _TIMES[log_time]

    def format(self, record: logging.LogRecord) -> str:
        event = _describe(record)
        stamp = time.strftime(self._time, time.gmtime(record.created))
        if not self._is_json:
            return " ".join(filter(None, [stamp, f"{record.name}: {event}"]))
        line = {"time": stamp} if stamp else {}
        line |= {"level": record.levelname.lower(), "module": record.module, "logger": record.name, "event": event}
        return json.dumps(line)


def _describe(record: logging.LogRecord) -> str:
    """Return our own message; of other libraries' records only where they come from."""
    if record.name.split(".")[0] == OURS:
        return record.getMessage()
    kind = record.exc_info[0].__name__ if record.exc_info and record.exc_info[0] else "no exception"
    return f"{record.levelname.lower()} at {record.module}:{record.lineno} ({kind})"


class _Seldom(logging.Filter):
    """Passes one of equal records in REPEAT_S seconds: a line for each request that fails would be a request log."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._written_at: dict[tuple[object, ...], float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        now, key = self._clock(), (record.name, _describe(record))
        if now - self._written_at.get(key, now - REPEAT_S) < REPEAT_S:
            return False
        if len(self._written_at) >= _MAX_KNOWN:
            self._written_at.clear()
        self._written_at[key] = now
        return True


def set_up_logs(log_format: str = "text", log_time: str = "day") -> None:
    """Log warnings and errors to stderr: our own messages, and of other libraries' only the place."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Formatter(log_format, log_time))
    handler.addFilter(_Seldom())
    for name in ("", OURS, "waitress"):
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.setLevel(logging.WARNING)
        logger.propagate = False
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)  # it warns of every request that waits its turn
    logging.raiseExceptions = False  # where a line cannot be written, logging would print the record itself


def log_what_nobody_caught() -> None:
    """Log the warnings and uncaught exceptions of this process the same way: their places, not their messages."""
    logging.captureWarnings(True)
    sys.excepthook = _log_uncaught
    threading.excepthook = lambda args: _log_uncaught(args.exc_type, args.exc_value, args.exc_traceback)


def _log_uncaught(kind: type[BaseException], _: BaseException | None, trace: TracebackType | None) -> Any:
    logging.getLogger(OURS).critical("%s", describe_fault(kind, trace))


def describe_fault(kind: type[BaseException], trace: TracebackType | None) -> str:
    """Return where an exception happened and not what it says: its message may quote a request."""
    return f"internal error: {kind.__name__}\n{''.join(traceback.format_tb(trace)).rstrip()}"
