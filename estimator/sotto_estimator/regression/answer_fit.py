"""What a fitted model says of people: the probabilities of their answers, and how these change with a column."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from sotto_estimator.channel.channel import Floats
from sotto_estimator.errors import DomainError, one_of
from sotto_estimator.regression.answer_model import predict_answers, shares_of_rows
from sotto_estimator.regression.fitting import Fitted
from sotto_estimator.regression.formula import INTERCEPT
from sotto_estimator.regression.inference import coefficients_of
from sotto_estimator.regression.result import Coefficient
from sotto_estimator.regression.sample import Sample

if TYPE_CHECKING:
    import pandas as pd

At = Literal["overall", "mean"]
Cells = Mapping[str, str]
"""The values of some columns."""


@dataclass(frozen=True, slots=True, eq=False)
class AnswerFit:
    """The model of the hidden answer to `question`, and the rows that it was fitted to. `offset`: a column, or ""."""

    question: str
    sample: Sample
    fitted: Fitted
    offset: str = ""

    def predict(self, people: "pd.DataFrame | Mapping[str, object]") -> "pd.DataFrame":
        """Return the probability of each answer, a column an answer. Without its column the offset is 0.

        Raises DomainError for a column that is missing, and a category that nobody has.
        """
        import pandas as pd

        rows, offset, index = self._rows_at(people)
        shares = shares_of_rows(self._coefficients(rows.shape[1]).ravel(), rows, offset)
        return pd.DataFrame(shares, index=index, columns=list(self.sample.answers))

    def predictions(self, people: "pd.DataFrame | Mapping[str, object]", level: float) -> "pd.DataFrame":
        """Return the same with errors and intervals: four columns an answer. Raises as `predict`."""
        import pandas as pd

        (rows, offset, index), answers = self._rows_at(people), self.sample.answers
        found = [
            predict_answers(self.fitted, answers, "", row, level, float(more))
            for row, more in zip(rows, offset, strict=True)
        ]
        figures = [[of for one in each for of in (one.share, one.standard_error, one.low, one.high)] for each in found]
        names = ("predicted", "se", "ci_lower", "ci_upper")
        return pd.DataFrame(figures, index=index, columns=pd.MultiIndex.from_product([answers, names]))

    def _rows_at(self, people: "pd.DataFrame | Mapping[str, object]") -> "tuple[Floats, Floats, pd.Index]":
        """Return the rows of the matrix and the offsets of people."""
        import pandas as pd

        frame = people if isinstance(people, pd.DataFrame) else _framed(people)
        if self.sample.terms.rows_at is None:
            raise DomainError("this model has no formula to predict by.")
        rows, offset = self.sample.terms.rows_at(frame), np.zeros(len(frame))
        if self.offset in frame.columns:
            offset = np.asarray(frame[self.offset], np.float64)
            if not np.isfinite(offset).all():
                raise DomainError(f"{self.offset} must be finite in every row.")
        return rows, offset, frame.index

    def margins(self, at: At, *, dummy: bool, level: float) -> tuple[Coefficient, ...]:
        """Return by how much the probability of each answer grows with each column, errors by the delta method.

        `at`: on average over all people, or for the mean person. `dummy`: of a column of 0 and 1, from 0 to 1.
        """
        if at not in get_args(At):
            raise DomainError(f"at ({at!r}) {one_of(get_args(At), at)}")
        matrix, names, sample = self.sample.terms.matrix, self.sample.terms.names, self.sample
        parts, offset = sample.weights / sample.weights.sum(), sample.offset
        if at == "mean":
            matrix, offset = (parts @ matrix)[None], None if offset is None else (parts @ offset)[None]
            parts = np.ones(1)
        people = _People(matrix, parts, offset, self._coefficients(matrix.shape[1]))
        kept = [place for place, name in enumerate(names) if name != INTERCEPT]
        if not kept:
            raise DomainError("the formula has no columns: nothing has a marginal effect.")
        answers = sample.answers[:1] if len(sample.answers) == 2 else sample.answers
        labels, values, gradients = [], [], []
        for k, answer in enumerate(answers):
            for column in kept:
                is_dummy = dummy and np.isin(self.sample.terms.matrix[:, column], (0, 1)).all()
                value, gradient = (people.change if is_dummy else people.slope)(k, column)
                labels.append((f"{self.question} = {answer}", names[column]))
                values.append(value)
                gradients.append(gradient)
        slopes = np.array(gradients).reshape(len(values), -1)
        covariance = _of_gradients(slopes, self.fitted.covariance[: slopes.shape[1], : slopes.shape[1]])
        return coefficients_of(labels, np.array(values), covariance, level, self.fitted.degrees_of_freedom)

    def contrasts(self, pairs: Sequence[tuple[Cells, Cells]], level: float) -> tuple[Coefficient, ...]:
        """Return by how much the probability of each answer is larger for people with some columns than with others.

        Both are means over all people, whose other columns stay (standardization); errors are by the delta method.
        Raises DomainError.
        """
        sample, labels, values, gradients = self.sample, [], [], []
        parts = sample.weights / sample.weights.sum()
        people = _People(sample.terms.matrix, parts, sample.offset, self._coefficients(sample.terms.matrix.shape[1]))
        for pair in pairs:
            rows = [sample.terms.rows_of(cells) for cells in pair]
            one, other = (of[sample.first] if len(of) > 1 else np.repeat(of, len(parts), axis=0) for of in rows)
            said = " vs ".join(", ".join(f"{name}={of}" for name, of in cells.items()) for cells in pair)
            for k, answer in enumerate(sample.answers[:1] if len(sample.answers) == 2 else sample.answers):
                value, gradient = people.contrast(k, one, other)
                labels.append((f"{self.question} = {answer}", said))
                values.append(value)
                gradients.append(gradient)
        slopes = np.array(gradients).reshape(len(values), people.coefficients.size)
        covariance = _of_gradients(slopes, self.fitted.covariance[: slopes.shape[1], : slopes.shape[1]])
        return coefficients_of(labels, np.array(values), covariance, level, self.fitted.degrees_of_freedom)

    def _coefficients(self, n_columns: int) -> Floats:
        """Return those of the answer, shape (n_answers - 1, n_columns)."""
        n_equations = len(self.sample.answers) - 1
        found: Floats = self.fitted.coefficients[: n_equations * n_columns].reshape(n_equations, n_columns)
        return found


@dataclass(frozen=True, slots=True, eq=False)
class _People:
    """Rows of people, each `parts` of all, and the coefficients of the answers but the last."""

    matrix: Floats
    parts: Floats
    offset: Floats | None
    coefficients: Floats

    def slope(self, answer: int, column: int) -> tuple[float, Floats]:
        """Return the derivative of an answer's mean probability in a column, and its gradient in the coefficients."""
        shares = shares_of_rows(self.coefficients.ravel(), self.matrix, self.offset)
        effects = np.append(self.coefficients[:, column], 0.0)
        mean = shares @ effects
        slope = shares[:, answer] * (effects[answer] - mean)
        gradients = []
        for other in range(len(self.coefficients)):
            own = np.eye(len(effects))[other]
            of_share = shares[:, answer] * (own[answer] - shares[:, other])
            of_mean = shares[:, other] * (effects[other] - mean)
            along = of_share * (effects[answer] - mean) - shares[:, answer] * of_mean
            gradient = (self.parts * along) @ self.matrix
            gradient[column] += self.parts @ of_share
            gradients.append(gradient)
        return float(self.parts @ slope), np.concatenate(gradients)

    def change(self, answer: int, column: int) -> tuple[float, Floats]:
        """Return how an answer's mean probability differs between 1 and 0 in a column, and its gradient."""
        set_to = [self.matrix.copy() for _ in range(2)]
        for setting, matrix in enumerate(set_to):
            matrix[:, column] = setting
        return self.contrast(answer, set_to[1], set_to[0])

    def contrast(self, answer: int, one: Floats, other: Floats) -> tuple[float, Floats]:
        """Return how an answer's mean probability differs between two matrices, and its gradient."""
        value, gradient = 0.0, np.zeros(self.coefficients.size)
        is_own = np.arange(len(self.coefficients)) == answer
        for sign, matrix in ((1, one), (-1, other)):
            shares = shares_of_rows(self.coefficients.ravel(), matrix, self.offset)
            of_share = shares[:, [answer]] * (is_own - shares[:, :-1])
            value += sign * float(self.parts @ shares[:, answer])
            gradient += sign * ((self.parts[:, None] * of_share).T @ matrix).ravel()
        return value, gradient


def _of_gradients(gradients: Floats, covariance: Floats) -> Floats:
    """Return the covariance of what has these gradients; infinite for what takes a coefficient without an estimate."""
    is_lost = np.isinf(np.diag(covariance))
    known = np.where(np.isinf(covariance), 0.0, covariance)
    found: Floats = gradients @ known @ gradients.T
    lost = np.flatnonzero((gradients[:, is_lost] != 0).any(axis=1))
    found[lost, lost] = np.inf
    return found


def _framed(people: Mapping[str, object]) -> "pd.DataFrame":
    """Return columns of values, or the values of one person, as a data frame."""
    import pandas as pd

    is_many = any(
        isinstance(of, Sequence | np.ndarray | pd.Series) and not isinstance(of, str) for of in people.values()
    )
    return pd.DataFrame(people, index=None if is_many else [0])
