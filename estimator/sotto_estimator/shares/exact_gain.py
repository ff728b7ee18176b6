"""What another method would do: by how much narrower Clopper and Pearson's intervals are, at the same guarantee."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from sotto_estimator.channel.channel import Channel
from sotto_estimator.errors import DomainError
from sotto_estimator.intervals.intervals import share_bounds
from sotto_estimator.shares.estimates import Estimate, Estimates

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
    n_intervals = len(estimates.main_figures) if options.simultaneous else 1

    def exact(row: Estimate) -> tuple[float, float]:
        low, high = share_bounds(
            row.support_count,
            row.n_reports,
            channels[row.question],
            level=options.level,
            method=EXACT,
            target=options.about,
            n_intervals=n_intervals,
            population_size=options.population_size,
        )
        return float(low), float(high)

    return with_gain_of(estimates, exact, [*channels])


def with_gain_of(
    estimates: Estimates, exact: Callable[[Estimate], tuple[float, float]], questions: Sequence[str] = ("",)
) -> Estimates:
    """Return the same by the exact ends of each row, of these questions. `exact` raises `DomainError` without any."""
    if estimates.options.method not in _BOUNDS or estimates.may_share_devices:
        return estimates
    widths = np.zeros(2)
    for question in questions:
        rows = [row for row in estimates.told_rows if row.question == question]
        for row in rows[:: 1 + len(rows) // _N_COMPARED]:
            try:
                low, high = np.clip(exact(row), 0, 1)
            except DomainError:  # more respondents than its tails are known for, or none are known
                return estimates
            widths += row.high - row.low, high - low
    gain = 1 - widths[1] / widths[0] if widths[0] else 0.0
    return replace(estimates, narrower_by=gain) if gain >= _LEAST else estimates
