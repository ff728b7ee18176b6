"""What tests return: rows, and what is wrong with the counts that they are made of."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Generic, NamedTuple, Self, TypeVar

from sotto_estimator.intervals.group_misfit import MANY, GroupMisfit, alarms_of, contradicting
from sotto_estimator.results.result import Result


class Span(NamedTuple):
    """What is drawn of a row: a number with its interval. `unit`: of means; None of shares, which are fractions."""

    label: str
    value: float
    low: float
    high: float
    unit: str | None


class Row(ABC):
    """One test or one comparison, a frozen dataclass with these members among others."""

    __slots__ = ()
    __dataclass_fields__: ClassVar[dict[str, Any]]
    FOUND: ClassVar[tuple[str, ...]]
    """The members that say something: None where counts of a group that is compared contradict its design."""

    question: str
    answer: str
    verdict: str | None

    @property
    def named(self) -> str:
        """The question, and the answer if it has several."""
        return ", ".join(filter(None, [self.question, self.answer]))

    @property
    @abstractmethod
    def compared(self) -> tuple[str, ...]:
        """The names of the groups whose counts it is made of."""

    @property
    def is_void(self) -> bool:
        """Whether it says nothing, since counts contradict the design."""
        return self.verdict is None

    @abstractmethod
    def estimates_without(self, contradicting: Collection[str]) -> dict[str, Any]:
        """Return the members that are of single groups, without these groups' estimates, and which these are."""

    @property
    @abstractmethod
    def sentence(self) -> str:
        """What is known, in plain words."""

    @property
    def alike(self) -> str:
        """What is known of many rows that say the same, with {n} for how many they are; "" where none does."""
        return ""

    @property
    @abstractmethod
    def span(self) -> Span:
        """What is drawn of it."""


R = TypeVar("R", bound=Row)


@dataclass(frozen=True, slots=True)
class Tested(Result, Generic[R]):
    """All rows of one test. `kind`: share, groups or trend; `lines`: how numbers are made; `options`: by name.

    `contradictions`: of groups whose counts honest reports hardly ever give. `by`: what they are groups of: a column's
    name, or stratum; "" where their names say it.
    """

    kind: str
    title: str
    lines: tuple[str, ...]
    options: dict[str, Any]
    rows: tuple[R, ...]
    contradictions: tuple[GroupMisfit, ...] = ()
    by: str = ""

    @property
    def named(self) -> list[GroupMisfit]:
        """The contradictions, each with what its group is called wherever groups are estimated."""
        return [(f"{self.by} {name}".strip() if name else "", of) for name, of in self.contradictions]

    @property
    def warnings(self) -> list[str]:
        """What to say of counts that contradict a design."""
        return alarms_of(self.named)

    def __str__(self) -> str:
        """Return what is known, a sentence a row; one sentence of many rows that say the same."""
        n_alike = Counter(row.alike for row in self.rows)
        is_many = {alike: n > MANY for alike, n in n_alike.items() if alike}
        said = (row.alike.format(n=n_alike[row.alike]) if is_many.get(row.alike) else row.sentence for row in self.rows)
        return "\n".join(dict.fromkeys(said))

    def held_against(self, contradictions: Sequence[GroupMisfit]) -> Self:
        """Return the same, with no verdict of counts that honest reports hardly ever give."""
        rows = []
        for row in self.rows:
            named = contradicting(contradictions, row.question, row.compared)
            rows.append(replace(row, **dict.fromkeys(row.FOUND), **row.estimates_without(named)) if named else row)
        return replace(self, rows=tuple(rows), contradictions=tuple(contradictions))

    @property
    def heading(self) -> str:
        """What was tested, of what data."""
        return f"{self.title}: test of {self.kind}"
