"""The mean of numbers, as a part of their range."""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from sotto_estimator.channel.channel import Floats, Target
from sotto_estimator.inference.registry import find
from sotto_estimator.numbers.channel import NumberChannel
from sotto_estimator.planning.number_widths import mean_half_widths, outputs_of
from sotto_estimator.planning.widths import smallest_n
from sotto_rehearsal.comparison.people import Numbers
from sotto_rehearsal.comparison.subject import Subject

_MOST_LEVELS = 64  # of numbers in the clear, as an interval of their mean reads them
_BLUR = 1e-3  # of those that are any level instead: intervals of means need some noise


@dataclass(frozen=True)
class MeanSubject(Subject):
    """A question that asks for a number."""

    what = "mean"
    is_in_points = False

    @cached_property
    def channel(self) -> NumberChannel:
        """What a device's report goes through."""
        channel: NumberChannel = find(self.question, "channel")(self.question.mechanism)
        return channel

    @property
    def span(self) -> int:
        """Steps of a number."""
        return self.question.kind.n_options - 1

    def local_deviation(self, target: Target) -> float:
        channel = self.channel
        probs, outputs, shares = self._outputs(channel), channel.outputs, self.people.shares
        squares = float(outputs**2 @ probs @ shares)
        means = outputs @ probs
        explained = (means @ shares) ** 2 if target == "population" else means**2 @ shares
        return math.sqrt((squares - float(explained)) / self.n) * channel.stretch

    def local_half_width(self) -> float:
        return self._half_width(self.channel, 1)

    def estimates(self, support: Numbers) -> Floats:
        return np.array([self.channel.place_of(support @ self.channel.outputs / self.n)])

    def _clear_deviation(self) -> float:
        return float(np.sqrt(self.people.shares @ (self._places - self.value) ** 2 / self.n))

    def _clear_half_width(self, n_intervals: int) -> float:
        return self._half_width(_nearly_clear(min(self.span + 1, _MOST_LEVELS)), n_intervals)

    def _devices_needed(self, wanted: float) -> int:
        return smallest_n(lambda n: self._half_widths(n, self.channel), wanted, 0)

    @property
    def _places(self) -> Floats:
        return self.people.adds[:, 0]

    def _outputs(self, channel: NumberChannel) -> Floats:
        return outputs_of(channel, self._places)

    def _half_width(self, channel: NumberChannel, n_intervals: int) -> float:
        return float(self._half_widths(np.array([float(self.n)]), channel, n_intervals)[0])

    def _half_widths(self, n: Floats, channel: NumberChannel, n_intervals: int = 1) -> Floats:
        probs = self._outputs(channel) @ self.people.shares
        return mean_half_widths(n, probs, channel, self.options, n_intervals)


def _nearly_clear(n_levels: int) -> NumberChannel:
    blur = Fraction(_BLUR)
    matrix = (1 - _BLUR) * np.eye(n_levels) + _BLUR / n_levels
    return NumberChannel(matrix, blur * (n_levels - 1) / 2, (1 - blur) * (n_levels - 1), range(n_levels))
