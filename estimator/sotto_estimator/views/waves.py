"""The history of a survey that is asked again: each answer's share, or a number, wave by wave, in any language."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sotto_estimator.channel.channel import errors_of, shares_of
from sotto_estimator.inference.registry import FIGURES, channel_of, figure_of, find, loaded
from sotto_estimator.intervals.intervals import IntervalOptions, is_interval, share_bounds
from sotto_estimator.results.document import Caption, Column, Said, Table
from sotto_estimator.results.drawing import Drawing
from sotto_estimator.results.figure import Panel, Path, RowLabel, Scale, Shape, Spot, Whisker
from sotto_estimator.results.layout import lay_out
from sotto_estimator.views.figure_section import FigureSection, section_of_kind
from sotto_protocol import Question, Tally
from sotto_protocol.language import ENGLISH, Language

MAX_WAVES = 24
"""So many of the last waves are shown."""
MAX_ANSWERS = 12
"""Of so many answers to a question, those of the largest shares."""
_MAX_DESCRIBED = 12


@dataclass(frozen=True, slots=True)
class WaveEstimate:
    """One wave's estimate: `value` is a share, as `Estimate` has it, or another number, as a mean.

    `has_interval`: whether anything that is possible is between `low` and `high`.
    """

    wave: int
    n_reports: int
    value: float
    standard_error: float
    low: float
    high: float
    has_interval: bool = True


@dataclass(frozen=True, slots=True)
class WaveSeries:
    """One answer's figures by wave. `kind`: theirs, which says how numbers are shown."""

    answer: str
    points: tuple[WaveEstimate, ...]
    kind: str = "share"

    @property
    def part(self) -> FigureSection:
        """How such figures are read."""
        found = section_of_kind(self.kind)
        assert found  # noqa: S101  # what has waves is read
        return found

    def cells(self, point: WaveEstimate, say: Language) -> list[Said | str]:
        """Return a point's value and its interval's ends as they are shown."""
        return self.part.cells(point, say, has_interval=point.has_interval)


def series_of(
    question: Question, tallies: Mapping[int, Tally], answers: Sequence[str], options: IntervalOptions, n_intervals: int
) -> tuple[WaveSeries, ...]:
    """Return the series of some answers over the waves of `tallies` that have reports to the question, ascending.

    The numbers are those of `estimate_tally` of each wave; all waves are worked out at once, which is what makes a page
    of many waves quick. `n_intervals`: of one wave, where they are simultaneous.
    """
    columns = [question.labels.index(answer) for answer in answers]
    n_of = {wave: n for wave, tally in tallies.items() if (n := tally.counted(question.id).n_reports)}
    if not n_of:
        return ()
    counts = np.array([tallies[wave].support_counts[question.id][columns] for wave in n_of], np.float64)
    if question.mechanism.asks_some:  # a row each: the reports that ask the answer, and those that support it
        asked, counts = counts[..., 0], counts[..., 1]
    else:
        asked = np.array([[n] * len(columns) for n in n_of.values()], np.float64)
    sizes = np.maximum(asked, 1)  # what nobody was asked has no point
    channel = channel_of(question)
    shares = shares_of(counts, sizes, channel)
    errors = errors_of(shares, sizes, channel, options.about)
    ends = share_bounds(
        counts,
        sizes,
        channel,
        level=options.level,
        method=options.method,
        target=options.about,
        n_intervals=n_intervals if options.simultaneous else 1,
    )
    numbers = np.stack([shares, errors, *(end.clip(0, 1) for end in ends)], axis=-1).tolist()
    may_be_points = (ends[0] <= 1) & (ends[1] >= 0) & (options.about == "respondents")
    series = []
    for column, answer in enumerate(answers):
        sized = [(row, wave, int(asked[row, column])) for row, wave in enumerate(n_of) if asked[row, column]]
        points = (
            _marked(WaveEstimate(wave, n, *numbers[row][column]), bool(may_be_points[row, column]))
            for row, wave, n in sized
        )
        series.append(WaveSeries(answer, tuple(points)))
    return tuple(one for one in series if one.points)


def _marked(point: WaveEstimate, may_be_point: bool) -> WaveEstimate:
    return replace(point, has_interval=is_interval(point.low, point.high, may_be_point=may_be_point))


def number_series_of(
    question: Question,
    tallies: Mapping[int, Tally],
    figures: Sequence[Any],
    options: IntervalOptions,
    n_intervals: int,
) -> tuple[WaveSeries, ...]:
    """Return the one number of a question, as a mean, over the waves, as `series_of` shares."""
    kind, points, answer = figure_of(question), [], ""
    for wave, tally in tallies.items():
        for counts in find(question, "counts")(tally, question) if tally.counted(question.id).n_reports else ():
            (found,) = loaded(FIGURES[kind].estimate)(counts, options, n_intervals if options.simultaneous else 1)
            point = WaveEstimate(wave, found.n_reports, found.value, found.standard_error, found.low, found.high)
            points.append(_marked(point, False))
            answer = found.answer
    return (WaveSeries(answer, tuple(points), kind),) if points else ()


def draw_waves(title: str, series: Sequence[WaveSeries], say: Language = ENGLISH) -> Drawing:
    """Return a panel for each answer: its share in every wave, or a mean, and the interval; the last is written out."""
    ends = [end for one in series for point in one.points for end in (point.value, point.low, point.high)]
    part = series[0].part
    axis = part.axis(ends)
    scale = Scale("", axis.low, axis.high, lambda value: part.tick(value, say))
    panels = [_panel_of(one, scale, say) for one in series]
    said = [_said_of_last(one, say) for one in series[:_MAX_DESCRIBED]]
    return lay_out(title, " ".join(said), panels)


def _panel_of(series: WaveSeries, scale: Scale, say: Language) -> Panel:
    last = series.points[-1]
    said = say.gettext("wave %(n)s: %(value)s", n=last.wave, value=_words(series, last, say)[0])
    shapes: list[Shape] = [Path([(point.wave, point.value) for point in series.points])]
    for point in series.points:
        shapes += [*_span_of(point), Spot(point.wave, point.value)]
    return Panel(shapes, Scale(write=lambda wave: str(round(wave))), scale, heading=RowLabel(series.answer, said))


def _span_of(point: WaveEstimate) -> list[Whisker]:
    return [Whisker(point.low, point.high, point.wave, is_upright=True)] if point.has_interval else []


def _said_of_last(series: WaveSeries, say: Language) -> str:
    last = series.points[-1]
    value, low, high = _words(series, last, say)
    return say.gettext(
        "%(answer)s: in wave %(n)s %(value)s, from %(low)s to %(high)s.",
        answer=series.answer,
        n=last.wave,
        value=value,
        low=low,
        high=high,
    )


def _words(series: WaveSeries, point: WaveEstimate, say: Language) -> list[str]:
    return [cell.text if isinstance(cell, Said) else cell for cell in series.cells(point, say)]


def wave_tables(question: str, series: Sequence[WaveSeries], say: Language) -> list[Table]:
    """Return a table for each answer: its numbers wave by wave."""
    return [_table_of(Caption(f"waves-{place}", "", question), one, say) for place, one in enumerate(series, 1)]


def _table_of(caption: Caption, series: WaveSeries, say: Language) -> Table:
    named = caption._replace(words=say.gettext("Wave by wave: %(answer)s", answer=series.answer))
    numbers = [series.part.heading(say), say.gettext("Low"), say.gettext("High")]
    columns = [Column(say.gettext("Wave"), "word", names=True), Column(say.gettext("Reports"), "count")]
    rows = [[str(of.wave), say.number(of.n_reports), *series.cells(of, say)] for of in series.points]
    return Table([*columns, *(Column(name, "number") for name in numbers)], rows, caption=named)
