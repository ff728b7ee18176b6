"""Logistic and multinomial regression of a hidden answer on what is known of people."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy.special import logsumexp

from sotto_estimator.channel.channel import Floats
from sotto_estimator.regression.basis import Basis, basis_of
from sotto_estimator.regression.fitting import Fitted, fit_rows
from sotto_estimator.regression.formula import INTERCEPT
from sotto_estimator.regression.hidden_answer import HiddenAnswer, log_softmax
from sotto_estimator.regression.inference import prediction_of
from sotto_estimator.regression.mixture import RowLikelihood
from sotto_estimator.regression.model import FittedModel, Without
from sotto_estimator.regression.restricted import fit_restricted
from sotto_estimator.regression.result import Prediction
from sotto_estimator.regression.sample import Sample, alike
from sotto_estimator.regression.unrelated_answer import UnrelatedAnswer

UNRELATED = ("unrelated = yes", INTERCEPT)
"""The equation and column of the log odds of the unrelated question's yes."""
_LEAST = 1e-300
"""In place of a mean probability of 0, whose log odds no number is."""


def fit_answer(question: str, sample: Sample, constant: Fitted) -> FittedModel:
    """Fit it, and what it is compared to; `constant`: the fit without terms.

    Raises SourceError for columns that are collinear.
    """
    terms, n_equations = sample.terms, len(sample.answers) - 1
    every = range(len(terms.names))
    basis = basis_of(terms.matrix, sample.weights, terms.names)
    fitted = fit_columns(sample, every, basis=basis)
    dropped = terms.tested()
    kept = [[place for place in every if place not in columns] for columns in dropped.values()]
    at_once = fit_restricted(sample, basis, fitted, kept)

    def without(columns: Sequence[int], number: int) -> Without:
        places = tuple(equation * len(every) + column for equation in range(n_equations) for column in columns)
        if sample.drawn:  # there are no likelihood ratio tests
            return Without(places, math.nan, fitted.without(places))
        if (found := at_once[number]) is not None:
            return Without(places, *found)
        starts = [fitted.without(places), *([None] if len(fitted.separated) else [])]  # far out there is more than one
        alone = [fit_columns(sample, kept[number], start, basis) for start in starts]
        return Without.of(places, max(alone, key=lambda of: of.log_likelihood))

    each = {term: without(columns, number) for number, (term, columns) in enumerate(dropped.items())}
    not_constant = [place for place in every if terms.names[place] != INTERCEPT]
    places = tuple(equation * len(every) + column for equation in range(n_equations) for column in not_constant)
    null = Without.of(places, constant)
    more = (UNRELATED,) * sample.has_unrelated
    return FittedModel(sample.n_rows, (*labels_of(question, sample), *more), fitted, null, each, n_scales=len(more))


def fit_null(sample: Sample) -> Fitted:
    """Fit the model without terms: rows with the same channel and offset are one."""
    terms, offset = sample.terms, sample.offset
    kept = [place for place, name in enumerate(terms.names) if name == INTERCEPT]
    first, group = alike([*sample.log_channel.T, *([] if offset is None else [offset])])
    merged = Sample(
        sample.answers,
        np.asfortranarray(sample.log_channel[first]),
        np.bincount(group, sample.weights).astype(np.float64),
        replace(terms, matrix=terms.matrix[first][:, kept], names=(INTERCEPT,) * len(kept)),
        first,
        offset=None if offset is None else offset[first],
    )
    return fit_columns(merged, range(len(kept)))


def labels_of(question: str, sample: Sample) -> tuple[tuple[str, str], ...]:
    """Return the equation and column of each coefficient of the hidden answer."""
    return tuple((f"{question} = {answer}", name) for answer in sample.answers[:-1] for name in sample.terms.names)


def fit_columns(
    sample: Sample, columns: Sequence[int], start: Floats | None = None, basis: Basis | None = None
) -> Fitted:
    """Fit the model of some of the columns. `start`: coefficients by equation, from which the climb begins.

    `basis`: of all columns, where it is known.
    """
    kept = list(columns)
    if basis is None:
        basis = basis_of(sample.terms.matrix[:, kept], sample.weights, [sample.terms.names[place] for place in kept])
    else:
        basis = basis.of(kept)
    bases = [basis] * (len(sample.answers) - 1)
    likelihood: RowLikelihood = HiddenAnswer(sample.log_channel)
    if sample.has_unrelated:
        likelihood = UnrelatedAnswer(sample.log_channel)
        bases.append(Basis(np.ones((len(sample.weights), 1)), np.ones((1, 1))))
    return fit_rows(likelihood, bases, sample.weights, start, sample.drawn, sample.offset)


def predict_answers(
    fitted: Fitted, answers: Sequence[str], cells: str, row: Floats, level: float, offset: float = 0.0
) -> tuple[Prediction, ...]:
    """Return the probability of every answer of a person with this row of the matrix, and this offset."""
    n_free = (len(answers) - 1) * len(row)
    coefficients, covariance = fitted.coefficients[:n_free], fitted.covariance[:n_free, :n_free]
    logs = log_softmax((coefficients.reshape(-1, len(row)) @ row)[None] + offset)[0]
    found = []
    for place, answer in enumerate(answers):
        is_own = np.arange(len(logs)) == place
        others = np.where(is_own, -np.inf, logs)
        of_others = logsumexp(others)  # log(1 - s), with all its digits where s is nearly 1
        gradient = np.outer((is_own - np.exp(others - of_others))[:-1], row).ravel()
        log_odds, degrees = float(logs[place] - of_others), fitted.degrees_of_freedom
        found.append(prediction_of(cells, answer, log_odds, gradient, covariance, level, degrees))
    return tuple(found)


def shares_of_rows(coefficients: Floats, rows: Floats, offset: Floats | None) -> Floats:
    """Return the probabilities of the answers of people with these rows of the matrix, shape (n, n_answers)."""
    predictors = rows @ coefficients.reshape(-1, rows.shape[1]).T
    return np.exp(log_softmax(predictors if offset is None else predictors + offset[:, None]))


def predict_average(fitted: Fitted, sample: Sample, cells: str, rows: Floats, level: float) -> tuple[Prediction, ...]:
    """Return the mean probability of every answer of all people of a sample, were its groups' rows of the matrix these.

    Its error is by the delta method: of the coefficients alone, for the people that there are.
    """
    n_free = (len(sample.answers) - 1) * rows.shape[1]
    coefficients, covariance = fitted.coefficients[:n_free], fitted.covariance[:n_free, :n_free]
    shares = shares_of_rows(coefficients, rows, sample.offset)
    parts = sample.weights / sample.weights.sum()
    found = []
    for place, answer in enumerate(sample.answers):
        share = max(float(parts @ shares[:, place]), _LEAST)
        left = max(float(parts @ np.delete(shares, place, axis=1).sum(axis=1)), _LEAST)
        is_own = np.arange(len(sample.answers) - 1) == place
        slopes = parts[:, None] * shares[:, [place]] * (is_own - shares[:, :-1])  # of the mean share, in predictors
        gradient = (slopes.T @ rows).ravel() / (share * left)
        log_odds = float(np.log(share) - np.log(left))
        degrees = fitted.degrees_of_freedom
        found.append(prediction_of(cells, answer, log_odds, gradient, covariance, level, degrees))
    return tuple(found)
