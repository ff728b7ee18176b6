"""Curves of a plan: its points, and a picture of them."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure  # drawn without pyplot: no screen is needed, or looked for
from matplotlib.ticker import FuncFormatter, PercentFormatter

from sotto_estimator.errors import SourceError
from sotto_estimator.results.glyphs import drawable
from sotto_estimator.results.panels import check_format

Line = Sequence[tuple[float, float]]


def draw_curves(lines: Mapping[str, Line], axes: tuple[str, str], title: str, path: Path) -> None:
    """Draw lines of points (x, y), by name, into a PNG, PDF or SVG file: x on a logarithmic axis, y is a share.

    `axes`: what x and y are. Raises SourceError for other endings or an unwritable place.
    """
    check_format(path)
    figure = Figure(figsize=(8, 5), layout="constrained")
    plane = figure.subplots()
    for name, line in lines.items():
        plane.plot(*np.array(line).T, marker=".", label=drawable(name))
    plane.set_title(title, fontsize=8, loc="left", parse_math=False)
    plane.set_xscale("log")
    plane.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:,.10g}"))
    plane.yaxis.set_major_formatter(PercentFormatter(1))
    plane.set_xlabel(axes[0])
    plane.set_ylabel(axes[1])
    plane.set_ylim(bottom=0)
    plane.grid(alpha=0.3)
    plane.legend()
    try:
        figure.savefig(path, dpi=120)
    except OSError as fault:
        raise SourceError(f"plot ({path}) cannot be written: {fault.strerror}.") from fault
