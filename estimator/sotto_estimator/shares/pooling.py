"""Pooled estimates of strata: those with few reports lean on the others. Approximate: they hold on average over strata.

The model is Fay and Herriot's (1979): a stratum's unbiased estimate y_i has a known variance D_i, and true values vary
between strata with a variance A around a mean, both unknown. `docs/maths-intervals.md` has formulas and coverage.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sotto_estimator.channel.channel import Floats
from sotto_estimator.inference.marginal import estimated_of
from sotto_estimator.inference.registry import FIGURES, figure_of, find, is_text, loaded
from sotto_estimator.intervals.intervals import IntervalOptions
from sotto_estimator.intervals.pooled_groups import LEAST_GROUPS, pool
from sotto_estimator.shares.estimates import Estimates
from sotto_protocol import Question, Tally


@dataclass(frozen=True, slots=True)
class PooledStratum:
    """A stratum's pooled figure: its own, but for the value, the error and the interval, which are pooled.

    `own_weight`: how much of the value is the stratum's own estimate, in [0, 1]; the rest is the mean of the strata.
    """

    stratum: str
    own_weight: float
    figure: Any


@dataclass(frozen=True, slots=True)
class PooledFigure:
    """One answer's shares, or the means, of all strata that have results, pooled.

    `mean`: of the strata. `between`: the standard deviation of the true values between strata, the median of what is
    likely; `between_most`: an upper bound of it at the level. All in `unit`, "" for shares.
    """

    question: str
    answer: str
    unit: str
    mean: float
    between: float
    between_most: float
    strata: tuple[PooledStratum, ...]


def pool_strata(
    estimates: Sequence[Estimates], tallies: Mapping[str, Tally], options: IntervalOptions
) -> tuple[PooledFigure, ...]:
    """Return the pooled figures of strata, which have estimates and tallies, by answer.

    A stratum whose counts contradict the design is left out. An answer is left out if fewer than LEAST_GROUPS are left.
    """
    shown = [question for question in estimated_of(next(iter(tallies.values())).survey) if not is_text(question)]
    return tuple(
        figure
        for question in shown
        if FIGURES[figure_of(question)].errors_if_alike
        for figure in _pool_question(question, estimates, tallies, options)
    )


def _pool_question(
    question: Question, estimates: Sequence[Estimates], tallies: Mapping[str, Tally], options: IntervalOptions
) -> list[PooledFigure]:
    own = {
        (str(one.stratum), figure.answer): figure
        for one in estimates
        for figure in one.main_figures
        if figure.question == question.id and figure.is_told
    }
    names = dict.fromkeys(name for name, _ in own)
    parts = zip(*(find(question, "counts")(tallies[name], question) for name in names), strict=True)
    errors_if_alike = loaded(FIGURES[figure_of(question)].errors_if_alike)
    found = []
    for part in parts:
        counted = {name: counts for name, counts in zip(names, part, strict=True) if counts.n_reports}
        if len(counted) >= LEAST_GROUPS:
            for answer, errors in errors_if_alike([*counted.values()], options.about).items():
                found.append(_pooled_figure({name: own[name, answer] for name in counted}, errors, options.level))
    return found


def _pooled_figure(own: Mapping[str, Any], errors: Floats, level: float) -> PooledFigure:
    first = next(iter(own.values()))
    least, width = first.minimum, first.maximum - first.minimum
    of = pool((np.array([one.value for one in own.values()]) - least) / width, errors / width, level)
    numbers = np.stack([least + width * of.values, width * of.errors, least + width * of.low, least + width * of.high])
    strata = tuple(
        PooledStratum(name, weight, one.pooled(*found))
        for (name, one), weight, found in zip(own.items(), of.own_weights.tolist(), numbers.T.tolist(), strict=True)
    )
    mean, between, most = least + width * of.mean, width * of.between, width * of.between_most
    return PooledFigure(first.question, first.answer, first.unit, mean, between, most, strata)
