"""Figures by matplotlib: for `plot`, and for files. It takes a second to load."""

import errno
import os
from collections.abc import Sequence
from pathlib import Path as FilePath
from textwrap import fill

from matplotlib.axes import Axes
from matplotlib.figure import Figure  # drawn without pyplot: no screen is needed, or looked for
from matplotlib.patches import Rectangle
from matplotlib.ticker import FuncFormatter

from sotto_estimator.errors import SourceError
from sotto_estimator.results.figure import Box, Panel, Path, Scale, Shape, Spot, Whisker
from sotto_estimator.results.glyphs import drawable, short

_EMPTY_INCHES = 0.6
_TITLE_COLUMNS = 120
"""A title of longer lines would leave its picture no room."""
_FORMATS = (".png", ".pdf", ".svg")


def plot_panels(
    title: str, panels: Sequence[Panel], path: FilePath | str | None = None, ax: Axes | None = None
) -> Figure:
    """Draw a picture, and return the figure; into a PNG, PDF or SVG file too, where a path is given.

    `ax`: draw the first panel alone, without the title, into these axes. Raises SourceError for a path with another
    ending or an unwritable place, and for `ax` where there is no panel.
    """
    if path is not None:
        check_format(FilePath(path))
    figure = _figure(title, panels) if ax is None else _draw_into(ax, panels)
    if path is not None:
        _save(figure, FilePath(path))
    return figure


def check_format(path: FilePath) -> None:
    """Raise SourceError unless a plot can be written under this name, as far as it shows before."""
    if path.suffix.lower() not in _FORMATS:
        raise SourceError(f"plot ({path.name}) must end in {', '.join(_FORMATS)}.")
    if not path.parent.is_dir():
        raise SourceError(f"plot ({path}) cannot be written: {os.strerror(errno.ENOENT)}.")


def _figure(title: str, panels: Sequence[Panel]) -> Figure:
    heights = [panel.inches for panel in panels] or [_EMPTY_INCHES]
    figure = Figure(figsize=(8, 0.7 + sum(heights)), layout="constrained")
    places = figure.subplots(len(heights), squeeze=False, height_ratios=heights)[:, 0].tolist()
    said = "\n".join(fill(drawable(line), _TITLE_COLUMNS) for line in title.split("\n"))
    places[0].set_title(said, fontsize=8, loc="left", parse_math=False)
    for axes, panel in zip(places, panels, strict=False):
        draw_panel(axes, panel)
    if not panels:
        places[0].set_axis_off()
    return figure


def _draw_into(ax: Axes, panels: Sequence[Panel]) -> Figure:
    if not panels:
        raise SourceError("there is nothing to draw: no share and no mean.")
    draw_panel(ax, panels[0])
    if (figure := ax.get_figure(root=True)) is None:
        raise SourceError("ax must be in a figure.")
    return figure


def _save(figure: Figure, path: FilePath) -> None:
    try:
        figure.savefig(path, dpi=120)
    except OSError as fault:
        raise SourceError(f"plot ({path}) cannot be written: {fault.strerror}.") from fault


def draw_panel(axes: Axes, panel: Panel) -> None:
    """Draw a panel into axes."""
    for shape in panel.shapes:
        _add(axes, shape)
    for is_faint in (False, True):
        _add_spans(axes, [shape for shape in panel.shapes if isinstance(shape, Whisker) and shape.is_faint == is_faint])
    if panel.has_zero:
        axes.axvline(0, color="grey", linewidth=0.8)
    if panel.rows:
        axes.set_yticks(range(len(panel.rows)), [short(row.label) for row in panel.rows], parse_math=False)
        axes.set_ylim(len(panel.rows) - 0.5, -0.5)
    elif panel.y is None:
        axes.set_yticks([])
        axes.set_ylim(*panel.heights())
    else:
        axes.yaxis.set_major_formatter(_formatter(panel.y))
        axes.set_ylim(panel.y.low, panel.y.high)
        axes.set_ylabel(panel.y.words)
    if panel.x.is_log:
        axes.set_xscale("log")
        axes.grid(alpha=0.3)
    axes.xaxis.set_major_formatter(_formatter(panel.x))
    if panel.x.low is not None:
        axes.set_xlim(*panel.ends())
    axes.set_xlabel(drawable(panel.x.words), parse_math=False)
    if any(isinstance(shape, Path) and shape.name for shape in panel.shapes):
        axes.legend()


def _formatter(scale: Scale) -> FuncFormatter:
    return FuncFormatter(lambda number, _: scale.write(number))


def _add(axes: Axes, shape: Shape) -> None:
    match shape:
        case Box(left, right, bottom, top, hue):
            axes.add_patch(Rectangle((left, bottom), right - left, top - bottom, color=f"C{hue % 10}", alpha=0.45))
        case Spot(x, y, hue, is_faint, is_truth):
            colour = "black" if hue is None else "grey" if is_faint else f"C{hue % 10}"
            axes.plot([x], [y], "D" if is_truth else "o", color=colour, clip_on=False, zorder=3)
        case Path(points, name, hue):
            across, upward = [x for x, _ in points], [y for _, y in points]
            axes.plot(across, upward, marker=".", label=drawable(name), color=f"C{hue % 10}")


def _add_spans(axes: Axes, spans: Sequence[Whisker]) -> None:
    """Draw intervals at once: one by one they take long."""
    if not spans:
        return
    at, middles = [span.at for span in spans], [(span.low + span.high) / 2 for span in spans]
    halves = [(span.high - span.low) / 2 for span in spans]
    if spans[0].is_upright:
        axes.errorbar(at, middles, yerr=halves, fmt="none", ecolor="C0", elinewidth=1)
    else:
        colour = "grey" if spans[0].is_faint else "black"
        axes.errorbar(middles, at, xerr=halves, fmt="none", ecolor=colour, elinewidth=1.2, capsize=3)
