"""The history of a survey that is asked again: each answer's share, or a number, wave by wave."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sotto_estimator.channel.channel import errors_of, shares_of
from sotto_estimator.inference.registry import FIGURES, channel_of, figure_of, find, loaded
from sotto_estimator.intervals.intervals import IntervalOptions, is_interval, share_bounds
from sotto_estimator.page.figure_page import FigurePage, page_of_kind
from sotto_protocol import Question, Tally
from sotto_protocol.language import Language

MAX_WAVES = 24
"""So many of the last waves are shown."""
MAX_ANSWERS = 12
"""Of so many answers to a question, those of the largest shares."""


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
    def part(self) -> FigurePage:
        """How such figures stand on the page."""
        found = page_of_kind(self.kind)
        assert found  # noqa: S101  # what has waves has a place on the page
        return found

    def words(self, number: float, point: WaveEstimate, say: Language) -> str:
        """Return a number of a point as it is shown: marked, where it is a share that is not possible."""
        return self.part.write(number, point, say)


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
    if question.mechanism.asks_one:  # a row each: the reports that ask the answer, and those that support it
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
