"""Means and distributions: for people, as members for programs, and as pictures."""

import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from sotto_estimator.numbers.distribution import Distribution
from sotto_estimator.numbers.mean import MeanEstimate, VoidedMean
from sotto_estimator.results.document import Block, Cell, Column, Lines, Table
from sotto_estimator.results.figure import Panel, Point, Scale, density_panel, point_panel
from sotto_estimator.results.percents import OUTSIDE
from sotto_estimator.results.words import NO_INTERVAL
from sotto_estimator.shares.by_group import SideBySide
from sotto_estimator.shares.estimates import Estimates
from sotto_estimator.views.figure_view import Drawn, FigureView

FAKES = (
    "fakes high, fakes low: how much each 1 % of fake reports adds to a mean, if all are the highest or all the lowest"
)
APPROXIMATE = (
    "quantiles and densities are approximate (smoothed, with bootstrap intervals); intervals of means are guaranteed"
)
MEAN_COLUMNS = (
    Column("mean", "estimate"),
    Column("std. error", "number"),
    Column("low", "number"),
    Column("high", "number"),
)
MAX_NUMBERS = 20
"""More questions for a number are left out of a picture."""
_CUT = "none: the interval contains no number that can be answered"


def mean_table(means: Sequence[MeanEstimate | VoidedMean]) -> Table:
    """Return a row a mean, in its unit."""
    columns = [Column("question"), Column("n", "count"), Column("epsilon", "epsilon"), *MEAN_COLUMNS]
    columns += [Column("consistent", "number")] * any(mean.consistent_mean is not None for mean in means)
    columns += [Column("fakes high", "number"), Column("fakes low", "number"), Column("unit", "word")]
    rows = []
    for mean in means:
        about: list[Cell] = [mean.question, mean.n_reports, mean.epsilon]
        found = _cells(mean) if isinstance(mean, MeanEstimate) else [None] * (len(columns) - len(about) - 1)
        rows.append([*about, *found, mean.unit])
    return Table(columns, rows)


def mean_remarks(means: Sequence[MeanEstimate | VoidedMean]) -> list[str]:
    """Return what is to be said of means, a line each; nothing of those of which nothing may be said."""
    told = [mean for mean in means if isinstance(mean, MeanEstimate)]
    cut = [_CUT] * (not all(mean.has_interval for mean in told))
    return [FAKES, *interval_remarks(told), *cut] if told else []


def interval_remarks(means: Sequence[MeanEstimate]) -> list[str]:
    """Return how the intervals of means are made, a line each."""
    return [f"the interval of the mean of {mean.question}: {mean.interval}" for mean in means]


def quantile_table(distributions: Sequence[Distribution]) -> Table:
    """Return a row a quantile, in its unit."""
    rows = []
    for of in distributions:
        for quantile in of.quantiles:
            values = [f"{value:,.12g}" for value in (quantile.value, quantile.low, quantile.high)]
            rows.append([of.question, quantile_words(quantile.prob), *values, of.unit])
    numbers = [Column(name, "number") for name in ("value", "low", "high")]
    return Table([Column("question"), Column("quantile"), *numbers, Column("unit", "word")], rows)


def quantile_remarks(distributions: Sequence[Distribution]) -> list[str]:
    """Return what quantiles are worth, a line each."""
    return [APPROXIMATE, *(f"{of.question}: {smoothing_words(of)}" for of in distributions)]


def quantile_words(prob: float) -> str:
    """Return what a quantile is called.

    >>> quantile_words(0.5), quantile_words(0.9)
    ('median', '90 %')
    """
    return "median" if prob == 0.5 else f"{100 * prob:g} %"


def smoothing_words(distribution: Distribution) -> str:
    """Return in words how much a density is smoothed."""
    n_bins = f"density of {len(distribution.bins)} bins"
    width = f"{distribution.bandwidth:.3g} {distribution.unit}".strip()
    return (
        f"{n_bins}, by bumps with a standard deviation of {width}"
        if distribution.bandwidth
        else f"{n_bins}, unsmoothed"
    )


def distribution_records(distribution: Distribution) -> list[dict[str, Any]]:
    """Return rows of CSV: a quantile each, then a bin each."""
    of = {"question": distribution.question, "unit": distribution.unit, "n_reports": distribution.n_reports}
    quantiles = [
        of | {"quantile": one.prob, "value": one.value, "low": one.low, "high": one.high, "interval": "approximate"}
        for one in distribution.quantiles
    ]
    return quantiles + [of | {"from": one.first, "to": one.last, "share": one.share} for one in distribution.bins]


def value_words(value: float, error: float) -> str:
    """Return a number with as many decimals as show two digits of its error.

    >>> value_words(41.26789, 0.4321), value_words(51234.5, 812.0), value_words(-0.0001, 0.02)
    ('41.27', '51,234', '0.000')
    """
    n_decimals = 0 if error >= 10 or not error > 0 else min(9, 1 - math.floor(math.log10(error)))
    words = f"{value:,.{n_decimals}f}"
    return words.removeprefix("-") if not words.strip("-0.,") else words


def mean_words(mean: MeanEstimate) -> list[str]:
    """Return the cells of MEAN_COLUMNS: a mean, marked where it cannot be answered, and its interval, or that none is.

    There is none where no number that can be answered is in it.
    """
    value, error = (value_words(number, mean.standard_error) for number in (mean.mean, mean.standard_error))
    ends = [
        value_words(end, mean.standard_error) if mean.has_interval else NO_INTERVAL for end in (mean.low, mean.high)
    ]
    return [f"{OUTSIDE * mean.is_outside}{value}", error, *ends]


def _cells(mean: MeanEstimate) -> list[str]:
    cells = mean_words(mean)
    cells += [] if mean.consistent_mean is None else [value_words(mean.consistent_mean, mean.standard_error)]
    return [*cells, f"{mean.shift_up:+.3g}", f"{mean.shift_down:+.3g}"]


def number_panels(mean: MeanEstimate, distribution: Distribution | None) -> list[Panel]:
    """Return a panel of the mean and the quantiles, a row each; these are grey, being approximate. Then the density."""
    quantiles = distribution.quantiles if distribution else ()
    rows = [_point(mean.question, mean)]
    rows += [Point(quantile_words(each.prob), each.value, each.low, each.high, is_faint=True) for each in quantiles]
    bars = distribution.bars if distribution else []
    ends = [mean.minimum, mean.maximum, *(end for bar in bars for end in bar[:2])]
    what = "mean and quantiles" if quantiles else "mean"
    words = f"{what} ({mean.unit})" if mean.unit else what
    scale = Scale(f"density of {mean.question} (approximate)", min(ends), max(ends))
    return [point_panel(rows, words, (min(ends), max(ends))), *([density_panel(bars, scale)] if bars else [])]


def _point(label: str, mean: MeanEstimate) -> Point:
    return Point(label, mean.mean, *((mean.low, mean.high) if mean.has_interval else (math.nan, math.nan)))


def _panels(estimates: Estimates) -> Drawn:
    told, of = estimates.told_means, {each.question: each for each in estimates.told_distributions}
    means = told[:MAX_NUMBERS]
    said = [*interval_remarks(means), *[APPROXIMATE][: len(of)]]
    if len(means) < len(told):
        said.append(f"the first {len(means)} of {len(told)} questions for a number are drawn")
    return said, [panel for mean in means for panel in number_panels(mean, of.get(mean.question))]


def _group_panels(groups: SideBySide) -> Drawn:
    """Return a panel of each mean, a row a group."""
    points: dict[str, list[Point]] = {}
    for one in groups.estimates:
        for mean in one.told_means:
            name = f"mean of {mean.question} ({mean.unit})"
            points.setdefault(name, []).append(_point(str(one.stratum), mean))
    return [], [point_panel(listed, name) for name, listed in points.items()]


def _members(estimates: Estimates) -> list[dict[str, Any]]:
    """Return the members of each mean, `consistent_mean` where it was asked for."""
    found = []
    for mean in estimates.means:
        has_ends = isinstance(mean, VoidedMean) or mean.has_interval
        found.append(asdict(mean) | ({} if has_ends else {"low": None, "high": None}))
        if not estimates.options.consistent:
            del found[-1]["consistent_mean"]
    return found


def _quantile_blocks(estimates: Estimates) -> list[Block]:
    told = estimates.told_distributions
    return [quantile_table(told), Lines(quantile_remarks(told))] if told else []


MEANS = FigureView(
    member="means",
    members=_members,
    records=_members,
    blocks=lambda estimates: [mean_table(estimates.means), Lines(mean_remarks(estimates.means))],
    made=lambda estimates: interval_remarks(estimates.told_means),
    words=lambda _, mean: mean_words(mean),
    panels=_panels,
    group_panels=_group_panels,
)
DISTRIBUTIONS = FigureView(
    member="distributions",
    members=lambda estimates: [asdict(of) | {"interval": "approximate"} for of in estimates.distributions],
    records=lambda estimates: [row for of in estimates.told_distributions for row in distribution_records(of)],
    blocks=_quantile_blocks,
    technical=lambda estimates, question: [
        f"Approximate: the {smoothing_words(of)}." for of in estimates.told_distributions if of.question == question
    ],
)
