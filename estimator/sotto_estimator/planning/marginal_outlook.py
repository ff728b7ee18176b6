"""What an item that is asked together with others will show: its shares are sums over combinations of answers."""

from dataclasses import dataclass, replace
from typing import cast

import numpy as np
from scipy.special import ndtri

from sotto_estimator.channel.channel import Channel, Floats, Target
from sotto_estimator.channel.sums import SumGroup, merged, sum_error
from sotto_estimator.inference.marginal import Marginal
from sotto_estimator.inference.unions import groups_of, union_channel
from sotto_estimator.intervals.exact_sums import exact_bounds
from sotto_estimator.intervals.intervals import check_level
from sotto_estimator.intervals.sums import sum_bounds
from sotto_estimator.planning.assurance import check_assurance
from sotto_estimator.planning.options import PlanOptions
from sotto_estimator.planning.outlook import FigureOutlook
from sotto_estimator.planning.share_outlook import ShareOutlook
from sotto_estimator.planning.widths import smallest_n
from sotto_estimator.strings.plan import POWER
from sotto_protocol import Question
from sotto_protocol.mechanisms.mechanism import ChoiceMechanism, PureMechanism

_N_HALVINGS = 30


def marginal_outlook(question: Question, mechanism: PureMechanism) -> FigureOutlook:
    """Return how an item is planned: by k-ary as any share, else as a sum."""
    marginal = cast(Marginal, question)
    (joint, place), *others = marginal.places
    if not others and cast(ChoiceMechanism, mechanism).names_one:
        return UnionOutlook(question, mechanism, union_channel(joint, len(marginal.cells(joint, place)[0])))
    return SumOutlook(marginal)


@dataclass(frozen=True, slots=True)
class UnionOutlook(ShareOutlook):
    """An item by k-ary: a report names one combination, and with it one answer."""

    union: Channel

    @property
    def channel(self) -> Channel:
        return self.union

    def of_least_noise(self) -> float | None:
        """Return None: the noise is shared with the other items."""
        return None


@dataclass(frozen=True, slots=True)
class SumOutlook(FigureOutlook):
    """An item of which a report can name several combinations."""

    question: Marginal

    def width(self, n: int, options: PlanOptions, target: Target, n_intervals: int = 1) -> float:
        return self._width(self._groups(n), options, target, n_intervals, options.method)

    def width_of_waves(self, n: int, options: PlanOptions, n_waves: int) -> float:
        groups = [replace(of, factor=n_waves * of.factor) for of in self._groups(n)]
        return self._width(groups, options, "population", 1, options.method if n_waves == 1 else "")

    def smallest_share(self, n: int, options: PlanOptions, target: Target, n_intervals: int) -> float | None:
        groups, tail = self._groups(n), check_level(options.level, n_intervals) / 2
        low, high = 0.0, 1.0
        for _ in range(_N_HALVINGS):
            share = (low + high) / 2
            seen = _total(groups, share) - float(ndtri(POWER)) * _deviation(groups, share, target)
            is_told = _ends(seen, groups, options.method, target, tail)[0] > 0
            low, high = (low, share) if is_told else (share, high)
        return high if high < 1 else None

    def error(self, n: int, options: PlanOptions, target: Target) -> float:
        return sum_error(options.share, self._groups(n), target)

    def widest(self, options: PlanOptions) -> PlanOptions:
        return replace(options, share=0.5)

    def answers_needed(self, want: float, options: PlanOptions) -> int:
        def widths(sizes: Floats) -> Floats:
            return np.array([self._width(self._groups(int(n)), options, options.about, 1, "") for n in sizes])

        return smallest_n(widths, want, 0)

    def _groups(self, n: int) -> list[SumGroup]:
        """Return those of n answers, as many of each joint question that has the item."""
        each = n / len(self.question.places)
        return merged(replace(of, number=each) for of in groups_of(self.question, 0))

    def _width(
        self, groups: list[SumGroup], options: PlanOptions, target: Target, n_intervals: int, method: str
    ) -> float:
        """Return half of the interval's width, of the sum that is as likely to be exceeded as `assurance` allows.

        `method`: "" for Chernoff's bound, at least as wide as the exact one, and faster.
        """
        tail, share = check_level(options.level, n_intervals) / 2, options.share
        spread = float(ndtri(check_assurance(options.assurance, target))) * _deviation(groups, share, target)
        expected = _total(groups, share)
        spans = [_ends(expected + by, groups, method, target, tail) for by in (-spread, 0.0, spread)]
        return max(high - low for low, high in spans) / 2


def _ends(total: float, groups: list[SumGroup], method: str, target: Target, tail: float) -> tuple[float, float]:
    return exact_bounds(total, groups, method, target, tail) or sum_bounds(total, groups, target, tail)


def _total(groups: list[SumGroup], share: float) -> float:
    return sum(of.number * (share * of.means[0] + (1 - share) * of.means[1]) for of in groups)


def _deviation(groups: list[SumGroup], share: float, target: Target) -> float:
    contrast = sum(of.number * (of.means[0] - of.means[1]) for of in groups)
    return sum_error(share, groups, target) * contrast
