"""What is compared of one question: a figure, the people that it is of, and who knows it how well."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sotto_estimator.channel.channel import Floats, Target
from sotto_estimator.errors import DomainError
from sotto_estimator.intervals.intervals import IntervalOptions, check_level
from sotto_protocol.coins import Coins
from sotto_protocol.questions.question import Question
from sotto_rehearsal.comparison.people import Numbers, People


@dataclass(frozen=True)
class Subject(ABC):
    """A question that `n` people answer, and those people. Shares are fractions, means parts of the range, 0 to 1.

    `what`: what the figure is called. `is_in_points`: whether it is a share.
    """

    what: ClassVar[str]
    is_in_points: ClassVar[bool]

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
        """How many counts a person adds at most."""
        return 1

    @property
    def n_asked(self) -> int:
        """How many devices report on the one answer: of asked-option a part."""
        return max(1, int(self.n / self.question.mechanism.one_in))

    @property
    def beta(self) -> float:
        """What an interval may miss by."""
        return check_level(self.options.level)

    @property
    def sampling_deviation(self) -> float:
        """The standard deviation of what people say in the clear of a population; of themselves 0."""
        return 0.0 if self.about_respondents else self._clear_deviation()

    def clear_half_width(self, n_intervals: int = 1) -> float:
        """Return half the width of the interval in the clear: about the respondents, nothing is uncertain."""
        return 0.0 if self.about_respondents else self._clear_half_width(n_intervals)

    def devices_needed(self, wanted: float) -> int | None:
        """Return how many respondents' reports give this half-width; None where no crowd does."""
        if not wanted > 0:
            return None
        try:
            return self._devices_needed(wanted)
        except DomainError:
            return None

    def reported(self, answers: NDArray[Any], coins: Coins) -> Floats:
        """Return the estimates by the reports of devices that have these answers."""
        mechanism = self.question.mechanism
        return self.estimates(mechanism.count_support(mechanism.perturb(answers, coins)))

    @abstractmethod
    def local_deviation(self, target: Target) -> float:
        """Return the standard deviation by devices' reports: about a population, or these respondents."""

    @abstractmethod
    def local_half_width(self) -> float:
        """Return half the width of the interval by devices' reports."""

    @abstractmethod
    def estimates(self, support: Numbers) -> Floats:
        """Return the estimated shares of all values, or the mean alone, by the support counts of n reports."""

    @abstractmethod
    def _clear_deviation(self) -> float: ...

    @abstractmethod
    def _clear_half_width(self, n_intervals: int) -> float: ...

    @abstractmethod
    def _devices_needed(self, wanted: float) -> int: ...
