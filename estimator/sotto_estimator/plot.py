"""A picture of estimates: a bar for every share, and its interval."""

from pathlib import Path

from matplotlib.figure import Figure  # drawn without pyplot: no screen is needed, or looked for

from sotto_estimator.errors import SourceError
from sotto_estimator.estimate import Estimates
from sotto_estimator.render import caption

_ROW_INCHES = 0.32
_FORMATS = (".png", ".pdf", ".svg")


def plot(estimates: Estimates, path: Path) -> None:
    """Draw the estimates into a PNG, PDF or SVG file. Raises SourceError for other endings or an unwritable place."""
    if path.suffix.lower() not in _FORMATS:
        raise SourceError(f"plot ({path.name}) must end in {', '.join(_FORMATS)}.")
    rows = estimates.rows
    figure = Figure(figsize=(8, 1.4 + _ROW_INCHES * len(rows)), layout="constrained")
    axes = figure.subplots()
    places = list(range(len(rows)))
    questions = list(dict.fromkeys(row.question for row in rows))
    colours = [f"C{questions.index(row.question) % 10}" for row in rows]
    axes.barh(places, [100 * max(row.share, 0) for row in rows], color=colours, alpha=0.45, height=0.7)
    middles = [50 * (row.low + row.high) for row in rows]
    halves = [50 * (row.high - row.low) for row in rows]
    axes.errorbar(middles, places, xerr=halves, fmt="none", ecolor="black", elinewidth=1.2, capsize=3)
    axes.set_yticks(places, [f"{row.question}: {row.answer}".removeprefix(": ") for row in rows])
    axes.invert_yaxis()
    axes.set_xlim(0, 100)
    axes.set_xlabel("share (%)")
    axes.set_title(caption(estimates), fontsize=8, loc="left")
    try:
        figure.savefig(path, dpi=120)
    except OSError as fault:
        raise SourceError(f"plot ({path}) cannot be written: {fault.strerror}.") from fault
