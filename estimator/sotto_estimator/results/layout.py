"""Where the shapes of a figure stand in a drawing: in per cent across, and in pixels down."""

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise, takewhile

from sotto_estimator.results.axis import Axis
from sotto_estimator.results.drawing import Anchor, Dot, Drawing, DrawnBar, Label, Line, Mark, shorten
from sotto_estimator.results.figure import Box, Panel, Path, Scale, Shape, Spot, Whisker

LABEL_COLUMNS = 30  # what goes beside a share on a telephone
_AXIS_PX = 26
_ROW_PX = 42
_BAR_PX = 12
_DOT_PX, _SMALL_DOT_PX = 4.5, 3
_CAP_PX = 4  # a whisker's end, up and down from its middle
_HEAD_PX = 24  # over a panel with heights, for its name
_FOOT_PX = 24  # under it, for the numbers across
_PLOT_PX = 84  # of a panel with few heights: between the highest and the lowest
_WIDE_PLOT_PX = 240  # of one with curves
_DENSITY_PX = 130
_GAP_PX = 26  # over it, for its name
_FLUSH_PX = _GAP_PX + _DENSITY_PX
_LEFT, _RIGHT = 14.0, 97.0  # per cent: where a panel with heights begins and ends
_EDGE = 4.0  # per cent: a tick so near an end has its label inside
_WORDS_PX = 18


def lay_out(title: str, description: str, panels: Sequence[Panel]) -> Drawing:
    """Return the drawing of a figure's panels, one below another."""
    marks: list[Mark] = []
    top = 0.0
    for number, panel in enumerate(panels):
        if panel.rows:
            made, height = _rows(panel, top, below=_FLUSH_PX * _n_flush(panels[number + 1 :]))
        elif panel.y is None:
            made, height = _flush(panel, top)
        else:
            made, height = _plane(panel, panel.y, top)
        marks += made
        top += height
    return Drawing(title, description, top, tuple(marks))


def _n_flush(panels: Sequence[Panel]) -> int:
    """Return how many panels follow that have the axis of the one above."""
    return len([*takewhile(lambda panel: not panel.rows and panel.y is None, panels)])


def _rows(panel: Panel, top: float, below: float) -> tuple[list[Mark], float]:
    """Return rows under one axis: a label and words over each interval, so that a narrow screen has room for both.

    `below`: so much further its grid goes.
    """
    low, high = panel.ends()
    marks: list[Mark] = []
    words = _WORDS_PX * bool(panel.x.words)
    if words:
        marks.append(Label(0, top + 13, shorten(panel.x.words, 3 * LABEL_COLUMNS), kind="faint", whole=panel.x.words))
    start, bottom = top + words, top + words + _AXIS_PX + _ROW_PX * len(panel.rows)
    for x, tick in _ticks(panel.x, low, high):
        anchor: Anchor = "start" if x < _EDGE else "end" if x > 100 - _EDGE else "middle"
        kind = "zero" if panel.has_zero and tick == 0 else "grid"
        marks.append(Line(x, start + _AXIS_PX - 6, x, bottom + below, kind, 1))
        marks.append(Label(x, start + 13, panel.x.write(tick), anchor, "faint"))
    of_row: dict[int, list[Shape]] = {}
    for shape in panel.shapes:
        of_row.setdefault(_row_of(shape), []).append(shape)
    for row, (label, said) in enumerate(panel.rows):
        y = start + _AXIS_PX + _ROW_PX * row
        room = LABEL_COLUMNS if said else 2 * LABEL_COLUMNS
        marks.append(Label(0, y + 15, shorten(label, room), whole=label))
        marks += [Label(100, y + 15, said, "end")] if said else []
        for shape in sorted(of_row.get(row, ()), key=lambda of: (Box, Whisker, Spot, Path).index(type(of))):
            marks += _in_row(shape, y + 28, low, high)
    return marks, bottom - top


def _row_of(shape: Shape) -> int:
    match shape:
        case Box(_, _, low, high):
            return round((low + high) / 2)
        case Whisker(_, _, at):
            return round(at)
        case Spot(_, y):
            return round(y)
        case Path(points):
            return round(points[0][1])


def _in_row(shape: Shape, middle: float, low: float, high: float) -> Iterator[Mark]:
    match shape:
        case Box(left, right, _, _, hue):
            start, end = _across(left, low, high), _across(right, low, high)
            yield DrawnBar(start, end - start, middle - _BAR_PX / 2, _BAR_PX, f"bar{hue % 10}" if hue else "bar")
        case Whisker(first, last, _, _, is_faint) if math.isfinite(first) and math.isfinite(last):
            kind = "zero" if is_faint else "whisker"
            start, end = _across(first, low, high), _across(last, low, high)
            yield Line(start, middle, end, middle, kind)
            for at in (start, end):
                yield Line(at, middle - _CAP_PX, at, middle + _CAP_PX, kind)
        case Spot(x, _, _, is_faint, is_truth) if math.isfinite(x):
            if is_truth:
                yield Label(_across(x, low, high), middle + 4, "◆", "middle")
            else:
                yield Dot(_across(x, low, high), middle, _DOT_PX, "zero" if is_faint else "dot")


def _flush(panel: Panel, top: float) -> tuple[list[Mark], float]:
    """Return boxes over the whole width, as high as they are, on the axis of the panel above."""
    low, high = panel.ends()
    most, bottom = panel.heights()[1], top + _FLUSH_PX
    marks: list[Mark] = [Label(0, top + _GAP_PX - 10, panel.heading.label or panel.x.words, kind="faint")]
    for shape in panel.shapes:
        if isinstance(shape, Box):
            left, right = _across(shape.left, low, high), _across(shape.right, low, high)
            height = _DENSITY_PX * shape.top / most
            marks.append(DrawnBar(left, right - left, bottom - height, height))
    return marks, bottom - top


def _plane(panel: Panel, upward: Scale, top: float) -> tuple[list[Mark], float]:
    """Return what has a place across and a height, with the ends of both axes, and names of lines."""
    low, high = panel.ends()
    least, most = panel.heights()
    is_one = len({*panel.across()}) == 1
    names = [shape for shape in panel.shapes if isinstance(shape, Path) and shape.name]
    plot = _WIDE_PLOT_PX if names else _PLOT_PX
    ground = top + _HEAD_PX + plot

    def place(x: float, y: float) -> tuple[float, float]:
        part = 0.5 if is_one else _part(x, low, high, is_log=panel.x.is_log)
        return _LEFT + (_RIGHT - _LEFT) * part, ground - plot * (y - least) / (most - least)

    heading = panel.heading if panel.heading.label else panel.heading._replace(label=upward.words or panel.x.words)
    marks: list[Mark] = [
        Label(0, top + 14, shorten(heading.label, LABEL_COLUMNS - 6 if heading.said else 90), whole=heading.label)
    ]
    marks += [Label(100, top + 14, heading.said, "end")] if heading.said else []
    levels = [least, 0.0, most] if least < 0 < most else [least, most]
    for level in Axis.spanning(least, most).ticks if names else levels:
        if least <= level <= most:
            y = place(low, level)[1]
            marks.append(Line(_LEFT - 2, y, 100, y, "zero" if level == 0 else "grid", 1))
            marks.append(Label(_LEFT - 3, y + 4, upward.write(level), "end", "faint"))
    spots = [shape for shape in panel.shapes if isinstance(shape, Spot)]
    for shape in panel.shapes:
        match shape:
            case Path(points, name, hue):
                kind = f"line{hue % 10}" if name else "link"
                marks += [Line(*place(*before), *place(*after), kind) for before, after in pairwise(points)]
                marks += [Dot(*place(*point), 2, kind) for point in points if name]
            case Whisker(first, last, at) if math.isfinite(first) and math.isfinite(last):
                x, y = place(at, first)
                marks.append(Line(x, y, x, place(at, last)[1], "whisker"))
            case Spot(x, y):
                marks.append(Dot(*place(x, y), _DOT_PX if shape is spots[-1] else _SMALL_DOT_PX))
    ends = ([low] if is_one else [low, high]) if panel.x.low is None else []
    marks += [Label(place(x, least)[0], ground + 16, panel.x.write(x), "middle", "faint") for x in ends]
    bottom = ground + _FOOT_PX
    if names:
        marks.append(Label(50, ground + 16, panel.x.words, "middle", "faint"))
        for row, path in enumerate(names):
            y = bottom + _WORDS_PX * row + 12
            marks.append(Line(0, y - 4, 4, y - 4, f"line{path.hue % 10}", 3))
            marks.append(Label(5, y, shorten(path.name, 90), whole=path.name))
        bottom += _WORDS_PX * (len(names) + 1)
    return marks, bottom - top


def _ticks(scale: Scale, low: float, high: float) -> Iterator[tuple[float, float]]:
    """Yield where a tick stands, and its number."""
    for tick in Axis.spanning(low, high).ticks:
        if low - 1e-12 <= tick <= high + 1e-12:
            yield _across(tick, low, high), tick


def _across(number: float, low: float, high: float) -> float:
    return 100 * (number - low) / (high - low)


def _part(number: float, low: float, high: float, *, is_log: bool) -> float:
    if is_log and low > 0:
        return math.log(number / low) / math.log(high / low)
    return (number - low) / (high - low)
