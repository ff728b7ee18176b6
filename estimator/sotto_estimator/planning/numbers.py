"""What the mean of a number will be worth: the mechanisms of an epsilon, beside the mechanisms that they replace.

Sources of the worst variances, numbers in [-1, 1] there and in [0, 1] here: Duchi, Jordan & Wainwright 2018 (1BitMean
of Ding, Kulkarni & Yekhanin 2017 is the same); Wang, Xiao, Yang, Zhao, Hui, Shin, Shin & Yu 2019, lemma 1 (piecewise)
and equation 10 (hybrid); Dwork, McSherry, Nissim & Smith 2006 (Laplace).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

import numpy as np

from sotto_estimator.channel.channel import Floats
from sotto_estimator.intervals.intervals import IntervalOptions
from sotto_estimator.numbers.channel import NumberChannel
from sotto_estimator.numbers.mean import words_of_interval
from sotto_estimator.planning.least_noise import least_variance_of_numbers
from sotto_estimator.planning.number_widths import mean_half_widths, outputs_of
from sotto_estimator.planning.widths import smallest_n
from sotto_protocol.mechanisms.levels import LevelResponse
from sotto_protocol.mechanisms.segment_design import best_for_mean
from sotto_protocol.mechanisms.window_design import LEVELS_OF_DISTRIBUTION, two_stage_bit, window
from sotto_protocol.questions.number import Number


@dataclass(frozen=True, slots=True)
class NumberStudy:
    """Numbers of a range, and the standard deviation of people's numbers that is expected, in its unit."""

    kind: Number
    deviation: float

    @property
    def size(self) -> float:
        """The greatest number less the least."""
        return float(self.kind.maximum) - float(self.kind.minimum)


@dataclass(frozen=True, slots=True)
class NumberPlanRow:
    """One mechanism's precision, in the range's unit; `epsilon` in nats, None without privacy.

    `worst_deviation`: of one report, by its device's noise, of the number where it is largest, None where devices add
    none; `of_least_noise`: its variance over about the least of all mechanisms, None where that is not known.
    `standard_deviation`: of the mean of n_reports, about a population, at the most. `half_width`: of the interval of
    people around the range's middle; `interval`: how it is made, in words. Both None for what this program has not.
    """

    epsilon: float | None
    mechanism: str
    n_reports: int
    worst_deviation: float | None
    standard_deviation: float
    half_width: float | None
    interval: str | None = None
    of_least_noise: float | None = None


def number_rows(
    study: NumberStudy,
    epsilons: Sequence[Decimal],
    n: int | None,
    wanted: float | None,
    options: IntervalOptions,
    forever: Decimal | None = None,
) -> list[NumberPlanRow]:
    """Return the rows for n respondents, or, where n is None, for a half-width: of each mechanism how many it takes.

    `forever`: epsilon of all reports of one level; then one wave of 1BitMean's two stages. Of a mechanism that this
    program has not as many as the best of the same epsilon takes, without privacy as many as the first row.
    """
    rows = []
    for epsilon in epsilons:
        made = _mechanisms(study, epsilon, forever)
        sizes = [n or respondents_for(wanted or 0, mechanism, study, options) for mechanism in made.values()]
        for (name, mechanism), size in zip(made.items(), sizes, strict=True):
            width = float(half_widths(np.array([size]), mechanism, study, options)[0])
            row = _row(study, float(epsilon), name, size, mechanism.worst_variance, width)
            rows.append(replace(row, interval=words_of_interval(NumberChannel.of(mechanism), options)))
        for name, variance in published_variances(float(epsilon)).items():
            rows.append(_row(study, float(epsilon), name, sizes[0], variance, None))
        curator = 2 / (sizes[0] * float(epsilon) ** 2)  # noise of scale 1 / (n epsilon), as of n reports
        rows.append(_without_devices(study, float(epsilon), "trusted curator, Laplace", sizes[0], curator))
    rows = [_compared(row, study) for row in rows]
    return [*rows, _without_devices(study, None, "no privacy", rows[0].n_reports, 0.0)]


def _compared(row: NumberPlanRow, study: NumberStudy) -> NumberPlanRow:
    """Return a row with how near its noise is to the least, as far as that is known."""
    if row.epsilon is None or row.worst_deviation is None:
        return row
    return replace(row, of_least_noise=of_least_variance((row.worst_deviation / study.size) ** 2, row.epsilon, study))


def of_least_variance(worst: float, epsilon: float, study: NumberStudy) -> float | None:
    """Return the worst variance of a report of a number in [0, 1] over about the least that there is, where known."""
    least = least_variance_of_numbers(epsilon, study.kind.n_options)
    return None if least is None else worst / least


def _mechanisms(study: NumberStudy, epsilon: Decimal, forever: Decimal | None) -> dict[str, LevelResponse]:
    """Return the best for the mean, the best window, that of a distribution, and 1BitMean, by name, each once.

    Or that of two stages.
    """
    span = study.kind.n_options - 1
    if forever is not None:
        return {"1BitMean (two stages)": two_stage_bit(span, epsilon, forever)}
    made = {"window": window(span, epsilon)}
    if span > 1:
        made["distribution"] = window(span, epsilon, min(LEVELS_OF_DISTRIBUTION, span + 1))
    if made["window"].levels > 2:
        made["1BitMean"] = window(span, epsilon, 2)
    best, rows = best_for_mean(span, epsilon), dict[str, LevelResponse]()
    if best != made["window"]:
        rows[f"{best.name} ({best.levels} levels, {best.n_outputs} outputs)"] = best
    return rows | {f"{name} ({of.levels} levels, width {of.width})": of for name, of in made.items()}


def published_variances(epsilon: float) -> dict[str, float]:
    """Return the largest variance of one report of a number in [0, 1], of mechanisms of the literature.

    >>> {name: round(variance, 3) for name, variance in published_variances(1).items()}
    {'hybrid (Wang et al.)': 1.072, 'piecewise (Wang et al.)': 1.306, 'Laplace of each number': 2.0}
    """
    odds, root = math.exp(epsilon), math.exp(epsilon / 2)
    duchi = ((odds + 1) / (odds - 1)) ** 2
    piecewise = 4 * root / (3 * (root - 1) ** 2)
    hybrid = (root + 3) / (3 * root * (root - 1)) + (odds + 1) ** 2 / (root * (odds - 1) ** 2)
    return {
        "hybrid (Wang et al.)": (hybrid if epsilon > 0.61 else duchi) / 4,
        "piecewise (Wang et al.)": piecewise / 4,
        "Laplace of each number": 2 / epsilon**2,
    }


def half_widths(
    n: Floats,
    mechanism: LevelResponse,
    study: NumberStudy,
    options: IntervalOptions,
    n_intervals: int = 1,
    n_waves: int = 1,
) -> Floats:
    """Return the half-widths, in the unit, of the intervals of n respondents' expected histograms, shape of n."""
    probs = expected_outputs(mechanism, study)
    return study.size * mean_half_widths(n, probs, NumberChannel.of(mechanism), options, n_intervals, n_waves)


def expected_outputs(mechanism: LevelResponse, study: NumberStudy) -> Floats:
    """Return how likely each output is, of people of whom half lie a deviation below the range's middle, half above."""
    shift = study.deviation / study.size
    return np.asarray(outputs_of(NumberChannel.of(mechanism), np.array([0.5 - shift, 0.5 + shift])).mean(axis=1))


def respondents_for(wanted: float, mechanism: LevelResponse, study: NumberStudy, options: IntervalOptions) -> int:
    """Return the smallest n of which the half-width is at most the wanted one, above 0. Raises `DomainError`."""
    return smallest_n(lambda n: half_widths(n, mechanism, study, options), wanted, 0)


def _row(
    study: NumberStudy, epsilon: float | None, name: str, n: int, variance: float, width: float | None
) -> NumberPlanRow:
    """Return a row of a mechanism whose report of a number in [0, 1] has this variance at the most."""
    noise = study.size * math.sqrt(variance)
    return NumberPlanRow(epsilon, name, n, noise, math.hypot(noise, study.deviation) / math.sqrt(n), width)


def _without_devices(study: NumberStudy, epsilon: float | None, name: str, n: int, variance: float) -> NumberPlanRow:
    """Return a row of whoever learns the numbers, whose noise is as if each of n reports had this variance."""
    return replace(_row(study, epsilon, name, n, variance, None), worst_deviation=None)
