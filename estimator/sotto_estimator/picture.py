"""A picture of estimates: a bar for every share and its interval; of numbers, panels on axes of their own."""

import errno
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure  # drawn without pyplot: no screen is needed, or looked for

from sotto_estimator.drawable import drawable
from sotto_estimator.errors import SourceError
from sotto_estimator.estimates import Estimates
from sotto_estimator.largest import MAX_BARS, largest
from sotto_estimator.numbers.plot import Panel, number_panels
from sotto_estimator.numbers.render import APPROXIMATE, interval_remarks
from sotto_estimator.render import caption

MAX_NUMBERS = 20
"""More questions for a number are left out of a picture."""
_ROW_INCHES = 0.32
_FORMATS = (".png", ".pdf", ".svg")


@dataclass(frozen=True, slots=True)
class Bar:
    """A labelled share with its interval, all in [0, 1] but the share, which may lie outside.

    `truth`: the true share, where people are made up.
    """

    label: str
    share: float
    low: float
    high: float
    colour: str = "C0"
    truth: float | None = None


def plot(estimates: Estimates, path: Path | str | None = None, *, ax: Axes | None = None) -> Figure:
    """Draw the estimates, and return the figure; into a PNG, PDF or SVG file too, where a path is given.

    `ax`: draw into these axes of yours the shares alone, or the first mean where there are none. Raises SourceError for
    a path with another ending or an unwritable place, and for estimates of nothing that `ax` could show.
    """
    if path is not None:
        check_format(Path(path))
    figure = _figure(estimates) if ax is None else _draw_into(ax, estimates)
    if path is not None:
        _save(figure, Path(path))
    return figure


def _figure(estimates: Estimates) -> Figure:
    means, of = estimates.means[:MAX_NUMBERS], {each.question: each for each in estimates.distributions}
    panels = [panel for mean in means for panel in number_panels(mean, of.get(mean.question))]
    said = [caption(estimates), *interval_remarks(means), *[APPROXIMATE][: len(of)]]
    if len(means) < len(estimates.means):
        said.append(f"the first {len(means)} of {len(estimates.means)} questions for a number are drawn")
    return _figure_of_bars(_bars(estimates), "\n".join(said), 100, panels)


def _draw_into(ax: Axes, estimates: Estimates) -> Figure:
    if estimates.rows:
        _draw_shares(ax, largest(_bars(estimates), MAX_BARS), 100)
    elif estimates.means:
        mean = estimates.means[0]
        of = next((each for each in estimates.distributions if each.question == mean.question), None)
        number_panels(mean, of)[0].draw(ax)
    else:
        raise SourceError("there is no share and no mean to draw.")
    if (figure := ax.get_figure(root=True)) is None:
        raise SourceError("ax must be in a figure.")
    return figure


def _bars(estimates: Estimates) -> list[Bar]:
    colours = {question: f"C{place % 10}" for place, question in enumerate(estimates)}
    return [
        Bar(f"{row.question}: {row.answer}".removeprefix(": "), row.share, row.low, row.high, colours[row.question])
        for row in estimates.rows
    ]


def draw_bars(
    bars: Sequence[Bar], title: str, path: Path, max_percent: float = 100, panels: Sequence[Panel] = ()
) -> None:
    """Draw bars with their intervals, from top to bottom, on an axis that ends at max_percent; panels below them.

    Of more than MAX_BARS bars the largest are drawn, and the title says so. Raises as `plot`.
    """
    check_format(path)
    _save(_figure_of_bars(bars, title, max_percent, panels), path)


def _figure_of_bars(bars: Sequence[Bar], title: str, max_percent: float, panels: Sequence[Panel]) -> Figure:
    drawn = largest(bars, MAX_BARS)
    if len(drawn) < len(bars):
        title += f"\nthe largest {len(drawn)} of {len(bars):,} shares are drawn"
    shares = Panel(0.7 + _ROW_INCHES * len(drawn), lambda axes: _draw_shares(axes, drawn, max_percent))
    placed = [*[shares] * bool(drawn or not panels), *panels]
    heights = [panel.inches for panel in placed]
    figure = Figure(figsize=(8, 0.7 + sum(heights)), layout="constrained")
    places = figure.subplots(len(heights), squeeze=False, height_ratios=heights)[:, 0].tolist()
    places[0].set_title(title, fontsize=8, loc="left", parse_math=False)
    for axes, panel in zip(places, placed, strict=True):
        panel.draw(axes)
    return figure


def _save(figure: Figure, path: Path) -> None:
    try:
        figure.savefig(path, dpi=120)
    except OSError as fault:
        raise SourceError(f"plot ({path}) cannot be written: {fault.strerror}.") from fault


def _draw_shares(axes: Axes, bars: Sequence[Bar], max_percent: float) -> None:
    places = list(range(len(bars)))
    colours = [bar.colour for bar in bars]
    axes.barh(places, [100 * max(bar.share, 0) for bar in bars], color=colours, alpha=0.45, height=0.7)
    middles = [50 * (bar.low + bar.high) for bar in bars]
    halves = [50 * (bar.high - bar.low) for bar in bars]
    axes.errorbar(middles, places, xerr=halves, fmt="none", ecolor="black", elinewidth=1.2, capsize=3)
    known = [(100 * bar.truth, place) for place, bar in zip(places, bars, strict=True) if bar.truth is not None]
    axes.scatter([true for true, _ in known], [place for _, place in known], marker="D", color="black", zorder=3)
    axes.set_yticks(places, [drawable(bar.label) for bar in bars], parse_math=False)
    axes.invert_yaxis()
    axes.set_xlim(0, max_percent)
    axes.set_xlabel("share (%)")


def check_format(path: Path) -> None:
    """Raise SourceError unless a plot can be written under this name, as far as it shows before."""
    if path.suffix.lower() not in _FORMATS:
        raise SourceError(f"plot ({path.name}) must end in {', '.join(_FORMATS)}.")
    if not path.parent.is_dir():
        raise SourceError(f"plot ({path}) cannot be written: {os.strerror(errno.ENOENT)}.")
