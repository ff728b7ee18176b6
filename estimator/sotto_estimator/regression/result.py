"""What a regression found: coefficients with errors, tests, how well it fits, and what is to be said of it."""

import math
from dataclasses import dataclass, field

from sotto_estimator.channel.channel import Floats
from sotto_estimator.intervals.group_misfit import GroupMisfit, alarms_of
from sotto_estimator.results.result import Result
from sotto_protocol.words import counted


@dataclass(frozen=True, slots=True)
class Coefficient:
    """A column's coefficient, in `equation`: what it explains. Its interval and P-value (of 0) are Wald's, normal.

    A coefficient without a finite estimate has an infinite error.
    """

    equation: str
    name: str
    estimate: float
    standard_error: float
    z: float
    p_value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Test:
    """A chi-square test that the coefficients of `terms` are all 0; "" for all terms but the intercept.

    `method`: "Wald" or "likelihood ratio".
    """

    __test__ = False  # not pytest's

    terms: str
    method: str
    statistic: float
    degrees_of_freedom: int
    p_value: float


@dataclass(frozen=True, slots=True)
class FitQuality:
    """How well a model fits: likelihoods, criteria, and McFadden's 1 - log-likelihood / null's.

    Of a sample that is not simple these are NaN: weighted likelihoods are of nothing that was seen.
    """

    log_likelihood: float
    null_log_likelihood: float
    pseudo_r_squared: float
    aic: float
    bic: float
    n_iterations: int
    converged: bool


NOT_FITTED = FitQuality(math.nan, math.nan, math.nan, math.nan, math.nan, n_iterations=0, converged=False)
"""Of reports that contradict the design."""


def not_fitted(equation: str, name: str) -> Coefficient:
    """Return a column's coefficient of which nothing is known."""
    return Coefficient(equation, name, *[math.nan] * 6)


@dataclass(frozen=True, slots=True)
class Prediction:
    """The probability of `answer` for a person whose columns are `cells`, with Wald's interval on the log odds."""

    cells: str
    answer: str
    share: float
    standard_error: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, eq=False)
class Regression(Result):
    """A regression by maximum likelihood. Intervals and tests are approximate: normal, for many records.

    `model`: in words; `designs`: how people were asked; `epsilon`: of one report, an upper bound in nats, or infinite.
    `covariance`: of the coefficients, shape (k, k), in their order. `notes` belong to it; `warnings` say what is wrong;
    `measures` of the fit have names; `preface` is to be read before all else. Pseudo R² is NaN where it has no meaning.
    `title`: what the data are called, or "". `degrees_of_freedom`: of errors by linearisation, of a sample that is not
    simple; Student's t then has the normal's place. None of a simple one. `contradictions`: of whose reports honest
    people hardly ever give: then nothing is fitted, and all numbers of the fit are NaN, which JSON has as null.
    """

    formula: str
    model: str
    designs: tuple[str, ...]
    epsilon: float
    n_reports: int
    level: float
    coefficients: tuple[Coefficient, ...]
    tests: tuple[Test, ...]
    quality: FitQuality
    covariance: Floats
    predictions: tuple[Prediction, ...] = ()
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    measures: dict[str, float] = field(default_factory=dict)
    preface: tuple[str, ...] = ()
    title: str = ""
    degrees_of_freedom: int | None = None
    contradictions: tuple[GroupMisfit, ...] = ()

    def __getitem__(self, name: str) -> Coefficient:
        """Return the coefficient of a column, "EQUATION: COLUMN" where several equations have it. Raises KeyError."""
        found = [of for of in self.coefficients if name in (of.name, f"{of.equation}: {of.name}")]
        if len(found) != 1:
            listed = ", ".join(f"{of.equation}: {of.name}" for of in self.coefficients)
            raise KeyError(f"{name} must be one of {listed}.")
        return found[0]

    def __str__(self) -> str:
        """Return one line: formula, model and n."""
        return f"{self.formula}: {self.model}, n = {counted(self.n_reports, 'report')}"

    @property
    def heading(self) -> str:
        """What was regressed, of what data."""
        return ": ".join(filter(None, [self.title, str(self)]))

    def alarms(self) -> tuple[str, ...]:
        """Return what is wrong with the reports, or the fit."""
        return (*alarms_of(self.contradictions), *self.warnings)
