"""Widths of intervals of five pooled waves, against those that allow for any dependence: no speed."""

from decimal import Decimal

from bars import Bar, of_pairs

from sotto_estimator.channel.channel import Channel
from sotto_estimator.inference.registry import channel_of
from sotto_estimator.intervals.intervals import confidence_interval
from sotto_protocol import compile_survey

N_WAVES = 5
LEAST = 1.4
CASES = (("1", "2", 0.2, 500), ("1", "4", 0.2, 500), ("1", "8", 0.2, 500), ("0.5", "8", 0.2, 500), ("1", "2", 0.5, 100))
"""Epsilon of a report and of all of them, the true share, and devices, each of which answers in every wave."""


def channel_in_waves(epsilon: str, forever: str) -> Channel:
    """Return the channel of a yes-no question by basic RAPPOR of these epsilons."""
    asked = {"epsilon": Decimal(epsilon), "epsilon_forever": Decimal(forever), "mechanism": "basic-rappor"}
    question = {"id": "q", "type": "yes-no", "text": "?"} | asked
    return channel_of(compile_survey({"id": "b", "title": "B", "waves": N_WAVES, "questions": [question]}).questions[0])


def half_width(channel: Channel, share: float, n_devices: int) -> float:
    """Return half the width of the interval of the expected count about the population, in percentage points."""
    n = N_WAVES * n_devices
    low, high = confidence_interval(round(n * channel.reported_share(share)), n, channel, n_waves=N_WAVES)
    return float(high - low) * 50


def measure() -> list[Bar]:
    """Return a bar a case: by the two stages, and by any dependence of a device's reports."""
    bars = []
    for epsilon, forever, share, n_devices in CASES:
        channel = channel_in_waves(epsilon, forever)
        any_dependence = Channel(channel.prob_support_if_true, channel.prob_support_if_other)
        widths = half_width(channel, share, n_devices), half_width(any_dependence, share, n_devices)
        name = f"5 waves, epsilon {epsilon}, {forever} for ever, share {share}, {n_devices} devices"
        bars.append(of_pairs(name, [widths], least=LEAST, reference="half-width of one stage", unit="points"))
    return bars
