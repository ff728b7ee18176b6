"""Surveys and experiments that are looked at again and again: how often an interval or a test is ever wrong."""

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from sotto_estimator.channel.channel import Channel, Target
from sotto_estimator.comparing.group import Group
from sotto_estimator.comparing.two_groups import anytime_p_value
from sotto_estimator.intervals.intervals import share_bounds

_CHUNK = 500
"""Surveys that are drawn at once: it bounds memory."""


def prob_support(answers: NDArray[np.int64], channel: Channel) -> NDArray[np.float64]:
    return np.where(answers == 1, channel.prob_support_if_true, channel.prob_support_if_other)


def allowed_counts(
    truths: NDArray[np.float64], channel: Channel, target: Target, method: str
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the least and the most count of 1, 2, .. reports whose 95 % interval has the truth at that moment.

    By bisection, as both ends grow with the count.
    """
    n = np.arange(1, truths.size + 1)
    found = []
    for is_most in (True, False):
        inside, outside = np.round(n * channel.reported_share(0) + n * truths * channel.contrast).astype(int), n + 1
        outside = outside if is_most else np.full_like(n, -1)
        while np.any(np.abs(outside - inside) > 1):
            middle = (inside + outside) // 2
            low, high = share_bounds(np.clip(middle, 0, n), n, channel, level=0.95, method=method, target=target)
            fits = (low <= truths + 1e-12) & (truths - 1e-12 <= high) & (middle >= 0) & (middle <= n)
            open_ = np.abs(outside - inside) > 1
            inside, outside = np.where(open_ & fits, middle, inside), np.where(open_ & ~fits, middle, outside)
        found.append(inside)
    return found[1], found[0]


def ever_missed(
    n_surveys: int,
    n_reports: int,
    share: float,
    channel: Channel,
    target: Target,
    method: str,
    rng: np.random.Generator,
) -> float:
    """Return the share of surveys of which a 95 % interval, looked at after every report, ever left the truth out.

    About the respondents all surveys are of the same people, the truth being the share of those who came so far.
    """
    answers = (rng.random(n_reports) < share).astype(np.int64)
    n = np.arange(1, n_reports + 1)
    truths = np.full(n_reports, share) if target == "population" else np.cumsum(answers) / n
    means = channel.reported_share(share) if target == "population" else prob_support(answers, channel)
    least, most = allowed_counts(truths, channel, target, method)
    n_missed = 0
    for start in range(0, n_surveys, _CHUNK):
        rows = min(_CHUNK, n_surveys - start)
        counts = np.cumsum(rng.random((rows, n_reports), np.float32) < means, axis=1, dtype=np.int32)
        n_missed += int(np.any((counts < least) | (counts > most), axis=1).sum())
    return n_missed / n_surveys


def false_positives(
    n_experiments: int, n_days: int, n_a_day: int, share: float, channel: Channel, rng: np.random.Generator
) -> tuple[float, float]:
    """Return how often a z-test and the always-valid test, of two groups that are alike, are ever below 5 %.

    Each group has so many reports a day, and is looked at in the evening. Wealth is never more than e^(z^2 / 2) or so:
    where |z| is below 2.6 the always-valid test is not worked out.
    """
    days = np.arange(1, n_days + 1) * n_a_day
    daily = rng.binomial(n_a_day, channel.reported_share(share), (2, n_experiments, n_days))
    counts = np.cumsum(daily, axis=2)
    mean = counts.sum(axis=0) / (2 * days)
    z = (counts[1] - counts[0]) / np.sqrt(2 * days * mean * (1 - mean))
    by_z = np.any(np.abs(z) > stats.norm.isf(0.025), axis=1).mean()
    found = set()
    for row, day in np.argwhere(np.abs(z) > 2.6):
        first, second = (Group(int(counts[side, row, day]), int(days[day]), channel) for side in (0, 1))
        if row not in found and anytime_p_value(first, second) <= 0.05:
            found.add(int(row))
    return float(by_z), len(found) / n_experiments
