"""The mean of a question's numbers, in the unit that they are asked in, with its error and an interval."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from sotto_estimator.channel.channel import Floats, Target
from sotto_estimator.channel.devices import Devices
from sotto_estimator.errors import DomainError
from sotto_estimator.intervals.binomial import Bounds
from sotto_estimator.intervals.fakes import PERCENT
from sotto_estimator.intervals.intervals import IntervalOptions, check_level, is_interval, no_waves, share_bounds
from sotto_estimator.intervals.methods import Means, NoiseMeans, find_method
from sotto_estimator.intervals.noise_means import unlike_bits
from sotto_estimator.numbers.channel import NumberChannel
from sotto_estimator.numbers.counts import NumberCounts

_EPS = float(np.finfo(np.float64).eps)

_OUTWARD = 16 * _EPS
"""More than the rounding of the map to places."""

_OF_BITS = "the Clopper-Pearson method for people who differ (Hoeffding)"

_Places = Callable[[Floats, float, Devices], Bounds]
"""From histograms, a tail and devices the ends of the mean place."""


@dataclass(frozen=True, slots=True)
class CountedMean:
    """What is counted for the mean of one question's numbers, and the range of these, in `unit`."""

    kind: ClassVar = "mean"
    answer: ClassVar = "mean"

    question: str
    unit: str
    minimum: float
    maximum: float
    n_reports: int
    epsilon: float


@dataclass(frozen=True, slots=True)
class MeanEstimate(CountedMean):
    """The estimate of the mean of one question's numbers; all but counts and epsilon in `unit`.

    `mean` is unbiased and may lie outside [minimum, maximum]; `low` and `high` do not. `consistent_mean` is the closest
    mean that is possible. `shift_up`, `shift_down`: what reports that no answer produced add to the mean, for each 1 %
    of them, if all are the highest output, or the lowest. `interval`: in words, how `low` and `high` are made.
    """

    is_told: ClassVar = True

    mean: float
    standard_error: float
    low: float
    high: float
    shift_up: float
    shift_down: float
    interval: str
    consistent_mean: float | None = None

    @property
    def value(self) -> float:
        """The mean."""
        return self.mean

    @property
    def has_interval(self) -> bool:
        """Whether any mean in [minimum, maximum] is in the interval."""
        return is_interval(self.low, self.high)

    @property
    def is_outside(self) -> bool:
        """Whether the unbiased mean is not in [minimum, maximum]."""
        return not self.minimum <= self.mean <= self.maximum

    def pooled(self, mean: float, standard_error: float, low: float, high: float) -> Self:
        """Return the same with pooled numbers, whose interval is moved into [minimum, maximum]."""
        low, high = (min(max(end, self.minimum), self.maximum) for end in (low, high))
        return replace(self, mean=mean, standard_error=standard_error, low=low, high=high, interval="approximate")

    def voided(self) -> "VoidedMean":
        """Return the counts alone, for counts that contradict the design."""
        return VoidedMean(self.question, self.unit, self.minimum, self.maximum, self.n_reports, self.epsilon)


@dataclass(frozen=True, slots=True)
class VoidedMean(CountedMean):
    """What was counted for a mean, of a question whose counts contradict the design: the rest is None."""

    is_told: ClassVar = False

    mean: None = None
    standard_error: None = None
    low: None = None
    high: None = None
    shift_up: None = None
    shift_down: None = None
    interval: None = None
    consistent_mean: None = None


def mean_estimates(counts: NumberCounts, options: IntervalOptions, n_intervals: int) -> list[MeanEstimate]:
    """Return the figures of a question that asks for numbers: its mean. Raises `DomainError`."""
    return [estimate_mean(counts, options, n_intervals)]


def estimate_mean(counts: NumberCounts, options: IntervalOptions, n_intervals: int) -> MeanEstimate:
    """Return the mean of a histogram of one report or more, its interval by `method_of_mean`. Raises `DomainError`.

    Its standard error is at least that of the device's least noise. About the respondents it is an upper bound.
    Waves may have other means each: they are no draws from one population.
    """
    if options.population_size is not None:
        raise DomainError(f"population_size goes with shares, and question {counts.question} asks for a number.")
    channel, devices, n = counts.channel, counts.devices, counts.n_reports
    n_waves = max(counts.n_waves, devices.n_waves)
    total = sum(score * count for score, count in zip(channel.scores, counts.histogram.tolist(), strict=True))
    mean_score = Fraction(total, n)
    place = float((mean_score - channel.offset) / channel.slope)
    low, high = mean_bounds(counts.histogram, channel, devices, options, n_intervals, n_waves)
    minimum, maximum = float(counts.kind.minimum), float(counts.kind.maximum)
    width = maximum - minimum
    value = float(counts.value_at(place))
    low, high = counts.value_at(np.clip([low, high], 0, 1)).tolist()
    return MeanEstimate(
        question=counts.question,
        unit=counts.kind.unit,
        minimum=minimum,
        maximum=maximum,
        n_reports=n,
        epsilon=counts.epsilon,
        mean=value,
        standard_error=width * place_error(counts.histogram, channel, devices.effect, options.about),
        low=low,
        high=high,
        shift_up=PERCENT * float((channel.ends[1] - mean_score) / channel.slope) * width,
        shift_down=PERCENT * float((channel.ends[0] - mean_score) / channel.slope) * width,
        interval=words_of_interval(channel, options, n_waves),
        consistent_mean=min(max(value, minimum), maximum) if options.consistent else None,
    )


def method_of_mean(
    channel: NumberChannel, options: IntervalOptions, n_waves: int
) -> tuple[str, tuple[_Places, str] | None]:
    """Return the name of the method of a mean's interval: that of the options, or the default where it knows none.

    With it what it knows of means (`_of_means`). Of two outputs the number of the higher ones is a binomial count,
    whose share's intervals all methods know; of more, and about the respondents, whose outputs are not alike, it takes
    one that knows means.
    """
    is_binomial = channel.is_binary and options.about == "population"
    known = _of_means(channel, options, n_waves)
    if known or is_binomial or find_method(options.method).of_means:
        return options.method, known
    default = IntervalOptions().method
    return default, _of_means(channel, replace(options, method=default), n_waves)


def words_of_interval(channel: NumberChannel, options: IntervalOptions, n_waves: int = 1) -> str:
    """Return in words how a mean's interval is made, and why it is not by the options' method where it is not."""
    name, known = method_of_mean(channel, options, n_waves)
    made = f"by {known[1]}" if known else f"by the {find_method(name).words}"
    if name == options.method:
        return made
    means = "of more than two outputs"
    if channel.is_binary or find_method(options.method).of_drawn_means:
        means = "about respondents" if options.about == "respondents" else "of several waves"
    return f"{made}, as {options.method} knows no mean {means}"


def _of_means(channel: NumberChannel, options: IntervalOptions, n_waves: int) -> tuple[_Places, str] | None:
    """Return the options' method for means, and its words; None where it is that of a share, or knows none.

    A sharper one, if there is one, takes independent draws from one population, or the noise alone.
    """
    method, about = find_method(options.method), options.about
    if method.of_drawn_means and n_waves == 1 and about == "population" and (method.of_means or not channel.is_binary):
        of_drawn = partial(_from_outputs, channel, method.of_drawn_means)
        return of_drawn, method.words_of_drawn_means
    if channel.is_binary:
        is_exact = method.of_drawn_means and n_waves == 1 and about == "respondents"
        return (partial(_of_bits, channel), _OF_BITS) if is_exact else None
    if method.of_noise_means and about == "respondents":
        return partial(_of_noise, channel, method.of_noise_means), method.words_of_noise_means
    return (partial(_from_outputs, channel, method.of_means), method.words_of_means) if method.of_means else None


def _from_outputs(channel: NumberChannel, bounds: Means, rows: Floats, tail: float, devices: Devices) -> Bounds:
    low, high = bounds(rows, channel.outputs, channel.deviations, tail, devices)
    return channel.place_of(low - _OUTWARD), channel.place_of(high + _OUTWARD)


def _of_bits(channel: NumberChannel, rows: Floats, tail: float, devices: Devices) -> Bounds:
    low, high = unlike_bits(rows[:, 1], rows.sum(axis=1), tail)
    return channel.place_of(low - _OUTWARD), channel.place_of(high + _OUTWARD)


def _of_noise(channel: NumberChannel, bounds: NoiseMeans, rows: Floats, tail: float, devices: Devices) -> Bounds:
    low, high = bounds(rows, channel.outputs, channel.matrix, tail, devices)
    return low - _OUTWARD, high + _OUTWARD


def place_error(
    histogram: NDArray[np.int64] | Floats,
    channel: NumberChannel,
    design_effect: float = 1.0,
    about: Target = "population",
) -> float:
    """Return the standard error of the mean place: of the outputs' variance, at least that of the device's noise.

    About the respondents it is at most that of the most noise that people of this mean can have. `design_effect`: where
    several reports are of one device, by what the variance of what they share is multiplied.
    """
    shares, outputs = histogram / histogram.sum(), channel.outputs
    mean = float(shares @ outputs)
    variance = max(float(shares @ (outputs - mean) ** 2), channel.deviations[0] ** 2)
    if about == "respondents":
        variance = min(variance, channel.most_noise(float(channel.place_of(mean))))
    fresh = channel.fresh_variance
    return math.sqrt((fresh + design_effect * (variance - fresh)) / float(histogram.sum())) * channel.stretch


def mean_errors_if_alike(counts: Sequence[NumberCounts], about: Target) -> dict[str, Floats]:
    """Return the standard error of each group's mean, if a report varied as in the mean of the groups' histograms."""
    first = counts[0]
    shares = np.mean([of.histogram / of.n_reports for of in counts], axis=0)
    width = float(first.kind.maximum) - float(first.kind.minimum)
    errors = [place_error(of.n_reports * shares, of.channel, of.devices.effect, about) for of in counts]
    return {CountedMean.answer: width * np.array(errors)}


def mean_bounds(
    histogram: NDArray[np.int64] | Floats,
    channel: NumberChannel,
    devices: Devices,
    options: IntervalOptions,
    n_intervals: int,
    n_waves: int = 1,
) -> tuple[Floats, Floats]:
    """Return the ends of the mean place before they are clipped, of histograms of shape (.., n_outputs).

    By `method_of_mean`. `n_waves`: of how many waves the reports are, if more than a device sends. Raises
    `DomainError`.
    """
    n_waves = max(n_waves, devices.n_waves)
    n, (method, known) = histogram.sum(axis=-1), method_of_mean(channel, options, n_waves)
    if known is None:
        return share_bounds(
            histogram[..., 1],
            n,
            channel.as_share(),
            level=options.level,
            method=method,
            target="population",
            n_intervals=n_intervals,
            devices=devices,
        )
    if devices.n_waves > 1 and not find_method(method).allows_waves:
        raise no_waves(method, devices)
    tail = check_level(options.level, n_intervals) / 2
    rows = np.asarray(histogram, np.float64).reshape(-1, channel.n_outputs)
    low, high = known[0](rows, tail, devices)
    return (low - channel.bias).reshape(n.shape), (high + channel.bias).reshape(n.shape)
