"""The groups that are tested: tallies, counts, or those of a table; and what is wrong with the counts of any."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self, TypeVar

from sotto_estimator.channel.channel import Target
from sotto_estimator.comparing.compare import CompareOptions, compare_sides
from sotto_estimator.comparing.equivalence import margin_tests
from sotto_estimator.comparing.group import Group
from sotto_estimator.comparing.group_estimates import (
    GroupEstimate,
    People,
    people_of,
    side_of_group,
    sides_of_arms,
    sides_of_tally,
)
from sotto_estimator.comparing.group_misfits import misfits_by_group
from sotto_estimator.comparing.result import Tested
from sotto_estimator.designs.asked import MAX_LISTED, AskedBy, words_of
from sotto_estimator.designs.design import Arm
from sotto_estimator.errors import DomainError
from sotto_estimator.intervals.group_misfit import GroupMisfit
from sotto_estimator.intervals.intervals import target_of
from sotto_estimator.intervals.margin import Margin
from sotto_estimator.microdata.microdata import Data
from sotto_estimator.results.result import GIVEN
from sotto_estimator.shares.of_tally import binary_epsilon
from sotto_estimator.table.table import in_order
from sotto_protocol import Tally

T = TypeVar("T", bound=Tested[Any])


@dataclass(frozen=True, slots=True, eq=False)
class TestedGroups:
    """The groups in their order. `scores`: where their names are numbers; `people`: who they may be, if not told.

    `contradictions`: of groups whose counts contradict their designs. `reading`: how counts were read, a line a group.
    `target`: whom shares are about. `by`: what they are groups of, where their names don't say it.
    """

    title: str
    groups: Mapping[str, Sequence[GroupEstimate]]
    target: Target
    people: People = "other"
    scores: tuple[float, ...] = ()
    contradictions: tuple[GroupMisfit, ...] = ()
    reading: tuple[str, ...] = ()
    by: str = ""

    @classmethod
    def of(cls, groups: Mapping[str, Tally | Group | Sequence[Arm]], target: Target | None, by: str = "") -> Self:
        """Return tallies, counts of a channel, or samples by designs; where no target is given, as the surveys say."""
        tallies = [of for of in groups.values() if isinstance(of, Tally)]
        target = target or target_of(*(of.survey for of in tallies))
        return cls(
            next((of.survey.title for of in tallies), GIVEN),
            {name: _sides(of, target) for name, of in groups.items()},
            target,
            people_of(tallies),
            contradictions=misfits_by_group(groups),
            reading=_reading({name: of for name, of in groups.items() if not isinstance(of, Tally | Group)}),
            by=by,
        )

    @classmethod
    def of_data(cls, data: Data, target: Target | None) -> Self:
        """Return the groups of a table, in their order, or all of its rows as one group that has no name.

        Raises DomainError where people were not drawn simply.
        """
        if data.sampling.names:
            raise DomainError("tests take simple random samples, without weights, strata, clusters and margins.")
        column, about = data.groups, target or "population"
        arms = {"": data.reported.counts()}
        if column is not None:
            rows = {label: column.codes == column.labels.index(label) for label in in_order(column.labels)}
            arms = {label: data.reported.counts(of) for label, of in rows.items()}
        return cls(
            "; ".join(filter(None, [data.table.name, data.table.left_out])),
            {name: sides_of_arms(of, about, data.question) for name, of in arms.items()},
            about,
            scores=tuple(map(float, arms)) if column is not None and column.is_number else (),
            contradictions=misfits_by_group(arms, data.question),
            by=column.name if column is not None else "",
        )

    def only(self, question: str, answer: str) -> Self:
        """Return those of one question, or answer; all of "". Raises DomainError where a group has none of it."""
        asked = {
            name: [side for side in sides if question in ("", side.question) and answer in ("", side.answer)]
            for name, sides in self.groups.items()
        }
        for name, sides in asked.items():
            if not sides:
                keys = (f"{side.question}: {side.answer}".strip(": ") for side in self.groups[name])
                known = ", ".join(dict.fromkeys(keys)) or "none"
                raise DomainError(f"question and answer must be among those with reports: {known}.")
        void = tuple(one for one in self.contradictions if question in ("", one[1].question))
        return replace(self, groups=asked, contradictions=void)

    def compared(self, options: CompareOptions, margin: Margin | None = None) -> Tested[Any]:
        """Hold every group against the first, by its difference, or by a margin of it. Raises DomainError."""
        if margin is None:
            return self.told(compare_sides(self.title, self.groups, options, self.contradictions))
        return self.told(margin_tests(self.title, self.groups, options, margin, self.contradictions))

    def told(self, tested: T) -> T:
        """Return a test of them with how they were read, and no verdict where counts contradict a design."""
        tested = replace(tested, lines=(*tested.lines, *self.reading), by=self.by)
        return tested.held_against(self.contradictions)


def _sides(of: Tally | Group | Sequence[Arm], target: Target) -> list[GroupEstimate]:
    if isinstance(of, Tally):
        return sides_of_tally(of, target)
    if isinstance(of, Group):
        return [side_of_group(of, binary_epsilon(of.channel), target)]
    return sides_of_arms(of, target)


def _reading(groups: Mapping[str, Sequence[Arm]]) -> tuple[str, ...]:
    """Return how the counts of each group were read; of many groups, nothing."""
    if len(groups) > MAX_LISTED:
        return ()
    said = {name: words_of([*map(AskedBy.of, arms)]) for name, arms in groups.items()}
    return tuple(": ".join(filter(None, [name, line])) for name, lines in said.items() for line in lines)
