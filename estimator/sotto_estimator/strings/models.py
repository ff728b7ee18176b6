"""Choose the regression: all candidates where they leave noise alone, else those that tests find, wave by wave."""

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse, special

from sotto_estimator.channel.channel import Floats
from sotto_estimator.errors import DomainError
from sotto_estimator.strings.background import CONFOUNDED, confounding
from sotto_estimator.strings.columns import Columns, Ints
from sotto_estimator.strings.dense import DenseEstimates, dense_estimates, is_dense
from sotto_estimator.strings.regression import (
    BloomCells,
    CandidateRegression,
    fit_columns,
    independent,
    standard_errors,
)
from sotto_estimator.strings.screening import is_few, levels_of, tail_of_draws, upper_tail, winsor_limit, winsorised
from sotto_estimator.strings.selection import Correction, count_true, rejected

MAX_FULL = 512
"""Most candidates that are all fitted together."""
_MAX_FULL_ENTRIES = 2**24
"""Most entries of the columns of a map that is no hash, whose candidates are fitted together however many they are."""
WORTH_GROWING = 1.1
"""How many times the degrees of freedom of the full model another must be able to have to be tried."""
NOISE_P_VALUE = 0.05
"""Of the full model's residuals: below it more than noise may be left, as a large unlisted string leaves it."""
_LEAST_P_VALUE = 1e-300
_MAX_INFLATION = 3.0
_ROUNDING = 1e-9
"""Of the sum of all sizes: a sum that varies by less varies by rounding, and is no evidence."""
_KERNEL = 0.5  # deviations: of the density of scores
_MAX_SCANS = 8
_MAX_WAVES = 40
_SHORTLIST = 4096


@dataclass(frozen=True, slots=True, eq=False)
class CandidateModel:
    """A regression on the candidates `chosen`, with one-sided tests of their shares, in its order.

    `n_true`: of all candidates, how many are taken to have no share. `inflation`: what the errors of intervals are
    multiplied by, because the counts had a say in which candidates were chosen; tests of joining have allowed for it.
    `every`: what is known of all eligible candidates, where the shares are from there and not from the regression.
    """

    chosen: Ints
    fit: CandidateRegression
    standard_errors: Floats
    p_values: Floats
    n_true: float
    inflation: float = 1.0
    every: DenseEstimates | None = None

    @property
    def z_scores(self) -> Floats:
        scores: Floats = self.fit.shares / self.standard_errors
        return scores


class CandidateSearch:
    """A search among the candidates `eligible`: those that repeat no other's column."""

    def __init__(
        self, cells: BloomCells, columns: Columns, eligible: Ints, rate: float, correction: Correction
    ) -> None:
        self.cells = cells
        self.columns = columns
        self.eligible = eligible
        self.rate = rate
        self.correction: Correction = correction
        self.dropped: set[int] = set()
        """Candidates whose columns those before them in a model make up."""
        self.spans_others = False
        """Whether some of those would stand if no other strings set bits: their sum is the same in all cells."""
        self._refused: set[int] = set()

    def find(self) -> CandidateModel:
        """Return the model whose estimates vary less: that of all candidates, or the one that grew by tests.

        That of all only where it leaves noise alone: its errors are normal then. A string on no list may set a cell
        that a candidate sets too, and make it stand out there; tests by which models grow are of random columns,
        whatever made the residuals. So where columns are not random, as those of a map that is no hash or sets nearly
        every bit alike, all are fitted. Raises DomainError where they are too many for that.
        """
        if not self.cells.has_others:
            n_entries = self.eligible.size * self.columns.n_cells
            if n_entries > _MAX_FULL_ENTRIES:
                raise DomainError(
                    f"candidates times cells ({n_entries:,}) must be at most {_MAX_FULL_ENTRIES:,} in a map that is no "
                    "hash; where each string sets the same bits in all cohorts, their counts can be added up to one."
                )
            return self._model(self.eligible)
        if not 0 < self.eligible.size <= min(MAX_FULL, self.cells.n_used // 2):
            grown = self._allow_for_choice(self._grow())
            return self._of_all(grown.fit.spread) or grown
        full = self._model(self.eligible)
        if self.spans_others or confounding(self.cells, full.fit) >= CONFOUNDED:
            return full
        n_found, leaves_noise = int(np.count_nonzero(self.detected(full))), full.fit.p_value >= NOISE_P_VALUE
        if leaves_noise and self.cells.n_used - n_found <= WORTH_GROWING * full.fit.degrees:
            return full
        grown = self._allow_for_choice(self._grow())
        return full if leaves_noise and full.fit.spread <= grown.fit.spread else grown

    def detected(self, model: CandidateModel) -> NDArray[np.bool_]:
        """Return which of the model's candidates the tests find, beside all the others."""
        called = rejected(model.p_values, self.rate, self.correction, self.columns.n, model.n_true)
        return called & (model.fit.shares > 0)

    def _of_all(self, spread: float) -> CandidateModel | None:
        """Return the model of what tests find beside all other candidates, if estimates vary by less than `spread`.

        The tests are those of random columns: sums of many draws, so that they are normal.
        """
        if not is_dense(self.cells.n_used, self.eligible.size) or is_few(self._limit):
            return None
        every = dense_estimates(self.cells, self.columns, self.eligible, spread)
        if every is None:
            return None
        n_true = count_true(every.p_values, self.columns.n)
        called = rejected(every.p_values, self.rate, self.correction, self.columns.n, n_true) & (every.shares > 0)
        room = np.sort(np.argsort(every.p_values, kind="stable")[: self.cells.n_used // 2])
        model = self._model(self.eligible[room[called[room]]], n_true=n_true)
        at = np.searchsorted(self.eligible, model.chosen)
        fit = replace(model.fit, shares=every.shares[at], bounded=every.means[at], weights=every.weights[at])
        return replace(model, fit=fit, standard_errors=every.errors[at], p_values=every.p_values[at], every=every)

    def _grow(self) -> CandidateModel:
        model = self._model(np.empty(0, np.intp))
        for _ in range(_MAX_SCANS):
            p_values = self._screen(model, None)[self.eligible]
            listed, matrix = self.eligible, None
            if listed.size > 4 * _SHORTLIST:
                listed = np.sort(listed[np.argsort(p_values, kind="stable")[:_SHORTLIST]])
                matrix = self.columns.rows(listed)
            grown = self._grow_among(model, listed, matrix)
            is_final = matrix is None or np.array_equal(grown.chosen, model.chosen)
            model = grown
            if is_final:
                break
        return model

    def _grow_among(self, model: CandidateModel, listed: Ints, matrix: sparse.csr_array | None) -> CandidateModel:
        for _ in range(_MAX_WAVES):
            p_values = self._screen(model, matrix)
            p_values = p_values if matrix is not None else p_values[listed]
            found = np.isin(listed, model.chosen)
            p_values[found] = model.p_values[np.searchsorted(model.chosen, listed[found])]
            n_true = count_true(p_values, self.columns.n)
            called = rejected(p_values, self.rate, self.correction, self.columns.n, n_true)
            allowed = called & ~found & ~np.isin(listed, list(self._refused))
            room = self.cells.n_used // 2 - model.chosen.size
            new = listed[allowed][np.argsort(p_values[allowed], kind="stable")[: max(room, 0)]]
            if not new.size:
                break
            model = self._prune(self._model(np.union1d(model.chosen, new), model.fit, n_true))
        return model

    def _prune(self, model: CandidateModel) -> CandidateModel:
        """Drop candidates that are no longer found beside the others, the least likely half at a time."""
        while model.chosen.size and not (kept := self.detected(model)).all():
            worst = np.argsort(-np.where(kept, -1.0, model.p_values), kind="stable")
            worst = worst[: max(1, int(np.count_nonzero(~kept)) // 2)]
            self._refused.update(model.chosen[worst].tolist())
            model = self._model(np.delete(model.chosen, worst), model.fit, model.n_true)
        return model

    def _model(
        self, chosen: Ints, start: CandidateRegression | None = None, n_true: float | None = None
    ) -> CandidateModel:
        """Return the regression on some candidates; `n_true` where others were tested too, else by its own tests."""
        columns = self.columns.dense(chosen)
        try:
            fit = fit_columns(self.cells, columns, start)
        except linalg.LinAlgError:
            told_apart = independent(self.cells, columns, of_constant=self.cells.has_others)
            alone = independent(self.cells, columns, of_constant=False)
            self.spans_others |= bool((alone & ~told_apart).any())
            self.dropped.update(chosen[~told_apart].tolist())
            self._refused |= self.dropped
            chosen = chosen[told_apart]
            fit = fit_columns(self.cells, columns[:, told_apart])
        errors = standard_errors(self.cells, fit, fit.weights)
        p_values = upper_tail(fit.shares, errors, self._skewness(fit.residuals * fit.cell_weights))
        return CandidateModel(chosen, fit, errors, p_values, n_true or count_true(p_values, self.columns.n))

    def _allow_for_choice(self, model: CandidateModel) -> CandidateModel:
        """Widen intervals for columns chosen because they fit the noise: one beside the threshold takes more than 1 df.

        Degrees of freedom of a choice by threshold t: t phi(t - z) for each candidate (Ye 1998). They count twice in
        the variance, as in generalised cross-validation: for the noise they take away and that which they pass on.
        """
        if not model.chosen.size:
            return model
        threshold = self._threshold(model)
        extra = threshold * float(_density(threshold - self._scores(model)).sum())
        degrees = np.count_nonzero(model.fit.cell_weights) - model.chosen.size - 1
        inflation = degrees / max(degrees - extra, degrees / _MAX_INFLATION) if degrees > 0 else 1.0
        return replace(model, inflation=inflation)

    def n_beside(self, model: CandidateModel) -> float:
        """Return `count_beside` of the candidates' scores, in the model or by the test of joining it."""
        return count_beside(self._scores(model), self._threshold(model), model.n_true)

    def _scores(self, model: CandidateModel) -> Floats:
        """Return a score of each candidate: in the model, or by the test of joining it."""
        if model.chosen.size == self.eligible.size:
            return model.z_scores
        p_values = model.every.p_values if model.every else self._screen(model, None)[self.eligible]
        scores: Floats = -special.ndtri(np.clip(p_values, _LEAST_P_VALUE, 1 - 1e-16))
        scores[np.searchsorted(self.eligible, model.chosen)] = model.z_scores
        return scores

    def _threshold(self, model: CandidateModel) -> float:
        """Return the score of the least likely of the candidates that are detected."""
        detected = self.detected(model)
        most = model.p_values[detected].max() if detected.any() else self.rate / self.columns.n
        return max(0.0, -float(special.ndtri(max(most, _LEAST_P_VALUE))))

    def _screen(self, model: CandidateModel, matrix: sparse.csr_array | None) -> Floats:
        """Return p-values of score tests: a random column's sum of weighted residuals, whatever made the residuals."""
        weighted = winsorised(model.fit, self._limit).reshape(self.cells.shape)
        if self.cells.has_others and is_few(self._limit):
            levels = levels_of(weighted)
            return tail_of_draws(levels, self.columns.n_hashes, self._sums(levels, matrix))
        deviation = math.sqrt(float(self.columns.moments.quadratic(weighted).sum()))
        deviation = max(deviation, _ROUNDING * float(np.abs(weighted).sum()))
        scores = self._sums(weighted, matrix) - self.columns.moments.density * weighted.sum()
        return upper_tail(scores, np.full(scores.shape, deviation), self._skewness(weighted))

    @property
    def _limit(self) -> float:
        n_draws = self.columns.n_hashes * int(np.count_nonzero(self.cells.n_devices[:: self.cells.shape[1]]))
        return winsor_limit(n_draws, self.rate / self.columns.n)

    def _sums(self, values: Floats, matrix: sparse.csr_array | None) -> Floats:
        """Return the sums of values of cells over the columns of the matrix, or of all candidates."""
        flat = values.ravel()
        return self.columns.sums(flat[:, None])[:, 0] if matrix is None else np.asarray(matrix @ flat)

    def _skewness(self, weighted: Floats) -> float:
        return self.columns.moments.skewness(weighted.reshape(self.cells.shape), self.columns.n_hashes)


def count_beside(scores: Floats, threshold: float, n_true: float) -> float:
    """Return an estimate of the sum over all candidates of phi(t - m), m their mean scores, t the threshold.

    Times an error it is the expected sum of what detected estimates exceed their shares by because they were chosen:
    E (Z 1{m + Z > t}) = phi(t - m) for a normal Z. It is the scores' own density at t, by a kernel, less what the
    kernel adds to that of candidates without a share, and no less than theirs.
    """
    width = math.hypot(1, _KERNEL)
    of_none = n_true * float(_density(np.array(threshold)))
    smoothed = n_true * float(_density(np.array(threshold / width))) / width
    seen = float(_density((threshold - scores) / _KERNEL).sum()) / _KERNEL
    return max(of_none, seen - smoothed + of_none)


def _density(scores: Floats) -> Floats:
    densities: Floats = np.exp(-np.square(scores) / 2) / math.sqrt(2 * math.pi)
    return densities
