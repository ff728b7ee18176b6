"""What another method would do: by how much narrower Clopper and Pearson's intervals are, at the same guarantee."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from sotto_estimator.channel.channel import Channel
from sotto_estimator.errors import DomainError
from sotto_estimator.intervals.intervals import share_bounds
from sotto_estimator.shares.estimates import Estimates

EXACT = "clopper-pearson"
_BOUNDS = ("chernoff", "hoeffding")
"""The methods that guarantee as much, by a wider bound of the same tails."""
_LEAST = 0.05
"""A part of the width that is worth a line."""
_N_COMPARED = 8
"""So many rows of a question are compared, at most."""


def with_exact_gain(estimates: Estimates, channels: Mapping[str, Channel]) -> Estimates:
    """Return the estimates with the part by which Clopper and Pearson's intervals of their shares are narrower.

    `channels`: by the questions' ids. It is left out of pooled waves, where they may not be used, and of other methods
    than bounds; and where it is not worth a line.
    """
    options = estimates.options
    if options.method not in _BOUNDS or estimates.may_share_devices:
        return estimates
    n_intervals = len(estimates.main_figures) if options.simultaneous else 1
    widths = np.zeros(2)
    for question, channel in channels.items():
        rows = [row for row in estimates.told_rows if row.question == question]
        for row in rows[:: 1 + len(rows) // _N_COMPARED]:
            try:
                low, high = share_bounds(
                    row.support_count,
                    row.n_reports,
                    channel,
                    level=options.level,
                    method=EXACT,
                    target=options.about,
                    n_intervals=n_intervals,
                    population_size=options.population_size,
                )
            except DomainError:  # more respondents than its tails are known for
                return estimates
            widths += row.high - row.low, float(high.clip(0, 1) - low.clip(0, 1))
    gain = 1 - widths[1] / widths[0] if widths[0] else 0.0
    return replace(estimates, narrower_by=gain) if gain >= _LEAST else estimates
