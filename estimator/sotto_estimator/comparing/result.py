"""What tests return: rows, rendered as a table, JSON, CSV, a data frame and HTML, of the same numbers."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, Protocol, Self, TypeVar

from sotto_estimator.intervals.group_misfit import GroupMisfit, alarms_of
from sotto_estimator.results.percents import NOTHING, percent, share_percent, signed_percent
from sotto_estimator.results.result import Result

if TYPE_CHECKING:
    pass


class Span(NamedTuple):
    """What is drawn of a row: a number with its interval. `unit`: of means; None of shares, which are fractions."""

    label: str
    value: float
    low: float
    high: float
    unit: str | None


class Row(Protocol):
    """A frozen dataclass, one test or one comparison."""

    HEADINGS: ClassVar[tuple[str, ...]]
    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def question(self) -> str:
        """What it is of."""

    @property
    def compared(self) -> tuple[str, ...]:
        """The names of the groups whose counts it is made of."""

    @property
    def is_void(self) -> bool:
        """Whether it says nothing, since counts contradict the design."""

    FOUND: ClassVar[tuple[str, ...]]
    """The members that say something: None where counts of a group that is compared contradict its design."""

    def estimates_without(self, contradicting: Collection[str]) -> dict[str, Any]:
        """Return the members that are of single groups, without these groups' estimates."""

    @property
    def cells(self) -> tuple[str, ...]:
        """The row of a table, one cell a heading."""

    @property
    def sentence(self) -> str:
        """What is known, in plain words."""

    @property
    def span(self) -> "Span":
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
    def _named(self) -> list[GroupMisfit]:
        """The contradictions, each with what its group is called wherever groups are estimated."""
        return [(f"{self.by} {name}".strip() if name else "", of) for name, of in self.contradictions]

    @property
    def warnings(self) -> list[str]:
        """What to say of counts that contradict a design."""
        return alarms_of(self._named)

    def __str__(self) -> str:
        """Return what is known, a sentence a row."""
        return "\n".join(dict.fromkeys(row.sentence for row in self.rows))

    def held_against(self, contradictions: Sequence[GroupMisfit]) -> Self:
        """Return the same, with no verdict of counts that honest reports hardly ever give."""
        rows = []
        for row in self.rows:
            named = {name for name, found in contradictions if found.question == row.question} & {*row.compared}
            rows.append(replace(row, **dict.fromkeys(row.FOUND), **row.estimates_without(named)) if named else row)
        return replace(self, rows=tuple(rows), contradictions=tuple(contradictions))

    @property
    def heading(self) -> str:
        """What was tested, of what data."""
        return f"{self.title}: test of {self.kind}"

    def alarms(self) -> list[str]:
        """Return what to say of counts that contradict a design."""
        return self.warnings


def estimate_words(estimate: float | None, unit: str | None) -> str:
    """Return an unbiased share in per cent, marked where it is not possible, or a mean in its unit."""
    return share_percent(estimate) if unit is None and estimate is not None else number_words(estimate, unit)


def number_words(number: float | None, unit: str | None, *, is_signed: bool = False) -> str:
    """Return a share in per cent, or a mean in its unit; a dash for none."""
    if number is None:
        return NOTHING
    if unit is None:
        return signed_percent(number) if is_signed else percent(number)
    return f"{number + 0.0:{'+' * is_signed},.4g} {unit}".rstrip()


def span_words(low: float, high: float, unit: str | None, *, is_signed: bool = False) -> str:
    """Return an interval in the same words."""
    return f"{number_words(low, unit, is_signed=is_signed)} to {number_words(high, unit, is_signed=is_signed)}"


def p_words(p_value: float | None) -> str:
    """Return a P-value with three digits; a dash for none."""
    return NOTHING if p_value is None else f"{p_value:.3g}"
