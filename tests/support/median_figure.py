"""A kind of figure that the house does not have, as somebody would add it: values, a view, a section, a rehearsal.

The median of numbers, in the place of their mean: that of their distribution, as uncertain as this says. For tests
alone: a guarantee it has none.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np

from sotto_estimator.channel.channel import Floats
from sotto_estimator.inference.registry import FigureKind
from sotto_estimator.intervals.intervals import IntervalOptions
from sotto_estimator.numbers.counts import NumberCounts
from sotto_estimator.numbers.distribution import PROBS, estimate_distribution
from sotto_estimator.results.axis import Axis, shortest
from sotto_estimator.results.document import Cell, Column, Lines, Table
from sotto_estimator.results.drawing import Drawing
from sotto_estimator.results.figure import Panel, Point, RowLabel, Scale, Spot, Whisker, point_panel
from sotto_estimator.results.layout import lay_out
from sotto_estimator.results.rehearsed_figure import RehearsedFigure
from sotto_estimator.shares.by_group import SideBySide
from sotto_estimator.shares.estimates import Estimates
from sotto_estimator.views.figure_section import FigureSection
from sotto_estimator.views.figure_view import Drawn, FigureView
from sotto_estimator.views.waves import number_series_of
from sotto_protocol import Question
from sotto_protocol.language import Language

HALF = PROBS.index(0.5)
NOTE = "a median is approximate"


@dataclass(frozen=True, slots=True)
class Median:
    """The estimated median of one question's numbers; None where nothing may be said of it."""

    kind: ClassVar = "median"
    answer: ClassVar = "median"
    interval: ClassVar = "a bootstrap"
    has_interval: ClassVar = True
    is_outside: ClassVar = False

    question: str
    unit: str
    minimum: float
    maximum: float
    n_reports: int
    epsilon: float
    value: float | None = None
    standard_error: float | None = None
    low: float | None = None
    high: float | None = None

    @property
    def is_told(self) -> bool:
        return self.value is not None

    def voided(self) -> "Median":
        return Median(self.question, self.unit, self.minimum, self.maximum, self.n_reports, self.epsilon)


def estimate(counts: NumberCounts, options: IntervalOptions, n_intervals: int) -> list[Median]:
    of = estimate_distribution(counts, 1 - (1 - options.level) / n_intervals).quantiles[HALF]
    ends = float(counts.kind.minimum), float(counts.kind.maximum)
    about = counts.question, counts.kind.unit, *ends, counts.n_reports, counts.epsilon
    return [Median(*about, of.value, (of.high - of.low) / 4, of.low, of.high)]


def words(_: Estimates, median: Median) -> list[str]:
    return [
        f"{number:g}" for number in (median.value, median.standard_error, median.low, median.high) if number is not None
    ]


def blocks(estimates: Estimates) -> list[Table | Lines]:
    columns = [Column("question"), *(Column(name, "number") for name in ("median", "std. error", "low", "high"))]
    rows: list[list[Cell]] = [
        [of.question, *(words(estimates, of) if of.is_told else [None] * 4)] for of in estimates.of_kind("median")
    ]
    return [Table(columns, rows), Lines([NOTE])]


def members(estimates: Estimates) -> list[dict[str, Any]]:
    return [asdict(of) for of in estimates.of_kind("median")]


def panels(estimates: Estimates) -> Drawn:
    return [NOTE], [_panel(of.question, [(of.question, of)]) for of in estimates.told("median")]


def group_panels(groups: SideBySide) -> Drawn:
    named = [(str(one.stratum), of) for one in groups.estimates for of in one.told("median")]
    return [], [
        _panel(key, [pair for pair in named if pair[1].question == key]) for key in {of.question for _, of in named}
    ]


def _panel(question: str, named: Sequence[tuple[str, Any]]) -> Panel:
    return point_panel([Point(name, of.value, of.low, of.high) for name, of in named], f"median of {question}")


VIEW = FigureView(
    member="medians",
    members=members,
    records=members,
    blocks=blocks,
    made=lambda estimates: [NOTE],
    words=words,
    panels=panels,
    group_panels=group_panels,
    technical=lambda estimates, question: [
        f"{of.question}: median." for of in estimates.told("median") if of.question == question
    ],
)


def draw(title: str, named: Sequence[tuple[str, Any]]) -> Drawing:
    shapes = [
        shape for row, (_, of) in enumerate(named) for shape in (Whisker(of.low, of.high, row), Spot(of.value, row))
    ]
    ends = named[0][1].minimum, named[0][1].maximum
    return lay_out(title, NOTE, [Panel(shapes, Scale("", *ends), rows=[RowLabel(name) for name, _ in named])])


def heading(say: Language) -> str:
    return "Median"


SECTION = FigureSection(
    chart="median",
    labels=lambda question, options, say: {"median": "Median"},
    caption=lambda say: "Medians",
    heading=heading,
    unbiased=heading,
    draw=lambda title, medians, more, say, unit: draw(title, [("Median", medians[0])]),
    draw_groups=lambda title, named, say, unit: draw(title, named),
    series=number_series_of,
    write=lambda number, figure, say: say.number(f"{number:g}"),
    axis=lambda ends: Axis.spanning(min(ends), max(ends) + 1),
    tick=shortest,
    is_marked=lambda figure: False,
)


def true_median(question: Question, shares: Floats) -> Floats:
    """Return the least number that half of the people, or more, do not exceed."""
    numbers = np.linspace(*question.kind.ends, len(shares))
    return numbers[[np.searchsorted(shares.cumsum(), 0.5)]]


REHEARSED = RehearsedFigure(
    heading="number",
    answer="median",
    truth=true_median,
    interval=lambda question, options, n_waves: Median.interval,
    is_in_points=False,
    is_guaranteed=False,
)
KIND = FigureKind(
    estimate=estimate,
    verdict="shares.verdict.judge:verdict_of_number",
    view=VIEW,
    section=SECTION,
    rehearsal=REHEARSED,
)
"""Its row of the registry."""
