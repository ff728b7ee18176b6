"""By which designs a question was asked, as outputs say it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from sotto_estimator.designs.design import Arm
from sotto_estimator.designs.parameters import call_of
from sotto_protocol.words import counted, epsilon_above

MAX_LISTED = 12
"""Of more arms, such as records with a channel each, outputs for people say how many there are."""


@dataclass(frozen=True, slots=True)
class AskedBy:
    """How the people of an arm were asked: a design, its parameters as written, its epsilon, and what they reported."""

    design: str
    parameters: Mapping[str, str]
    epsilon: float
    reports: Mapping[str, int]

    @classmethod
    def of(cls, arm: Arm) -> Self:
        reports = dict(zip(arm.design.reports, map(round, arm.counts.tolist()), strict=True))
        return cls(arm.design.name, arm.design.parameters, arm.design.epsilon, reports)

    def __str__(self) -> str:
        return call_of(self.design, self.parameters)

    def report_given(self, count: int) -> str:
        """Return the one of two reports that was given as often as this; "" where it is neither, or both."""
        found = [_shown(report) for report, n in self.reports.items() if n == count]
        return found[0] if len(self.reports) == 2 and len(found) == 1 else ""

    @property
    def reports_words(self) -> str:
        """Which report was read as given how often; "" of many."""
        if len(self.reports) > MAX_LISTED:
            return ""
        if any(report[:1].isdigit() for report in self.reports):
            return ", ".join(f"{_shown(report)}: {count:,}" for report, count in self.reports.items())
        return ", ".join(f"{count:,} {_shown(report)}" for report, count in self.reports.items())


def words_of(designs: Sequence[AskedBy], *, with_reports: bool = True) -> list[str]:
    """Return a line for each arm, or one for all where they are many. `with_reports`: how its counts were read too."""
    if len(designs) > MAX_LISTED:
        most, least = (pick(of.epsilon for of in designs) for pick in (max, min))
        return [f"{len(designs):,} designs: epsilon {epsilon_above(least)} to {epsilon_above(most)}"]
    read = [of.reports_words if with_reports else "" for of in designs]
    if len(designs) == 1:
        return [": ".join(filter(None, [f"design {designs[0]}", *read]))]
    return ["; ".join(filter(None, [_line(of), said])) for of, said in zip(designs, read, strict=True)]


def _line(of: AskedBy) -> str:
    return f"design {of}: {counted(sum(of.reports.values()), 'report')}, epsilon {epsilon_above(of.epsilon)}"


def _shown(report: str) -> str:
    """Return a report's label, of a file perhaps, without what a terminal would obey."""
    return report if report.isprintable() else ascii(report)[1:-1]
