"""A picture of estimates: every share with its interval; of numbers, panels on axes of their own."""

import math
from dataclasses import replace

from sotto_estimator.results.figure import Bar, Panel, Point, bar_panels, point_panel
from sotto_estimator.shares.by_group import SideBySide
from sotto_estimator.shares.estimates import Estimates
from sotto_estimator.shares.verdict.verdict import share_ends
from sotto_estimator.views.estimates_words import caption
from sotto_estimator.views.numbers import APPROXIMATE, interval_remarks
from sotto_estimator.views.numbers_panels import number_panels

MAX_NUMBERS = 20
"""More questions for a number are left out of a picture."""


def estimates_panels(estimates: Estimates) -> tuple[str, list[Panel]]:
    """Return a title, a panel of the shares, and those of the numbers."""
    means, of = estimates.told_means[:MAX_NUMBERS], {each.question: each for each in estimates.told_distributions}
    panels = [panel for mean in means for panel in number_panels(mean, of.get(mean.question))]
    said = [*caption(estimates), *interval_remarks(means), *[APPROXIMATE][: len(of)]]
    if len(means) < len(estimates.told_means):
        said.append(f"the first {len(means)} of {len(estimates.told_means)} questions for a number are drawn")
    title, of_shares = bar_panels(_bars(estimates), "\n".join(said))
    return title, [*(of_shares if estimates.told_rows else []), *panels]


def groups_panels(groups: SideBySide) -> tuple[str, list[Panel]]:
    """Return a title, a panel of the shares, those of one answer beside one another, and one of each mean."""
    bars: dict[str, list[Bar]] = {}
    means: dict[tuple[str, str], list[Point]] = {}
    for place, one in enumerate(groups.estimates):
        for of in _bars(one):
            bars.setdefault(of.label, []).append(replace(of, label=f"{of.label}, {one.stratum}", hue=place))
        for mean in one.told_means:
            ends = (mean.low, mean.high) if mean.has_interval else (math.nan, math.nan)
            means.setdefault((mean.question, mean.unit), []).append(Point(str(one.stratum), mean.mean, *ends))
    all_bars = [bar for listed in bars.values() for bar in listed]
    title, panels = bar_panels(all_bars, f"{groups}\n{groups.interval_words}")
    of_means = [point_panel(points, f"mean of {question} ({unit})") for (question, unit), points in means.items()]
    return title, [*(panels if bars else []), *of_means]


def _bars(estimates: Estimates) -> list[Bar]:
    """Return the bars of all shares that are told. Where the table has no interval, it is the one that is in words."""
    bars = []
    for place, question in enumerate(dict.fromkeys(row.question for row in estimates.rows)):
        rows = [row for row in estimates.told_rows if row.question == question]
        for row, ends in zip(rows, share_ends(rows), strict=True):
            low, high = (row.low, row.high) if estimates.has_interval(row) else ends
            label = f"{question}: {row.answer}".removeprefix(": ")
            bars.append(Bar(label, row.share, low, high, place, question=question))
    return bars
