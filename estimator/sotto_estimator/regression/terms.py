"""Terms of a formula whose columns are questions: what each is made of, and its columns in a table of answers."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

import numpy as np

from sotto_estimator.association.axes import YES_NO, TableAxis, read_side
from sotto_estimator.channel.channel import Floats
from sotto_estimator.errors import DomainError
from sotto_estimator.inference.marginal import estimated_of
from sotto_estimator.inference.registry import figure_of, is_text
from sotto_protocol import Survey

MAX_COVARIATES = 3


@dataclass(frozen=True, slots=True)
class HiddenTerms:
    """`OUTCOME ~ TERM + ..` of one survey's questions. `terms`: the places in `covariates` of what each multiplies."""

    text: str
    outcome: TableAxis
    covariates: tuple[TableAxis, ...]
    terms: tuple[tuple[int, ...], ...]

    @property
    def sides(self) -> tuple[TableAxis, ...]:
        """The outcome and the covariates."""
        return (self.outcome, *self.covariates)

    @property
    def names(self) -> tuple[str, ...]:
        """The terms as they are written."""
        return tuple(":".join(self.covariates[place].name for place in term) for term in self.terms)

    def columns(self) -> tuple[Floats, tuple[str, ...], dict[str, list[int]]]:
        """Return a matrix, shape (n_cells, k), the names of its columns, and by its name the columns of each term.

        A row is a cell of the covariates' table, the last varying fastest. A column is 1 where the answers are those
        it names, else 0; the first is 1 everywhere. Each question's answer that has no column is what the others are
        beside: no, or the first.
        """
        shape = [len(side.labels) for side in self.covariates]
        cells = np.indices(shape).reshape(len(shape), prod(shape))
        columns, names, places = [np.ones(prod(shape))], ["Intercept"], {}
        for written, term in zip(self.names, self.terms, strict=True):
            first = len(columns)
            for answers in product(*(_compared(self.covariates[place]) for place in term)):
                columns.append(np.all([cells[place] == of for place, of in zip(term, answers, strict=True)], axis=0))
                told = [(self.covariates[place], of) for place, of in zip(term, answers, strict=True)]
                names.append(":".join(f"{side.name}[{side.labels[of]}]" for side, of in told))
            places[written] = [*range(first, len(columns))]
        return np.stack(columns, axis=1).astype(np.float64), tuple(names), places


def _compared(side: TableAxis) -> list[int]:
    """Return the answers that have a column."""
    return [0] if side.labels == YES_NO else [*range(1, len(side.labels))]


def read_hidden_terms(survey: Survey, formula: str) -> HiddenTerms:
    """Return a formula of a survey's questions: `paid ~ smokes + region`, `paid ~ smokes + region + smokes:region`.

    One option of an any-of question is QUESTION:OPTION. Raises DomainError.
    """
    left, sign, right = formula.partition("~")
    written = [term.strip() for term in right.split("+")]
    if not (sign and left.strip() and all(written) and "~" not in right):
        raise DomainError(f"the formula ({formula:.80}) must be written as QUESTION ~ QUESTION + QUESTION.")
    names = re.split(r"[~+:]", formula)
    (outcome, *others) = _factors(survey, left, names)
    if others or len(outcome.labels) != 2:
        raise DomainError(f"{left.strip():.80} must have two answers: a yes-no question, or QUESTION:OPTION.")
    terms = [_factors(survey, term, names) for term in written]
    covariates = tuple({side.name: side for term in terms for side in term}.values())
    _check(outcome, covariates, terms)
    asked = [side.name for side in covariates]
    places = tuple(tuple(asked.index(side.name) for side in term) for term in terms)
    return HiddenTerms(formula.strip(), outcome, covariates, places)


def _check(outcome: TableAxis, covariates: Sequence[TableAxis], terms: Sequence[Sequence[TableAxis]]) -> None:
    """Raise DomainError where there are too many questions, or one more than once."""
    if outcome.name in [side.name for side in covariates]:
        raise DomainError(f"{outcome.name} cannot explain itself.")
    if len(covariates) > MAX_COVARIATES:
        raise DomainError(
            f"the formula has {len(covariates)} questions that explain the outcome; the most are {MAX_COVARIATES}."
        )
    sets = [frozenset(side.name for side in term) for term in terms]
    if len({*sets}) < len(sets) or any(len(names) < len(term) for names, term in zip(sets, terms, strict=True)):
        raise DomainError("each term must be given once, and have each question once.")


def _factors(survey: Survey, term: str, names: Sequence[str]) -> list[TableAxis]:
    """Return the sides that a term multiplies, written with colons between; `names`: all that the formula has."""
    known = {question.id: question for question in estimated_of(survey)}
    pieces, sides = term.strip().split(":"), []
    while pieces:
        name = pieces.pop(0).strip()
        question = known.get(name)
        if question is not None and figure_of(question) != "share":
            asked = "text" if is_text(question) else "numbers"
            raise DomainError(f"{name} asks for {asked}. A regression takes yes-no, one-of and any-of questions.")
        if question is not None and question.mechanism.takes_rows and not question.mechanism.asks_some and pieces:
            name = f"{name}:{pieces.pop(0).strip()}"
        sides.append(read_side(survey, name, {}, [one.strip() for one in names]))
    return sides
