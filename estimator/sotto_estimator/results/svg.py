"""A drawing as SVG: part of a page, or a file. Its texts are escaped here; attributes hold no text."""

import re
from collections.abc import Sequence
from html import escape

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

_NOT_DRAWN = re.compile("[^\t\n\r\x20-\u2027\u2030-\u2065\u2070-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|[\x7f-\x9f]")
"""What no XML may hold, and what turns the direction of writing or ends lines."""
_FONT = "system-ui, sans-serif"


def inline_svg(drawing: Drawing, name: str) -> str:
    """Return the drawing as part of a page: as wide as there is room, under ids that begin with `name`.

    Its colours are those of a drawing on white, unless the page's style has others for the kinds of its marks.
    """
    attributes = {
        "class": "chart",
        "direction": "ltr",
        "role": "img",
        "aria-labelledby": f"{name}-title {name}-desc",
        "width": "100%",
        "height": _number(drawing.height),
    }
    lines = [*_head("svg", attributes, drawing, name), *map(_svg_of, drawing.marks), "</svg>"]
    return "\n".join(lines)


def whole_svg(drawing: Drawing, caption: Sequence[str]) -> bytes:
    """Return the drawing as a file, WIDTH_PX wide, with its title and caption over it."""
    top = head_px(caption)
    attributes = {
        "xmlns": "http://www.w3.org/2000/svg",
        "direction": "ltr",
        "role": "img",
        "aria-labelledby": "chart-title chart-desc",
        "width": f"{WIDTH_PX}",
        "height": _number(top + drawing.height + MARGIN_PX),
    }
    inner = {"x": f"{MARGIN_PX}", "width": f"{WIDTH_PX - 2 * MARGIN_PX}", "overflow": "visible"}
    lines = [
        *_head("svg", attributes, drawing, "chart"),
        _tag("rect", {"width": "100%", "height": "100%", "fill": LIGHT["ground"]}, "/>"),
        _tag("svg", inner),
        *map(_svg_of, heading_labels(drawing, caption)),
        "</svg>",
        _tag("svg", inner | {"y": _number(top), "height": _number(drawing.height)}),
        *map(_svg_of, drawing.marks),
        "</svg>",
        "</svg>\n",
    ]
    return "\n".join(lines).encode()


def _head(tag: str, attributes: dict[str, str], drawing: Drawing, name: str) -> list[str]:
    return [
        _tag(tag, attributes),
        f'<title id="{name}-title">{_text(drawing.title)}</title>',
        f'<desc id="{name}-desc">{_text(drawing.description)}</desc>',
    ]


def _tag(name: str, attributes: dict[str, str], end: str = ">") -> str:
    """Return an opening tag; `end` "/>": a whole element. The attributes are ours: names, colours, places."""
    return f"<{name} " + " ".join([f'{key}="{value}"' for key, value in attributes.items()]) + end


def _svg_of(mark: Mark) -> str:
    paint = {"class": mark.kind, "fill": LIGHT[mark.kind]}
    match mark:
        case DrawnBar(x, width, y, height):
            place = {"x": _percent(x), "width": _percent(width), "y": _number(y), "height": _number(height)}
            return _tag("rect", paint | place, "/>")
        case Line(x1, y1, x2, y2, kind, width_px):
            place = {"x1": _percent(x1), "y1": _number(y1), "x2": _percent(x2), "y2": _number(y2)}
            pen = {"class": kind, "stroke": LIGHT[kind], "stroke-width": _number(width_px)}
            return _tag("line", pen | place, "/>")
        case Dot(x, y, radius):
            return _tag("circle", paint | {"cx": _percent(x), "cy": _number(y), "r": _number(radius)}, "/>")
        case Label(x, y, text, anchor, _, whole):
            place = {"x": _percent(x), "y": _number(y), "text-anchor": anchor}
            halo = {"stroke": LIGHT["ground"], "stroke-width": f"{HALO_PX}", "paint-order": "stroke"}
            font = {"font-family": _FONT, "font-size": f"{FONT_PX}"} | halo
            more = f"<title>{_text(whole)}</title>" if whole not in ("", text) else ""
            return _tag("text", paint | place | font) + more + _text(text) + "</text>"


def _text(text: str) -> str:
    """Return a text as XML, without the characters that are not drawn."""
    return escape(_NOT_DRAWN.sub("", text))


def _number(value: float) -> str:
    """Return a coordinate, without digits that nobody sees."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _percent(value: float) -> str:
    return f"{value:.4f}".rstrip("0").rstrip(".") + "%"
