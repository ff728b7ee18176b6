"""Reports of made-up people, by the very code that devices run."""

import numpy as np

from sotto_client.entropy import os_coins
from sotto_estimator.channel.channel import Floats
from sotto_rehearsal.comparison.people import Numbers
from sotto_rehearsal.comparison.subject import Subject

MOST_VALUES = 10**8
"""So many values of a question's reports are perturbed at the most: people times values times runs."""


def runs_within(subject: Subject, n_runs: int) -> int:
    """Return how many runs of a question are simulated: as many as asked for, or as `MOST_VALUES` allows."""
    return min(n_runs, MOST_VALUES // (subject.n * subject.question.mechanism.n_values))


def report_estimates(subject: Subject, crowd: Numbers) -> Floats:
    """Return the estimated share of each value, or the mean alone, of people who give each answer so often."""
    answers = np.repeat(subject.people.answers, crowd, axis=0)
    return subject.reported(answers, os_coins())
