"""A question: what is asked, what may be answered, and the mechanism that an answer goes through."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from sotto_protocol.mechanisms.columns import LabelledColumn
from sotto_protocol.mechanisms.mechanism import Bytes, Mechanism
from sotto_protocol.questions.item import Item
from sotto_protocol.questions.joint import Joint
from sotto_protocol.words import epsilon_above


@dataclass(frozen=True, kw_only=True)
class Question(Item):
    """One question of a survey. It declares at least the epsilon that the mechanism takes.

    `epsilon` is that of one report, `epsilon_forever` that of all reports of one answer. They differ only if the
    mechanism has two stages. `items` are what stands on a form for it: the question itself, or the items that are asked
    together (`Joint`).
    """

    mechanism: Mechanism
    epsilon: Decimal
    epsilon_forever: Decimal

    def __repr__(self) -> str:
        return f"<Question {self.id}: {self.type}, {self.mechanism.name}, epsilon {epsilon_above(self.epsilon)}>"

    @property
    def items(self) -> tuple[Item, ...]:
        """What stands on a form for it."""
        return self.kind.items if isinstance(self.kind, Joint) else (self,)

    @property
    def max_selected(self) -> int:
        """How many options may be answered at most."""
        return self.mechanism.max_selected

    @property
    def in_short(self) -> str:
        """One line on what a device does to an answer, for a page to show above the question."""
        return self.kind.in_short(self.mechanism)

    def decode(self, report: Bytes) -> Any:
        """Return what one packed report, shape (n_bytes,), says: a bool for yes-no, else the options that it supports.

        For a text it returns the cohort, and the number that was drawn or the numbers of the set bits. The bits are
        those of the whole string, and of n-grams if there are any.
        """
        return self.kind.decode(self.mechanism.decode(report, self.labels))

    def columns(self, reports: Bytes) -> Iterator[LabelledColumn]:
        """Yield the columns of the packed reports that answer it. Raises ReportError for an impossible one.

        Yes-no has a column ID with no or yes, and one-of by k-ary has ID with the reported option. If a report supports
        several options, there is a boolean column ID:OPTION for each. `asked-option` has ID.option, the option that was
        asked, and ID, no or yes. A number has ID, a float in its unit. It may lie outside of the range, and its mean is
        unbiased. A text has columns as it is stored.
        """
        return self.mechanism.columns(self.id, reports, self.labels, self.kind.ends)

    def epsilon_of(self, n_reports: int) -> Decimal:
        """Return the epsilon of `n_reports` reports of one answer together, never more than `epsilon_forever`."""
        return min(self.mechanism.epsilon_of(n_reports, self.epsilon), self.epsilon_forever)

    def answer_in(self, answers: Mapping[str, Any]) -> Any:
        """Return what `encode` takes, of answers by item: None where there is none."""
        if not isinstance(self.kind, Joint):
            return answers.get(self.id)
        return {item.id: answers.get(item.id) for item in self.items}
