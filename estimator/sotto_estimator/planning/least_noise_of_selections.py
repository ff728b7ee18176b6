"""The least noise that any mechanism of an epsilon can add to an any-of question, where few selections are possible.

A report y speaks for selection x with likelihood q(x), all within e^epsilon of each other, and comes with weight w. For
a crowd P the best unbiased estimate is that of weighted least squares (Gauss & Markov), whose information is sum of
w q q' / P(q): linear in the weights. So the least of all mechanisms is a convex program in them.
"""

import math
from functools import lru_cache
from itertools import combinations, product

import numpy as np
from scipy import optimize

from sotto_estimator.channel.channel import Floats
from sotto_estimator.planning.least_noise import least_noise_of_options

_MOST_SELECTIONS = 42
"""So many selections are few: those of up to 5 options, of 6 if 3 may be selected, of 8 if 2 may be."""
_MOST_EPSILON = 10.0
_TOLERANCE, _MOST_STEPS, _AT_ONCE, _ROUNDING = 2e-4, 200, 100, 1e-7


@lru_cache(maxsize=64)
def least_noise_of_selections(epsilon: float, n_options: int, max_selected: int) -> float | None:
    """Return about the least mean variance of a debiased report's noise, over the options of an any-of question.

    The crowd selects 0, 1, .. max_selected options, each number equally often, and each option. No channel and no
    unbiased estimate has less, and some has at most 0.02 % more. None above epsilon 10, and where more than 42
    selections are possible.
    """
    if n_options == 1:
        return least_noise_of_options(epsilon, 2)
    if epsilon > _MOST_EPSILON or _n_selections(n_options, max_selected).sum() > _MOST_SELECTIONS:
        return None
    sums, degrees = _outputs(epsilon, n_options, max_selected)
    return _least_sum(sums, degrees) / n_options


def _outputs(epsilon: float, k: int, m: int) -> tuple[Floats, Floats]:
    """Return the likelihoods of all outputs that the best channel may have.

    Sums over the selections of each size, shape (n, m + 1); sums over those that have an option, less the mean over the
    options, of sizes 1 .. at most k - 1, shape (n, m or k - 1, k). Likelihoods are 1 or e^epsilon (Kairouz, Oh &
    Viswanath 2016). As the variance is convex in q, options have scores, and those selections have e^epsilon whose sum
    of scores is above a limit for their size. Options are alike, so one order of scores is enough.
    """
    levels = [_families(k, size) for size in range(m + 1)]
    which = np.array([*product(*(range(len(level)) for level in levels))])
    counts = [np.array(level)[which[:, size]] for size, level in enumerate(levels)]
    n_sets = np.stack([of[:, 0] for of in counts], axis=1)
    of_options = [of[:, 1:] - of[:, 1:].mean(axis=1, keepdims=True) for of in counts[1:k]]
    return _n_selections(k, m) + math.expm1(epsilon) * n_sets, math.expm1(epsilon) * np.stack(of_options, axis=1)


def _families(k: int, size: int) -> list[list[int]]:
    """Return the families of sets of so many options that have with a set also those of earlier options.

    Of each family how many sets it has, and how many with each option; the empty family first.
    """
    sets = list(combinations(range(k), size))
    earlier = [{other for other in sets if other != one and all(map(int.__le__, other, one))} for one in sets]
    found = [frozenset[tuple[int, ...]]()]
    for family in found:  # grows
        larger = [family | {one} for one, needed in zip(sets, earlier, strict=True) if needed <= family]
        found += [one for one in larger if one not in found]
    return [[len(family), *(sum(option in one for one in family) for option in range(k))] for family in found]


def _n_selections(k: int, m: int) -> Floats:
    return np.array([math.comb(k, size) for size in range(m + 1)], np.float64)


def _least_sum(sums: Floats, degrees: Floats) -> float:
    """Return the least sum of the options' variances, by cutting planes (Kelley 1960).

    An estimate of option v is sum over sizes i of a_i q_i + b_i q_i(v), over P(q). The best a and b for some weights
    bound the variance for all weights, by a line in them. The best weights for all lines so far are a linear program's.
    """
    (n, n_sizes), (_, n_middle, k) = sums.shape, degrees.shape
    sizes, n_selections = np.arange(n_sizes), _n_selections(k, n_sizes - 1)
    means = sums / n_selections
    crowd = means.mean(axis=1)
    information = np.zeros((n, n_sizes + n_middle, n_sizes + n_middle))
    information[:, :n_sizes, :n_sizes] = k * sums[:, :, None] * sums[:, None]
    information[:, n_sizes:, n_sizes:] = degrees @ degrees.transpose(0, 2, 1)
    information /= crowd[:, None, None]
    selected = n_selections * sizes
    wanted = np.concatenate([selected, (selected * (1 - sizes / k))[1 : n_middle + 1]])
    scale = 1 / np.sqrt(np.einsum("nii->i", information) / n)
    information, wanted = information * np.outer(scale, scale), wanted * scale
    # all outputs alike add up to 1: to each family there is that of all other sets, with the options in reverse
    own, best, at_best, weights = float(sizes.mean()), math.inf, np.zeros(n), np.full(n, 1 / means.sum(axis=0)[0])
    used = np.arange(0, n, -(-n // _AT_ONCE))
    lines, worths = list[Floats](), list[float]()
    for _ in range(_MOST_STEPS):
        of_all = np.tensordot(weights, information, 1)
        at = np.linalg.lstsq(of_all, wanted, rcond=1e-12)[0]
        if wanted @ at < best and np.allclose(of_all @ at, wanted, rtol=0, atol=_ROUNDING * wanted.max()):
            best, at_best = float(wanted @ at), weights
        lines.append(np.einsum("i,nij,j->n", at, information, at))
        worths.append(2 * float(wanted @ at))
        least, weights, used = _best_weights(np.array(lines), np.array(worths), means, used)
        if best - least <= _TOLERANCE * (least - own):
            break
        weights = (weights + at_best) / 2
    return least - own


def _best_weights(lines: Floats, worths: Floats, means: Floats, used: Floats) -> tuple[float, Floats, Floats]:
    """Return the least of the largest `worths - lines @ weights`, the weights, and which outputs were tried.

    Likelihoods add up to 1 for each selection. Outputs are added as long as they make it less.
    """
    n_sizes, size = means.shape[1], abs(lines).max(axis=1)
    while True:
        found = optimize.linprog(
            np.append(np.zeros(len(used)), 1.0),
            A_ub=np.column_stack([-lines[:, used] / size[:, None], -1 / size]),
            b_ub=-worths / size,
            A_eq=np.column_stack([means[used].T, np.zeros(n_sizes)]),
            b_eq=np.ones(n_sizes),
            bounds=[(0, None)] * len(used) + [(None, None)],
            method="highs",
        )
        costs = found.ineqlin.marginals / size @ lines - means @ found.eqlin.marginals
        costs[used] = 0
        better = np.flatnonzero(costs < -_ROUNDING * abs(found.fun))
        if not len(better):
            break
        used = np.union1d(used, better[np.argsort(costs[better])[:_AT_ONCE]])
    weights = np.zeros(len(means))
    weights[used] = found.x[:-1]
    return float(found.fun), weights, used
