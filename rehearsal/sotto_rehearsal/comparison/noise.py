"""The noise that a trusted curator adds to counts: three mechanisms of a course, calibrated to an epsilon.

Neighbours differ in one person's answer: what OpenDP calls `change_one_distance`.
"""

import math
from dataclasses import dataclass

from scipy import optimize, special

from sotto_estimator.channel.channel import check_epsilon
from sotto_protocol.questions.question import Question
from sotto_rehearsal.comparison.domains import check_delta

LAPLACE, GEOMETRIC, GAUSSIAN = "Laplace", "geometric", "Gaussian"


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """How far one changed answer moves all counts of a question together, at most: in sum, and as a Euclidean length.

    Of numbers there is one count: the sum of everybody's steps above the least number.
    """

    l1: int
    l2: float

    @staticmethod
    def of(question: Question) -> "Sensitivity":
        """Yes-no 1; one-of 2, as one count falls and another rises; any-of 2 m or all, where m may be selected."""
        if question.type == "number":
            return Sensitivity(question.kind.n_options - 1, question.kind.n_options - 1)
        most = 1 if len(question.labels) == 1 else 2 * question.mechanism.max_selected
        n_moved = min(most, len(question.labels))
        return Sensitivity(n_moved, math.sqrt(n_moved))


@dataclass(frozen=True, slots=True)
class Noise:
    """Noise on each count: `scale` as OpenDP has it, in counts; `delta` 0 but for the Gaussian's."""

    name: str
    scale: float
    delta: float

    @property
    def deviation(self) -> float:
        """Its standard deviation, in counts."""
        if self.name == GAUSSIAN:
            return self.scale
        if self.name == LAPLACE:
            return math.sqrt(2) * self.scale
        return math.sqrt(2 * math.exp(-1 / self.scale)) / -math.expm1(-1 / self.scale)

    def half_width(self, beta: float) -> float:
        """Return the least width, in counts, that its size exceeds with probability beta at most, in (0, 1).

        The geometric's is a whole number: P(|X| > t) = 2 exp(-(t + 1) / scale) / (1 + exp(-1 / scale)).
        """
        if self.name == GAUSSIAN:
            return float(-special.ndtri(beta / 2)) * self.scale
        if self.name == LAPLACE:
            return self.scale * math.log(1 / beta)
        beyond = self.scale * math.log(2 / (beta * (1 + math.exp(-1 / self.scale))))
        return max(0, math.ceil(beyond * (1 - 1e-12)) - 1)


def calibrated(epsilon: float, delta: float, sensitivity: Sensitivity) -> list[Noise]:
    """Return Laplace and geometric noise of epsilon, and Gaussian of epsilon and delta.

    Scale l1 / epsilon (Dwork, McSherry, Nissim & Smith 2006; Ghosh, Roughgarden & Sundararajan 2009). Domain: epsilon >
    0, in nats; delta in [1e-15, 1).
    """
    check_epsilon(epsilon)
    scale = sensitivity.l1 / epsilon
    gaussian = Noise(GAUSSIAN, gaussian_scale(epsilon, check_delta(delta), sensitivity.l2), delta)
    return [Noise(LAPLACE, scale, 0.0), Noise(GEOMETRIC, scale, 0.0), gaussian]


def gaussian_scale(epsilon: float, delta: float, sensitivity: float) -> float:
    """Return the least standard deviation of Gaussian noise that takes epsilon at delta (Balle & Wang 2018, theorem 8).

    >>> round(gaussian_scale(1.0, 1e-6, 1.0), 3)
    4.225
    """

    def excess(log_scale: float) -> float:
        return gaussian_delta(epsilon, math.exp(log_scale)) - delta

    low, high = -60.0, 60.0
    root = optimize.brentq(excess, low, high, xtol=1e-13)
    return float(math.exp(root + 1e-12) * sensitivity)


def gaussian_delta(epsilon: float, scale: float) -> float:
    """Return delta of Gaussian noise of this scale, sensitivities as the unit, at epsilon."""
    half, drift = 1 / (2 * scale), epsilon * scale
    return float(special.ndtr(half - drift) - math.exp(epsilon + special.log_ndtr(-half - drift)))
