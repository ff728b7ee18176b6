"""Covariances of the shares of one question, as far as a tally knows them.

Notation: a and b are the probabilities that a report supports a value that is the answer, and one that is not; s are
shares; of values v and w, both = P(report supports both | answer), by whether the answer is one of the two. Reports are
independent, so the covariance of two shares is that of one report's two supports, divided by n (a - b)^2.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, cast

import numpy as np

from sotto_estimator.channel.channel import Channel, Floats, Target, check_target, errors_of, report_variance, shares_of
from sotto_estimator.channel.simplex import project_on_simplex
from sotto_estimator.errors import DomainError, NoReportsError, SourceError, one_of
from sotto_estimator.inference.registry import NOT_TOLD, channel_of, find
from sotto_estimator.intervals.intervals import target_of
from sotto_protocol import Question, Tally
from sotto_protocol.mechanisms.mechanism import ChoiceMechanism, PureMechanism

MAX_ANSWERS = 100
"""Of questions of more a matrix is not shown beside estimates."""
Matrix = Callable[[Floats, int], Floats]
"""Returns covariances, shape (k, k), of shares, shape (k,), and of how many reports they are."""


@dataclass(frozen=True, slots=True)
class Covariance:
    """The covariance matrix of a question's unbiased shares, row by row, in the order of its answers."""

    kind: ClassVar = "covariance"
    is_told: ClassVar = True

    question: str
    answers: tuple[str, ...]
    matrix: tuple[tuple[float, ...], ...]

    def voided(self) -> "VoidedCovariance":
        """Return the counts alone, for counts that contradict the design."""
        return VoidedCovariance(self.question, self.answers)


@dataclass(frozen=True, slots=True)
class VoidedCovariance:
    """A covariance matrix of which nothing may be said, since the question's counts contradict the design."""

    kind: ClassVar = "covariance"
    is_told: ClassVar = False

    question: str
    answers: tuple[str, ...]
    matrix: None = None


def share_covariance(tally: Tally, question: str, *, target: Target | None = None) -> tuple[tuple[str, ...], Floats]:
    """Return the answers of a question, and the estimated covariance matrix of their unbiased shares.

    The question is a one-of question by k-ary, `subset`, or one bit per option. About the respondents, any-of questions
    by one bit per option have one too. Their noise is drawn bit by bit, so the matrix is diagonal.

    The matrix is exact for the closest possible shares, which it takes for the true ones. Where `estimate`'s shares are
    possible, its diagonal has the squares of their standard errors. The variance of w @ shares is w @ matrix @ w. Use
    it for a difference, or for several answers together.

    Raises DomainError for a question whose covariances a tally does not show. Raises SourceError without reports, and
    for several waves, where a device's reports depend on one another.
    """
    target = target or target_of(tally.survey)
    check_target(target)
    known = {of.id: of for of in tally.survey.questions}
    if question not in known:
        raise DomainError(f"question ({question!r:.80}) {one_of(known, question)}")
    asked = known[question]
    matrix_of: Matrix = find(asked, "covariance", DomainError)(asked, target)
    of_question = tally.counted(question)
    if len(of_question.waves) > 1 and tally.survey.max_reports > 1:
        raise SourceError(f"the tally pools {len(of_question.waves)} waves; covariances are of one.")
    if not of_question.n_reports:
        raise NoReportsError(f"no report answers {question}; a covariance needs at least one.")
    shares = shares_of(tally.support_counts[question], of_question.n_reports, channel_of(asked))
    return asked.labels, matrix_of(shares, of_question.n_reports)


def of_one_answer(question: Question, target: Target) -> Matrix:
    """Return how covariances of a one-of question are made: of the closest possible shares. Raises DomainError."""
    mechanism = cast(ChoiceMechanism, question.mechanism)
    if mechanism.prob_support_both is None:
        raise NOT_TOLD.error(question, DomainError)
    return lambda shares, n: covariance_of(mechanism, project_on_simplex(shares), n, target)


def of_selections(question: Question, target: Target) -> Matrix:
    """Return the same of any-of by coins of each option's own: none where answers are fixed. Raises DomainError."""
    if target != "respondents":
        raise NOT_TOLD.error(question, DomainError)
    channel = channel_of(question)
    return lambda shares, n: np.diag(errors_of(shares, n, channel, target) ** 2)


def covariances_of(tally: Tally, target: Target) -> tuple[Covariance, ...]:
    """Return those of every question of which the tally tells them, of at most MAX_ANSWERS answers."""
    found = []
    for question in tally.survey.questions:
        if len(question.labels) <= MAX_ANSWERS:
            try:
                labels, matrix = share_covariance(tally, question.id, target=target)
            except (DomainError, SourceError):
                continue
            found.append(Covariance(question.id, labels, tuple(map(tuple, matrix.tolist()))))
    return tuple(found)


def covariance_of(mechanism: PureMechanism, shares: Floats, n: int, target: Target) -> Floats:
    """Return the covariances of the unbiased shares of n reports, for true shares that add up to 1, shape (k, k)."""
    channel = Channel(mechanism.prob_support_if_true, mechanism.prob_support_if_other)
    true, other = channel.prob_support_if_true, channel.prob_support_if_other
    if mechanism.prob_support_both is None:
        raise DomainError(f"mechanism ({mechanism.name}) does not tell how often a report supports two values at once.")
    both_if_one, both_if_none = mechanism.prob_support_both
    one = shares[:, np.newaxis] + shares  # the share of people whose answer is one of the two
    if target == "respondents":
        supports = one * (both_if_one - true * other) + (1 - one) * (both_if_none - other**2)
    else:
        reported = other + channel.contrast * shares
        supports = one * both_if_one + (1 - one) * both_if_none - np.outer(reported, reported)
    np.fill_diagonal(supports, report_variance(shares, channel, target))
    found: Floats = supports / (n * channel.contrast**2)
    return found
