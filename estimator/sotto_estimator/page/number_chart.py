"""The chart of a question that asks for numbers: the mean with its interval, quantiles, and the density below."""

from sotto_estimator.numbers.distribution import Distribution
from sotto_estimator.numbers.mean import MeanEstimate
from sotto_estimator.numbers.render import quantile_words, said_mean, value_words
from sotto_estimator.page.axis import Axis
from sotto_estimator.page.drawing import Anchor, Bar, Dot, Drawing, Label, Line, Mark

_AXIS_PX = 26
_ROW_PX = 42
_CAP_PX = 4
_PLOT_PX = 130  # of the density
_GAP_PX = 26  # over it, for its name


def draw_number(title: str, mean: MeanEstimate, distribution: Distribution | None) -> Drawing:
    """Return a row for the mean and for each quantile, on one axis of the numbers, and a histogram of the bins."""
    bars = _bars(distribution)
    ends = [mean.minimum, mean.maximum, mean.mean, *(end for bar in bars for end in bar[:2])]
    axis, rows = Axis.spanning(min(ends), max(ends)), _rows(mean, distribution)
    bottom = _AXIS_PX + _ROW_PX * len(rows) + (_GAP_PX + _PLOT_PX if bars else 0)
    marks = _grid(axis, mean.unit, bottom)
    for number, (label, words, values) in enumerate(rows):
        marks += _row(label, words, [100 * axis.place(value) for value in values], _AXIS_PX + _ROW_PX * number)
    if bars:
        marks.append(Label(0, bottom - _PLOT_PX - 10, "density (approximate)", kind="faint"))
        marks += _histogram(bars, axis, bottom)
    said = [f"The mean with its interval: {said_mean(mean)}."]
    said += [f"{label}: {words}." for label, words, _ in rows[1:]]
    said += ["A histogram of the density stands below; the table has all numbers."] if bars else []
    return Drawing(title, " ".join(said), bottom, tuple(marks))


def _rows(mean: MeanEstimate, distribution: Distribution | None) -> list[tuple[str, str, tuple[float, float, float]]]:
    """Return a label, words and (value, low, high) of each row."""
    words = [value_words(number, mean.standard_error) for number in (mean.mean, mean.low, mean.high)]
    rows = [("mean", "{}, from {} to {}".format(*words), (mean.mean, mean.low, mean.high))]
    for quantile in distribution.quantiles if distribution else ():
        said = f"{quantile.value:,.12g}, about {quantile.low:,.12g} to {quantile.high:,.12g}"
        rows.append((quantile_words(quantile.prob), said, (quantile.value, quantile.low, quantile.high)))
    return rows


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


def _grid(axis: Axis, unit: str, bottom: float) -> list[Mark]:
    marks: list[Mark] = []
    for number, tick in enumerate(axis.ticks):
        x, is_last = 100 * axis.place(tick), number == axis.n_steps
        anchor: Anchor = "start" if number == 0 else "end" if is_last else "middle"
        marks.append(Line(x, _AXIS_PX - 6, x, bottom, "grid", 1))
        marks.append(Label(x, 13, f"{tick:,.12g} {unit}".strip() if is_last else f"{tick:,.12g}", anchor, "faint"))
    return marks


def _histogram(bars: list[tuple[float, float, float]], axis: Axis, bottom: float) -> list[Mark]:
    """Return a bar for each bin, as high as it is dense: its area is its share."""
    most = max(share / (end - start) for start, end, share in bars)
    marks: list[Mark] = []
    for start, end, share in bars:
        left, right, height = 100 * axis.place(start), 100 * axis.place(end), _PLOT_PX * share / (end - start) / most
        marks.append(Bar(left, right - left, bottom - height, height))
    return marks


def _bars(distribution: Distribution | None) -> list[tuple[float, float, float]]:
    """Return where each bin begins and ends, and its share: to the next bin's first number, or round its only one."""
    bins = distribution.bins if distribution else ()
    if len(bins) < 2:
        return []
    step = bins[1].first - bins[0].last
    shift = step / 2 if bins[0].first == bins[0].last else 0
    return [(each.first - shift, each.last + step - shift, each.share) for each in bins]
