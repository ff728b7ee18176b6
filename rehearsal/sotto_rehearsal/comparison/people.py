"""People who are made up, for a comparison: as many of each answer as the shares that are expected say."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sotto_estimator.channel import Floats, Target
from sotto_protocol.questions.question import Question

Numbers = NDArray[np.int64]
_MOST_LEVELS = 2**12


@dataclass(frozen=True, slots=True)
class People:
    """Those who answer one question: the `shares` of its answers, shape (k,), and what an answer is, shape (k, ..)."""

    shares: Floats
    answers: NDArray[Any]

    @staticmethod
    def of(question: Question, share: float) -> "People":
        """Return people of whom `share` say yes; whose choices of k options are as k to k - 1 .. to 1.

        Of any-of each person selects one. Numbers are spread evenly over the range.
        """
        if question.type == "yes-no":
            return People(np.array([share, 1 - share]), np.array([1, 0]))
        n_answers = question.kind.n_options if question.type == "number" else len(question.options)
        if question.type == "number":
            levels = np.linspace(0, n_answers - 1, min(n_answers, _MOST_LEVELS)).round().astype(np.int64)
            return People(np.full(len(levels), 1 / len(levels)), levels)
        shares = np.arange(n_answers, 0, -1) * 2 / (n_answers * (n_answers + 1))
        takes_rows = question.mechanism.takes_rows
        return People(shares, np.eye(n_answers, dtype=np.int64) if takes_rows else np.arange(n_answers))

    def draw(self, n: int, n_runs: int, target: Target, generator: np.random.Generator) -> Numbers:
        """Return how many of n people give each answer, shape (n_runs, k): in each run drawn anew from a population.

        Of respondents there is one crowd in all runs: the one that is nearest to the shares.
        """
        if target == "population":
            return np.asarray(generator.multinomial(n, self.shares, n_runs))
        counts = np.floor(n * self.shares).astype(np.int64)
        counts[np.argsort(counts - n * self.shares, kind="stable")[: n - counts.sum()]] += 1
        return np.tile(counts, (n_runs, 1))
