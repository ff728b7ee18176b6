"""What the reports of one wave reveal of one person, if they are stripped of all but what they say."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.stats import binom

from sotto_estimator.channel.channel import Channel
from sotto_protocol import Question, Survey
from sotto_protocol.mechanisms.kary import KaryResponse
from sotto_protocol.mechanisms.mechanism import Mechanism, PureMechanism
from sotto_protocol.mechanisms.warner import BinaryResponse
from sotto_protocol.mechanisms.window import WindowResponse
from sotto_rehearsal.comparison.binary import MAX_LISTED, exact_epsilon
from sotto_rehearsal.comparison.clones import amplified_epsilon, prob_clone_of_one

# Questions that are alike, as a matrix makes them, take no longer than one.
_amplified, _exact = lru_cache(amplified_epsilon), lru_cache(exact_epsilon)


@dataclass(frozen=True, slots=True)
class Shuffled:
    """One question, or None: whole reports. Epsilons in nats: `epsilon` of a report to whoever sees it as it is sent.

    `shuffled`: to whoever sees n_reports of them in random order, and nothing else: at most so much, at delta. `least`:
    at least so much, by one count of theirs; of yes-no questions there is no other. None of texts, and where reports
    are too many.
    """

    question: str | None
    n_reports: int
    epsilon: float
    shuffled: float
    least: float | None = None


def shuffle_survey(survey: Survey, n: int, delta: float) -> list[Shuffled]:
    """Return a row for each question by itself, and one for whole reports, of n respondents.

    Whole reports reveal at least what one question's do, if everybody answers it.
    """
    if survey.draw:
        rows = [_shuffle_drawn(survey, question, n, delta) for question in survey.questions]
    else:
        rows = [_shuffle_question(question, n, delta) for question in survey.questions]
    epsilon = float(survey.epsilon)
    found = [row.least for row in rows if row.least is not None]
    return [*rows, Shuffled(None, n, epsilon, _amplified(epsilon, n, delta), max(found, default=None))]


def n_of(survey: Survey, n: int) -> int:
    """Return how many of n devices answer a question: with `draw` about as many as its part."""
    return max(1, n * survey.n_drawn // len(survey.questions))


def _shuffle_drawn(survey: Survey, question: Question, n: int, delta: float) -> Shuffled:
    """Bound what somebody who is asked the question reveals, however many others are.

    No count of a fixed number of reports bounds it from below.
    """
    n_asked = 1 + int(binom.ppf(delta / 2, n - 1, survey.n_drawn / len(survey.questions)))
    return Shuffled(question.id, n_of(survey, n), float(question.epsilon), _bound(question, n_asked, delta / 2))


def _bound(question: Question, n: int, delta: float) -> float:
    epsilon = float(question.epsilon)
    return _amplified(epsilon, n, delta, prob_clone_of_one(epsilon) if _names_one(question.mechanism) else None)


def _shuffle_question(question: Question, n: int, delta: float) -> Shuffled:
    mechanism, epsilon = question.mechanism, float(question.epsilon)
    bound = _bound(question, n, delta)
    channel = _one_count(mechanism)
    if channel is None or n > MAX_LISTED:
        return Shuffled(question.id, n, epsilon, bound)
    return Shuffled(question.id, n, epsilon, bound, min(_exact(channel, n, delta), bound))


def _names_one(mechanism: Mechanism) -> bool:
    """Whether a report speaks for one value: of numbers, one end, which all others are mixtures of."""
    is_end = isinstance(mechanism, WindowResponse) and mechanism.n_values == 2
    return is_end or isinstance(mechanism, BinaryResponse | KaryResponse)


def _one_count(mechanism: Mechanism) -> Channel | None:
    """Return P(a report is counted) under two answers, of one count that anyone can make of shuffled reports.

    How many support a value, of those who have it and of those who do not; of numbers, how many outputs are high, of
    the greatest number and of the least.
    """
    if isinstance(mechanism, PureMechanism):
        one_in = mechanism.n_values if mechanism.has_cohorts else 1  # of so many devices one is asked this option
        return Channel(mechanism.prob_support_if_true / one_in, mechanism.prob_support_if_other / one_in)
    if not isinstance(mechanism, WindowResponse):
        return None
    at_least = np.cumsum(mechanism.channel[::-1], axis=0)[::-1]
    best = int((at_least[:, -1] - at_least[:, 0]).argmax())
    return Channel(float(at_least[best, -1]), float(at_least[best, 0]))
