"""What the reports of one wave reveal of one person, if they are stripped of all but what they say."""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

from scipy.stats import binom

from sotto_estimator.channel.channel import Channel
from sotto_estimator.planning.survey import part_asked, part_of_waves
from sotto_protocol import Question, Survey
from sotto_rehearsal.comparison.binary import MAX_LISTED, exact_epsilon
from sotto_rehearsal.comparison.clones import amplified_epsilon, prob_clone_of_one
from sotto_rehearsal.comparison.third_answer import third_answer_epsilon

# Questions that are alike, as a matrix makes them, take no longer than one.
_amplified, _exact, _third = lru_cache(amplified_epsilon), lru_cache(exact_epsilon), lru_cache(third_answer_epsilon)


@dataclass(frozen=True, slots=True)
class Shuffled:
    """One question, or None: whole reports. Epsilons in nats: `epsilon` of a report to whoever sees it as it is sent.

    `shuffled`: to whoever sees n_reports of them in random order, and nothing else: at most so much, at delta. `least`:
    at least so much, by one count of theirs, or where all others give a third answer. None of texts, where reports are
    too many, and where chance decides how many there are.
    """

    question: str | None
    n_reports: int
    epsilon: float
    shuffled: float
    least: float | None = None


def shuffle_survey(survey: Survey, n: int, delta: float) -> list[Shuffled]:
    """Return a row for each question by itself, and one for whole reports, of n respondents.

    Whole reports of one question are its own. Of several they reveal at least what one's do, if everybody answers it.
    """
    if part_asked(survey) < 1:
        rows = [_shuffle_drawn(survey, question, n, delta) for question in survey.questions]
    else:
        rows = [_shuffle_question(question, n, delta) for question in survey.questions]
    if len(rows) == 1:
        return [*rows, replace(rows[0], question=None)]
    epsilon, found = float(survey.epsilon), [row.least for row in rows if row.least is not None]
    n_least, of_delta = (n, delta) if part_of_waves(survey) == 1 else _fewest(n, part_of_waves(survey), delta)
    shuffled = _amplified(epsilon, n_least, of_delta)
    return [*rows, Shuffled(None, n_in_wave(survey, n), epsilon, shuffled, max(found, default=None))]


def n_of(survey: Survey, n: int) -> int:
    """Return how many of n devices answer a question in a wave: with `draw` and `asked_in` about its part of them."""
    return max(1, int(n * part_asked(survey)))


def n_in_wave(survey: Survey, n: int) -> int:
    """Return how many of n devices report in a wave: with `asked_in` about as many as its part."""
    return max(1, int(n * part_of_waves(survey)))


def _fewest(n: int, part: Fraction, delta: float) -> tuple[int, float]:
    """Return how many reports there are at least but for half of delta, one of them known to be, and the other half."""
    return 1 + int(binom.ppf(delta / 2, n - 1, float(part))), delta / 2


def _shuffle_drawn(survey: Survey, question: Question, n: int, delta: float) -> Shuffled:
    """Bound what somebody who is asked the question reveals, however many others are.

    No count of a fixed number of reports bounds it from below.
    """
    bound = _bound(question, *_fewest(n, part_asked(survey), delta))
    return Shuffled(question.id, n_of(survey, n), float(question.epsilon), bound)


def _bound(question: Question, n: int, delta: float) -> float:
    epsilon = float(question.epsilon)
    return _amplified(epsilon, n, delta, prob_clone_of_one(epsilon) if question.mechanism.names_one else None)


def _shuffle_question(question: Question, n: int, delta: float) -> Shuffled:
    epsilon, bound = float(question.epsilon), _bound(question, n, delta)
    counted = question.mechanism.telling_count()
    if counted is None or n > MAX_LISTED:
        return Shuffled(question.id, n, epsilon, bound)
    least = max(_exact(Channel(*counted), n, delta), _third(question.mechanism, n, delta))
    return Shuffled(question.id, n, epsilon, bound, min(least, bound))
