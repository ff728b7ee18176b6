"""The history of a survey that is asked again: each answer's share, wave by wave."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sotto_estimator.channel import errors_of, shares_of
from sotto_estimator.estimate import IntervalOptions, channel_of
from sotto_estimator.intervals import share_bounds
from sotto_protocol import Question, Tally

MAX_WAVES = 24
"""So many of the last waves are shown."""
MAX_ANSWERS = 12
"""Of so many answers to a question, those of the largest shares."""


@dataclass(frozen=True, slots=True)
class Point:
    """One wave's estimate of a share, as `Estimate` has it."""

    wave: int
    n_reports: int
    share: float
    standard_error: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class WaveSeries:
    """One answer's estimates, by wave."""

    answer: str
    points: tuple[Point, ...]


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
    sizes = np.array([[n] for n in n_of.values()], np.float64)
    counts = np.array([tallies[wave].support_counts[question.id][columns] for wave in n_of], np.float64)
    channel = channel_of(question)
    shares = shares_of(counts, sizes, channel)
    errors = errors_of(shares, sizes, channel, options.target)
    ends = share_bounds(
        counts,
        sizes,
        channel,
        level=options.level,
        method=options.method,
        target=options.target,
        n_intervals=n_intervals if options.simultaneous else 1,
    )
    numbers = np.stack([shares, errors, *(end.clip(0, 1) for end in ends)], axis=-1).tolist()
    return tuple(
        WaveSeries(answer, tuple(Point(*at, *numbers[row][column]) for row, at in enumerate(n_of.items())))
        for column, answer in enumerate(answers)
    )
