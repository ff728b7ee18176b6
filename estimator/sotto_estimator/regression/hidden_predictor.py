"""The likelihood of reports and outcomes in clear, where the hidden answer explains the outcome."""

from dataclasses import dataclass

import numpy as np

from sotto_estimator.channel.channel import Floats
from sotto_estimator.regression.hidden_answer import covariances, log_softmax, scores_of
from sotto_estimator.regression.mixture import RowLocal, mix
from sotto_estimator.regression.outcome import Outcome


@dataclass(frozen=True, slots=True, eq=False)
class HiddenPredictor:
    """P(report, outcome) = sum over answers z of P(report | z) P(z) P(outcome | z) (Blair, Imai & Zhou 2015).

    Linear predictors: m - 1 of the answers, as in `HiddenAnswer`; that of the outcome under the last answer; what each
    other answer adds to it, m - 1; then the outcome's spread.
    """

    log_channel: Floats
    outcome: Outcome

    def at(self, predictors: Floats) -> RowLocal:
        """Return the log-likelihood of each row."""
        n, m = self.log_channel.shape
        of_answers, rest = predictors[:, : m - 1], predictors[:, m - 1 :]
        added = np.concatenate([rest[:, 1:m], np.zeros((n, 1))], axis=1)
        of = self.outcome.at(rest[:, :1] + added, rest[:, m:])
        log_shares = log_softmax(of_answers)
        shares = np.exp(log_shares)
        places = self._places()
        scores = np.concatenate([scores_of(shares), (of.scores[:, :, None] @ places)[:, :, 0]], axis=2)
        prior = covariances(shares)
        logs = log_shares + self.log_channel + of.logs
        return mix(logs, scores, _joined(prior, of.bends, places), _joined(prior, of.expected, places))

    def _places(self) -> Floats:
        """Return how what the outcome takes depends on its predictors, by answer: shape (m, d, m + n_spread)."""
        m, n_spread = self.log_channel.shape[1], self.outcome.n_spread
        found = np.zeros((m, 1 + n_spread, m + n_spread))
        found[:, 0, 0] = 1
        found[range(m - 1), 0, range(1, m)] = 1
        for place in range(n_spread):
            found[:, 1 + place, m + place] = 1
        return found


def _joined(prior: Floats, of_outcome: Floats, places: Floats) -> Floats:
    """Return the bends of answers and outcome in all predictors, shape (n, m, k, k)."""
    n, m = len(of_outcome), len(places)
    n_prior, n_outcome = prior.shape[1], places.shape[2]
    found = np.zeros((n, m, n_prior + n_outcome, n_prior + n_outcome))
    found[:, :, :n_prior, :n_prior] = prior[:, None]
    found[:, :, n_prior:, n_prior:] = places.transpose(0, 2, 1) @ (of_outcome @ places)
    return found
