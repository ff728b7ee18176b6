"""A hidden answer explained by hidden answers of the same reports."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

import numpy as np
from numpy.typing import NDArray
from scipy.special import logit

from sotto_estimator.association.axes import YES_NO
from sotto_estimator.association.contradicted import misfits_of_reports
from sotto_estimator.association.groups import grouped_reports, that_answer
from sotto_estimator.association.merged import Merged
from sotto_estimator.channel.channel import Floats
from sotto_estimator.errors import DomainError
from sotto_estimator.intervals.group_misfit import GroupMisfit
from sotto_estimator.intervals.intervals import check_level
from sotto_estimator.likelihood.em import fit
from sotto_estimator.likelihood.latent_classes import Mixture
from sotto_estimator.likelihood.newton import Maximum
from sotto_estimator.regression.fitting import Fitted
from sotto_estimator.regression.joint_model import JointModel
from sotto_estimator.regression.model import FittedModel, Without
from sotto_estimator.regression.reports_needed import needed_of_each, needed_words
from sotto_estimator.regression.result import NOT_FITTED, FitQuality, Regression, not_fitted
from sotto_estimator.regression.terms import HiddenTerms, read_hidden_terms
from sotto_estimator.regression.warning import warnings_of
from sotto_estimator.results.words import misfit_sentence
from sotto_protocol import Survey
from sotto_protocol.mechanisms.mechanism import Bytes

MAX_CELLS = 400
_EDGE = 1e-6


def regress_reports(survey: Survey, records: Bytes, formula: str, *, level: float = 0.95) -> Regression:
    """Regress a hidden answer on one to three hidden answers of the same packed reports, by maximum likelihood.

    `formula`: of the survey's questions, `paid ~ smokes + region`; the outcome has two answers, the others are yes-no,
    one-of, or QUESTION:OPTION. The reports are of one wave. Raises DomainError, SourceError.
    """
    check_level(level)
    terms = read_hidden_terms(survey, formula)
    n_cells = prod(len(side.labels) for side in terms.sides)
    if n_cells > MAX_CELLS:
        raise DomainError(f"the questions make a table of {n_cells:,} cells; it must have at most {MAX_CELLS}.")
    if void := misfits_of_reports(survey, records, terms.sides):
        n_reports = len(that_answer(survey, records, terms.sides))
        return _not_fitted(terms, n_reports, level, void).titled(survey.title)
    parts, counts = grouped_reports(survey, records, terms.sides)
    return _regression(terms, _fit(terms, parts, counts), level).titled(survey.title)


@dataclass(frozen=True, slots=True, eq=False)
class _Found:
    """A fit of all terms and of some, the names of its columns."""

    joint: JointModel
    maximum: Maximum
    model: FittedModel
    names: tuple[str, ...]
    constant: Fitted

    @property
    def place(self) -> Floats:
        """The maximum's place."""
        return self.maximum.place


def _fit(terms: HiddenTerms, parts: Sequence[Bytes], counts: NDArray[np.int64]) -> _Found:
    matrix, names, places = terms.columns()
    covariates = Merged.of(terms.covariates)
    table = covariates.unfold(fit(Mixture(covariates.likelihoods(parts[1:]), counts)).shares).ravel()
    share = fit(Mixture((terms.outcome.likelihood(parts[0]),), counts)).shares[0]
    share = float(np.clip(share, 0.01, 0.99))
    mixture = Mixture(Merged.of(terms.sides).in_order(parts), counts)
    joint = JointModel(mixture, matrix, int(table.argmax()))
    nothing = np.zeros(len(names))
    nothing[0] = logit(share)
    maximum = joint.fit(table, nothing, [])
    whole = joint.slopes(maximum)

    def without(dropped: list[int]) -> Fitted:
        kept = np.delete(np.arange(len(names)), dropped)
        less = replace(joint, matrix=matrix[:, kept])
        return less.slopes(less.fit(table, nothing[kept], [np.clip(whole.without(dropped), -5, 5)]))

    labels = tuple((_equation(terms), name) for name in names)
    constant = without([*range(1, len(names))])
    null = Without.of(range(1, len(names)), constant)
    each = places.items() if len(places) > 1 else ()
    tested = {name: Without.of(columns, without(columns)) for name, columns in each}
    if not tested:
        tested = {next(iter(places)): null}
    return _Found(joint, maximum, FittedModel(int(mixture.n_reports), labels, whole, null, tested), names, constant)


def _not_fitted(terms: HiddenTerms, n_reports: int, level: float, void: tuple[GroupMisfit, ...]) -> Regression:
    """Return what is known where reports contradict the design: no number of the fit."""
    names = terms.columns()[1]
    return Regression(
        terms.text,
        _model_words(terms),
        _asked_words(terms),
        _epsilon_of(terms),
        n_reports,
        level,
        tuple(not_fitted(_equation(terms), name) for name in names),
        (),
        NOT_FITTED,
        np.full((len(names), len(names)), np.nan),
        preface=tuple(misfit_sentence(found.question) for _, found in void),
        contradictions=void,
    )


def _regression(terms: HiddenTerms, found: _Found, level: float) -> Regression:
    needed = needed_of_each(found.joint, found.place)
    columns = found.names[1:]
    return Regression(
        terms.text,
        _model_words(terms),
        _asked_words(terms),
        _epsilon_of(terms),
        found.model.n_rows,
        level,
        found.model.coefficients(level),
        found.model.tests(),
        _quality(found),
        found.model.fitted.covariance,
        notes=(_table_words(terms),),
        warnings=tuple(_warnings(terms, found)),
        measures={f"reports needed for {name}": n for name, n in zip(columns, needed, strict=True)},
        preface=(needed_words(columns, needed, found.model.n_rows),),
        references={side.name: side.labels[1 if side.labels == YES_NO else 0] for side in terms.covariates},
    )


def _model_words(terms: HiddenTerms) -> str:
    return f"logistic regression of a hidden answer (reference: {terms.outcome.labels[1]}), on hidden answers"


def _asked_words(terms: HiddenTerms) -> tuple[str, ...]:
    asked = {side.question.id: side.question for side in terms.sides}
    return tuple(f"{name} ({of.mechanism.name}, epsilon {of.epsilon})" for name, of in asked.items())


def _epsilon_of(terms: HiddenTerms) -> float:
    return float(sum({side.question.id: side.question.epsilon for side in terms.sides}.values()))


def _equation(terms: HiddenTerms) -> str:
    return f"{terms.outcome.name} = {terms.outcome.labels[0]}"


def _table_words(terms: HiddenTerms) -> str:
    names = " and ".join(side.name for side in terms.covariates)
    return f"the shares of all answers to {names} are estimated at the same time, and the errors know it"


def _quality(found: _Found) -> FitQuality:
    """Return how well it fits; the covariates' table is estimated too, and counts.

    Log-likelihoods are but for a constant of the reports: there is no pseudo R².
    """
    quality, n_table = found.model.quality(), found.joint.n_free
    n_rows = found.model.n_rows
    aic, bic = quality.aic + 2 * n_table, quality.bic + n_table * float(np.log(n_rows))
    return replace(quality, pseudo_r_squared=float("nan"), aic=aic, bic=bic)


def _warnings(terms: HiddenTerms, found: _Found) -> list[str]:
    fitted: Fitted = found.model.fitted
    labels = [(equation, name) for (equation, name) in found.model.labels]
    of_all = found.model.tests()[0].p_value
    said = warnings_of(fitted, labels, found.constant, terms.outcome.labels, lambda _: of_all)
    table = found.joint.shares(found.place).sum(axis=0)
    if n_empty := int((table < _EDGE).sum()):
        said.append(
            f"{n_empty} of {len(table)} combinations of the answers that explain are estimated as had by nobody: "
            "noise does that where few have them, and normal intervals are then rough"
        )
    return said
