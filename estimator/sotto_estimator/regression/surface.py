"""A log-likelihood of coefficients around its maximum: where some of them are held, and intervals by its profile."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri

from sotto_estimator.channel.channel import Floats
from sotto_estimator.likelihood.newton import Local, Maximum, maximise, polish
from sotto_estimator.regression.basis import basis_of
from sotto_estimator.regression.fitting import rows_of
from sotto_estimator.regression.hidden_answer import HiddenAnswer
from sotto_estimator.regression.result import Coefficient
from sotto_estimator.regression.sample import Sample

_FAR = 200.0
"""Log odds, for the usual size of a column, from which on a profile that is not low enough never will be."""
_EXACT = 1e-10


@dataclass(frozen=True, slots=True, eq=False)
class Surface:
    """`at` gives the log-likelihood at coefficients of a basis, which are triangle @ those of the columns.

    `top`: its maximum. `starts`: where climbs begin too, if there may be several maxima. `units`: of the columns'
    coefficients a factor and a summand that bring them into the outcome's unit, shape (k, 2); None for 1 and 0.
    """

    at: Callable[[Floats], Local]
    triangle: Floats
    top: Maximum
    starts: Sequence[Floats] = ()
    units: Floats | None = None

    def held(self, columns: Sequence[int], values: Floats) -> Maximum:
        """Return the maximum, and its place among the basis's coefficients, where these columns' have these values."""
        others = np.delete(np.arange(len(self.triangle)), columns)
        turn = np.linalg.qr(self.triangle[:, others])[0]
        origin = self.triangle[:, list(columns)] @ values

        def at(place: Floats) -> Local:
            local = self.at(origin + turn @ place)
            information = turn.T @ local.information @ turn
            return Local(
                local.log_likelihood, turn.T @ local.score, information, lambda: turn.T @ local.complete() @ turn
            )

        off, bends = self.top.place - origin, self.top.local.information
        highest = np.linalg.lstsq(turn.T @ bends @ turn, turn.T @ (bends @ off), rcond=None)[0]  # on the parabola there
        best: Maximum | None = None
        for start in (highest, turn.T @ off, *(turn.T @ (start - origin) for start in self.starts)):
            if np.linalg.norm(start) < _FAR and (best is None or self.starts):
                found = polish(at, maximise(at, start))
                if found.converged and (best is None or found.local.log_likelihood > best.local.log_likelihood):
                    best = found
        best = best or polish(at, maximise(at, 0 * highest))
        return replace(best, place=origin + turn @ best.place)

    def root(self, column: int, value: float) -> float:
        """Return the root of twice the log of the likelihood ratio, where a coefficient has a value; 0 if unknown."""
        found = self.held([column], np.array([value]))
        fall = self.top.local.log_likelihood - found.local.log_likelihood
        return math.sqrt(max(0.0, 2 * fall)) if found.converged else 0.0

    def interval(self, column: int, estimate: float, error: float, level: float) -> tuple[float, float]:
        """Return the values whose likelihood ratio is not too far below (Venzon & Moolgavkar 1988)."""
        wanted, usual = -float(ndtri((1 - level) / 2)), float(np.linalg.norm(self.triangle[:, column]))
        ends = []
        for side in (-1, 1):

            def over(off: float, side: int = side) -> float:
                return self.root(column, estimate + side * off) - wanted

            near, far = 0.0, wanted * error if math.isfinite(error) else 1 / usual
            while (is_short := over(far) < 0) and far * usual < _FAR:
                near, far = far, 2 * far
            ends.append(side * math.inf if is_short else estimate + side * float(brentq(over, near, far, rtol=_EXACT)))
        return ends[0], ends[1]

    def profiled(self, coefficients: Sequence[Coefficient], level: float) -> tuple[Coefficient, ...]:
        """Return coefficients with intervals and tests by the profile; z is the signed root of the likelihood ratio.

        What has no test gets none.
        """
        found = []
        units = np.tile([1.0, 0.0], (len(coefficients), 1)) if self.units is None else self.units
        for column, (of, (scale, shift)) in enumerate(zip(coefficients, units.tolist(), strict=True)):
            z = of.z if math.isnan(of.z) else math.copysign(self.root(column, 0.0), of.estimate)
            low, high = self.interval(column, (of.estimate - shift) / scale, of.standard_error / scale, level)
            ends = scale * low + shift, scale * high + shift
            found.append(replace(of, z=z, p_value=2 * float(ndtr(-abs(z))), low=ends[0], high=ends[1]))
        return tuple(found)


def surface_of(sample: Sample, top: Maximum) -> Surface:
    """Return that of a hidden answer's model; `top`: its maximum."""
    basis, n_equations = basis_of(sample.terms.matrix, sample.weights, sample.terms.names), len(sample.answers) - 1
    rows, triangle = rows_of(HiddenAnswer(sample.log_channel), [basis] * n_equations, sample.weights, sample.offset)
    return Surface(rows.at, triangle, top)
