"""How wide the interval of a mean will be, of numbers whose shares are known: by the histogram that is expected."""

import numpy as np

from sotto_estimator.channel.channel import Floats
from sotto_estimator.channel.devices import Devices
from sotto_estimator.intervals.intervals import IntervalOptions
from sotto_estimator.numbers.channel import NumberChannel
from sotto_estimator.numbers.mean import mean_bounds


def outputs_of(channel: NumberChannel, places: Floats) -> Floats:
    """Return P(output | number), shape (n_outputs, k): each is rounded to one of the two levels around it.

    `places`, shape (k,): where the numbers lie in the range, 0 to 1.
    """
    levels = np.arange(channel.n_levels)[:, None]
    return np.asarray(channel.matrix @ np.maximum(0, 1 - np.abs(levels - places * (channel.n_levels - 1))))


def mean_half_widths(
    n: Floats, probs: Floats, channel: NumberChannel, options: IntervalOptions, n_intervals: int = 1, n_waves: int = 1
) -> Floats:
    """Return half the width of the interval of n reports' mean, as a part of the range, shape of n.

    `probs`, shape (n_outputs,): how likely each output is of a report. `n_waves`: of how many pooled waves the reports
    are, each of another device. Domain: n >= 1.
    """
    low, high = mean_bounds(n[:, None] * probs, channel, Devices.alike(1, 1), options, n_intervals, n_waves)
    return np.asarray((high - low) / 2)
