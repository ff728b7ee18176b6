"""What is known of a question: a finding of each value, their order, and what more reports would give."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from sotto_estimator.verdict.order import Order
from sotto_estimator.verdict.rounding import down, nearest, step_of, up

UNKNOWN = 0.5
"""An interval that is so wide, as a part of all there is, leaves half of it: nothing is known."""
_COARSEST = Decimal("0.01")
"""A share is rounded to whole per cents at the most."""

Ends = tuple[float, float]
Kind = Literal["between", "none", "all", "exact", "unknown"]


@dataclass(frozen=True, slots=True)
class Finding:
    """What is known of one value: a share as a fraction, or, where `unit` is not None, a mean in that unit.

    `low`, `high`: the interval, clipped to what is possible and rounded outward; `likely`: the estimate, brought into
    it. `kind`: "none" where it cannot be told from a share of none, "all" where not from everybody's, "exact" where
    it is one number, "unknown" where the interval leaves half of all there is.
    """

    answer: str
    kind: Kind
    low: Decimal
    high: Decimal
    likely: Decimal
    unit: str | None = None


@dataclass(frozen=True, slots=True)
class Aim:
    """A half-width, of a share as a fraction or in `unit`, and the reports that give it: `n_needed` in all.

    `is_declared`: whether the survey says that it is wanted; else it is a tenth of all there is. `n_needed`: None
    where no number gives it. `n_reports`: as many as there are.
    """

    half_width: float
    is_declared: bool
    n_needed: int | None
    n_reports: int
    unit: str | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is known of one question.

    `findings`: of its answers, or of its mean; none of a text question, nor where nothing is counted. Of many answers
    they are of the largest shares, by intervals that hold together, and `n_left_out` are not told. `order`: None where
    there is one answer. `aim`: None where it is reached. `is_void`: whether the counts contradict the design.
    """

    question: str
    findings: tuple[Finding, ...] = ()
    n_left_out: int = 0
    order: Order | None = None
    aim: Aim | None = None
    is_void: bool = False
    is_text: bool = False

    @property
    def is_unknown(self) -> bool:
        """Whether there is something to be known, and nothing is."""
        return bool(self.findings) and all(finding.kind == "unknown" for finding in self.findings)


def share_finding(answer: str, share: float, ends: Ends) -> Finding:
    """Return what is known of a share from its unbiased estimate and its interval's ends in [0, 1]."""
    low, high = of_precision(share, ends, (0, 1))
    kind: Kind = _kind(low, high, 1)
    if kind == "between":
        kind = "none" if low <= 0 else "all" if high >= 1 else "between"
    return Finding(answer, kind, *_rounded(share, low, high, min(_COARSEST, step_of(high - low))))


def mean_finding(answer: str, mean: float, ends: Ends, span: Ends, unit: str) -> Finding:
    """Return what is known of a mean from its unbiased estimate, its interval, and the span of all answers."""
    low, high = of_precision(mean, ends, span)
    return Finding(answer, _kind(low, high, span[1] - span[0]), *_rounded(mean, low, high, step_of(high - low)), unit)


def of_precision(estimate: float, ends: Ends, span: Ends) -> Ends:
    """Return an interval that is as wide as the survey is precise, although its estimate is not in the span of answers.

    Where the estimate is outside, its interval was cut on that side, to next to nothing at times: by chance, not since
    so much is known. It is the interval around the span's end instead, which holds the one that was cut.
    """
    (low, high), (least, most) = ends, span
    return max(least, low - max(0.0, estimate - most)), min(most, high + max(0.0, least - estimate))


def _kind(low: float, high: float, size: float) -> Kind:
    return "unknown" if high - low >= UNKNOWN * size else "exact" if low == high else "between"


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
