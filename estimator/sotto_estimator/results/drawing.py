"""A drawing: marks whose places across are in per cent, so that it is as wide as the page without its text growing."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal
from unicodedata import east_asian_width

Anchor = Literal["start", "middle", "end"]
WIDTH_PX = 720
"""Of a drawing that is downloaded; one in a page is as wide as there is room."""
MARGIN_PX = 16
LINE_PX = 18
FONT_PX = 13
HALO_PX = 4
"""So wide is the ground's colour round a text: lines that pass behind it do not cross it."""
_HUES = ("#5f8fc9", "#d98a3d", "#5aa469", "#c8605f", "#8f74b5", "#8d6b5e", "#cf7fb4", "#7f7f7f", "#a9a93f", "#4fa9b5")
LIGHT = {
    "bar": "#5f8fc9",
    "whisker": "#17181a",
    "dot": "#17181a",
    "link": "#3f6ea8",
    "grid": "#c9ccd1",
    "zero": "#6b7076",
    "text": "#17181a",
    "faint": "#555a60",
    "ground": "#ffffff",
    **{f"{kind}{number}": hue for kind in ("bar", "line") for number, hue in enumerate(_HUES)},
}
"""Colours by the kind of a mark, of a drawing on white; a page's style may give other ones by its class."""


@dataclass(frozen=True, slots=True)
class DrawnBar:
    """A rectangle: `x` and `width` in per cent across, `y` and `height` in pixels down."""

    x: float
    width: float
    y: float
    height: float
    kind: str = "bar"


@dataclass(frozen=True, slots=True)
class Line:
    """From one place to another: `x` in per cent, `y` in pixels."""

    x1: float
    y1: float
    x2: float
    y2: float
    kind: str
    width_px: float = 1.5


@dataclass(frozen=True, slots=True)
class Dot:
    """A disc: `x` in per cent, `y` and the radius in pixels."""

    x: float
    y: float
    radius: float
    kind: str = "dot"


@dataclass(frozen=True, slots=True)
class Label:
    """A line of text whose baseline is at `y`; `whole` is what was shortened to it."""

    x: float
    y: float
    text: str
    anchor: Anchor = "start"
    kind: str = "text"
    whole: str = ""


Mark = DrawnBar | Line | Dot | Label


@dataclass(frozen=True, slots=True)
class Drawing:
    """Marks, from the hindmost, on a ground `height` pixels high. `title` and `description`: for who cannot see it."""

    title: str
    description: str
    height: float
    marks: tuple[Mark, ...]


def head_px(caption: Sequence[str]) -> float:
    """Return how high the title and the caption of a drawing that is downloaded are."""
    return MARGIN_PX + LINE_PX * (1 + len(caption)) + LINE_PX / 2


def heading_labels(drawing: Drawing, caption: Sequence[str]) -> list[Label]:
    """Return the title and the caption of a drawing that is downloaded, as marks of their own."""
    first = Label(0, MARGIN_PX + FONT_PX, shorten(drawing.title, 90), whole=drawing.title)
    return [
        first,
        *[Label(0, MARGIN_PX + FONT_PX + LINE_PX * row, text, kind="faint") for row, text in enumerate(caption, 1)],
    ]


def shorten(text: str, n_columns: int) -> str:
    """Return as much of a text as goes into so many columns, of which a wide character takes two.

    >>> shorten("leftovers of yesterday", 12), shorten("昨日の残り物", 8)
    ('leftovers o…', '昨日の…')
    """
    widths = [2 if east_asian_width(character) in "WF" else 1 for character in text]
    if sum(widths) <= n_columns:
        return text
    room, n_kept = n_columns - 1, 0
    for width in widths:
        room -= width
        if room < 0:
            break
        n_kept += 1
    return text[:n_kept] + "…"
