"""The chart of a question that asks for numbers: the mean with its interval, quantiles, and the density below."""

from collections.abc import Sequence
from typing import NamedTuple

from sotto_estimator.numbers.distribution import Distribution
from sotto_estimator.numbers.mean import MeanEstimate
from sotto_estimator.page.axis import Axis, shortest
from sotto_estimator.page.drawing import Anchor, Dot, Drawing, DrawnBar, Label, Line, Mark, shorten
from sotto_estimator.shares.verdict.verdict import mean_finding, of_precision
from sotto_protocol.language import ENGLISH, Language

_AXIS_PX = 26
_ROW_PX = 42
_CAP_PX = 4
_PLOT_PX = 130  # of the density
_GAP_PX = 26  # over it, for its name
_UNIT_COLUMNS = 12
_EDGE = 4.0  # per cent: a tick so near an end has its label inside


Row = tuple[str, str, tuple[float, float, float]]
"""A label, words and (value, low, high)."""


class Frame(NamedTuple):
    """From the least number that is drawn to the greatest, with round ticks between them."""

    low: float
    high: float

    @property
    def ticks(self) -> list[float]:
        """The numbers at which ticks stand, ascending."""
        return [tick for tick in Axis.spanning(self.low, self.high).ticks if self.low <= tick <= self.high]

    def across(self, number: float) -> float:
        """Return where a number stands, in per cent across."""
        return 100 * (number - self.low) / (self.high - self.low)


def draw_number(
    title: str, mean: MeanEstimate, distribution: Distribution | None, say: Language = ENGLISH, unit: str = ""
) -> Drawing:
    """Return a row for the mean and for each quantile, on one axis of the numbers, and a histogram of the bins.

    The mean stands where it is most likely; a quantile is approximate.
    """
    bars = distribution.bars if distribution else []
    ends = [mean.minimum, mean.maximum, *(end for bar in bars for end in bar[:2])]
    name = say.gettext("Mean")
    label = f"{name} ({shorten(unit, _UNIT_COLUMNS)})" if unit else name
    frame, rows = Frame(min(ends), max(ends)), [_mean_row(label, mean, say), *_quantile_rows(distribution, say)]
    bottom = _AXIS_PX + _ROW_PX * len(rows) + (_GAP_PX + _PLOT_PX if bars else 0)
    marks = _grid(frame, bottom, say)
    for number, (label, words, values) in enumerate(rows):
        marks += _row(label, words, [frame.across(value) for value in values], _AXIS_PX + _ROW_PX * number)
    if bars:
        marks.append(Label(0, bottom - _PLOT_PX - 10, say.gettext("Density (approximate)"), kind="faint"))
        marks += _histogram(bars, frame, bottom)
    said = [f"{label}: {words}." for label, words, _ in rows]
    said += [say.gettext("The table has all numbers.")] if bars else []
    return Drawing(title, " ".join(said), bottom, tuple(marks))


def draw_means(
    title: str, means: Sequence[tuple[str, MeanEstimate]], say: Language = ENGLISH, unit: str = ""
) -> Drawing:
    """Return a row for the mean of each group, by the group's name, on one axis."""
    first = means[0][1]
    frame = Frame(first.minimum, first.maximum)
    rows = [_mean_row(f"{name} ({shorten(unit, _UNIT_COLUMNS)})" if unit else name, mean, say) for name, mean in means]
    bottom = _AXIS_PX + _ROW_PX * len(rows)
    marks = _grid(frame, bottom, say)
    for number, (label, words, values) in enumerate(rows):
        marks += _row(label, words, [frame.across(value) for value in values], _AXIS_PX + _ROW_PX * number)
    return Drawing(title, " ".join(f"{label}: {words}." for label, words, _ in rows), bottom, tuple(marks))


def _mean_row(label: str, mean: MeanEstimate, say: Language) -> Row:
    span = mean.minimum, mean.maximum
    low, high = of_precision(mean.mean, (mean.low, mean.high), span)
    finding = mean_finding("", mean.mean, (mean.low, mean.high), span, "")
    words = say.gettext("%(value)s, from %(low)s to %(high)s", value=finding.likely, low=finding.low, high=finding.high)
    return label, words, (min(max(mean.mean, span[0]), span[1]), low, high)


def _quantile_rows(distribution: Distribution | None, say: Language) -> list[Row]:
    rows: list[Row] = []
    for quantile in distribution.quantiles if distribution else ():
        values = {"value": quantile.value, "low": quantile.low, "high": quantile.high}
        said = say.gettext(
            "%(value)s, about %(low)s to %(high)s", **{key: shortest(value, say) for key, value in values.items()}
        )
        rows.append((quantile_label(quantile.prob, say), said, (quantile.value, quantile.low, quantile.high)))
    return rows


def quantile_label(prob: float, say: Language) -> str:
    """Return what a quantile is called."""
    return say.gettext("Median") if prob == 0.5 else say.percent(f"{100 * prob:g}")


def _row(label: str, words: str, places: list[float], top: float) -> list[Mark]:
    value, low, high = places
    middle = top + 28
    return [
        Label(0, top + 15, label),
        Label(100, top + 15, words, "end"),
        Line(low, middle, high, middle, "whisker"),
        Line(low, middle - _CAP_PX, low, middle + _CAP_PX, "whisker"),
        Line(high, middle - _CAP_PX, high, middle + _CAP_PX, "whisker"),
        Dot(value, middle, 4.5),
    ]


def _grid(frame: Frame, bottom: float, say: Language) -> list[Mark]:
    marks: list[Mark] = []
    for tick in frame.ticks:
        x = frame.across(tick)
        anchor: Anchor = "start" if x < _EDGE else "end" if x > 100 - _EDGE else "middle"
        marks.append(Line(x, _AXIS_PX - 6, x, bottom, "grid", 1))
        marks.append(Label(x, 13, shortest(tick, say), anchor, "faint"))
    return marks


def _histogram(bars: list[tuple[float, float, float]], frame: Frame, bottom: float) -> list[Mark]:
    """Return a bar for each bin, as high as it is dense: its area is its share."""
    most = max(share / (end - start) for start, end, share in bars)
    marks: list[Mark] = []
    for start, end, share in bars:
        left, right, height = frame.across(start), frame.across(end), _PLOT_PX * share / (end - start) / most
        marks.append(DrawnBar(left, right - left, bottom - height, height))
    return marks
