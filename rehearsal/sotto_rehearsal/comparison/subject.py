"""What is compared of one question: the share of one answer, or the mean of numbers, and who knows it how well."""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sotto_estimator.channel.channel import Channel, Floats, Target, shares_of
from sotto_estimator.errors import DomainError
from sotto_estimator.inference.registry import channel_of, figure_of, find
from sotto_estimator.intervals.intervals import IntervalOptions, check_level
from sotto_estimator.numbers.channel import NumberChannel
from sotto_estimator.planning.number_widths import mean_half_widths, outputs_of
from sotto_estimator.planning.options import PlanOptions
from sotto_estimator.planning.widths import NO_PRIVACY, half_width, respondents_needed, smallest_n, standard_deviation
from sotto_protocol.questions.question import Question
from sotto_rehearsal.comparison.people import Numbers, People

_MOST_LEVELS = 64  # of numbers in the clear, as an interval of their mean reads them
_BLUR = 1e-3  # of those that are any level instead: intervals of means need some noise


@dataclass(frozen=True)
class Subject:
    """A question that `n` people answer, and those people. Shares are fractions, means parts of the range, 0 to 1."""

    question: Question
    people: People
    n: int
    options: IntervalOptions

    @cached_property
    def truth(self) -> Floats:
        """What is true of a population: the share of each label, or the mean alone."""
        return self.people.shares @ self.people.adds

    @cached_property
    def label(self) -> int:
        """Which is to be known: yes, the most common option, or the mean."""
        return int(self.truth.argmax())

    @property
    def value(self) -> float:
        """What is to be known of a population."""
        return float(self.truth[self.label])

    def of_people(self, counts: Numbers) -> Floats:
        """Return the same of people who give each answer so often, shape (.., k)."""
        return np.asarray(counts @ self.people.adds[:, self.label] / self.n)

    def count_labels(self, counts: Numbers) -> Numbers:
        """Return how many people each label is true of, shape (.., n_labels)."""
        return np.asarray(counts @ self.people.adds.astype(np.int64))

    @property
    def is_number(self) -> bool:
        """Whether it is a mean."""
        return figure_of(self.question) == "mean"

    @property
    def about_respondents(self) -> bool:
        """Whether intervals are about these people: then it does not matter whom they stand for."""
        return self.options.about == "respondents"

    @property
    def has_names(self) -> bool:
        """Whether there are options of which one is the most common."""
        return len(self.question.labels) > 1

    @property
    def is_right(self) -> NDArray[np.bool_]:
        """Which options are the most common, shape (n_labels,); a rounding error makes no difference."""
        return np.asarray(self.truth > self.truth.max() - 1e-12)

    @property
    def size(self) -> float:
        """The unit of deviations and widths: a share is 1, numbers have a range."""
        low, high = self.question.kind.ends
        return high - low

    @property
    def span(self) -> int:
        """How many counts a person adds at most: steps of a number, or one."""
        return self.question.kind.n_options - 1 if self.is_number else 1

    @property
    def n_asked(self) -> int:
        """How many devices report on the one answer: of asked-option one in as many as there are options."""
        mechanism = self.question.mechanism
        return max(1, self.n // mechanism.n_values) if mechanism.has_cohorts else self.n

    @cached_property
    def sampling_deviation(self) -> float:
        """The standard deviation of what people say in the clear of a population; of themselves 0."""
        if self.about_respondents:
            return 0.0
        if self.is_number:
            return float(np.sqrt(self.people.shares @ (self._places - self.value) ** 2 / self.n))
        return standard_deviation(self.n, NO_PRIVACY, share=self.value)

    def local_deviation(self, target: Target) -> float:
        """Return the standard deviation by devices' reports: about a population, or these respondents."""
        if self.is_number:
            return self._mean_deviation(self.number_channel, target)
        return standard_deviation(self.n_asked, self.channel, share=self.value, target=target)

    def local_half_width(self) -> float:
        """Return half the width of the interval by devices' reports."""
        if self.is_number:
            return self._mean_half_width(self.number_channel, 1)
        level, method, target = self.options.level, self.options.method, self.options.about
        return half_width(
            self.n_asked, self.channel, options=PlanOptions(level=level, method=method, target=target, share=self.value)
        )

    def devices_needed(self, wanted: float) -> int | None:
        """Return how many respondents' reports give this half-width; None where no crowd does."""
        if not wanted > 0:
            return None
        try:
            return self._devices_needed(wanted)
        except DomainError:
            return None

    def _devices_needed(self, wanted: float) -> int:
        mechanism, options = self.question.mechanism, self.options
        if self.is_number:
            return smallest_n(lambda n: self._mean_half_widths(n, self.number_channel), wanted, 0)
        method, target = options.method, options.about
        n = respondents_needed(
            wanted,
            self.channel,
            options=PlanOptions(level=options.level, method=method, target=target, share=self.value),
        )
        return n * (mechanism.n_values if mechanism.has_cohorts else 1)

    def clear_half_width(self, n_intervals: int = 1) -> float:
        """Return the same in the clear: about the respondents, nothing is uncertain."""
        if self.about_respondents:
            return 0.0
        if self.is_number:
            return self._mean_half_width(_nearly_clear(min(self.span + 1, _MOST_LEVELS)), n_intervals)
        level, method = self.options.level, self.options.method
        return half_width(
            self.n,
            NO_PRIVACY,
            options=PlanOptions(level=level, method=method, share=self.value),
            n_intervals=n_intervals,
        )

    @property
    def beta(self) -> float:
        """What an interval may miss by."""
        return check_level(self.options.level)

    @cached_property
    def channel(self) -> Channel:
        """What a device's report of shares goes through."""
        return channel_of(self.question)

    @cached_property
    def number_channel(self) -> NumberChannel:
        """What a device's report of a number goes through."""
        channel: NumberChannel = find(self.question, "channel")(self.question.mechanism)
        return channel

    def estimates(self, support: Numbers) -> Floats:
        """Return the estimated shares of all values, or the mean alone, by the support counts of n reports."""
        if self.is_number:
            offset, slope = float(self.number_channel.offset), float(self.number_channel.slope)
            return np.array([(support @ np.arange(len(support)) / self.n - offset) / slope])
        if self.question.mechanism.has_cohorts:
            return shares_of(support[:, 1], np.maximum(support[:, 0], 1), self.channel)
        return shares_of(support, self.n, self.channel)

    @property
    def _places(self) -> Floats:
        return self.people.adds[:, 0]

    def _outputs(self, channel: NumberChannel) -> Floats:
        return outputs_of(channel, self._places)

    def _mean_deviation(self, channel: NumberChannel, target: Target) -> float:
        probs, outputs, shares = self._outputs(channel), np.arange(channel.n_outputs), self.people.shares
        squares = float(outputs**2 @ probs @ shares)
        means = outputs @ probs
        explained = (means @ shares) ** 2 if target == "population" else means**2 @ shares
        return math.sqrt((squares - float(explained)) / self.n) / float(channel.slope)

    def _mean_half_width(self, channel: NumberChannel, n_intervals: int) -> float:
        return float(self._mean_half_widths(np.array([float(self.n)]), channel, n_intervals)[0])

    def _mean_half_widths(self, n: Floats, channel: NumberChannel, n_intervals: int = 1) -> Floats:
        probs = self._outputs(channel) @ self.people.shares
        return mean_half_widths(n, probs, channel, self.options, n_intervals)


def _nearly_clear(n_levels: int) -> NumberChannel:
    blur = Fraction(_BLUR)
    matrix = (1 - _BLUR) * np.eye(n_levels) + _BLUR / n_levels
    return NumberChannel(matrix, blur * (n_levels - 1) / 2, (1 - blur) * (n_levels - 1))
