"""What tests say: for people, as members for programs, and as a picture."""

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sotto_estimator.comparing.compare import Difference
from sotto_estimator.comparing.equivalence import MarginTested
from sotto_estimator.comparing.result import Row, Tested
from sotto_estimator.comparing.tested_shares import ShareTested
from sotto_estimator.comparing.trend import Trend
from sotto_estimator.intervals.group_misfit import lines_of, misfit_members
from sotto_estimator.results.document import Cell, Column, Kind, Lines, Part, Table, marks
from sotto_estimator.results.figure import Panel, Point, point_panel
from sotto_estimator.results.percents import (
    NOTHING,
    OUTSIDE,
    n_decimals_of_width,
    percent,
    share_percent,
    signed_percent,
)
from sotto_estimator.results.view import View
from sotto_estimator.results.words import NO_INTERVAL

_KINDS: dict[str, Kind] = {
    "n": "count",
    "epsilon": "epsilon",
    "share": "estimate",
    "estimates": "estimate",
    "std. error": "share",
    "difference": "points",
    "slope": "points",
    "P": "p",
}
_SHARES: dict[Kind, Callable[[float, int], str]] = {
    "estimate": share_percent,
    "share": percent,
    "points": signed_percent,
}
"""How a share, or a difference of shares, is written with this many decimals."""
_VERDICTS = {"not told apart": "too close to tell", "another": "differs", "not ruled out": "possible"}
"""What a verdict is called in a table, where it is not what programs read."""
_QUANTITIES = {"share": "", "groups": "difference: ", "trend": "slope: "}


def _members(found: Tested[Row]) -> dict[str, Any]:
    void = misfit_members(found.contradictions)
    heading = {"test": found.kind, "title": found.title} | found.options | {"contradictions": void}
    return heading | {"rows": [asdict(row) for row in found.rows]}


def _records(found: Tested[Row]) -> list[dict[str, Any]]:
    """Return a row of CSV for each row, with the options in it."""
    return [asdict(row) | found.options for row in found.rows]


def _parts(found: Tested[Row]) -> list[Part]:
    """Return what is known, a sentence a row; and how, with all numbers."""
    names, cells = _SHOWN[found.kind]
    columns = [Column(name, _KINDS.get(name, "text"), to_left=True) for name in names]
    table = Table(columns, [cells(row) for row in found.rows]).without_empty
    how = Lines([found.title, *found.lines, *lines_of(found.named)])
    return [Part("What is known", [Lines(str(found).splitlines())]), Part("All numbers", [how, table, marks([table])])]


def _verdict(verdict: str | None) -> str | None:
    return _VERDICTS.get(verdict or "", verdict)


def _share_cells(row: ShareTested) -> list[Cell]:
    shown = _Shown(row, row.low, row.high)
    known: list[Cell] = [row.group, row.question, row.answer, row.n, row.epsilon, shown.words(row.share, "estimate")]
    return [
        *known,
        shown.words(row.standard_error, "share"),
        shown.interval("share"),
        row.p_value,
        _verdict(row.verdict),
    ]


def _difference_cells(row: Difference) -> list[Cell]:
    shown = _Shown(row, row.difference_low, row.difference_high, row.unit, row.difference if row.differs else None)
    known: list[Cell] = [row.question, row.answer, f"{row.group} - {row.reference}"]
    known += [f"{row.n_group:,}, {row.n_reference:,}", row.epsilon]
    known += [shown.estimates([row.group_estimate, row.reference_estimate]), shown.difference(row.difference)]
    high = "unbounded" if row.ratio_high is None else f"{row.ratio_high:.3g}"
    ratio = None if row.ratio_low is None else f"{row.ratio_low:.3g} to {high}"
    ratio = "" if isinstance(row, MarginTested) else ratio
    return [*known, shown.interval("points"), ratio, row.p_value, _verdict(row.verdict)]


def _trend_cells(row: Trend) -> list[Cell]:
    shown = _Shown(row, row.slope_low, row.slope_high, row.unit, row.slope if row.is_found else None)
    known: list[Cell] = [row.question, row.answer, ", ".join(row.groups), sum(row.n), row.epsilon]
    known += [shown.estimates(row.estimates), shown.words(row.slope, "points")]
    known += [shown.words(row.standard_error, "share"), shown.interval("points")]
    return [*known, row.p_value, _verdict(row.verdict)]


_GROUPS = ("question", "answer", "groups", "n", "epsilon", "estimates")
_SHOWN: dict[str, tuple[tuple[str, ...], Callable[[Any], list[Cell]]]] = {
    "share": (
        ("group", "question", "answer", "n", "epsilon", "share", "std. error", "interval", "P", "verdict"),
        _share_cells,
    ),
    "groups": ((*_GROUPS, "difference", "its interval", "ratio is", "P", "verdict"), _difference_cells),
    "trend": ((*_GROUPS, "slope", "std. error", "its interval", "P", "verdict"), _trend_cells),
}
"""The columns of each kind of test, and what makes a row of them."""


@dataclass(frozen=True, slots=True)
class _Shown:
    """What writes the numbers of a row with the digits that its interval bears. `unit`: of means; None of shares.

    `found`: a number that the test found not to be 0, however wide the interval: it is not shown as 0.
    """

    row: Row
    low: float | None
    high: float | None
    unit: str | None = None
    found: float | None = None

    def words(self, value: float | None, kind: Kind) -> str:
        """Return a share, or a difference of shares, as its kind is written, or a mean in its unit."""
        if value is None or not math.isfinite(value):
            return NOTHING
        if self.unit is not None:
            return f"{value + 0.0:{'+' * (kind == 'points')},.4g} {self.unit}".rstrip()
        widths = [] if self.low is None or self.high is None else [self.high - self.low]
        widths += [abs(self.found)] if self.found else []
        return _SHARES[kind](value, n_decimals_of_width(min(widths, default=0.0)))

    def difference(self, value: float | None) -> str:
        """Return a difference, marked where none can be so large."""
        words = self.words(value, "points")
        is_outside = self.unit is None and value is not None and round(100 * abs(value), 2) > 100
        return OUTSIDE * is_outside + words

    def estimates(self, values: Sequence[float | None]) -> str:
        """Return the estimates of groups."""
        return ", ".join(self.words(value, "estimate") for value in values)

    def interval(self, kind: Kind) -> Cell:
        """Return the interval, or what stands for one."""
        if self.low is None or self.high is None:
            return None if self.row.is_void or isinstance(self.row, Trend) else NO_INTERVAL
        return f"{self.words(self.low, kind)} to {self.words(self.high, kind)}"


def _panels(found: Tested[Row]) -> tuple[str, list[Panel]]:
    """Return a picture of every row's difference, slope or share with its interval, a panel a unit."""
    spans: dict[str, list[Point]] = {}
    for row in found.rows:
        if row.is_void:
            continue
        span = row.span
        scale, unit = (100, "share (%)") if span.unit is None else (1, span.unit)
        point = Point(span.label, scale * span.value, scale * span.low, scale * span.high)
        spans.setdefault(unit, []).append(point)
    title = "\n".join([found.title, *found.lines])
    return title, [point_panel(points, f"{_QUANTITIES[found.kind]}{unit}") for unit, points in spans.items()]


VIEW: View[Tested[Row]] = View(parts=_parts, members=_members, records=_records, panels=_panels)
