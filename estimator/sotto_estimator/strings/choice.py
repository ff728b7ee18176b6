"""What was found, and errors of it that allow for its having been chosen among candidates."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sotto_estimator.channel.channel import Floats
from sotto_estimator.intervals.intervals import check_level
from sotto_estimator.strings.bounds import chernoff_half_width, normal_quantile
from sotto_estimator.strings.counts import BitCounts, BitRates
from sotto_estimator.strings.models import CandidateModel
from sotto_estimator.strings.regression import BloomCells, standard_errors


@dataclass(frozen=True, slots=True, eq=False)
class DetectedStrings:
    """A model, and which of its strings are reported; `twins` and `dropped` are the numbers of those that cannot be.

    `confounding`: how many times as large other strings make the variance of shares; infinite where they cannot be told
    from the candidates' sum. `n_beside`: of `CandidateSearch.n_beside`.
    """

    n_candidates: int
    model: CandidateModel
    is_found: NDArray[np.bool_]
    n_beside: float
    twins: list[list[int]]
    dropped: list[int]
    confounding: float

    def miss(self, level: float, *, simultaneous: bool) -> float:
        """Return the probability with which each interval is made to miss, as the choice among candidates asks for.

        Of R found among M, intervals that miss with probability (1 - level) R / M each make the expected part of those
        found that miss at most 1 - level (Benjamini & Yekutieli 2005); with (1 - level) / M all hold together.
        """
        n_found = 1 if simultaneous else max(int(np.count_nonzero(self.is_found)), 1)
        return check_level(level) * n_found / self.n_candidates


def half_widths(
    counts: BitCounts, rates: BitRates, n_hashes: int, finding: DetectedStrings, miss: float, *, chernoff: bool
) -> Floats:
    """Return half of the widths of intervals around the linear estimates of the strings that were found."""
    model, found = finding.model, finding.is_found
    fit = model.fit
    if not chernoff:
        return normal_quantile(miss) * model.standard_errors[found] * model.inflation
    weights = fit.weights[found].reshape(-1, counts.n_cohorts, counts.n_bits)
    return chernoff_half_width(weights, counts, rates, n_hashes, miss, fit.unlisted) * model.inflation


def error_of_others(cells: BloomCells, finding: DetectedStrings, times_wider: float) -> float | None:
    """Return an error of the sum of the shares that were found, and so of what they leave to others.

    The standard error of the linear estimates' sum, `times_wider` as each string's, and the bias of the choice, which
    adds up over strings; and, in squares, how far the bounded shares' sum is from the linear one.
    """
    model, found = finding.model, finding.is_found
    if not found.any():
        return None
    sums = model.fit.weights[found].sum(0, keepdims=True)
    error = times_wider * model.inflation * float(standard_errors(cells, model.fit, sums)[0])
    of_choice = finding.n_beside * float(np.mean(model.standard_errors[found]))
    of_bounds = float((model.fit.shares[found] - model.fit.bounded[found]).sum())
    return math.hypot(error + of_choice, of_bounds)
