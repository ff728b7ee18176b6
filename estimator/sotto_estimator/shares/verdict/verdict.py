"""What is known of a question: a finding of each value, their order, and what more reports would give."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal, Protocol

import numpy as np

from sotto_estimator.results.rounding import Ends, any_too_wide, down, nearest, step_of, up
from sotto_estimator.shares.verdict.order import Order

_COARSEST = Decimal("0.01")
"""A share is rounded to whole per cents at the most."""

Kind = Literal["between", "none", "all", "exact", "unknown"]


@dataclass(frozen=True, slots=True)
class Finding:
    """What is known of one value: a share as a fraction, or, where `unit` is not None, a mean in that unit.

    `low`, `high`: the interval, clipped to what is possible and rounded outward; `likely`: the estimate, brought into
    it. `kind`: which ends of what is possible the interval reaches: "none" the least, "all" the greatest, "unknown"
    both, "between" neither; "exact" where it is one number. `is_decided`: whether `likely` is told: nowhere in a
    question of which an interval, of this value or another, is too wide.
    """

    answer: str
    kind: Kind
    low: Decimal
    high: Decimal
    likely: Decimal
    unit: str | None = None
    is_decided: bool = True


class Share(Protocol):
    """An answer, the unbiased estimate of its share, and its interval's ends in [0, 1]."""

    @property
    def answer(self) -> str: ...
    @property
    def share(self) -> float: ...
    @property
    def low(self) -> float: ...
    @property
    def high(self) -> float: ...


@dataclass(frozen=True, slots=True)
class Aim:
    """A half-width, of a share as a fraction or in `unit`, and the reports that give it: `n_needed` in all.

    `is_declared`: whether the survey says that it is wanted; else it is a tenth of all there is. `n_needed`: None
    where no number gives it. `n_reports`: as many as there are. `drawn`: how many questions each of them answers, and
    of how many, where it is not all.
    """

    half_width: float
    is_declared: bool
    n_needed: int | None
    n_reports: int
    unit: str | None = None
    drawn: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is known of one question.

    `findings`: of its answers, or of its mean; none of a text question, nor where nothing is counted. Of many answers
    they are of the largest shares, by intervals that hold together, and `n_left_out` are not told. `score`: of the mean
    score, where answers have scores. `order`: None where
    there is one answer. `aim`: None where it is reached. `is_void`: whether the counts contradict the design.
    """

    question: str
    findings: tuple[Finding, ...] = ()
    score: Finding | None = None
    n_left_out: int = 0
    order: Order | None = None
    aim: Aim | None = None
    is_void: bool = False
    is_text: bool = False

    @property
    def is_decided(self) -> bool:
        """Whether no interval is too wide to name an estimate."""
        return all(finding.is_decided for finding in self.findings)

    @property
    def is_unknown(self) -> bool:
        """Whether there is something to be known, and nothing is."""
        return bool(self.findings) and all(finding.kind == "unknown" for finding in self.findings)


def share_findings(shares: Sequence[Share], *, is_decided: bool = True) -> tuple[Finding, ...]:
    """Return what is known of the shares of one question, said alike of all.

    `is_decided`: False where another interval of the question is too wide to name an estimate (`any_too_wide`).
    """
    ends = share_ends(shares)
    is_decided = is_decided and not any_too_wide(ends)
    return tuple(_share_finding(of, *span, is_decided) for of, span in zip(shares, ends, strict=True))


def _share_finding(of: Share, low: float, high: float, is_decided: bool) -> Finding:
    rounded = _rounded(of.share, low, high, min(_COARSEST, step_of(high - low)))
    # What is rounded up to all rules out nothing that is worth saying.
    kind = _kind(low, high, (0, 1)) if is_decided else _kind(low, float(rounded[1]), (0, 1))
    return Finding(of.answer, kind, *rounded, is_decided=is_decided)


def mean_finding(answer: str, mean: float, ends: Ends, span: Ends, unit: str) -> Finding:
    """Return what is known of a mean from its unbiased estimate, its interval, and the span of all answers."""
    low, high = of_precision(mean, ends, span)
    rounded = _rounded(mean, low, high, step_of(high - low))
    is_decided = not any_too_wide([(low, high)], span[1] - span[0])
    kind = _kind(low, high, span) if is_decided else _kind(float(rounded[0]), float(rounded[1]), span)
    return Finding(answer, kind, *rounded, unit, is_decided)


def share_ends(shares: Sequence[Share]) -> list[Ends]:
    """Return the intervals of one question's shares, each as wide as the survey is precise (`of_precision`).

    None is made to reach lower, or less high, than that of an answer with the lower estimate and interval: that would
    show the larger share as the smaller one.
    """
    ends = np.array([of_precision(of.share, (of.low, of.high), (0, 1)) for of in shares]).reshape(-1, 2)
    estimates, lows, highs = np.array([(of.share, of.low, of.high) for of in shares]).reshape(-1, 3).T
    lowered, raised = ends.T
    found = []
    for of, (low, high) in zip(shares, ends.tolist(), strict=True):
        below = (estimates <= of.share) & (lows <= of.low)
        above = (estimates >= of.share) & (highs >= of.high)
        low = float(lowered[below].max()) if of.share > 1 else low
        found.append((low, float(raised[above].min()) if of.share < 0 else high))
    return found


def of_precision(estimate: float, ends: Ends, span: Ends) -> Ends:
    """Return an interval that is as wide as the survey is precise, although its estimate is not in the span of answers.

    Where the estimate is outside, its interval was cut on that side, to next to nothing at times: by chance, not since
    so much is known. It is the interval around the span's end instead, which holds the one that was cut.
    """
    (low, high), (least, most) = ends, span
    return max(least, low - max(0.0, estimate - most)), min(most, high + max(0.0, least - estimate))


def _kind(low: float, high: float, span: Ends) -> Kind:
    if low == high:
        return "exact"
    reaches_low, reaches_high = low <= span[0], high >= span[1]
    if reaches_low:
        return "unknown" if reaches_high else "none"
    return "all" if reaches_high else "between"


def _rounded(estimate: float, low: float, high: float, step: Decimal) -> tuple[Decimal, Decimal, Decimal]:
    """Return the ends, outward, and the estimate, brought between them. A low end that is above 0 is not said to be 0.

    >>> _rounded(0.08, 0.0072, 0.197, Decimal("0.01"))
    (Decimal('0.007'), Decimal('0.20'), Decimal('0.08'))
    """
    least = down(low, step)
    if low > 0 and not least:
        least = down(low, step_of(low)) or least
    ends = least, up(high, step)
    return *ends, min(max(nearest(estimate, step), ends[0]), ends[1])
