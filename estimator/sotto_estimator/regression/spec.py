"""What is regressed on what: a formula, the column of the reports and how they were asked for, the kind of outcome."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from sotto_estimator.channel.channel import Floats
from sotto_estimator.errors import DomainError, one_of
from sotto_estimator.intervals.contradiction import Disagreement
from sotto_estimator.intervals.group_misfit import GroupMisfit
from sotto_estimator.intervals.intervals import check_level
from sotto_estimator.microdata.reading import SamplingColumns
from sotto_estimator.regression.answer_fit import AnswerFit, Cells
from sotto_estimator.regression.answer_model import (
    fit_answer,
    fit_columns,
    fit_null,
    labels_of,
    predict_answers,
    predict_average,
)
from sotto_estimator.regression.cluster_model import Clustered, fit_clustered
from sotto_estimator.regression.contradicted import misfits_of_rows
from sotto_estimator.regression.firth import fit_firth
from sotto_estimator.regression.fitting import Fitted
from sotto_estimator.regression.formula import Formula, terms_of
from sotto_estimator.regression.inference import ratio_test
from sotto_estimator.regression.lack_of_fit import lack_of_fit
from sotto_estimator.regression.model import FittedModel
from sotto_estimator.regression.outcome_column import read_outcome
from sotto_estimator.regression.outcome_model import fit_outcome, labels_of_outcome
from sotto_estimator.regression.result import NOT_FITTED, Prediction, Regression, not_fitted
from sotto_estimator.regression.sample import Sample, sample_of
from sotto_estimator.regression.surface import Surface, surface_of
from sotto_estimator.regression.warning import warnings_of
from sotto_estimator.results.words import misfit_sentence
from sotto_estimator.table.reported import ReportColumn, Reported
from sotto_estimator.table.table import DataTable, number_of

_MOST_DESIGNS = 4
INTERVALS = ("wald", "profile")
MAX_OFFSET = 1000
"""Of log odds more is certainty."""


@dataclass(frozen=True, slots=True)
class RegressionSpec:
    """A regression that is asked for.

    `outcome`: one of OUTCOMES; `random_intercept`: the column of what has intercepts of its own, or ""; `sampling`: the
    columns that say how people were drawn; `offset`: the column that is added to the log odds, or "". `intervals`: one
    of INTERVALS, or "" for the usual ones. `firth`: whether Firth's penalty keeps estimates finite.
    `margins`: whether marginal effects are wanted; `contrasts`: the people who are compared, by some of their columns.
    """

    formula: Formula
    reports: ReportColumn
    outcome: str = "auto"
    random_intercept: str = ""
    sampling: SamplingColumns = field(default_factory=SamplingColumns)
    offset: str = ""
    intervals: str = ""
    firth: bool = False
    margins: bool = False
    contrasts: tuple[tuple[Cells, Cells], ...] = ()

    @property
    def names(self) -> list[str]:
        """The columns that it takes."""
        formula = self.formula
        explaining = [formula.outcome, formula.reports, *formula.names]
        return [*explaining, *filter(None, [self.random_intercept, self.offset]), *self.complete]

    @property
    def complete(self) -> list[str]:
        """The columns of which none may miss anything: how people were asked, and how they were drawn."""
        return [*self.reports.about, *self.sampling.names]

    @property
    def numbers(self) -> list[str]:
        """The columns of which nothing but numbers is wanted, if they have no other cells."""
        formula = self.formula
        texts = {formula.outcome, formula.reports, self.random_intercept, *formula.categories, *self.complete}
        return [name for name in (*formula.names, *filter(None, [self.offset])) if name not in texts]

    def fit(self, table: DataTable, people: Sequence[Mapping[str, str]], level: float) -> Regression:
        """Fit it. `people`: of whom predictions are wanted. Raises DomainError, SourceError."""
        check_level(level)
        self.sampling.check_linear()
        if self.random_intercept and self.sampling.names:
            raise DomainError(
                f"a random intercept by {self.random_intercept} does not go with weights, strata and clusters of a "
                "sample: it would need weights of the groups, and of people within them. Leave out one of the two."
            )
        formula = self.formula
        self._check_profile()
        for name in (formula.reports, formula.outcome):
            if name in formula.names:
                raise DomainError(f"{name} cannot explain itself.")
        reported = self.reports.read(table)
        terms = terms_of(formula, table)
        alike = [table.columns[name] for name in self._explaining]
        sample = sample_of(reported, terms, alike, self.sampling.read(table, None) if self.sampling.names else None)
        sample = replace(sample, offset=self._offsets(table, sample))
        terms_held = [*terms.tested(), *formula.names, *([formula.outcome] if formula.hidden else [])]
        if void := misfits_of_rows(table, reported, formula.reports, terms_held, self.reports.about):
            return self._not_fitted(table, reported, sample, level, void)
        constant = fit_null(sample)
        model, words, said, surface = self._model(table, sample, reported, constant)
        coefficients = model.coefficients(level)
        if self._has_profile:
            surface = surface or surface_of(sample, model.fitted.maximum)
            coefficients = surface.profiled(coefficients, level)
        answer_fit = AnswerFit(formula.reports, sample, model.fitted, self.offset)
        return Regression(
            formula.text,
            words,
            _designs(reported),
            max(design.epsilon for design in reported.designs),
            table.n_rows,
            level,
            coefficients,
            model.tests(),
            model.quality(),
            model.fitted.covariance,
            self._predictions(model, sample, people, level),
            tuple(filter(None, [said, self._offset_words, self._drawn_words, table.left_out])),
            tuple(_warnings(model, sample, constant)),
            self._measures(model, sample, reported),
            title=table.name,
            degrees_of_freedom=model.fitted.degrees_of_freedom,
            answer_fit=answer_fit,
            references=self._references(table, sample),
            intervals="profile" if self._has_profile else "wald",
            is_penalised=self.firth,
            margins=answer_fit.margins("overall", dummy=True, level=level) if self.margins else (),
            contrasts=answer_fit.contrasts(self.contrasts, level) if self.contrasts else (),
        )

    @property
    def _has_profile(self) -> bool:
        return self.intervals == "profile" or (self.firth and not self.intervals)

    def _check_profile(self) -> None:
        """Raise DomainError where there is no profile, or no penalty."""
        if self.intervals not in ("", *INTERVALS):
            raise DomainError(f"intervals ({self.intervals!r:.40}) {one_of(INTERVALS, self.intervals)}")
        beside = {
            "hidden(..)": (self.formula.hidden if self.firth else "", "Use intervals=profile for few people"),
            "a random intercept": (
                self.random_intercept,
                "Trust the likelihood ratio tests where few people answer yes",
            ),
            "weights, strata and clusters": (", ".join(self.sampling.names), "Their errors need the usual intervals"),
        }
        for name, (of, instead) in beside.items():
            if of and (self.firth or self.intervals == "profile"):
                what = "Firth's penalty" if self.firth else "a profile likelihood interval"
                raise DomainError(f"{what} does not go with {name} ({of}). {instead}, or leave out {name}.")

    def _references(self, table: DataTable, sample: Sample) -> dict[str, str]:
        hidden = {self.formula.hidden: sample.answers[-1]} if self.formula.hidden else {}
        return sample.terms.references(table, self.formula.names) | hidden

    def _offsets(self, table: DataTable, sample: Sample) -> Floats | None:
        """Return what is added to the log odds of each group of rows. Raises DomainError, SourceError."""
        if not self.offset:
            return None
        if self.formula.hidden or len(sample.answers) > 2:
            raise DomainError(f"offset ({self.offset}) needs a hidden yes-no answer to the left of the formula.")
        column = table.columns[self.offset]
        found = column.numbers()[sample.first]
        if (is_far := np.abs(found) > MAX_OFFSET).any():
            code = int(column.codes[sample.first[is_far.argmax()]])
            raise column.fault(code, f"must be in [-{MAX_OFFSET}, {MAX_OFFSET}]: it is added to the log odds")
        return found

    @property
    def _offset_words(self) -> str:
        return f"{self.offset} is added to the log odds, with a coefficient of 1" if self.offset else ""

    def _not_fitted(
        self, table: DataTable, reported: Reported, sample: Sample, level: float, void: tuple[GroupMisfit, ...]
    ) -> Regression:
        """Return what is known where reports contradict the design: no number of the fit."""
        formula, drawn = self.formula, sample.drawn
        labels = labels_of(formula.reports, sample)
        if formula.hidden:
            labels = (*labels, *labels_of_outcome(formula, sample))
        return Regression(
            formula.text,
            "regression on a hidden answer" if formula.hidden else "regression of a hidden answer",
            _designs(reported),
            max(design.epsilon for design in reported.designs),
            table.n_rows,
            level,
            tuple(not_fitted(*label) for label in labels),
            (),
            NOT_FITTED,
            np.full((len(labels), len(labels)), math.nan),
            notes=tuple(filter(None, [_apart_words(void, self.reports.about), self._drawn_words, table.left_out])),
            preface=(misfit_sentence(formula.reports),),
            title=table.name,
            degrees_of_freedom=drawn.degrees_of_freedom if drawn else None,
            contradictions=void,
        )

    @property
    def _drawn_words(self) -> str:
        """What says how people were drawn; nothing where they were simply."""
        of = {"weights": self.sampling.weights, "strata": self.sampling.strata, "clusters": self.sampling.clusters}
        said = ", ".join(f"{what} by {column}" for what, column in of.items() if column)
        return f"people were drawn with {said}" if said else ""

    def _measures(self, model: FittedModel, sample: Sample, reported: Reported) -> dict[str, float]:
        """Return the test of lack of fit, where there is one: of an answer to the left, and two reports.

        Of a sample that is not simple, what its weights leave of it.
        """
        if sample.drawn:
            degrees = float(sample.drawn.degrees_of_freedom)
            return {"people of equal weight who would say as much": sample.drawn.n_effective, "df": degrees}
        is_binary = all(len(design.reports) == 2 for design in reported.designs)
        is_binary = is_binary and not sample.has_unrelated
        return (
            {}
            if self.formula.hidden or self.random_intercept or self.firth or not is_binary
            else lack_of_fit(sample, model.fitted)
        )

    def _predictions(
        self, model: FittedModel, sample: Sample, people: Sequence[Mapping[str, str]], level: float
    ) -> tuple[Prediction, ...]:
        """Return what is predicted for people; where their offset is not given, that of everybody is taken in turn."""
        found: list[Prediction] = []
        for cells in people:
            said = ", ".join(f"{name}={value}" for name, value in cells.items())
            rows = sample.terms.rows_of({name: of for name, of in cells.items() if not self._is_offset(name)})
            offset = _offset_of(self.offset, cells) if self._is_offset(*cells) else None
            if len(rows) == 1 and (offset is not None or sample.offset is None):
                found += predict_answers(model.fitted, sample.answers, said, rows[0], level, offset or 0.0)
                continue
            told = ", ".join(filter(None, [said, "averaged"]))
            of_all = rows[sample.first] if len(rows) > 1 else np.repeat(rows, len(sample.first), axis=0)
            own = sample if offset is None else replace(sample, offset=np.full(len(sample.first), offset))
            found += predict_average(model.fitted, own, told, of_all, level)
        return tuple(found)

    def _is_offset(self, *names: str) -> bool:
        """Return whether the offset is among these columns, and no term names it too."""
        return bool(self.offset) and self.offset in names and self.offset not in self.formula.names

    @property
    def _explaining(self) -> list[str]:
        """The columns but that of the reports: rows that are alike in them are one group."""
        formula = self.formula
        own = [formula.outcome] if formula.hidden else []
        return list(dict.fromkeys([*own, *formula.names, *filter(None, [self.random_intercept, self.offset])]))

    def _model(
        self, table: DataTable, sample: Sample, reported: Reported, constant: Fitted
    ) -> tuple[FittedModel, str, str, Surface | None]:
        """Return the model, what it is, and what is to be said of its clusters, or of an unrelated question.

        With a penalty, its log-likelihood too.
        """
        answers, formula = sample.answers, self.formula
        if sample.has_unrelated and (formula.hidden or self.random_intercept):
            raise DomainError("hidden(..) and an intercept by cluster need the prevalence of the unrelated question.")
        if formula.hidden:
            if self.random_intercept:
                raise DomainError("an intercept by cluster goes with a hidden answer to the left, not with hidden(..).")
            data, kind = read_outcome(table.columns[formula.outcome], sample, self.outcome)
            words = f"{kind} regression on a hidden answer (reference: {answers[-1]})"
            model = fit_outcome(formula, data)
            return model, words, "", data.surface(model.fitted.maximum) if self._has_profile else None
        kind = "logistic" if len(answers) == 2 else "multinomial logistic"
        words = f"{kind} regression of a hidden answer (reference: {answers[-1]})"
        if self.random_intercept:
            codes = table.columns[self.random_intercept].codes[sample.first]
            model, said = fit_clustered(formula.outcome, self.random_intercept, Clustered.of(sample, codes), constant)
            return model, f"{words}, an intercept by {self.random_intercept}", said, None
        if (self.firth or self.intervals == "profile") and sample.has_unrelated:
            raise DomainError("Firth's penalty and profiles need the prevalence of the unrelated question.")
        if self.firth:
            if len(answers) > 2:
                raise DomainError(f"Firth's penalty needs a yes-no answer, not one of {len(answers)}.")
            model, surface = fit_firth(formula.outcome, sample, reported)
            return model, f"{words}, with Firth's penalty", "", surface
        model = fit_answer(formula.outcome, sample, constant)
        return model, words, _unrelated_words(model) if sample.has_unrelated else "", None


def _offset_of(name: str, cells: Mapping[str, str]) -> float:
    """Return a person's offset. Raises DomainError."""
    found = number_of(cells[name])
    if found is None or abs(found) > MAX_OFFSET:
        raise DomainError(f"{name} ({cells[name]:.40}) must be a number in [-{MAX_OFFSET}, {MAX_OFFSET}].")
    return found


def _apart_words(void: Sequence[GroupMisfit], asked: Sequence[str]) -> str:
    """Return what would let samples differ, where it is only that which contradicts."""
    if not asked or not all(isinstance(found, Disagreement) and len(found.arms) > 1 for _, found in void):
        return ""
    return f"a formula with {' and '.join(asked)} as a term lets the samples be of different people"


def _designs(reported: Reported) -> tuple[str, ...]:
    """Return how people were asked, in words; of many designs the first ones."""
    listed = list(dict.fromkeys(map(str, reported.designs)))
    more = [f"{len(listed) - _MOST_DESIGNS:,} more"] if len(listed) > _MOST_DESIGNS else []
    return (*listed[:_MOST_DESIGNS], *more)


def _unrelated_words(model: FittedModel) -> str:
    share = 1 / (1 + math.exp(-model.fitted.coefficients[-1]))
    return (
        f"the share of yes to the unrelated question is estimated with it, as {100 * share:.2f} %: it is taken to be "
        "the same for everybody, whatever the answer and the terms"
    )


def _warnings(model: FittedModel, sample: Sample, constant: Fitted) -> list[str]:
    if model.is_penalised:
        constant = replace(constant, separated=constant.separated[:0])  # with a penalty it has an end
    null = _of_answers(constant, sample)
    n_of_answer = (len(sample.answers) - 1) * len(sample.terms.names)

    def p_value_of(place: int) -> float:
        """Return that of all terms that explain the answer; of a coefficient of an outcome, that of its own term."""
        if model.is_penalised:
            return model.tests()[0].p_value
        if place < n_of_answer:
            whole = fit_columns(sample, range(len(sample.terms.names)))
            n_more = len(whole.coefficients) - len(null.coefficients)
            return ratio_test("", whole.log_likelihood, null.log_likelihood, n_more).p_value
        own = [other for other in model.without.values() if place in other.places]
        ratios = [ratio_test("", model.fitted.log_likelihood, of.log_likelihood, len(of.places)) for of in own]
        return min((of.p_value for of in ratios), default=1.0)

    return warnings_of(model.fitted, model.labels, null, sample.answers, p_value_of, has_ratios=sample.drawn is None)


def _of_answers(null: Fitted, sample: Sample) -> Fitted:
    """Return the fit without terms, whose separation is that of the answer alone, not of an unrelated question."""
    return replace(null, separated=null.separated[null.separated < len(sample.answers) - 1])
