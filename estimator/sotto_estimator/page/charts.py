"""The charts of a question: a bar with its interval for every answer, and a line over the waves for the largest."""

from collections.abc import Sequence
from itertools import pairwise

from sotto_estimator.estimate import Estimate
from sotto_estimator.largest import MAX_BARS, largest
from sotto_estimator.page.axis import Axis, tick_words
from sotto_estimator.page.drawing import Anchor, Bar, Dot, Drawing, Label, Line, Mark, shorten
from sotto_estimator.page.waves import WaveSeries
from sotto_estimator.render import percent

MAX_DESCRIBED = 12
_LABEL_COLUMNS = 30  # what goes beside a share on a telephone
_AXIS_PX = 26
_ROW_PX = 42
_BAR_PX = 12
_CAP_PX = 4  # a whisker's end, up and down from its middle
_PANEL_PX = 132
_PLOT_PX = 84  # of a panel: between the highest and the lowest share
_LEFT, _RIGHT = 14.0, 97.0  # per cent: where a panel's first and last waves stand


def draw_shares(title: str, rows: Sequence[Estimate]) -> Drawing:
    """Return a bar for every share, from 0 to the unbiased estimate, and a whisker over its interval.

    Of more than MAX_BARS answers the largest are drawn.
    """
    drawn = largest(rows, MAX_BARS)
    axis = Axis.over(end for row in drawn for end in (row.share, row.low, row.high))
    bottom = _AXIS_PX + _ROW_PX * len(drawn)
    marks = [*_grid_down(axis, bottom)]
    for number, row in enumerate(drawn):
        marks += _bar_of(row, axis, _AXIS_PX + _ROW_PX * number)
    left_out = f" The largest {len(drawn)} of {len(rows)} are drawn." if len(drawn) < len(rows) else ""
    return Drawing(title, f"A bar with its interval for each answer.{left_out} {describe(drawn)}", bottom, tuple(marks))


def draw_waves(title: str, series: Sequence[WaveSeries]) -> Drawing:
    """Return a panel for each answer: its share in every wave, or a mean, and the interval; the last is written out."""
    ends = [end for one in series for point in one.points for end in (point.value, point.low, point.high)]
    of_means = series[0].is_mean
    axis = Axis.spanning(min(ends), max(max(ends), min(ends) + 1e-9)) if of_means else Axis.over(ends)
    marks = [mark for row, one in enumerate(series) for mark in _panel_of(one, axis, _PANEL_PX * row)]
    said = " ".join(f"{one.answer}: {one.said(one.points[-1])}." for one in series[:MAX_DESCRIBED])
    waves = [point.wave for point in series[0].points]
    what = f"{'Means' if of_means else 'Shares'} with their intervals"
    description = f"{what} in waves {waves[0]} to {waves[-1]}. In wave {waves[-1]}: {said}"
    return Drawing(title, description, _PANEL_PX * len(series), tuple(marks))


def describe(rows: Sequence[Estimate]) -> str:
    """Return shares in words, of the first dozen of rows."""
    said = " ".join(f"{row.answer}: {_said(row)}." for row in rows[:MAX_DESCRIBED])
    return said + (" The table has all numbers." if len(rows) > MAX_DESCRIBED else "")


def _said(row: Estimate) -> str:
    return f"{percent(row.share)}, from {percent(row.low)} to {percent(row.high)}"


def _grid_down(axis: Axis, bottom: float) -> list[Mark]:
    marks: list[Mark] = []
    for number, tick in enumerate(axis.ticks):
        x = 100 * axis.place(tick)
        anchor: Anchor = "start" if number == 0 else "end" if number == axis.n_steps else "middle"
        marks.append(Line(x, _AXIS_PX - 6, x, bottom, "zero" if tick == 0 else "grid", 1))
        marks.append(Label(x, 13, tick_words(tick), anchor, "faint"))
    return marks


def _bar_of(row: Estimate, axis: Axis, top: float) -> list[Mark]:
    zero, share, low, high = (100 * axis.place(value) for value in (0, row.share, row.low, row.high))
    middle = top + 28
    return [
        Label(0, top + 15, shorten(row.answer, _LABEL_COLUMNS), whole=row.answer),
        Label(100, top + 15, percent(row.share), "end"),
        Bar(min(zero, share), abs(share - zero), middle - _BAR_PX / 2, _BAR_PX),
        Line(low, middle, high, middle, "whisker"),
        Line(low, middle - _CAP_PX, low, middle + _CAP_PX, "whisker"),
        Line(high, middle - _CAP_PX, high, middle + _CAP_PX, "whisker"),
    ]


def _panel_of(series: WaveSeries, axis: Axis, top: float) -> list[Mark]:
    last = series.points[-1]
    ground = top + 24 + _PLOT_PX
    marks: list[Mark] = [
        Label(0, top + 14, shorten(series.answer, _LABEL_COLUMNS - 6), whole=series.answer),
        Label(100, top + 14, f"wave {last.wave}: {series.words(last.value, last)}", "end"),
    ]
    for tick in (axis.low, 0.0, axis.high) if axis.low < 0 < axis.high else (axis.low, axis.high):
        y = ground - _PLOT_PX * axis.place(tick)
        marks.append(Line(_LEFT - 2, y, 100, y, "zero" if tick == 0 else "grid", 1))
        marks.append(Label(_LEFT - 3, y + 4, f"{tick:,.12g}" if series.is_mean else tick_words(tick), "end", "faint"))
    places = [(_across(series, point.wave), point) for point in series.points]
    at = {point.wave: (x, ground - _PLOT_PX * axis.place(point.value)) for x, point in places}
    for before, after in pairwise(at.values()):
        marks.append(Line(*before, *after, "link"))
    for x, point in places:
        low, high = (ground - _PLOT_PX * axis.place(end) for end in (point.low, point.high))
        marks.append(Line(x, low, x, high, "whisker"))
        marks.append(Dot(*at[point.wave], 4.5 if point is last else 3))
    return marks + _wave_labels(series, ground + 16)


def _across(series: WaveSeries, wave: int) -> float:
    first, last = series.points[0].wave, series.points[-1].wave
    return (_LEFT + _RIGHT) / 2 if first == last else _LEFT + (_RIGHT - _LEFT) * (wave - first) / (last - first)


def _wave_labels(series: WaveSeries, y: float) -> list[Mark]:
    """Return the numbers of the first wave and the last, under a panel."""
    waves = dict.fromkeys([series.points[0].wave, series.points[-1].wave])
    return [Label(_across(series, wave), y, str(wave), "middle", "faint") for wave in waves]
