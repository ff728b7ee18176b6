"""People who are made up, for a comparison: as many of each answer as the shares that are expected say."""

from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sotto_estimator.channel.channel import Floats, Target
from sotto_estimator.inference.marginal import marginal_in
from sotto_protocol.questions.joint import Joint
from sotto_protocol.questions.question import Question
from sotto_rehearsal.simulation.answers import Answers, Choice, Numbers as SpreadNumbers, Options, Selections

Numbers = NDArray[np.int64]
_MOST_LEVELS = 2**12


@dataclass(frozen=True, slots=True)
class People:
    """Those who answer one question: `answers`, shape (k, ..), as mechanisms take them, and their `shares`, shape (k,).

    `adds`, shape (k, n_labels): what each adds to a label's share, 0 or 1; of numbers, the part of the range, to the
    mean.
    """

    shares: Floats
    answers: NDArray[Any]
    adds: Floats

    @staticmethod
    def assume(question: Question, share: float) -> "People":
        """Return people of whom `share` say yes; whose choices of k options are as k to k - 1 .. to 1.

        Of any-of each person selects one. Numbers are spread evenly over the range. Answers to questions that are asked
        together are independent.
        """
        if question.type == "yes-no":
            return People.of_answers(question, np.array([share, 1 - share]), np.array([1, 0]))
        if question.type == "number":
            n_levels = question.kind.n_options
            levels = np.linspace(0, n_levels - 1, min(n_levels, _MOST_LEVELS)).round().astype(np.int64)
            return People.of_answers(question, np.full(len(levels), 1 / len(levels)), levels)
        if isinstance(question.kind, Joint):
            items = [People.assume(marginal_in(question, item.id), share) for item in question.items]
            each = [of.by_value(size) for of, size in zip(items, question.kind.sizes, strict=True)]
            shares = np.asarray(reduce(np.multiply.outer, each)).ravel()
            return People.of_answers(question, shares, np.arange(len(shares)))
        n_options = len(question.options)
        shares = np.arange(n_options, 0, -1) * 2 / (n_options * (n_options + 1))
        takes_rows = question.mechanism.takes_rows
        answers = np.eye(n_options, dtype=np.int64) if takes_rows else np.arange(n_options)
        return People.of_answers(question, shares, answers)

    @staticmethod
    def of_truth(question: Question, truth: Answers) -> "People":
        """Return the people of a truth.toml, as `sotto simulate` has them; texts are not among them."""
        if isinstance(truth, Choice):
            return People.of_answers(question, truth.shares, truth.values)
        if isinstance(truth, SpreadNumbers):
            return People.of_answers(question, truth.shares, np.arange(len(truth.shares)))
        rows = _systematic(truth) if isinstance(truth, Options) else truth
        assert isinstance(rows, Selections)  # noqa: S101  # texts are left out
        return People.of_answers(question, rows.shares, rows.rows)

    @staticmethod
    def of_answers(question: Question, shares: Floats, answers: NDArray[Any]) -> "People":
        """Return people of whom these shares give these answers."""
        kept = shares > 0
        answers = answers[kept]
        if question.type == "number":
            adds = (answers / (question.kind.n_options - 1))[:, None]
        elif question.mechanism.takes_rows:
            adds = answers.astype(np.float64)
        elif question.type == "yes-no":
            adds = answers.astype(np.float64)[:, None]
        else:
            adds = (answers[:, None] == np.arange(len(question.options))).astype(np.float64)
        return People(shares[kept], answers, adds)

    def by_value(self, n_values: int) -> Floats:
        """Return the share of each value, 0 of those that nobody gives, shape (n_values,)."""
        return np.bincount(self.answers, self.shares, n_values).astype(np.float64)

    def draw(self, n: int, n_runs: int, target: Target, generator: np.random.Generator) -> Numbers:
        """Return how many of n people give each answer, shape (n_runs, k): in each run drawn anew from a population.

        Of respondents there is one crowd in all runs: the one that is nearest to the shares.
        """
        if target == "population":
            return np.asarray(generator.multinomial(n, self.shares, n_runs))
        counts = np.floor(n * self.shares).astype(np.int64)
        counts[np.argsort(counts - n * self.shares, kind="stable")[: n - counts.sum()]] += 1
        return np.tile(counts, (n_runs, 1))


def _systematic(options: Options) -> Selections:
    """Return the selections that one number drawn from [0, 1) makes (Madow 1949): they keep every option's share."""
    ends = np.concatenate([[0.0], np.cumsum(options.shares)])
    breaks = np.unique(np.concatenate([[0.0, 1.0], (-ends) % 1]))
    middles = (breaks[1:] + breaks[:-1]) / 2
    rows = (np.diff(np.floor(middles[:, None] + ends), axis=1) > 0).astype(np.int64)
    return Selections(options.labels, rows, np.diff(breaks))
