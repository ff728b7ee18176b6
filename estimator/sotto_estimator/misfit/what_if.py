"""What the share would be if a given part of people did not follow the design: a curve, of intervals that hold."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sotto_estimator.designs.asked import AskedBy
from sotto_estimator.designs.design import Arm, Design
from sotto_estimator.errors import DomainError, one_of
from sotto_estimator.intervals.intervals import IntervalOptions
from sotto_estimator.microdata.microdata import Data, arms_of
from sotto_estimator.misfit.model import MODELS, N_CLASSES, find_model
from sotto_estimator.results.percents import percent
from sotto_estimator.results.result import GIVEN, Result
from sotto_estimator.shares.estimates import VoidedShare
from sotto_estimator.shares.of_arms import estimate_arms
from sotto_protocol.deprecated import takes_old_keywords

WAYS = tuple(name for name, model in MODELS.items() if model.readings[0].whole[N_CLASSES - 1] == 0)
"""The models whose share is of those who follow: where it is said how many do not, nothing else is unknown."""


@dataclass(frozen=True, slots=True)
class Case:
    """The share of yes of those who follow, if `part` of all do not. `share` is unbiased, `low` and `high` in [0, 1].

    None: no share in [0, 1] is in the interval. `p_value`: where the counts contradict the case, how surely; then share
    and error are None too.
    """

    part: float
    share: float | None
    standard_error: float | None
    low: float | None
    high: float | None
    p_value: float | None


@dataclass(frozen=True, slots=True)
class WhatIf(Result):
    """Cases of one way not to follow the design. `epsilon`: of one report of who follows it, in nats, at most."""

    way: str
    n_reports: int
    epsilon: float
    options: IntervalOptions
    cases: tuple[Case, ...]
    designs: tuple[AskedBy, ...]
    title: str = GIVEN

    def __str__(self) -> str:
        """Return one line: the way, and from where to where the share goes."""
        ends = (self.cases[0], self.cases[-1])
        said = " to ".join(f"{_share_words(case)} (if {100 * case.part:g} % do)" for case in ends)
        return f"{self.way}: {said}, n = {self.n_reports:,}"

    @property
    def heading(self) -> str:
        """What was estimated, of what data."""
        return f"{self.title}: {self}"


@takes_old_keywords(way="model")
def what_if(
    model: str, parts: Sequence[float], arms: Sequence[Arm] | Data, options: IntervalOptions | None = None
) -> WhatIf:
    """Estimate the share of yes among people who follow the design, for each assumed part of people who do not.

    Suppose a part x answers by probabilities v, whatever is true, and the others by matrix M. Then reports follow the
    design (1 - x) M + x v, by which they are estimated. Each interval holds if x is right. Raises DomainError.
    """
    if model not in WAYS:
        raise DomainError(f"the way not to follow the design ({model!r}) {one_of(WAYS, model)}")
    if not parts or not all(0 <= part < 1 for part in parts):
        raise DomainError("parts must be one or more, in [0, 1).")
    title, arms = arms_of(arms)
    options, epsilon = options or IntervalOptions(), max(arm.design.epsilon for arm in arms)
    cases = tuple(_case(model, float(part), arms, options) for part in parts)
    designs = tuple(map(AskedBy.of, arms))
    return WhatIf(model, round(sum(arm.n for arm in arms)), epsilon, options, cases, designs, title)


def _case(way: str, part: float, arms: Sequence[Arm], options: IntervalOptions) -> Case:
    found = estimate_arms([Arm(_mixed(way, part, arm.design), arm.counts) for arm in arms], options)
    (row,) = found.rows
    if isinstance(row, VoidedShare):
        return Case(part, None, None, None, None, found.contradictions[0].p_value)
    low, high = (row.low, row.high) if found.has_interval(row) else (None, None)
    return Case(part, row.share, row.standard_error, low, high, None)


def _share_words(case: Case) -> str:
    return "impossible" if case.share is None else percent(case.share)


def _mixed(way: str, part: float, design: Design) -> Design:
    probs = find_model(way).probs(design)
    matrix = (1 - part) * probs[:, :-1] + part * probs[:, -1:]
    return Design(design.name, design.answers, design.reports, np.asarray(matrix, np.float64))
