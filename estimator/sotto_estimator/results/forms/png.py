"""A drawing as PNG: the marks of the SVG, at the same places. Loading matplotlib takes long, and few ask for it."""

import io
from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure  # drawn without pyplot: no screen is needed, or looked for
from matplotlib.patches import Ellipse, Rectangle
from matplotlib.patheffects import withStroke

from sotto_estimator.results.drawing import (
    FONT_PX,
    HALO_PX,
    LIGHT,
    MARGIN_PX,
    WIDTH_PX,
    Dot,
    Drawing,
    DrawnBar,
    Label,
    Line,
    Mark,
    head_px,
    heading_labels,
)
from sotto_estimator.results.glyphs import drawable

_DPI = 96  # CSS's: a unit of the axes is a pixel
_FINE_PX = 3000  # up to this height a picture has two dots a pixel, across and down
_POINTS = 72 / _DPI
_SIDES = {"start": "left", "middle": "center", "end": "right"}


def draw_png(drawing: Drawing, caption: Sequence[str]) -> bytes:
    """Return the drawing as PNG, its title and caption over it. It takes seconds and 50 MB, where it is large."""
    top = head_px(caption)
    height = top + drawing.height + MARGIN_PX
    figure = Figure(figsize=(WIDTH_PX / _DPI, height / _DPI), dpi=_DPI, facecolor=LIGHT["ground"])
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, WIDTH_PX), ylim=(height, 0))
    axes.set_axis_off()
    for label in heading_labels(drawing, caption):
        _add(axes, label, 0)
    for mark in drawing.marks:
        _add(axes, mark, top)
    content = io.BytesIO()
    figure.savefig(content, format="png", dpi=_DPI * (2 if height <= _FINE_PX else 1))
    return content.getvalue()


def _add(axes: Axes, mark: Mark, top: float) -> None:
    colour = LIGHT[mark.kind]
    match mark:
        case DrawnBar(x, width, y, height):
            size = _across(x + width) - _across(x), height
            axes.add_patch(Rectangle((_across(x), top + y), *size, color=colour, linewidth=0, zorder=2))
        case Line(x1, y1, x2, y2, _, width_px):
            ends = [_across(x1), _across(x2)], [top + y1, top + y2]
            axes.plot(*ends, color=colour, linewidth=width_px * _POINTS, solid_capstyle="butt", zorder=2)
        case Dot(x, y, radius):
            axes.add_patch(Ellipse((_across(x), top + y), 2 * radius, 2 * radius, color=colour, linewidth=0, zorder=2))
        case Label(x, y, text, anchor):
            font: dict[str, Any] = {"color": colour, "fontsize": FONT_PX * _POINTS, "parse_math": False}
            place = {"horizontalalignment": _SIDES[anchor], "verticalalignment": "baseline"}
            halo = withStroke(linewidth=HALO_PX * _POINTS, foreground=LIGHT["ground"])
            axes.text(_across(x), top + y, drawable(text), path_effects=[halo], **(font | place))


def _across(x: float) -> float:
    return MARGIN_PX + (WIDTH_PX - 2 * MARGIN_PX) * x / 100
