"""A picture of one run beside the truth: what an analyst would see, and what they would not."""

from functools import partial
from pathlib import Path

from matplotlib.axes import Axes

from sotto_estimator.results.glyphs import drawable
from sotto_estimator.results.panels import Bar, Panel, bar_panels, plot_panels
from sotto_rehearsal.simulation.answers import Floats
from sotto_rehearsal.simulation.render import caption
from sotto_rehearsal.simulation.summary import Row, Simulation

_MEAN_INCHES = 1.1
_TITLE = "the first run; a diamond is the truth"


def plot(simulation: Simulation, path: Path) -> None:
    """Draw the first run into a PNG, PDF or SVG file. Raises SourceError for other endings or an unwritable place."""
    first, questions = simulation.first, [of.question.id for of in simulation.task.truth.questions]
    bars, panels = [], []
    for row, found, true in zip(simulation.rows, first.found, first.true.tolist(), strict=True):
        if row.kind == "mean":
            panels.append(
                Panel(
                    _MEAN_INCHES,
                    partial(_draw_mean, row=row, ends=_ends(simulation, row.question), found=found, true=true),
                )
            )
            continue
        share, low, high, _ = found.tolist()
        label = f"{row.question}: {row.answer}"
        colour = f"C{questions.index(row.question) % 10}"
        is_found = share == share  # not NaN
        bars.append(
            Bar(label, share, low, high, colour, true, row.question)
            if is_found
            else Bar(f"{label} (none)", 0, 0, 0, colour, true, row.question)
        )
    title, of_shares = bar_panels(bars, f"{caption(simulation)}\n{_TITLE}")
    plot_panels(title, [*(of_shares if bars else []), *panels], path)


def _ends(simulation: Simulation, question: str) -> tuple[float, float]:
    """Return the least and the greatest number that may be answered."""
    (kind,) = [of.question.kind for of in simulation.task.truth.questions if of.question.id == question]
    return kind.ends


def _draw_mean(axes: Axes, row: Row, ends: tuple[float, float], found: Floats, true: float) -> None:
    mean, low, high, _ = found.tolist()
    axes.errorbar([(low + high) / 2], [0], xerr=[(high - low) / 2], fmt="none", ecolor="black", capsize=3)
    axes.plot([mean], [0], "o", color="C0")
    axes.plot([true], [0], "D", color="black", markersize=5)
    axes.set_yticks([0], [drawable(row.question)], parse_math=False)
    axes.set_xlim(*ends)
    axes.set_xlabel(drawable(f"mean ({row.unit})" if row.unit else "mean"), parse_math=False)
