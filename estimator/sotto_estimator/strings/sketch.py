"""Decode a sketch: from counts of reports to the strings that are there, their shares, and intervals that hold."""

import math
from collections.abc import Sequence

import numpy as np
from scipy import special

from sotto_estimator.channel.channel import Floats
from sotto_estimator.channel.simplex import project_on_simplex
from sotto_estimator.errors import DomainError
from sotto_estimator.intervals.fakes import PERCENT
from sotto_estimator.intervals.intervals import check_level
from sotto_estimator.strings.bounds import normal_quantile
from sotto_estimator.strings.decode import Decoded, DecodedString, DecodeOptions
from sotto_estimator.strings.models import count_beside
from sotto_estimator.strings.peeling import Peeled, peel
from sotto_estimator.strings.remarks import GoodnessOfFit, Origin, Remarks, missed_of
from sotto_estimator.strings.sketch_counts import Numbers, SketchCounts
from sotto_estimator.strings.undetected import UndetectedString, listed_others
from sotto_protocol.mechanisms.mechanism import Counts
from sotto_protocol.mechanisms.sketch.hash import string_numbers
from sotto_protocol.mechanisms.sketch.response import SketchResponse


def decode_sketch(
    mechanism: SketchResponse,
    counts: Counts,
    strings: Sequence[str],
    options: DecodeOptions | None = None,
    origin: Origin = "list",
    *,
    keep_all: bool = False,
) -> Decoded:
    """Find the strings that are there, and estimate their shares: what `decode` does with Bloom filters.

    `counts`: of shape `mechanism.counts_shape`. `strings`: different ones, in the normal form of answers. Where
    beginnings of strings are reported, the cohorts of the longest ones count, and longer strings are cut as there.
    Raises DomainError for strings that repeat, SourceError where there are no reports.
    """
    options = options or DecodeOptions()
    if len(set(strings)) < len(strings):
        raise DomainError("strings must differ from one another.")
    length = max(mechanism.prefix_lengths, default=0)
    used = SketchCounts.of(mechanism, counts, cohorts_of(mechanism, -1))
    numbers = string_numbers([text[: length or None] for text in strings])
    peeled = peel(used, numbers, options.fdr, options.correction)
    rows = _rows(used, strings, options, peeled)
    found = [row.string for row in rows]
    fit, remarks = _goodness(peeled), Remarks(strings, origin)
    warnings = (
        *remarks.on_finding(len(rows)),
        *remarks.on_unlisted(fit, peeled.fit.left.second_moment()[0]),
        *remarks.on_length([text for text in found if length and len(text) >= length], length),
        *remarks.on_twins(peeled.twins, "are in the same buckets"),
        *remarks.on_cohorts(used.n_silent, used.n_silent + len(used.cohorts)),
    )
    explained = min(1.0, math.fsum(row.share for row in rows))
    return Decoded(
        used.n_total,
        1,
        len(strings),
        {"n_buckets": used.n_buckets, "n_cohorts": len(used.cohorts) + used.n_silent},
        options,
        rows,
        explained,
        1 - explained,
        _error_of_others(rows, peeled, len(strings)),
        fit,
        warnings,
        origin,
        undetected=_undetected(strings, numbers, peeled, check_level(options.level)) if keep_all else None,
        missed=missed_of(strings, [*peeled.found, *(number for group in peeled.twins for number in group)], origin),
    )


def cohorts_of(mechanism: SketchResponse, level: int) -> range:
    """Return the cohorts that report a prefix length, by its number, -1 the last; all where whole strings are."""
    n_levels = max(1, len(mechanism.prefix_lengths))
    return range(level % n_levels, mechanism.n_cohorts, n_levels)


def _goodness(peeled: Peeled) -> GoodnessOfFit:
    """Return how far the counts lie from the strings that were found, and buckets that are else alike."""
    fit = peeled.fit
    chi_square, degrees = fit.left.chi_square(), max(fit.degrees, 0)
    return GoodnessOfFit(chi_square, degrees, float(special.chdtrc(degrees, chi_square)) if degrees else 1.0)


def _rows(
    counts: SketchCounts, strings: Sequence[str], options: DecodeOptions, peeled: Peeled
) -> tuple[DecodedString, ...]:
    """Return the strings that were found, the commonest first; the shares add up to 1 at most."""
    shares, sums = peeled.fit.shares, peeled.sums[peeled.found]
    missed = check_level(options.level)
    n_together = 1 if options.simultaneous else max(len(shares), 1)
    ends = peeled.fit.bounds(
        shares, sums, missed * n_together / max(len(strings), 1), chernoff=options.method == "chernoff"
    )
    errors = (ends[1] - ends[0]) / 2 / normal_quantile(missed)
    low, high = (np.clip(end, 0, 1) for end in ends)
    fixed = np.sqrt(peeled.fit.variance(sums))
    consistent = project_on_simplex(shares) if shares.sum() > 1 else shares
    tests = peeled.p_values, shares / fixed
    numbers = [np.clip(consistent, low, high), errors, low, high, fixed, *tests, *_shifts(counts, shares)]
    rows = [
        DecodedString(strings[number], *row)
        for number, row in zip(peeled.found.tolist(), np.stack(numbers, axis=-1).tolist(), strict=True)
    ]
    return tuple(sorted(rows, key=lambda row: (-row.share, row.string)))


def _error_of_others(rows: Sequence[DecodedString], peeled: Peeled, n_candidates: int) -> float | None:
    """Return an error of the sum of shares that were found: their own, and the bias of the choice, which adds up."""
    if not rows:
        return None
    threshold = max(0.0, -float(special.ndtri(max(row.p_value for row in rows))))
    of_choice = count_beside(peeled.scores, threshold, n_candidates) * math.fsum(row.error_if_fixed for row in rows)
    return math.hypot(*(row.standard_error for row in rows)) + of_choice / len(rows)


def _shifts(counts: SketchCounts, shares: Floats) -> tuple[Floats, Floats]:
    """Return what 1 % of fakes in every cohort adds to shares, if all support the string, or none does."""
    channel, buckets = counts.channel, counts.n_buckets
    most, least = ((end - channel.prob_support_if_other) / channel.contrast - 1 / buckets for end in (1, 0))
    return PERCENT * (most / (1 - 1 / buckets) - shares), PERCENT * (least / (1 - 1 / buckets) - shares)


def _undetected(strings: Sequence[str], numbers: Numbers, peeled: Peeled, miss: float) -> tuple[UndetectedString, ...]:
    """Return the candidates that were not found, with one-sided bounds that miss together with this probability."""
    fit, sums = peeled.fit, peeled.sums
    shares = fit.estimate(fit.left.sums(numbers))
    highs = np.clip(shares + fit.half_widths(sums, normal_quantile(2 * miss / len(strings))), 0, 1)
    highs[[number for group in peeled.twins for number in group]] = np.nan
    left = np.setdiff1d(np.arange(len(strings)), peeled.found)
    return listed_others([strings[number] for number in left], np.maximum(shares, 0)[left], highs[left])
