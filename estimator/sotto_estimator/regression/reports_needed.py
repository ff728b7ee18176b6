"""How many reports it takes to find a slope between hidden answers."""

from collections.abc import Sequence

import numpy as np
from scipy.special import logit, ndtri

from sotto_estimator.channel.channel import Floats
from sotto_estimator.regression.joint_model import JointModel

POWER = 0.8
LOG_ODDS_RATIO = 1.0
_TAIL = 0.025
_LEAST_SHARE = 0.1
"""The outcome's share that is planned with at the least, and the part of people spread evenly over the covariates."""


def reports_needed(model: JointModel, place: Floats, other: Floats, slope: int) -> float:
    """Return how many reports find the slope of a column with power 80 %, if the truth is at `other`.

    By Wald's test at 5 %, on two sides, normal (Wald 1943): (z.975 + z.8)² variance / slope². `place`: where the
    model's reports are from. Infinite where no number will do.
    """
    information = model.expected_information(place, other)
    try:
        variance = float(np.linalg.inv(information)[model.n_free + slope, model.n_free + slope])
    except np.linalg.LinAlgError:
        return float("inf")
    reach = float(ndtri(POWER) - ndtri(_TAIL))
    found = reach**2 * variance / float(other[model.n_free + slope]) ** 2
    return found if found > 0 else float("inf")


def needed_of_each(model: JointModel, place: Floats) -> list[float]:
    """Return the reports that each column but the first needs, were its log odds ratio 1 and the other columns' 0.

    Answers are as estimated at `place`; but of the outcome each takes a tenth at the least, and a tenth of people is
    spread evenly over the covariates' table: few reports can put any share at 0.
    """
    shares = model.shares(place)
    table = shares.sum(axis=0)
    alpha = model.alpha((1 - _LEAST_SHARE) * table + _LEAST_SHARE / len(table))
    intercept = logit(np.clip(shares[0].sum(), _LEAST_SHARE, 1 - _LEAST_SHARE))
    found = []
    for slope in range(1, model.matrix.shape[1]):
        beta = np.zeros(model.matrix.shape[1])
        beta[slope] = LOG_ODDS_RATIO
        beta[0] = intercept - float(table @ model.matrix[:, slope]) * LOG_ODDS_RATIO
        found.append(reports_needed(model, place, np.concatenate([alpha, beta]), slope))
    return found


def needed_words(names: Sequence[str], needed: Sequence[float], n_reports: float) -> str:
    """Return how many reports are needed, and whether there are so many."""
    listed = ", ".join(f"{_rounded(n)} for {name}" for name, n in zip(names, needed, strict=True))
    verdict = "enough" if n_reports >= max(needed) else "too few, and an estimate can be far from the truth"
    return (
        f"reports needed to find a log odds ratio of {LOG_ODDS_RATIO:g} with power {POWER:.0%}: {listed}; "
        f"there are {n_reports:,.0f}: {verdict}"
    )


def _rounded(n: float) -> str:
    """Return a number with two digits, rounded up.

    >>> _rounded(3936.2), _rounded(float("inf")), _rounded(87)
    ('4,000', 'no number will do', '87')
    """
    if not np.isfinite(n):
        return "no number will do"
    unit = 10 ** max(0, len(f"{n:.0f}") - 2)
    return f"{int(np.ceil(n / unit)) * unit:,}"
