"""The likelihood of reports whose hidden answer follows a logistic or multinomial model."""

from dataclasses import dataclass

import numpy as np

from sotto_estimator.channel.channel import Floats
from sotto_estimator.regression.mixture import RowLocal, mix

MAX_LOG_ODDS = 300.0
"""Probabilities, and their products, are told apart from 0 up to here."""


@dataclass(frozen=True, slots=True, eq=False)
class HiddenAnswer:
    """P(report) = sum over answers z of P(report | z) P(z); log P(z) / P(last) is the z-th linear predictor.

    `log_channel[i, z]` = log P(the report of row i | z), shape (n, m); -inf where it cannot be. There are m - 1
    predictors.
    """

    log_channel: Floats

    def at(self, predictors: Floats) -> RowLocal:
        """Return the log-likelihood of each row; the scores are P(z | report) - P(z)."""
        if predictors.shape[1] == 1 and np.abs(predictors).max(initial=0) < MAX_LOG_ODDS:
            return _of_two(np.exp(self.log_channel), predictors[:, 0])
        log_shares = log_softmax(predictors)
        shares = np.exp(log_shares)
        bends, scores = covariances(shares)[:, None], scores_of(shares)
        return mix(log_shares + self.log_channel, scores, bends, bends)


def _of_two(channel: Floats, log_odds: Floats) -> RowLocal:
    """Return the log-likelihood of rows with two answers, without their logarithms."""
    odds = np.exp(log_odds)
    second = 1 / (1 + odds)
    first = odds * second
    prob = channel[:, 0] * first + channel[:, 1] * second
    complete = first * second
    score = (channel[:, 0] - channel[:, 1]) * complete / prob
    information = complete - channel[:, 0] * first / prob * (channel[:, 1] * second / prob)
    return RowLocal(np.log(prob), score[:, None], information[:, None, None], complete[:, None, None])


def log_softmax(predictors: Floats) -> Floats:
    """Return the log-probabilities of answers, shape (n, m), of m - 1 predictors; the last answer's is 0."""
    n, n_free = predictors.shape
    logits = np.zeros((n_free + 1, n)).T  # answers are far apart in memory: sums over them are quick
    logits[:, :-1] = predictors
    most = logits.max(axis=1, keepdims=True)
    found: Floats = logits - (most + np.log(np.exp(logits - most).sum(axis=1, keepdims=True)))
    return found


def scores_of(shares: Floats) -> Floats:
    """Return the gradients of log-shares in their m - 1 predictors, shape (n, m, m - 1): exact near 0 and 1 too."""
    m = shares.shape[1]
    found = np.empty((m, m - 1, len(shares))).transpose(2, 0, 1)
    found[:] = -shares[:, None, :-1]
    found[:, range(m - 1), range(m - 1)] = _others(shares)
    return found


def covariances(shares: Floats) -> Floats:
    """Return diag(s) - s s' of each row's shares but the last, shape (n, m - 1, m - 1)."""
    n_free = shares.shape[1] - 1
    found: Floats = -shares[:, :-1, None] * shares[:, None, :-1]
    found[:, range(n_free), range(n_free)] = shares[:, :-1] * _others(shares)
    return found


def _others(shares: Floats) -> Floats:
    """Return what is left to the other answers, of each but the last: 1 - s would be 0 where s is nearly 1."""
    return np.stack([np.delete(shares, k, axis=1).sum(axis=1) for k in range(shares.shape[1] - 1)], axis=1)
