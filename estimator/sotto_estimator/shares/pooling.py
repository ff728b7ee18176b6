"""Pooled estimates of strata: those with few reports lean on the others. Approximate: they hold on average over strata.

The model is Fay and Herriot's (1979): a stratum's unbiased estimate y_i has a known variance D_i, and true values vary
between strata with a variance A around a mean, both unknown. `docs/maths-intervals.md` has formulas and coverage.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtr

from sotto_estimator.channel.channel import Floats
from sotto_estimator.inference.marginal import estimated_of
from sotto_estimator.inference.registry import FIGURES, figure_of, find, is_text, loaded
from sotto_estimator.intervals.intervals import IntervalOptions
from sotto_estimator.shares.estimates import Estimates
from sotto_protocol import Question, Tally

LEAST_STRATA = 3
"""Of fewer strata nothing is known of how much they differ."""
_N_NODES = 200
_N_HALVINGS = 50


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


class Pooled(NamedTuple):
    """What `pool` returns: numbers of all strata together, and of each, shape (n_strata,)."""

    mean: float
    between: float
    between_most: float
    own_weights: Floats
    values: Floats
    errors: Floats
    low: Floats
    high: Floats


def pool_strata(
    estimates: Sequence[Estimates], tallies: Mapping[str, Tally], options: IntervalOptions
) -> tuple[PooledFigure, ...]:
    """Return the pooled figures of strata, which have estimates and tallies, by answer.

    A stratum whose counts contradict the design is left out. An answer is left out if fewer than LEAST_STRATA are left.
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
        if len(counted) >= LEAST_STRATA:
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


def pool(values: Floats, errors: Floats, level: float) -> Pooled:
    """Return what is known of true values in [0, 1] from unbiased ones, with known errors, of three groups or more.

    The mean has a flat prior. Given A, each true value is normal (Rao & Molina 2015, 7.1 and 10.3). A has its
    restricted likelihood, on a grid: up to 1/4, the most that values in [0, 1] can vary. For the interval the prior of
    A is flat, which makes it wide enough in few strata; for the estimate that of its root is flat, whose errors are
    smaller (Gelman 2006). So intervals allow for all that is not known of A. Their ends may lie outside [0, 1].
    """
    variances = errors**2
    usual = 1 / np.sqrt(np.mean(1 / variances))
    steps = (np.arange(_N_NODES) + 0.5) / _N_NODES * 0.5 / (0.5 + usual)
    deviations = usual * steps / (1 - steps)
    precisions = 1 / (variances + deviations[:, None] ** 2)
    total = precisions.sum(axis=1)
    means = precisions @ values / total
    squares = (precisions * (values - means[:, None]) ** 2).sum(axis=1)
    log_likelihoods = (np.log(precisions).sum(axis=1) - np.log(total) - squares) / 2
    of_root = np.exp(log_likelihoods - log_likelihoods.max()) / (1 - steps) ** 2
    of_root, of_variance = of_root / of_root.sum(), of_root * deviations / (of_root @ deviations)
    shrinkage = variances * precisions
    centres = values * (1 - shrinkage) + shrinkage * means[:, None]
    spreads = np.sqrt(variances * (1 - shrinkage) + shrinkage**2 / total[:, None])
    estimates = of_root @ centres
    low, high = (_quantiles(of_variance, centres, spreads, prob) for prob in ((1 - level) / 2, (1 + level) / 2))
    between, most = (
        float(deviations[np.searchsorted(np.cumsum(weights), prob).clip(max=_N_NODES - 1)])
        for weights, prob in ((of_root, 0.5), (of_variance, level))
    )
    return Pooled(
        mean=float(np.clip(of_root @ means, 0, 1)),
        between=between,
        between_most=most,
        own_weights=of_root @ (1 - shrinkage),
        values=np.clip(estimates, 0, 1),
        errors=np.sqrt(of_variance @ (spreads**2 + (centres - estimates) ** 2)),
        low=low,
        high=high,
    )


def _quantiles(weights: Floats, centres: Floats, spreads: Floats, prob: float) -> Floats:
    """Return a quantile of each column's mixture of normals, by bisection."""
    low, high = (centres - 9 * spreads).min(axis=0), (centres + 9 * spreads).max(axis=0)
    for _ in range(_N_HALVINGS):
        middle = (low + high) / 2
        is_below = weights @ ndtr((middle - centres) / spreads) < prob
        low, high = np.where(is_below, middle, low), np.where(is_below, high, middle)
    return (low + high) / 2
