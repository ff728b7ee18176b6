"""The shares of a mixture's cells by maximum likelihood, with a certificate of how far the maximum can be.

Expectation-maximisation (Dempster, Laird & Rubin 1977) is monotone and crawls. A few of its steps show which cells
matter; from there each step maximises the quadratic model of the log-likelihood over shares >= 0, a non-negative least
squares problem that SciPy solves, and searches the line to its solution (the constrained Newton method: Wang 2007;
Kim, Carbonetto, Stephens & Anitescu 2020). The log-likelihood is concave: its gradient bounds what is still missing.
"""

from dataclasses import dataclass, field

import numpy as np
import scipy
from numpy.typing import NDArray

from sotto_estimator.likelihood.latent_classes import Floats, Mixture

MAX_ITERATIONS = 200
TOLERANCE = 1e-6
"""The largest gap of a converged fit, in units of the log-likelihood: 0.5 is one standard error."""
_N_EM_STEPS = 10
_N_KEPT = 300  # cells that stay after the first steps, the largest; others come back where the gradient asks
_N_ADDED = 100  # cells that may come back in one step
_MAX_CELLS = 1500  # in one Newton step: its time grows with the square, and with the cube
_ARMIJO = 1e-4
_LEAST_STEP = 1e-8
_LEAST_VALUE = 1e-11  # of the largest eigenvalue of an information: below it is rounding
_ROUNDING = 1e-14  # of a mean log-likelihood: close to the maximum a step gains less than that


@dataclass(frozen=True, slots=True, eq=False)
class MixtureFit:
    """Shares of all cells, at least 0 and adding up to 1, with what is known of their distance from the maximum.

    `log_likelihood`: of all reports, but for a constant of the reports. `gap`: no shares have a log-likelihood that is
    larger by more. `n_iterations`: steps of either kind.
    """

    shares: Floats
    densities: Floats = field(repr=False)
    log_likelihood: float
    gap: float
    n_iterations: int
    converged: bool


@dataclass(frozen=True, slots=True, eq=False)
class _Point:
    shares: Floats
    densities: Floats
    value: float
    gradient: Floats

    @property
    def gap(self) -> float:
        """How much larger the mean log-likelihood can be: concave, it lies below its tangent plane."""
        return max(0.0, float(self.gradient.max()) - 1)


def fit(
    mixture: Mixture,
    *,
    max_iterations: int = MAX_ITERATIONS,
    tolerance: float = TOLERANCE,
    start: Floats | None = None,
) -> MixtureFit:
    """Return the shares that make the reports likeliest; `converged` where the gap is at most `tolerance`.

    `start`: shares above 0 that are close to them, if any are known.
    """
    n_cells = int(np.prod(mixture.shape))
    point = _point(mixture, np.full(mixture.shape, 1 / n_cells) if start is None else start)
    n_em_steps = _N_EM_STEPS if start is None else 0
    iteration = 0
    while point.gap * mixture.n_reports > tolerance and iteration < max_iterations:
        if iteration < n_em_steps:
            following = _em_step(mixture, point)
        else:
            following = _newton_step(mixture, point) or _em_step(mixture, point)
        iteration += 1
        if iteration == n_em_steps < max_iterations and n_cells > _N_KEPT:
            following = _keep_largest(mixture, following)
        point = following
    gap = point.gap * mixture.n_reports
    value = point.value * mixture.n_reports
    return MixtureFit(point.shares, point.densities, value, gap, iteration, gap <= tolerance)


def _point(mixture: Mixture, shares: Floats) -> _Point:
    return _evaluate(mixture, shares, mixture.densities(shares))


def _evaluate(mixture: Mixture, shares: Floats, densities: Floats) -> _Point:
    value = float(mixture.weights @ np.log(densities))
    return _Point(shares, densities, value, mixture.gradient(densities))


def _em_step(mixture: Mixture, point: _Point) -> _Point:
    shares = point.shares * point.gradient
    return _point(mixture, shares / shares.sum())


def _keep_largest(mixture: Mixture, point: _Point) -> _Point:
    """Start anew from the largest cells: the only step that may lower the likelihood."""
    least = np.partition(point.shares, -_N_KEPT, axis=None)[-_N_KEPT]
    kept = np.where(point.shares >= least, point.shares, 0)
    return _point(mixture, kept / kept.sum())


def _newton_step(mixture: Mixture, point: _Point) -> _Point | None:
    """Return a better point on the way to the quadratic model's maximum, or None where there is none."""
    cells = _working_cells(point)
    if len(cells) > _MAX_CELLS:
        return None
    solution = _solve_model(mixture.information(point.densities, cells), point.gradient.ravel()[cells])
    if solution is None:
        return None
    target = np.zeros(point.shares.size)
    target[cells] = solution / solution.sum()
    return _search_line(mixture, point, target.reshape(mixture.shape))


def _working_cells(point: _Point) -> NDArray[np.intp]:
    """Return the cells above 0, and those at 0 that would raise the likelihood most."""
    shares, gradient = point.shares.ravel(), point.gradient.ravel()
    missing = np.flatnonzero((shares == 0) & (gradient > 1))
    missing = missing[np.argsort(-gradient[missing], kind="stable")[:_N_ADDED]]
    return np.union1d(np.flatnonzero(shares), missing)


def _solve_model(information: Floats, gradient: Floats) -> Floats | None:
    """Maximise (2 gradient - 1) x - x information x / 2 over x >= 0.

    It is the second-order model of the mean log-likelihood less the sum of x, whose maximum lies on the simplex; it
    has this form because information times the present shares is the gradient.
    """
    information[np.diag_indices_from(information)] *= 1 + 1e-12  # cells that are all but equal
    try:
        root, aim = _roots(information, 2 * gradient - 1)
        solution: Floats = scipy.optimize.nnls(root, aim, maxiter=10 * len(gradient))[0]
    except (np.linalg.LinAlgError, RuntimeError):  # cycling
        return None
    return solution if solution.sum() > 0 else None


def _roots(information: Floats, slope: Floats) -> tuple[NDArray[np.floating], NDArray[np.floating]]:
    """Return R and c with R'R the information and R'c the slope; of fewer rows where reports tell fewer cells apart."""
    try:
        root = np.linalg.cholesky(information).T
        return root, scipy.linalg.solve_triangular(root, slope, trans="T", check_finite=False)
    except np.linalg.LinAlgError:
        values, vectors = np.linalg.eigh(information)
        kept = values > _LEAST_VALUE * values[-1]
        root = np.sqrt(values[kept])[:, np.newaxis] * vectors[:, kept].T
        return root, root @ slope / values[kept]


def _search_line(mixture: Mixture, point: _Point, target: Floats) -> _Point | None:
    slope = float((point.gradient * (target - point.shares)).sum())
    end = mixture.densities(target)
    step = 1.0
    while step > _LEAST_STEP and slope > 0:
        densities = point.densities + step * (end - point.densities)
        if densities.min() > 0:
            value = float(mixture.weights @ np.log(densities))
            if value >= point.value + _ARMIJO * step * slope - _ROUNDING * (1 + abs(value)):
                return _evaluate(mixture, point.shares + step * (target - point.shares), densities)
        step /= 2
    return None
