"""OpenTelemetry: what /metrics says, sent to where the standard environment variables point; without them, nothing.

Metrics and nothing else. A span is one request with its moment, its path and often its peer: spans would say when which
report came, so there are none. Nor are logs sent. What is sent says of respondents what a scrape does.
"""

import fcntl
import logging
import os
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol

from prometheus_client import Metric

from sotto_collector.errors import SettingError
from sotto_collector.logs import OURS
from sotto_collector.slot import Slot
from sotto_protocol.extras import install_command

ENDPOINTS = ("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
PROTOCOLS = ("OTEL_EXPORTER_OTLP_METRICS_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
PROTOCOL = "http/protobuf"
INTERVAL = "OTEL_METRIC_EXPORT_INTERVAL"
INTERVAL_MS, MAX_INTERVAL_MS = 60_000, 86_400_000
STOP_S = 1.0
"""Stopping waits so many seconds for what is being sent."""
LOCK = "telemetry.lock"

log = logging.getLogger(OURS)


class Exporter(Protocol):
    """Sends metrics, as they are at a moment, to one place."""

    def send(self, families: list[Metric], began_ns: int) -> bool:
        """Return whether they arrived; `began_ns`: Unix time in nanoseconds since which counters count."""

    def stop(self) -> None:
        """Give up what is being sent."""


def is_wanted(environ: Mapping[str, str]) -> bool:
    """Return whether the standard variables ask for metrics to be sent.

    >>> is_wanted({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318"}), is_wanted({})
    (True, False)
    """
    is_off = environ.get("OTEL_SDK_DISABLED", "").lower() == "true"
    exporters = [name.strip() for name in (environ.get("OTEL_METRICS_EXPORTER") or "otlp").split(",")]
    return not is_off and "otlp" in exporters and any(environ.get(name) for name in ENDPOINTS)


def read_interval_s(environ: Mapping[str, str]) -> float:
    """Return how many seconds lie between two sendings. Raises SettingError."""
    given = environ.get(INTERVAL) or str(INTERVAL_MS)
    if not given.isascii() or not given.isdigit() or not 1 <= int(given) <= MAX_INTERVAL_MS:
        raise SettingError(f"{INTERVAL} ({given!r:.40}) must be milliseconds, an integer in [1, {MAX_INTERVAL_MS}].")
    return int(given) / 1000


def check_environment(environ: Mapping[str, str]) -> None:
    """Raise SettingError where metrics are to be sent, and cannot be as the variables say."""
    if not is_wanted(environ):
        return
    read_interval_s(environ)
    asked = next((environ[name] for name in PROTOCOLS if environ.get(name)), PROTOCOL)
    if asked != PROTOCOL:
        raise SettingError(f"OTEL_EXPORTER_OTLP_PROTOCOL ({asked!r:.40}) must be {PROTOCOL}.")
    for module in ("opentelemetry.sdk", "opentelemetry.exporter.otlp.proto.http"):
        if not _is_there(module):
            raise SettingError(
                f"OTEL_EXPORTER_OTLP_ENDPOINT is set, which needs: {install_command('otel')} "
                f"({module} is not there). OTEL_SDK_DISABLED=true sends nothing."
            )


def _is_there(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # of a package that it is in
        return False


@contextmanager
def sending(read: Callable[[], list[Metric]], slot: Slot, environ: Mapping[str, str] = os.environ) -> Iterator[None]:
    """Send what `read` returns, again and again until the block ends, if the variables ask for it.

    Of several workers, which all can read what all have counted, one does. Raises SettingError.
    """
    if not is_wanted(environ):
        yield
        return
    check_environment(environ)
    from sotto_collector.telemetry_otlp import OtlpExporter  # the SDK takes a while to load, and is an extra

    exporter = OtlpExporter(_name_instance(slot))
    sender = _Sender(read, exporter, read_interval_s(environ), slot.metrics_folder)
    sender.start()
    try:
        yield
    finally:
        sender.stop()


def _name_instance(slot: Slot) -> str:
    """Return an id that all workers of a collector share, and no other collector has."""
    if slot.metrics_folder is None:
        return str(uuid.uuid4())
    return str(uuid.uuid5(uuid.NAMESPACE_URL, slot.metrics_folder.as_uri()))


class _Sender(threading.Thread):
    """A thread that reads and sends; of several workers' the one that holds the lock of their folder."""

    def __init__(
        self, read: Callable[[], list[Metric]], exporter: Exporter, interval_s: float, folder: Path | None
    ) -> None:
        super().__init__(name="sotto-telemetry", daemon=True)
        self._read = read
        self._exporter = exporter
        self._interval_s = interval_s
        self._lock = None if folder is None else (folder / LOCK).open("a")
        self._began_ns = time.time_ns() if self._lock is None else os.fstat(self._lock.fileno()).st_mtime_ns
        self._is_stopping = threading.Event()
        self._has_failed = False

    def run(self) -> None:
        while not self._is_stopping.wait(self._interval_s):
            if self._is_first():
                self._send()

    def _is_first(self) -> bool:
        """Return whether this worker is the one that sends: it stays that until it ends."""
        if self._lock is None:
            return True
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _send(self) -> None:
        """Send once. What fails is logged once; the next time brings all that was counted since."""
        try:
            is_sent = self._exporter.send(self._read(), self._began_ns)
        except Exception:  # the thread must survive any fault
            is_sent = False
        if not is_sent and not self._has_failed and not self._is_stopping.is_set():
            log.error("metrics cannot be sent to where OTEL_EXPORTER_OTLP_ENDPOINT says; the counts are kept")
        self._has_failed = not is_sent

    def stop(self) -> None:
        """End the thread, and what it is sending."""
        self._is_stopping.set()
        self._exporter.stop()
        self.join(STOP_S)
