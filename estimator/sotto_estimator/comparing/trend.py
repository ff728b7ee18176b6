"""Does a share rise or fall evenly over ordered groups? The test of Cochran and Armitage, of unbiased shares.

Notation: of group i, x_i its score, y_i its unbiased share of n_i reports, s_i that one's standard error, and x the
mean score of all reports. With c_i = n_i (x_i - x) / (sum of n_j (x_j - x)^2) the slope is the sum of c_i y_i. Of
independent groups its variance is the sum of c_i^2 s_i^2; of waves of the same people, whatever they share, its
standard error is at most the sum of |c_i| s_i. P is by the errors that there were if all had the pooled share, which of
one channel is the test of Cochran (1954) and Armitage (1955); the interval is by each group's own.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy import special

from sotto_estimator.channel.channel import Floats
from sotto_estimator.comparing.adjusted import adjusted, adjusted_words
from sotto_estimator.comparing.compare import CompareOptions
from sotto_estimator.comparing.group_estimates import GroupEstimate
from sotto_estimator.comparing.result import Row, Span, Tested
from sotto_estimator.errors import DomainError
from sotto_estimator.intervals.group_misfit import GroupMisfit, contradicting
from sotto_estimator.planning.power import LEAST_EXPECTED
from sotto_estimator.results.words import level_words, misfit_sentence

_LEAST_GROUPS = 3


@dataclass(frozen=True, slots=True)
class Trend(Row):
    """The slope of one answer's share, or of a mean, by unit of score, with an approximate interval and P-value.

    `contradicting`: the groups, with commas between, whose counts contradict how they were asked: then verdict,
    P-value, slope, its error and interval, and these groups' estimates are None.
    """

    question: str
    answer: str
    unit: str | None
    groups: tuple[str, ...]
    scores: tuple[float, ...]
    n: tuple[int, ...]
    estimates: tuple[float | None, ...]
    epsilon: float
    slope: float | None
    standard_error: float | None
    slope_low: float | None
    slope_high: float | None
    p_value: float | None
    verdict: str | None
    interval: str = "approximate"
    warning: str = ""
    contradicting: str = ""

    FOUND: ClassVar[tuple[str, ...]] = ("slope", "standard_error", "slope_low", "slope_high", "p_value", "verdict")

    @property
    def compared(self) -> tuple[str, ...]:
        """All groups."""
        return self.groups

    @property
    def is_found(self) -> bool:
        """Whether the test found anything."""
        return self.verdict not in (None, "no trend found")

    def estimates_without(self, contradicting: Collection[str]) -> dict[str, Any]:
        """Return the groups' estimates without those of these groups, and which these are; and no warning."""
        pairs = zip(self.groups, self.estimates, strict=True)
        return {
            "estimates": tuple(None if name in contradicting else estimate for name, estimate in pairs),
            "warning": "",
            "contradicting": ", ".join(name for name in self.groups if name in contradicting),
        }

    @property
    def span(self) -> Span:
        """What is drawn of it."""
        slope, low, high = (np.nan if of is None else of for of in (self.slope, self.slope_low, self.slope_high))
        return Span(self.named, slope, low, high, self.unit)

    @property
    def sentence(self) -> str:
        """What is known, in plain words."""
        if self.verdict is None:
            return misfit_sentence(self.question, self.contradicting)
        what = {"no trend found": "no trend can be shown"}.get(self.verdict, f"it {self.verdict}")
        said = f"{self.named}: {what} from {self.groups[0]} to {self.groups[-1]}."
        return f"{said} Warning: {self.warning}." if self.warning else said


def trend_of_sides(
    title: str,
    groups: Mapping[str, Sequence[GroupEstimate]],
    options: CompareOptions,
    scores: Sequence[float] = (),
    contradictions: Sequence[GroupMisfit] = (),
) -> Tested[Trend]:
    """Test each answer's trend over the groups, in their order; `scores`: their places, 1, 2, .. where not given.

    `contradictions`: of groups that find nothing. Raises `DomainError` unless there are 3 groups or more, scores that
    differ, and a question all have reports to.
    """
    if len(groups) < _LEAST_GROUPS:
        raise DomainError(
            f"groups ({', '.join(groups)}) must be {_LEAST_GROUPS} or more. Compare two groups by their difference."
        )
    if options.anytime:
        raise DomainError("anytime does not go with a trend test, which is approximate.")
    places = np.array(scores or range(1, len(groups) + 1), np.float64)
    if len(places) != len(groups) or not np.isfinite(places).all() or np.ptp(places) == 0:
        raise DomainError(
            f"scores ({', '.join(map(str, scores))}) must be {len(groups)} numbers that are not all equal."
        )
    keyed = [{(side.question, side.answer): side for side in sides} for sides in groups.values()]
    keys = [key for key in keyed[0] if all(key in of for of in keyed)]
    if not keys:
        raise DomainError("the groups have no question with reports in common.")
    n_rows = len(keys) if options.simultaneous else 1
    sides = [[of[key] for of in keyed] for key in keys]
    p_values = [_p_value(of, places, options) for of in sides]
    void = [bool(contradicting(contradictions, question, groups)) for question, _ in keys]
    p_values = adjusted(p_values, options, void=void)
    rows = tuple(
        _row(of, tuple(groups), places, options, n_rows, p_value) for of, p_value in zip(sides, p_values, strict=True)
    )
    return Tested("trend", title, _lines(options), options.members, rows)


def _lines(options: CompareOptions) -> tuple[str, ...]:
    together = "all valid together" if options.simultaneous else "each valid on its own"
    people = (
        "the groups are different people"
        if options.people == "other"
        else "the groups may share people, so errors are upper bounds"
    )
    return (
        f"Cochran-Armitage test; slope by unit of score, with {level_words(options.level)} intervals, {together}"
        + adjusted_words(options),
        f"approximate, by the normal distribution; {people}",
    )


def _slope(sides: Sequence[GroupEstimate], places: Floats) -> tuple[Floats, float]:
    """Return the weights of the estimates in the slope, and the slope."""
    n, estimates = np.array([side.n for side in sides], np.float64), np.array([side.estimate for side in sides])
    centred = places - (n @ places) / n.sum()
    weights = n * centred / (n @ centred**2)
    return weights, float(weights @ (estimates - estimates[0]))


def _pooled(sides: Sequence[GroupEstimate]) -> float:
    n = np.array([side.n for side in sides], np.float64)
    return float(n @ np.array([side.estimate for side in sides]) / n.sum())


def _p_value(sides: Sequence[GroupEstimate], places: Floats, options: CompareOptions) -> float:
    weights, slope = _slope(sides, places)
    pooled = _pooled(sides)
    at_null = _error(weights, np.array([side.error_at(pooled) for side in sides]), options)
    distance = abs(slope) / at_null if at_null else np.inf if slope else 0.0
    return min(1.0, 2 * float(special.ndtr(-distance)))


def _row(
    sides: Sequence[GroupEstimate],
    groups: tuple[str, ...],
    places: Floats,
    options: CompareOptions,
    n_rows: int,
    p_value: float,
) -> Trend:
    """Return the row of a test that gave this P-value, which holds with those of the other rows where they must."""
    weights, slope = _slope(sides, places)
    error = _error(weights, np.array([side.standard_error for side in sides]), options)
    reach = -float(special.ndtri((1 - options.level) / n_rows / 2)) * error
    is_found = p_value <= 1 - options.level
    return Trend(
        question=sides[0].question,
        answer=sides[0].answer,
        unit=sides[0].unit,
        groups=groups,
        scores=tuple(places.tolist()),
        n=tuple(side.n for side in sides),
        estimates=tuple(side.estimate for side in sides),
        epsilon=max(side.epsilon for side in sides),
        slope=slope,
        standard_error=error,
        slope_low=slope - reach,
        slope_high=slope + reach,
        p_value=p_value,
        verdict=("rises" if slope > 0 else "falls") if is_found else "no trend found",
        warning=_too_few(sides, _pooled(sides)),
    )


def _too_few(sides: Sequence[GroupEstimate], pooled: float) -> str:
    """Return what is to be said where the normal distribution is far off; of sides of one channel each, else ""."""
    groups = [side.group for side in sides if side.group]
    if not groups:
        return ""
    reported = [of.channel.reported_share(min(max(pooled, 0.0), 1.0)) for of in groups]
    least = min(of.n * min(share, 1 - share) for of, share in zip(groups, reported, strict=True))
    few = f"{least:.2g} reports of the rarer kind are expected in a group, and the test asks for {LEAST_EXPECTED}"
    return f"{few}: P may be far off" if least < LEAST_EXPECTED else ""


def _error(weights: Floats, errors: Floats, options: CompareOptions) -> float:
    """Return the standard error of a weighted sum; of groups that may depend on one another at most."""
    parts = np.abs(weights) * errors
    return float(parts.sum() if options.people == "same" else np.sqrt(parts @ parts))
