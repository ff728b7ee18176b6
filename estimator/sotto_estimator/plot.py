"""A picture of estimates: a bar for every share and its interval; a point for every mean, on an axis of its own."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from matplotlib import font_manager
from matplotlib.axes import Axes
from matplotlib.figure import Figure  # drawn without pyplot: no screen is needed, or looked for

from sotto_estimator.errors import SourceError
from sotto_estimator.estimate import Estimates
from sotto_estimator.numbers.mean import MeanEstimate
from sotto_estimator.numbers.render import interval_remarks
from sotto_estimator.render import caption

MAX_BARS = 200
"""More, in a picture that is drawn of many strings, are too high for some programs that show it."""
_ROW_INCHES = 0.32
_MEAN_INCHES = 0.9
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
    title = "\n".join([caption(estimates), *interval_remarks(estimates.means)])
    draw_bars(bars, title, path, means=estimates.means)


def draw_bars(
    bars: Sequence[Bar], title: str, path: Path, max_percent: float = 100, means: Sequence[MeanEstimate] = ()
) -> None:
    """Draw bars with their intervals, from top to bottom, on an axis that ends at max_percent; means below them.

    Raises as `plot`.
    """
    check_format(path)
    heights = [0.7 + _ROW_INCHES * len(bars)] * bool(bars or not means) + [_MEAN_INCHES] * len(means)
    figure = Figure(figsize=(8, 0.7 + sum(heights)), layout="constrained")
    places = figure.subplots(len(heights), squeeze=False, height_ratios=heights)[:, 0].tolist()
    places[0].set_title(title, fontsize=8, loc="left", parse_math=False)
    for axes, mean in zip(reversed(places), reversed(means), strict=False):
        _draw_mean(axes, mean)
    if len(places) > len(means):
        _draw_shares(places[0], bars, max_percent)
    try:
        figure.savefig(path, dpi=120)
    except OSError as fault:
        raise SourceError(f"plot ({path}) cannot be written: {fault.strerror}.") from fault


def _draw_mean(axes: Axes, mean: MeanEstimate) -> None:
    middle, half = (mean.low + mean.high) / 2, (mean.high - mean.low) / 2
    axes.errorbar([middle], [0], xerr=[half], fmt="none", ecolor="black", elinewidth=1.2, capsize=3)
    axes.plot([mean.mean], [0], "o", color="C0")
    axes.set_yticks([0], [drawable(mean.question)], parse_math=False)
    axes.set_xlim(mean.minimum, mean.maximum)
    axes.set_xlabel(drawable(f"mean ({mean.unit})" if mean.unit else "mean"), parse_math=False)


def _draw_shares(axes: Axes, bars: Sequence[Bar], max_percent: float) -> None:
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
