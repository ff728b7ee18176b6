"""Projective geometry response and sketches once more, by listing the points of a space."""

import itertools
from collections.abc import Sequence

from reference_coins import Answer, Published, Stream, flip, uniform
from reference_sketch import bucket_of
from reference_text_vectors import counts_as


def points_of(published: Published) -> list[tuple[int, ...]]:
    """Return a space's points in the order of their numbers, by listing all vectors that end in a one and zeros."""
    field, dimension = published["field"], published["dimension"]
    points = []
    for last in range(dimension):
        for before in itertools.product(range(field), repeat=last):
            vector = (*before, 1, *(0,) * (dimension - last - 1))
            points.append((last, vector[::-1], vector))
    return [vector for _, _, vector in sorted(points)]


def is_orthogonal(one: Sequence[int], other: Sequence[int], field: int) -> bool:
    return sum(a * b for a, b in zip(one, other, strict=True)) % field == 0


def perturb_geometry(published: Published, n_values: int, answers: Sequence[Answer], stream: Stream) -> list[bytes]:
    """Draw all coordinates but one, and try which value of that one makes the product what it shall be."""
    field, dimension, points = published["field"], published["dimension"], points_of(published)
    honest = flip(stream, published["threshold_if_true"], len(answers))
    if_orthogonal = [free + 1 for free in uniform(stream, field ** (dimension - 1) - 1, len(answers))]
    if_not = uniform(stream, field ** (dimension - 1), len(answers))
    drawn = []
    for answer, truth, *frees in zip(answers, honest, if_not, if_orthogonal, strict=True):
        assert isinstance(answer, int)
        own = points[answer]
        last = max(place for place in range(dimension) if own[place])
        digits = [frees[truth] // field**place % field for place in range(dimension - 1)]
        for solved in range(field):
            vector = [*digits[:last], solved, *digits[last:]]
            if sum(a * b for a, b in zip(own, vector, strict=True)) % field == (0 if truth else 1):
                multiples = {tuple(factor * value % field for value in vector) for factor in range(1, field)}
                drawn.append(next(number for number, point in enumerate(points) if point in multiples))
    return [number.to_bytes(1 if len(points) <= 256 else 2, "big") for number in drawn]


def perturb_sketch(published: Published, n_values: int, answers: Sequence[Answer], stream: Stream) -> list[bytes]:
    cohorts = uniform(stream, published["n_cohorts"], len(answers))
    buckets = [sketch_bucket(published, answer, cohort) for answer, cohort in zip(answers, cohorts, strict=True)]
    points = perturb_geometry(published, n_values, buckets, stream)
    return [cohort.to_bytes(2, "big") + point for cohort, point in zip(cohorts, points, strict=True)]


def sketch_bucket(published: Published, answer: Answer, cohort: int) -> int:
    assert isinstance(answer, str)
    text = counts_as(answer) or ""
    if lengths := published.get("prefix_lengths"):
        text = "".join(itertools.islice(text, lengths[cohort % len(lengths)]))
    return bucket_of(len(points_of(published)), cohort, text)
