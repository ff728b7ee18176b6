"""Beacons counted in bounded memory: how many of each group, duration and rate say high, and how many low."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sotto_estimator.channel.channel import Floats
from sotto_estimator.errors import NoReportsError, SourceError
from sotto_estimator.formats.records import Record
from sotto_protocol.bounds import float_above, log_ratio_above

MAX_CELLS = 2**20
MAX_GROUPS = 1000
MAX_RATE = 1 - 1e-6
MAX_DURATION_MS = 1e9
"""Eleven days: no load takes longer, and a beacon's sender may send any number."""
_CHUNK = 2**17
_FIRST_STEP_MS = 0.1
_MAX_STEP_MS = 100.0
_HIGH_OR_LOW = {"high": 1, "low": 0}


@dataclass(frozen=True, slots=True, eq=False)
class TimingCells:
    """Counted beacons, all of shape (n_cells,), in order of their durations.

    `n_high`, `n_low`: how many of this duration, in ms, and this rate say so. `step_ms`: durations are rounded, and off
    by less than it: in several steps, each half as fine; 0 where they are as they were sent.
    """

    durations_ms: Floats
    rates: Floats
    n_high: Floats
    n_low: Floats
    step_ms: float = 0.0

    @property
    def n(self) -> int:
        """How many beacons there are."""
        return int(self.n_high.sum() + self.n_low.sum())


def count_beacons(records: Iterable[Record], by: str | None) -> tuple[dict[str | None, TimingCells], int]:
    """Return the counted beacons of every group, in order of their names, and how many have no confidence.

    None is the name of all, where by is None. A record has `duration` in ms, and `value` and `randomizedTriggerRate`
    by themselves or inside of `confidence`. It has no confidence where that is null, or an object without members, as
    some browsers write it, or where `value` is null, or empty as in a CSV. Raises SourceError, which names the line,
    for a member that is missing or is not what it must be; NoReportsError where none has confidence.
    """
    counter, n_without = _Counter(), 0
    for record in records:
        if _lacks_confidence(record.members):
            n_without += 1
        else:
            counter.add(_read(record, counter.number_of(record, by)))
    if not counter.names:
        raise NoReportsError("the files hold no loads with confidence; an estimate needs at least one.")
    return counter.groups(), n_without


def _lacks_confidence(members: dict[str, Any]) -> bool:
    said = members.get("confidence", members)
    if "confidence" in members and said in (None, "", {}):
        return True
    return isinstance(said, dict) and "value" in said and said["value"] in (None, "")


def _read(record: Record, group: int) -> tuple[int, float, float, int]:
    """Return group, duration, rate and whether it says high."""
    said = record.find("confidence.value", "value", "confidence")
    is_high = _HIGH_OR_LOW.get(said) if isinstance(said, str) else None
    if is_high is None:
        record.refuse(f"confidence.value ({said!r:.60}) must be high or low.")
    rate = record.number("confidence.randomizedTriggerRate", "randomizedTriggerRate")
    if not 0 <= rate <= MAX_RATE:
        record.refuse(f"randomizedTriggerRate ({rate!r}) must be in [0, {MAX_RATE}]: at 1 nothing is told.")
    duration = record.number("duration")
    if not 0 <= duration <= MAX_DURATION_MS:
        record.refuse(f"duration ({duration!r}) must be from 0 to {MAX_DURATION_MS:,.0f} ms.")
    return group, duration, rate, is_high


class _Counter:
    """Keeps cells as rows (group, duration, rate, n_high, n_low), and joins equal ones whenever many have come."""

    def __init__(self) -> None:
        self.names: dict[str | None, int] = {}
        self.waiting: list[tuple[int, float, float, int]] = []
        self.cells = np.empty((0, 5))
        self.parts: list[NDArray[np.float64]] = []
        self.step_ms = 0.0

    def number_of(self, record: Record, by: str | None) -> int:
        name = None if by is None else record.group(by)
        number = self.names.setdefault(name, len(self.names))
        if number >= MAX_GROUPS:
            record.refuse(f"{by} must name at most {MAX_GROUPS:,} groups.")
        return number

    def add(self, beacon: tuple[int, float, float, int]) -> None:
        self.waiting.append(beacon)
        if len(self.waiting) >= _CHUNK:
            self._join()

    def groups(self) -> dict[str | None, TimingCells]:
        self._join(is_last=True)
        found = {}
        for name, number in sorted(self.names.items(), key=lambda item: str(item[0])):
            _, durations, rates, n_high, n_low = self.cells[self.cells[:, 0] == number].T
            found[name] = TimingCells(durations, rates, n_high, n_low, self.step_ms)
        return found

    def _join(self, *, is_last: bool = False) -> None:
        beacons = np.array(self.waiting, np.float64).reshape(-1, 4)
        self.waiting = []
        self.parts.append(self._rounded(np.column_stack([beacons, 1 - beacons[:, 3]])))
        if is_last or sum(map(len, self.parts)) >= len(self.cells):
            self.cells = _joined(np.concatenate([self.cells, *self.parts]))
            self.parts = []
            while len(self.cells) > MAX_CELLS:
                self._coarsen()

    def _coarsen(self) -> None:
        """Round durations further. Raises SourceError where there are too many different rates for that to help."""
        self.step_ms = 2 * self.step_ms or _FIRST_STEP_MS
        if self.step_ms > _MAX_STEP_MS:
            raise SourceError(
                f"more than {MAX_CELLS:,} different pairs of a duration and a randomizedTriggerRate: a browser has one "
                "rate, or a few."
            )
        self.cells = _joined(self._rounded(self.cells))

    def _rounded(self, rows: Floats) -> Floats:
        if self.step_ms:
            rows[:, 1] = np.rint(rows[:, 1] / self.step_ms) * self.step_ms
        return rows


def _joined(rows: Floats) -> Floats:
    """Return rows in order of group, duration and rate, with the counts of equal ones added up."""
    rows = rows[np.lexsort(rows[:, 2::-1].T)]
    first = np.flatnonzero(np.r_[True, (np.diff(rows[:, :3], axis=0) != 0).any(axis=1)][: len(rows)])
    return np.column_stack([rows[first, :3], np.add.reduceat(rows[:, 3:], first, axis=0)]) if len(rows) else rows


def epsilon_of(rates: Floats) -> float:
    """Return the epsilon of one report, in nats, of the least of these rates: ln((1 - p/2) / (p/2)), rounded up.

    >>> round(epsilon_of(np.array([0.4994798])), 6)
    1.1
    """
    least = Fraction(float(rates.min()))
    if least == 0:
        return math.inf
    odds = (2 - least) / least
    return float_above(log_ratio_above(odds.numerator, odds.denominator))
