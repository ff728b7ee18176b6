"""The share of one answer: yes, or the most common option."""

from dataclasses import dataclass
from functools import cached_property
from math import ceil

import numpy as np

from sotto_estimator.channel.channel import Channel, Floats, Target, shares_of
from sotto_estimator.inference.registry import channel_of
from sotto_estimator.planning.options import PlanOptions
from sotto_estimator.planning.widths import NO_PRIVACY, half_width, respondents_needed, standard_deviation
from sotto_rehearsal.comparison.people import Numbers
from sotto_rehearsal.comparison.subject import Subject


@dataclass(frozen=True)
class ShareSubject(Subject):
    """A question of shares."""

    what = "share"
    is_in_points = True

    @cached_property
    def channel(self) -> Channel:
        """What a device's report goes through."""
        return channel_of(self.question)

    def local_deviation(self, target: Target) -> float:
        return standard_deviation(self.n_asked, self.channel, share=self.value, target=target)

    def local_half_width(self) -> float:
        return half_width(self.n_asked, self.channel, options=self._plan(self.options.about))

    def estimates(self, support: Numbers) -> Floats:
        if self.question.mechanism.asks_some:
            return shares_of(support[:, 1], np.maximum(support[:, 0], 1), self.channel)
        return shares_of(support, self.n, self.channel)

    def _clear_deviation(self) -> float:
        return standard_deviation(self.n, NO_PRIVACY, share=self.value)

    def _clear_half_width(self, n_intervals: int) -> float:
        return half_width(self.n, NO_PRIVACY, options=self._plan("population"), n_intervals=n_intervals)

    def _devices_needed(self, wanted: float) -> int:
        n = respondents_needed(wanted, self.channel, options=self._plan(self.options.about))
        return ceil(n * self.question.mechanism.one_in)

    def _plan(self, target: Target) -> PlanOptions:
        return PlanOptions(level=self.options.level, method=self.options.method, target=target, share=self.value)
