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


def share_errors_if_alike(counts: Sequence[ShareCounts | MarginalCounts], about: Target) -> dict[str, Floats]:
    """Return the standard error of each answer's share in each group, shape (n_groups,), by answer.

    All are of the mean of the groups' shares, moved to what is possible. All counts are of one kind.
    """
    sums = [of for of in counts if isinstance(of, MarginalCounts)]
    shares = [of for of in counts if isinstance(of, ShareCounts)]
    labels = counts[0].labels
    return {
        label: np.array(_sum_errors(place, sums, about) if sums else _count_errors(place, shares, about))
        for place, label in enumerate(labels)
    }


def _sum_errors(place: int, counts: Sequence[MarginalCounts], about: Target) -> list[float]:
    """Return the errors of one answer, by its place, in each group."""
    groups = [of.sums[place] for of in counts]
    share = float(np.mean([sum_share(of.total, of.groups) for of in groups]))
    return [sum_error(share, of.groups, about) for of in groups]


def _count_errors(place: int, counts: Sequence[ShareCounts], about: Target) -> list[float]:
    channel = counts[0].channel
    mean = np.mean([of.support_counts[place] / of.n_reports for of in counts])
    mean = np.clip(mean, channel.prob_support_if_other, channel.prob_support_if_true)
    errors = []
    for of in counts:
        reported = (of.n_reports * mean + _MORE_SUPPORT) / (of.n_reports + _MORE_REPORTS)
        share = (reported - channel.prob_support_if_other) / channel.contrast
        errors.append(float(errors_of(share, of.n_reports, channel, about, design_effect=of.devices.effect)))
    return errors
