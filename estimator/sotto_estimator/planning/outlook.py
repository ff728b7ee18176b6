"""What one question will show of so many answers: how wide its interval, and what cannot be told from nothing.

All of it is from the functions that estimates are made with: a plan and the estimate after it differ by chance alone.
"""

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TypedDict

import numpy as np
from scipy.special import ndtri

from sotto_estimator.channel.channel import Channel, Target
from sotto_estimator.channel.devices import Devices
from sotto_estimator.channel.questions import channel_of, is_number, is_text
from sotto_estimator.intervals.intervals import IntervalOptions, share_bounds
from sotto_estimator.intervals.methods import find_method
from sotto_estimator.numbers.channel import NumberChannel
from sotto_estimator.numbers.mean import method_of_mean, place_error
from sotto_estimator.planning.numbers import NumberStudy, expected_outputs, half_widths
from sotto_estimator.planning.options import PlanOptions
from sotto_estimator.planning.widths import half_width, standard_deviation
from sotto_estimator.strings.plan import POWER, TextDesign, TextStudy, smallest_share
from sotto_estimator.strings.plan_designs import bucket_response
from sotto_protocol import Question
from sotto_protocol.mechanisms.bloom.response import BloomResponse
from sotto_protocol.mechanisms.sketch.response import SketchResponse
from sotto_protocol.mechanisms.window import WindowResponse
from sotto_protocol.questions.number import Number

_EXACT = "clopper-pearson"
_FOR_WAVES = "chernoff"
_UNIT_STUDY = NumberStudy(Number((), 0, 1, 1), 0.25)
_N_SECTIONS = 64  # a search looks at so many counts at once


class _Intervals(TypedDict):
    level: float
    method: str
    target: Target
    n_intervals: int


@dataclass(frozen=True, slots=True)
class Precision:
    """What a question shows; shares as fractions, a number's figures in its unit. None: not to be had at all.

    `half_width`: None of a text question, which has no interval before it is decoded. `smallest_share`: the smallest
    that is told from none with probability `POWER`, its interval lying above 0, or its string detected; None of
    numbers. `smallest_difference`: between two groups of half the answers each, told apart with about `POWER` by two
    intervals that hold together and do not meet; None of text.
    """

    target: Target
    is_together: bool
    half_width: float | None
    smallest_share: float | None
    smallest_difference: float | None


def figures_of(
    question: Question, n: int, options: PlanOptions, target: Target, n_intervals: int, is_together: bool
) -> Precision:
    """Return what n answers to a question show, if `n_intervals` are to hold together. `n` >= 1."""
    if is_text(question):
        share = width_of(question, n, options)
        return Precision(target, is_together, None, share if share < 1 else None, None)
    width = width_of(question, n, options, target, n_intervals)
    least = None
    if not is_number(question):
        least = told_from_zero(n, channel_of(question), options, target, n_intervals)
    return Precision(target, is_together, width, least, _told_apart(question, n // 2, options, target, 2 * n_intervals))


def width_of(
    question: Question, n: int, options: PlanOptions, target: Target | None = None, n_intervals: int = 1
) -> float:
    """Return the half-width of n answers' interval; of a text question the smallest share that is detected.

    `target`: that of the options, where none is given.
    """
    target = target or options.about
    mechanism = question.mechanism
    if is_text(question):
        n_levels, design = _text_design(question)
        return smallest_share(design, TextStudy(max(1, n // n_levels), options.n_candidates))
    if isinstance(mechanism, WindowResponse):
        channel = NumberChannel.of(mechanism)
        method = method_of_mean(channel, options.for_target(target))
        return study_of(question).size * _mean_width(mechanism, n, options.level, method, n_intervals)
    return half_width(n, channel_of(question), options.for_target(target), n_intervals=n_intervals)


def width_of_waves(question: Question, n: int, options: PlanOptions, n_waves: int) -> float:
    """Return the half-width of so many waves pooled, in each of which the same people give n answers.

    About the population, and whatever they answer when; of numbers and texts that of one wave.
    """
    if is_text(question) or is_number(question):
        return width_of(question, n, options, "population")
    method = options.method if find_method(options.method).allows_waves else _FOR_WAVES
    channel, n_reports = channel_of(question), n * n_waves
    low, high = share_bounds(
        np.rint(n_reports * channel.reported_share(options.share)),
        n_reports,
        channel,
        level=options.level,
        method=method,
        target="population",
        devices=Devices.alike(n_reports, n_waves),
    )
    return float(high - low) / 2


@lru_cache(maxsize=256)
def _mean_width(mechanism: WindowResponse, n: int, level: float, method: str, n_intervals: int) -> float:
    """Return the half-width of a mean, as a part of the range: the same for both targets, and worked out once."""
    options = IntervalOptions(level, method)
    return float(half_widths(np.array([float(n)]), mechanism, _UNIT_STUDY, options, n_intervals)[0])


def study_of(question: Question) -> NumberStudy:
    """Return a number question's study: the deviation between people is taken to be a quarter of the range."""
    if not isinstance(question.kind, Number):
        raise TypeError(f"question {question.id} asks for no numbers.")
    return NumberStudy(question.kind, float(question.kind.most_wanted) / 2)


def told_from_zero(
    n: int, channel: Channel, options: PlanOptions, target: Target, n_intervals: int = 1
) -> float | None:
    """Return the smallest share whose interval will lie above 0 with probability `POWER`; None where none will.

    Exact: c is the least count of n whose interval does, and P(count < c) = 1 - `POWER` at the share. So the share is
    the upper end of Clopper and Pearson's interval of c - 1, with that in its tail; about respondents the next person.
    """
    count = _least_count(n, channel, _intervals(options, target, n_intervals))
    if count is None:
        return None
    tails = 2 * (1 - POWER)
    _, high = share_bounds(count - 1, n, channel, level=1 - tails, method=_EXACT, target=target)
    share = (round(float(high) * n) + 1) / n if target == "respondents" else float(high)
    return share if share <= 1 else None


def _least_count(n: int, channel: Channel, intervals: _Intervals) -> int | None:
    """Return the least count in [0, n] whose interval lies above 0; None where none does."""
    low, high = 0, n + 1  # that of low does not, that of high does, if it is there
    while high - low > 1:
        counts = np.unique(np.linspace(low + 1, high - 1, min(_N_SECTIONS, high - low - 1)).round().astype(np.int64))
        ends, _ = share_bounds(counts, n, channel, **intervals)
        first = int(np.searchsorted(ends > 0, True))
        low = low if first == 0 else int(counts[first - 1])
        high = high if first == counts.size else int(counts[first])
    return high if high <= n else None


def _told_apart(question: Question, n: int, options: PlanOptions, target: Target, n_intervals: int) -> float | None:
    """Return the smallest difference between two groups of n answers that their intervals show, about `POWER` times.

    The intervals are as wide as planned, and their middles' difference is normal. Of shares about one half, whatever
    is expected, where the intervals are widest: those of both groups change with their shares.
    """
    if n < 1:
        return None
    options = replace(options, share=0.5)
    width = width_of(question, n, options, target, n_intervals)
    mechanism = question.mechanism
    if isinstance(mechanism, WindowResponse):
        study = study_of(question)
        most = study.size
        outputs = n * expected_outputs(mechanism, study)
        error = most * place_error(outputs, NumberChannel.of(mechanism))
    else:
        most = 1.0
        error = standard_deviation(n, channel_of(question), share=options.share, target=target)
    difference = 2 * width + float(ndtri(POWER)) * math.sqrt(2) * error
    return difference if difference <= most else None


def _text_design(question: Question) -> tuple[int, TextDesign]:
    """Return in how many parts a text question's reports fall, and how those of one are made."""
    mechanism = question.mechanism
    if isinstance(mechanism, SketchResponse):
        n_levels = max(1, len(mechanism.prefix_lengths))
        buckets = bucket_response(mechanism)
        return n_levels, replace(buckets, n_cohorts=buckets.n_cohorts // n_levels)
    if not isinstance(mechanism, BloomResponse):
        raise TypeError(f"question {question.id} has no strings.")
    return 1, mechanism


def _intervals(options: PlanOptions, target: Target, n_intervals: int) -> _Intervals:
    return {"level": options.level, "method": options.method, "target": target, "n_intervals": n_intervals}
