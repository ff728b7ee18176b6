"""The errors that shares of groups would have if all groups were alike: they do not depend on a group's own share.

A group's own share is as noisy as its error. Weights by such errors would favor groups whose share is small by chance.
"""

from collections.abc import Sequence

import numpy as np

from sotto_estimator.channel.channel import Floats, Target, errors_of
from sotto_estimator.channel.sums import sum_error, sum_share
from sotto_estimator.shares.of_marginals import MarginalCounts
from sotto_estimator.shares.share_counts import ShareCounts

_MORE_SUPPORT, _MORE_REPORTS = 2, 4
"""Added to a group's expected counts (Agresti & Coull 1998): few reports vary more than a normal law says near 0."""


def share_errors_if_alike(counts: Sequence[ShareCounts] | Sequence[MarginalCounts], about: Target) -> dict[str, Floats]:
    """Return the standard error of each answer's share in each group, shape (n_groups,), by answer.

    All are of the mean of the groups' reported shares, moved to what is possible.
    """
    listed = [[_error(place, of, counts, about) for of in counts] for place in range(len(counts[0].labels))]
    return dict(zip(counts[0].labels, map(np.array, listed), strict=True))


def _error(
    place: int,
    of: ShareCounts | MarginalCounts,
    counts: Sequence[ShareCounts] | Sequence[MarginalCounts],
    about: Target,
) -> float:
    """Return the error of one answer, by its place, in one of the groups."""
    if isinstance(of, MarginalCounts):
        sums = [one.sums[place] for one in counts]
        return sum_error(
            float(np.mean([sum_share(one.total, one.groups) for one in sums])), of.sums[place].groups, about
        )
    channel, n = of.channel, of.n_reports
    reported = np.mean([one.support_counts[place] / one.n_reports for one in counts])
    reported = np.clip(reported, channel.prob_support_if_other, channel.prob_support_if_true)
    reported = (n * reported + _MORE_SUPPORT) / (n + _MORE_REPORTS)
    share = (reported - channel.prob_support_if_other) / channel.contrast
    return float(errors_of(share, n, channel, about, design_effect=of.devices.effect))
