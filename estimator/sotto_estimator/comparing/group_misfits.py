"""Which of several groups have counts that contradict how they were asked; all share one chance of a false alarm."""

from collections.abc import Mapping, Sequence

from sotto_estimator.comparing.group import Group
from sotto_estimator.designs.design import Arm
from sotto_estimator.designs.disagreement import misfits_of
from sotto_estimator.intervals.group_misfit import GroupMisfit
from sotto_estimator.microdata.microdata import Data
from sotto_estimator.shares.of_tally import estimate_counts, estimate_tally
from sotto_estimator.table.table import in_order
from sotto_protocol import Tally


def misfits_of_arms(arms: Mapping[str, Sequence[Arm]], question: str = "") -> tuple[GroupMisfit, ...]:
    """Return them of groups that were each asked by one or several designs."""
    return tuple((name, found) for name, of in arms.items() for found in misfits_of(of, question, n_groups=len(arms)))


def misfits_of_data(data: Data) -> tuple[GroupMisfit, ...]:
    """Return them of the groups of a CSV."""
    if data.groups is None:
        return ()
    labels = data.groups.labels
    arms = {label: data.reported.counts(data.groups.codes == labels.index(label)) for label in in_order(labels)}
    return misfits_of_arms(arms, data.question)


def misfits_by_group(groups: Mapping[str, Tally | Group]) -> tuple[GroupMisfit, ...]:
    """Return them of tallies and of counts."""
    found = []
    for name, of in groups.items():
        estimates = (
            estimate_counts(of.support_count, of.n, of.channel, n_groups=len(groups))
            if isinstance(of, Group)
            else estimate_tally(of, has_distributions=False, n_groups=len(groups))
        )
        found += [(name, contradiction) for contradiction in estimates.contradictions]
    return tuple(found)
