"""What is logged: our own words, and of waitress only where something happened, for its words name peers."""

import logging
import sys


class _Wordless(logging.Formatter):
    """Formats a record without its message: waitress puts addresses and paths there."""

    def format(self, record: logging.LogRecord) -> str:
        kind = record.exc_info[0].__name__ if record.exc_info and record.exc_info[0] else "no exception"
        return f"{record.name}: {record.levelname.lower()} at {record.module}:{record.lineno} ({kind})"


def set_up_logs() -> None:
    """Send our errors to stderr, and waitress's without their words. Nobody logs a request."""
    _send("sotto_collector", logging.Formatter("%(name)s: %(message)s"))
    _send("waitress", _Wordless())
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)  # it warns of every request that waits its turn


def _send(name: str, formatter: logging.Formatter) -> None:
    logger = logging.getLogger(name)
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(formatter)
    logger.handlers = [handler]
    logger.setLevel(logging.WARNING)
    logger.propagate = False
