"""How a range closed while reports came: one figure at every look, over the number of reports."""

from collections.abc import Sequence
from typing import Any

from sotto_estimator.results.drawing import Drawing
from sotto_estimator.results.figure import Panel, RowLabel, Scale, Shape, Spot, Whisker
from sotto_estimator.results.layout import lay_out
from sotto_estimator.shares.estimates import Estimates
from sotto_estimator.views.section import Section


def draw_looks(section: Section, looks: Sequence[Estimates]) -> Drawing | None:
    """Return the chart of a question's last look: with one figure its range at every look, else the figures as ever.

    None where nothing may be said of the question now.
    """
    part, rows = section.part, section.rows
    if part is None or not rows:
        return None
    if len(rows) > 1:
        return section.charts[part.chart]
    say = section.spoken.say
    known = [of for of in _of_looks(section, looks) if section.has_interval(of)]
    ends = [end for of in known for end in (of.low, of.high)]
    axis = part.axis(ends or [0.0, 1.0])
    shapes: list[Shape] = [Whisker(of.low, of.high, of.n_reports, is_upright=True) for of in known]
    shapes += [Spot(of.n_reports, of.value) for of in known[-1:] if of.low <= of.value <= of.high]
    label = section.labels.get(rows[0].answer, rows[0].answer)
    across = Scale(write=lambda n: say.number(round(n)))
    panel = Panel(
        shapes, across, Scale("", axis.low, axis.high, lambda end: part.tick(end, say)), heading=RowLabel(label)
    )
    described = "; ".join(f"{say.number(of.n_reports)}: {_range(section, of)}" for of in known[-1:])
    return lay_out(section.text, described, [panel])


def _of_looks(section: Section, looks: Sequence[Estimates]) -> list[Any]:
    """Return the question's figure at every look that has it: where counts contradicted the design there is none."""
    return [of for look in looks for of in look.main_figures if of.is_told and of.question == section.key]


def _range(section: Section, figure: Any) -> str:
    assert section.part  # noqa: S101  # what has a figure is read
    return " – ".join(section.part.write(end, figure, section.spoken.say) for end in (figure.low, figure.high))
