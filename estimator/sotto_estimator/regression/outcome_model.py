"""Regression of an outcome in clear on a hidden answer and on what is known of people, by joint maximum likelihood."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from sotto_estimator.channel.channel import Floats
from sotto_estimator.likelihood.newton import Maximum
from sotto_estimator.regression.answer_model import fit_columns, labels_of
from sotto_estimator.regression.basis import Basis, basis_of
from sotto_estimator.regression.fitting import Fitted, fit_rows, rows_of
from sotto_estimator.regression.formula import INTERCEPT, Formula
from sotto_estimator.regression.hidden_predictor import HiddenPredictor
from sotto_estimator.regression.model import FittedModel, Without
from sotto_estimator.regression.outcome import LogisticOutcome, NormalOutcome, Outcome
from sotto_estimator.regression.sample import Sample
from sotto_estimator.regression.surface import Surface

SIGMA = "log(sigma)"


@dataclass(frozen=True, slots=True, eq=False)
class OutcomeSample:
    """A sample with an outcome in clear for each of its groups of rows; `unit`: what a number is measured in."""

    sample: Sample
    outcome: Outcome
    unit: float

    @classmethod
    def of_numbers(cls, sample: Sample, values: Floats) -> "OutcomeSample":
        """Return that of normal outcomes, measured in their standard deviation."""
        mean = np.average(values, weights=sample.weights)
        unit = float(np.sqrt(np.average((values - mean) ** 2, weights=sample.weights))) or 1.0
        return cls(sample, NormalOutcome(values, unit), unit)

    @classmethod
    def of_events(cls, sample: Sample, values: Floats) -> "OutcomeSample":
        """Return that of outcomes 0 or 1."""
        return cls(sample, LogisticOutcome(values), 1.0)

    def fit(self, columns: Sequence[int], has_hidden: bool, start: Floats | None = None) -> Fitted:
        """Fit the model whose outcome has some of the columns, and perhaps the hidden answer.

        It is the best of climbs from no effect of the hidden answer, and from one up or down of each answer.
        """
        sample, n_added = self.sample, len(self.sample.answers) - 1
        bases = self._bases(list(columns), has_hidden)
        likelihood = HiddenPredictor(sample.log_channel, self.outcome)
        starts = [start] if start is not None else self._starts(list(columns), n_added * has_hidden)
        found = [fit_rows(likelihood, bases, sample.weights, begin, sample.drawn) for begin in starts]
        return max(found, key=lambda of: of.log_likelihood)

    @property
    def n_spread(self) -> int:
        """How many more parameters the outcome has."""
        return self.outcome.n_spread

    def _starts(self, columns: list[int], n_added: int) -> list[Floats]:
        """Return where to begin: the hidden answer as its reports alone tell, and effects of it up, down or none."""
        of_answer = fit_columns(self.sample, range(len(self.sample.terms.names))).coefficients
        of_outcome, spread = self._plain(columns), np.zeros(self.n_spread)
        effects = [np.zeros(n_added), *np.eye(n_added), *-np.eye(n_added)]
        return [np.concatenate([of_answer, of_outcome, effect, spread]) for effect in effects]

    def _plain(self, columns: list[int]) -> Floats:
        """Return where the outcome's coefficients begin: for numbers at those of least squares."""
        if not self.n_spread:
            return np.zeros(len(columns))
        root = np.sqrt(self.sample.weights)
        matrix = root[:, None] * self.sample.terms.matrix[:, columns]
        found = np.linalg.lstsq(matrix, root * self.outcome.values / self.unit, rcond=None)[0]
        return np.asarray(found, np.float64)

    def _bases(self, columns: list[int], has_hidden: bool) -> list[Basis]:
        sample = self.sample
        names, n_added = sample.terms.names, len(sample.answers) - 1
        whole = basis_of(sample.terms.matrix, sample.weights, names)
        own = whole.of(columns)
        ones = np.ones((len(sample.weights), 1))
        none = Basis(ones[:, :0], np.zeros((0, 0)))
        one = Basis(ones, np.ones((1, 1)))
        return [*[whole] * n_added, own, *[one if has_hidden else none] * n_added, *[one] * self.n_spread]

    def in_units(self, fitted: Fitted) -> Fitted:
        """Return a fit of outcomes in their own unit."""
        scale, shift = self._units(len(fitted.coefficients)).T
        coefficients, covariance = fitted.coefficients * scale + shift, fitted.covariance * np.outer(scale, scale)
        return replace(fitted, coefficients=coefficients, covariance=covariance)

    def _units(self, n_coefficients: int) -> Floats:
        """Return the factors and summands that bring coefficients into the outcome's own unit, shape (k, 2)."""
        found = np.tile([1.0, 0.0], (n_coefficients, 1))
        n_of_answer = (len(self.sample.answers) - 1) * len(self.sample.terms.names)
        found[n_of_answer : n_coefficients - self.n_spread, 0] = self.unit
        if self.n_spread:
            found[-1, 1] = np.log(self.unit)
        return found

    def surface(self, top: Maximum) -> Surface:
        """Return the log-likelihood of all columns and the hidden answer; `top`: its maximum."""
        every = [*range(len(self.sample.terms.names))]
        bases, likelihood = self._bases(every, True), HiddenPredictor(self.sample.log_channel, self.outcome)
        rows, triangle = rows_of(likelihood, bases, self.sample.weights)
        starts = [triangle @ start for start in self._starts(every, len(self.sample.answers) - 1)]
        return Surface(rows.at, triangle, top, starts, self._units(len(triangle)))


def labels_of_outcome(formula: Formula, sample: Sample) -> list[tuple[str, str]]:
    """Return the equation and column of each coefficient of the outcome in clear."""
    of_hidden = [f"hidden({formula.hidden}) = {answer}" for answer in sample.answers[:-1]]
    return [(formula.outcome, name) for name in (*sample.terms.names, *of_hidden)]


def fit_outcome(formula: Formula, data: OutcomeSample) -> FittedModel:
    """Fit it, and what it is compared to. Raises SourceError for columns that are collinear."""
    sample = data.sample
    names, answers = sample.terms.names, sample.answers[:-1]
    every = [*range(len(names))]
    n_of_answer = len(answers) * len(names)
    of_hidden = range(n_of_answer + len(names), n_of_answer + len(names) + len(answers))
    labels = [*labels_of_outcome(formula, sample), *[(formula.outcome, SIGMA)] * data.n_spread]

    fitted = data.fit(every, True)

    def without(columns: Sequence[int], has_hidden: bool) -> Without:
        places = [n_of_answer + column for column in columns] + [*of_hidden] * (not has_hidden)
        start = None if sample.drawn else fitted.without(places)
        return Without.of(places, data.fit([of for of in every if of not in columns], has_hidden, start))

    null = without([place for place in every if names[place] != INTERCEPT], False)
    each = {term: without(columns, True) for term, columns in sample.terms.tested().items()}
    each[f"hidden({formula.hidden})"] = without([], False)
    labelled = (*labels_of(formula.hidden, sample), *labels)
    return FittedModel(sample.n_rows, labelled, data.in_units(fitted), null, each, n_scales=data.n_spread)
