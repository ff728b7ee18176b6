"""How often the right option will be named: on average over crowds, the noise's part of it exactly."""

from collections.abc import Callable
from functools import cached_property

import numpy as np

from sotto_estimator.channel.channel import Floats
from sotto_rehearsal.comparison.subject import Subject

_MOST_CROWDS = 2**16
_MOST_CELLS = 2**22
"""So many counts are looked at, at the most: crowds times answers, and times options twice."""
_SEED = 1


class Named:
    """The crowds of a question whose people are drawn from a population: the same ones at every time.

    About these respondents there is one crowd, which is known.
    """

    def __init__(self, subject: Subject) -> None:
        self._subject = subject

    @cached_property
    def _counts(self) -> Floats:
        """How many people each option is true of, shape (m, n_labels)."""
        subject = self._subject
        n_cells = max(len(subject.people.shares), len(subject.question.labels) ** 2)
        n_crowds = 1 if subject.about_respondents else min(_MOST_CROWDS, max(2, _MOST_CELLS // n_cells))
        generator = np.random.default_rng(_SEED)
        crowds = subject.people.draw(subject.n, n_crowds, subject.options.about, generator)
        return subject.count_labels(crowds).astype(np.float64)

    @property
    def n_crowds(self) -> int:
        """How many crowds there are."""
        return len(self._counts)

    def right(self, names: Callable[[Floats, float], Floats], epsilon: float) -> tuple[float, float]:
        """Return how often the right option is named, and the standard error of that, which is 0 of one crowd.

        `names`: each option's probability by the counts, shape (.., n_labels), and epsilon.
        """
        probs = names(self._counts, epsilon)[:, self._subject.is_right].sum(axis=-1)
        error = probs.std(ddof=1) / np.sqrt(len(probs)) if len(probs) > 1 else 0.0
        return float(probs.mean()), float(error)
