"""Approximate intervals of a share from arms of different channels, by the profile likelihood.

An interval has every share f at which the reports are nearly as likely as at best, whatever the other shares are:
2 (L - L(f)) <= the quantile of chi-square with 1 degree of freedom (Wilks 1938). L(f) is the largest log-likelihood of
all shares of the columns that give f: mixtures of pairs of a column of the label with another. It is concave in f, so
each end is one root. Coverage is not guaranteed; docs/maths-designs.md has what was measured.
"""

from functools import partial

import numpy as np

from sotto_estimator.channel.channel import Floats
from sotto_estimator.designs.arms import Arms
from sotto_estimator.designs.fit import StackedReports


def likelihood_interval(arms: Arms, label: str, *, tail: float) -> tuple[float, float]:
    """Return the ends of a label's share in the population, each wrong with probability `tail`, about; in [0, 1]."""
    cells, is_label = StackedReports.of(list(arms.matrix), list(arms.counts)), arms.is_of(label)
    shares, best = cells.best()
    likeliest = float(np.clip(shares[is_label].sum(), 0, 1))
    return cells.profile_interval(partial(_corners, is_label), likeliest, best, tail)


def _corners(is_label: np.ndarray, share: float) -> Floats:
    """Return the pairs of columns that give the share, shape (n_columns, n_pairs)."""
    columns = np.eye(len(is_label))
    own, others = columns[is_label], columns[~is_label]
    pairs: Floats = (share * own[:, None] + (1 - share) * others[None]).reshape(-1, len(is_label)).T
    return pairs
