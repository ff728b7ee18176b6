"""Weighted least squares of debiased bit counts on candidates' columns, with strings that nobody listed as a remainder.

With shares x that add up to 1 with that of all other strings, and a density of bits d of a random string,
E(y - d) = sum of x_s (B_s - d): the remainder needs no column of its own (docs/maths-strings.md). Where the map is no
hash there is no such remainder: d is 0, and no constant is free.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, special

from sotto_estimator.channel.channel import Floats
from sotto_estimator.strings.columns import HashMoments
from sotto_estimator.strings.counts import BitCounts, BitRates, debias

_N_STEPS = 50
LEAST_VARIANCE = 1e-3  # of a device, in that of a random bit: a channel without noise has cells without any
_MIN_PIVOT = 1e-9  # of a column's squared length: what is left of it beside those before
_MAX_FITS = 6
OUTLIER = 4.0
MAD_TO_DEVIATION = 1.4826  # of the median absolute residual, for normal ones
_CONSTRAINT_WEIGHT = 1e4
_NUMBERS_PER_BATCH = 2**20


@dataclass(frozen=True, slots=True, eq=False)
class BloomCells:
    """What is known of the cells (cohort, bit), flattened, before any string is looked at.

    `excess`: debiased shares less the density of a random string's bits. `noise_if_zero`, `noise_if_one`: a device's
    variance by its true bit, shape (n_cohorts, 1). `n_devices`: of the cell's cohort; 0 where nobody reported.
    """

    shape: tuple[int, int]
    excess: Floats
    n_devices: Floats
    noise_if_zero: Floats
    noise_if_one: Floats
    contrast: float
    moments: HashMoments

    @classmethod
    def of(cls, counts: BitCounts, rates: BitRates, moments: HashMoments) -> "BloomCells":
        zero, one = rates.noise_variances(counts.effects[:, None])
        n_devices = np.repeat(counts.n_devices, counts.n_bits)
        excess = np.where(n_devices > 0, debias(counts, rates).ravel() - moments.density, 0.0)
        return cls(counts.bit_counts.shape, excess, n_devices, zero, one, rates.contrast, moments)

    @property
    def has_others(self) -> bool:
        """Whether strings that nobody listed set bits at random, as a hash makes them."""
        return self.moments.density > 0

    @property
    def n_used(self) -> int:
        """How many cells have reports."""
        return int(np.count_nonzero(self.n_devices))

    def noise(self, true_shares: Floats, cohorts: NDArray[np.intp] | slice = slice(None)) -> Floats:
        """Return a device's variance by the perturbation, given the share of devices whose true bit is 1.

        Shape (cohorts, n_bits), as of the shares.
        """
        zero, one = self.noise_if_zero[cohorts], self.noise_if_one[cohorts]
        return zero + (one - zero) * true_shares

    def variances(self, true_shares: Floats) -> Floats:
        """Return the variance of each cell's share: perturbation and sampled strings; infinite without reports."""
        device = self.noise(true_shares.reshape(self.shape)).ravel() + true_shares * (1 - true_shares)
        floor = (self.moments.variance or 1 / self.shape[1]) * LEAST_VARIANCE
        out = np.full(self.n_devices.shape, np.inf)
        np.divide(np.maximum(device, floor), self.n_devices, out=out, where=self.n_devices > 0)
        return out


@dataclass(frozen=True, slots=True, eq=False)
class CandidateRegression:
    """A regression on some candidates.

    `shares`: unconstrained and linear in the counts; `bounded`: >= 0, adding up to at most 1. `weights`: rows of the
    linear estimates, shape (n_columns, n_cells). `unlisted`: the sum of squared shares of strings without a column.
    """

    columns: Floats
    shares: Floats
    bounded: Floats
    weights: Floats
    cell_weights: Floats
    residuals: Floats
    chi_square: float
    degrees: int
    unlisted: float
    true_shares: Floats
    variances: Floats

    @property
    def p_value(self) -> float:
        """P(chi-square is as large or larger | only noise); 1 where no degrees of freedom are left to tell."""
        return float(special.chdtrc(self.degrees, self.chi_square)) if self.degrees else 1.0

    @property
    def spread(self) -> float:
        """The variance of an estimate per squared length of its column: what competing models are compared by."""
        n_outliers = int(np.count_nonzero(self.cell_weights == 0))
        return self.cell_weights.size / (float(self.cell_weights.sum()) * max(self.degrees - n_outliers, 1))


def fit_columns(cells: BloomCells, columns: Floats, start: CandidateRegression | None = None) -> CandidateRegression:
    """Fit columns, shape (n_cells, n), a few times: with better variances, and without outliers.

    A large string that is no candidate stands out in the few cells that it sets; they are left out (weight 0), where
    the residual exceeds `OUTLIER` robust standard deviations. `start`: a fit of others, whose weights are tried.
    Raises LinAlgError where columns cannot be told apart.
    """
    density, hash_variance = cells.moments.density, cells.moments.variance
    used = cells.n_devices > 0
    cell_weights = 1 / cells.variances(np.full(cells.excess.shape, density))
    if start is not None and _carries(start.cell_weights > 0, used, columns):
        cell_weights = start.cell_weights
    solved = _solve(cells, columns, cell_weights)
    for _ in range(_MAX_FITS):
        variances = cells.variances(_true_shares(columns, np.maximum(solved.shares, 0), density))
        inside = used & ~_outliers(solved.residuals, variances)
        inside = inside if _carries(inside, used, columns) else used
        before = cell_weights
        try:
            solved, cell_weights, unlisted = _reweighted(cells, columns, solved, variances, inside)
        except linalg.LinAlgError:  # the cells that are left out alone tell columns apart
            inside = used
            solved, cell_weights, unlisted = _reweighted(cells, columns, solved, variances, inside)
        if np.array_equal(before > 0, inside):
            break
    bounded = bounded_shares(solved.factor, solved.target)
    return CandidateRegression(
        columns,
        solved.shares,
        bounded,
        _linear_weights(solved, cell_weights),
        cell_weights,
        solved.residuals,
        float(np.square(solved.residuals) @ (1 / variances)),
        max(cells.n_used - columns.shape[1] - cells.has_others, 0),
        unlisted,
        _true_shares(columns, bounded, density),
        variances + unlisted * hash_variance,
    )


def _true_shares(columns: Floats, shares: Floats, density: float) -> Floats:
    """Return the share of devices whose string sets a cell's bit, by shares >= 0; other strings set any bit alike."""
    total = float(shares.sum())
    fitted = columns @ (shares / max(1.0, total)) + max(0.0, 1 - total) * density
    return np.clip(fitted, 0, 1)


def bounded_shares(factor: Floats, target: Floats) -> Floats:
    """Return the shares that are >= 0, add up to at most 1 and bring `factor` @ shares closest to the target.

    One more unknown, the others' share, and one heavy row make all of them add up to 1 (Lawson & Hanson 1974).
    """
    from scipy.optimize import nnls  # it takes a fifth of a second to load

    n = target.size
    if not n:
        return np.zeros(0)
    heavy = _CONSTRAINT_WEIGHT * float(np.sqrt(np.square(factor).sum(0).max()))
    system = np.block([[factor, np.zeros((n, 1))], [np.full((1, n + 1), heavy)]])
    solution, _ = nnls(system, np.append(target, heavy), maxiter=30 * n + 100)
    shares: Floats = solution[:n]
    return shares / max(1.0, float(shares.sum()))


def standard_errors(cells: BloomCells, fit: CandidateRegression, weights: Floats) -> Floats:
    """Return the standard errors of linear estimates with these weights, shape (n, n_cells).

    Perturbation, the strings that happened to be sampled (with their covariance within a cohort), and strings without a
    column, which are hashed at random.
    """
    n_cohorts, n_bits = cells.shape
    by_cohort = np.ascontiguousarray(weights.reshape(-1, n_cohorts, n_bits).transpose(1, 0, 2))
    present = fit.bounded > 0
    strings = np.ascontiguousarray(fit.columns[:, present]).reshape(n_cohorts, n_bits, -1)
    used = np.flatnonzero(cells.n_devices[::n_bits])
    step = max(1, _NUMBERS_PER_BATCH // (n_bits * max(n_bits, weights.shape[0])))
    variances = np.zeros(weights.shape[0])
    for batch in np.split(used, range(step, used.size, step)):
        covariances = _covariances(cells, fit, batch, strings[batch], fit.bounded[present])
        variances += ((by_cohort[batch] @ covariances) * by_cohort[batch]).sum((0, 2))
    resolution = n_bits / cells.n_devices.sum()  # one device: a count tells nothing finer
    return np.asarray(np.sqrt(np.maximum(variances, resolution**2)))


def _covariances(
    cells: BloomCells, fit: CandidateRegression, cohorts: NDArray[np.intp], strings: Floats, shares: Floats
) -> Floats:
    """Return the covariances of the debiased bits of some cohorts, shape (cohorts, n_bits, n_bits)."""
    moments, ones = cells.moments, np.eye(cells.shape[1])
    random_string = (moments.variance - moments.covariance) * ones + moments.covariance
    true_shares = fit.true_shares.reshape(cells.shape)[cohorts]
    device = (strings * shares) @ strings.transpose(0, 2, 1)  # shares of devices that set two bits
    device += (1 - float(shares.sum())) * (random_string + moments.density**2)
    device -= true_shares[:, :, None] * true_shares[:, None, :]
    device += cells.noise(true_shares, cohorts)[:, :, None] * ones
    n_devices = cells.n_devices[:: cells.shape[1]][cohorts]
    return np.asarray(device / n_devices[:, None, None] + fit.unlisted * random_string)


def independent(cells: BloomCells, columns: Floats, *, of_constant: bool) -> NDArray[np.bool_]:
    """Return for each column whether, by the reports, it is no sum of multiples of those before it, or of a constant.

    `of_constant`: whether there is one, as others make it.
    """
    mass = cells.n_devices / cells.n_devices.sum()
    centred = np.sqrt(mass)[:, None] * (columns - mass @ columns * of_constant)
    lengths = np.sqrt(np.square(centred).sum(0))
    (triangle,) = linalg.qr(centred / np.maximum(lengths, math.sqrt(_MIN_PIVOT)), mode="r")
    left = np.zeros(columns.shape[1], bool)
    pivots = np.square(np.diag(triangle)) > _MIN_PIVOT
    left[: pivots.size] = pivots
    return left


@dataclass(frozen=True, slots=True, eq=False)
class _Solved:
    """`factor` @ shares = `target` are the normal equations, halved by Cholesky."""

    factor: Floats
    target: Floats
    centred: Floats
    shares: Floats
    residuals: Floats


def _solve(cells: BloomCells, columns: Floats, cell_weights: Floats) -> _Solved:
    """Solve, with a free constant where there are others: both sides less their weighted means.

    Raises LinAlgError for dependent columns.
    """
    mass = cell_weights / cell_weights.sum() * cells.has_others
    centred = columns - mass @ columns
    excess = cells.excess - mass @ cells.excess
    if not columns.shape[1]:
        return _Solved(np.zeros((0, 0)), np.zeros(0), centred, np.zeros(0), excess)
    scaled = centred * np.sqrt(cell_weights)[:, None]
    gram = scaled.T @ scaled
    factor = linalg.cholesky(gram, check_finite=False)
    if (np.square(np.diag(factor)) <= _MIN_PIVOT * LEAST_VARIANCE * np.diag(gram)).any():
        raise linalg.LinAlgError
    target = linalg.solve_triangular(factor, centred.T @ (cell_weights * excess), trans=1, check_finite=False)
    shares = linalg.solve_triangular(factor, target, check_finite=False)
    return _Solved(factor, target, centred, shares, excess - centred @ shares)


def _reweighted(
    cells: BloomCells, columns: Floats, solved: _Solved, variances: Floats, inside: NDArray[np.bool_]
) -> tuple[_Solved, Floats, float]:
    """Solve by the cells inside; return that, their weights, and the sum of squared shares of strings without a column.

    Raises LinAlgError for columns that are dependent there.
    """
    hash_variance = cells.moments.variance
    degrees = max(int(np.count_nonzero(inside)) - columns.shape[1] - cells.has_others, 0)
    unlisted = _unlisted(solved.residuals[inside], variances[inside], degrees, hash_variance)
    cell_weights = np.where(inside, 1 / (variances + unlisted * hash_variance), 0.0)
    return _solve(cells, columns, cell_weights), cell_weights, unlisted


def _linear_weights(solved: _Solved, cell_weights: Floats) -> Floats:
    """Return the rows that take `excess` to `shares`, shape (n, n_cells)."""
    inverse = linalg.cho_solve((solved.factor, False), np.eye(solved.shares.size), check_finite=False)
    weights: Floats = (inverse @ solved.centred.T) * cell_weights
    return weights


def _outliers(residuals: Floats, variances: Floats) -> NDArray[np.bool_]:
    sizes = np.abs(residuals) / np.sqrt(variances)
    return np.asarray(sizes > OUTLIER * robust_scale(sizes[np.isfinite(variances)]))


def _carries(inside: NDArray[np.bool_], used: NDArray[np.bool_], columns: Floats) -> bool:
    """Return whether columns stay apart without the cells that are left out: of each, most are inside."""
    if np.count_nonzero(inside) == np.count_nonzero(used):
        return True
    kept = columns.T @ inside
    return bool((2 * kept > columns.T @ used).all() and np.count_nonzero(inside) > 2 * columns.shape[1])


def robust_scale(sizes: Floats) -> float:
    """Return a standard deviation from absolute standardised residuals: by their median, and at least 1."""
    return max(1.0, float(np.median(sizes)) * MAD_TO_DEVIATION)


def _unlisted(residuals: Floats, variances: Floats, degrees: int, hash_variance: float) -> float:
    """Solve sum of r^2 / (v + u hash_variance) = degrees for u >= 0 (Paule & Mandel 1982), by Newton from 0."""
    if not degrees:
        return 0.0
    squares, unlisted = np.square(residuals), 0.0
    for _ in range(_N_STEPS):
        cell_weights = 1 / (variances + unlisted * hash_variance)
        excess = float(squares @ cell_weights) - degrees
        slope = float(squares @ np.square(cell_weights)) * hash_variance
        if excess <= 1e-6 * degrees or slope <= 0:
            break
        unlisted += excess / slope  # convex and falling: never beyond the root
    return unlisted
