"""A picture of one run beside the truth: what an analyst would see, and what they would not."""

from collections.abc import Sequence

from sotto_estimator.results.figure import Bar, Panel, Point, bar_panels, point_panel
from sotto_rehearsal.simulation.summary import Simulation

_TITLE = "the first run; a diamond is the truth"


def first_run(simulation: Simulation, caption: Sequence[str]) -> tuple[str, list[Panel]]:
    """Return a title and the first run: a panel of shares, and one of each figure in a unit."""
    first, questions = simulation.first, [of.question.id for of in simulation.task.truth.figures]
    bars, panels = [], []
    for row, found, true in zip(simulation.rows, first.found, first.true.tolist(), strict=True):
        value, low, high, _ = found.tolist()
        if not row.figure.is_in_points:
            words = f"{row.answer} ({row.unit})" if row.unit else row.answer
            point = Point(row.question, value, low, high, truth=true)
            panels.append(point_panel([point], words, _ends(simulation, row.question)))
            continue
        label = f"{row.question}: {row.answer}"
        hue = questions.index(row.question)
        is_found = value == value  # not NaN
        bars.append(
            Bar(label, value, low, high, hue, true, row.question)
            if is_found
            else Bar(f"{label} (none)", 0, 0, 0, hue, true, row.question)
        )
    title, of_shares = bar_panels(bars, "\n".join([*caption, _TITLE]))
    return title, [*(of_shares if bars else []), *panels]


def _ends(simulation: Simulation, question: str) -> tuple[float, float]:
    """Return the least and the greatest number that may be answered, or score that an option has."""
    (kind,) = [of.question.kind for of in simulation.task.truth.questions if of.question.id == question]
    if scores := [score for score in getattr(kind, "scores", ()) if score is not None]:
        return min(scores), max(scores)
    return kind.ends
