"""Crowds who answer a text question by a sketch, drawn cohort by cohort: what millions of devices send, in a second."""

from collections.abc import Mapping
from decimal import Decimal
from itertools import product

import numpy as np
from numpy.typing import NDArray

from sotto_protocol.mechanisms.geometry import odds_against
from sotto_protocol.mechanisms.sets import threshold_of
from sotto_protocol.mechanisms.sketch.hash import buckets, string_numbers
from sotto_protocol.mechanisms.sketch.response import SketchResponse


def sketch_of(
    epsilon: str, field: int, dimension: int, n_cohorts: int, prefix_lengths: tuple[int, ...] = ()
) -> SketchResponse:
    threshold = threshold_of(Decimal(epsilon), odds_against(field, dimension))
    return SketchResponse("sketch", n_cohorts, threshold, field, dimension, prefix_lengths)


def points(field: int, dimension: int) -> NDArray[np.int64]:
    """List the points of the space in their order: vectors whose last coordinate that is not zero is one."""
    listed = [
        (*reversed(before), 1, *(dimension - place - 1) * (0,))
        for place in range(dimension)
        for before in product(range(field), repeat=place)
    ]
    return np.array(listed)


def channel_of(sketch: SketchResponse) -> NDArray[np.float64]:
    """Return P(point sent | bucket), shape (n_values, n_values), by listing which points are orthogonal."""
    space = points(sketch.field, sketch.dimension)
    supports = space @ space.T % sketch.field == 0
    true, n_supporting = sketch.threshold_if_true / 2**32, supports[0].sum()
    return np.where(supports, true / n_supporting, (1 - true) / (len(space) - n_supporting))


def zipf(n_strings: int, exponent: float = 1.1) -> NDArray[np.float64]:
    weights = np.arange(1, n_strings + 1) ** -exponent
    return np.asarray(weights / weights.sum())


def collect_sketch(
    sketch: SketchResponse, parts: Mapping[str, float], n_reports: int, generator: np.random.Generator
) -> NDArray[np.int64]:
    """Return the counts of people with strings of these shares; all others have strings of their own."""
    channel, v = channel_of(sketch), sketch.n_values
    shares = np.array([*parts.values()])
    sizes = generator.multinomial(n_reports, np.full(sketch.n_cohorts, 1 / sketch.n_cohorts))
    lengths = sketch.prefix_lengths or (None,)
    numbers = [string_numbers([text[:length] for text in parts]) for length in lengths]
    counts = np.empty(sketch.counts_shape, np.int64)
    for cohort, size in enumerate(sizes.tolist()):
        placed = np.bincount(buckets(numbers[cohort % len(lengths)], cohort, v), shares, v)
        sent = channel @ (placed + max(0.0, 1 - shares.sum()) / v)
        counts[cohort] = size, *generator.multinomial(size, sent / sent.sum())
    return counts
