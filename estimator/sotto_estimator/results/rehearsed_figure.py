"""What a rehearsal needs to know of a kind of figure: what it is of made-up people, what is planned, how it is judged.

A row of `FIGURES` names its `RehearsedFigure`, so simulations of a new kind need no other change.
"""

from collections.abc import Callable
from dataclasses import dataclass

from sotto_estimator.channel.channel import Floats
from sotto_estimator.errors import DomainError
from sotto_estimator.inference.registry import FIGURES, loaded
from sotto_estimator.intervals.intervals import IntervalOptions
from sotto_protocol import Question


@dataclass(frozen=True, slots=True)
class MadeUpAnswers:
    """Answers of made-up people to a question, of which all is known.

    `n_reports`, shape (n_labels,): how many reports each figure is of. `truth`, of the same shape: the figures, NaN
    where nobody was asked. `shares`: the share of a population that each answer is true of; of a number question, of
    every number from the least. `n_waves`: of how many pooled waves the reports are.
    """

    n_reports: Floats
    truth: Floats
    shares: Floats
    n_waves: int = 1


Widths = Callable[[Question, MadeUpAnswers, IntervalOptions, int], Floats]


@dataclass(frozen=True, slots=True, kw_only=True)
class RehearsedFigure:
    """A kind of figure, as a rehearsal knows it.

    `heading`: what a column of its answers is called. `answer`: the answer of a question's one figure, or what says it;
    "" if each answer has one. `truth(question, shares)`: the figures of people with such `MadeUpAnswers.shares`.
    `half_widths(question, answers, options, n_intervals)`: what is planned, shape (n_labels,); NaN for nothing.
    `interval(question, options, n_waves)`: how intervals are made, in words, if the options' method does not say it.
    `is_in_points`: whether figures are shares. `is_detected`: whether one is estimated only where it is found: then
    estimates that are rarely found are not judged. `is_guaranteed`: whether a guaranteed method guarantees its
    intervals. `note`: a line about all figures of the kind.
    """

    heading: str
    answer: str | Callable[[Question], str] = ""
    truth: Callable[[Question, Floats], Floats] = lambda _, shares: shares
    half_widths: Widths | None = None
    interval: Callable[[Question, IntervalOptions, int], str] = lambda *_: ""
    is_in_points: bool = True
    is_detected: bool = False
    is_guaranteed: bool = True
    note: str = ""

    def answer_of(self, question: Question) -> str:
        """Return the answer of a question's one figure; "" if each answer has one."""
        return self.answer if isinstance(self.answer, str) else self.answer(question)


def rehearsed_figure(kind: str) -> RehearsedFigure:
    """Return how a kind of figure is rehearsed. Raises DomainError where it is not."""
    figure: RehearsedFigure | None = loaded(FIGURES[kind].rehearsal)
    if figure is None:
        raise DomainError(f"figures of this kind ({kind}) cannot be simulated.")
    return figure
