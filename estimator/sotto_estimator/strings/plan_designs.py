"""Ways to report one bucket of a string, for plans: the sketch, and what it is the better of (Apple 2017)."""

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from sotto_protocol.bounds import exp_below
from sotto_protocol.mechanisms.sketch.response import SketchResponse

_APPLE_BUCKETS, _APPLE_COHORTS = 1024, 256
"""As many buckets as Apple has, and as many hashes as there is room for counts of them in a tally."""


@dataclass(frozen=True, slots=True)
class BucketResponse:
    """A string is one of `n_values` buckets in one of n_cohorts; a report supports some of them.

    The string's own with `prob_support_if_true`, each other one with `prob_support_if_other`. `n_bytes`: of a report.
    """

    name: str
    n_values: int
    n_cohorts: int
    n_bytes: int
    prob_support_if_true: float
    prob_support_if_other: float
    n_hashes: int = 1

    def share_variance(self, share: float) -> float:
        """Return n times the variance of a string's estimated share, of the reports alone.

        What is counted is the support of the string's buckets; other strings have it by chance, with 1 / n_values.
        """
        true, other = self.prob_support_if_true, self.prob_support_if_other
        other += (true - other) / self.n_values
        support = share * true + (1 - share) * other
        return support * (1 - support) / (true - other) ** 2


def bucket_response(sketch: SketchResponse) -> BucketResponse:
    """Return what a plan needs to know of a sketch."""
    response = sketch.geometry
    probs = response.prob_support_if_true, response.prob_support_if_other
    return BucketResponse(sketch.name, sketch.n_values, sketch.n_cohorts, sketch.n_bytes, *probs)


def count_mean_sketch(epsilon: Decimal) -> BucketResponse:
    """Return Apple's: a bit for every bucket, of which those of two strings differ in two (`rappor` with one hash)."""
    odds = exp_below(epsilon / 2)
    true = float(odds / (odds + 1))
    return _apple("count mean", 2 + _APPLE_BUCKETS // 8, true, 1 - true)


def hadamard_count_mean_sketch(epsilon: Decimal) -> BucketResponse:
    """Return Apple's: one entry of the bucket's row of a Hadamard matrix and its sign, by a coin.

    A report names an entry and a sign, one of 2 n_values; half of them are a bucket's, and of these half another's.
    """
    odds = exp_below(epsilon)
    return _apple("Hadamard", 4, float(odds / (odds + 1)), float(Fraction(1, 2)))


def _apple(name: str, n_bytes: int, true: float, other: float) -> BucketResponse:
    return BucketResponse(name, _APPLE_BUCKETS, _APPLE_COHORTS, n_bytes, true, other)
