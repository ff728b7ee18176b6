"""What the reports of one wave reveal of one person, if they are stripped of all but what they say."""

from dataclasses import dataclass

from sotto_estimator.channel import Channel
from sotto_protocol import Question, Survey
from sotto_protocol.mechanisms.kary import KaryResponse
from sotto_protocol.mechanisms.warner import BinaryResponse
from sotto_rehearsal.comparison.binary import MAX_LISTED, exact_epsilon
from sotto_rehearsal.comparison.clones import amplified_epsilon, prob_clone_of_one


@dataclass(frozen=True, slots=True)
class Shuffled:
    """One question, or None: whole reports. Epsilons in nats: `epsilon` of a report to whoever sees it as it is sent.

    `shuffled`: to whoever sees n_reports of them in random order, and nothing else: at most so much, at delta. `least`:
    at least so much, of yes-no questions.
    """

    question: str | None
    n_reports: int
    epsilon: float
    shuffled: float
    least: float | None = None


def shuffle_survey(survey: Survey, n: int, delta: float) -> list[Shuffled]:
    """Return a row for each question by itself, and one for whole reports, of n respondents."""
    rows = [_shuffle_question(question, n_of(survey, n), delta) for question in survey.questions]
    epsilon = float(survey.epsilon)
    return [*rows, Shuffled(None, n, epsilon, amplified_epsilon(epsilon, n, delta))]


def n_of(survey: Survey, n: int) -> int:
    """Return how many of n devices answer a question: with `draw` about as many as its part."""
    return max(1, n * survey.n_drawn // len(survey.questions))


def _shuffle_question(question: Question, n: int, delta: float) -> Shuffled:
    mechanism, epsilon = question.mechanism, float(question.epsilon)
    names_one = isinstance(mechanism, BinaryResponse | KaryResponse)
    bound = amplified_epsilon(epsilon, n, delta, prob_clone_of_one(epsilon) if names_one else None)
    if not isinstance(mechanism, BinaryResponse) or n > MAX_LISTED:
        return Shuffled(question.id, n, epsilon, bound)
    channel = Channel(mechanism.prob_support_if_true, mechanism.prob_support_if_other)
    return Shuffled(question.id, n, epsilon, bound, min(exact_epsilon(channel, n, delta), bound))
