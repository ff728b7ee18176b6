"""The likelihood of a sketch's reports under candidate strings, and under 'other': all strings on no list."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sotto_protocol.mechanisms.mechanism import Bytes
from sotto_protocol.mechanisms.sketch.hash import buckets, string_numbers
from sotto_protocol.mechanisms.sketch.response import SketchResponse


def sketch_likelihood(mechanism: SketchResponse, reports: Bytes, strings: Sequence[str]) -> NDArray[np.float32]:
    """Return P(report | string) but for a factor of the report, shape (n, n_strings + 1); the last is other strings.

    These are taken to be in any bucket, as a hash has it: the mean over all of them, which is the same for all reports.
    `strings` in the normal form of answers.
    """
    cohorts, points, response = mechanism.cohorts(reports), mechanism.points(reports), mechanism.geometry
    lengths = mechanism.prefix_lengths or (None,)
    numbers = [string_numbers([text[:length] for text in strings]) for length in lengths]
    odds, against = float(response.odds), float(response.odds_against)
    likelihood = np.full((len(reports), len(strings) + 1), (odds + against) / (1 + against), np.float32)
    order = np.argsort(cohorts, kind="stable")
    ends = np.cumsum(np.bincount(cohorts, minlength=mechanism.n_cohorts))
    for cohort, rows in enumerate(np.split(order, ends[:-1])):
        if len(rows):
            places = buckets(numbers[cohort % len(lengths)], cohort, mechanism.n_values)
            likelihood[rows, :-1] = np.where(response.supports(points[rows], places), odds, 1.0)
    return likelihood
