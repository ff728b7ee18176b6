"""What tests return: rows, rendered as a table, JSON, CSV, a data frame and HTML, of the same numbers."""

import re
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, Protocol, Self, TypeVar

from sotto_estimator.hypertext import said_html, table_html
from sotto_estimator.percents import NOTHING, OUTSIDE, OUTSIDE_WORDS, percent, share_percent, signed_percent
from sotto_estimator.render import escaped
from sotto_estimator.result import Result
from sotto_estimator.void import Void, alarms_of, lines_of, void_members
from sotto_protocol.tables import align

if TYPE_CHECKING:
    from sotto_estimator.panels import Panel


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

    def without_verdict(self, contradicting: Collection[str]) -> Self:
        """Return the row with nothing that is made of counts of these groups, nor of a comparison with them."""

    @property
    def cells(self) -> tuple[str, ...]:
        """The row of a table, one cell a heading."""

    @property
    def sentence(self) -> str:
        """What is known, in plain words."""

    @property
    def span(self) -> "Span":
        """What is drawn of it."""


_MARKED = re.compile(rf"{re.escape(OUTSIDE)}-?[0-9.]+ %$")
R = TypeVar("R", bound=Row)


@dataclass(frozen=True, slots=True)
class Tested(Result, Generic[R]):
    """All rows of one test. `kind`: share, groups or trend; `lines`: how numbers are made; `options`: by name.

    `contradictions`: of groups whose counts honest reports hardly ever give.
    """

    kind: str
    title: str
    lines: tuple[str, ...]
    options: dict[str, Any]
    rows: tuple[R, ...]
    contradictions: tuple[Void, ...] = ()

    @property
    def warnings(self) -> list[str]:
        """What to say of counts that contradict a design."""
        return alarms_of(self.contradictions)

    QUANTITIES: ClassVar[dict[str, str]] = {"share": "", "groups": "difference: ", "trend": "slope: "}

    def __str__(self) -> str:
        """Return what is known, a sentence a row."""
        return "\n".join(dict.fromkeys(row.sentence for row in self.rows))

    def held_against(self, contradictions: Sequence[Void]) -> Self:
        """Return the same, with no verdict of counts that honest reports hardly ever give."""
        rows = []
        for row in self.rows:
            named = {name for name, found in contradictions if found.question == row.question} & {*row.compared}
            rows.append(row.without_verdict(named) if named else row)
        return replace(self, rows=tuple(rows), contradictions=tuple(contradictions))

    @property
    def heading(self) -> str:
        """What was tested, of what data."""
        return f"{self.title}: test of {self.kind}"

    def alarms(self) -> list[str]:
        """Return what to say of counts that contradict a design."""
        return self.warnings

    def to_dict(self) -> dict[str, Any]:
        """Return the members of the JSON."""
        void = void_members(self.contradictions)
        heading = {"test": self.kind, "title": self.title} | self.options | {"contradictions": void}
        return heading | {"rows": [asdict(row) for row in self.rows]}

    def records(self) -> list[dict[str, Any]]:
        """Return a row of CSV for each row, with the options in it."""
        return [asdict(row) | self.options for row in self.rows]

    def as_table(self) -> str:
        """Return what is known, how, and an aligned table."""
        said = [escaped(line) for line in str(self).splitlines()]
        heading = "\n".join([escaped(self.title), *self.lines, *map(escaped, lines_of(self.contradictions))])
        rows = [list(self.rows[0].HEADINGS), *([escaped(cell) for cell in row.cells] for row in self.rows)]
        return "\n\n".join(["\n".join(said), heading, align(_without_empty(rows)), *self._marked])

    def html_parts(self) -> list[str]:
        """Return what a notebook shows."""
        cells = _without_empty([list(self.rows[0].HEADINGS), *(list(row.cells) for row in self.rows)])
        how = [self.title, *self.lines, *lines_of(self.contradictions), *self._marked]
        return [said_html(str(self).splitlines()), table_html(cells), said_html(how)]

    @property
    def _marked(self) -> list[str]:
        """What the mark of an estimate means, where there is one."""
        is_marked = any(re.match(_MARKED, part) for row in self.rows for cell in row.cells for part in cell.split(", "))
        return [OUTSIDE_WORDS] * is_marked

    def panels(self) -> "tuple[str, list[Panel]]":
        """Return a picture of every row's difference, slope or share with its interval, a panel a unit."""
        from sotto_estimator.panels import Point, point_panel  # matplotlib takes a second to load

        spans: dict[str, list[Point]] = {}
        for row in self.rows:
            if row.is_void:
                continue
            span = row.span
            scale, unit = (100, "share (%)") if span.unit is None else (1, span.unit)
            point = Point(span.label, scale * span.value, scale * span.low, scale * span.high)
            spans.setdefault(unit, []).append(point)
        title = "\n".join([self.title, *self.lines])
        return title, [point_panel(points, f"{self.QUANTITIES[self.kind]}{unit}") for unit, points in spans.items()]


def _without_empty(rows: list[list[str]]) -> list[list[str]]:
    """Return rows without the columns that are empty below their heading."""
    kept = [any(column[1:]) for column in zip(*rows, strict=True)]
    return [[cell for cell, is_kept in zip(row, kept, strict=True) if is_kept] for row in rows]


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
