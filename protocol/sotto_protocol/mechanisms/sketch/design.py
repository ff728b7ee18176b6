"""The design of a sketch: a space with hardly more noise than the best, in as many cohorts as a tally has room for."""

from decimal import Decimal
from functools import lru_cache

from sotto_protocol.cohorts import MAX_COHORTS, shown_cohorts
from sotto_protocol.mechanisms.asked import Asked
from sotto_protocol.mechanisms.geometry import (
    MAX_FIELD,
    MAX_VECTORS,
    PRIMES,
    is_prime,
    n_points,
    odds_against,
    probs_about,
)
from sotto_protocol.mechanisms.mechanism import MAX_VALUES
from sotto_protocol.mechanisms.sets import threshold_of
from sotto_protocol.mechanisms.sketch.response import MAX_COUNTS, SketchResponse, take_prefix_lengths

USUAL_LENGTHS = (4, 6)
"""Of an alphabet of 26 to 45 characters the steps that ask for the smallest shares, whatever n and epsilon are.

The tests of both lengths are about as strict: of a few million strings, 20 of which are followed in vain, and of what
a few dozen beginnings are made longer to. At (3, 6) the second takes a tenth more of a string.
"""
_OF_RAPPOR = ("n_bits", "n_hashes", "max_length", "gram_length", "prob_noise")
_FEW_COHORTS = 64
"""Where each cohort needs a least number of reports before anything is shown."""
_FEWEST = 12
"""With fewer cohorts a string that shares one bucket with a common one seems to have a large part of its share."""
_NEAR = 1.03
"""How much more variance than the least a space may have, where it leaves room for more cohorts."""
_ROUNDING = 1.05  # more than `probs_about` is off by


def sketch(epsilon: Decimal, n_cohorts: int | None = None, prefix_lengths: tuple[int, ...] = ()) -> SketchResponse:
    """Return the sketch of an epsilon; the cohorts are by default as many as there may be, at most 1024.

    What strings that share buckets make wrong of a share, however many reports there are, goes with one over the root
    of the points of all cohorts together. So of spaces with hardly more noise than the best, one that has half of the
    points that there may be is taken, and of these that with the most cohorts.
    """
    fewest = n_cohorts or max(_FEWEST, len(prefix_lengths))
    about = {shape: _about(epsilon, shape) for shape in _shapes(fewest)}
    shapes = [shape for shape, variance in about.items() if variance <= _NEAR * _ROUNDING * min(about.values())]
    made = [_of_shape(epsilon, shape, n_cohorts, prefix_lengths) for shape in shapes]
    near = _NEAR * min(response.share_variance for response in made)
    return max(
        (response for response in made if response.share_variance <= near),
        key=lambda r: (min(r.n_cohorts * r.n_values, MAX_COUNTS // 2), r.n_cohorts, -r.share_variance),
    )


def ask_sketch(asked: Asked) -> SketchResponse:
    """Return the sketch of a text question as an author asks for it."""
    for member in _OF_RAPPOR:
        if asked.has(member):
            raise asked.fields.misplaced(member)
    lengths: tuple[int, ...] = ()
    if asked.flag("unknown"):
        lengths = take_prefix_lengths(asked.fields) if asked.has("prefix_lengths") else USUAL_LENGTHS
    return sketch(asked.require_epsilon(), _read_cohorts(asked, len(lengths) or 1), lengths)


def _read_cohorts(asked: Asked, n_each: int) -> int | None:
    """Return the number of cohorts, None where there may be as many as there is room for: each shows by itself."""
    if asked.has("n_cohorts"):
        return asked.fields.integer("n_cohorts", 1, MAX_COHORTS)
    if asked.min_reports == 1:
        return None
    most = _FEW_COHORTS if asked.people is None else shown_cohorts(asked.people, asked.min_reports, _FEW_COHORTS)
    return max(n_each, most // n_each * n_each)


def _shapes(fewest_cohorts: int) -> list[tuple[int, int]]:
    """Return the fields and dimensions of the spaces that have room for so many cohorts: of large planes a few."""
    most = min(MAX_VALUES, MAX_COUNTS // fewest_cohorts)
    spaces = [
        (field, dimension)
        for field in PRIMES
        for dimension in range(2, MAX_VECTORS.bit_length())
        if field**dimension <= MAX_VECTORS and n_points(field, dimension) <= most
    ]
    return spaces + [(field, 2) for field in _large_fields() if n_points(field, 2) <= most]


@lru_cache(maxsize=1)
def _large_fields() -> list[int]:
    """Return primes about a twentieth apart up to MAX_FIELD, above those whose spaces are all compared.

    A plane is k-ary response of buckets. Its variance is least with e^epsilon + 1 of them, and flat about that.
    """
    fields = [PRIMES[-1]]
    while fields[-1] < MAX_FIELD:
        most = min(fields[-1] * 21 // 20, MAX_FIELD)
        fields.append(next(number for number in range(most, 1, -1) if is_prime(number)))
    return fields[1:]


def _about(epsilon: Decimal, shape: tuple[int, int]) -> float:
    """Return a space's `share_variance`, but for the rounding of its threshold."""
    true, other = probs_about(epsilon, *shape)
    other += (true - other) / n_points(*shape)
    return other * (1 - other) / (true - other) ** 2


def _of_shape(
    epsilon: Decimal, shape: tuple[int, int], n_cohorts: int | None, prefix_lengths: tuple[int, ...]
) -> SketchResponse:
    n_each = len(prefix_lengths) or 1
    most = min(MAX_COHORTS, MAX_COUNTS // n_points(*shape)) // n_each * n_each
    threshold = threshold_of(epsilon, odds_against(*shape))
    return SketchResponse("sketch", n_cohorts or most, threshold, *shape, prefix_lengths)
