"""The parts of a picture: bars of shares and points on an axis, each with its interval, one below another."""

import errno
import os
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from textwrap import fill
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure  # drawn without pyplot: no screen is needed, or looked for
from matplotlib.ticker import FuncFormatter, PercentFormatter

from sotto_estimator.errors import SourceError
from sotto_estimator.results.glyphs import drawable, short
from sotto_estimator.results.largest import MAX_BARS, largest
from sotto_estimator.results.rounding import any_too_wide

_BAR_INCHES = 0.32
_POINT_INCHES = 0.3
_AXIS_INCHES = 0.6
_CURVE_INCHES = 4.3
_TITLE_COLUMNS = 120
"""A title of longer lines would leave its picture no room."""
_FORMATS = (".png", ".pdf", ".svg")


class Panel(NamedTuple):
    """A part of a picture, over its whole width: how high it is, and what draws it."""

    inches: float
    draw: Callable[[Axes], None]


@dataclass(frozen=True, slots=True)
class Bar:
    """A labelled share with its interval, all in [0, 1] but the share, which may lie outside; NaN: there is none.

    `truth`: the true share, where people are made up. `question`: whose bars are drawn alike.
    """

    label: str
    share: float
    low: float
    high: float
    colour: str = "C0"
    truth: float | None = None
    question: str = ""


class Point(NamedTuple):
    """A labelled number with its interval; NaN: there is none. `colour`: of the interval, and of the point."""

    label: str
    value: float
    low: float
    high: float
    colour: str = "black"
    point_colour: str = "C0"


def bar_panels(bars: Sequence[Bar], title: str, max_percent: float = 100) -> tuple[str, list[Panel]]:
    """Return a title and a panel of bars, from top to bottom, on an axis that ends at max_percent.

    Those of a question of which an interval is too wide to name an estimate are dots, all of them. Of more than
    MAX_BARS bars the largest are drawn, and the title says so.
    """
    is_dotted = {bar.question for bar in bars if any_too_wide([(bar.low, bar.high)])}
    drawn = largest(bars, MAX_BARS)
    if len(drawn) < len(bars):
        title += f"\nthe largest {len(drawn)} of {len(bars):,} shares are drawn"
    return title, [Panel(0.7 + _BAR_INCHES * len(drawn), lambda axes: _draw_bars(axes, drawn, is_dotted, max_percent))]


def point_panel(points: Sequence[Point], words: str, ends: tuple[float, float] | None = None) -> Panel:
    """Return a panel of points, from top to bottom, on an axis that is called so.

    `ends`: the axis's; where there are none, it is as long as it need be, and has a line at 0.
    """
    return Panel(_AXIS_INCHES + _POINT_INCHES * len(points), lambda axes: _draw_points(axes, points, words, ends))


def curve_panel(lines: Mapping[str, Sequence[tuple[float, float]]], x: str, y: str) -> Panel:
    """Return a panel of lines of points (x, y), by name; `x`, `y`: what the axes are, logarithmic and of shares."""
    return Panel(_CURVE_INCHES, lambda axes: _draw_curves(axes, lines, x, y))


def plot_panels(title: str, panels: Sequence[Panel], path: Path | str | None = None, ax: Axes | None = None) -> Figure:
    """Draw a picture, and return the figure; into a PNG, PDF or SVG file too, where a path is given.

    `ax`: draw the first panel alone, without the title, into these axes. Raises SourceError for a path with another
    ending or an unwritable place, and for `ax` where there is no panel.
    """
    if path is not None:
        check_format(Path(path))
    figure = _figure(title, panels) if ax is None else _draw_into(ax, panels)
    if path is not None:
        _save(figure, Path(path))
    return figure


def check_format(path: Path) -> None:
    """Raise SourceError unless a plot can be written under this name, as far as it shows before."""
    if path.suffix.lower() not in _FORMATS:
        raise SourceError(f"plot ({path.name}) must end in {', '.join(_FORMATS)}.")
    if not path.parent.is_dir():
        raise SourceError(f"plot ({path}) cannot be written: {os.strerror(errno.ENOENT)}.")


def _figure(title: str, panels: Sequence[Panel]) -> Figure:
    panels = panels or [Panel(_AXIS_INCHES, Axes.set_axis_off)]
    heights = [panel.inches for panel in panels]
    figure = Figure(figsize=(8, 0.7 + sum(heights)), layout="constrained")
    places = figure.subplots(len(heights), squeeze=False, height_ratios=heights)[:, 0].tolist()
    said = "\n".join(fill(drawable(line), _TITLE_COLUMNS) for line in title.split("\n"))
    places[0].set_title(said, fontsize=8, loc="left", parse_math=False)
    for axes, panel in zip(places, panels, strict=True):
        panel.draw(axes)
    return figure


def _draw_into(ax: Axes, panels: Sequence[Panel]) -> Figure:
    if not panels:
        raise SourceError("there is nothing to draw: no share and no mean.")
    panels[0].draw(ax)
    if (figure := ax.get_figure(root=True)) is None:
        raise SourceError("ax must be in a figure.")
    return figure


def _save(figure: Figure, path: Path) -> None:
    try:
        figure.savefig(path, dpi=120)
    except OSError as fault:
        raise SourceError(f"plot ({path}) cannot be written: {fault.strerror}.") from fault


def _draw_bars(axes: Axes, bars: Sequence[Bar], is_dotted: Set[str], max_percent: float) -> None:
    places = list(range(len(bars)))
    solid = [(place, bar) for place, bar in enumerate(bars) if bar.question not in is_dotted]
    dotted = [(place, bar) for place, bar in enumerate(bars) if bar.question in is_dotted]
    widths, colours = [100 * max(bar.share, 0) for _, bar in solid], [bar.colour for _, bar in solid]
    axes.barh([place for place, _ in solid], widths, color=colours, alpha=0.45, height=0.7)
    at = [100 * min(max(bar.share, 0), 1) for _, bar in dotted]
    axes.scatter(at, [place for place, _ in dotted], color=[bar.colour for _, bar in dotted], zorder=3, clip_on=False)
    middles = [50 * (bar.low + bar.high) for bar in bars]
    halves = [50 * (bar.high - bar.low) for bar in bars]
    axes.errorbar(middles, places, xerr=halves, fmt="none", ecolor="black", elinewidth=1.2, capsize=3)
    known = [(100 * bar.truth, place) for place, bar in zip(places, bars, strict=True) if bar.truth is not None]
    axes.scatter([true for true, _ in known], [place for _, place in known], marker="D", color="black", zorder=3)
    axes.set_yticks(places, [short(bar.label) for bar in bars], parse_math=False)
    axes.invert_yaxis()
    axes.set_xlim(0, max_percent)
    axes.set_xlabel("share (%)")


def _draw_points(axes: Axes, points: Sequence[Point], words: str, ends: tuple[float, float] | None) -> None:
    for place, point in enumerate(points):
        middle, half = (point.low + point.high) / 2, (point.high - point.low) / 2
        axes.errorbar([middle], [place], xerr=[half], fmt="none", ecolor=point.colour, elinewidth=1.2, capsize=3)
        axes.plot([point.value], [place], "o", color=point.point_colour)
    axes.set_yticks(range(len(points)), [short(point.label) for point in points], parse_math=False)
    axes.set_ylim(len(points) - 0.5, -0.5)
    if ends is None:
        axes.axvline(0, color="grey", linewidth=0.8)
    else:
        axes.set_xlim(*ends)
    axes.set_xlabel(drawable(words), parse_math=False)


def _draw_curves(axes: Axes, lines: Mapping[str, Sequence[tuple[float, float]]], x: str, y: str) -> None:
    for name, line in lines.items():
        axes.plot([at for at, _ in line], [share for _, share in line], marker=".", label=drawable(name))
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(FuncFormatter(lambda at, _: f"{at:,.10g}"))
    axes.yaxis.set_major_formatter(PercentFormatter(1))
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.set_ylim(bottom=0)
    axes.grid(alpha=0.3)
    axes.legend()
