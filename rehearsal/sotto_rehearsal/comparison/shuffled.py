"""What the reports of one wave reveal of one person, if they are stripped of all but what they say."""

from dataclasses import dataclass
from functools import lru_cache

from scipy.stats import binom

from sotto_estimator.channel.channel import Channel
from sotto_protocol import Question, Survey
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
    return _amplified(epsilon, n, delta, prob_clone_of_one(epsilon) if question.mechanism.names_one else None)


def _shuffle_question(question: Question, n: int, delta: float) -> Shuffled:
    epsilon, bound = float(question.epsilon), _bound(question, n, delta)
    counted = question.mechanism.telling_count()
    if counted is None or n > MAX_LISTED:
        return Shuffled(question.id, n, epsilon, bound)
    return Shuffled(question.id, n, epsilon, bound, min(_exact(Channel(*counted), n, delta), bound))
