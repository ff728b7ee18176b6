"""Shares of maximum likelihood, of whole reports: what counts of single options lose, these keep.

A report of several options says more than each of them by itself. Answers are a mixture of all ways to answer, and the
likelihood is that of every report as it is. Intervals are approximate: by the profile likelihood, or normal.
"""

import math
from collections.abc import Collection
from dataclasses import dataclass
from typing import ClassVar, Literal

from scipy.special import ndtri

from sotto_estimator.errors import DomainError, SourceError
from sotto_estimator.inference.registry import count_intervals, find
from sotto_estimator.intervals.intervals import IntervalOptions, check_level
from sotto_estimator.likelihood.em import fit
from sotto_estimator.likelihood.latent_classes import Mixture
from sotto_estimator.likelihood.profile import profile_interval
from sotto_estimator.likelihood.standard_errors import errors_of_sums
from sotto_estimator.shares.whole_reports import Answers, different_reports
from sotto_estimator.sources.selection import Selection
from sotto_estimator.sources.source import Source
from sotto_protocol import Tally

MAX_PROFILE_WORK = 2 * 10**9
"""Different reports, times the square of ways to answer, times answers: of more, intervals are normal."""


@dataclass(frozen=True, slots=True)
class LikelihoodShare:
    """The share of an answer by maximum likelihood of whole reports, from 0 to 1; about the population.

    `interval`: how [low, high] is made, "profile" (Wilks 1938) or "normal"; both are approximate, as is the error.
    That is None where so few reports do not tell of it.
    """

    kind: ClassVar = "likelihood"
    is_told: ClassVar = True

    question: str
    answer: str
    n_reports: int
    share: float
    standard_error: float | None
    low: float
    high: float
    interval: Literal["profile", "normal"]

    def voided(self) -> "VoidedLikelihood":
        """Return the count alone, for counts that contradict the design."""
        return VoidedLikelihood(self.question, self.answer, self.n_reports)


@dataclass(frozen=True, slots=True)
class VoidedLikelihood:
    """A share of which nothing may be said, since the question's counts contradict the design."""

    kind: ClassVar = "likelihood"
    is_told: ClassVar = False

    question: str
    answer: str
    n_reports: int
    share: None = None
    standard_error: None = None
    low: None = None
    high: None = None
    interval: None = None


def likelihood_shares(
    source: Source, tally: Tally, chosen: Selection, options: IntervalOptions, void: Collection[str] = ()
) -> list[LikelihoodShare | VoidedLikelihood]:
    """Return the shares of each question whose whole reports tell of answers, of the chosen reports in the `tally`.

    `void`: questions whose counts contradict the design; nothing is fitted of them. Questions of which whole reports
    tell no more than a tally, or that can be answered in too many ways, are left out. Raises DomainError where none is
    left, SourceError for a source without whole reports, and for pooled waves that one device may have answered.
    """
    if len(tally.waves) > 1 and tally.survey.max_reports > 1:
        raise SourceError(
            f"the reports are of {len(tally.waves)} waves, and those of one device depend on one another: shares of "
            "whole reports are of one wave."
        )
    answers = _answers_of(tally)
    reports = different_reports(source, chosen, answers.keys() - {*void})
    miss = check_level(options.level, count_intervals(tally.survey) if options.simultaneous else 1)
    found: list[LikelihoodShare | VoidedLikelihood] = []
    for key, of in answers.items():
        if key in void:
            n = tally.counted(key).n_reports
            found += [VoidedLikelihood(key, label, n) for label in of.question.labels]
        elif key in reports:
            found += shares_of_reports(of, of.mixture(*reports[key]), miss)
    return found


def shares_of_reports(of: Answers, mixture: Mixture, miss: float) -> list[LikelihoodShare]:
    """Return the shares of a question's answers; `miss`: the probability by which each interval may miss."""
    best, members = fit(mixture), of.members
    shares = best.shares @ members
    errors = errors_of_sums(mixture, best, members)
    deviate = -float(ndtri(miss / 2))
    is_profile = len(mixture.counts) * len(members) ** 2 * members.shape[1] <= MAX_PROFILE_WORK
    found = []
    for label, share, error, of_label in zip(
        of.question.labels, shares.tolist(), errors.tolist(), members.T, strict=True
    ):
        low, high = share - deviate * error, share + deviate * error
        if is_profile:
            about = error if math.isfinite(error) else 1 / math.sqrt(mixture.n_reports)
            low, high = profile_interval(mixture, best, of_label, about, deviate**2)
        found.append(
            LikelihoodShare(
                of.question.id,
                label,
                round(mixture.n_reports),
                share,
                error if math.isfinite(error) else None,
                max(low, 0.0),
                min(high, 1.0),
                "profile" if is_profile else "normal",
            )
        )
    return found


def _answers_of(tally: Tally) -> dict[str, Answers]:
    """Return the answers of each question that whole reports tell more of. Raises DomainError where there is none."""
    found, why = {}, "the survey has no question of shares."
    for question in tally.survey.questions:
        try:
            of: Answers = find(question, "whole", DomainError)(question)
            of.check()
            found[question.id] = of
        except DomainError as fault:
            why = str(fault)
    if not found:
        raise DomainError(why)
    return found
