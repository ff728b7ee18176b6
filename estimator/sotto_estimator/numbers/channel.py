"""The channel from a number's place to the output that is reported, as probabilities and as moments.

A number's place is 0 at the question's minimum and 1 at its maximum. It is rounded by chance to one of several levels,
whose mean place is the number's, and an output is reported whose mean is affine in the level. So the mean of outputs is
offset + slope times the mean place, whatever the numbers are.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from sotto_estimator.channel.channel import Channel, Floats
from sotto_protocol.coins import COIN_SCALE
from sotto_protocol.mechanisms.window import WindowResponse


@dataclass(frozen=True, eq=False)
class NumberChannel:
    """`matrix`: P(output | level), shape (n_outputs, n_levels), two or more of each. `slope` is above 0.

    `repeated`: of two outputs, P(a report repeats the device's permanent response), in (1/2, 1]; else it is the other.
    """

    matrix: Floats
    offset: Fraction
    slope: Fraction
    repeated: float = 1.0

    @staticmethod
    def of(mechanism: WindowResponse) -> "NumberChannel":
        """Return a mechanism's channel, of both stages together."""
        return NumberChannel(mechanism.channel, *mechanism.mean_output, mechanism.report_if_true / COIN_SCALE)

    @property
    def n_outputs(self) -> int:
        """How many outputs there are."""
        return len(self.matrix)

    @property
    def n_levels(self) -> int:
        """How many levels a number is rounded to."""
        return int(self.matrix.shape[1])

    @property
    def is_binary(self) -> bool:
        """Whether there are two outputs: then a mean is a share."""
        return self.n_outputs == 2

    def as_share(self) -> Channel:
        """Return the channel of the share of the higher of two outputs, which is the mean place."""
        return Channel(float(self.matrix[1, 1]), float(self.matrix[1, 0]), self.repeated, 1 - self.repeated)

    @property
    def fresh_variance(self) -> float:
        """The variance of an output given the device's permanent response: 0 of one stage."""
        return self.repeated * (1 - self.repeated)

    def of_output(self) -> Channel:
        """Return the probabilities of any one output: the largest, and the least, of all levels and outputs."""
        return Channel(float(self.matrix.max()), float(self.matrix.min()))

    @cached_property
    def deviations(self) -> tuple[float, float]:
        """About the least and the most standard deviation of an output.

        The least is that of people whose number is a level, the most that of a population half of which is at the
        minimum, half at the maximum.
        """
        outputs = np.arange(self.n_outputs)
        least = outputs**2 @ self.matrix - (outputs @ self.matrix) ** 2
        ends = self.matrix[:, [0, -1]].mean(axis=1)
        most = outputs**2 @ ends - (outputs @ ends) ** 2
        return float(np.sqrt(least.min())), float(np.sqrt(most))

    def place_of(self, mean_output: Floats | float) -> Floats:
        """Return the mean place where outputs have this mean; it may lie outside [0, 1]."""
        place: Floats = (np.asarray(mean_output, np.float64) - float(self.offset)) / float(self.slope)
        return place
