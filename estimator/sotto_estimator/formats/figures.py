"""Figures: what is estimated from the reports of another program, each with its interval; as table, JSON, CSV, HTML."""

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from sotto_estimator.contradiction import Contradiction
from sotto_estimator.hypertext import heading_html, said_html, table_html
from sotto_estimator.intervals import IntervalOptions
from sotto_estimator.percents import share_percent
from sotto_estimator.render import csv_text, escaped, interval_words
from sotto_estimator.result import Result
from sotto_protocol.tables import align
from sotto_protocol.words import counted, epsilon_above

if TYPE_CHECKING:
    from sotto_estimator.panels import Panel


@dataclass(frozen=True, slots=True)
class Figure:
    """A number with its interval. `stratum`: of which reports; `quantity`: share, mean, or p75 for a percentile.

    `group`: None where there is one group alone. `unit`: "" of a share, which is a fraction. `estimate` and
    `standard_error` are None where there is none; an end that is not known is 0 or infinite, and NaN where no number is
    in the interval.
    """

    group: str | None
    stratum: str
    quantity: str
    unit: str
    n_reports: int
    epsilon: float
    estimate: float | None
    standard_error: float | None
    low: float
    high: float
    method: str
    is_guaranteed: bool


@dataclass(frozen=True, slots=True)
class Figures(Result):
    """All figures of some files of one format. `noun`: what a report is called; `made`: how intervals are.

    `by`: the member that names groups, None where all are one.
    """

    title: str
    format: str
    noun: str
    n_reports: int
    epsilon: float
    options: IntervalOptions
    made: str
    by: str | None
    figures: tuple[Figure, ...]
    notes: tuple[str, ...] = ()
    contradictions: tuple[Contradiction, ...] = ()

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is wrong with the reports."""
        return tuple(contradiction.warning for contradiction in self.contradictions)

    def __str__(self) -> str:
        """Return one line: files, reports and epsilon."""
        epsilon = epsilon_above(self.epsilon)
        return f"{self.title}: n = {counted(self.n_reports, self.noun)}, epsilon at most {epsilon} each"

    def to_dict(self) -> dict[str, Any]:
        """Return the members of `sotto estimate --json`."""
        heading = {"title": self.title, "format": self.format, "n_reports": self.n_reports, "epsilon": self.epsilon}
        found = {
            "notes": list(self.notes),
            "contradictions": [asdict(contradiction) for contradiction in self.contradictions],
            "figures": [asdict(figure) for figure in self.figures],
        }
        return heading | self._option_members | {"by": self.by} | found

    def records(self) -> list[dict[str, Any]]:
        """Return a row for each figure, with level, target and whether it contradicts the design."""
        p_values = {one.question: one.p_value for one in self.contradictions}
        return [
            asdict(figure) | self._option_members | {"p_contradiction": p_values.get(question_of(figure.group))}
            for figure in self.figures
        ]

    def as_table(self) -> str:
        """Return what the figures mean, and an aligned table."""
        said = [str(self), interval_words(self.options, self.made), *self.notes, *map(str, self.contradictions)]
        return "\n\n".join(["\n".join(said), align(self._cells(), n_left=3 if self.by else 2)])

    def as_csv(self) -> str:
        """Return the figures as CSV with a header; what is infinite, or not there, is empty."""
        return csv_text([{name: _finite(value) for name, value in row.items()} for row in self.records()])

    def html_parts(self) -> list[str]:
        """Return what a notebook shows."""
        said = [interval_words(self.options, self.made), *self.notes, *self.warnings]
        return [heading_html(str(self)), table_html(self._cells()), said_html(said)]

    def alarms(self) -> tuple[str, ...]:
        """Return what is wrong with the reports."""
        return self.warnings

    def panels(self) -> "tuple[str, list[Panel]]":
        """Return a picture: the shares, and below them what has a unit."""
        from sotto_estimator.panels import Point, point_panel  # matplotlib takes a second to load

        drawn: dict[str, list[Point]] = {}
        for of in self.figures:
            if of.estimate is not None:
                scale, named = (1 if of.unit else 100), filter(None, [of.group, of.stratum, of.quantity])
                low, high = (scale * end if math.isfinite(end) else math.nan for end in (of.low, of.high))
                drawn.setdefault(of.unit or "%", []).append(Point(" ".join(named), scale * of.estimate, low, high))
        title = f"{self}\n{interval_words(self.options, self.made)}"
        return title, [point_panel(points, unit) for unit, points in drawn.items()]

    @property
    def _option_members(self) -> dict[str, Any]:
        options = self.options
        return {"level": options.level, "simultaneous": options.simultaneous, "target": options.about}

    def _cells(self) -> list[list[str]]:
        columns = ["confidence", "figure", "n", "epsilon", "estimate", "std. error", "low", "high", "interval"]
        rows = [[escaped(str(self.by)), *columns] if self.by else ["", *columns]]
        for figure in self.figures:
            numbers = [figure.estimate, figure.standard_error, figure.low, figure.high]
            rows.append(
                [
                    escaped(figure.group or ""),
                    figure.stratum,
                    figure.quantity,
                    f"{figure.n_reports:,}",
                    epsilon_above(figure.epsilon),
                    *(_number(number, figure.unit) for number in numbers),
                    "guaranteed" if figure.is_guaranteed else "approximate",
                ]
            )
        return rows if self.by else [row[1:] for row in rows]


def question_of(group: str | None) -> str:
    """Return what the figures of a group are about, as contradictions name it."""
    return "confidence" if group is None else f"confidence of {group}"


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _number(value: float | None, unit: str) -> str:
    if value is None or not math.isfinite(value):
        return "-"
    return share_percent(value) if not unit else f"{value + 0.0:,.1f} {unit}"
