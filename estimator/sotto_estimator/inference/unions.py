"""What reports say of several values of one question taken together: of all combinations that have one answer."""

from dataclasses import replace
from typing import cast

from sotto_estimator.channel.channel import Channel
from sotto_estimator.channel.sums import SumGroup, sum_error
from sotto_estimator.errors import SourceError
from sotto_estimator.inference.marginal import Marginal
from sotto_protocol import Question
from sotto_protocol.mechanisms.mechanism import Chances, ChoiceMechanism


def union_channel(joint: Question, n_cells: int) -> Channel:
    """Return the channel of so many combinations taken together, of a mechanism that names one."""
    mechanism = cast(ChoiceMechanism, joint.mechanism)
    (_, if_true), (_, if_other) = _chances(mechanism, n_cells)
    one, zero = mechanism.prob_support_if_kept
    return Channel(
        min(float(if_true), 1.0),
        float(if_other),
        min(max(one + (n_cells - 1) * zero, float(if_true)), 1.0),
        min(n_cells * zero, float(if_other)),
    )


def _chances(mechanism: ChoiceMechanism, n_cells: int) -> tuple[Chances, Chances]:
    chances = mechanism.union_chances(n_cells)
    if chances is None:
        raise SourceError(f"mechanism ({mechanism.name}) does not tell how often a report supports several values.")
    return chances


def groups_of(marginal: Marginal, number: int) -> list[SumGroup]:
    """Return what one report of each of its joint questions adds for an answer, weighted by what that tells."""
    found = []
    for joint, place in marginal.places:
        if_true, if_other = _chances(cast(ChoiceMechanism, joint.mechanism), len(marginal.cells(joint, place)[number]))
        of_one = SumGroup(1, 1, if_true, if_other)
        found.append(replace(of_one, factor=_weight(of_one)))
    return found


def _weight(of_one: SumGroup) -> float:
    """Return by how much what a report adds counts: the inverse variance of its unbiased share, in its scale."""
    true, other = of_one.means
    return 1 / (sum_error(0.5, [of_one], "respondents") ** 2 * (true - other))
