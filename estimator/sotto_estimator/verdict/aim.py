"""How many reports a question needs for the width that is aimed at: by the planner, for the worst share that it can be.

The share lies in the interval that is known already, unless that misses; of these the one is planned for whose
interval is the widest. About a population the width is then met with probability `ASSURANCE`. Numbers are planned for
as if more of them were spread like those that are there.
"""

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from sotto_estimator.channel import Channel, Floats, report_variance
from sotto_estimator.devices import Devices
from sotto_estimator.errors import DomainError
from sotto_estimator.estimation import channel_of
from sotto_estimator.intervals import IntervalOptions
from sotto_estimator.numbers.counts import NumberCounts, is_number
from sotto_estimator.numbers.mean import mean_bounds
from sotto_estimator.planning.assurance import EXPECTED
from sotto_estimator.planning.survey import USABLE, part_drawn, respondents_of, size_of, wish_of
from sotto_estimator.planning.widths import respondents_needed, smallest_n
from sotto_estimator.verdict.rounding import two_digits_up
from sotto_estimator.verdict.verdict import Aim, Ends
from sotto_protocol import Question, Tally
from sotto_protocol.questions.number import Number

ASSURANCE = 0.9
"""With which as many reports as are said give the width of a share, about a population."""
_STEPS = 4
"""Ends of intervals are rounded outward to so many parts of the half-width."""


def aim_of_question(
    question: Question, tally: Tally, ends: Sequence[Ends], options: IntervalOptions, n_waves: int = 1
) -> Aim | None:
    """Return what a question's intervals aim at, and what it takes; None where all are as narrow.

    `ends`: of its shares, or of its mean. `options`: with the level of each interval. `n_waves`: so many of the tally's
    reports can be of one device, and are taken for one.
    """
    wanted, size = wish_of(question, None), size_of(question)
    half_width = USABLE * size if wanted is None else wanted
    wide = [(low, high) for low, high in ends if high - low > 2 * half_width]
    if not wide:
        return None
    try:
        n_answers = _answers_for(question, tally, half_width, wide, options)
        n_needed = two_digits_up(n_waves * respondents_of(question, n_answers, part_drawn(tally.survey)))
    except DomainError:
        n_needed = None
    unit = question.kind.unit if isinstance(question.kind, Number) else None
    return _aim(Aim(half_width, wanted is not None, n_needed, tally.n_reports, unit))


def aim_of_counts(channel: Channel, ends: Ends, n_reports: int, options: IntervalOptions) -> Aim | None:
    """Return what the one share of a survey on paper aims at, as `aim_of_question`."""
    if ends[1] - ends[0] <= 2 * USABLE:
        return None
    return _aim(Aim(USABLE, False, two_digits_up(_shares_for(channel, USABLE, [ends], options)), n_reports))


def _aim(aim: Aim) -> Aim | None:
    """Return it, unless as many reports as are needed are there: by chance its intervals are a little wider."""
    return None if aim.n_needed is not None and aim.n_needed <= aim.n_reports else aim


def _answers_for(
    question: Question, tally: Tally, half_width: float, ends: Sequence[Ends], options: IntervalOptions
) -> int:
    if is_number(question):
        return _means_for(NumberCounts.of(tally, question), half_width, options)
    return _shares_for(channel_of(question), half_width, ends, options)


def _means_for(counts: NumberCounts, half_width: float, options: IntervalOptions) -> int:
    """Return how many answers give a mean's width, if their outputs are spread as those that are there.

    One at each end is added: a few may by chance be more alike than many will be.
    """
    histogram = counts.histogram.astype(np.float64)
    histogram[[0, -1]] += 1
    parts = histogram / histogram.sum()
    size = float(counts.kind.maximum - counts.kind.minimum)

    def widths(n: Floats) -> Floats:
        low, high = mean_bounds(n[:, None] * parts, counts.channel, Devices.alike(1, 1), options, 1)
        return np.asarray((high - low) / 2 * size)

    return smallest_n(widths, half_width, 0)


def _shares_for(channel: Channel, half_width: float, ends: Sequence[Ends], options: IntervalOptions) -> int:
    share = _worst_share(channel, [_outward(low, high, half_width / _STEPS) for low, high in ends], options)
    return _planned(channel, half_width, share, options)


@lru_cache(maxsize=256)
def _planned(channel: Channel, half_width: float, share: float, options: IntervalOptions) -> int:
    return respondents_needed(
        half_width,
        channel,
        level=options.level,
        method=options.method,
        target=options.target,
        share=share,
        assurance=ASSURANCE if options.target == "population" else EXPECTED,
    )


def _outward(low: float, high: float, step: float) -> Ends:
    """Return an interval that holds this one, and is the same for many that hardly differ: for them a plan is kept."""
    return max(0.0, math.floor(low / step) * step), min(1.0, math.ceil(high / step) * step)


def _worst_share(channel: Channel, ends: Sequence[Ends], options: IntervalOptions) -> float:
    """Return of all shares in these intervals the one of which reports vary most."""
    half = (0.5 - channel.prob_support_if_other) / channel.contrast
    tried = np.array([share for low, high in ends for share in (low, high, min(max(half, low), high))])
    return float(tried[report_variance(tried, channel, options.target).argmax()])
