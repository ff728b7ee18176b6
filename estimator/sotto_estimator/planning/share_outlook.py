"""What a question of shares will show."""

from dataclasses import dataclass, replace
from typing import TypedDict

import numpy as np

from sotto_estimator.channel.channel import Channel, Target
from sotto_estimator.channel.devices import Devices
from sotto_estimator.inference.registry import share_channel
from sotto_estimator.intervals.intervals import share_bounds
from sotto_estimator.intervals.methods import find_method
from sotto_estimator.planning.of_least_noise import of_least_noise
from sotto_estimator.planning.options import PlanOptions
from sotto_estimator.planning.outlook import FigureOutlook
from sotto_estimator.planning.widths import half_width, respondents_needed, standard_deviation
from sotto_estimator.strings.plan import POWER
from sotto_protocol.mechanisms.mechanism import PureMechanism

_EXACT = "clopper-pearson"
_FOR_WAVES = "chernoff"
_N_SECTIONS = 64  # a search looks at so many counts at once


class _Intervals(TypedDict):
    level: float
    method: str
    target: Target
    n_intervals: int


@dataclass(frozen=True, slots=True)
class ShareOutlook(FigureOutlook):
    """Shares: those of a pure mechanism."""

    mechanism: PureMechanism

    @property
    def channel(self) -> Channel:
        """What the reports will go through."""
        return share_channel(self.mechanism)

    def width(self, n: int, options: PlanOptions, target: Target, n_intervals: int = 1) -> float:
        return half_width(n, self.channel, options.for_target(target), n_intervals=n_intervals)

    def width_of_waves(self, n: int, options: PlanOptions, n_waves: int) -> float:
        method = options.method if find_method(options.method).allows_waves else _FOR_WAVES
        channel, n_reports = self.channel, n * n_waves
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

    def of_least_noise(self) -> float | None:
        return of_least_noise(self.mechanism, self.question.epsilon)

    def smallest_share(self, n: int, options: PlanOptions, target: Target, n_intervals: int) -> float | None:
        return told_from_zero(n, self.channel, options, target, n_intervals)

    def error(self, n: int, options: PlanOptions, target: Target) -> float:
        return standard_deviation(n, self.channel, share=options.share, target=target)

    def widest(self, options: PlanOptions) -> PlanOptions:
        """Of shares about one half, whatever is expected: those of both groups change with their shares."""
        return replace(options, share=0.5)

    def answers_needed(self, want: float, options: PlanOptions) -> int:
        return respondents_needed(want, self.channel, options.for_target(options.about))


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


def _intervals(options: PlanOptions, target: Target, n_intervals: int) -> _Intervals:
    return {"level": options.level, "method": options.method, "target": target, "n_intervals": n_intervals}
