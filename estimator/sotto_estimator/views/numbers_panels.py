"""What a picture shows of numbers: the mean with its interval and quantiles, and below them the density."""

import math
from collections.abc import Sequence

from matplotlib.axes import Axes

from sotto_estimator.numbers.distribution import Distribution
from sotto_estimator.numbers.mean import MeanEstimate
from sotto_estimator.results.glyphs import drawable
from sotto_estimator.results.panels import Panel, Point, point_panel
from sotto_estimator.views.numbers import quantile_words

_DENSITY_INCHES = 1.6


def number_panels(mean: MeanEstimate, distribution: Distribution | None) -> list[Panel]:
    """Return a panel of the mean and the quantiles, a row each; these are grey, being approximate. Then the density."""
    quantiles = distribution.quantiles if distribution else ()
    known = (mean.low, mean.high) if mean.has_interval else (math.nan, math.nan)
    rows = [Point(mean.question, mean.mean, *known)]
    rows += [Point(quantile_words(each.prob), each.value, each.low, each.high, "grey", "grey") for each in quantiles]
    bars = distribution.bars if distribution else []
    ends = [mean.minimum, mean.maximum, *(end for bar in bars for end in bar[:2])]
    what = "mean and quantiles" if quantiles else "mean"
    words = f"{what} ({mean.unit})" if mean.unit else what
    panels = [point_panel(rows, words, (min(ends), max(ends)))]
    return panels + [Panel(_DENSITY_INCHES, lambda axes: _draw_density(axes, mean.question, bars, ends))] * bool(bars)


def _draw_density(axes: Axes, question: str, bars: Sequence[tuple[float, float, float]], ends: Sequence[float]) -> None:
    """Draw a bar for each bin, as high as it is dense: its area is its share."""
    starts, widths = [start for start, _, _ in bars], [end - start for start, end, _ in bars]
    dense = [share / width for (_, _, share), width in zip(bars, widths, strict=True)]
    axes.bar(starts, dense, widths, align="edge", color="C0", alpha=0.45)
    axes.set_yticks([])
    axes.set_xlim(min(ends), max(ends))
    axes.set_xlabel(drawable(f"density of {question} (approximate)"), parse_math=False)
