"""Whether answers to different questions are independent: a score test, which holds at the edge of the simplex.

Under independence any function of one question's report is uncorrelated with any of another's, whatever the shares
are. The test takes the functions that are most powerful nearby, the scores of the questions' own fits (Rao 1948), and
adds up the squares of their correlations: of two questions, Pillai's trace (Pillai 1955). The likelihood ratio is no
substitute: where shares are 0 its distribution is far below the chi-square, and it hardly ever rejects.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import prod

import numpy as np
from scipy.special import chdtrc

from sotto_estimator.likelihood.em import MixtureFit
from sotto_estimator.likelihood.latent_classes import Floats, Mixture, mean_products

_LEAST_VARIANCE = 1e-9


@dataclass(frozen=True, slots=True)
class IndependenceTest:
    """`statistic` is chi-square with so many degrees of freedom if answers to all questions are independent.

    `log_likelihood_ratio`: twice what the joint shares' log-likelihood has above that of independent shares. None where
    the counts contradict the design: then nothing is tested.
    """

    statistic: float | None
    degrees_of_freedom: int | None
    p_value: float | None
    log_likelihood_ratio: float | None


def check_independence(mixture: Mixture, fit: MixtureFit, marginals: Sequence[MixtureFit]) -> IndependenceTest:
    """Test whether the answers to all questions are independent; `marginals`: the fits of every question by itself."""
    scores = [_white_scores(mixture, question, fit) for question, fit in enumerate(marginals)]
    statistic, degrees = 0.0, 0
    for size in range(2, len(scores) + 1):
        for several in combinations(scores, size):
            statistic += float((mean_products(several, mixture.weights) ** 2).sum()) * mixture.n_reports
            degrees += prod(part.shape[1] for part in several)
    apart = sum(marginal.log_likelihood for marginal in marginals)
    p_value = float(chdtrc(degrees, statistic)) if degrees else 1.0
    return IndependenceTest(statistic, degrees, p_value, 2 * (fit.log_likelihood - apart))


def _white_scores(mixture: Mixture, question: int, fit: MixtureFit) -> Floats:
    """Return uncorrelated functions of a question's reports, mean 0 and variance 1, that span its scores."""
    scores = mixture.likelihoods[question] / fit.densities[:, np.newaxis]
    scores = scores - mixture.weights @ scores
    values, vectors = np.linalg.eigh((scores * mixture.weights[:, np.newaxis]).T @ scores)
    kept = values > _LEAST_VARIANCE * values[-1] if values[-1] > 0 else np.zeros(len(values), np.bool_)
    white: Floats = scores @ (vectors[:, kept] / np.sqrt(values[kept]))
    return white
