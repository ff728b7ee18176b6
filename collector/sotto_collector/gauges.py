"""Gauges of what a store says of itself, read as the metrics are asked for: what is open, left, full, or ends soon.

They add nothing to what the counters tell of a single report. A write-ahead log that is not empty would say that one
came in the last seconds, and so would what a commit takes of the disk: sizes are in whole steps. A report of an
invited survey uses up an invitation: these are counted once in an hour, by one worker for all of them. What waits in
the inbox came in the last seconds: it is no metric (`sotto db status` says it).
"""

import fcntl
import json
import math
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Generic, TypeVar

from prometheus_client import Metric
from prometheus_client.core import GaugeMetricFamily

from sotto_collector.store import Store
from sotto_collector.store.disk_usage import DiskUsage, measure
from sotto_collector.store.facts import Facts, count_admitted, read_facts
from sotto_collector.store.stored import OPEN
from sotto_collector.store.upgrade import HEAD
from sotto_protocol import __version__

REST = 100
"""Reading takes at most one part in so many of the time, however large the store is, and however often one asks."""
INVITATIONS_S = 3600.0
STEP_BYTES = 16 * 2**20
"""Sizes are rounded down to whole steps of as much as the write-ahead log usually takes at the most."""

Read = TypeVar("Read")


class Held(Generic[Read]):
    """What was read last, for a while: at least so many seconds, and REST times as long as reading it took."""

    def __init__(self, read: Callable[[], Read], least_s: float = 0.0, clock: Callable[[], float] = time.monotonic):
        self._read = read
        self._least_s = least_s
        self._clock = clock
        self._lock = threading.Lock()
        self._last: tuple[float, Read] | None = None

    def get(self) -> Read:
        """Return it, read anew where its time is over. Raises what reading it does."""
        with self._lock:
            began = self._clock()
            if self._last is None or began >= self._last[0]:
                found, ended = self._read(), self._clock()
                self._last = ended + max(self._least_s, REST * (ended - began)), found
            return self._last[1]


def share(
    read: Callable[[], dict[int, int]], file: Path, least_s: float, clock: Callable[[], float] = time.monotonic
) -> dict[int, int]:
    """Return what one of several processes read last, at most so many seconds ago; read anew where none has.

    They share the file, which is made where there is none. Raises what reading does.
    """
    with file.open("a+") as opened:
        fcntl.flock(opened, fcntl.LOCK_EX)
        opened.seek(0)
        try:
            kept = json.loads(opened.read())
        except ValueError:  # nothing yet, or who wrote it was killed
            kept = {"at": -math.inf}
        now = clock()
        if not 0 <= now - kept["at"] < least_s:
            kept = {"at": now, "found": [*read().items()]}
            opened.truncate(0)
            opened.write(json.dumps(kept))
        return {int(key): int(value) for key, value in kept["found"]}


class Gauges:
    """The gauges of a store. Threads may share them."""

    def __init__(self, store: Store, *, by_survey: bool = False, folder: Path | None = None) -> None:
        """`by_survey` labels invitations with their survey's id. `folder`: of several workers, which they share."""
        self._store = store
        self._by_survey = by_survey
        self._facts = Held(self._read_facts)
        self._file = None if folder is None else folder / "admitted.json"
        self._admitted = Held(self._count_admitted, INVITATIONS_S)

    def _read_facts(self) -> tuple[Facts, DiskUsage]:
        with self._store.reader() as connection:
            return read_facts(connection, HEAD, self._store.today()), measure(connection)

    def _count_admitted(self) -> dict[int, int]:
        with self._store.reader() as connection:
            return count_admitted(connection, HEAD)

    def _read_admitted(self) -> dict[int, int]:
        if self._file is not None:
            with suppress(OSError):  # such as a full disk's
                return share(self._count_admitted, self._file, INVITATIONS_S)
        return self._admitted.get()

    def collect(self) -> list[Metric]:
        """Return the gauges as they are now, or were a moment ago. Raises StoreUnavailableError."""
        facts, usage = self._facts.get()
        kind = "postgresql" if usage.log is None else "sqlite"
        info = {"version": __version__, "schema": facts.revision, "store": kind}
        today = self._store.today()
        key_days = facts.gateway_days_left(today)
        age, drill_age, n_acts = facts.backup_age_days(today), facts.drill_age_days(today), facts.count_acts()
        now_s = time.time()
        return [
            _gauge("sotto_info", "Always 1; the labels are the version, the schema and the kind of database.", 1, info),
            _by("sotto_surveys", "Number of surveys that are open, closed or drafts.", "state", facts.count_states()),
            self._invitations(facts),
            _by(
                "sotto_tokens",
                "Number of tokens that never end, end later, end within 14 days, or have ended.",
                "ends",
                facts.count_tokens(now_s),
            ),
            _gauge(
                "sotto_token_seconds_left",
                "Seconds until the next token ends; +Inf if no token ends.",
                facts.next_end_s(now_s),
            ),
            _gauge(
                "sotto_backup_age_days",
                "Whole days since the last sotto backup; +Inf if there was none.",
                math.inf if age is None else age,
            ),
            _gauge(
                "sotto_drill_age_days",
                "Whole days since the last successful sotto drill; +Inf if there was none.",
                math.inf if drill_age is None else drill_age,
            ),
            _gauge(
                "sotto_gateway_key_days_left",
                "Whole days for which devices may use the gateway's key; -1 if there is none, +Inf if no gateway.",
                math.inf if key_days is None else key_days,
            ),
            _gauge("sotto_journal_acts", "Number of acts in all journals.", n_acts),
            _gauge("sotto_restores", "Number of times the database was restored.", facts.n_restores),
            *_sizes(usage),
        ]

    def _invitations(self, facts: Facts) -> Metric:
        admitted = self._read_admitted()
        invited = [survey for survey in facts.surveys if survey.is_invited and survey.state == OPEN]
        left = {survey.survey_id: admitted.get(survey.key, 0) for survey in invited}
        text = "Reports that the open surveys' invitations still allow, as counted within the last hour."
        if self._by_survey:
            return _by("sotto_invitations_left", text, "survey", left)
        return _gauge("sotto_invitations_left", text, sum(left.values()))


def _sizes(usage: DiskUsage) -> list[Metric]:
    said = {
        "sotto_database_bytes": ("Size of the database, in steps of 16 MiB.", usage.database),
        "sotto_log_bytes": ("Size of SQLite's write-ahead log, in steps of 16 MiB.", usage.log),
        "sotto_disk_free_bytes": ("Free space on the disk of a SQLite file, in steps of 16 MiB.", usage.free),
    }
    rounded = {name: (text, size // STEP_BYTES * STEP_BYTES) for name, (text, size) in said.items() if size is not None}
    return [_gauge(name, text, size) for name, (text, size) in rounded.items()]


def _gauge(name: str, text: str, value: float, labels: dict[str, str] | None = None) -> Metric:
    family = GaugeMetricFamily(name, text, labels=[*(labels or {})])
    family.add_metric([*(labels or {}).values()], value)
    return family


def _by(name: str, text: str, label: str, values: dict[str, int]) -> Metric:
    family = GaugeMetricFamily(name, text, labels=[label])
    for word, value in values.items():
        family.add_metric([word], value)
    return family
