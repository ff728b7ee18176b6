"""The channel from a number's place to the output that is reported, as probabilities and as moments.

A number's place is 0 at the question's minimum and 1 at its maximum. It is rounded by chance to one of several levels,
whose mean place is the number's. An output is reported, which has a score whose mean is affine in the level. So the
mean score is offset + slope times the mean place, whatever the numbers are.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from sotto_estimator.channel.channel import Channel, Floats
from sotto_estimator.intervals.noise_means import concave_corners
from sotto_protocol.bounds import float_above
from sotto_protocol.mechanisms.levels import LevelResponse

_N_PIECES = 256
"""Between numbers of at least so many pieces of the range, noise is taken as linear."""


@dataclass(frozen=True, eq=False)
class NumberChannel:
    """`matrix`: P(output | level), shape (n_outputs, n_levels), two or more of each. `slope` is above 0.

    `scores`: of each output, in a unit of their own. `bias`: how far off the mean place may be, whatever the numbers.
    `repeated`: of two outputs, P(a report repeats the device's permanent response), in (1/2, 1]; else it is the other.
    """

    matrix: Floats
    offset: Fraction
    slope: Fraction
    scores: Sequence[int]
    bias: float = 0.0
    repeated: float = 1.0

    @staticmethod
    def of(mechanism: LevelResponse) -> "NumberChannel":
        """Return a mechanism's channel, of both stages together."""
        bias, repeated = float_above(mechanism.bias), float(mechanism.prob_repeated)
        return NumberChannel(mechanism.channel, *mechanism.mean_output, mechanism.scores, bias, repeated)

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
        """Whether there are two outputs, the higher one behind: then a mean is a share."""
        return self.n_outputs == 2 and self.scores[0] < self.scores[1]

    def as_share(self) -> Channel:
        """Return the channel of the share of the higher of two outputs, which is the mean place."""
        return Channel(float(self.matrix[1, -1]), float(self.matrix[1, 0]), self.repeated, 1 - self.repeated)

    @property
    def fresh_variance(self) -> float:
        """The variance of an output given the device's permanent response: 0 of one stage."""
        return self.repeated * (1 - self.repeated)

    def of_outputs(self) -> list[Channel]:
        """Return the probabilities of each output: the largest, and the least, of all levels.

        Of an output that is as likely at all levels, the largest and the least of all outputs: wider, and so no less
        true.
        """
        largest, least = self.matrix.max(axis=1), self.matrix.min(axis=1)
        is_even = largest == least
        ends = np.where(is_even, largest.max(), largest), np.where(is_even, least.min(), least)
        return [Channel(*each) for each in np.transpose(ends).tolist()]

    @cached_property
    def ends(self) -> tuple[int, int]:
        """The least score and the greatest."""
        return min(self.scores), max(self.scores)

    @cached_property
    def outputs(self) -> Floats:
        """What each output is worth: 0 that of the least score, 1 that of the greatest; shape (n_outputs,)."""
        low, high = self.ends
        return (np.array(self.scores, np.float64) - low) / (high - low)

    @property
    def stretch(self) -> float:
        """How much the place rises from the least output to the greatest."""
        return (self.ends[1] - self.ends[0]) / float(self.slope)

    @cached_property
    def deviations(self) -> tuple[float, float]:
        """About the least and the most standard deviation of what an output is worth, from 0 to 1.

        The least is that of people whose number is a level, the most that of a population half of which is at the
        minimum, half at the maximum.
        """
        outputs = self.outputs
        least = outputs**2 @ self.matrix - (outputs @ self.matrix) ** 2
        ends = self.matrix[:, [0, -1]].mean(axis=1)
        most = outputs**2 @ ends - (outputs @ ends) ** 2
        return float(np.sqrt(least.min())), float(np.sqrt(most))

    def most_noise(self, place: float) -> float:
        """Return about the largest mean variance of an output, given the number, of people whose mean place this is."""
        places = np.linspace(0, 1, 1 + (self.n_levels - 1) * -(-_N_PIECES // (self.n_levels - 1)))
        levels = np.linspace(0, 1, self.n_levels)
        moments = [np.interp(places, levels, self.outputs**power @ self.matrix) for power in (1, 2)]
        noise = moments[1] - moments[0] ** 2
        corners = concave_corners(places.tolist(), noise.tolist())
        return float(np.interp(place, places[corners], noise[corners]))

    def place_of(self, mean_output: Floats | float) -> Floats:
        """Return the mean place where outputs are worth so much on average, from 0 to 1; it may lie outside [0, 1]."""
        low = float((self.ends[0] - self.offset) / self.slope)
        place: Floats = low + np.asarray(mean_output, np.float64) * self.stretch
        return place
