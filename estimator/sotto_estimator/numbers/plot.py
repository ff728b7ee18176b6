"""What a picture shows of numbers: the mean with its interval and quantiles, and below them the density."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from matplotlib.axes import Axes

from sotto_estimator.drawable import drawable
from sotto_estimator.numbers.distribution import Distribution
from sotto_estimator.numbers.mean import MeanEstimate
from sotto_estimator.numbers.render import quantile_words

_ROW_INCHES = 0.3
_AXIS_INCHES = 0.6
_DENSITY_INCHES = 1.6


class Panel(NamedTuple):
    """A part of a picture, over its whole width: how high it is, and what draws it."""

    inches: float
    draw: Callable[[Axes], None]


class _Row(NamedTuple):
    label: str
    value: float
    low: float
    high: float


def number_panels(mean: MeanEstimate, distribution: Distribution | None) -> list[Panel]:
    """Return a panel of the mean and the quantiles, a row each, and of a distribution one of the density."""
    quantiles = distribution.quantiles if distribution else ()
    rows = [_Row(mean.question, mean.mean, mean.low, mean.high)]
    rows += [_Row(quantile_words(each.prob), each.value, each.low, each.high) for each in quantiles]
    bars = distribution.bars if distribution else []
    ends = [mean.minimum, mean.maximum, *(end for bar in bars for end in bar[:2])]
    what = "mean and quantiles" if quantiles else "mean"
    words = f"{what} ({mean.unit})" if mean.unit else what
    panels = [Panel(_AXIS_INCHES + _ROW_INCHES * len(rows), lambda axes: _draw_rows(axes, rows, words, ends))]
    return panels + [Panel(_DENSITY_INCHES, lambda axes: _draw_density(axes, mean.question, bars, ends))] * bool(bars)


def _draw_rows(axes: Axes, rows: Sequence[_Row], words: str, ends: Sequence[float]) -> None:
    """Draw a point for each value and its interval; those of quantiles, which are approximate, are grey."""
    for place, row in enumerate(rows):
        middle, half = (row.low + row.high) / 2, (row.high - row.low) / 2
        colour = "grey" if place else "black"
        axes.errorbar([middle], [place], xerr=[half], fmt="none", ecolor=colour, elinewidth=1.2, capsize=3)
        axes.plot([row.value], [place], "o", color=colour if place else "C0")
    axes.set_yticks(range(len(rows)), [drawable(row.label) for row in rows], parse_math=False)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xlim(min(ends), max(ends))
    axes.set_xlabel(drawable(words), parse_math=False)


def _draw_density(axes: Axes, question: str, bars: Sequence[tuple[float, float, float]], ends: Sequence[float]) -> None:
    """Draw a bar for each bin, as high as it is dense: its area is its share."""
    starts, widths = [start for start, _, _ in bars], [end - start for start, end, _ in bars]
    dense = [share / width for (_, _, share), width in zip(bars, widths, strict=True)]
    axes.bar(starts, dense, widths, align="edge", color="C0", alpha=0.45)
    axes.set_yticks([])
    axes.set_xlim(min(ends), max(ends))
    axes.set_xlabel(drawable(f"density of {question} (approximate)"), parse_math=False)
