"""A picture of estimates: a bar for every share, and its interval."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from matplotlib import font_manager
from matplotlib.figure import Figure  # drawn without pyplot: no screen is needed, or looked for

from sotto_estimator.errors import SourceError
from sotto_estimator.estimate import Estimates
from sotto_estimator.render import caption

MAX_BARS = 200
"""More, in a picture that is drawn of many strings, are too high for some programs that show it."""
_ROW_INCHES = 0.32
_FORMATS = (".png", ".pdf", ".svg")


@dataclass(frozen=True, slots=True)
class Bar:
    """A labelled share with its interval, all in [0, 1] but the share, which may lie outside."""

    label: str
    share: float
    low: float
    high: float
    colour: str = "C0"


def plot(estimates: Estimates, path: Path) -> None:
    """Draw the estimates into a PNG, PDF or SVG file. Raises SourceError for other endings or an unwritable place."""
    questions = list(dict.fromkeys(row.question for row in estimates.rows))
    bars = [
        Bar(
            f"{row.question}: {row.answer}".removeprefix(": "),
            row.share,
            row.low,
            row.high,
            f"C{questions.index(row.question) % 10}",
        )
        for row in estimates.rows
    ]
    draw_bars(bars, caption(estimates), path)


def draw_bars(bars: Sequence[Bar], title: str, path: Path, max_percent: float = 100) -> None:
    """Draw bars with their intervals, from top to bottom, on an axis that ends at max_percent. Raises as `plot`."""
    check_format(path)
    figure = Figure(figsize=(8, 1.4 + _ROW_INCHES * len(bars)), layout="constrained")
    axes = figure.subplots()
    places = list(range(len(bars)))
    colours = [bar.colour for bar in bars]
    axes.barh(places, [100 * max(bar.share, 0) for bar in bars], color=colours, alpha=0.45, height=0.7)
    middles = [50 * (bar.low + bar.high) for bar in bars]
    halves = [50 * (bar.high - bar.low) for bar in bars]
    axes.errorbar(middles, places, xerr=halves, fmt="none", ecolor="black", elinewidth=1.2, capsize=3)
    axes.set_yticks(places, [drawable(bar.label) for bar in bars], parse_math=False)
    axes.invert_yaxis()
    axes.set_xlim(0, max_percent)
    axes.set_xlabel("share (%)")
    axes.set_title(title, fontsize=8, loc="left", parse_math=False)
    try:
        figure.savefig(path, dpi=120)
    except OSError as fault:
        raise SourceError(f"plot ({path}) cannot be written: {fault.strerror}.") from fault


def check_format(path: Path) -> None:
    """Raise SourceError unless a plot can be written under this name."""
    if path.suffix.lower() not in _FORMATS:
        raise SourceError(f"plot ({path.name}) must end in {', '.join(_FORMATS)}.")


def drawable(label: str) -> str:
    """Return the label with characters that the font lacks, emoji mostly, by their names."""
    font = font_manager.get_font(font_manager.findfont(font_manager.FontProperties()))
    drawn = ""
    for character in label:
        if font.get_char_index(ord(character)):
            drawn += character
        elif unicodedata.category(character) not in ("Cf", "Mn"):  # joiners, and marks that choose a picture
            name = unicodedata.name(character, f"U+{ord(character):X}").lower()
            drawn += f" {name}" if drawn else name
    return drawn
