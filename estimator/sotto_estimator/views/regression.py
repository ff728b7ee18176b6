"""A regression as a table for people, as JSON, CSV and HTML: the same numbers in all."""

import math
from dataclasses import asdict
from itertools import groupby
from typing import TYPE_CHECKING, Any

from sotto_estimator.errors import SourceError
from sotto_estimator.intervals.group_misfit import lines_of, misfit_members
from sotto_estimator.regression.result import Coefficient, FitQuality, Regression, Test
from sotto_estimator.results.percents import percent
from sotto_estimator.results.view import View
from sotto_estimator.results.words import escaped, level_words
from sotto_protocol.tables import align
from sotto_protocol.words import counted, epsilon_above

if TYPE_CHECKING:
    from sotto_estimator.results.panels import Panel

_NOT_SIMPLE = ("pseudo ", "errors by linearisation (sandwich)", " with Student's t")


def table(found: Regression) -> str:
    """Return what was fitted and how well, the coefficients by equation, tests, predictions, and what is to be said."""
    equations = groupby([] if found.contradictions else found.coefficients, key=lambda of: of.equation)
    parts = ["\n".join(found.preface), "\n".join(caption(found))]
    for equation, group in equations:
        rows = [[of.name, *_numbers(of)] for of in group]
        parts.append(align([[equation, *_columns(found)], *rows], n_left=1))
    parts.append(align(_test_rows(found), n_left=1) if found.tests else "")
    parts.append(align(_prediction_rows(found), n_left=2) if found.predictions else "")
    parts.append("\n".join(found.notes))
    return "\n\n".join(filter(None, parts))


def caption(found: Regression) -> list[str]:
    """Return what was fitted to what, and how well it fits, a line each."""
    quality = found.quality
    state = "converged" if quality.converged else "NOT converged"
    is_simple = found.degrees_of_freedom is None
    pseudo, errors, law = ("", "observed information", "") if is_simple else _NOT_SIMPLE
    lines = [
        f"{found.formula}: n = {counted(found.n_reports, 'report')}, epsilon {epsilon_above(found.epsilon)} a report",
        f"{found.model}; asked by {', '.join(found.designs)}",
    ]
    if found.contradictions:
        return [*lines, "no model is fitted and nothing is tested", *map(escaped, lines_of(found.contradictions))]
    lines += [
        f"{pseudo}maximum likelihood, {state} in {quality.n_iterations} iterations; {errors}; "
        f"{level_words(found.level)} Wald intervals{law}, approximate, about the population",
    ]
    if is_simple:
        lines.append(
            f"log-likelihood {quality.log_likelihood:.4f} (without terms {quality.null_log_likelihood:.4f}), "
            f"{_pseudo(quality)}AIC {quality.aic:.2f}, BIC {quality.bic:.2f}"
        )
    measured = ", ".join(f"{name} {value:.6g}" for name, value in found.measures.items())
    return [*lines, *filter(None, [measured])]


def _columns(found: Regression) -> tuple[str, ...]:
    of = "z" if found.degrees_of_freedom is None else "t"
    return "coef", "std. error", of, f"P>|{of}|", "low", "high"


def _pseudo(quality: FitQuality) -> str:
    return "" if math.isnan(quality.pseudo_r_squared) else f"pseudo R² {quality.pseudo_r_squared:.4f}, "


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
        "quality": asdict(found.quality),
        "measures": found.measures,
        "degrees_of_freedom": found.degrees_of_freedom,
        "coefficients": [asdict(of) for of in found.coefficients],
        "covariance": found.covariance.tolist(),
        "tests": [asdict(of) for of in found.tests],
        "predictions": [asdict(of) for of in found.predictions],
        "notes": list(found.notes),
        "warnings": list(found.warnings),
        "contradictions": misfit_members(found.contradictions),
    }


def records(found: Regression) -> list[dict[str, Any]]:
    """Return a row a coefficient, with n, epsilon and level in each."""
    beside = {
        "n_reports": found.n_reports,
        "epsilon": found.epsilon,
        "level": found.level,
        "interval": "approximate",
        **_of_whole(found),
        "converged": found.quality.converged,
    }
    rows = [asdict(of) | beside for of in found.coefficients]
    return [dict.fromkeys(row, None) | _known(row) for row in rows] if found.contradictions else rows


def _known(row: dict[str, Any]) -> dict[str, Any]:
    """Return the members that are no NaN."""
    return {name: of for name, of in row.items() if not (isinstance(of, float) and math.isnan(of))}


def _of_whole(found: Regression) -> dict[str, float]:
    if found.degrees_of_freedom is None:
        return {"log_likelihood": found.quality.log_likelihood}
    return {"degrees_of_freedom": found.degrees_of_freedom}


def panels(found: Regression) -> "tuple[str, list[Panel]]":
    """Return a picture of the coefficients that are tested. Raises SourceError where none is finite."""
    from sotto_estimator.results.panels import Point, point_panel  # matplotlib takes a second to load

    if found.contradictions:
        return caption(found)[0], []
    drawn = [of for of in found.coefficients if math.isfinite(of.standard_error) and not math.isnan(of.p_value)]
    if not drawn:
        raise SourceError("there is no coefficient with an interval to draw.")
    points = [Point(f"{of.equation}: {of.name}", of.estimate, of.low, of.high) for of in drawn]
    return caption(found)[0], [point_panel(points, "coefficient")]


def _test_rows(found: Regression) -> list[list[str]]:
    """Return a row for what is tested, by the likelihood ratio and by Wald's."""
    is_simple = found.degrees_of_freedom is None
    methods = ("likelihood ratio", "Wald") if is_simple else ("Wald",)
    tests = "chi-square tests" if is_simple else "tests by F"
    rows = [[f"{tests} that all are 0", "df", *[cell for method in methods for cell in (method, "P")]]]
    for name, group in groupby(found.tests, key=lambda of: of.terms):
        by = {of.method: of for of in group}
        cells = [cell for method in methods for cell in _test_cells(by.get(method))]
        rows.append([name or "all terms", str(next(iter(by.values())).degrees_of_freedom), *cells])
    return rows


def _test_cells(test: Test | None) -> list[str]:
    if test is None or math.isnan(test.statistic):
        return ["-", "-"]
    return [_number(test.statistic), f"{test.p_value:.3g}"]


def _prediction_rows(found: Regression) -> list[list[str]]:
    rows = [["prediction", "answer", "probability", "std. error", "low", "high"]]
    for of in found.predictions:
        error = percent(of.standard_error) if math.isfinite(of.standard_error) else "-"
        rows.append([of.cells, of.answer, percent(of.share), error, percent(of.low), percent(of.high)])
    return rows


def _numbers(of: Coefficient) -> list[str]:
    known = map(_number, (of.estimate, of.standard_error, of.z))
    return [*known, "-" if math.isnan(of.p_value) else f"{of.p_value:.3g}", _number(of.low), _number(of.high)]


def _number(value: float) -> str:
    """Return a number as tables show it; a dash where there is none.

    >>> _number(-1.23456), _number(float("inf")), _number(0.00012345)
    ('-1.2346', '-', '1.23e-04')
    """
    if not abs(value) < float("inf"):
        return "-"
    return f"{value:.4f}" if value == 0 or abs(value) >= 0.001 else f"{value:.2e}"


VIEW: View[Regression] = View(table=table, members=members, records=records, panels=panels)
