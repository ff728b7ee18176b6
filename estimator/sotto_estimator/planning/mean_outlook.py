"""What a question of numbers will show: their mean."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from sotto_estimator.channel.channel import Target
from sotto_estimator.channel.devices import Devices
from sotto_estimator.intervals.intervals import IntervalOptions
from sotto_estimator.intervals.methods import find_method
from sotto_estimator.numbers.channel import NumberChannel
from sotto_estimator.numbers.mean import mean_bounds, place_error
from sotto_estimator.planning.numbers import (
    NumberStudy,
    expected_outputs,
    half_widths,
    of_least_variance,
    respondents_for,
)
from sotto_estimator.planning.options import PlanOptions
from sotto_estimator.planning.outlook import FigureOutlook
from sotto_protocol.mechanisms.levels import LevelResponse
from sotto_protocol.questions.number import Number

_UNIT_STUDY = NumberStudy(Number((), 0, 1, 1), 0.25)


@dataclass(frozen=True, slots=True)
class MeanOutlook(FigureOutlook):
    """A mean, in the unit; the deviation between people is taken to be a quarter of the range."""

    mechanism: LevelResponse
    is_in_points = False

    @property
    def study(self) -> NumberStudy:
        """The range, and how people's numbers deviate."""
        kind: Number = self.question.kind  # type: ignore[assignment]  # levels are of numbers alone
        return NumberStudy(kind, float(kind.most_wanted) / 2)

    def width(self, n: int, options: PlanOptions, target: Target, n_intervals: int = 1) -> float:
        intervals = IntervalOptions(options.level, options.method, target)
        return self.study.size * _mean_width(self.mechanism, n, intervals, n_intervals)

    def width_of_others(self, n: int, options: PlanOptions, target: Target, n_waves: int) -> float:
        intervals = IntervalOptions(options.level, options.method, target)
        return self.study.size * _mean_width(self.mechanism, n, intervals, 1, n_waves)

    def width_of_waves(self, n: int, options: PlanOptions, n_waves: int) -> float:
        channel, n_reports = NumberChannel.of(self.mechanism), n * n_waves
        method = options.method if find_method(options.method).allows_waves else IntervalOptions().method
        outputs = n_reports * expected_outputs(self.mechanism, self.study)
        devices = Devices.alike(n_reports, n_waves)
        low, high = mean_bounds(outputs, channel, devices, IntervalOptions(options.level, method), 1)
        return self.study.size * float(high - low) / 2

    def of_least_noise(self) -> float | None:
        return of_least_variance(self.mechanism.worst_variance, float(self.question.epsilon), self.study)

    def error(self, n: int, options: PlanOptions, target: Target) -> float:
        outputs = n * expected_outputs(self.mechanism, self.study)
        return self.study.size * place_error(outputs, NumberChannel.of(self.mechanism), about=target)

    def answers_needed(self, want: float, options: PlanOptions) -> int:
        return respondents_for(want, self.mechanism, self.study, options)


@lru_cache(maxsize=256)
def _mean_width(
    mechanism: LevelResponse, n: int, options: IntervalOptions, n_intervals: int, n_waves: int = 1
) -> float:
    """Return the half-width of a mean, as a part of the range, worked out once."""
    return float(half_widths(np.array([float(n)]), mechanism, _UNIT_STUDY, options, n_intervals, n_waves)[0])
