"""A picture of the bits of a field of Android's autofill."""

import numpy as np
from matplotlib.axes import Axes

from sotto_estimator.formats.autofill_texts import AutofillField
from sotto_estimator.results.glyphs import drawable
from sotto_estimator.results.panels import Panel

_INCHES = 1.8


def bits_panel(field: AutofillField) -> Panel:
    """Return a panel of the share of devices with a 1, bit by bit from byte 0, its least bit first."""

    def draw(axes: Axes) -> None:
        ends = 100 * np.array([(bit.low, bit.high) for bit in field.bits], float)
        middles, halves = ends.sum(axis=1) / 2, np.diff(ends, axis=1)[:, 0] / 2
        axes.errorbar(range(len(ends)), middles, yerr=halves, fmt="none", ecolor="C0", elinewidth=1)
        axes.set_xlim(-1, len(field.bits))
        axes.set_ylim(0, 100)
        axes.set_yticks([0, 50, 100])
        of_field = f" of {field.name}" if field.name else ""
        axes.set_xlabel(drawable(f"bit{of_field}: % of devices with a 1"), parse_math=False)

    return Panel(_INCHES, draw)
