"""What one question will show of so many answers: how wide its interval, and what cannot be told from nothing.

All of it is from the functions that estimates are made with: a plan and the estimate after it differ by chance alone.
"""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from scipy.special import ndtri

from sotto_estimator.channel.channel import Target
from sotto_estimator.inference.registry import find
from sotto_estimator.planning.options import PlanOptions
from sotto_estimator.strings.plan import POWER
from sotto_protocol import Question


@dataclass(frozen=True, slots=True)
class Precision:
    """What a question shows; shares as fractions, a number's figures in its unit. None: not to be had at all.

    `half_width`: None of a text question, which has no interval before it is decoded. `smallest_share`: the smallest
    that is told from none with probability `POWER`, its interval lying above 0, or its string detected; None of
    numbers. `smallest_difference`: between two groups of half the answers each, told apart with about `POWER` by two
    intervals that hold together and do not meet; None of text.
    """

    target: Target
    is_together: bool
    half_width: float | None
    smallest_share: float | None
    smallest_difference: float | None


@dataclass(frozen=True, slots=True)
class FigureOutlook(ABC):
    """What one question will show, by the kind of figure that is estimated of it."""

    question: Question
    is_in_points: ClassVar[bool] = True
    """Whether widths are of shares."""

    @abstractmethod
    def width(self, n: int, options: PlanOptions, target: Target, n_intervals: int = 1) -> float:
        """Return the half-width of n answers' interval; of a text question the smallest share that is detected."""

    def width_of_waves(self, n: int, options: PlanOptions, n_waves: int) -> float:
        """Return that of so many waves pooled, in each of which the same people give n answers; by default of one.

        About the population, and whatever they answer when.
        """
        return self.width(n, options, "population")

    def width_of_others(self, n: int, options: PlanOptions, target: Target, n_waves: int) -> float:
        """Return that of n answers in so many waves pooled, each answer of another device; by default of one wave."""
        return self.width(n, options, target)

    def of_least_noise(self) -> float | None:
        """Return the variance of a report's noise over the least of all mechanisms of the epsilon, where known."""
        return None

    @abstractmethod
    def answers_needed(self, want: float, options: PlanOptions) -> int:
        """Return the fewest answers that give a width. Raises `DomainError` where 10^12 do not."""

    def precision(self, n: int, options: PlanOptions, target: Target, n_intervals: int, is_together: bool) -> Precision:
        """Return what n answers show, if `n_intervals` are to hold together. `n` >= 1."""
        width = self.width(n, options, target, n_intervals)
        least = self.smallest_share(n, options, target, n_intervals)
        return Precision(target, is_together, width, least, self._told_apart(n // 2, options, target, 2 * n_intervals))

    def smallest_share(self, n: int, options: PlanOptions, target: Target, n_intervals: int) -> float | None:
        """Return the smallest share that is told from none; None where there is none."""
        return None

    def error(self, n: int, options: PlanOptions, target: Target) -> float:
        """Return the standard error of n answers' estimate."""
        raise NotImplementedError

    def widest(self, options: PlanOptions) -> PlanOptions:
        """Return where intervals are widest."""
        return options

    def _told_apart(self, n: int, options: PlanOptions, target: Target, n_intervals: int) -> float | None:
        """Return the smallest difference of two groups of n answers that their intervals show, about `POWER` times.

        The intervals are as wide as planned, and their middles' difference is normal.
        """
        if n < 1:
            return None
        options = self.widest(options)
        error = self.error(n, options, target)
        difference = 2 * self.width(n, options, target, n_intervals) + float(ndtri(POWER)) * math.sqrt(2) * error
        return difference if difference <= size_of(self.question) else None


def outlook_of(question: Question) -> FigureOutlook:
    """Return how a question is planned. Raises SourceError for a mechanism of no kind."""
    outlook: FigureOutlook = find(question, "plan")(question, question.mechanism)
    return outlook


def width_of(
    question: Question, n: int, options: PlanOptions, target: Target | None = None, n_intervals: int = 1
) -> float:
    """Return `FigureOutlook.width` of a question; `target`: that of the options, where none is given."""
    return outlook_of(question).width(n, options, target or options.about, n_intervals)


def size_of(question: Question) -> float:
    """Return all there is to learn: 1 of shares, a number's range in its unit."""
    return 2 * float(question.kind.most_wanted)
