"""The smallest share of a string that a text question will detect, and the design that makes it smallest."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache, partial
from itertools import product

from scipy.special import ndtr, ndtri

from sotto_estimator.channel.channel import check_n, check_power
from sotto_estimator.errors import DomainError
from sotto_estimator.strings.filter_power import FilterTest
from sotto_estimator.strings.plan_designs import (
    BucketResponse,
    bucket_response,
    count_mean_sketch,
    hadamard_count_mean_sketch,
)
from sotto_estimator.strings.sketch_power import SketchTest
from sotto_protocol.mechanisms.bloom.design import BloomShape, bloom
from sotto_protocol.mechanisms.bloom.response import MAX_COUNTS, BloomResponse
from sotto_protocol.mechanisms.sketch.design import sketch
from sotto_protocol.mechanisms.thresholds import Stages

POWER = 0.8
"""With this probability a string of the smallest share is detected, where none is asked for."""
ERROR_RATE = 0.05
"""The false discovery rate; a string that is detected alone takes all of it, over the number of candidates."""
MAX_PLANNED_CANDIDATES = 10**9

TextDesign = BloomResponse | BucketResponse
_N_BITS = tuple(2**power for power in range(3, 13))
_N_HASHES = (1, 2, 3, 4)
_N_COHORTS = tuple(2**power for power in range(11))
_MIN_REPORTS_A_COHORT = 100  # the decoder takes errors from the counts themselves: they need some
_NEAR_BEST = 1.05  # a share that is this many times the smallest is as good, if reports are shorter
_ROUGH = 1.03  # times a rough share is about the smallest one: the decoder has two tests
_PRECISION, _STEP = 1e-6, 0.2  # of a share, relative: of what is found, and of where it is looked for first
_SURE = 1e-9  # what is less probable is as probable, and what is more than the rest of it


@dataclass(frozen=True, slots=True)
class TextStudy:
    """Whom a text question is planned for: `n_reports` of different people, `n_candidates` strings looked for.

    `power`: the probability with which a string is to be detected, in (0, 1).
    """

    n_reports: int
    n_candidates: int
    power: float = POWER

    def __post_init__(self) -> None:
        check_n(self.n_reports)
        check_power(self.power)
        if not 1 <= self.n_candidates <= MAX_PLANNED_CANDIDATES:
            raise DomainError(f"n_candidates ({self.n_candidates}) must be in [1, {MAX_PLANNED_CANDIDATES}].")


@dataclass(frozen=True, slots=True)
class TextPlanRow:
    """One design. Epsilons in nats, shares as fractions; `is_best` is the one to take for its epsilons.

    `mechanism`: by its name in a survey file, or of Apple's two sketches, which no file has. `n_buckets`: of RAPPOR the
    filter's bits. `smallest_share` is detected with the study's power; `standard_error` is that of its estimate.
    """

    mechanism: str
    epsilon: float
    epsilon_forever: float
    n_buckets: int
    n_hashes: int
    n_cohorts: int
    report_bytes: int
    standard_error: float
    smallest_share: float
    is_best: bool


def plan_text_question(
    epsilon: Decimal,
    epsilon_forever: Decimal | None,
    study: TextStudy,
    *,
    n_bits: int | None = None,
    n_hashes: int | None = None,
    n_cohorts: int | None = None,
) -> list[TextPlanRow]:
    """Return the sketch, RAPPOR's best design for every number of hashes, and Apple's sketches; the best of all first.

    Epsilons in [0.001, 20], in nats: of one report and, above it, of all reports of one answer; None leaves the
    instantaneous stage out, which only RAPPOR has. A number that is given is not chosen; bits and hashes are RAPPOR's.
    Raises ValueError for one outside its domain, and where no string could be detected.
    """
    filters = _plan_filters(epsilon, epsilon_forever, study, (n_bits, n_hashes, n_cohorts))
    if not (epsilon_forever is None and n_bits is None and n_hashes is None):
        return _with_best(filters, [], epsilon, study)
    apple = [count_mean_sketch(epsilon), hadamard_count_mean_sketch(epsilon)]
    sketches = (bucket_response(sketch(epsilon, n_cohorts)), *apple)
    ours, *others = [_row(design, epsilon, None, study, smallest_share(design, study)) for design in sketches]
    return _with_best([ours, *filters], others, epsilon, study)


def _plan_filters(
    epsilon: Decimal, epsilon_forever: Decimal | None, study: TextStudy, given: tuple[int | None, ...]
) -> list[TextPlanRow]:
    """Return RAPPOR's best design for every number of hashes."""
    choices = [_fixed(*number) for number in zip(given, (_N_BITS, _N_HASHES, _N_COHORTS), strict=True)]
    shapes = list(_shapes(choices, study))
    differences = {shape.n_differences for shape in shapes}
    stages = {number: Stages.of_epsilons(number, epsilon, epsilon_forever) for number in differences}
    designs = [bloom(shape, stages[shape.n_differences]) for shape in shapes]
    rows = {design: _row(design, epsilon, epsilon_forever, study, rough_share(design, study)) for design in designs}
    of_hashes = [{design: row for design, row in rows.items() if row.n_hashes == hashes} for hashes in choices[1]]
    return [_best_filter(some, study) for some in of_hashes]


def _best_filter(rows: dict[BloomResponse, TextPlanRow], study: TextStudy) -> TextPlanRow:
    """Return the best of rows with rough shares. Those that matter get the share of the decoder's tests."""
    known: set[BloomResponse] = set()
    while True:
        least = min(rows, key=lambda design: rows[design].smallest_share * (1 if design in known else _ROUGH))
        best = _best(list(rows.values()), rows[least].smallest_share)
        design = next(design for design, row in rows.items() if row is best) if least in known else least
        if design in known:
            return best
        known.add(design)
        share = smallest_share(design, study)
        error = standard_error(share, design, study.n_reports)
        rows[design] = replace(rows[design], smallest_share=share, standard_error=error)


def _with_best(
    rows: list[TextPlanRow], others: list[TextPlanRow], epsilon: Decimal, study: TextStudy
) -> list[TextPlanRow]:
    """Return the best of the rows, marked, then the rest of them, then others, which no file has."""
    chosen = _best(rows, min(row.smallest_share for row in rows))
    if chosen.smallest_share >= 1:
        raise ValueError(
            f"epsilon ({epsilon}) and n = {study.n_reports:,} reports detect no text, not even one that everybody "
            "answers. Ask more people, or use a larger epsilon."
        )
    return [replace(chosen, is_best=True), *(row for row in rows if row is not chosen), *others]


def share_variance(share: float, design: TextDesign) -> float:
    """Return n times the variance of a string's estimated share, of the reports alone.

    Of a filter the estimate is the mean over reports of g = sum over bits i of (x_i - d)(y_i - b) / ((a - b) k d
    (1 - d)): y_i is the reported bit, x_i whether the string sets it, d the chance that a string does, a and b the
    probabilities of a reported one if it does and does not. Other strings' bits are random. Exact for one hash. Derived
    in docs/maths-strings.md.
    """
    if isinstance(design, BucketResponse):
        return design.share_variance(share)
    a, b = design.prob_one_if_one, design.prob_one_if_zero
    density, spread = _hash_moments(design)
    scale = (a - b) ** 2 * design.n_values * density * (1 - density)
    noise_of_others = density * a * (1 - a) + (1 - density) * b * (1 - b)
    noise_of_own = (1 - density) * a * (1 - a) + density * b * (1 - b)
    of_others = (noise_of_others + (a - b) ** 2 * spread) / scale
    return (1 - share) * of_others + share * noise_of_own / scale + share * (1 - share)


def standard_error(share: float, design: TextDesign, n_reports: int) -> float:
    """Return the error of a string's estimated share, with what the other strings' bits add at worst.

    At worst they are on no list and have the same share each, as more common ones are found: (1 - share) / share
    strings, of which each adds share^2 / (n_buckets n_cohorts) or a little more, however many the reports are.
    """
    density, spread = _hash_moments(design)
    of_hashes = spread / (density * (1 - density)) / (design.n_values * design.n_cohorts)
    return math.sqrt(share_variance(share, design) / n_reports + share * (1 - share) * of_hashes)


def _hash_moments(design: TextDesign) -> tuple[float, float]:
    """Return the chance d that a random string sets a bit, and d (1 - d) less the covariance of two bits."""
    k, h = design.n_values, design.n_hashes
    unset = (1 - 1 / k) ** h
    covariance = (1 - 2 / k) ** h - unset**2
    return 1 - unset, unset * (1 - unset) - covariance


@lru_cache(maxsize=1024)
def smallest_share(design: TextDesign, study: TextStudy) -> float:
    """Return the smallest share that is detected with the study's power, by the decoder's own tests; 1 where none is.

    Others have strings of their own; of a filter they may all be as common too, whichever is harder.
    """
    if isinstance(design, BucketResponse):
        return _least_share(SketchTest(design, study.n_reports, ERROR_RATE / study.n_candidates).power, study)
    test, share = FilterTest(design, study.n_reports, study.n_candidates, ERROR_RATE), rough_share(design, study)
    for is_common in (True, False):
        power = partial(test.power, is_common=is_common)
        share = share if not is_common and power(share) >= study.power else _least_share(power, study, share)
    return share


def rough_share(design: TextDesign, study: TextStudy) -> float:
    """Return about the smallest share that is detected: as if by one test, of an estimate that is normal."""

    def power(share: float) -> float:
        return float(ndtr(share / standard_error(share, design, study.n_reports) + score))

    score = float(ndtri(ERROR_RATE / study.n_candidates))
    return _least_share(power, study)


def _least_share(power: Callable[[float], float], study: TextStudy, near: float = 1.0) -> float:
    """Return the least share that has the study's power, of one person and more; 1 where none has.

    It is looked for around `near` first.
    """
    from scipy.optimize import brentq  # it takes a fifth of a second to load

    def excess(log_share: float) -> float:
        found = min(max(power(math.exp(log_share)), _SURE), 1 - _SURE)
        return float(ndtri(found) - ndtri(study.power))

    least, middle = -math.log(study.n_reports), math.log(near)
    high = next((end for end in (min(middle + _STEP, 0.0), 0.0) if excess(end) >= 0), None)
    if high is None:
        return 1.0
    low = next((end for end in (middle - _STEP, least) if least <= end and excess(end) < 0), None)
    return math.exp(least if low is None else brentq(excess, low, high, xtol=_PRECISION))


def _fixed(number: int | None, choices: tuple[int, ...]) -> tuple[int, ...]:
    return choices if number is None else (number,)


def _shapes(choices: Sequence[tuple[int, ...]], study: TextStudy) -> list[BloomShape]:
    """Return the filters to compare: not more counts than a tally holds, enough reports in each cohort."""
    most_cohorts = max(min(choices[2]), study.n_reports // _MIN_REPORTS_A_COHORT)
    most_counts = max(min(choices[0]) * min(choices[2]), MAX_COUNTS)
    return [
        BloomShape(n_bits, n_hashes, n_cohorts)
        for n_bits, n_hashes, n_cohorts in product(*choices)
        if n_cohorts <= most_cohorts and n_bits * n_cohorts <= most_counts
    ]


def _row(
    design: TextDesign, epsilon: Decimal, epsilon_forever: Decimal | None, study: TextStudy, share: float
) -> TextPlanRow:
    return TextPlanRow(
        design.name,
        float(epsilon),
        float(epsilon if epsilon_forever is None else epsilon_forever),
        design.n_values,
        design.n_hashes,
        design.n_cohorts,
        design.n_bytes,
        standard_error(share, design, study.n_reports),
        share,
        False,
    )


def _best(rows: Sequence[TextPlanRow], least: float) -> TextPlanRow:
    """Return the row of the shortest reports, then of the fewest cohorts, among those that are near the least share."""
    return min(
        (row for row in rows if row.smallest_share <= _NEAR_BEST * least),
        key=lambda row: (row.report_bytes, row.n_buckets * row.n_cohorts, row.smallest_share),
    )
