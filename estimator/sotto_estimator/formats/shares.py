"""Shares from the reports of another program: what any survey's estimates are, and what else there is to say."""

from dataclasses import dataclass, replace
from typing import Self

from sotto_estimator.results.result import Result
from sotto_estimator.shares.estimates import Estimates


@dataclass(frozen=True, slots=True)
class FormatShares(Result):
    """`estimates`: by question, as those of a survey; `notes`: what there is to know of these reports."""

    estimates: Estimates
    notes: tuple[str, ...] = ()

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is wrong with the reports."""
        return tuple(contradiction.warning for contradiction in self.estimates.contradictions)

    @property
    def heading(self) -> str:
        """The title, with n."""
        return self.estimates.heading

    def titled(self, title: str) -> Self:
        """Return the same under another title."""
        return replace(self, estimates=self.estimates.titled(title))
