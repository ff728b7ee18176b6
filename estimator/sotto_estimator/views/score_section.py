"""Mean scores in any language: the mean's row, answers on two sides of the middle, and the numbers."""

from collections.abc import Mapping, Sequence
from typing import Any

from sotto_estimator.inference.registry import find, scores_of
from sotto_estimator.intervals.intervals import IntervalOptions
from sotto_estimator.numbers.scored import ENPS
from sotto_estimator.results.axis import Axis, shortest, tick_words
from sotto_estimator.results.document import Caption, Cell, Column, Said, Table
from sotto_estimator.results.figure import Panel, RowLabel, Scale, Shape, Spot, Whisker, bar_box
from sotto_estimator.shares.scores import ScoreMean, score_means
from sotto_estimator.views.figure_section import FigureSection
from sotto_estimator.views.number_section import draw_means, mean_panel, mean_row
from sotto_estimator.views.numbers import value_words
from sotto_estimator.views.waves import WaveEstimate, WaveSeries
from sotto_protocol import Question, Tally
from sotto_protocol.language import Language

Drawn = Sequence[tuple[RowLabel, float, tuple[float, float]]]
"""Of each answer its row, its most likely share, and its interval."""


def score_series_of(
    question: Question, tallies: Mapping[int, Tally], options: IntervalOptions, n_intervals: int, say: Language
) -> tuple[WaveSeries, ...]:
    """Return the mean score over the waves of `tallies` that have any; nothing where options have no scores."""
    points, answer = [], ""
    for wave, tally in tallies.items() if scores_of(question) else ():
        for counts in find(question, "counts")(tally, question) if tally.counted(question.id).n_reports else ():
            (of,) = score_means(counts, options, n_intervals if options.simultaneous else 1)
            error = of.standard_error or (of.high - of.low) / 4
            points.append(WaveEstimate(wave, of.n_reports, of.value, error, of.low, of.high, of.has_interval))
            answer = score_label(of.answer, say)
    return (WaveSeries(answer, tuple(points), ScoreMean.kind),) if points else ()


def score_label(answer: str, say: Language) -> str:
    """Return what a mean score is called."""
    return ENPS if answer == ENPS else say.gettext("Mean")


def score_of(more: Sequence[Any]) -> ScoreMean | None:
    """Return the mean score among what stands beside shares; None where there is none to be shown."""
    return next((one for one in more if isinstance(one, ScoreMean) and one.mean is not None), None)


def scale_panels(of: ScoreMean, drawn: Drawn, say: Language, *, is_decided: bool) -> list[Panel]:
    """Return the mean on its scale, and below it a row for each answer: to the left if it is below the middle.

    Bars and intervals to the left are as long as to the right; the axis counts from the middle both ways.
    """
    middle = (of.minimum + of.maximum) / 2
    shapes: list[Shape] = []
    for number, (score, (_, likely, (low, high))) in enumerate(zip(of.scores, drawn, strict=True)):
        side = -1 if score is not None and score < middle else 1
        shapes.append(bar_box(side * likely, number) if is_decided else Spot(side * likely, number))
        first, last = sorted((side * low, side * high))
        shapes.append(Whisker(first, last, number))
    reach = max(end for _, likely, span in drawn for end in (likely, *span))
    axis = Axis.spanning(-max(reach, 0.01), max(reach, 0.01))
    scale = Scale("", axis.low, axis.high, lambda share: tick_words(abs(share), say))
    rows = [row for row, _, _ in drawn]
    mean = mean_panel([mean_row(score_label(of.answer, say), of, say)], (of.minimum, of.maximum), say)
    return [mean, Panel(shapes, scale, rows=rows, has_zero=True)]


def score_tables(more: Sequence[Any], question: str, say: Language) -> list[Table]:
    """Return the mean's numbers, where there are any."""
    of = score_of(more)
    if of is None:
        return []
    heads = [say.gettext("Mean, unbiased"), say.gettext("Low"), say.gettext("High"), say.gettext("Std. error")]
    columns = [Column(say.gettext("Scale"), "word", names=True), *(Column(head, "number") for head in heads)]
    ends = [of.low, of.high] if of.has_interval else [None, None]
    precision = of.standard_error or (of.high - of.low) / 4
    scale = f"{shortest(of.minimum, say)} – {shortest(of.maximum, say)}"
    row: list[Cell] = [
        scale,
        *(
            "–" if number is None else Said(say.number(value_words(number, precision).replace(",", "")), number)
            for number in (of.mean, *ends, of.standard_error)
        ),
    ]
    return [Table(columns, [row], caption=Caption("score", say.gettext("Estimates of the mean"), question))]


SCORES = FigureSection(
    chart="scale",
    labels=lambda question, options, say: {},
    caption=lambda say: say.gettext("Estimates of the mean"),
    heading=lambda say: say.gettext("Mean"),
    unbiased=lambda say: say.gettext("Mean, unbiased"),
    write=lambda number, of, say: say.number(value_words(number, of.standard_error).replace(",", "")),
    draw=lambda title, rows, _, say, unit: draw_means(title, [(one.answer, one) for one in rows], say, unit),
    draw_groups=draw_means,
    series=lambda *_: (),
    axis=lambda ends: Axis.spanning(min(ends), max(max(ends), min(ends) + 1e-9)),
    tick=shortest,
    is_marked=lambda of: getattr(of, "is_outside", False),
)
"""Of groups, and of waves."""
