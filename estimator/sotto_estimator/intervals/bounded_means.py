"""Hoeffding's interval (1963, theorem 2) of the mean of bounded outputs: wide, with a width that is known before."""

import numpy as np

from sotto_estimator.channel.channel import Floats
from sotto_estimator.channel.devices import Devices
from sotto_estimator.intervals.binomial import Bounds, hoeffding_half_width


def hoeffding_means(counts: Floats, deviations: tuple[float, float], tail: float, devices: Devices) -> Bounds:
    """Return the ends of the mean output, shape (rows,); they may lie outside [0, n_outputs - 1]."""
    n, most = counts.sum(axis=1), counts.shape[1] - 1
    mean = counts @ np.arange(most + 1) / n
    half_width = most * hoeffding_half_width(n / devices.effect, tail)
    return mean - half_width, mean + half_width
