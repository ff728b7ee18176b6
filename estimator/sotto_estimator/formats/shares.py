"""Shares from the reports of another program: what any survey's estimates are, and what else there is to say."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

from sotto_estimator.estimates import Estimates
from sotto_estimator.render import csv_records, json_members, table
from sotto_estimator.result import Result

if TYPE_CHECKING:
    from sotto_estimator.panels import Panel


@dataclass(frozen=True, slots=True)
class FormatShares(Result):
    """`estimates`: by question, as those of a survey; `notes`: what there is to know of these reports."""

    estimates: Estimates
    notes: tuple[str, ...] = ()

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is wrong with the reports."""
        return tuple(contradiction.warning for contradiction in self.estimates.contradictions)

    def as_table(self) -> str:
        """Return the notes, and aligned tables."""
        return "\n".join([*self.notes, table(self.estimates)])

    def to_dict(self) -> dict[str, Any]:
        """Return the members of `sotto estimate --json`."""
        return {"notes": list(self.notes)} | json_members(self.estimates)

    def records(self) -> list[dict[str, Any]]:
        """Return the rows of `sotto estimate --csv`."""
        return csv_records([self.estimates])

    @property
    def heading(self) -> str:
        """The title, with n."""
        return self.estimates.heading

    def titled(self, title: str) -> Self:
        """Return the same under another title."""
        return replace(self, estimates=self.estimates.titled(title))

    def alarms(self) -> tuple[str, ...]:
        """Return what is wrong with the reports."""
        return self.warnings

    def panels(self) -> "tuple[str, Sequence[Panel]]":
        """Return a picture of the shares."""
        return self.estimates.panels()

    def html_parts(self) -> Sequence[str]:
        """Return what a notebook shows."""
        return self.estimates.html_parts()
