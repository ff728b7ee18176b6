"""The likelihood of reports on a hidden answer, or on an unrelated one of which only the prevalence is asked."""

from dataclasses import dataclass

import numpy as np

from sotto_estimator.channel.channel import Floats
from sotto_estimator.regression.hidden_answer import log_softmax
from sotto_estimator.regression.mixture import RowLocal, mix

PAIRS = ("yes", "yes", "no", "no")
"""The hidden answer of each column of the channel; the unrelated one is yes, no, yes, no."""


@dataclass(frozen=True, slots=True, eq=False)
class UnrelatedAnswer:
    """P(report) = sum over answers z and unrelated answers u of P(report | z, u) P(z) P(u).

    `log_channel`: shape (n, 4), its columns as PAIRS. Linear predictors: the log odds of z, and those of u, which no
    term explains, and which has nothing to do with z (Greenberg, Abul-Ela, Simmons & Horvitz 1969).
    """

    log_channel: Floats

    def at(self, predictors: Floats) -> RowLocal:
        """Return the log-likelihood of each row."""
        log_answer, log_other = (log_softmax(predictors[:, [place]]) for place in (0, 1))
        logs = np.repeat(log_answer, 2, axis=1) + np.tile(log_other, 2) + self.log_channel
        answer, other = np.exp(log_answer), np.exp(log_other)
        scores = np.stack([np.repeat(_scores(answer), 2, axis=1), np.tile(_scores(other), 2)], axis=2)
        bends = np.zeros((len(logs), 1, 2, 2))
        bends[:, 0, 0, 0], bends[:, 0, 1, 1] = answer.prod(axis=1), other.prod(axis=1)
        return mix(logs, scores, bends, bends)


def _scores(shares: Floats) -> Floats:
    """Return the gradients of the logs of two shares in the log odds of the first."""
    return np.stack([shares[:, 1], -shares[:, 0]], axis=1)
