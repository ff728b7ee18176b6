"""What a regression found: coefficients with errors, tests, how well it fits, and what is to be said of it."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol

from scipy.special import ndtri, stdtrit

from sotto_estimator.channel.channel import Floats
from sotto_estimator.errors import DomainError, SourceError
from sotto_estimator.intervals.group_misfit import GroupMisfit, alarms_of
from sotto_estimator.intervals.intervals import check_level
from sotto_estimator.results.data_frames import require_frames
from sotto_estimator.results.result import Result
from sotto_protocol.words import counted

if TYPE_CHECKING:
    import pandas as pd


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


class FittedAnswer(Protocol):
    """The model of the hidden answer that was fitted, as `AnswerFit`."""

    def predict(self, people: "pd.DataFrame | Mapping[str, object]") -> "pd.DataFrame": ...
    def predictions(self, people: "pd.DataFrame | Mapping[str, object]", level: float) -> "pd.DataFrame": ...
    def margins(self, at: Literal["overall", "mean"], *, dummy: bool, level: float) -> tuple[Coefficient, ...]: ...


@dataclass(frozen=True, slots=True, eq=False)
class Regression(Result):
    """A regression by maximum likelihood. Intervals and tests are approximate: normal, for many records.

    `model` describes it in words, and `designs` say how people were asked. `epsilon` is an upper bound for one report,
    in nats, or infinite. `covariance` has the coefficients' covariances, shape (k, k), in their order. `title` names
    the data, or is "".

    `preface` and `warnings` come first: read them before the numbers. `notes` explain the numbers. `measures` are
    further numbers of the fit, by name. Pseudo R² is NaN where it has no meaning.

    `degrees_of_freedom` are those of errors by linearisation, which use Student's t. It is None for a simple random
    sample. `contradictions` list groups whose reports honest people hardly ever give. Then nothing is fitted, and all
    numbers of the fit are NaN, or null in JSON. `answer_fit` is the model for `predict` and `get_margeff`, None with
    hidden covariates. `references` has, by column of categories, the category that others are compared with.

    `intervals` of the coefficients are "wald", or by the "profile" of the likelihood. Then z is the signed root of the
    likelihood ratio of 0. If `is_penalised`, likelihoods have Firth's penalty.

    `margins` are mean marginal effects of columns on probabilities. `contrasts` are differences of mean probabilities
    between people with some values and with others.
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
    answer_fit: "FittedAnswer | None" = None
    references: Mapping[str, str] = field(default_factory=dict)
    intervals: str = "wald"
    is_penalised: bool = False
    margins: tuple[Coefficient, ...] = ()
    contrasts: tuple[Coefficient, ...] = ()

    def __getitem__(self, name: str) -> Coefficient:
        """Return the coefficient of a column, "EQUATION: COLUMN" where several equations have it. Raises KeyError."""
        found = [of for of in self.coefficients if name in (of.name, f"{of.equation}: {of.name}")]
        if len(found) != 1:
            listed = ", ".join(f"{of.equation}: {of.name}" for of in self.coefficients)
            raise KeyError(f"{name} must be one of {listed}.")
        return found[0]

    @property
    def params(self) -> "pd.Series":
        """The coefficients, by the name of their column. Several equations: by equation and name."""
        return self._by_name([of.estimate for of in self.coefficients])

    @property
    def bse(self) -> "pd.Series":
        """The standard errors of the coefficients, as `params`."""
        return self._by_name([of.standard_error for of in self.coefficients])

    @property
    def pvalues(self) -> "pd.Series":
        """The P-values of the tests that a coefficient is 0, as `params`."""
        return self._by_name([of.p_value for of in self.coefficients])

    def cov_params(self) -> "pd.DataFrame":
        """Return the covariance of the coefficients."""
        import pandas as pd

        names = self.params.index
        return pd.DataFrame(self.covariance, index=names, columns=names)

    def conf_int(self, alpha: float | None = None) -> "pd.DataFrame":
        """Return intervals of the coefficients, with their ends in columns 0 and 1.

        `alpha` is 1 - level, by default that of the regression.

        Raises DomainError unless alpha is in (0, 1), and for another level of profile likelihood intervals.
        """
        import pandas as pd

        if self.intervals == "profile":
            if alpha is not None and not math.isclose(alpha, 1 - self.level):
                raise DomainError(f"alpha ({alpha:g}) must be {1 - self.level:g}: fit again for profiles at its level.")
            return pd.DataFrame([[of.low, of.high] for of in self.coefficients], index=self.params.index)
        tail = check_level(self.level if alpha is None else 1 - alpha) / 2
        degrees = self.degrees_of_freedom
        reach = -float(ndtri(tail) if degrees is None else stdtrit(degrees, tail))
        ends = [
            [of.estimate - reach * of.standard_error, of.estimate + reach * of.standard_error]
            for of in self.coefficients
        ]
        return pd.DataFrame(ends, index=self.params.index)

    def predict(self, new: "pd.DataFrame | Mapping[str, object]") -> "pd.Series | pd.DataFrame":
        """Return the probability of the hidden answer for people: that of yes, or that of each of several answers.

        `new` has the formula's columns: a data frame, lists by name, or the values of one person. It may have the
        offset's column, which is 0 otherwise. Raises DomainError, SourceError where nothing was fitted to rows of
        people.
        """
        found = self._fit_of_rows.predict(new)
        return found.iloc[:, 0] if found.shape[1] == 2 else found

    def get_prediction(self, new: "pd.DataFrame | Mapping[str, object]") -> "pd.DataFrame":
        """Return what `predict` does, with standard errors and intervals at the regression's level.

        Columns are "predicted", "se", "ci_lower" and "ci_upper", for each of several answers. Intervals are Wald's on
        the log odds. Raises as `predict`.
        """
        found = self._fit_of_rows.predictions(new, self.level)
        return found[found.columns[0][0]] if found.shape[1] == 8 else found  # of two answers, yes

    def summary(self) -> str:
        """Return all there is to read, as the command prints it."""
        return self.as_table()

    def get_margeff(self, at: Literal["overall", "mean"] = "overall", *, dummy: bool = False) -> "pd.DataFrame":
        """Return marginal effects: by how much the probability of an answer grows with each column of the formula.

        `at` is "overall", averaged over all people, or "mean", for a person with the mean of every column. With
        `dummy`, a column of 0 and 1 gets the difference between both, not the slope. Errors are by the delta method.
        Columns: "dy/dx", "std err", "z", "pvalue", "low", "high". Raises DomainError, SourceError as `predict`.
        """
        import pandas as pd

        found = self._fit_of_rows.margins(at, dummy=dummy, level=self.level)
        rows = [[of.estimate, of.standard_error, of.z, of.p_value, of.low, of.high] for of in found]
        columns = ["dy/dx", "std err", "z", "pvalue", "low", "high"]
        return pd.DataFrame(rows, index=_index_of(found), columns=columns)

    @property
    def _fit_of_rows(self) -> FittedAnswer:
        if self.answer_fit is None:
            raise SourceError(
                "predictions and margins need a model that was fitted to a table with one row per person."
            )
        return self.answer_fit

    def _by_name(self, values: "list[float]") -> "pd.Series":
        require_frames("params", "pandas")
        import pandas as pd

        return pd.Series(values, index=_index_of(self.coefficients), dtype=float)

    def __str__(self) -> str:
        """Return one line: formula, model and n."""
        return f"{self.formula}: {self.model}, n = {counted(self.n_reports, 'report')}"

    @property
    def heading(self) -> str:
        """What was regressed, and on which data."""
        return ": ".join(filter(None, [self.title, str(self)]))

    def alarms(self) -> tuple[str, ...]:
        """Return what is wrong with the reports, or the fit."""
        return (*alarms_of(self.contradictions), *self.warnings)


def _index_of(coefficients: Sequence[Coefficient]) -> "pd.Index":
    """Return the names of coefficients; where there are several equations, each with its own."""
    import pandas as pd

    if len({of.equation for of in coefficients}) < 2:
        return pd.Index([of.name for of in coefficients])
    return pd.MultiIndex.from_tuples([(of.equation, of.name) for of in coefficients], names=["equation", "column"])
