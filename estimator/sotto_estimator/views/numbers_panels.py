"""What a picture shows of numbers: the mean with its interval and quantiles, and below them the density."""

import math

from sotto_estimator.numbers.distribution import Distribution
from sotto_estimator.numbers.mean import MeanEstimate
from sotto_estimator.results.figure import Panel, Point, Scale, density_panel, point_panel
from sotto_estimator.views.numbers import quantile_words


def number_panels(mean: MeanEstimate, distribution: Distribution | None) -> list[Panel]:
    """Return a panel of the mean and the quantiles, a row each; these are grey, being approximate. Then the density."""
    quantiles = distribution.quantiles if distribution else ()
    known = (mean.low, mean.high) if mean.has_interval else (math.nan, math.nan)
    rows = [Point(mean.question, mean.mean, *known)]
    rows += [Point(quantile_words(each.prob), each.value, each.low, each.high, is_faint=True) for each in quantiles]
    bars = distribution.bars if distribution else []
    ends = [mean.minimum, mean.maximum, *(end for bar in bars for end in bar[:2])]
    what = "mean and quantiles" if quantiles else "mean"
    words = f"{what} ({mean.unit})" if mean.unit else what
    scale = Scale(f"density of {mean.question} (approximate)", min(ends), max(ends))
    return [point_panel(rows, words, (min(ends), max(ends))), *([density_panel(bars, scale)] if bars else [])]
