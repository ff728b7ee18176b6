"""Which of several groups have counts that contradict how they were asked; all share one chance of a false alarm."""

from collections.abc import Mapping, Sequence

from sotto_estimator.comparing.group import Group
from sotto_estimator.designs.design import Arm
from sotto_estimator.designs.disagreement import misfits_of
from sotto_estimator.intervals.contradiction import Contradiction, Disagreement
from sotto_estimator.intervals.group_misfit import GroupMisfit
from sotto_estimator.shares.of_tally import estimate_counts, estimate_tally
from sotto_protocol import Tally


def misfits_by_group(
    groups: Mapping[str, Tally | Group | Sequence[Arm]], question: str = ""
) -> tuple[GroupMisfit, ...]:
    """Return them of tallies, of counts, and of groups that were each asked by one or several designs.

    `question`: what those were asked.
    """
    return tuple((name, found) for name, of in groups.items() for found in _misfits(of, question, len(groups)))


def _misfits(of: Tally | Group | Sequence[Arm], question: str, n_groups: int) -> Sequence[Contradiction | Disagreement]:
    if isinstance(of, Tally):
        return estimate_tally(of, has_distributions=False, n_groups=n_groups).contradictions
    if isinstance(of, Group):
        return estimate_counts(of.support_count, of.n, of.channel, n_groups=n_groups).contradictions
    return misfits_of(of, question, n_groups=n_groups)
