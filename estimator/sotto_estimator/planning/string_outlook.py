"""What a text question will show: the smallest share of a string that is found."""

from abc import abstractmethod
from dataclasses import dataclass, replace

import numpy as np

from sotto_estimator.channel.channel import Floats, Target
from sotto_estimator.planning.options import PlanOptions
from sotto_estimator.planning.outlook import FigureOutlook, Precision
from sotto_estimator.planning.widths import smallest_n
from sotto_estimator.strings.plan import TextDesign, TextStudy, smallest_share
from sotto_estimator.strings.plan_designs import bucket_response
from sotto_protocol.mechanisms.bloom.response import BloomResponse
from sotto_protocol.mechanisms.sketch.response import SketchResponse


@dataclass(frozen=True, slots=True)
class StringOutlook(FigureOutlook):
    """Strings: no interval before they are decoded; the width is the smallest share that is detected."""

    @property
    @abstractmethod
    def design(self) -> tuple[int, TextDesign]:
        """In how many parts the reports fall, and how those of one are made."""

    def width(self, n: int, options: PlanOptions, target: Target, n_intervals: int = 1) -> float:
        n_levels, design = self.design
        return smallest_share(design, TextStudy(max(1, n // n_levels), options.n_candidates))

    def precision(self, n: int, options: PlanOptions, target: Target, n_intervals: int, is_together: bool) -> Precision:
        share = self.width(n, options, options.about)
        return Precision(target, is_together, None, share if share < 1 else None, None)

    def answers_needed(self, want: float, options: PlanOptions) -> int:
        def shares(n: Floats) -> Floats:
            return np.array([self.width(int(size), options, options.about) for size in n])

        return smallest_n(shares, want, 0)


@dataclass(frozen=True, slots=True)
class SketchOutlook(StringOutlook):
    """By a sketch: each part's reports are of beginnings of one length."""

    mechanism: SketchResponse

    @property
    def design(self) -> tuple[int, TextDesign]:
        n_levels = max(1, len(self.mechanism.prefix_lengths))
        buckets = bucket_response(self.mechanism)
        return n_levels, replace(buckets, n_cohorts=buckets.n_cohorts // n_levels)


@dataclass(frozen=True, slots=True)
class FilterOutlook(StringOutlook):
    """By Bloom filters."""

    mechanism: BloomResponse

    @property
    def design(self) -> tuple[int, TextDesign]:
        return 1, self.mechanism
