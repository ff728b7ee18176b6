"""A regression: for people, as members for programs, and as a picture."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import groupby
from typing import Any

from sotto_estimator.intervals.group_misfit import lines_of, misfit_members
from sotto_estimator.regression.result import Coefficient, FitQuality, Regression, Test
from sotto_estimator.results.document import Cell, Column, Lines, Part, Table
from sotto_estimator.results.figure import Panel, Point, point_panel
from sotto_estimator.results.view import View
from sotto_estimator.results.words import level_words
from sotto_estimator.views.regression_words import known_words
from sotto_protocol.words import counted, epsilon_above

_NOT_SIMPLE = ("pseudo ", "errors by linearization (sandwich)", " with Student's t")


def parts(found: Regression) -> list[Part]:
    """Return what was fitted and how well, the coefficients by equation, tests, predictions, and what is to be said."""
    equations = groupby([] if found.contradictions else found.coefficients, key=lambda of: of.equation)
    columns = [Column(name, "p" if name.startswith("P>") else "number") for name in _columns(found)]
    coefficients = [
        Table([Column(name), *columns], [[of.name, *_numbers(of)] for of in group]) for name, group in equations
    ]
    return [
        Part("What is known", [Lines([*found.preface, *known_words(found)])]),
        Part("What was fitted", [Lines(caption(found))]),
        Part("Coefficients", coefficients),
        Part("Tests", [_tests(found)] if found.tests else []),
        Part("Predictions", [_predictions(found)] if found.predictions else []),
        Part("Marginal effects", [_points("mean marginal effect", found.margins)] if found.margins else []),
        Part("Contrasts", [_points("contrast", found.contrasts)] if found.contrasts else []),
        Part("Notes", [Lines(found.notes)]),
    ]


def caption(found: Regression) -> list[str]:
    """Return what was fitted to what, and how well it fits, a line each."""
    quality = found.quality
    state = "converged" if quality.converged else "NOT converged"
    is_simple = found.degrees_of_freedom is None
    pseudo, errors, law = ("", "observed information", "") if is_simple else _NOT_SIMPLE
    if found.is_penalised:
        pseudo, errors = "penalized ", "expected information"
    method = "profile likelihood" if found.intervals == "profile" else "Wald"
    lines = [
        f"{found.formula}: n = {counted(found.n_reports, 'report')}, epsilon {epsilon_above(found.epsilon)} a report",
        f"{found.model}; design {', '.join(found.designs)}",
    ]
    if found.contradictions:
        return [*lines, "no model is fitted and nothing is tested", *lines_of(found.contradictions)]
    lines += [
        f"{pseudo}maximum likelihood, {state} in {quality.n_iterations} iterations; {errors}; "
        f"{level_words(found.level)} {method} intervals{law}, approximate, about the population",
    ]
    if is_simple:
        lines.append(
            f"{pseudo}log-likelihood {quality.log_likelihood:.4f} (without terms {quality.null_log_likelihood:.4f})"
            f"{_pseudo(quality)}{_criteria(quality)}"
        )
    measured = ", ".join(f"{name} {value:.6g}" for name, value in found.measures.items())
    return [*lines, *filter(None, [measured])]


def _columns(found: Regression) -> tuple[str, ...]:
    of = "z" if found.degrees_of_freedom is None else "t"
    return "coef", "std. error", of, f"P>|{of}|", "low", "high"


def _pseudo(quality: FitQuality) -> str:
    return "" if math.isnan(quality.pseudo_r_squared) else f", pseudo R² {quality.pseudo_r_squared:.4f}"


def _criteria(quality: FitQuality) -> str:
    return "" if math.isnan(quality.aic) else f", AIC {quality.aic:.2f}, BIC {quality.bic:.2f}"


def members(found: Regression) -> dict[str, Any]:
    """Return the members of the JSON object; what is infinite or not known is null."""
    return {
        "title": found.title,
        "preface": list(found.preface),
        "formula": found.formula,
        "model": found.model,
        "designs": list(found.designs),
        "n_reports": found.n_reports,
        "epsilon": found.epsilon,
        "level": found.level,
        "interval": "approximate",
        "intervals": found.intervals,
        "penalized": found.is_penalised,
        "quality": asdict(found.quality),
        "measures": found.measures,
        "degrees_of_freedom": found.degrees_of_freedom,
        "coefficients": [asdict(of) for of in found.coefficients],
        "covariance": found.covariance.tolist(),
        "tests": [asdict(of) for of in found.tests],
        "predictions": [asdict(of) for of in found.predictions],
        "margins": [asdict(of) for of in found.margins],
        "contrasts": [asdict(of) for of in found.contrasts],
        "notes": list(found.notes),
        "warnings": list(found.warnings),
        "contradictions": misfit_members(found.contradictions),
    }


def records(found: Regression) -> list[dict[str, Any]]:
    """Return a row a coefficient, margin, contrast and prediction: `row` says which it is.

    Each has n, epsilon and level. A prediction has no test. Intervals of all but coefficients are Wald's.
    """
    beside = {
        "n_reports": found.n_reports,
        "epsilon": found.epsilon,
        "level": found.level,
        "interval": "approximate",
        "intervals": found.intervals,
        "penalized": found.is_penalised,
        **_of_whole(found),
        "converged": found.quality.converged,
    }
    rows = [{"row": "term"} | asdict(of) | beside for of in found.coefficients]
    if found.contradictions:
        return [dict.fromkeys(row, None) | _known(row) for row in rows]
    effects = [("margin", of) for of in found.margins] + [("contrast", of) for of in found.contrasts]
    others = [{"row": row} | asdict(of) for row, of in effects] + [*_predicted(found)]
    return rows + [of | beside | {"intervals": "wald"} for of in others]


def _predicted(found: Regression) -> Iterator[dict[str, Any]]:
    """Return predictions as rows, their equations named as those of coefficients: QUESTION = ANSWER."""
    for of in found.predictions:
        question = found.coefficients[0].equation.removesuffix(found.predictions[0].answer)
        told = {"row": "prediction", "equation": question + of.answer, "name": of.cells, "estimate": of.share}
        told |= {"standard_error": of.standard_error, "z": None, "p_value": None}
        yield told | {"low": of.low, "high": of.high}


def _known(row: dict[str, Any]) -> dict[str, Any]:
    """Return the members that are no NaN."""
    return {name: of for name, of in row.items() if not (isinstance(of, float) and math.isnan(of))}


def _of_whole(found: Regression) -> dict[str, float]:
    if found.degrees_of_freedom is None:
        return {"log_likelihood": found.quality.log_likelihood}
    return {"degrees_of_freedom": found.degrees_of_freedom}


def panels(found: Regression) -> tuple[str, list[Panel]]:
    """Return a picture of the coefficients that are tested, and finite."""
    if found.contradictions:
        return caption(found)[0], []
    drawn = [of for of in found.coefficients if math.isfinite(of.standard_error) and not math.isnan(of.p_value)]
    points = [Point(f"{of.equation}: {of.name}", of.estimate, of.low, of.high) for of in drawn]
    return caption(found)[0], [point_panel(points, "coefficient")] if points else []


def _tests(found: Regression) -> Table:
    """Return a row for what is tested, by the likelihood ratio and by Wald's."""
    is_simple = found.degrees_of_freedom is None
    methods = ("likelihood ratio", "Wald") if is_simple else ("Wald",)
    columns = [Column("joint chi-square tests" if is_simple else "joint tests by F"), Column("df", "count")]
    columns += [column for method in methods for column in (Column(method, "number"), Column("P", "p"))]
    rows: list[list[Cell]] = []
    for name, group in groupby(found.tests, key=lambda of: of.terms):
        by = {of.method: of for of in group}
        cells = [cell for method in methods for cell in _test_cells(by.get(method))]
        rows.append([name or "all terms", next(iter(by.values())).degrees_of_freedom, *cells])
    return Table(columns, rows)


def _test_cells(test: Test | None) -> list[Cell]:
    return [None, None] if test is None or math.isnan(test.statistic) else [test.statistic, test.p_value]


def _predictions(found: Regression) -> Table:
    numbers = [Column(name, "share") for name in ("probability", "std. error", "low", "high")]
    rows: list[list[Cell]] = [
        [of.cells, of.answer, of.share, of.standard_error, of.low, of.high] for of in found.predictions
    ]
    return Table([Column("prediction"), Column("answer"), *numbers], rows)


def _points(name: str, effects: Sequence[Coefficient]) -> Table:
    """Return a row an effect on a probability."""
    numbers = [Column(of, "points") for of in ("difference", "std. error")]
    numbers += [Column("P", "p"), Column("low", "points"), Column("high", "points")]
    rows: list[list[Cell]] = [
        [of.name, of.equation, of.estimate, of.standard_error, of.p_value, of.low, of.high] for of in effects
    ]
    return Table([Column(name), Column("answer"), *numbers], rows)


def _numbers(of: Coefficient) -> list[Cell]:
    return [of.estimate, of.standard_error, of.z, of.p_value, of.low, of.high]


VIEW: View[Regression] = View(parts=parts, members=members, records=records, panels=panels)
