"""The charts of a question: each answer's interval, with a bar or a dot, and a line over the waves for the largest."""

from collections.abc import Sequence
from itertools import pairwise

from sotto_estimator.page.axis import Axis, shortest, tick_words
from sotto_estimator.page.drawing import Anchor, Dot, Drawing, DrawnBar, Label, Line, Mark, shorten
from sotto_estimator.page.waves import WaveSeries
from sotto_estimator.results.largest import MAX_BARS, largest
from sotto_estimator.results.rounding import Ends, any_too_wide
from sotto_estimator.shares.estimates import Estimate
from sotto_estimator.shares.verdict.verdict import Finding, of_precision, share_ends, share_findings
from sotto_estimator.views.verdict_words import finding_words, range_words
from sotto_protocol.language import ENGLISH, Language

MAX_DESCRIBED = 12
_LABEL_COLUMNS = 30  # what goes beside a share on a telephone
_AXIS_PX = 26
_ROW_PX = 42
_BAR_PX = 12
_DOT_PX = 4.5
_CAP_PX = 4  # a whisker's end, up and down from its middle
_PANEL_PX = 132
_PLOT_PX = 84  # of a panel: between the highest and the lowest share
_LEFT, _RIGHT = 14.0, 97.0  # per cent: where a panel's first and last waves stand


def draw_shares(title: str, rows: Sequence[Estimate], say: Language = ENGLISH) -> Drawing:
    """Return a bar for every share, from 0 to what is most likely, and a whisker over its interval.

    Where an interval is too wide to name an estimate no answer has a bar: each has a dot on its whisker, for a bar
    beside answers without one would look as if it were more. Of more than MAX_BARS answers the largest are drawn.
    """
    drawn = largest(rows, MAX_BARS)
    is_decided = not any_too_wide(of_precision(row.share, (row.low, row.high), (0, 1)) for row in rows)
    findings = share_findings(drawn, is_decided=is_decided)
    ends = share_ends(drawn)
    axis = Axis.over(end for pair in ends for end in pair)
    bottom = _AXIS_PX + _ROW_PX * len(drawn)
    marks = [*_grid_down(axis, bottom, say)]
    for number, (row, finding, span) in enumerate(zip(drawn, findings, ends, strict=True)):
        likely = min(max(row.share, 0.0), 1.0)
        marks += _share_marks(finding, likely, span, axis, _AXIS_PX + _ROW_PX * number, say)
    return Drawing(title, describe(findings, len(rows), say), bottom, tuple(marks))


def draw_waves(title: str, series: Sequence[WaveSeries], say: Language = ENGLISH) -> Drawing:
    """Return a panel for each answer: its share in every wave, or a mean, and the interval; the last is written out."""
    ends = [end for one in series for point in one.points for end in (point.value, point.low, point.high)]
    of_means = series[0].is_mean
    axis = Axis.spanning(min(ends), max(max(ends), min(ends) + 1e-9)) if of_means else Axis.over(ends)
    marks = [mark for row, one in enumerate(series) for mark in _panel_of(one, axis, _PANEL_PX * row, say)]
    said = [_said_of_last(one, say) for one in series[:MAX_DESCRIBED]]
    return Drawing(title, " ".join(said), _PANEL_PX * len(series), tuple(marks))


def _said_of_last(series: WaveSeries, say: Language) -> str:
    last = series.points[-1]
    value = series.words(last.value, last, say)
    low, high = (series.words(end, last, say) if last.has_interval else "–" for end in (last.low, last.high))
    return say.gettext(
        "%(answer)s: in wave %(n)s %(value)s, from %(low)s to %(high)s.",
        answer=series.answer,
        n=last.wave,
        value=value,
        low=low,
        high=high,
    )


def describe(findings: Sequence[Finding], n_rows: int, say: Language) -> str:
    """Return what a chart shows, for who cannot see it: of the first dozen of answers."""
    if all(of.is_decided for of in findings):
        lines = [say.gettext("A bar with its interval for each answer.")]
    else:
        lines = [say.gettext("A dot on its interval for each answer.")]
    if len(findings) < n_rows:
        lines.append(say.gettext("The largest %(n)s of %(all)s are drawn.", n=len(findings), all=n_rows))
    lines += [f"{finding.answer}: {finding_words(finding, say)}." for finding in findings[:MAX_DESCRIBED]]
    if len(findings) > MAX_DESCRIBED:
        lines.append(say.gettext("The table has all numbers."))
    return " ".join(lines)


def _grid_down(axis: Axis, bottom: float, say: Language) -> list[Mark]:
    marks: list[Mark] = []
    for number, tick in enumerate(axis.ticks):
        x = 100 * axis.place(tick)
        anchor: Anchor = "start" if number == 0 else "end" if number == axis.n_steps else "middle"
        marks.append(Line(x, _AXIS_PX - 6, x, bottom, "zero" if tick == 0 else "grid", 1))
        marks.append(Label(x, 13, tick_words(tick, say), anchor, "faint"))
    return marks


def _share_marks(finding: Finding, likely: float, ends: Ends, axis: Axis, top: float, say: Language) -> list[Mark]:
    zero, at_likely, low, high = (100 * axis.place(value) for value in (0, likely, *ends))
    middle = top + 28
    words = say.percent(finding.likely.scaleb(2)) if finding.is_decided else range_words(finding, say)
    bars = [DrawnBar(zero, at_likely - zero, middle - _BAR_PX / 2, _BAR_PX)] if finding.is_decided else []
    dots = [] if finding.is_decided else [Dot(at_likely, middle, _DOT_PX)]
    return [
        Label(0, top + 15, shorten(finding.answer, _LABEL_COLUMNS), whole=finding.answer),
        Label(100, top + 15, words, "end"),
        *bars,
        Line(low, middle, high, middle, "whisker"),
        Line(low, middle - _CAP_PX, low, middle + _CAP_PX, "whisker"),
        Line(high, middle - _CAP_PX, high, middle + _CAP_PX, "whisker"),
        *dots,
    ]


def _panel_of(series: WaveSeries, axis: Axis, top: float, say: Language) -> list[Mark]:
    last = series.points[-1]
    ground = top + 24 + _PLOT_PX
    said = say.gettext("wave %(n)s: %(value)s", n=last.wave, value=series.words(last.value, last, say))
    marks: list[Mark] = [
        Label(0, top + 14, shorten(series.answer, _LABEL_COLUMNS - 6), whole=series.answer),
        Label(100, top + 14, said, "end"),
    ]
    for tick in (axis.low, 0.0, axis.high) if axis.low < 0 < axis.high else (axis.low, axis.high):
        y = ground - _PLOT_PX * axis.place(tick)
        marks.append(Line(_LEFT - 2, y, 100, y, "zero" if tick == 0 else "grid", 1))
        marks.append(
            Label(_LEFT - 3, y + 4, shortest(tick, say) if series.is_mean else tick_words(tick, say), "end", "faint")
        )
    places = [(_across(series, point.wave), point) for point in series.points]
    at = {point.wave: (x, ground - _PLOT_PX * axis.place(point.value)) for x, point in places}
    for before, after in pairwise(at.values()):
        marks.append(Line(*before, *after, "link"))
    for x, point in places:
        low, high = (ground - _PLOT_PX * axis.place(end) for end in (point.low, point.high))
        marks += [Line(x, low, x, high, "whisker")] if point.has_interval else []
        marks.append(Dot(*at[point.wave], _DOT_PX if point is last else 3))
    return marks + _wave_labels(series, ground + 16)


def _across(series: WaveSeries, wave: int) -> float:
    first, last = series.points[0].wave, series.points[-1].wave
    return (_LEFT + _RIGHT) / 2 if first == last else _LEFT + (_RIGHT - _LEFT) * (wave - first) / (last - first)


def _wave_labels(series: WaveSeries, y: float) -> list[Mark]:
    """Return the numbers of the first wave and the last, under a panel."""
    waves = dict.fromkeys([series.points[0].wave, series.points[-1].wave])
    return [Label(_across(series, wave), y, str(wave), "middle", "faint") for wave in waves]
