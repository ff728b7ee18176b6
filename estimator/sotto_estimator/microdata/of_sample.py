"""Estimates of a population from a sample that is not simple: approximate, and said to be."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sotto_estimator.channel.channel import Floats
from sotto_estimator.channel.simplex import project_on_simplex
from sotto_estimator.designs.asked import AskedBy
from sotto_estimator.designs.disagreement import misfits_of
from sotto_estimator.errors import DomainError, NoReportsError, SourceError
from sotto_estimator.intervals.fakes import PERCENT
from sotto_estimator.intervals.intervals import IntervalOptions, check_level
from sotto_estimator.intervals.methods import LINEARISED, REPLICATED
from sotto_estimator.microdata.linearised import Linearised, estimate_shares
from sotto_estimator.microdata.sampling import Sampling, n_effective
from sotto_estimator.microdata.scores import design_scores, scores_of
from sotto_estimator.results.result import GIVEN
from sotto_estimator.shares.estimates import Estimate, Estimates
from sotto_estimator.shares.verdict.judge import with_verdict_of_shares
from sotto_estimator.table.file_rows import FileRows
from sotto_estimator.table.reported import Reported

MAX_ROWS = 10**7
"""Of more rows weights, scores and their terms would take more than about 1.5 GB."""


def estimate_sample(
    reported: Reported,
    sampling: Sampling,
    options: IntervalOptions,
    domain: NDArray[np.bool_] | None = None,
    *,
    n_groups: int = 1,
) -> Estimates:
    """Estimate every share of the population, or of those in a domain, by the reports of a sample of it.

    `n_groups`: in one output with so many domains, as of `estimate_arms`. A domain that is in too few clusters for
    any error has intervals from 0 to 1. Raises `DomainError` for what such intervals are not: of another method, or
    about the respondents; and for designs whose reports alone do not tell the shares. Raises SourceError where too
    few were drawn for any error.
    """
    if options.about != "population":
        raise DomainError(
            f"target ({options.about}) does not go with weights, strata, clusters, margins and replicates: they "
            "describe how the population was sampled."
        )
    if options.method != IntervalOptions().method:
        raise DomainError(
            f"method ({options.method}) does not go with weights, strata, clusters, margins and replicates."
        )
    weights = sampling.weights if domain is None else sampling.weights * domain
    if not weights.any():
        raise NoReportsError("there are no rows: an estimate needs at least one.")
    if len(weights) > MAX_ROWS:
        raise SourceError(f"the sample is too large: it has {len(weights):,} rows, and the most are {MAX_ROWS:,}.")
    scores = scores_of(reported)
    found = estimate_shares(scores, sampling, domain)
    if found.degrees < 1 and domain is None:
        raise SourceError("no error can be estimated: at least one stratum must have two or more drawn.")
    arms = reported.counts(domain)
    rows = _rows(reported, scores, weights, found, options, n_groups)
    return with_verdict_of_shares(
        Estimates(
            GIVEN,
            rows[0].n_reports,
            rows[0].epsilon,
            replace(options, method=REPLICATED if sampling.replicates else LINEARISED),
            rows,
            contradictions=misfits_of(arms, n_groups=n_groups),
            designs=tuple(map(AskedBy.of, arms)),
            n_groups=n_groups,
            file_rows=FileRows(
                made=_made(sampling),
                degrees_of_freedom=found.degrees,
                n_effective=n_effective(weights[weights > 0]) if np.ptp(weights[weights > 0]) else None,
                no_error="" if found.has_error.all() else _why(found),
                doubt=sampling.replicates.doubt if sampling.replicates else "",
            ),
        )
    )


def _why(found: Linearised) -> str:
    """Return why a share has no error."""
    return found.unknown if found.degrees < 1 else "nothing varied that could"


def _made(sampling: Sampling) -> str:
    """Return how intervals are made."""
    of = sampling.replicates
    by = f"{len(of.names)} replicate weights ({of.method})" if of else "linearization"
    return f"by {by} with Student's t (approximate)"


def _rows(
    reported: Reported, scores: Floats, weights: Floats, found: Linearised, options: IntervalOptions, n_groups: int
) -> tuple[Estimate, ...]:
    """Return a row a label, of two labels the first: the other's share is the rest. `weights`: 0 for whom it is not."""
    labels, n = reported.designs[0].labels, int((weights > 0).sum())
    n_shown = scores.shape[1]
    half = found.half_widths(check_level(options.level, n_groups * n_shown if options.simultaneous else 1) / 2)
    ends = np.stack([found.shares - half, found.shares + half])
    low, high = ends.clip(0, 1)
    is_outside = ((ends[0] > 1) | (ends[1] < 0)).tolist()
    least, most = (of[:n_shown] for of in _extremes(reported, weights))
    up, down = PERCENT * np.maximum(most - found.shares, 0), PERCENT * np.minimum(least - found.shares, 0)
    numbers = np.stack([found.shares, low, high, up, down], axis=-1).tolist()
    errors = [error if told else None for error, told in zip(found.errors.tolist(), found.has_error, strict=True)]
    supports = (scores[weights > 0] > 1 / len(labels)).sum(axis=0).tolist()
    possible = project_on_simplex(found.shares) if n_shown > 1 else found.shares.clip(0, 1)
    consistent = possible.tolist() if options.consistent else [None] * n_shown
    epsilon = max(reported.designs[arm].epsilon for arm in np.unique(reported.arms[weights > 0]))
    return tuple(
        Estimate("", label, n, support, epsilon, row[0], error, *[*row[1:], share, None, outside])
        for label, support, row, error, share, outside in zip(
            labels, supports, numbers, errors, consistent, is_outside, strict=False
        )
    )


def _extremes(reported: Reported, weights: Floats) -> tuple[Floats, Floats]:
    """Return the least and the most scores that reports could have, on average of the rows."""
    each = np.bincount(reported.arms, weights, len(reported.designs)) / weights.sum()
    scores = [design_scores(design)[design.matrix.any(axis=1)] for design in reported.designs]
    return each @ np.array([of.min(axis=0) for of in scores]), each @ np.array([of.max(axis=0) for of in scores])
