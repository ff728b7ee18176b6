"""Logistic regression of a hidden yes-no answer with Firth's penalty, whose estimates are always finite."""

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from sotto_estimator.channel.channel import Floats
from sotto_estimator.likelihood.newton import Local, maximise, polish
from sotto_estimator.regression.answer_model import labels_of
from sotto_estimator.regression.basis import basis_of, products
from sotto_estimator.regression.fitting import fitted_of
from sotto_estimator.regression.formula import INTERCEPT
from sotto_estimator.regression.hidden_answer import HiddenAnswer
from sotto_estimator.regression.mixture import Rows
from sotto_estimator.regression.model import FittedModel, Without
from sotto_estimator.regression.sample import Sample, order_of
from sotto_estimator.regression.surface import Surface
from sotto_estimator.table.reported import Reported


@dataclass(frozen=True, slots=True, eq=False)
class _Penalised:
    """Rows, and P(report | yes), P(report | no) of each report that a row could have had, shape (2, n_reports, n).

    `log_scale`: of the basis's triangle, the log of its determinant.
    """

    rows: Rows
    channels: Floats
    log_scale: float

    def at(self, place: Floats) -> Local:
        """Return log L + log |I| / 2, I the information that is expected of the reports (Firth 1993), and its slope.

        In steps the expected information takes the place of the observed one.
        """
        local, (matrix,) = self.rows.at(place), self.rows.matrices
        bends, slopes = self._expected(self.rows.predictors(place)[:, 0])
        information = products(matrix, self.rows.weights * bends, matrix)
        sign, log_size = np.linalg.slogdet(information)
        if sign <= 0 or not math.isfinite(log_size):
            return Local(-math.inf, local.score, information, local.complete)
        leverage = ((matrix @ np.linalg.inv(information)) * matrix).sum(axis=1)
        score = local.score + matrix.T @ (self.rows.weights * slopes * leverage) / 2
        value = local.log_likelihood + log_size / 2 + self.log_scale
        return Local(value, score, information, local.complete)

    def _expected(self, log_odds: Floats) -> tuple[Floats, Floats]:
        """Return the information that is expected of each row in its log odds, and its derivative."""
        yes, no = expit(log_odds), expit(-log_odds)
        spread = yes * no
        prob = self.channels[0] * yes + self.channels[1] * no
        change = self.channels[0] - self.channels[1]
        of_report = np.divide(change, prob, out=np.zeros_like(prob), where=prob > 0)
        squares, cubes = (change * of_report).sum(axis=0), (change * of_report**2).sum(axis=0)
        return spread**2 * squares, spread**2 * (2 * (no - yes) * squares - spread * cubes)


def fit_firth(question: str, sample: Sample, reported: Reported) -> tuple[FittedModel, Surface]:
    """Fit it; each term is tested by the ratio of penalised likelihoods (Heinze & Schemper 2002).

    Raises SourceError for columns that are collinear.
    """
    names = sample.terms.names
    basis = basis_of(sample.terms.matrix, sample.weights, names)
    rows = Rows(HiddenAnswer(sample.log_channel), [basis.matrix], sample.weights, sample.offset)
    log_scale = float(np.linalg.slogdet(basis.triangle)[1])
    penalised = _Penalised(rows, _channels(sample, reported), log_scale)
    top = polish(penalised.at, maximise(penalised.at, np.zeros(len(names))))
    fitted = fitted_of(top, basis.triangle, float(sample.weights.sum()))
    surface = Surface(penalised.at, basis.triangle, top)

    def without(columns: list[int]) -> Without:
        found = surface.held(columns, np.zeros(len(columns)))
        coefficients = np.linalg.solve(basis.triangle, found.place)
        return Without(tuple(columns), found.local.log_likelihood, np.delete(coefficients, columns))

    null = without([place for place, name in enumerate(names) if name != INTERCEPT])
    each = {term: without(columns) for term, columns in sample.terms.tested().items()}
    return FittedModel(sample.n_rows, labels_of(question, sample), fitted, null, each, is_penalised=True), surface


def _channels(sample: Sample, reported: Reported) -> Floats:
    order = order_of(reported.designs[0])
    found = np.zeros((len(reported.designs), max(len(of.reports) for of in reported.designs), 2))
    for place, design in enumerate(reported.designs):
        found[place, : len(design.reports)] = design.matrix[:, order]
    return np.ascontiguousarray(found[reported.arms[sample.first]].transpose(2, 1, 0))
