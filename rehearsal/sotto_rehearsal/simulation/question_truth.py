"""What is true of one question's people: their answers, and what goes wrong with it."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from sotto_estimator.inference.registry import figure_of
from sotto_estimator.results.rehearsed_figure import RehearsedFigure, rehearsed_figure
from sotto_protocol import Question
from sotto_protocol.questions.yes_no import YesNo
from sotto_rehearsal.simulation.answers import Answers, Choice, Encoded, Floats


@dataclass(frozen=True)
class QuestionTruth:
    """What people answer to a question, and how it can go wrong.

    `later`: what they answer who think anew before a further wave. `at_random`: what they say who do not look at the
    truth. `desired`: the one answer, shape (1,) or (1, n_options), that people who do not tell the truth give instead;
    None where they say `lies`, or, where that is None, anything. `kind`: what is estimated, a row of `FIGURES`, "" for
    the usual of the question. `favoured`: the label that fakes are for, "" for their
    own. `leaving`: the probability that whom a label is true of sends no report.
    """

    question: Question
    answers: Answers
    later: Answers
    at_random: Answers
    desired: Encoded | None = None
    favoured: str = ""
    leaving: Mapping[str, float] | None = None
    lies: Answers | None = None
    kind: str = ""

    @property
    def figure_kind(self) -> str:
        """What is estimated of the answers, a row of `FIGURES`."""
        return self.kind or figure_of(self.question)

    @property
    def figure(self) -> RehearsedFigure:
        """What is estimated of the answers."""
        return rehearsed_figure(self.figure_kind)

    @property
    def labels(self) -> tuple[str, ...]:
        """The answers that have a figure each, or the one figure of the question."""
        answer = self.figure.answer_of(self.question)
        return (answer,) if answer else self.answers.labels

    def expected(self, wave: int, change: float) -> Floats:
        """Return `Answers.expected` of a population in a wave, of whom such a share thinks anew each time."""
        kept = (1 - change) ** (wave - 1)
        return kept * self.answers.expected + (1 - kept) * self.later.expected


def names_of(question: Question) -> tuple[str, ...]:
    """Return what the answers to a closed question are called."""
    return ("yes", "no") if isinstance(question.kind, YesNo) else question.labels


def choice(question: Question, shares: Mapping[str, float]) -> Choice:
    """Return answers to a closed question, by their shares; a name that is left out has none."""
    names = names_of(question)
    values = np.array([1, 0]) if isinstance(question.kind, YesNo) else np.arange(len(names))
    weights = np.array([shares.get(name, 0.0) for name in names])
    return Choice(names, values, weights / weights.sum(), question.labels)
