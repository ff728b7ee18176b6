"""Figures: what is estimated from the reports of another program, each with its interval."""

import math
from dataclasses import dataclass, replace

from sotto_estimator.intervals.contradiction import Contradiction
from sotto_estimator.intervals.intervals import IntervalOptions
from sotto_estimator.results.result import Result
from sotto_protocol.words import counted, epsilon_above


@dataclass(frozen=True, slots=True)
class Figure:
    """A number with its interval. `stratum`: of which reports; `quantity`: share, mean, or p75 for a percentile.

    `group`: None where there is one group alone. `unit`: "" of a share, which is a fraction. `estimate` and
    `standard_error` are None where there is none; an end that is not known is 0 or infinite, and NaN where no number is
    in the interval.
    """

    group: str | None
    stratum: str
    quantity: str
    unit: str
    n_reports: int
    epsilon: float
    estimate: float | None
    standard_error: float | None
    low: float
    high: float
    method: str
    is_guaranteed: bool

    def voided(self) -> "Figure":
        """Return what is left where the counts contradict the design: of what, and of how many reports."""
        return replace(self, estimate=None, standard_error=None, low=math.nan, high=math.nan)


@dataclass(frozen=True, slots=True)
class Figures(Result):
    """All figures of some files of one format. `noun`: what a report is called; `made`: how intervals are.

    `by`: the member that names groups, None where all are one. `label`: what strata are called.
    """

    title: str
    format: str
    noun: str
    n_reports: int
    epsilon: float
    options: IntervalOptions
    made: str
    by: str | None
    figures: tuple[Figure, ...]
    notes: tuple[str, ...] = ()
    contradictions: tuple[Contradiction, ...] = ()
    label: str = "confidence"

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is wrong with the reports."""
        return tuple(contradiction.warning for contradiction in self.contradictions)

    def __str__(self) -> str:
        """Return one line: files, reports and epsilon."""
        at_most = "at most " if math.isfinite(self.epsilon) else ""
        n, epsilon = counted(self.n_reports, self.noun), epsilon_above(self.epsilon)
        return f"{self.title}: n = {n}, epsilon {at_most}{epsilon} each"


def question_of(group: str | None) -> str:
    """Return what the figures of a group are about, as contradictions name it."""
    return "confidence" if group is None else f"confidence of {group}"
