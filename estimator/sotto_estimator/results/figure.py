"""A figure: panels of shapes in the units of what is shown. SVG (`layout`) and matplotlib (`panels`) draw the same one.

A new kind of figure is a function that returns a panel of these shapes: each form draws it then.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sotto_estimator.results.largest import MAX_BARS, largest
from sotto_estimator.results.rounding import any_too_wide

_ROW_INCHES, _AXIS_INCHES = 0.32, 0.7
_POINT_INCHES, _POINT_AXIS_INCHES = 0.3, 0.6
_CURVE_INCHES, _DENSITY_INCHES, _BITS_INCHES = 4.3, 1.6, 1.8
_HALF_BAR = 0.35
"""A bar is as high as so much of its row, up and down from the middle."""


@dataclass(frozen=True, slots=True)
class Box:
    """A filled rectangle. `hue`: which colour, from 0; those of one hue belong together."""

    left: float
    right: float
    bottom: float
    top: float
    hue: int = 0


@dataclass(frozen=True, slots=True)
class Whisker:
    """An interval across at a height, or, `is_upright`, upward at a place; NaN: there is none."""

    low: float
    high: float
    at: float
    is_upright: bool = False
    is_faint: bool = False


@dataclass(frozen=True, slots=True)
class Spot:
    """A point. `hue` None: of the ink's colour. `is_truth`: a diamond, what is true of people who are made up."""

    x: float
    y: float
    hue: int | None = None
    is_faint: bool = False
    is_truth: bool = False


@dataclass(frozen=True, slots=True)
class Path:
    """A line from point to point, with a name in the legend unless that is empty."""

    points: Sequence[tuple[float, float]]
    name: str = ""
    hue: int = 0


Shape = Box | Whisker | Spot | Path


def plain(number: float) -> str:
    """Return a tick's number, in English."""
    return f"{number:,.10g}"


@dataclass(frozen=True, slots=True)
class Scale:
    """An axis: what it is of, from where to where, how its ticks are written. None: as far as what is drawn reaches."""

    words: str = ""
    low: float | None = None
    high: float | None = None
    write: Callable[[float], str] = plain
    is_log: bool = False


class RowLabel(NamedTuple):
    """What stands beside a row, and, where there is room, what is to be said of it."""

    label: str
    said: str = ""


_NOTHING = RowLabel("")


@dataclass(frozen=True, slots=True)
class Panel:
    """Shapes on an axis across, and one upward, or `rows`, the first of which is 0 and highest.

    `y` None: heights have no numbers. `has_zero`: a line stands at 0 across. `heading`: over a panel without rows.
    """

    shapes: Sequence[Shape]
    x: Scale
    y: Scale | None = None
    rows: Sequence[RowLabel] = ()
    heading: RowLabel = _NOTHING
    has_zero: bool = False
    inches: float = _DENSITY_INCHES

    def ends(self) -> tuple[float, float]:
        """Return from where to where the axis across goes."""
        return _ends(self.x, [*self.across()], has_zero=self.has_zero)

    def heights(self) -> tuple[float, float]:
        """Return from where to where the axis upward goes."""
        return _ends(self.y or Scale(low=0), [*self._upward()])

    def across(self) -> Iterator[float]:
        """Yield where something stands across."""
        for shape in self.shapes:
            match shape:
                case Box(left, right):
                    yield from (left, right)
                case Whisker(low, high, at, is_upright):
                    yield from [at] if is_upright else (low, high)
                case Spot(x):
                    yield x
                case Path(points):
                    yield from (x for x, _ in points)

    def _upward(self) -> Iterator[float]:
        for shape in self.shapes:
            match shape:
                case Box(_, _, bottom, top):
                    yield from (bottom, top)
                case Whisker(low, high, at, is_upright):
                    yield from (low, high) if is_upright else [at]
                case Spot(_, y):
                    yield y
                case Path(points):
                    yield from (y for _, y in points)


def _ends(scale: Scale, values: Sequence[float], *, has_zero: bool = False) -> tuple[float, float]:
    known = [value for value in values if math.isfinite(value)] + [0.0] * has_zero
    low = min(known, default=0.0) if scale.low is None else scale.low
    high = max(known, default=1.0) if scale.high is None else scale.high
    return (low, high) if low < high else (low, low + 1)


@dataclass(frozen=True, slots=True)
class Bar:
    """A labelled share with its interval, all in [0, 1] but the share, which may lie outside; NaN: there is none.

    `truth`: the true share, where people are made up. `question`: whose bars are drawn alike.
    """

    label: str
    share: float
    low: float
    high: float
    hue: int = 0
    truth: float | None = None
    question: str = ""


class Point(NamedTuple):
    """A labelled number with its interval; NaN: there is none. `is_faint`: it is approximate."""

    label: str
    value: float
    low: float
    high: float
    is_faint: bool = False
    truth: float | None = None


def bar_panels(bars: Sequence[Bar], title: str, max_percent: float = 100) -> tuple[str, list[Panel]]:
    """Return a title and a panel of bars, from top to bottom, on an axis that ends at max_percent.

    Those of a question of which an interval is too wide to name an estimate are dots, all of them. Of more than
    MAX_BARS bars the largest are drawn, and the title says so.
    """
    is_dotted = {bar.question for bar in bars if any_too_wide([(bar.low, bar.high)])}
    drawn = largest(bars, MAX_BARS)
    if len(drawn) < len(bars):
        title += f"\nthe largest {len(drawn)} of {len(bars):,} shares are drawn"
    shapes: list[Shape] = []
    for row, bar in enumerate(drawn):
        shapes += share_shapes(bar, row, is_dotted=bar.question in is_dotted)
    scale, rows = Scale("share (%)", 0, max_percent), [RowLabel(bar.label) for bar in drawn]
    return title, [Panel(shapes, scale, rows=rows, inches=_AXIS_INCHES + _ROW_INCHES * len(drawn))]


def share_shapes(bar: Bar, row: int, *, is_dotted: bool) -> list[Shape]:
    """Return a share in per cent in its row: a bar, or a dot, and its interval."""
    likely = 100 * min(max(bar.share, 0), 1)
    drawn: Shape = Spot(likely, row, bar.hue) if is_dotted else bar_box(100 * max(bar.share, 0), row, bar.hue)
    truth = [] if bar.truth is None else [Spot(100 * bar.truth, row, is_truth=True)]
    return [drawn, Whisker(100 * bar.low, 100 * bar.high, row), *truth]


def bar_box(value: float, row: int, hue: int = 0) -> Box:
    """Return a bar of a row, from 0 to a value."""
    return Box(min(0, value), max(0, value), row - _HALF_BAR, row + _HALF_BAR, hue)


def point_panel(points: Sequence[Point], words: str, ends: tuple[float, float] | None = None) -> Panel:
    """Return a panel of points, from top to bottom, on an axis that is called so.

    `ends`: the axis's; where there are none, it is as long as it need be, and has a line at 0.
    """
    shapes: list[Shape] = []
    for row, point in enumerate(points):
        shapes += point_shapes(point, row)
    rows, inches = [RowLabel(point.label) for point in points], _POINT_AXIS_INCHES + _POINT_INCHES * len(points)
    return Panel(shapes, Scale(words, *ends or (None, None)), rows=rows, has_zero=ends is None, inches=inches)


def point_shapes(point: Point, row: int) -> list[Shape]:
    """Return a number in its row with its interval."""
    truth = [] if point.truth is None else [Spot(point.truth, row, is_truth=True)]
    span = Whisker(point.low, point.high, row, is_faint=point.is_faint)
    return [span, Spot(point.value, row, 0, is_faint=point.is_faint), *truth]


def curve_panel(lines: Mapping[str, Sequence[tuple[float, float]]], x: str, y: str) -> Panel:
    """Return a panel of lines of points (x, y), by name; `x`, `y`: what the axes are, logarithmic and of shares."""
    shapes = [Path(line, name, hue) for hue, (name, line) in enumerate(lines.items())]
    upward = Scale(y, low=0, write=lambda share: f"{100 * share:,.10g}%")
    return Panel(shapes, Scale(x, is_log=True), upward, inches=_CURVE_INCHES)


def density_panel(bars: Sequence[tuple[float, float, float]], scale: Scale) -> Panel:
    """Return a panel of bins (start, end, share), each as high as it is dense: its area is its share."""
    boxes = [Box(start, end, 0, share / (end - start)) for start, end, share in bars]
    return Panel(boxes, scale)


def bits_panel(spans: Sequence[tuple[float, float]], words: str) -> Panel:
    """Return a panel of intervals in per cent, one beside another, from the first."""
    shapes = [Whisker(low, high, place, is_upright=True) for place, (low, high) in enumerate(spans)]
    return Panel(shapes, Scale(words, -1, len(spans)), Scale("", 0, 100), inches=_BITS_INCHES)
