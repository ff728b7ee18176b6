"""Which candidates are there: tests whose false discoveries are controlled, and models grown by them."""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sotto_estimator.channel.channel import Floats

_STOREY = 0.5  # p-values from it on are taken for those of true hypotheses

Correction = Literal["fdr", "bonferroni"]


def count_true(p_values: Floats, n_tests: int | None = None) -> float:
    """Return an estimate of how many hypotheses are true, at most all (Storey, Taylor & Siegmund 2004).

    `n_tests`: how many there are, where the p-values given are the smallest of them.
    """
    n = n_tests or p_values.size
    return min(float(n), (1 + n - np.count_nonzero(p_values < _STOREY)) / (1 - _STOREY))


def rejected(
    p_values: Floats, rate: float, correction: Correction, n_tests: int | None = None, n_true: float | None = None
) -> NDArray[np.bool_]:
    """Return which hypotheses are rejected.

    "fdr": by Benjamini & Hochberg (1995), its rate divided by an estimate of the part of hypotheses that are true
    (`count_true`): the expected part of false rejections is at most `rate`. No p-value above `rate` is rejected,
    however few hypotheses that estimate takes for true: where p-values are few or equal it is no evidence.
    "bonferroni": the probability of any is. `n_tests`: how many there are, where the p-values given are the smallest of
    them. `n_true`: the estimate, where other p-values of these hypotheses made it.

    >>> rejected(np.array([0.04, 0.01, 0.9]), 0.05, "bonferroni").tolist()
    [False, True, False]
    """
    if correction == "bonferroni":
        return np.asarray(p_values <= rate / (n_tests or p_values.size))
    n_true = count_true(p_values, n_tests) if n_true is None else n_true
    ordered = np.sort(p_values[p_values <= min(rate, _STOREY)])
    passing = np.flatnonzero(ordered <= rate * np.arange(1, ordered.size + 1) / n_true)
    if not passing.size:
        return np.zeros(p_values.shape, np.bool_)
    return np.asarray(p_values <= ordered[passing[-1]])
