"""Fakes: how far made-up reports move an estimate, and what is still known of the honest ones beside them."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sotto_estimator.channel.channel import Channel, Floats, check_counts
from sotto_estimator.errors import DomainError
from sotto_estimator.intervals.intervals import ConfidenceInterval, confidence_interval

PERCENT = 0.01


def allow_for_fakes(
    support_counts: ArrayLike, n: int, n_fakes: int, channel: Channel, **options: Any
) -> ConfidenceInterval:
    """Return intervals for the honest reports' shares if at most `n_fakes` of n reports are fake, whatever they say.

    Fakes may know all honest reports. Suppose c reports support the value. Then between c - n_fakes and c of the n -
    n_fakes honest reports do. The intervals of both counts together hold all that honest reports alone would give. So a
    method that guarantees its level keeps its coverage. `options` are those of `confidence_interval`. Raises
    DomainError unless n_fakes is an integer in [0, n - 1].

    >>> low, high = allow_for_fakes(400, 1000, 10, Channel.forced_response(1 / 2, 1 / 2))
    >>> print(f"{low:.1%} to {high:.1%}")
    20.5% to 39.4%
    """
    if type(n_fakes) is not int or not 0 <= n_fakes < n:
        raise DomainError(f"n_fakes ({n_fakes!r}) must be an integer in [0, n - 1], with n = {n}.")
    counts = check_counts(support_counts, n)
    n_honest = n - n_fakes
    fewest = np.maximum(counts - n_fakes, 0).astype(np.int64)
    most = np.minimum(counts, n_honest).astype(np.int64)
    low = confidence_interval(fewest, n_honest, channel, **options).low
    return ConfidenceInterval(low, confidence_interval(most, n_honest, channel, **options).high)


def shift_per_percent(shares: Floats, channel: Channel) -> tuple[Floats, Floats]:
    """Return how far 1 % of fake reports moves estimates of these shares: all for a value (up), all against it (down).

    A share beta of fakes that support a value adds beta ((1 - other) / (true - other) - share) to its estimate, one of
    fakes that do not adds beta (-other / (true - other) - share).
    """
    other = channel.prob_support_if_other
    up = PERCENT * ((1 - other) / channel.contrast - shares)
    down = PERCENT * (-other / channel.contrast - shares)
    return np.maximum(up, 0.0), np.minimum(down, 0.0)  # beyond are rounding errors alone
