"""A picture of estimates: a bar for every share and its interval; of numbers, panels on axes of their own."""

import math

from sotto_estimator.estimates import Estimate, Estimates
from sotto_estimator.numbers.plot import number_panels
from sotto_estimator.numbers.render import APPROXIMATE, interval_remarks
from sotto_estimator.panels import Bar, Panel, Point, bar_panels, point_panel
from sotto_estimator.render import caption, interval_words
from sotto_estimator.side_by_side import SideBySide

MAX_NUMBERS = 20
"""More questions for a number are left out of a picture."""


def estimates_panels(estimates: Estimates) -> tuple[str, list[Panel]]:
    """Return a title, a panel of the shares, and those of the numbers."""
    means, of = estimates.means[:MAX_NUMBERS], {each.question: each for each in estimates.distributions}
    panels = [panel for mean in means for panel in number_panels(mean, of.get(mean.question))]
    said = [caption(estimates), *interval_remarks(means), *[APPROXIMATE][: len(of)]]
    if len(means) < len(estimates.means):
        said.append(f"the first {len(means)} of {len(estimates.means)} questions for a number are drawn")
    title, of_shares = bar_panels(_bars(estimates), "\n".join(said))
    return title, [*(of_shares if estimates.rows else []), *panels]


def groups_panels(groups: SideBySide) -> tuple[str, list[Panel]]:
    """Return a title, a panel of the shares, those of one answer beside one another, and one of each mean."""
    colours = {one.stratum: f"C{place % 10}" for place, one in enumerate(groups.estimates)}
    bars: dict[tuple[str, str], list[Bar]] = {}
    means: dict[tuple[str, str], list[Point]] = {}
    for one in groups.estimates:
        for row in one.rows:
            bar = _bar(one, row, f"{_named(row)}, {one.stratum}", colours[one.stratum])
            bars.setdefault((row.question, row.answer), []).append(bar)
        for mean in one.means:
            ends = (mean.low, mean.high) if mean.has_interval else (math.nan, math.nan)
            means.setdefault((mean.question, mean.unit), []).append(Point(str(one.stratum), mean.mean, *ends))
    first = groups.estimates[0]
    title = f"{groups}\n{interval_words(first.options, first.made)}, in each {groups.kind}"
    title, panels = bar_panels([bar for listed in bars.values() for bar in listed], title)
    of_means = [point_panel(points, f"mean of {question} ({unit})") for (question, unit), points in means.items()]
    return title, [*(panels if bars else []), *of_means]


def _bars(estimates: Estimates) -> list[Bar]:
    colours = {question: f"C{place % 10}" for place, question in enumerate(estimates)}
    return [_bar(estimates, row, _named(row), colours[row.question]) for row in estimates.rows]


def _bar(estimates: Estimates, row: Estimate, label: str, colour: str) -> Bar:
    ends = (row.low, row.high) if estimates.has_interval(row) else (math.nan, math.nan)
    return Bar(label, row.share, *ends, colour)


def _named(row: Estimate) -> str:
    return f"{row.question}: {row.answer}".removeprefix(": ")
